"""Halton sequences and the normal draws made from them.

Axes: c panels, d draws, m random coefficients.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import ndtri

from models.ordering import Floats

# one base for each random coefficient; neighbouring larger primes are so strongly
# correlated over a few hundred draws that more coefficients want another sequence
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19)
# the first points of all bases rise together
DROPPED = 100


def halton(length: int, base: int, *, dropped: int = DROPPED) -> Floats:
    """Return consecutive points of the Halton sequence in one base.

    The radical inverse of ``dropped``, ``dropped + 1``, ...: the digits of the number
    behind the point, in reverse. Train (2009), Discrete Choice Methods with Simulation,
    section 9.3.3.

    Parameters
    ----------
    length
        Points wanted, 0 or more.
    base
        A prime, 2 or more.
    dropped
        Points left out at the beginning, 1 or more (point 0 is 0, which has no normal
        quantile).

    Returns
    -------
    numpy.ndarray
        Shape (length,), in (0, 1).

    Raises
    ------
    ValueError
        An argument out of its range.
    """
    if length < 0 or base < 2 or dropped < 1:
        raise ValueError(
            f"Halton sequence: length {length}, base {base}, dropped {dropped}; give "
            "at least 0, 2 and 1"
        )
    points = np.zeros(1)
    digit = 1.0
    while len(points) < dropped + length:
        digit /= base
        points = (np.arange(base)[:, None] * digit + points).ravel()
    return points[dropped : dropped + length]


@lru_cache(maxsize=4)
def normal_draws(panels: int, draws: int, coefficients: int) -> Floats:
    """Return standard normal draws for every panel, from Halton sequences.

    One sequence in base 2, 3, 5, ... for each coefficient, 100 points dropped; panels
    take consecutive stretches of it, so that the errors of neighbours offset each
    other (Train 2009, section 9.3.3). No generator, no seed: one answer for ever.

    Parameters
    ----------
    panels, draws
        Numbers c and d, 0 or more.
    coefficients
        Number m, 0 to 8.

    Returns
    -------
    numpy.ndarray
        Shape (c, m, d), read-only: equal calls share it.

    Raises
    ------
    ValueError
        More coefficients than there are bases.
    """
    if coefficients > len(PRIMES):
        raise ValueError(
            f"Halton draws: {coefficients} random coefficients; give at most "
            f"{len(PRIMES)}, larger bases are correlated"
        )
    values = np.zeros((panels, coefficients, draws))
    for place in range(coefficients):
        points = halton(panels * draws, PRIMES[place])
        values[:, place] = ndtri(points).reshape(panels, draws)
    values.flags.writeable = False
    return values
