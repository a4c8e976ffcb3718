"""From fitted logits to comparable figures: estimates with their influences."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from models import status
from models.columns import Columns, read_rows
from models.comparison import COMPARISON_INPUT
from models.hotel_terms import (
    AUDITED,
    HEADLINE_ATTRIBUTE,
    SLOT,
    SPECIFICATIONS,
    Specification,
    figure_name,
    worth_name,
)
from models.hotel_wtp import worth
from models.inference import Interval, contains_zero
from models.influence import ratio_influence
from models.ordering import Floats
from models.tables import Row, build_table

_NUMBERS = pa.list_(pa.float64())
_KEYS = ("study_id", "model_id", "variant", "specification", "design")
FIGURE_INPUT = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        pa.field("term", pa.list_(pa.string()), nullable=False),
        pa.field("estimate", _NUMBERS, nullable=False),
        pa.field("ci_lo", _NUMBERS, nullable=False),
        pa.field("ci_hi", _NUMBERS, nullable=False),
        pa.field("term_status", pa.list_(pa.string()), nullable=False),
        pa.field("cluster_id", pa.list_(pa.string()), nullable=False),
        pa.field("cluster_influence", _NUMBERS, nullable=False),
    ]
)
FIGURE_SCHEMA = pa.schema(
    [
        pa.field("study_id", pa.string(), nullable=False),
        pa.field("reading", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        *list(COMPARISON_INPUT)[2:],
    ]
)
_STATUS_KEYS = ("study_id", "model_id", "specification", "term", "in_usd")
STATUS_INPUT = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _STATUS_KEYS[:-1]),
        pa.field("in_usd", pa.bool_(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
    ]
)
_FORMS = {form.name: form for form in SPECIFICATIONS}
# price coefficients are ranked from the most negative, as in the bootstrap
SMALLEST_FIRST = tuple(form.price_term for form in SPECIFICATIONS)


def figure_table(fits: Columns) -> pa.Table:
    """Turn audited fits into coefficients and dollar values with their influences.

    Parameters
    ----------
    fits
        Rows of ``hotel_logit.FIT_SCHEMA`` with two more columns: ``cluster_id``, the c
        clusters of the fit, and ``cluster_influence``, c x k numbers row by row, the
        sum of the situations' influences on each term. Designs other than ``audited``
        and specifications other than ``log`` and ``linear`` are skipped.

    Returns
    -------
    pyarrow.Table
        ``FIGURE_SCHEMA`` (the input of ``comparison_table``, plus the variant), one row
        for each fit and metric: for each price form the price, ``review_score`` and
        ``slot`` coefficients, the value of a review point and of being shown first in
        dollars, at $250 in the log form. Metric names are those of
        ``hotel_terms.figure_name`` and ``worth_name``. A value is ``weak`` when the
        interval of the price contains 0. Null with a status, and without influences,
        where there is no estimate. An empty input gives an empty table.

    Raises
    ------
    ValueError
        Input that breaks the schema, or influences of another length than clusters
        times terms; the message names the fit.
    """
    rows = read_rows(fits, FIGURE_INPUT, _KEYS, what="fits")
    found: list[Row] = []
    for row in rows:
        form = _FORMS.get(row["specification"])
        if row["design"] == AUDITED.name and form is not None:
            found += _figures(row, form)
    keys = ("study_id", "variant", "metric", "model_id")
    found.sort(key=lambda row: tuple(row[key] for key in keys))
    return build_table(found, FIGURE_SCHEMA)


def with_statuses(figures: pa.Table, statuses: Columns) -> pa.Table:
    """Lower the statuses of figures by what is known of them elsewhere.

    Parameters
    ----------
    figures
        ``FIGURE_SCHEMA``, of one variant.
    statuses
        ``STATUS_INPUT``: the status of a coefficient, or ``in_usd`` of what the term is
        worth, where more than the fit is known, for instance that the model is locked.

    Returns
    -------
    pyarrow.Table
        ``figures`` with the worse of the two statuses; a figure without one keeps its
        own. No figures give an empty table.

    Raises
    ------
    ValueError
        Statuses that break the schema or stand twice.
    """
    known = {}
    for row in read_rows(statuses, STATUS_INPUT, _STATUS_KEYS, what="statuses"):
        name = worth_name if row["in_usd"] else figure_name
        metric = name(row["term"], _FORMS[row["specification"]])
        known[row["study_id"], row["model_id"], metric] = row["status"]
    columns = (figures[name] for name in ("study_id", "model_id", "metric", "status"))
    labels = [
        status.worst((label, known.get(tuple(key), status.OK)))
        for *key, label in zip(*(column.to_pylist() for column in columns), strict=True)
    ]
    place = figures.schema.get_field_index("status")
    return figures.set_column(
        place, figures.schema.field(place), pa.array(labels, pa.string())
    )


def _figures(row: Row, form: Specification) -> list[Row]:
    k, c = len(row["term"]), len(row["cluster_id"])
    if len(row["cluster_influence"]) != k * c:
        name = " ".join(row[key] for key in _KEYS)
        raise ValueError(
            f"fits: {name} has {len(row['cluster_influence'])} influences; {c} "
            f"clusters times {k} terms needed"
        )
    influence = _numbers(row["cluster_influence"]).reshape(c, k)
    estimate = _numbers(row["estimate"])
    price = row["term"].index(form.price_term)
    found = []
    for term in (form.price_term, HEADLINE_ATTRIBUTE, SLOT):
        place = row["term"].index(term)
        label = row["term_status"][place]
        value = float(estimate[place])
        metric = figure_name(term, form)
        found.append(_figure(row, metric, value, influence[:, place], label))
    ends = row["ci_lo"][price], row["ci_hi"][price]
    weak = None not in ends and contains_zero(Interval(*ends))
    for term in (HEADLINE_ATTRIBUTE, SLOT):
        place = row["term"].index(term)
        a, b = float(estimate[place]), float(estimate[price])
        on_ratio = ratio_influence(
            *(a, b, influence[:, place], influence[:, price]),
            scale=form.reference_price_usd or 1.0,
        )
        statuses = row["term_status"][place], row["term_status"][price]
        label = status.worst((*statuses, *[status.WEAK] * weak))
        value = float(worth(a, b, form, audited=True))
        found.append(_figure(row, worth_name(term, form), value, on_ratio, label))
    return found


def _figure(row: Row, metric: str, value: float, influence: Floats, label: str) -> Row:
    known = bool(np.isfinite(value) and np.isfinite(influence).all())
    return {
        "study_id": row["study_id"],
        "reading": AUDITED.name,
        "variant": row["variant"],
        "metric": metric,
        "model_id": row["model_id"],
        "estimate": value if known else np.nan,
        "status": label,
        "cluster_id": row["cluster_id"] if known else [],
        "influence": influence if known else np.zeros(0),
    }


def _numbers(values: list[float | None]) -> Floats:
    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
