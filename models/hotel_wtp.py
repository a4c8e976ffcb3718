"""What an attribute is worth in dollars a night, from the fits of ``hotel_logit``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from models import status
from models.hotel_terms import ATTRIBUTES, SLOT, SPECIFICATIONS, Specification
from models.inference import (
    UNDEFINED,
    Interval,
    contains_zero,
    fieller_interval,
    normal_interval,
    ratio_std_error,
)
from models.ordering import Floats
from models.tables import Row, build_table

# a published ratio is left blank when the price coefficient is no larger than this
SMALLEST_PRICE_COEFFICIENT = 1e-6
# published screen: price and attribute both this significant
IDENTIFIED_P = 0.001

_NUMBER = pa.float64()
WTP_SCHEMA = pa.schema(
    [
        pa.field("study_id", pa.string(), nullable=False),
        pa.field("model_id", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("input_fingerprint", pa.string(), nullable=False),
        pa.field("attribute", pa.string(), nullable=False),
        pa.field("specification", pa.string(), nullable=False),
        pa.field("design", pa.string(), nullable=False),
        pa.field("wtp_usd", _NUMBER),
        pa.field("std_error", _NUMBER),
        pa.field("ci_lo", _NUMBER),
        pa.field("ci_hi", _NUMBER),
        pa.field("fieller_lo", _NUMBER),
        pa.field("fieller_hi", _NUMBER),
        pa.field("reference_price_usd", _NUMBER),
        pa.field("p_identified", pa.bool_()),
        pa.field("status", pa.string(), nullable=False),
    ]
)


class _Value(NamedTuple):
    """A willingness to pay in dollars with its error and intervals."""

    wtp_usd: float
    std_error: float
    normal: Interval
    fieller: Interval
    status: str


class _Pair(NamedTuple):
    """An attribute's and the price's part of one fit."""

    attribute: float
    price: float
    std_errors: Floats
    cluster_covariance: Floats
    price_interval: Interval
    p_identified: bool | None
    status: str


def worth(
    attribute: npt.ArrayLike,
    price: npt.ArrayLike,
    specification: Specification,
    *,
    audited: bool,
) -> Floats:
    """Return what an attribute is worth in dollars a night.

    Parameters
    ----------
    attribute, price
        Coefficients of one shape.
    specification
        A form with one price term.
    audited
        Minus the ratio in either form, at $250 in the log form. As published (Kireyev
        2026) the log form divides by the absolute price coefficient, and a price
        coefficient up to 1e-6 gives no value.

    Returns
    -------
    numpy.ndarray
        The same shape; NaN where there is no value.
    """
    above = np.asarray(attribute, dtype=np.float64)
    below = np.asarray(price, dtype=np.float64)
    reference = specification.reference_price_usd
    with np.errstate(all="ignore"):
        if audited or reference is None:
            value = -above / below * (reference or 1.0)
        else:
            value = above / np.abs(below) * reference
    # an audited coefficient is never exactly 0 in data, but a ratio to 0 has no value
    smallest = 0.0 if audited else SMALLEST_PRICE_COEFFICIENT
    found: Floats = np.where(np.abs(below) > smallest, value, np.nan)
    return found


def wtp_table(fits: pa.Table) -> pa.Table:
    """Turn fitted logits into willingness to pay for four attributes and the slot.

    As published, log form (Kireyev 2026): attribute over the absolute price coefficient
    times $250, its error without the covariance of the two; linear form: minus the
    ratio, without an error. Audited: minus the ratio, at $250 in the log form, with the
    sign kept; delta-method error and Fieller interval from the clustered covariance.

    Parameters
    ----------
    fits
        Rows of ``hotel_logit.FIT_SCHEMA``, in any order. The published form on audited
        answers follows the published rule.

    Returns
    -------
    pyarrow.Table
        ``WTP_SCHEMA``, one row for each fit and attribute, in the order of the keys.
        Dollars a night: for one star, one review point of ten, free cancellation,
        breakfast, and, where the fit has the term, for being shown first against an
        order that favours neither (``slot``; against second it is twice that). Null
        with a status where a coefficient has no estimate or the price coefficient is
        too small (``weak``). Audited values whose price interval contains 0 are
        ``weak``; Fieller's set is then unbounded and its ends null. ``p_identified``
        says whether both p-values of the fit are below 0.001, the published screen
        without its part on the verdict; null where one is undefined.
        An empty input gives an empty table.
    """
    rows: list[Row] = []
    names = {spec.name: spec for spec in SPECIFICATIONS}
    for fit in fits.to_pylist():
        specification = names[fit["specification"]]
        for attribute in (*ATTRIBUTES, SLOT):
            if attribute in fit["term"]:
                rows.append(_row(fit, specification, attribute))
    keys = ("study_id", "model_id", "variant", "specification", "design", "attribute")
    rows.sort(key=lambda row: tuple(row[key] for key in keys))
    return build_table(rows, WTP_SCHEMA)


def _row(fit: Row, specification: Specification, attribute: str) -> Row:
    pair = _pair(fit, specification, attribute)
    audited = fit["design"] == "audited"
    value = (_audited if audited else _as_published)(pair, specification)
    return {
        **{key: fit[key] for key in WTP_SCHEMA.names[:4]},
        "attribute": attribute,
        "specification": specification.name,
        "design": fit["design"],
        "wtp_usd": value.wtp_usd,
        "std_error": value.std_error,
        "ci_lo": value.normal.lo,
        "ci_hi": value.normal.hi,
        "fieller_lo": value.fieller.lo,
        "fieller_hi": value.fieller.hi,
        "reference_price_usd": specification.reference_price_usd,
        "p_identified": pair.p_identified,
        "status": value.status,
    }


def _pair(fit: Row, specification: Specification, attribute: str) -> _Pair:
    places = [
        fit["term"].index(attribute),
        fit["term"].index(specification.price_term),
    ]
    k = len(fit["term"])
    clustered = _numbers(fit["cluster_covariance"]).reshape(k, k)
    p_values = [fit["p_value"][place] for place in places]
    estimate = _numbers(fit["estimate"])[places]
    lo, hi = (_numbers(fit[end])[places[1]] for end in ("ci_lo", "ci_hi"))
    return _Pair(
        attribute=float(estimate[0]),
        price=float(estimate[1]),
        std_errors=_numbers(fit["std_error"])[places],
        cluster_covariance=clustered[np.ix_(places, places)],
        price_interval=Interval(float(lo), float(hi)),
        p_identified=None
        if None in p_values
        else all(p < IDENTIFIED_P for p in p_values),
        status=status.worst(fit["term_status"][place] for place in places),
    )


def _numbers(values: list[Any]) -> Floats:
    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)


def _as_published(pair: _Pair, specification: Specification) -> _Value:
    value = float(worth(pair.attribute, pair.price, specification, audited=False))
    if np.isnan(value):
        return _undefined(pair)
    reference = specification.reference_price_usd
    if reference is None:
        return _Value(value, np.nan, UNDEFINED, UNDEFINED, pair.status)
    apart = np.diag(pair.std_errors**2)
    error = ratio_std_error(pair.attribute, abs(pair.price), apart, scale=reference)
    return _Value(value, error, _normal(value, error), UNDEFINED, pair.status)


def _audited(pair: _Pair, specification: Specification) -> _Value:
    value = float(worth(pair.attribute, pair.price, specification, audited=True))
    if np.isnan(value):
        return _undefined(pair)
    scale = specification.reference_price_usd or 1.0
    parts = (pair.attribute, pair.price, pair.cluster_covariance)
    error = ratio_std_error(*parts, scale=scale)
    weak = [status.WEAK] * contains_zero(pair.price_interval)
    return _Value(
        value,
        error,
        _normal(value, error),
        fieller_interval(*parts, scale=scale),
        status.worst((pair.status, *weak)),
    )


def _normal(value: float, error: float) -> Interval:
    lo, hi = normal_interval(value, error)
    return Interval(float(lo), float(hi))


def _undefined(pair: _Pair) -> _Value:
    nan = float(np.nan)
    label = status.worst((pair.status, status.WEAK))
    return _Value(nan, nan, UNDEFINED, UNDEFINED, label)
