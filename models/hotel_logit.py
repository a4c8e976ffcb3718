"""Two-option hotel logits of many models: long answers in, one row for each fit out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from models import status
from models.choice_data import choice_data
from models.clusters import Clusters, carrying_clusters, prepare_clusters
from models.conditional_logit import LogitFit, fit
from models.covariance import (
    TwoWay,
    cluster_covariance,
    prepare_twoway,
    twoway_covariance,
)
from models.hotel_choices import (
    CHOSEN_COLUMNS,
    OPTIONS,
    HotelChoices,
    read_choices,
)
from models.hotel_terms import (
    DESIGNS,
    INTERCEPT,
    SLOT,
    SPECIFICATIONS,
    Design,
    Specification,
    terms,
)
from models.inference import aic, normal_interval, pseudo_r2, z_test
from models.ordering import Bools, Floats, Ints
from models.tables import Row, build_table

BLOCK = "binary"
# fewer pairs than the first: the clustered error of the whole fit is not to be relied
# on; fewer pairs that carry a term than the second: that of the term is not
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
    ]
)


def fit_table(columns: pa.Table | Mapping[str, npt.ArrayLike]) -> pa.Table:
    """Fit every model's two-option logits in both price forms and all designs.

    As published (Kireyev 2026): intercept for option A, six controls and price; errors
    from the inverse information. Audited: a slot term in place of the intercept, valid
    answers only, errors clustered by pair of hotels. The third design puts the
    published terms on the audited answers.

    Parameters
    ----------
    columns
        Long table of answers, one row for each option; see ``read_choices``.

    Returns
    -------
    pyarrow.Table
        ``FIT_SCHEMA``, 6 rows for each model (2 specifications x 3 designs) in
        ascending order of study, model and variant. List columns hold one entry for
        each term, matrices row by row. What could not be estimated is null with a
        status: a fit without answers is ``too_few`` with n = 0; under separation
        ``log_likelihood`` is the limit, and the fit measures are null. In the audited
        design fewer than 30 pairs make the fit and its terms ``too_few``, and a term
        that varies in fewer than 10 pairs, or any term when the two-way matrix is not
        positive, is ``weak``; estimates stand. Input order changes nothing. An empty
        input gives an empty table.

    Raises
    ------
    ValueError
        Input that breaks the contract of ``read_choices``.
    """
    rows: list[Row] = []
    for choices in read_choices(columns):
        samples = {name: _sample(choices, name) for name in CHOSEN_COLUMNS}
        for specification in SPECIFICATIONS:
            for design in DESIGNS:
                sample = samples[design.chosen_column]
                rows.append(_fit_row(sample, specification, design))
    return build_table(rows, FIT_SCHEMA)


@dataclass(frozen=True, slots=True)
class _Sample:
    """The answers of one model that belong to one reading, shape (n,)."""

    choices: HotelChoices
    used: Bools
    chosen: Ints
    clusters: Clusters
    twoway: TwoWay


def _sample(choices: HotelChoices, chosen_column: str) -> _Sample:
    used = choices.chosen[chosen_column] >= 0
    clusters = prepare_clusters(choices.group_ids[used])
    hotel_ids = choices.hotel_ids[used]
    hotels = prepare_clusters(hotel_ids.ravel()).codes.reshape(hotel_ids.shape)
    return _Sample(
        choices=choices,
        used=used,
        chosen=choices.chosen[chosen_column][used],
        clusters=clusters,
        twoway=prepare_twoway(clusters, hotels),
    )


def _fit_row(sample: _Sample, specification: Specification, design: Design) -> Row:
    data = choice_data(_design_array(sample, specification, design), sample.chosen)
    result = fit(data, null=design.null)
    clustered = cluster_covariance(result.influence, sample.clusters)
    twoway = twoway_covariance(result.influence, sample.twoway)
    fit_status, term_status = result.status, result.term_status
    if design.inference == "clustered":
        carrying = carrying_clusters(data.x[:, 0] != data.x[:, 1], sample.clusters)
        few = sample.clusters.count < FEWEST_CLUSTERS
        doubtful = carrying < FEWEST_CARRYING_CLUSTERS
        fit_status = _lower(fit_status, few=few)
        term_status = tuple(
            _lower(term, few=few, weak=twoway is None or bool(doubt))
            for term, doubt in zip(result.term_status, doubtful, strict=True)
        )
    return {
        "study_id": sample.choices.study_id,
        "model_id": sample.choices.model_id,
        "variant": sample.choices.variant,
        "input_fingerprint": sample.choices.input_fingerprint,
        "block": BLOCK,
        "specification": specification.name,
        "design": design.name,
        "n": result.n,
        "clusters": sample.clusters.count,
        **_fit_measures(result),
        "status": fit_status,
        "iterations": result.iterations,
        "term": terms(design, specification),
        **_errors_and_tests(result, design, clustered, twoway),
        "term_status": term_status,
    }


def _design_array(
    sample: _Sample, specification: Specification, design: Design
) -> Floats:
    """Stack the terms of both options, shape (n, 2, 8)."""
    names = terms(design, specification)
    columns = {
        SLOT: "slot_sign",
        specification.price_term: specification.price_column,
    }
    x = np.zeros((len(sample.chosen), len(OPTIONS), len(names)))
    for position, term in enumerate(names):
        if term == INTERCEPT:
            x[:, 0, position] = 1.0
        else:
            numbers = sample.choices.numbers[columns.get(term, term)]
            x[:, :, position] = numbers[sample.used]
    return x


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
    deciding = (
        cluster_std_error if design.inference == "clustered" else result.std_error
    )
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
