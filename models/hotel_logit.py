"""Hotel choice models of many models: long answers in, one row for each fit out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from models import status
from models.bootstrap_blas import one_thread
from models.choice_data import ChoiceData, choice_data
from models.clusters import Clusters, carrying_clusters, cluster_sums
from models.conditional_logit import LogitFit, fit
from models.covariance import cluster_covariance, twoway_covariance_of_cells
from models.hotel_choices import HotelChoices, read_choices
from models.hotel_plan import (
    BASE_VARIANT,
    FORMAT_COLUMN,
    TWO_OPTION_PRICES,
    HotelFit,
    Plan,
    formats,
    layout,
)
from models.hotel_sample import Sample, design_array, take_sample
from models.hotel_terms import BINARY, Design
from models.inference import aic, mere_rounding, normal_interval, pseudo_r2, z_test
from models.ordering import Bools, Floats
from models.tables import Row, build_table
from models.workers import in_workers

BLOCK = BINARY.name
# fewer groups than the first: the clustered error of the whole fit is not to be relied
# on; fewer groups that carry a term than the second: that of the term is not
FEWEST_CLUSTERS = 30
FEWEST_CARRYING_CLUSTERS = 10

_NUMBER = pa.float64()
_NUMBERS = pa.list_(pa.float64())
_TEXTS = pa.list_(pa.string())
FIT_SCHEMA = pa.schema(
    [
        pa.field("study_id", pa.string(), nullable=False),
        pa.field("model_id", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("input_fingerprint", pa.string(), nullable=False),
        pa.field("block", pa.string(), nullable=False),
        pa.field("specification", pa.string(), nullable=False),
        pa.field("design", pa.string(), nullable=False),
        pa.field("n", pa.int64(), nullable=False),
        pa.field("clusters", pa.int64(), nullable=False),
        pa.field("log_likelihood", _NUMBER),
        pa.field("null_log_likelihood", _NUMBER),
        pa.field("pseudo_r2", _NUMBER),
        pa.field("aic", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
        pa.field("iterations", pa.int64(), nullable=False),
        pa.field("term", _TEXTS, nullable=False),
        pa.field("estimate", _NUMBERS, nullable=False),
        pa.field("std_error", _NUMBERS, nullable=False),
        pa.field("cluster_std_error", _NUMBERS, nullable=False),
        pa.field("twoway_std_error", _NUMBERS, nullable=False),
        pa.field("p_value", _NUMBERS, nullable=False),
        pa.field("ci_lo", _NUMBERS, nullable=False),
        pa.field("ci_hi", _NUMBERS, nullable=False),
        pa.field("term_status", _TEXTS, nullable=False),
        pa.field("covariance", _NUMBERS, nullable=False),
        pa.field("cluster_covariance", _NUMBERS, nullable=False),
        pa.field("cluster_id", _TEXTS, nullable=False),
        pa.field("cluster_influence", _NUMBERS, nullable=False),
    ]
)


def fit_table(
    columns: pa.Table | Mapping[str, npt.ArrayLike], plan: Plan = TWO_OPTION_PRICES
) -> pa.Table:
    """Fit every choice model of a plan to the answers of every model.

    As published (Kireyev 2026): two options with an intercept for option A, more
    options and pooled formats without constants; errors from the inverse information.
    Audited: slot terms and no intercept, valid answers only, errors clustered by group
    of hotels. Other designs put the published terms on other answers.

    Parameters
    ----------
    columns
        Long table of answers, one row for each option; see ``read_choices``. A plan
        with several formats also needs a column ``format``.
    plan
        What is fitted; by default the two price forms of two-option answers.

    Returns
    -------
    pyarrow.Table
        ``FIT_SCHEMA``, in ascending order of study, model and variant, then in the
        order of the plan; a fit whose formats the model was not asked has no row. List
        columns hold one entry for each term, matrices row by row. What could not be
        estimated is null with a status: a fit without answers is ``too_few`` with
        n = 0; under separation ``log_likelihood`` is the limit, and the fit measures
        are null. In the audited design fewer than 30 groups make the fit and its terms
        ``too_few``, and a term that varies in fewer than 10 groups, or whose errors
        cancel in every group, or any term when the two-way matrix is not positive, is
        ``weak``; as published fewer answers than the source asks for are ``too_few``;
        estimates stand. Where a fit keeps them,
        ``cluster_influence`` holds the influence of each of ``cluster_id`` on each
        term. Input order changes nothing. An empty input gives an empty table.

    Raises
    ------
    ValueError
        Input that breaks the contract of ``read_choices``.
    """
    rows: list[Row] = []
    # a second thread gains nothing on products this thin and takes turns with whoever
    # else works on the machine
    with one_thread():
        for answers in _by_model(columns, plan):
            rows += _fit_model(answers, plan)
    return build_table(rows, FIT_SCHEMA)


def _fit_model(answers: dict[str, HotelChoices], plan: Plan) -> Iterator[Row]:
    samples: dict[tuple[str, str, bool], Sample] = {}
    for wanted in plan:
        parts = [answers[n] for n in wanted.block.formats if n in answers]
        if not parts or (wanted.is_base_only and parts[0].variant != BASE_VARIANT):
            continue
        column = wanted.design.chosen_column
        drops = wanted.specification.drops_listing
        key = wanted.block.name, column, drops
        if key not in samples:
            samples[key] = take_sample(parts, column, drops_listing=drops)
        yield _fit_row(samples[key], wanted)


def fit_tables(tables: Iterable[pa.Table], plan: Plan, *, workers: int = 1) -> pa.Table:
    """Fit a plan to one table of answers after the other.

    Parameters
    ----------
    tables
        Long tables as for ``fit_table``, no model in two of them; taken one by one, so
        that a generator keeps few in memory.
    plan
        What is fitted.
    workers
        Processes that share the tables; see ``workers.in_workers``.

    Returns
    -------
    pyarrow.Table
        ``FIT_SCHEMA``, in the order of the tables; empty without any.

    Raises
    ------
    ValueError
        Input that breaks the contract of ``read_choices``.
    """
    fits = in_workers(partial(fit_table, plan=plan), tables, workers)
    return pa.concat_tables([FIT_SCHEMA.empty_table(), *fits])


def _by_model(
    columns: pa.Table | Mapping[str, npt.ArrayLike], plan: Plan
) -> Iterator[dict[str, HotelChoices]]:
    """Yield the answers of each model, study and variant by format."""
    wanted = formats(plan)
    found: dict[tuple[str, str, str], dict[str, HotelChoices]] = {}
    for name in wanted:
        part = columns if len(wanted) == 1 else _of_format(columns, name)
        for choices in read_choices(part, layout(plan, name)):
            found.setdefault(choices.key, {})[name] = choices
    for key in sorted(found):
        yield found[key]


def _of_format(columns: pa.Table | Mapping[str, npt.ArrayLike], name: str) -> pa.Table:
    table = columns if isinstance(columns, pa.Table) else pa.table(dict(columns))
    if FORMAT_COLUMN not in table.column_names:
        raise ValueError(
            f"hotel answers: no column {FORMAT_COLUMN!r}; add it to the input"
        )
    return table.filter(pc.equal(table[FORMAT_COLUMN], name))


def _fit_row(sample: Sample, wanted: HotelFit) -> Row:
    design = wanted.design
    data = choice_data(
        design_array(sample, wanted), sample.chosen, available=sample.available
    )
    result = fit(data, null=design.null)
    cells = cluster_sums(result.influence, sample.twoway.cells)
    clustered = cluster_covariance(cells, sample.twoway.groups)
    cancelled = mere_rounding(np.sqrt(np.diagonal(clustered)), result.std_error)
    clustered[cancelled] = clustered[:, cancelled] = 0.0
    twoway = twoway_covariance_of_cells(
        np.where(cancelled, np.nan, cells), sample.twoway
    )
    fit_status, term_status = _statuses(
        result, data, sample, wanted, cancelled | (twoway is None)
    )
    (choices, _) = sample.parts[0]
    return {
        "study_id": choices.study_id,
        "model_id": choices.model_id,
        "variant": choices.variant,
        "input_fingerprint": choices.input_fingerprint,
        "block": wanted.block.name,
        "specification": wanted.specification.name,
        "design": design.name,
        "n": result.n,
        "clusters": sample.clusters.count,
        **_fit_measures(result),
        "status": fit_status,
        "iterations": result.iterations,
        "term": wanted.terms,
        **_errors_and_tests(result, design, clustered, twoway),
        "term_status": term_status,
        **_influences(cells, sample, keeps=wanted.keeps_influence),
    }


def _statuses(
    result: LogitFit,
    data: ChoiceData,
    sample: Sample,
    wanted: HotelFit,
    doubtful: Bools,
) -> tuple[str, tuple[str, ...]]:
    """Lower the statuses of a fit and its terms where they rest on too little."""
    (choices, _) = sample.parts[0]
    few = result.n < wanted.fewest_answers(choices.variant)
    weak = np.zeros(len(result.estimate), dtype=bool)
    if wanted.design.inference == "clustered":
        few = sample.clusters.count < FEWEST_CLUSTERS
        carrying = carrying_clusters(_varies(data), sample.clusters)
        weak = (carrying < FEWEST_CARRYING_CLUSTERS) | doubtful
    return _lower(result.status, few=few), tuple(
        _lower(term, few=few, weak=bool(doubt))
        for term, doubt in zip(result.term_status, weak, strict=True)
    )


def _varies(data: ChoiceData) -> Bools:
    """Mark the terms that differ between the options of a situation, shape (n, k)."""
    first = data.x[:, :1]
    varies: Bools = ((data.x != first) & data.available[:, :, None]).any(axis=1)
    return varies


def _influences(cells: Floats, sample: Sample, *, keeps: bool) -> Row:
    """Return what each group adds to each estimate, where a fit keeps it."""
    if not keeps:
        return {"cluster_id": (), "cluster_influence": np.zeros(0)}
    groups: Clusters = sample.twoway.groups
    return {
        "cluster_id": [str(one) for one in sample.clusters.ids.tolist()],
        "cluster_influence": cluster_sums(cells, groups).ravel(),
    }


def _lower(label: str, *, few: bool, weak: bool = False) -> str:
    """Lower a status when the clustered errors behind it rest on too little."""
    reasons = [label]
    if few:
        reasons.append(status.TOO_FEW)
    if weak:
        reasons.append(status.WEAK)
    return status.worst(reasons)


def _errors_and_tests(
    result: LogitFit, design: Design, clustered: Floats, twoway: Floats | None
) -> Row:
    """Return the columns with one entry for each term, and the two matrices."""
    undefined = np.full(len(result.estimate), np.nan)
    cluster_std_error = np.sqrt(np.diagonal(clustered))
    deciding = result.std_error
    if design.inference == "clustered":
        # an error that cancelled in every pair is no certainty
        deciding = np.where(cluster_std_error > 0, cluster_std_error, np.nan)
    lo, hi = normal_interval(result.estimate, deciding)
    return {
        "estimate": result.estimate,
        "std_error": result.std_error,
        "cluster_std_error": cluster_std_error,
        "twoway_std_error": undefined
        if twoway is None
        else np.sqrt(np.diagonal(twoway)),
        "p_value": z_test(result.estimate, deciding),
        "ci_lo": lo,
        "ci_hi": hi,
        "covariance": result.covariance.ravel(),
        "cluster_covariance": clustered.ravel(),
    }


def _fit_measures(result: LogitFit) -> Row:
    """Return likelihoods and fit measures; the latter describe an attained maximum."""
    undefined = float(np.nan)
    r2, criterion = undefined, undefined
    if result.status == status.OK:
        r2 = pseudo_r2(result.log_likelihood, result.null_log_likelihood)
        criterion = aic(result.log_likelihood, result.fitted)
    return {
        "log_likelihood": result.log_likelihood,
        "null_log_likelihood": result.null_log_likelihood if result.n else undefined,
        "pseudo_r2": r2,
        "aic": criterion,
    }
