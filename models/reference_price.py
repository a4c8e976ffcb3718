"""How a willingness to pay and its ranks move with the rate and with the price form."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from models import status
from models.columns import Columns, families, read_rows
from models.correlation import correlate, tied_ranks
from models.hotel_terms import REFERENCE_PRICE_USD
from models.ordering import Floats
from models.tables import Row, build_table

RATES_USD = (100.0, REFERENCE_PRICE_USD, 600.0)

_NUMBER = pa.float64()
_KEYS = ("study_id", "reading", "model_id")
_SUFFIXES = tuple(f"{rate:.0f}" for rate in RATES_USD)
REFERENCE_INPUT = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        pa.field("wtp_log_usd", _NUMBER),
        pa.field("wtp_linear_usd", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
    ]
)
REFERENCE_SCHEMA = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        pa.field("wtp_per_usd", _NUMBER),
        *(pa.field(f"wtp_{suffix}_usd", _NUMBER) for suffix in _SUFFIXES),
        pa.field("wtp_linear_usd", _NUMBER),
        *(pa.field(f"rank_{suffix}", pa.int64()) for suffix in _SUFFIXES),
        pa.field("rank_linear", pa.int64()),
        pa.field("rank_shift", pa.int64()),
        pa.field("status", pa.string(), nullable=False),
    ]
)
REFERENCE_SUMMARY_SCHEMA = pa.schema(
    [
        pa.field("study_id", pa.string(), nullable=False),
        pa.field("reading", pa.string(), nullable=False),
        pa.field("n", pa.int64(), nullable=False),
        pa.field("median_wtp_usd", _NUMBER),
        pa.field("pearson_r", _NUMBER),
        pa.field("spearman_rho", _NUMBER),
        pa.field("log_spread", _NUMBER),
        pa.field("linear_spread", _NUMBER),
        pa.field("largest_rank_shift", pa.int64()),
        pa.field("status", pa.string(), nullable=False),
    ]
)


def reference_price_table(columns: Columns) -> pa.Table:
    """Value a review point at three nightly rates and in the linear form, with ranks.

    Kireyev (2026), section 5.3: in the log form the value is proportional to the rate,
    so that the ranks at all rates are the same by construction.

    Parameters
    ----------
    columns
        ``REFERENCE_INPUT``, one row for each well-identified model: dollars for one
        review point, log form at $250 and linear form, and the worse status of the two.

    Returns
    -------
    pyarrow.Table
        ``REFERENCE_SCHEMA``, in ascending order of the keys. Rank 1 is the largest
        value, equal values share the best rank, ``rank_shift`` is the linear rank minus
        the one at $250. A model without one of the two values has a null there and in
        the shift, and at least status ``weak``. An empty input gives an empty table.

    Raises
    ------
    ValueError
        Input that breaks the schema.
    """
    rows = read_rows(columns, REFERENCE_INPUT, _KEYS, what="willingness to pay")
    found: list[Row] = []
    for family in families(rows, _KEYS[:2]):
        log, linear = (
            _values(family, name) for name in ("wtp_log_usd", "wtp_linear_usd")
        )
        rank_log, rank_linear = (
            tied_ranks(values, descending=True) for values in (log, linear)
        )
        for place, row in enumerate(family):
            unit = log[place] / REFERENCE_PRICE_USD
            both = np.isfinite(rank_log[place] + rank_linear[place])
            worth = dict(zip(_SUFFIXES, RATES_USD, strict=True))
            found.append(
                {
                    **{key: row[key] for key in _KEYS},
                    "wtp_per_usd": unit,
                    **{f"wtp_{name}_usd": unit * rate for name, rate in worth.items()},
                    "wtp_linear_usd": linear[place],
                    **{f"rank_{name}": _whole(rank_log[place]) for name in worth},
                    "rank_linear": _whole(rank_linear[place]),
                    "rank_shift": _whole(rank_linear[place] - rank_log[place]),
                    "status": status.worst(
                        (row["status"], status.OK if both else status.WEAK)
                    ),
                }
            )
    return build_table(found, REFERENCE_SCHEMA)


def reference_summary_table(reference: pa.Table) -> pa.Table:
    """Say how far the log and the linear form agree on the value of a review point.

    Parameters
    ----------
    reference
        Rows of ``REFERENCE_SCHEMA``, in any order.

    Returns
    -------
    pyarrow.Table
        ``REFERENCE_SUMMARY_SCHEMA``, one row for each study and reading. A spread is
        largest over smallest value, null where the smallest is not above 0. Fewer than
        3 models with both values: null correlations, ``too_few``. An empty input gives
        an empty table.
    """
    rows = read_rows(reference, REFERENCE_SCHEMA, _KEYS, what="reference prices")
    middle = f"wtp_{REFERENCE_PRICE_USD:.0f}_usd"
    found: list[Row] = []
    for family in families(rows, _KEYS[:2]):
        log, linear = (_values(family, name) for name in (middle, "wtp_linear_usd"))
        known = log[np.isfinite(log)]
        result = correlate(log, linear)
        shifts = [abs(s) for row in family if (s := row["rank_shift"]) is not None]
        found.append(
            {
                "study_id": family[0]["study_id"],
                "reading": family[0]["reading"],
                "n": result.n,
                "median_wtp_usd": float(np.median(known)) if len(known) else np.nan,
                "pearson_r": result.pearson_r,
                "spearman_rho": result.spearman_rho,
                "log_spread": _spread(known),
                "linear_spread": _spread(linear[np.isfinite(linear)]),
                "largest_rank_shift": max(shifts, default=None),
                "status": result.status,
            }
        )
    return build_table(found, REFERENCE_SUMMARY_SCHEMA)


def _values(rows: list[Row], name: str) -> Floats:
    return np.array([np.nan if row[name] is None else row[name] for row in rows])


def _whole(value: float) -> int | None:
    return int(value) if np.isfinite(value) else None


def _spread(values: Floats) -> float:
    if not len(values) or not values.min() > 0:
        return float(np.nan)
    return float(values.max() / values.min())
