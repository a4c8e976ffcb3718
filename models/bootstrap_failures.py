"""Replicates without an ordinary maximum: fitted alone, classified, never dropped.

Axes: s answers, r rivals (the options that were not chosen), k terms, c clusters,
b replicates.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from models import status
from models.choice_data import choice_data
from models.conditional_logit import LogitFit, fit
from models.inference import CONFIDENCE
from models.ordering import Bools, Floats, Ints
from models.rank import scaled_columns
from models.separation import MARGIN, SOLVER_TOLERANCE, lowest_receding

# with more of them separated one end of every interval lies beyond what is known, so
# that it no longer matters to which side a replicate runs
SIDES_MATTER_UP_TO = 1 - CONFIDENCE
# trial value of a coefficient, small against the box of the linear programme
_NUDGE = 1e-3


def refit_alone(
    x: Floats, chosen: Ints, codes: Ints, counts: npt.NDArray[np.number], which: Ints
) -> tuple[list[str], Floats]:
    """Fit some replicates one by one by damped Newton and say what they are.

    Separation is proved by a direction that recedes (see ``models.separation``). One
    found for a replicate is tried on the next, so that few need a fit of their own.

    Parameters
    ----------
    x
        Shape (s, r + 1, k), all options available.
    chosen, codes
        Shape (s,), chosen option and cluster of each answer.
    counts
        Shape (b, c), how often each cluster came.
    which
        Shape (d,), the replicates to fit, 0 to b - 1.

    Returns
    -------
    tuple
        d statuses, and coefficients of shape (d, k): infinite where a separated
        coefficient runs off to one side, NaN where the side is open or the term has no
        estimate. With more than 5 % of b separated, all NaN for these.
    """
    labels: list[str] = []
    rows = np.full((len(which), x.shape[2]), np.nan)
    differences = _differences(x, chosen)
    known: list[tuple[Bools, Bools]] = []
    for place, replicate in enumerate(which):
        used = counts[replicate, codes] > 0
        if any(
            (gains & used).any() and not (loses & used).any() for gains, loses in known
        ):
            labels.append(status.SEPARATED)
            continue
        result = _fit(x, chosen, codes, counts[replicate])
        labels.append(status.worst((result.status, *result.term_status)))
        rows[place] = result.estimate
        if labels[-1] == status.SEPARATED:
            rows[place] = np.nan
            known.append(_effects(differences, used))
    apart = [place for place, label in enumerate(labels) if label == status.SEPARATED]
    if len(apart) <= SIDES_MATTER_UP_TO * len(counts):
        for place in apart:
            count = counts[which[place]]
            result = _fit(x, chosen, codes, count)
            own = differences[count[codes] > 0].reshape(-1, x.shape[2])
            rows[place] = _with_sides(result, own)
    return labels, rows


def _differences(x: Floats, chosen: Ints) -> Floats:
    """Return rival minus chosen option, shape (s, r, k), columns scaled to [-1, 1]."""
    s, options, k = x.shape
    rows = np.arange(s)
    rivals = np.ones((s, options), dtype=bool)
    rivals[rows, chosen] = False
    z = x[rivals].reshape(s, options - 1, k) - x[rows, chosen][:, None]
    return scaled_columns(z.reshape(-1, k)).reshape(z.shape)


def _fit(
    x: Floats, chosen: Ints, codes: Ints, count: npt.NDArray[np.number]
) -> LogitFit:
    weights = count[codes].astype(np.float64)
    used = weights > 0
    return fit(choice_data(x[used], chosen[used], weights=weights[used]))


def _effects(differences: Floats, used: Bools) -> tuple[Bools, Bools]:
    """Say which answers gain and which lose along a direction that recedes in some."""
    k = differences.shape[2]
    own = differences[used].reshape(-1, k)
    change = differences @ lowest_receding(own, own.sum(axis=0))
    gains, loses = change < -MARGIN, change > SOLVER_TOLERANCE
    return np.asarray(gains.any(axis=1)), np.asarray(loses.any(axis=1))


def _with_sides(result: LogitFit, differences: Floats) -> Floats:
    """Return the estimates with infinities for what is separated."""
    estimate = result.estimate.copy()
    receding = lowest_receding(differences, differences.sum(axis=0))
    for term, label in enumerate(result.term_status):
        if label == status.SEPARATED:
            estimate[term] = _side(differences, receding, term)
    return estimate


def _side(differences: Floats, receding: Floats, term: int) -> float:
    """Return the end to which a coefficient can run: +inf, -inf, or NaN for either."""
    side = float(np.sign(receding[term])) if abs(receding[term]) > MARGIN else 0.0
    nudged = receding.copy()
    can = {side}
    for sign in (1.0, -1.0):
        nudged[term] = sign * _NUDGE
        if sign in can:
            continue
        if (differences @ nudged <= 0).all():
            can.add(sign)
        else:
            objective = np.zeros(len(receding))
            objective[term] = -sign
            if sign * lowest_receding(differences, objective)[term] > MARGIN:
                can.add(sign)
    open_ends = can - {0.0}
    return open_ends.pop() * np.inf if len(open_ends) == 1 else float(np.nan)
