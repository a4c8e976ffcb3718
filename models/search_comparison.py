"""Shopping agents side by side on the same products, and their ranks.

Axes: t tasks, b replicates, p pairs of agents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from models import status
from models.columns import Columns, families, read_rows
from models.inference import UNDEFINED, Interval, holm
from models.ordering import Floats
from models.paired import DETECTABLE_ERRORS, rank_intervals
from models.search_bootstrap import Ratio, kept_interval, resample, sign_test
from models.search_sample import (
    FAMILY,
    KEYS,
    OUTCOME_INPUT,
    Sample,
    audited_figures,
    read_sample,
    read_tasks,
)
from models.search_terms import COMPARED_METRICS, FEWEST_TASKS, HEADLINE
from models.tables import Row, build_table

_TEXT, _NUMBER, _COUNT = pa.string(), pa.float64(), pa.int64()
COMPARISON_SCHEMA = pa.schema(
    [
        *(
            pa.field(key, _TEXT, nullable=False)
            for key in (*FAMILY, "metric", "agent_a", "agent_b")
        ),
        pa.field("difference", _NUMBER),
        pa.field("std_error", _NUMBER),
        pa.field("ci_lo", _NUMBER),
        pa.field("ci_hi", _NUMBER),
        pa.field("p_value", _NUMBER),
        pa.field("p_adjusted", _NUMBER),
        pa.field("family_tests", _COUNT, nullable=False),
        pa.field("n_paired", _COUNT, nullable=False),
        pa.field("smallest_detectable", _NUMBER),
        pa.field("status", _TEXT, nullable=False),
    ]
)
RANK_SCHEMA = pa.schema(
    [
        *(pa.field(key, _TEXT, nullable=False) for key in (*FAMILY, "agent")),
        pa.field("rank_lo", _COUNT),
        pa.field("rank_hi", _COUNT),
        pa.field("smallest_detectable", _NUMBER),
    ]
)
_NAN = float("nan")
# what rounding leaves of a spread that is none; every figure lies between 0 and 1
_ROUNDING = 1e-12


class _Pair(NamedTuple):
    """A metric of two agents over the tasks that both answered."""

    metric: str
    agents: tuple[str, str]
    figures: tuple[Ratio, Ratio]
    label: str

    @property
    def n(self) -> int:
        a, b = self.figures
        return int(((a.den > 0) & (b.den > 0)).sum())


def comparison_table(outcomes: Columns) -> pa.Table:
    """Compare the agents of each track in pairs, adjusted for the number of pairs.

    Parameters
    ----------
    outcomes
        ``search_metrics.OUTCOME_INPUT``.

    Returns
    -------
    pyarrow.Table
        ``COMPARISON_SCHEMA``, audited, ``agent_a`` < ``agent_b``, in ascending order of
        the keys; the difference is a minus b over the tasks on which neither call
        failed. Intervals are percentiles of the differences in the same resamples of
        tasks, the error their standard deviation, and p the share of resamples on the
        other side of 0, doubled. Holm's adjustment runs over the ``family_tests`` pairs
        of one metric whose status is ``ok``. ``too_few`` below 30 shared tasks,
        ``no_variation`` where no resample sees a difference, ``failed`` where a file
        lacks tasks of the track. A difference that is the same in every resample has an
        error of 0 and an interval of one point. An empty input gives an empty table.

    Raises
    ------
    ValueError
        Input that breaks the schema; the message names the column or the row.
    """
    rows = read_rows(outcomes, OUTCOME_INPUT, KEYS, what="search outcomes to compare")
    found: list[Row] = []
    for family in families(rows, FAMILY):
        found += _compared(family)
    return build_table(found, COMPARISON_SCHEMA)


def rank_table(metrics: Columns, comparisons: Columns) -> pa.Table:
    """Rank the agents of each track on the audited headline.

    Parameters
    ----------
    metrics
        Audited rows of ``search_metrics.METRIC_SCHEMA``; others are ignored.
    comparisons
        ``COMPARISON_SCHEMA``.

    Returns
    -------
    pyarrow.Table
        ``RANK_SCHEMA``, in ascending order of the keys, one row for each agent:
        intervals that hold for all ranks of a track at once, by
        ``paired.rank_intervals``; null for an agent whose headline is not ``ok``.
        ``smallest_detectable`` is the median of that of its pairs.
    """
    keys = (*FAMILY, "agent")
    kept = _headlines(metrics)
    pairs = read_rows(
        comparisons,
        COMPARISON_SCHEMA,
        (*FAMILY, "metric", "agent_a", "agent_b"),
        what="pairs of agents",
    )
    found: list[Row] = []
    for family in families(kept, FAMILY):
        track = tuple(family[0][key] for key in FAMILY)
        mine = [
            pair
            for pair in pairs
            if pair["metric"] == HEADLINE
            and tuple(pair[key] for key in FAMILY) == track
        ]
        found += _ranked(family, mine, keys)
    return build_table(found, RANK_SCHEMA)


def _headlines(metrics: Columns) -> list[Row]:
    schema = pa.schema(
        [
            *(pa.field(key, _TEXT, nullable=False) for key in (*FAMILY, "agent")),
            pa.field("metric", _TEXT, nullable=False),
            pa.field("reading", _TEXT, nullable=False),
            pa.field("value", _NUMBER),
            pa.field("status", _TEXT, nullable=False),
        ]
    )
    keys = (*FAMILY, "agent", "metric", "reading")
    rows = read_rows(metrics, schema, keys, what="search metrics")
    return [
        row for row in rows if row["metric"] == HEADLINE and row["reading"] == "audited"
    ]


def _compared(family: Sequence[Row]) -> list[Row]:
    tasks = read_tasks(family)
    samples = [
        (rows[0]["agent"], read_sample(rows, tasks, without_failed=True))
        for rows in families(family, ("agent",))
    ]
    pairs = [
        pair
        for place, (a, first) in enumerate(samples)
        for b, second in samples[place + 1 :]
        for pair in _pairs(a, first, b, second)
    ]
    pairs.sort(key=lambda pair: (pair.metric, pair.agents))
    draws = iter(resample([one for pair in pairs for one in pair.figures], len(tasks)))
    rows = [_difference(pair, next(draws) - next(draws)) for pair in pairs]
    for metric in COMPARED_METRICS:
        own = [row for row in rows if row["metric"] == metric]
        is_member = [row["status"] == status.OK for row in own]
        p = [
            row["p_value"] if ok else _NAN
            for row, ok in zip(own, is_member, strict=True)
        ]
        for row, adjusted in zip(own, holm(np.array(p)), strict=True):
            row["p_adjusted"] = float(adjusted)
            row["family_tests"] = sum(is_member)
    key = {name: family[0][name] for name in FAMILY}
    return [{**key, **row} for row in rows]


def _pairs(a: str, first: Sample, b: str, second: Sample) -> list[_Pair]:
    both = first.counted * second.counted
    label = status.OK if first.is_whole and second.is_whole else status.FAILED
    own, other = (
        audited_figures(Sample(one.columns, both, one.is_whole))
        for one in (first, second)
    )
    return [
        _Pair(metric, (a, b), (own[metric], other[metric]), label)
        for metric in COMPARED_METRICS
    ]


def _difference(pair: _Pair, draws: Floats) -> Row:
    kept = draws[~np.isnan(draws)]
    error = float(np.std(kept, ddof=1)) if len(kept) > 1 else _NAN
    error = 0.0 if error < _ROUNDING else error
    differs = bool((np.abs(kept) > _ROUNDING).any())
    label = pair.label
    if label == status.OK and pair.n < FEWEST_TASKS:
        label = status.TOO_FEW
    elif label == status.OK and not differs:
        label = status.NO_VARIATION
    a, b = pair.figures
    is_known = differs and label != status.FAILED
    interval: Interval = kept_interval(draws) if is_known else UNDEFINED
    return {
        "metric": pair.metric,
        "agent_a": pair.agents[0],
        "agent_b": pair.agents[1],
        "difference": _NAN if label == status.FAILED else a.value - b.value,
        "std_error": error if is_known else _NAN,
        "ci_lo": interval.lo,
        "ci_hi": interval.hi,
        "p_value": sign_test(draws) if is_known else _NAN,
        "n_paired": pair.n,
        "smallest_detectable": DETECTABLE_ERRORS * error
        if is_known and error > 0
        else _NAN,
        "status": label,
    }


def _ranked(
    family: Sequence[Row], pairs: Sequence[Row], keys: Sequence[str]
) -> list[Row]:
    ranked = [row for row in family if row["status"] == status.OK]
    place = {row["agent"]: index for index, row in enumerate(ranked)}
    known = [
        pair for pair in pairs if pair["agent_a"] in place and pair["agent_b"] in place
    ]
    first, second = (
        np.array([place[pair[f"agent_{side}"]] for pair in known], dtype=np.int64)
        for side in "ab"
    )
    errors, detectable = (
        np.array([_NAN if pair[name] is None else pair[name] for pair in known])
        for name in ("std_error", "smallest_detectable")
    )
    estimate = np.array([row["value"] for row in ranked], dtype=np.float64)
    # one that never varies is certain, not undefined
    errors = np.where(errors == 0, _ROUNDING, errors)
    best, worst = rank_intervals(estimate, first, second, errors)
    found: list[Row] = []
    for row in family:
        index = place.get(row["agent"])
        is_ranked = index is not None
        own = detectable[(first == index) | (second == index)] if is_ranked else []
        own = [value for value in own if np.isfinite(value)]
        found.append(
            {
                **{key: row[key] for key in keys},
                "rank_lo": int(best[index]) if is_ranked else None,
                "rank_hi": int(worst[index]) if is_ranked else None,
                "smallest_detectable": float(np.median(own)) if own else _NAN,
            }
        )
    return found
