"""Average effect of an attribute on the chance of being chosen, in percentage points.

Axes: n situations, j options, a attributes, k = j + a terms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from models import status
from models.clusters import Clusters, carrying_clusters, cluster_sums, prepare_clusters
from models.hotel_choices import HotelChoices, read_choices
from models.hotel_logit import BLOCK, FEWEST_CARRYING_CLUSTERS, FEWEST_CLUSTERS
from models.hotel_terms import CONTROLS
from models.inference import mere_rounding, normal_interval, z_test
from models.ordering import Bools, Floats, Ints, canonical_order
from models.rank import independent_columns
from models.tables import Row, build_table

PERCENTAGE_POINTS = 100.0
# residuals this small next to the data are rounding: the terms decide every choice
EXACT_FIT = 1e-20


@dataclass(frozen=True, slots=True)
class Contrast:
    """A change whose effect is reported: so many units of a term."""

    name: str
    term: str
    units: float


CONTRASTS = (
    Contrast("stars_1", "stars", 1.0),
    Contrast("review_score_1", "review_score", 1.0),
    Contrast("cancel", "cancel", 1.0),
    Contrast("breakfast", "breakfast", 1.0),
    Contrast("price_50_usd", "price_usd", 50.0),
    Contrast("shown_first", "slot1", 1.0),
)
ATTRIBUTE_TERMS = (*CONTROLS, "price_usd")

_NUMBER = pa.float64()
AMCE_SCHEMA = pa.schema(
    [
        pa.field("study_id", pa.string(), nullable=False),
        pa.field("model_id", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("input_fingerprint", pa.string(), nullable=False),
        pa.field("block", pa.string(), nullable=False),
        pa.field("contrast", pa.string(), nullable=False),
        pa.field("n", pa.int64(), nullable=False),
        pa.field("clusters", pa.int64(), nullable=False),
        pa.field("estimate_pp", _NUMBER),
        pa.field("std_error_pp", _NUMBER),
        pa.field("p_value", _NUMBER),
        pa.field("ci_lo_pp", _NUMBER),
        pa.field("ci_hi_pp", _NUMBER),
        pa.field("cluster_id", pa.list_(pa.string()), nullable=False),
        pa.field("influence_pp", pa.list_(_NUMBER), nullable=False),
        pa.field("status", pa.string(), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True)
class ChoiceShares:
    """Clustered least squares of "chosen" on slots and attributes.

    Attributes
    ----------
    terms
        Length k: ``intercept``, ``slot1`` ... ``slot<j-1>`` (the last slot is the
        reference), the attributes.
    estimate
        Shape (k,), change in the probability of being chosen, in [0, 1] units.
    covariance
        Shape (k, k), clustered, factor G/(G-1).
    influence
        Shape (c, k), what each cluster adds to the estimate.
    term_status
        Length k.
    """

    terms: tuple[str, ...]
    estimate: Floats
    covariance: Floats
    influence: Floats
    term_status: tuple[str, ...]


def choice_shares(
    attributes: Floats,
    shown_slot: Ints,
    chosen: Ints,
    clusters: Clusters,
    names: Sequence[str],
) -> ChoiceShares:
    """Regress being chosen on slots and attributes, option by option.

    Hainmueller, Hopkins and Yamamoto (2014): with attributes drawn at random, least
    squares on the stacked options estimates the average marginal component effect.

    Parameters
    ----------
    attributes
        Shape (n, j, a), finite.
    shown_slot
        Shape (n, j), the slot in which each option was shown, 1 to j.
    chosen
        Shape (n,), position of the chosen option, 0 to j - 1.
    clusters
        Division of the n situations.
    names
        Length a, names of the attributes.

    Returns
    -------
    ChoiceShares
        NaN with a status for what can't be estimated: all terms ``too_few`` for n = 0;
        ``no_variation`` for a term that is a combination of earlier ones. Where slots
        and attributes decide every choice without error, as for a model that always
        takes the first option, estimates stand, errors are NaN, status ``separated``.
        Fewer than 2 clusters: errors NaN. Below 30 clusters ``too_few``; a term that
        varies inside the choice sets of fewer than 10 clusters is ``weak``, as is one
        whose errors cancel in every cluster, with an error of 0. Row order changes
        nothing.
    """
    n, j, _ = attributes.shape
    terms = ("intercept", *(f"slot{place}" for place in range(1, j)), *names)
    k = len(terms)
    slots = np.stack([shown_slot == place for place in range(1, j)], axis=2)
    x = np.concatenate([np.ones((n, j, 1)), slots, attributes], axis=2)
    empty = ChoiceShares(
        terms=terms,
        estimate=np.full(k, np.nan),
        covariance=np.full((k, k), np.nan),
        influence=np.full((clusters.count, k), np.nan),
        term_status=(status.TOO_FEW,) * k,
    )
    if n == 0:
        return empty
    y = (np.arange(j) == chosen[:, None]).astype(np.float64)
    varies = (x != x[:, :1]).any(axis=1)
    # a constant can't vary between options; it rests on all clusters
    varies[:, 0] = True
    return _least_squares(empty, x.reshape(n * j, k), y.ravel(), clusters, varies)


def _least_squares(
    empty: ChoiceShares, x: Floats, y: Floats, clusters: Clusters, varies: Bools
) -> ChoiceShares:
    # statsmodels takes seconds to import
    from statsmodels.regression.linear_model import OLS

    codes = np.repeat(clusters.codes, len(y) // len(clusters.codes))
    order = canonical_order(np.column_stack([x, y, codes]))
    x, y, codes = x[order], y[order], codes[order]
    kept = independent_columns(x)
    fitted = OLS(y, x[:, kept]).fit()
    estimate = empty.estimate.copy()
    estimate[kept] = fitted.params
    if float(fitted.resid @ fitted.resid) <= EXACT_FIT * len(y):
        labels = np.where(kept, status.SEPARATED, status.NO_VARIATION)
        return replace(empty, estimate=estimate, term_status=tuple(labels.tolist()))
    covariance, influence = empty.covariance.copy(), empty.influence.copy()
    if clusters.count > 1:
        robust = fitted.get_robustcov_results(
            "cluster", groups=codes, use_correction=False
        )
        # the factor of the logits, G/(G-1), in place of the package's own
        factor = clusters.count / (clusters.count - 1)
        covariance[np.ix_(kept, kept)] = robust.cov_params() * factor
    scores = x[:, kept] * fitted.resid[:, None]
    sums = cluster_sums(scores, Clusters(codes, np.bincount(codes), clusters.ids))
    influence[:, kept] = sums @ fitted.normalized_cov_params
    if clusters.count > 1:
        plain = np.full(len(kept), np.nan)
        plain[kept] = fitted.bse
        cancelled = mere_rounding(np.sqrt((influence**2).sum(axis=0)), plain)
        covariance[cancelled] = covariance[:, cancelled] = 0.0
        # an error that cancels in every cluster rests on none
        varies = varies & ~cancelled
    return replace(
        empty,
        estimate=estimate,
        covariance=covariance,
        influence=influence,
        term_status=_term_status(kept, varies, clusters),
    )


def _term_status(kept: Bools, varies: Bools, clusters: Clusters) -> tuple[str, ...]:
    few = [status.TOO_FEW] * (clusters.count < FEWEST_CLUSTERS)
    carrying = carrying_clusters(varies, clusters).tolist()
    return tuple(
        status.worst(
            (
                status.OK if estimated else status.NO_VARIATION,
                *few,
                *[status.WEAK] * (count < FEWEST_CARRYING_CLUSTERS),
            )
        )
        for estimated, count in zip(kept.tolist(), carrying, strict=True)
    )


def amce_table(columns: pa.Table | Mapping[str, npt.ArrayLike]) -> pa.Table:
    """Estimate the effects of the stated contrasts for every model, audited answers.

    Parameters
    ----------
    columns
        Long table of two-option answers, one row for each option; see ``read_choices``.

    Returns
    -------
    pyarrow.Table
        ``AMCE_SCHEMA``, one row for each model and member of ``CONTRASTS``, in
        ascending order of study, model and variant. In percentage points: one star, one
        review point, free cancellation, breakfast, 50 dollars more, shown first instead
        of last. Null with a status where there is no estimate; see ``choice_shares``.
        Influences, one for each cluster, serve paired comparisons. An empty input gives
        an empty table.

    Raises
    ------
    ValueError
        Input that breaks the contract of ``read_choices``.
    """
    rows: list[Row] = []
    for choices in read_choices(columns):
        rows += _contrast_rows(choices)
    return build_table(rows, AMCE_SCHEMA)


def _contrast_rows(choices: HotelChoices) -> list[Row]:
    used = choices.chosen["chosen_audited"] >= 0
    clusters = prepare_clusters(choices.group_ids[used])
    a_first = choices.numbers["slot_sign"][used][:, :1] > 0
    fitted = choice_shares(
        np.stack([choices.numbers[name][used] for name in ATTRIBUTE_TERMS], axis=2),
        np.where(a_first, [[1, 2]], [[2, 1]]),
        choices.chosen["chosen_audited"][used],
        clusters,
        ATTRIBUTE_TERMS,
    )
    rows: list[Row] = []
    for contrast in CONTRASTS:
        place = fitted.terms.index(contrast.term)
        scale = contrast.units * PERCENTAGE_POINTS
        rows.append(
            {
                "study_id": choices.study_id,
                "model_id": choices.model_id,
                "variant": choices.variant,
                "input_fingerprint": choices.input_fingerprint,
                "block": BLOCK,
                "contrast": contrast.name,
                "n": int(used.sum()),
                "clusters": clusters.count,
                **_effect(fitted, place, scale),
                **_influence(fitted.influence[:, place] * scale, clusters),
                "status": fitted.term_status[place],
            }
        )
    return rows


def _effect(fitted: ChoiceShares, place: int, scale: float) -> Row:
    estimate = float(fitted.estimate[place]) * scale
    error = float(np.sqrt(fitted.covariance[place, place])) * scale
    # no test and no interval rest on an error of 0
    lo, hi = normal_interval(estimate, error if error > 0 else np.nan)
    return {
        "estimate_pp": estimate,
        "std_error_pp": error,
        "p_value": float(z_test(estimate, error)),
        "ci_lo_pp": float(lo),
        "ci_hi_pp": float(hi),
    }


def _influence(influence: Floats, clusters: Clusters) -> Row:
    known = bool(np.isfinite(influence).all())
    return {
        "cluster_id": [str(name) for name in clusters.ids] if known else [],
        "influence_pp": influence if known else np.zeros(0),
    }
