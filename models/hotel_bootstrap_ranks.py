"""Ranks of models by a bootstrapped statistic, and how stable their order is.

Axes: b replicates, m models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from models.bootstrap_summary import Ranks, percentile_interval, rank_models
from models.inference import Interval
from models.ordering import Floats
from models.tables import Row

_TEXT, _NUMBER, _COUNT = pa.string(), pa.float64(), pa.int64()
STABILITY_SCHEMA = pa.schema(
    [
        pa.field("study_id", _TEXT, nullable=False),
        pa.field("statistic", _TEXT, nullable=False),
        pa.field("specification", _TEXT, nullable=False),
        pa.field("reading", _TEXT, nullable=False),
        pa.field("models", _COUNT, nullable=False),
        pa.field("replicates", _COUNT, nullable=False),
        pa.field("mean_spearman", _NUMBER),
        pa.field("spread", _NUMBER),
        pa.field("spread_median", _NUMBER),
        pa.field("spread_lo", _NUMBER),
        pa.field("spread_hi", _NUMBER),
        pa.field("spread_undefined_replicates", _COUNT, nullable=False),
        pa.field("interval_pairs", _COUNT, nullable=False),
        pa.field("disjoint_interval_pairs", _COUNT, nullable=False),
    ]
)
RANK_COLUMNS = (
    "rank",
    "rank_lo",
    "rank_hi",
    "first_share",
    "bottom_two_share",
    "bottom_three_share",
)


@dataclass(frozen=True, slots=True)
class Statistic:
    """One statistic of one model.

    Attributes
    ----------
    row
        Columns of the result apart from the ranks.
    draws
        Shape (b,), the statistic in each replicate.
    order
        Shape (b + 1,), what the model is ranked by, largest first: in the full sample,
        then in each replicate. None for a model that is not ranked.
    """

    row: Row
    draws: Floats
    order: Floats | None


class Ranked(NamedTuple):
    """Rows with ranks, and the ranks of those that have one (None without any)."""

    rows: list[Row]
    ranks: Ranks | None


def add_ranks(statistics: Sequence[Statistic]) -> Ranked:
    """Rank the models that may be ranked, in the full sample and in every replicate.

    Parameters
    ----------
    statistics
        The same statistic of each model.

    Returns
    -------
    Ranked
        The rows with the columns ``RANK_COLUMNS``: rank with its 95 % interval, and the
        share of replicates in which the model was surely first and surely among the
        last two and three. All are NaN for a model that is not ranked.
    """
    keys = [one.order for one in statistics if one.order is not None]
    undefined: Row = dict.fromkeys(RANK_COLUMNS, np.nan)
    if not keys:
        return Ranked([{**one.row, **undefined} for one in statistics], None)
    matrix = np.column_stack(keys)
    ranks = rank_models(matrix[0], matrix[1:])
    m = len(keys)
    columns = {
        "rank": ranks.point,
        "rank_lo": ranks.lo,
        "rank_hi": ranks.hi,
        "first_share": (ranks.worst <= 1).mean(axis=0),
        "bottom_two_share": (ranks.best >= m - 1).mean(axis=0),
        "bottom_three_share": (ranks.best >= m - 2).mean(axis=0),
    }
    place = iter(range(m))
    rows = []
    for one in statistics:
        own = undefined
        if one.order is not None:
            model = next(place)
            own = {name: float(column[model]) for name, column in columns.items()}
        rows.append({**one.row, **own})
    return Ranked(rows, ranks)


def stability_row(statistics: Sequence[Statistic], ranks: Ranks | None) -> Row:
    """Sum up how stable the order of the ranked models is.

    Parameters
    ----------
    statistics
        The same statistic of each model, at least one.
    ranks
        Ranks of those that have one.

    Returns
    -------
    dict
        A row of ``STABILITY_SCHEMA``: mean over replicates of Spearman's correlation
        with the full-sample ranks; largest over smallest of the values
        ranked by, with median and 95 %
        interval over the replicates in which the smallest is positive (the others are
        counted); pairs of models with an interval, and those whose intervals do not
        overlap. Null where fewer than two models are ranked.
    """
    first = statistics[0]
    ranked = [one for one in statistics if one.order is not None]
    intervals = [Interval(one.row["ci_lo"], one.row["ci_hi"]) for one in ranked]
    pairs = count_disjoint(intervals)
    keys = [one.order for one in ranked if one.order is not None]
    spread, undefined = _spread(keys)
    known = ranks is not None and len(ranked) > 1 and ranks.correlation.size > 0
    return {
        **{
            name: first.row[name]
            for name in ("study_id", "statistic", "specification", "reading")
        },
        "models": len(ranked),
        "replicates": len(first.draws),
        "mean_spearman": float(ranks.correlation.mean())
        if ranks is not None and known
        else np.nan,
        **spread,
        "spread_undefined_replicates": undefined,
        "interval_pairs": pairs.defined,
        "disjoint_interval_pairs": pairs.disjoint,
    }


class Pairs(NamedTuple):
    """Pairs of intervals, and those that do not overlap."""

    defined: int
    disjoint: int


def count_disjoint(intervals: Sequence[Interval]) -> Pairs:
    """Count pairs of intervals and those without a common point.

    Parameters
    ----------
    intervals
        One for each model; undefined ones are left out of both counts.

    Returns
    -------
    Pairs
        Of m defined intervals m (m - 1) / 2 pairs.
    """
    defined = [one for one in intervals if not np.isnan(one.lo)]
    disjoint = sum(a.hi < b.lo or b.hi < a.lo for a, b in combinations(defined, 2))
    return Pairs(len(defined) * (len(defined) - 1) // 2, disjoint)


def _spread(keys: Sequence[Floats]) -> tuple[dict[str, float], int]:
    """Return largest over smallest value and the number of replicates without it."""
    names = ("spread", "spread_median", "spread_lo", "spread_hi")
    if len(keys) < 2:
        return dict.fromkeys(names, np.nan), 0
    matrix = np.column_stack(keys)
    # a replicate with a value of unknown place has no spread either
    least, most = matrix.min(axis=1), matrix.max(axis=1)
    positive = (least > 0) & np.isfinite(most)
    ratios = np.where(positive, most, np.nan) / np.where(positive, least, np.nan)
    draws = ratios[1:][positive[1:]]
    lo, hi = percentile_interval(draws)
    median = float(np.median(draws)) if len(draws) else np.nan
    values = dict(zip(names, (float(ratios[0]), median, lo, hi), strict=True))
    return values, int((~positive[1:]).sum())
