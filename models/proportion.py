"""Shares with Wilson intervals."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from models import status
from models.columns import Columns, read_rows
from models.inference import CONFIDENCE, UNDEFINED, Interval
from models.tables import Row, build_table

_KEYS = ("study_id", "reading", "model_id", "variant", "statistic")
SHARE_INPUT = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        pa.field("count", pa.int64(), nullable=False),
        pa.field("n", pa.int64(), nullable=False),
    ]
)
SHARE_SCHEMA = pa.schema(
    [
        *SHARE_INPUT,
        pa.field("share", pa.float64()),
        pa.field("ci_lo", pa.float64()),
        pa.field("ci_hi", pa.float64()),
        pa.field("status", pa.string(), nullable=False),
    ]
)


def wilson_interval(count: int, n: int) -> Interval:
    """Return Wilson's 95 % interval of a share of independent answers.

    Wilson (1927). It stays inside [0, 1] and has a width also where the share is 0 or
    1. Answers of one pair of hotels are not independent: a clustered interval is wider
    where they agree.

    Parameters
    ----------
    count, n
        Answers that have the property, and all answers; 0 <= count <= n.

    Returns
    -------
    Interval
        Undefined for n = 0.

    Raises
    ------
    ValueError
        A count below 0 or above n.
    """
    if not 0 <= count <= n:
        raise ValueError(f"share: count {count} is not between 0 and n = {n}")
    if n == 0:
        return UNDEFINED
    # statsmodels takes seconds to import
    from statsmodels.stats.proportion import proportion_confint

    lo, hi = proportion_confint(count, n, alpha=1 - CONFIDENCE, method="wilson")
    return Interval(float(lo), float(hi))


def share_table(columns: Columns) -> pa.Table:
    """Turn counts into shares with Wilson intervals.

    Parameters
    ----------
    columns
        ``SHARE_INPUT``, one row for each share, such as the first-shown share of one
        ordering or the share of valid answers.

    Returns
    -------
    pyarrow.Table
        ``SHARE_SCHEMA``, in ascending order of the keys; null and ``too_few`` for
        n = 0. An empty input gives an empty table.

    Raises
    ------
    ValueError
        Input that breaks the schema, or a count outside 0 to n.
    """
    rows = read_rows(columns, SHARE_INPUT, _KEYS, what="shares")
    return build_table([_row(row) for row in rows], SHARE_SCHEMA)


def _row(row: Row) -> Row:
    interval = wilson_interval(row["count"], row["n"])
    return {
        **row,
        "share": row["count"] / row["n"] if row["n"] else np.nan,
        "ci_lo": interval.lo,
        "ci_hi": interval.hi,
        "status": status.OK if row["n"] else status.TOO_FEW,
    }
