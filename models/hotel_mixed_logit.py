"""Mixed logits of two-option hotel answers: how far a model's tastes vary by pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from models import status
from models.choice_data import choice_data
from models.clusters import prepare_clusters
from models.covariance import cluster_covariance
from models.hotel_choices import OPTIONS, HotelChoices, read_choices
from models.hotel_logit import BLOCK, FEWEST_CLUSTERS
from models.hotel_terms import (
    DESIGNS,
    SLOT,
    SPECIFICATIONS,
    Design,
    Specification,
    terms,
)
from models.inference import normal_interval, z_test
from models.mixed_logit import DRAWS, MixedFit, fit_mixed
from models.ordering import Floats
from models.tables import Row, build_table

DESIGN = next(design for design in DESIGNS if design.name == "audited")
# terms whose taste may vary by pair; the price term is that of the specification
RANDOM_TERMS = (SLOT, "review_score")
SD_PREFIX = "sd_"

_NUMBER = pa.float64()
MIXED_LOGIT_SCHEMA = pa.schema(
    [
        pa.field("study_id", pa.string(), nullable=False),
        pa.field("model_id", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("input_fingerprint", pa.string(), nullable=False),
        pa.field("block", pa.string(), nullable=False),
        pa.field("specification", pa.string(), nullable=False),
        pa.field("term", pa.string(), nullable=False),
        pa.field("random", pa.bool_(), nullable=False),
        pa.field("estimate", _NUMBER),
        pa.field("std_error", _NUMBER),
        pa.field("cluster_std_error", _NUMBER),
        pa.field("p_value", _NUMBER),
        pa.field("ci_lo", _NUMBER),
        pa.field("ci_hi", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
        pa.field("fit_status", pa.string(), nullable=False),
        pa.field("n", pa.int64(), nullable=False),
        pa.field("panels", pa.int64(), nullable=False),
        pa.field("draws", pa.int64(), nullable=False),
        pa.field("iterations", pa.int64(), nullable=False),
        pa.field("log_likelihood", _NUMBER),
        pa.field("conditional_log_likelihood", _NUMBER),
        pa.field("null_log_likelihood", _NUMBER),
    ]
)


def mixed_logit_table(
    columns: pa.Table | Mapping[str, npt.ArrayLike],
    *,
    draws: int = DRAWS,
    random_terms: Sequence[str] = RANDOM_TERMS,
) -> pa.Table:
    """Fit every model's mixed logit in both price forms, on the audited answers.

    The audited terms (slot, six controls, price), with normal tastes for price, review
    score and slot that all answers to a pair of hotels share; see ``fit_mixed``.

    Parameters
    ----------
    columns
        Long table of answers, one row for each option; see ``read_choices``.
    draws
        Halton draws for each pair, at least 1.
    random_terms
        Terms with a random taste besides the price term.

    Returns
    -------
    pyarrow.Table
        ``MIXED_LOGIT_SCHEMA``, for each model and specification eight rows of terms and
        one row ``sd_<term>`` for each random one, in ascending order of study, model
        and variant. Means and deviations in units of utility; a deviation is an
        absolute value. p-values and intervals use ``cluster_std_error`` (clusters are
        the panels); a deviation has no p-value, for 0 is the end of its range, and its
        interval is cut off there. A ``weak`` deviation, which by ``std_error`` may be
        0, has neither clustered error nor interval. Undefined is null with a status:
        ``status`` for the row, ``fit_status`` for the fit, both ``too_few`` below 30
        pairs. Input order changes nothing. An empty input gives an empty table.

    Raises
    ------
    ValueError
        Input that breaks the contract of ``read_choices``, an unknown random term, or
        no draws.
    """
    rows: list[Row] = []
    for choices in read_choices(columns):
        for specification in SPECIFICATIONS:
            rows += _rows(choices, specification, draws, random_terms)
    return build_table(rows, MIXED_LOGIT_SCHEMA)


def _rows(
    choices: HotelChoices,
    specification: Specification,
    draws: int,
    random_terms: Sequence[str],
) -> list[Row]:
    names = terms(DESIGN, specification)
    random = _positions(names, (*random_terms, specification.price_term))
    used = choices.chosen[DESIGN.chosen_column] >= 0
    x = _design_array(choices, specification, DESIGN)[used]
    panels = prepare_clusters(choices.group_ids[used])
    data = choice_data(x, choices.chosen[DESIGN.chosen_column][used])
    fit = fit_mixed(data, panels, random, draws=draws)
    shared = _fit_columns(choices, specification, fit)
    return [{**shared, **row} for row in _parameter_rows(fit, names, random)]


def _positions(names: Sequence[str], wanted: Sequence[str]) -> list[int]:
    unknown = sorted(set(wanted) - set(names))
    if unknown:
        raise ValueError(f"random term {unknown[0]!r}: unknown; use some of {names}")
    return [place for place, name in enumerate(names) if name in wanted]


def _design_array(
    choices: HotelChoices, specification: Specification, design: Design
) -> Floats:
    """Stack the audited terms of both options, shape (n, 2, 8)."""
    columns = {
        SLOT: "slot_sign",
        specification.price_term: specification.price_column,
    }
    names = terms(design, specification)
    x = np.zeros((len(choices.group_ids), len(OPTIONS), len(names)))
    for position, term in enumerate(names):
        x[:, :, position] = choices.numbers[columns.get(term, term)]
    return x


def _fit_columns(
    choices: HotelChoices, specification: Specification, fit: MixedFit
) -> Row:
    return {
        "study_id": choices.study_id,
        "model_id": choices.model_id,
        "variant": choices.variant,
        "input_fingerprint": choices.input_fingerprint,
        "block": BLOCK,
        "specification": specification.name,
        "fit_status": _lowered(fit.status, fit),
        "n": fit.n,
        "panels": fit.panels,
        "draws": fit.draws,
        "iterations": fit.iterations,
        "log_likelihood": fit.log_likelihood,
        "conditional_log_likelihood": fit.conditional_log_likelihood,
        "null_log_likelihood": fit.null_log_likelihood,
    }


def _lowered(label: str, fit: MixedFit) -> str:
    few = [status.TOO_FEW] * (fit.panels < FEWEST_CLUSTERS)
    return status.worst((label, *few))


def _parameter_rows(
    fit: MixedFit, names: Sequence[str], random: Sequence[int]
) -> list[Row]:
    """Return one row for each mean, then one for each deviation."""
    panels = prepare_clusters(np.arange(fit.panels))
    clustered = cluster_covariance(fit.influence, panels)
    cluster_std_error = np.sqrt(np.diagonal(clustered))
    labels = (*fit.term_status, *fit.sd_status)
    # at the boundary every panel's score of the deviation vanishes, and the clustered
    # error with it: it would promise a precision that isn't there
    cluster_std_error[np.array(labels) == status.WEAK] = np.nan
    values = np.concatenate([fit.estimate, fit.sd])
    lo, hi = normal_interval(values, cluster_std_error)
    p_values = z_test(values, cluster_std_error)
    means = len(names)
    p_values[means:] = np.nan
    lo[means:] = np.maximum(lo[means:], 0.0)
    listed = (*names, *(f"{SD_PREFIX}{names[place]}" for place in random))
    return [
        {
            "term": name,
            "random": place >= means or place in random,
            "estimate": values[place],
            "std_error": fit.std_error[place],
            "cluster_std_error": cluster_std_error[place],
            "p_value": p_values[place],
            "ci_lo": lo[place],
            "ci_hi": hi[place],
            "status": _lowered(labels[place], fit),
        }
        for place, name in enumerate(listed)
    ]
