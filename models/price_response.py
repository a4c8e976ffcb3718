"""Which models answer to price at all, and their place on the price-quality map."""

from __future__ import annotations

import pyarrow as pa

from models import status
from models.columns import Columns, families, read_rows
from models.correlation import correlate, median_split
from models.tables import Row, build_table

# published: a price response is genuine when the coefficient is this significant and
# the dearest tenth of prices is this far below the cheapest, in utility
RESPONSE_P = 0.05
RESPONSE_TOP_DECILE = -0.3

_NUMBER = pa.float64()
_KEYS = ("study_id", "reading", "model_id")
RESPONSE_INPUT = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        pa.field("log_price", _NUMBER),
        pa.field("log_price_p_value", _NUMBER),
        pa.field("review_score", _NUMBER),
        pa.field("top_decile", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
    ]
)
RESPONSE_SCHEMA = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        pa.field("responds_to_price", pa.bool_()),
        pa.field("quadrant", pa.string()),
        pa.field("abs_log_price", _NUMBER),
        pa.field("review_score", _NUMBER),
        pa.field("abs_log_price_median", _NUMBER),
        pa.field("review_score_median", _NUMBER),
        pa.field("pearson_r", _NUMBER),
        pa.field("spearman_rho", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
    ]
)
_QUADRANTS = {
    (True, True): "both",
    (True, False): "price_only",
    (False, True): "quality_only",
    (False, False): "neither",
}


def responds_to_price(
    log_price: float | None, p_value: float | None, top_decile: float | None
) -> bool | None:
    """Say whether a model genuinely avoids high prices.

    Kireyev (2026), section 5.2, for engaged models: a negative log-price coefficient of
    the two-option fit with p below 0.05, and a decile-10 coefficient of the pooled
    decile fit below -0.3.

    Parameters
    ----------
    log_price, p_value, top_decile
        None where there is no estimate.

    Returns
    -------
    bool or None
        None when an estimate is missing.
    """
    if log_price is None or p_value is None or top_decile is None:
        return None
    return log_price < 0 and p_value < RESPONSE_P and top_decile < RESPONSE_TOP_DECILE


def price_response_table(columns: Columns) -> pa.Table:
    """Place every model on the map of price against quality sensitivity.

    Kireyev (2026), figure 3: absolute log-price coefficient against the coefficient of
    the review score, split at the medians over the models given.

    Parameters
    ----------
    columns
        ``RESPONSE_INPUT``, one row for each model of the reading (as published: engaged
        ones): coefficients of the two-option log form, the decile-10 coefficient of the
        pooled decile fit, and the worse status of the two coefficients of the former.

    Returns
    -------
    pyarrow.Table
        ``RESPONSE_SCHEMA``, in ascending order of the keys. ``quadrant`` is ``both``,
        ``price_only``, ``quality_only`` or ``neither``; null for a model without both
        coefficients, which enters no median and keeps its status (``failed`` where that
        is ``ok``). Medians and correlations are those of the whole reading; the latter
        are null below 3 models.
        An empty input gives an empty table.

    Raises
    ------
    ValueError
        Input that breaks the schema.
    """
    rows = read_rows(columns, RESPONSE_INPUT, _KEYS, what="price coefficients")
    found: list[Row] = []
    for family in families(rows, _KEYS[:2]):
        found += _mapped(family)
    return build_table(found, RESPONSE_SCHEMA)


def _mapped(family: list[Row]) -> list[Row]:
    known = [
        row for row in family if None not in (row["log_price"], row["review_score"])
    ]
    price = [abs(row["log_price"]) for row in known]
    review = [row["review_score"] for row in known]
    split = median_split(price, review)
    result = correlate(price, review)
    sides = zip(split.x_high.tolist(), split.y_high.tolist(), strict=True)
    quadrant = {
        row["model_id"]: _QUADRANTS[side]
        for row, side in zip(known, sides, strict=True)
    }
    return [
        {
            **{key: row[key] for key in _KEYS},
            "responds_to_price": responds_to_price(
                row["log_price"], row["log_price_p_value"], row["top_decile"]
            ),
            "quadrant": quadrant.get(row["model_id"]),
            "abs_log_price": None
            if row["log_price"] is None
            else abs(row["log_price"]),
            "review_score": row["review_score"],
            "abs_log_price_median": split.x_median,
            "review_score_median": split.y_median,
            "pearson_r": result.pearson_r,
            "spearman_rho": result.spearman_rho,
            "status": _label(row["status"], known=row["model_id"] in quadrant),
        }
        for row in family
    ]


def _label(given: str, *, known: bool) -> str:
    return status.FAILED if given == status.OK and not known else given
