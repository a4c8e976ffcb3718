"""From fitted logits to comparable figures: estimates with their influences."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from models import status
from models.columns import Columns, read_rows
from models.comparison import COMPARISON_INPUT
from models.hotel_terms import REFERENCE_PRICE_USD, SLOT
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
_SCALES = {"log": ("log_price", REFERENCE_PRICE_USD), "linear": ("price", 1.0)}
_WORTH = {"wtp_review_score_usd": "review_score", "slot_usd": SLOT}


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
        dollars, at $250 in the log form. Metric names carry the form, as in
        ``wtp_review_score_usd/log``. A value is ``weak`` when the interval of the
        price contains 0. Null with a status, and without influences, where there is no
        estimate. An empty input gives an empty table.

    Raises
    ------
    ValueError
        Input that breaks the schema, or influences of another length than clusters
        times terms; the message names the fit.
    """
    rows = read_rows(fits, FIGURE_INPUT, _KEYS, what="fits")
    found: list[Row] = []
    for row in rows:
        if row["design"] == "audited" and row["specification"] in _SCALES:
            found += _figures(row)
    keys = ("study_id", "variant", "metric", "model_id")
    found.sort(key=lambda row: tuple(row[key] for key in keys))
    return build_table(found, FIGURE_SCHEMA)


def _figures(row: Row) -> list[Row]:
    k, c = len(row["term"]), len(row["cluster_id"])
    if len(row["cluster_influence"]) != k * c:
        name = " ".join(row[key] for key in _KEYS)
        raise ValueError(
            f"fits: {name} has {len(row['cluster_influence'])} influences; {c} "
            f"clusters times {k} terms needed"
        )
    influence = _numbers(row["cluster_influence"]).reshape(c, k)
    estimate = _numbers(row["estimate"])
    price_term, scale = _SCALES[row["specification"]]
    price = row["term"].index(price_term)
    ends = row["ci_lo"][price], row["ci_hi"][price]
    weak = None not in ends and contains_zero(Interval(*ends))
    found = []
    for term in (price_term, "review_score", SLOT):
        place = row["term"].index(term)
        label = row["term_status"][place]
        found.append(
            _figure(row, term, float(estimate[place]), influence[:, place], label)
        )
    for metric, term in _WORTH.items():
        place = row["term"].index(term)
        a, b = float(estimate[place]), float(estimate[price])
        value = -a / b * scale if b != 0 else np.nan
        parts = (a, b, influence[:, place], influence[:, price])
        label = status.worst(
            (
                row["term_status"][place],
                row["term_status"][price],
                *[status.WEAK] * weak,
            )
        )
        found.append(
            _figure(row, metric, value, ratio_influence(*parts, scale=scale), label)
        )
    return found


def _figure(row: Row, metric: str, value: float, influence: Floats, label: str) -> Row:
    known = bool(np.isfinite(value) and np.isfinite(influence).all())
    return {
        "study_id": row["study_id"],
        "reading": "audited",
        "variant": row["variant"],
        "metric": f"{metric}/{row['specification']}",
        "model_id": row["model_id"],
        "estimate": value if known else np.nan,
        "status": label,
        "cluster_id": row["cluster_id"] if known else [],
        "influence": influence if known else np.zeros(0),
    }


def _numbers(values: list[float | None]) -> Floats:
    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
