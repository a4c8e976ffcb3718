"""What a discount moves, and where along the price scale a model's answer bends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from scipy.special import expit

from models import status
from models.columns import Columns, families, read_rows
from models.inference import Interval
from models.ordering import Floats
from models.price_curve import (
    DECILE_TERMS,
    DECILES,
    Combination,
    combine,
    decile_weights,
    find_bump,
    find_threshold,
)
from models.tables import Row, build_table

PRICES_USD = (100.0, 250.0, 800.0)


@dataclass(frozen=True, slots=True)
class Lever:
    """A discount: dollars off, or a share of the price off."""

    name: str
    off_usd: float
    off_share: float

    def discounted(self, price_usd: float) -> float:
        """Return the price after the discount, in dollars."""
        return price_usd * (1 - self.off_share) - self.off_usd


LEVERS = (Lever("minus_20_usd", 20.0, 0.0), Lever("minus_10_pct", 0.0, 0.1))

_NUMBER = pa.float64()
_NUMBERS = pa.list_(_NUMBER)
_KEYS = ("study_id", "model_id", "variant", "block", "specification", "design")
FIT_INPUT = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        pa.field("input_fingerprint", pa.string(), nullable=False),
        pa.field("term", pa.list_(pa.string()), nullable=False),
        pa.field("estimate", _NUMBERS, nullable=False),
        pa.field("term_status", pa.list_(pa.string()), nullable=False),
        pa.field("covariance", _NUMBERS, nullable=False),
        pa.field("cluster_covariance", _NUMBERS, nullable=False),
    ]
)
BIN_INPUT = pa.schema(
    [
        pa.field("study_id", pa.string(), nullable=False),
        pa.field("block", pa.string(), nullable=False),
        pa.field("decile", pa.int64(), nullable=False),
        pa.field("upper_usd", _NUMBER, nullable=False),
        pa.field("median_usd", _NUMBER),
    ]
)
_OUT_KEYS = [
    *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
    pa.field("input_fingerprint", pa.string(), nullable=False),
]
LEVER_SCHEMA = pa.schema(
    [
        *_OUT_KEYS,
        pa.field("lever", pa.string(), nullable=False),
        pa.field("price_usd", _NUMBER, nullable=False),
        pa.field("discounted_usd", _NUMBER, nullable=False),
        pa.field("utility_change", _NUMBER),
        pa.field("utility_change_std_error", _NUMBER),
        pa.field("share_change", _NUMBER),
        pa.field("ci_lo", _NUMBER),
        pa.field("ci_hi", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
    ]
)
SHAPE_SCHEMA = pa.schema(
    [
        *_OUT_KEYS,
        pa.field("bump_decile", pa.int64()),
        pa.field("bump", _NUMBER),
        pa.field("bump_std_error", _NUMBER),
        pa.field("bump_ci_lo", _NUMBER),
        pa.field("bump_ci_hi", _NUMBER),
        pa.field("bump_status", pa.string(), nullable=False),
        pa.field("threshold_usd", _NUMBER),
        pa.field("drop", _NUMBER),
        pa.field("drop_std_error", _NUMBER),
        pa.field("drop_ci_lo", _NUMBER),
        pa.field("drop_ci_hi", _NUMBER),
        pa.field("drop_status", pa.string(), nullable=False),
    ]
)


def price_lever_table(fits: Columns, bins: Columns) -> pa.Table:
    """Turn fits into what a discount does to the share of an option.

    Parameters
    ----------
    fits
        Rows with the columns of ``FIT_INPUT`` (those of ``hotel_logit.FIT_SCHEMA``
        will do), specifications ``log``, ``linear`` and ``decile``; others are skipped.
        The design ``audited`` takes the clustered covariance, others the plain one.
    bins
        ``BIN_INPUT``: upper edge and median price (null when no option has such a
        price) of each decile, for each study and block that has a decile fit.

    Returns
    -------
    pyarrow.Table
        ``LEVER_SCHEMA``, one row for each fit, lever (20 dollars or 10 % off) and price
        ($100, $250, $800). ``share_change`` in (-0.5, 0.5) is the gain of one of two
        options that were equally good before. The interval is that of the utility,
        turned into shares. Null with a status where a coefficient is missing, which is
        ``too_few`` for a decile fit whose deciles are not ten rising prices and
        ``no_variation`` where both prices lie below the median of its first decile, or
        above that of its last: the curve says nothing there. An empty input gives an
        empty table.

    Raises
    ------
    ValueError
        Input that breaks a schema, or a decile fit whose study and block have not
        each of ten deciles once.
    """
    rows = read_rows(fits, FIT_INPUT, _KEYS, what="fits")
    known = _bins(bins)
    found: list[Row] = []
    for row in rows:
        if row["specification"] not in ("log", "linear", "decile"):
            continue
        for lever in LEVERS:
            for price in PRICES_USD:
                found.append(_lever_row(row, known, lever, price))
    return build_table(found, LEVER_SCHEMA)


def price_shape_table(fits: Columns, bins: Columns) -> pa.Table:
    """Describe decile curves: a bump above the cheapest prices, the steepest drop.

    Parameters
    ----------
    fits, bins
        As for ``price_lever_table``; only decile fits are used.

    Returns
    -------
    pyarrow.Table
        ``SHAPE_SCHEMA``, one row for each decile fit. ``bump_decile`` is null when none
        of deciles 2 to 4 is above decile 1; ``bump`` is then not above 0.
        ``threshold_usd`` is the edge between the two deciles of the largest drop. Null
        with a status where a coefficient is missing, ``too_few`` as above; ``weak``
        when the interval contains 0. An empty input gives an empty table.

    Raises
    ------
    ValueError
        As for ``price_lever_table``.
    """
    rows = read_rows(fits, FIT_INPUT, _KEYS, what="fits")
    known = _bins(bins)
    return build_table(
        [_shape_row(row, known) for row in rows if row["specification"] == "decile"],
        SHAPE_SCHEMA,
    )


@dataclass(frozen=True, slots=True)
class _Bins:
    upper_usd: Floats
    median_usd: Floats


def _bins(columns: Columns) -> dict[tuple[str, str], _Bins | None]:
    """Return the deciles of each study and block, None where they are no ten prices."""
    keys = ("study_id", "block", "decile")
    rows = read_rows(columns, BIN_INPUT, keys, what="price deciles")
    found: dict[tuple[str, str], _Bins | None] = {}
    for family in families(rows, keys[:2]):
        name = family[0]["study_id"], family[0]["block"]
        upper, median = (
            np.array([row[column] for row in family], dtype=np.float64)
            for column in ("upper_usd", "median_usd")
        )
        if tuple(row["decile"] for row in family) != DECILES:
            raise ValueError(f"price deciles: {name} needs deciles 1 to 10, each once")
        # a bank with few prices leaves deciles empty: NaN rises nowhere
        ascending = (np.diff(upper) > 0).all() and (np.diff(median) > 0).all()
        found[name] = _Bins(upper, median) if ascending else None
    return found


def _bins_of(row: Row, known: dict[tuple[str, str], _Bins | None]) -> _Bins | None:
    name = row["study_id"], row["block"]
    if name not in known:
        raise ValueError(f"price deciles: none for study and block {name}")
    return known[name]


def _undefined(label: str) -> Combination:
    nan = float(np.nan)
    return Combination(nan, nan, Interval(nan, nan), label)


_UNKNOWN = _undefined(status.TOO_FEW)


class _Terms:
    """The part of a fit that some terms make up."""

    def __init__(self, row: Row, names: Sequence[str]) -> None:
        absent = [name for name in names if name not in row["term"]]
        if absent:
            fit = " ".join(row[key] for key in _KEYS)
            raise ValueError(f"fits: {fit} has no term {absent[0]!r}")
        places = [row["term"].index(name) for name in names]
        k = len(row["term"])
        clustered = row["design"] == "audited"
        matrix = _numbers(row["cluster_covariance" if clustered else "covariance"])
        self.estimate = _numbers(row["estimate"])[places]
        self.covariance = matrix.reshape(k, k)[np.ix_(places, places)]
        self.statuses = [row["term_status"][place] for place in places]

    def combine(self, weights: Floats) -> Combination:
        return combine(weights, self.estimate, self.covariance, self.statuses)


def _numbers(values: list[float | None]) -> Floats:
    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)


def _lever_row(
    row: Row, known: dict[tuple[str, str], _Bins | None], lever: Lever, price: float
) -> Row:
    lower = lever.discounted(price)
    if row["specification"] == "decile":
        bins = _bins_of(row, known)
        if bins is None:
            change = _UNKNOWN
        else:
            medians = bins.median_usd
            weights = decile_weights(lower, medians) - decile_weights(price, medians)
            change = _Terms(row, DECILE_TERMS).combine(weights)
    elif row["specification"] == "log":
        weights = np.array([np.log(lower / price)])
        change = _Terms(row, ("log_price",)).combine(weights)
    else:
        change = _Terms(row, ("price",)).combine(np.array([lower - price]))
    return {
        **{key: row[key] for key in (*_KEYS, "input_fingerprint")},
        "lever": lever.name,
        "price_usd": price,
        "discounted_usd": lower,
        "utility_change": change.value,
        "utility_change_std_error": change.std_error,
        "share_change": _share_change(change.value),
        "ci_lo": _share_change(change.interval.lo),
        "ci_hi": _share_change(change.interval.hi),
        "status": change.status,
    }


def _share_change(utility: float) -> float:
    return float(expit(utility)) - 0.5


def _shape_row(row: Row, known: dict[tuple[str, str], _Bins | None]) -> Row:
    bins = _bins_of(row, known)
    if bins is None:
        return {
            **{key: row[key] for key in (*_KEYS, "input_fingerprint")},
            "bump_decile": None,
            **_columns("bump", _UNKNOWN),
            "threshold_usd": None,
            **_columns("drop", _UNKNOWN),
        }
    terms = _Terms(row, DECILE_TERMS)
    parts = terms.estimate, terms.covariance, terms.statuses
    bump, threshold = find_bump(*parts), find_threshold(*parts)
    edges = bins.upper_usd
    drop = (
        _undefined(status.worst(terms.statuses))
        if threshold is None
        else threshold.drop
    )
    return {
        **{key: row[key] for key in (*_KEYS, "input_fingerprint")},
        "bump_decile": bump.decile,
        **_columns("bump", bump.height),
        "threshold_usd": None if threshold is None else edges[threshold.after - 1],
        **_columns("drop", drop),
    }


def _columns(name: str, found: Combination) -> Row:
    return {
        name: found.value,
        f"{name}_std_error": found.std_error,
        f"{name}_ci_lo": found.interval.lo,
        f"{name}_ci_hi": found.interval.hi,
        f"{name}_status": found.status,
    }
