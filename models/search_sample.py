"""The scored tasks of a shopping agent, laid out for every metric.

Axes: t tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from models.ordering import Floats, Ints
from models.search_bootstrap import Median, Ratio
from models.search_terms import PUBLISHED_METRICS
from models.tables import Row

_TEXT, _NUMBER, _COUNT, _FLAG = pa.string(), pa.float64(), pa.int64(), pa.bool_()
FAMILY = ("study_id", "scenario", "track")
KEYS = (*FAMILY, "agent", "task_id")
OUTCOME_INPUT = pa.schema(
    [
        *(pa.field(key, _TEXT, nullable=False) for key in KEYS),
        pa.field("position", _COUNT, nullable=False),
        pa.field("shop", _TEXT, nullable=False),
        pa.field("is_failed", _FLAG, nullable=False),
        pa.field("scored_tasks", _COUNT, nullable=False),
        pa.field("capture", _NUMBER),
        pa.field("found", _NUMBER, nullable=False),
        pa.field("success", _FLAG, nullable=False),
        pa.field("recall", _FLAG, nullable=False),
        pa.field("savings_total_usd", _NUMBER, nullable=False),
        pa.field("opportunity_total_usd", _NUMBER, nullable=False),
        pa.field("loo_capture", _NUMBER),
        pa.field("loo_opportunity_total_usd", _NUMBER),
        pa.field("only_this_agent", _FLAG, nullable=False),
        pa.field("capture_bound_lo", _NUMBER),
        pa.field("capture_bound_hi", _NUMBER),
    ]
)


@dataclass(frozen=True, slots=True)
class Sample:
    """The scored tasks of one agent, laid out over those of its track.

    Attributes
    ----------
    columns
        Name -> shape (t,); 0 where the agent has no row, NaN where a value is null.
    counted
        Shape (t,), 1 for a task that counts and 0 for others.
    is_whole
        Whether every scored task of the track has a row.
    """

    columns: Mapping[str, Floats]
    counted: Floats
    is_whole: bool

    def ratio(self, num: str, den: str | None = None) -> Ratio:
        """Return a mean over the tasks on which ``num`` and ``den`` are defined."""
        above = self.columns[num]
        below = np.ones(len(above)) if den is None else self.columns[den]
        counts = (self.counted > 0) & ~np.isnan(above) & ~np.isnan(below)
        return Ratio(np.where(counts, above, 0.0), np.where(counts, below, 0.0))

    def only(self, where: str) -> Sample:
        """Return the sample with the tasks alone on which a column is defined."""
        defined = ~np.isnan(self.columns[where])
        return Sample(self.columns, self.counted * defined, self.is_whole)


def read_tasks(family: Sequence[Row]) -> list[tuple[int, str]]:
    """Return position and id of a track's tasks, in the order in which they are drawn.

    Parameters
    ----------
    family
        Rows of ``OUTCOME_INPUT`` of one track.

    Returns
    -------
    list of tuple
        Ascending, each task once.
    """
    return sorted({(row["position"], row["task_id"]) for row in family})


def read_sample(
    rows: Sequence[Row], tasks: Sequence[tuple[int, str]], *, without_failed: bool
) -> Sample:
    """Lay out one agent's tasks.

    Parameters
    ----------
    rows
        The rows of one agent.
    tasks
        Length t: all tasks of the track, as ``read_tasks`` returns them.
    without_failed
        Whether tasks whose call failed count for nothing.

    Returns
    -------
    Sample
        In the order of ``tasks``.
    """
    place = {task_id: index for index, (_, task_id) in enumerate(tasks)}
    names = [
        field.name
        for field in OUTCOME_INPUT
        if pa.types.is_floating(field.type) or pa.types.is_boolean(field.type)
    ]
    columns = {name: np.zeros(len(tasks)) for name in names}
    counted = np.zeros(len(tasks))
    for row in rows:
        index = place[row["task_id"]]
        counted[index] = float(not (without_failed and row["is_failed"]))
        for name in names:
            value = row[name]
            columns[name][index] = np.nan if value is None else float(value)
    return Sample(columns, counted, len(rows) == rows[0]["scored_tasks"])


def published_figures(sample: Sample) -> dict[str, Ratio]:
    """Return the metrics of the source: means over tasks.

    Parameters
    ----------
    sample
        One agent.

    Returns
    -------
    dict
        Metric -> mean over the tasks with an opportunity (capture and recall) or over
        all.
    """
    means = (
        sample.ratio("capture"),
        sample.ratio("found"),
        sample.ratio("success"),
        sample.only("capture").ratio("recall"),
        sample.ratio("recall"),
    )
    return dict(zip(PUBLISHED_METRICS, means, strict=True))


def audited_figures(sample: Sample) -> dict[str, Ratio]:
    """Return the audited metrics that are means or ratios of sums.

    Parameters
    ----------
    sample
        One agent, without failed calls.

    Returns
    -------
    dict
        Metric -> figure. Sums are of dollars for the quantity of the reference, so that
        per-unit amounts add up.
    """
    return {
        **published_figures(sample),
        "capture_ratio_of_sums": sample.ratio(
            "savings_total_usd", "opportunity_total_usd"
        ),
        "capture_bound_lo": sample.ratio("capture_bound_lo"),
        "capture_bound_hi": sample.ratio("capture_bound_hi"),
        "capture_leave_one_out_ratio_of_sums": sample.ratio(
            "savings_total_usd", "loo_opportunity_total_usd"
        ),
    }


def left_out_median(sample: Sample, shop: Ints) -> Median:
    """Return the median capture against the best of the other agents.

    Parameters
    ----------
    sample
        One agent.
    shop
        Shape (t,), the retailer of each task.

    Returns
    -------
    Median
        Over the tasks on which another agent found something cheaper.
    """
    alone = sample.columns["loo_capture"]
    defined = (sample.counted > 0) & ~np.isnan(alone)
    return Median(alone[defined], shop[defined])
