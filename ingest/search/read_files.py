"""Reading what is no JSON artifact: the shipping policy, images and page snapshots."""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

from ingest.csv_rows import Row, read_csv
from ingest.fields import FieldError, filled, one_of, optional
from ingest.parsed_file import FileId, ParsedFile, RowError, parse_csv, parse_fields
from ingest.search.read_rulings import SELLER_SCOPES
from ingest.search.records import AMOUNT, DOLLARS, Records
from ingest.search.schemas import RAW_SEARCH

_AMOUNT = re.compile(rf"{DOLLARS}(?:\.[0-9]{{1,2}})?")
_PERCENT = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,4})?")
_EVIDENCE = re.compile(
    r"images/(?P<image>[0-9a-f]{64})\.jpg|evidence/(?P<page>[0-9a-f]{64})"
    r"\.(?P<kind>html\.gz|json)"
)


def _exact(pattern: re.Pattern[str], what: str) -> Callable[[str], Decimal]:
    def parse(text: str) -> Decimal:
        if pattern.fullmatch(text) is None:
            raise FieldError(f"{text[:60]!r} is no {what}")
        return Decimal(text)

    return parse


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise FieldError(f"{text[:60]!r} is no date like 2026-11-30") from error


def _words(text: str) -> str | None:
    return text.strip() or None


_MONEY = optional(_exact(_AMOUNT, f"{AMOUNT} of at most two decimals"))
_POLICY: dict[str, Callable[[str], Any]] = {
    **{"row_id": filled, "retailer": filled, "domain": _words},
    "seller_scope": one_of(SELLER_SCOPES),
    **dict.fromkeys(("threshold", "below_fee", "at_or_above_fee", "min_order"), _MONEY),
    "surcharge_pct": optional(_exact(_PERCENT, "percentage")),
    **{"zip_scope": _words, "category_scope": _words},
    **{"effective_from": optional(_day), "effective_to": optional(_day)},
    **{"source_url": _words, "checked_at": optional(_day), "checked_by": _words},
    "note": _words,
}


def read_policy(file: FileId, run_id: str, data: bytes) -> ParsedFile:
    """Return the rows of a shipping policy.

    Parameters
    ----------
    file
        Where they belong.
    run_id
        The run that was locked to it.
    data
        The bytes of the CSV.

    Returns
    -------
    ParsedFile
        A row whose id an earlier one has is set aside. A blank amount stays unknown.

    Raises
    ------
    LoadError
        Where it is no CSV with the columns of the policy.
    """
    content = read_csv(file.name, data, list(_POLICY))
    seen: set[str] = set()

    def parse(row: Row) -> dict[str, Any]:
        values = parse_fields(list(_POLICY), list(_POLICY.values()), row.fields)
        if values["row_id"] in seen:
            raise RowError("row_id", f"an earlier row is {values['row_id']}")
        seen.add(values["row_id"])
        return {"run_id": run_id, "bank_sha256": file.bank_sha256, **values}

    schema = RAW_SEARCH["shipping_policy"]
    return parse_csv(file, "shipping_policy", schema, content, parse)


def is_evidence(name: str) -> bool:
    """Return whether a file is an image or a page snapshot by its name."""
    return _EVIDENCE.fullmatch(name) is not None


def read_evidence(file: FileId, run_id: str, name: str, data: bytes) -> ParsedFile:
    """Return the row of an image or a page snapshot.

    Parameters
    ----------
    file
        Where it belongs.
    run_id
        The run.
    name
        Within the run folder.
    data
        Its bytes; a compressed page may be named by the hash of the page itself.

    Returns
    -------
    ParsedFile
        One row.
    """
    match = _EVIDENCE.fullmatch(name)
    if match is None:
        raise ValueError(f"{name} is no evidence")
    kind = "image" if match["image"] else match["kind"].removesuffix(".gz")
    sha256 = match["image"] or match["page"]
    rows = Records("evidence", file, run_id)
    values = {
        **{"sha256": sha256, "kind": kind, "bytes": len(data)},
        "is_named_by_content": sha256 in _hashes(data),
    }
    rows.take(name, {}, lambda _: values)
    return rows.parsed()


def _hashes(data: bytes) -> set[str]:
    found = {hashlib.sha256(data).hexdigest()}
    if data.startswith(b"\x1f\x8b"):
        try:
            found.add(hashlib.sha256(gzip.decompress(data)).hexdigest())
        except (OSError, EOFError, zlib.error):
            return found
    return found
