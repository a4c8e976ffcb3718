"""How far judges agree with each other, and how far a panel agrees with people.

Axes: c candidates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from models import status
from models.ordering import Bools, Floats, Ints
from models.search_terms import FEWEST_SAMPLED


class Agreement(NamedTuple):
    """Agreement of one panel; NaN where undefined.

    Attributes
    ----------
    raw, pairwise
        Share of candidates on which all judges say the same, and of pairs of votes that
        are equal, over candidates with every vote.
    fleiss_kappa, kappa_degenerate
        Over candidates with every vote; degenerate where they carry one label only.
    krippendorff_alpha, alpha_degenerate
        Nominal, over candidates with two votes or more; degenerate likewise.
    complete, pairable
        Candidates with every vote, and with two votes or more.
    """

    raw: float
    pairwise: float
    fleiss_kappa: float
    kappa_degenerate: bool
    krippendorff_alpha: float
    alpha_degenerate: bool
    complete: int
    pairable: int


class TwoRaters(NamedTuple):
    """Agreement of two people; NaN where undefined.

    Attributes
    ----------
    n
        Candidates that both ruled on.
    raw
        Share on which they say the same.
    kappa, kappa_degenerate
        Cohen's; degenerate where both used one and the same label only.
    """

    n: int
    raw: float
    kappa: float
    kappa_degenerate: bool


class PanelErrors(NamedTuple):
    """What a random sample of human rulings says of a panel; NaN where unknown.

    Attributes
    ----------
    sensitivity, specificity
        Chance that the panel accepts a valid candidate, and that it does not accept an
        invalid one.
    sampled
        Rulings of the sample.
    status
        ``ok``, ``too_few`` or ``no_variation``.
    """

    sensitivity: float
    specificity: float
    sampled: int
    status: str


def agreement(
    n_valid: npt.ArrayLike, n_invalid: npt.ArrayLike, seats: int
) -> Agreement:
    """Measure how far the judges of a panel agree.

    Fleiss (1971) and Krippendorff (2004, nominal data with missing values).

    Parameters
    ----------
    n_valid, n_invalid
        Shape (c,), votes of either kind on each candidate; what is missing to ``seats``
        is a vote that could not be had.
    seats
        Judges of the panel, at least 1.

    Returns
    -------
    Agreement
        Both coefficients are undefined without a candidate to measure and where all
        votes are equal, since then chance alone agrees fully.

    Raises
    ------
    ValueError
        More votes than seats, or a negative count; the message gives the candidate.
    """
    valid = np.asarray(n_valid, dtype=np.int64)
    invalid = np.asarray(n_invalid, dtype=np.int64)
    votes = valid + invalid
    odd = np.flatnonzero((valid < 0) | (invalid < 0) | (votes > seats))
    if len(odd):
        raise ValueError(
            f"candidate {odd[0]}: {valid[odd[0]]} and {invalid[odd[0]]} votes of "
            f"{seats} judges"
        )
    complete = (votes == seats) & (seats > 1)
    pairable = votes > 1
    kappa, kappa_degenerate, pairwise = _fleiss(valid[complete], seats)
    alpha, alpha_degenerate = _krippendorff(valid[pairable], invalid[pairable])
    unanimous = (valid == seats) | (invalid == seats)
    return Agreement(
        raw=_mean(unanimous[complete]),
        pairwise=pairwise,
        fleiss_kappa=kappa,
        kappa_degenerate=kappa_degenerate,
        krippendorff_alpha=alpha,
        alpha_degenerate=alpha_degenerate,
        complete=int(complete.sum()),
        pairable=int(pairable.sum()),
    )


def two_raters(first: npt.ArrayLike, second: npt.ArrayLike) -> TwoRaters:
    """Measure how far two people agree beyond chance.

    Cohen (1960): chance is what people with their shares of valid would agree on.

    Parameters
    ----------
    first, second
        Shape (c,), whether either found the candidate valid.

    Returns
    -------
    TwoRaters
        Undefined without a candidate, and kappa where chance alone agrees fully.

    Raises
    ------
    ValueError
        Rulings on different numbers of candidates.
    """
    one, other = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    if one.shape != other.shape:
        raise ValueError(f"{len(one)} rulings of one person, {len(other)} of the other")
    n, agreed = len(one), int((one == other).sum())
    if not n:
        return TwoRaters(0, float(np.nan), float(np.nan), False)
    valid, as_valid = int(one.sum()), int(other.sum())
    # of n x n pairs, those that chance makes equal
    chance = valid * as_valid + (n - valid) * (n - as_valid)
    if chance == n * n:
        return TwoRaters(n, agreed / n, float(np.nan), True)
    return TwoRaters(n, agreed / n, (agreed * n - chance) / (n * n - chance), False)


def panel_errors(
    panel_valid: Bools, human_valid: Bools, probability: Floats
) -> PanelErrors:
    """Estimate how often a panel errs, from a random sample that people ruled on.

    Each ruling stands for as many candidates as the inverse of its chance to be drawn
    (Horvitz and Thompson 1952), since the sample is stratified by panel verdict.

    Parameters
    ----------
    panel_valid
        Shape (c,), whether the panel accepted the candidate; no majority is no yes.
    human_valid
        Shape (c,), what a person ruled.
    probability
        Shape (c,), chance of having been drawn, in (0, 1].

    Returns
    -------
    PanelErrors
        ``too_few`` below 30 rulings on either panel answer; ``no_variation`` where
        people found no valid, or no invalid, candidate.

    Raises
    ------
    ValueError
        A chance outside (0, 1].
    """
    if len(probability) and not ((probability > 0) & (probability <= 1)).all():
        raise ValueError("random sample: every chance must be above 0 and at most 1")
    weight = 1.0 / probability
    accepted = int(panel_valid.sum())
    sensitivity = _share(weight[human_valid], panel_valid[human_valid])
    specificity = _share(weight[~human_valid], ~panel_valid[~human_valid])
    if min(accepted, len(panel_valid) - accepted) < FEWEST_SAMPLED:
        label = status.TOO_FEW
    elif np.isnan(sensitivity) or np.isnan(specificity):
        label = status.NO_VARIATION
    else:
        label = status.OK
    known = label == status.OK
    return PanelErrors(
        sensitivity if known else np.nan,
        specificity if known else np.nan,
        len(panel_valid),
        label,
    )


def corrected_share(share: float, errors: PanelErrors) -> float:
    """Correct a share of accepted candidates for the errors of the panel.

    Rogan and Gladen (1978): share + specificity - 1 over sensitivity + specificity - 1.

    Parameters
    ----------
    share
        Share that the panel accepted, in [0, 1].
    errors
        The panel's errors.

    Returns
    -------
    float
        In [0, 1]; NaN where the errors are unknown or the panel does no better than
        chance.
    """
    informed = errors.sensitivity + errors.specificity - 1.0
    if not informed > 0:
        return float(np.nan)
    return float(min(max((share + errors.specificity - 1.0) / informed, 0.0), 1.0))


def _fleiss(valid: Ints, seats: int) -> tuple[float, bool, float]:
    c = len(valid)
    if not c:
        return float(np.nan), False, float(np.nan)
    invalid = seats - valid
    pairs = valid * (valid - 1) + invalid * (invalid - 1)
    observed = float(pairs.sum()) / (c * seats * (seats - 1))
    total = int(valid.sum())
    if total in (0, c * seats):
        return float(np.nan), True, observed
    share = total / (c * seats)
    chance = share**2 + (1.0 - share) ** 2
    return (observed - chance) / (1.0 - chance), False, observed


def _krippendorff(valid: Ints, invalid: Ints) -> tuple[float, bool]:
    if not len(valid):
        return float(np.nan), False
    votes = valid + invalid
    total, n_valid, n_invalid = votes.sum(), valid.sum(), invalid.sum()
    if not n_valid or not n_invalid:
        return float(np.nan), True
    observed = float((2 * valid * invalid / (votes - 1)).sum()) / total
    expected = 2.0 * n_valid * n_invalid / (total * (total - 1))
    return float(1.0 - observed / expected), False


def _mean(values: Bools) -> float:
    return float(values.mean()) if len(values) else float(np.nan)


def _share(weight: Floats, counted: Bools) -> float:
    total = float(weight.sum())
    return float(weight[counted].sum()) / total if total else float(np.nan)
