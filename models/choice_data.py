"""Choice situations as arrays: checked once, then kept as differences to the choice.

Axes: n situations, j options, r = j - 1 rivals (the options that were not chosen),
k terms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from models.ordering import Bools, Floats, Ints, canonical_order


@dataclass(frozen=True, slots=True)
class ChoiceData:
    """Choice situations, any number of options each.

    Attributes
    ----------
    x
        Shape (n, j, k), what each option offers. A term for one option only (an
        alternative-specific constant) is a column that is 1 there and 0 elsewhere.
    available
        Shape (n, j), whether the option was offered; x is ignored where it was not.
    chosen
        Shape (n,), position of the chosen option, 0 to j - 1.
    weights
        Shape (n,), how often the situation counts, at least 0.
    """

    x: Floats
    available: Bools
    chosen: Ints
    weights: Floats


@dataclass(frozen=True, slots=True)
class Rivals:
    """The same situations as differences to the chosen option, in canonical order.

    Only these differences enter the likelihood. Rows stand in an order set by their
    content, so that sums do not depend on the order of the input.

    Attributes
    ----------
    z
        Shape (k, n, r), rival minus chosen option; 0 where the rival is absent.
    available
        Shape (n, r), whether the rival was offered.
    weights
        Shape (n,), at least 0.
    order
        Shape (n,), input position of each row.
    """

    z: Floats
    available: Bools
    weights: Floats
    order: Ints


def choice_data(
    x: npt.ArrayLike,
    chosen: npt.ArrayLike,
    *,
    available: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> ChoiceData:
    """Check choice situations and fill in what was left out.

    Parameters
    ----------
    x
        Shape (n, j, k), finite wherever the option is available.
    chosen
        Shape (n,), position of the chosen option, 0 to j - 1, an available one.
    available
        Shape (n, j), true where the option was offered; all of them by default.
    weights
        Shape (n,), finite and at least 0; 1 by default.

    Returns
    -------
    ChoiceData
        No situations (n = 0) are accepted: they give a fit with status ``too_few``.

    Raises
    ------
    ValueError
        Shapes that do not agree, a value that is not finite, a chosen option that was
        not offered, a negative weight; the message names the first situation at fault.
    """
    values = np.asarray(x, dtype=np.float64)
    if values.ndim != 3:
        raise ValueError(f"x: shape (n, j, k) needed, got {values.shape}")
    n, j, _ = values.shape
    picks = np.asarray(chosen, dtype=np.int64)
    offered = (
        np.ones((n, j), dtype=bool)
        if available is None
        else np.asarray(available, dtype=bool)
    )
    mass = (
        np.ones(n, dtype=np.float64)
        if weights is None
        else np.asarray(weights, dtype=np.float64)
    )
    for name, array, shape in (
        ("chosen", picks, (n,)),
        ("available", offered, (n, j)),
        ("weights", mass, (n,)),
    ):
        if array.shape != shape:
            raise ValueError(f"{name}: shape {shape} needed, got {array.shape}")
    _refuse(~((picks >= 0) & (picks < j)), "chosen is not a position of an option")
    _refuse(~offered[np.arange(n), picks], "the chosen option was not available")
    finite = (np.isfinite(values) | ~offered[:, :, None]).all(axis=(1, 2))
    _refuse(~finite, "x is not finite for an available option")
    _refuse(~(np.isfinite(mass) & (mass >= 0)), "weight is negative or not finite")
    return ChoiceData(values, offered, picks, mass)


def _refuse(bad: Bools, what: str) -> None:
    if bad.any():
        raise ValueError(f"situation {int(np.flatnonzero(bad)[0])}: {what}")


def rivals(data: ChoiceData) -> Rivals:
    """Rewrite choice situations as differences to the chosen option.

    Parameters
    ----------
    data
        n situations with j options and k terms.

    Returns
    -------
    Rivals
        Same situations in canonical order. A situation with a single option has only
        absent rivals and adds nothing to a likelihood.
    """
    n, j, k = data.x.shape
    rows = np.arange(n)
    others = np.ones((n, j), dtype=bool)
    others[rows, data.chosen] = False
    available = data.available[others].reshape(n, max(j - 1, 0))
    z = data.x[others].reshape(n, max(j - 1, 0), k)
    z = np.where(available[:, :, None], z - data.x[rows, data.chosen][:, None, :], 0.0)
    order = canonical_order(
        np.column_stack([z.reshape(n, z.shape[1] * k), available, data.weights])
    )
    return Rivals(
        z=np.ascontiguousarray(np.moveaxis(z[order], 2, 0)),
        available=available[order],
        weights=data.weights[order],
        order=order,
    )


def equal_share_log_likelihood(data: ChoiceData) -> float:
    """Return the log-likelihood when every available option is equally likely.

    Parameters
    ----------
    data
        n situations.

    Returns
    -------
    float
        Weighted sum of minus the logarithm of the number of available options; 0 for
        no situations.
    """
    sizes, counts = np.unique(data.available.sum(axis=1), return_inverse=True)
    mass = np.bincount(counts, weights=_sorted_within(counts, data.weights))
    return 0.0 - float(np.sum(mass * np.log(sizes)))


def option_share_log_likelihood(data: ChoiceData) -> float:
    """Return the log-likelihood of a model with nothing but a constant per option.

    For two options it is n1 ln(n1/n) + n0 ln(n0/n), the intercept-only logit.

    Parameters
    ----------
    data
        n situations, in each of which every option is available.

    Returns
    -------
    float
        At most 0; 0 when one option is always chosen and for no situations.

    Raises
    ------
    ValueError
        An option is missing somewhere: the model then has no closed form.
    """
    if not data.available.all():
        raise ValueError("option shares need every option available everywhere")
    picks = np.bincount(
        data.chosen, weights=_sorted_within(data.chosen, data.weights), minlength=1
    )
    picked = picks[picks > 0]
    return float(np.sum(picked * np.log(picked / picked.sum())))


def _sorted_within(codes: Ints, weights: Floats) -> Floats:
    """Rearrange weights inside each code so that sums do not depend on row order."""
    rearranged = np.empty_like(weights)
    rearranged[np.argsort(codes, kind="stable")] = weights[np.lexsort((weights, codes))]
    return rearranged
