"""Bootstrap of the two-option hotel logits, model by model.

Axes: b replicates, c pairs of hotels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from models import status
from models.bootstrap import Replicates, bootstrap
from models.bootstrap_draws import REPLICATES, Counts, draw_counts
from models.bootstrap_summary import percentile_interval
from models.clusters import carrying_clusters
from models.columns import Columns, read_rows
from models.hotel_choices import HotelChoices, read_choices
from models.hotel_logit import FEWEST_CARRYING_CLUSTERS, FEWEST_CLUSTERS
from models.hotel_plan import BASE_VARIANT, BOOTSTRAPPED, HotelFit, layout
from models.hotel_sample import Sample, design_array, take_sample
from models.hotel_terms import (
    ATTRIBUTES,
    AUDITED,
    BINARY,
    HEADLINE_ATTRIBUTE,
    figure_name,
    worth_name,
)
from models.hotel_wtp import IDENTIFIED_P, worth
from models.inference import Interval, contains_zero, z_test
from models.ordering import Floats, Ints
from models.tables import Row, build_table
from models.workers import in_workers

PAIRS_INPUT = pa.schema(
    [
        pa.field("study_id", pa.string(), nullable=False),
        pa.field("group_id", pa.int64(), nullable=False),
    ]
)
_TEXT, _NUMBER, _COUNT = pa.string(), pa.float64(), pa.int64()
_FIELDS = [
    pa.field("study_id", _TEXT, nullable=False),
    pa.field("model_id", _TEXT, nullable=False),
    pa.field("input_fingerprint", _TEXT, nullable=False),
    pa.field("statistic", _TEXT, nullable=False),
    pa.field("specification", _TEXT, nullable=False),
    pa.field("reading", _TEXT, nullable=False),
    pa.field("point", _NUMBER),
    pa.field("ci_lo", _NUMBER),
    pa.field("ci_hi", _NUMBER),
    pa.field("replicates", _COUNT, nullable=False),
    pa.field("failed_replicates", _COUNT, nullable=False),
    pa.field("separated_replicates", _COUNT, nullable=False),
    pa.field("p_identified", pa.bool_()),
    pa.field("status", _TEXT, nullable=False),
]
_DRAWS = pa.field("draws", pa.list_(_NUMBER), nullable=False)
BOOTSTRAP_SCHEMA = pa.schema([*_FIELDS, _DRAWS])


class _Values(NamedTuple):
    """A statistic in the full sample and in each replicate, and what it rests on."""

    point: float
    draws: Floats
    status: str


def bootstrapped_terms(fit: HotelFit) -> tuple[str, str]:
    """Return the terms whose coefficients are bootstrapped, the price first."""
    return fit.specification.price_term, HEADLINE_ATTRIBUTE


def bootstrapped_attributes(fit: HotelFit) -> tuple[str, ...]:
    """Return the attributes whose worth in dollars is bootstrapped."""
    return ATTRIBUTES if fit.design is AUDITED else (HEADLINE_ATTRIBUTE,)


def bootstrap_table(
    columns: pa.Table | Mapping[str, npt.ArrayLike], pairs: Columns, *, workers: int = 1
) -> pa.Table:
    """Bootstrap the base answers of models by pair of hotels.

    As published (Kireyev 2026): 500 replicates of the log form; price and review
    coefficient, and review over the absolute price coefficient times $250. Audited:
    2,000 replicates of both forms; willingness to pay for all attributes, which keeps
    its sign. All models of a study share the draws.

    Parameters
    ----------
    columns
        Long table of two-option answers as for ``hotel_choices.read_choices``, in the
        layout of ``hotel_plan.BOOTSTRAPPED``. Variants other than base are left out.
    pairs
        ``PAIRS_INPUT``: the pairs of hotels of each study's bank, which are drawn from.
    workers
        Processes that share the models; see ``workers.in_workers``.

    Returns
    -------
    pyarrow.Table
        ``BOOTSTRAP_SCHEMA``, in ascending order of study and model, then reading, form
        and statistic in a fixed order. ``draws`` is the statistic in each replicate:
        infinite where it is separated and runs to that side, null where its place is
        unknown. Both are counted in ``failed_replicates`` and stay in, the second at
        whichever end widens the interval; with 2.5 % of them at one end the interval is
        null and the status says why. Audited: ``too_few`` below 30 pairs, ``weak`` for
        a term carried by fewer than 10 pairs and for a willingness to pay whose price
        interval contains 0 or is undefined. ``p_identified``: price and review score
        both have p below 0.001 in the full sample, null where one has none. Input order
        changes nothing, nor does another model. No answers give an empty table.

    Raises
    ------
    ValueError
        Input that breaks the contract of ``read_choices``, or an answer to a pair that
        its study does not list.
    """
    rows: list[Row] = []
    draws: list[Floats] = []
    listed = _by_study(pairs)
    jobs = (
        (choices, listed.get(choices.study_id, np.zeros(0, dtype=np.int64)))
        for choices in read_choices(columns, layout(BOOTSTRAPPED, BINARY.name))
        if choices.variant == BASE_VARIANT
    )
    for found in in_workers(_model, jobs, workers):
        for row, values in found:
            rows.append(row)
            draws.append(values)
    table = build_table(rows, pa.schema(_FIELDS))
    return table.append_column(_DRAWS, _draws_column(draws))


def _by_study(pairs: Columns) -> dict[str, Ints]:
    rows = read_rows(pairs, PAIRS_INPUT, PAIRS_INPUT.names, what="pairs")
    found: dict[str, list[int]] = {}
    for row in rows:
        found.setdefault(row["study_id"], []).append(row["group_id"])
    return {study: np.array(ids, dtype=np.int64) for study, ids in found.items()}


def _draws_column(draws: list[Floats]) -> pa.Array:
    offsets = np.concatenate([[0], np.cumsum([len(values) for values in draws])])
    flat = np.concatenate([np.zeros(0), *draws])
    numbers = pa.array(flat, _NUMBER, mask=np.isnan(flat))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), numbers)


# draws of a bank are the same for all its models; two sizes, for two readings
@lru_cache(maxsize=2)
def _counts(replicates: int, pairs: int) -> Counts:
    return draw_counts(replicates, pairs)


def _model(job: tuple[HotelChoices, Ints]) -> list[tuple[Row, Floats]]:
    return list(_statistics_of(*job))


def _statistics_of(choices: HotelChoices, pairs: Ints) -> Iterator[tuple[Row, Floats]]:
    unknown = np.setdiff1d(choices.group_ids, pairs)
    if len(unknown):
        raise ValueError(
            f"pairs: {choices.study_id} does not list pair {unknown[0]}, which "
            f"{choices.model_id} answered; list every pair of its bank"
        )
    samples: dict[str, Sample] = {}
    for fit in BOOTSTRAPPED:
        column = fit.design.chosen_column
        if column not in samples:
            samples[column] = take_sample([choices], column, drops_listing=False)
        sample, counts = (
            samples[column],
            _counts(REPLICATES[fit.design.name], len(pairs)),
        )
        places = np.searchsorted(pairs, sample.clusters.ids)
        x = design_array(sample, fit)
        replicates = bootstrap(
            x, sample.chosen, places[sample.clusters.codes], counts, order_terms=1
        )
        labels = _term_status(replicates, x, sample, fit)
        identified = _identified(replicates, fit)
        for name, values in _statistics(replicates, labels, fit):
            row = _row(choices, fit, name, values, replicates)
            yield {**row, "p_identified": identified}, values.draws


def _term_status(
    replicates: Replicates, x: Floats, sample: Sample, fit: HotelFit
) -> dict[str, str]:
    """Return the status of each term, lowered where it rests on too few pairs."""
    found = dict(zip(fit.terms, replicates.point.term_status, strict=True))
    if fit.design is not AUDITED:
        return found
    carrying = carrying_clusters(x[:, 0] != x[:, 1], sample.clusters)
    few = [status.TOO_FEW] * (sample.clusters.count < FEWEST_CLUSTERS)
    return {
        term: status.worst(
            (label, *few, *[status.WEAK] * bool(carried < FEWEST_CARRYING_CLUSTERS))
        )
        for (term, label), carried in zip(found.items(), carrying, strict=True)
    }


def _identified(replicates: Replicates, fit: HotelFit) -> bool | None:
    """Say whether both coefficients pass the published screen; None if one can't."""
    point = replicates.point
    tests = dict(zip(fit.terms, z_test(point.estimate, point.std_error), strict=True))
    p_values = [float(tests[term]) for term in bootstrapped_terms(fit)]
    return None if np.isnan(p_values).any() else max(p_values) < IDENTIFIED_P


def _statistics(
    replicates: Replicates, labels: dict[str, str], fit: HotelFit
) -> Iterator[tuple[str, _Values]]:
    """Yield what is derived from one fit, always the same in one order."""
    draws = dict(zip(fit.terms, replicates.estimate.T, strict=True))
    point = dict(zip(fit.terms, replicates.point.estimate.tolist(), strict=True))
    form, price = fit.specification, fit.specification.price_term
    for term in bootstrapped_terms(fit):
        values = _Values(point[term], draws[term], labels[term])
        yield figure_name(term, form), values
    audited = fit.design is AUDITED
    interval = percentile_interval(draws[price])
    # a price response of unknown sign makes every ratio to it doubtful
    doubt = [status.WEAK] * bool(
        audited and (np.isnan(interval.lo) or contains_zero(interval))
    )
    for attribute in bootstrapped_attributes(fit):
        above = np.append(point[attribute], draws[attribute])
        below = np.append(point[price], draws[price])
        value = worth(above, below, form, audited=audited)
        label = status.worst((labels[price], labels[attribute], *doubt))
        yield worth_name(attribute, form), _Values(float(value[0]), value[1:], label)


def _row(
    choices: HotelChoices,
    fit: HotelFit,
    name: str,
    values: _Values,
    replicates: Replicates,
) -> Row:
    interval = percentile_interval(values.draws)
    return {
        "study_id": choices.study_id,
        "model_id": choices.model_id,
        "input_fingerprint": choices.input_fingerprint,
        "statistic": name,
        "specification": fit.specification.name,
        "reading": fit.design.name,
        "point": values.point,
        "ci_lo": interval.lo,
        "ci_hi": interval.hi,
        "replicates": len(values.draws),
        "failed_replicates": replicates.failed,
        "separated_replicates": replicates.status.count(status.SEPARATED),
        "status": _status(values, interval, replicates),
    }


def _status(values: _Values, interval: Interval, replicates: Replicates) -> str:
    reasons = [values.status]
    if not np.isfinite(values.point):
        reasons.append(status.WEAK)
    elif np.isnan(interval.lo):
        reasons.append(status.worst((status.WEAK, *replicates.status)))
    return status.worst(reasons)
