"""Metrics of shopping agents in both readings, with bootstrap intervals.

Axes: t tasks, r retailers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from models import status
from models.bootstrap_summary import percentile_interval
from models.clusters import prepare_clusters
from models.columns import Columns, families, read_rows
from models.inference import UNDEFINED, Interval
from models.ordering import Floats, Ints
from models.proportion import wilson_interval
from models.search_bootstrap import Median, Ratio, by_unit, kept_interval, resample
from models.search_sample import (
    FAMILY,
    KEYS,
    OUTCOME_INPUT,
    Sample,
    audited_figures,
    left_out_median,
    published_figures,
    read_sample,
    read_tasks,
)
from models.search_terms import (
    AUDITED_METRICS,
    FEWEST_RETAILERS,
    FEWEST_TASKS,
    HEADLINE,
    PUBLISHED_METRICS,
    REPLICATES,
    SHARES,
)
from models.tables import Row, build_table

_TEXT, _NUMBER, _COUNT = pa.string(), pa.float64(), pa.int64()
METRIC_SCHEMA = pa.schema(
    [
        *(
            pa.field(key, _TEXT, nullable=False)
            for key in (*FAMILY, "agent", "metric", "reading")
        ),
        pa.field("value", _NUMBER),
        pa.field("ci_lo", _NUMBER),
        pa.field("ci_hi", _NUMBER),
        pa.field("wilson_lo", _NUMBER),
        pa.field("wilson_hi", _NUMBER),
        pa.field("zero_as_one", _NUMBER),
        pa.field("zero_as_zero", _NUMBER),
        pa.field("n", _COUNT, nullable=False),
        pa.field("replicates", _COUNT, nullable=False),
        pa.field("undefined_replicates", _COUNT, nullable=False),
        pa.field("status", _TEXT, nullable=False),
    ]
)


def metric_table(outcomes: Columns) -> pa.Table:
    """Return every metric of every agent in both readings.

    Parameters
    ----------
    outcomes
        ``OUTCOME_INPUT``, one row for each scored task of each agent of a track's pool.
        ``shop`` is the retailer, or the store itself for the long tail.

    Returns
    -------
    pyarrow.Table
        ``METRIC_SCHEMA``, unrounded, in ascending order of the keys and then as
        ``PUBLISHED_METRICS`` and ``AUDITED_METRICS`` stand. As published, every call
        counts, one that failed as no find, and intervals are percentiles over resamples
        of tasks; resamples without a task that counts are left out and counted.
        Audited, tasks whose call failed count for nothing, and whole retailers are
        resampled; below 30 tasks or 10 retailers the status is ``too_few`` and there is
        no interval. ``failed``: tasks of the track are missing from the agent's file.
        Null with a status where there is no figure. An empty input gives an empty
        table.

    Raises
    ------
    ValueError
        Input that breaks the schema; the message names the column or the row.
    """
    rows = read_rows(outcomes, OUTCOME_INPUT, KEYS, what="search outcomes")
    found: list[Row] = []
    for family in families(rows, FAMILY):
        key = {name: family[0][name] for name in FAMILY}
        found += [{**key, **row} for row in _track_metrics(family)]
    return build_table(found, METRIC_SCHEMA)


def _track_metrics(family: Sequence[Row]) -> list[Row]:
    tasks = read_tasks(family)
    shops = prepare_clusters(_shops(family, tasks))
    agents = [(rows[0]["agent"], rows) for rows in families(family, ("agent",))]
    everything, samples = (
        {
            agent: read_sample(rows, tasks, without_failed=without_failed)
            for agent, rows in agents
        }
        for without_failed in (False, True)
    )
    published = {agent: published_figures(one) for agent, one in everything.items()}
    draws = iter(resample(_all_of(published), len(tasks)))
    audited = {
        agent: _audited(sample, shops.codes, shops.count)
        for agent, sample in samples.items()
    }
    by_shop = iter(resample(_all_of(audited), shops.count))
    found: list[Row] = []
    for agent, sample in samples.items():
        found += [
            {
                "agent": agent,
                **_published_row(name, everything[agent], one, next(draws)),
            }
            for name, one in published[agent].items()
        ]
        drawn = {name: next(by_shop) for name in audited[agent]}
        plain = audited_figures(sample)
        for name in (*PUBLISHED_METRICS, *AUDITED_METRICS):
            row = _audited_row(name, sample, plain.get(name), drawn, shops.codes)
            found.append({"agent": agent, **row})
    return found


def _zero_opportunity(value: float, n: int, tasks: int) -> tuple[float, float]:
    """Return a mean with tasks that have no opportunity counted as 1, and as 0."""
    if not tasks:
        return np.nan, np.nan
    captured = value * n if n else 0.0
    return (captured + tasks - n) / tasks, captured / tasks


def _all_of(
    figures: Mapping[str, Mapping[str, Ratio | Median]],
) -> list[Ratio | Median]:
    return [one for own in figures.values() for one in own.values()]


def _shops(family: Sequence[Row], tasks: Sequence[tuple[int, str]]) -> list[str]:
    shop = {row["task_id"]: row["shop"] for row in family}
    return [shop[task_id] for _, task_id in tasks]


def _audited(sample: Sample, shop: Ints, shops: int) -> dict[str, Ratio | Median]:
    figures: dict[str, Ratio | Median] = {
        name: by_unit(one, shop, shops) for name, one in audited_figures(sample).items()
    }
    figures["capture_leave_one_out_median"] = left_out_median(sample, shop)
    return figures


def _published_row(name: str, sample: Sample, figure: Ratio, draws: Floats) -> Row:
    n = _size(figure)
    return _row(
        name,
        "as_published",
        sample,
        figure.value,
        kept_interval(draws),
        _wilson(name, figure),
        n=n,
        undefined=int(np.isnan(draws).sum()),
        label=status.OK if n else status.TOO_FEW,
    )


def _audited_row(
    name: str,
    sample: Sample,
    figure: Ratio | None,
    drawn: Mapping[str, Floats],
    shop: Ints,
) -> Row:
    if name == "only_this_agent_count":
        return _count_row(name, sample)
    if figure is None:
        median = left_out_median(sample, shop)
        value, n, behind = median.value, len(median.values), median.unit
        wilson = UNDEFINED
    else:
        value, n = figure.value, _size(figure)
        behind = shop[figure.den > 0]
        wilson = _wilson(name, figure)
    draws = drawn[name]
    is_thin = n < FEWEST_TASKS or len(np.unique(behind)) < FEWEST_RETAILERS
    return _row(
        name,
        "audited",
        sample,
        value,
        UNDEFINED if is_thin else percentile_interval(draws),
        UNDEFINED if is_thin else wilson,
        n=n,
        undefined=int(np.isnan(draws).sum()),
        label=status.TOO_FEW if is_thin else status.OK,
    )


def _count_row(name: str, sample: Sample) -> Row:
    n = int(sample.counted.sum())
    count = float((sample.columns["only_this_agent"] * sample.counted).sum())
    return _row(
        name,
        "audited",
        sample,
        count if n else np.nan,
        UNDEFINED,
        UNDEFINED,
        n=n,
        undefined=0,
        label=status.OK if n else status.TOO_FEW,
        replicates=0,
    )


def _row(
    name: str,
    reading: str,
    sample: Sample,
    value: float,
    interval: Interval,
    wilson: Interval,
    *,
    n: int,
    undefined: int,
    label: str,
    replicates: int = REPLICATES,
) -> Row:
    as_one, as_zero = np.nan, np.nan
    if name == HEADLINE:
        as_one, as_zero = _zero_opportunity(value, n, int(sample.counted.sum()))
    figures = {
        "value": value,
        "ci_lo": interval.lo,
        "ci_hi": interval.hi,
        "wilson_lo": wilson.lo,
        "wilson_hi": wilson.hi,
        "zero_as_one": as_one,
        "zero_as_zero": as_zero,
    }
    # nothing is shown of an agent whose file lacks tasks
    if not sample.is_whole:
        figures, label = dict.fromkeys(figures, np.nan), status.FAILED
    return {
        "metric": name,
        "reading": reading,
        **figures,
        "n": n,
        "replicates": replicates,
        "undefined_replicates": undefined,
        "status": label,
    }


def _size(figure: Ratio) -> int:
    return int((figure.den > 0).sum())


def _wilson(name: str, figure: Ratio) -> Interval:
    if name not in SHARES:
        return UNDEFINED
    return wilson_interval(int(figure.num.sum()), _size(figure))
