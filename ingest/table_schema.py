"""What the raw tables of all instruments are made of."""

from __future__ import annotations

import pyarrow as pa

PRICE_TYPE = pa.decimal128(12, 2)

_PROVENANCE = [
    pa.field("_source_file", pa.string(), nullable=False),
    pa.field("_source_sha256", pa.string(), nullable=False),
    pa.field("_source_row", pa.int64(), nullable=False),
]


def table_schema(*fields: tuple[str, pa.DataType, bool]) -> pa.Schema:
    """Return the schema of a raw table.

    Parameters
    ----------
    *fields
        Name, type and whether it may be null, in order.

    Returns
    -------
    pyarrow.Schema
        The fields, then file, its sha256 and the row within it, which are never null.
    """
    named = [pa.field(name, kind, nullable=null) for name, kind, null in fields]
    return pa.schema(named + _PROVENANCE)
