"""Ranks of models by a bootstrapped statistic, and how stable their order is.

Axes: b replicates, m models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from models import status
from models.bootstrap_summary import Ranks, percentile_interval, rank_models
from models.columns import Columns, families, read_rows
from models.hotel_bootstrap import BOOTSTRAP_SCHEMA
from models.hotel_terms import AUDITED, HEADLINE_ATTRIBUTE, LOG, SPECIFICATIONS
from models.inference import Interval, contains_zero
from models.ordering import Floats
from models.tables import Row, build_table

VERDICT_INPUT = pa.schema(
    [
        pa.field("study_id", pa.string(), nullable=False),
        pa.field("model_id", pa.string(), nullable=False),
        pa.field("engaged", pa.bool_(), nullable=False),
        pa.field("locked", pa.bool_(), nullable=False),
    ]
)
_TEXT, _NUMBER, _COUNT = pa.string(), pa.float64(), pa.int64()
_FAMILY = ("study_id", "reading", "specification", "statistic")
RANK_COLUMNS = (
    "rank",
    "rank_lo",
    "rank_hi",
    "first_share",
    "bottom_two_share",
    "bottom_three_share",
)
RANK_SCHEMA = pa.schema(
    [
        *(pa.field(name, _TEXT, nullable=False) for name in _FAMILY),
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
        pa.field("model_id", pa.list_(_TEXT), nullable=False),
        pa.field("model_status", pa.list_(_TEXT), nullable=False),
        *(pa.field(name, pa.list_(_NUMBER), nullable=False) for name in RANK_COLUMNS),
    ]
)


@dataclass(frozen=True, slots=True)
class Statistic:
    """One statistic of one model.

    Attributes
    ----------
    row
        Its columns of ``BOOTSTRAP_SCHEMA``, the status being final.
    order
        Shape (b + 1,), what the model is ranked by, largest first: in the full sample,
        then in each replicate. None for a model that is not ranked.
    """

    row: Row
    order: Floats | None


class _Verdict(NamedTuple):
    engaged: bool
    locked: bool


def bootstrap_rank_table(bootstraps: pa.Table, verdicts: Columns) -> pa.Table:
    """Rank models by bootstrapped statistics, within each study and reading.

    As published (Kireyev 2026): models that are engaged, by absolute price coefficient,
    and by willingness to pay where both full-sample p-values are below 0.001. Audited:
    every model whose status is ``ok``, price coefficients from the most negative.

    Parameters
    ----------
    bootstraps
        Rows of ``hotel_bootstrap.BOOTSTRAP_SCHEMA``: whole studies, since ranks are
        those of a study.
    verdicts
        ``VERDICT_INPUT``, one row for each model: ``engaged`` (the published verdict
        lets it take part), ``locked`` (the audited verdict on two options is a locked
        slot).

    Returns
    -------
    pyarrow.Table
        ``RANK_SCHEMA``, one row for each statistic, in ascending order of study,
        reading, form and statistic. How stable the order of the ranked models is: mean
        over replicates of Spearman's correlation with the full-sample ranks; largest
        over smallest of the values ranked by, with median and 95 % interval over the
        replicates in which the smallest is positive (the others are counted); pairs of
        models with an interval, and those whose intervals do not overlap. Null where
        fewer than two models are ranked. Lists hold one entry for each model, by
        ``model_id``: its status (``locked`` for a locked model and an interval that
        contains 0), its rank with a 95 % interval, and the shares of replicates in
        which it was surely first and surely among the last two and three; null where it
        is not ranked. An empty input gives an empty table.

    Raises
    ------
    ValueError
        A missing column, a row or verdict that stands twice, or no verdict for a model.
    """
    listed = read_rows(
        verdicts, VERDICT_INPUT, VERDICT_INPUT.names[:2], what="verdicts"
    )
    known = {
        (row["study_id"], row["model_id"]): _Verdict(row["engaged"], row["locked"])
        for row in listed
    }
    plain = bootstraps.drop_columns("draws").append_column(
        "place", pa.array(range(bootstraps.num_rows), _COUNT)
    )
    rows = read_rows(plain, _ROWS, (*_FAMILY, "model_id"), what="bootstraps")
    draws = bootstraps["draws"].combine_chunks()
    found = []
    for family in families(rows, _FAMILY):
        statistics = [_statistic(row, draws, known) for row in family]
        found.append(_rank_row(statistics))
    return build_table(found, RANK_SCHEMA)


_ROWS = pa.schema(
    [*list(BOOTSTRAP_SCHEMA)[:-1], pa.field("place", _COUNT, nullable=False)]
)
_PRICE_TERMS = {form.price_term for form in SPECIFICATIONS}


def _statistic(
    row: Row, draws: Any, known: dict[tuple[str, str], _Verdict]
) -> Statistic:
    key = row["study_id"], row["model_id"]
    if key not in known:
        raise ValueError(f"verdicts: none for {' '.join(key)}; give each model one row")
    audited = row["reading"] == AUDITED.name
    label = row["status"]
    ends = row["ci_lo"], row["ci_hi"]
    if (
        audited
        and known[key].locked
        and None not in ends
        and contains_zero(Interval(*ends))
    ):
        label = status.worst((label, status.LOCKED))
    is_ranked = label == status.OK and (
        audited or (known[key].engaged and _is_ranked_as_published(row))
    )
    order = None
    if is_ranked:
        values = draws[row["place"]].values.to_numpy(zero_copy_only=False)
        both = np.append(row["point"], values)
        if row["statistic"] in _PRICE_TERMS:
            both = -both if audited else np.abs(both)
        order = both
    return Statistic({**row, "status": label}, order)


def _is_ranked_as_published(row: Row) -> bool:
    if row["statistic"] == LOG.price_term:
        return True
    return row["statistic"] != HEADLINE_ATTRIBUTE and bool(row["p_identified"])


def _rank_row(statistics: Sequence[Statistic]) -> Row:
    keys = [one.order for one in statistics if one.order is not None]
    ranks = None
    if keys:
        matrix = np.column_stack(keys)
        ranks = rank_models(matrix[0], matrix[1:])
    first = statistics[0].row
    return {
        **{name: first[name] for name in _FAMILY},
        **_stability(statistics, keys, ranks),
        "model_id": [one.row["model_id"] for one in statistics],
        "model_status": [one.row["status"] for one in statistics],
        **_by_model(statistics, ranks),
    }


def _by_model(statistics: Sequence[Statistic], ranks: Ranks | None) -> Row:
    """Spread what is known of the ranked models over all models."""
    lists = {name: np.full(len(statistics), np.nan) for name in RANK_COLUMNS}
    if ranks is None:
        return lists
    m = len(ranks.point)
    found = {
        "rank": ranks.point,
        "rank_lo": ranks.lo,
        "rank_hi": ranks.hi,
        "first_share": (ranks.worst <= 1).mean(axis=0),
        "bottom_two_share": (ranks.best >= m - 1).mean(axis=0),
        "bottom_three_share": (ranks.best >= m - 2).mean(axis=0),
    }
    ranked = np.array([one.order is not None for one in statistics])
    for name, values in found.items():
        lists[name][ranked] = values
    return lists


def _stability(
    statistics: Sequence[Statistic], keys: Sequence[Floats], ranks: Ranks | None
) -> Row:
    ranked = [one.row for one in statistics if one.order is not None]
    pairs = count_disjoint([Interval(row["ci_lo"], row["ci_hi"]) for row in ranked])
    spread, undefined = _spread(keys)
    correlation = np.nan
    if ranks is not None and len(keys) > 1 and ranks.correlation.size:
        correlation = float(ranks.correlation.mean())
    return {
        "models": len(keys),
        "replicates": statistics[0].row["replicates"],
        "mean_spearman": correlation,
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
