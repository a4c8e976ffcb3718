"""From what a reviewer posts to the record that is kept, or why it is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ingest.search.pages.stock import AVAILABILITIES, UNBUYABLE
from pricebench.review.criteria import (
    CONDITIONS,
    NOTE_CODE,
    tracks_of,
)
from pricebench.review.errors import Refused

Record = Mapping[str, Any]

FIELDS = (
    *("price", "shipping", "fees", "pack_count", "availability", "condition"),
    *("final_url", "currency"),
)
REF_FIELDS = ("price", "shipping", "fees", "pack_count", "is_fashion")
# a page that says so cannot be verified as it stands
_OPPOSITE = {"valid": "invalid", "invalid": "valid", "no_majority": ""}
_CLOSED = {"availability": AVAILABILITIES, "condition": CONDITIONS}
_URL = re.compile(r"https?://[^\s/]+(?:[/?#]\S*)?")
_CURRENCY = re.compile(r"[A-Z]{3}")
_LONGEST = {"reviewer": 100, "note": 4_000, "void_reason": 400}


def now_text() -> str:
    """Return the time as records hold it."""
    from ingest.search.write_artifact import time_text

    return time_text(datetime.now(UTC))


def label_of(
    posted: Any, track: str, panel_verdict: str, before: Record | None, at: str
) -> dict[str, Any]:
    """Return the label that a reviewer's post makes.

    Parameters
    ----------
    posted
        As in the request.
    track
        Whose label.
    panel_verdict
        valid, invalid or no_majority.
    before
        The label that stands, whose draw and second opinion stay.
    at
        When it was posted.

    Returns
    -------
    dict
        A record of a label file, but for what its reader checks.

    Raises
    ------
    Refused
        No reviewer, an overturned panel without a reason, a reason without the note
        that it needs, or values that no field can have.
    """
    record = _object(posted, "label")
    ruling = _object(record.get("ruling") or {}, "validity")
    validity = ruling.get("validity")
    overturns = validity == _OPPOSITE.get(panel_verdict)
    fields = _fields(record.get("fields"), FIELDS)
    _check_closed(fields)
    made = {
        "ruling": {"validity": validity, "status": ruling.get("status")},
        "fields": fields,
        "overturns_panel": overturns,
        "reason_code": record.get("reason_code") or None,
        "note": _text(record, "note"),
        "reviewer": _reviewer(record),
        "at": at,
    }
    _check_reason(made, track)
    kept = ("sampled", "inclusion_probability", "blind")
    stands = before or {}
    return {**made, **{name: stands[name] for name in kept if name in stands}}


def _check_reason(label: Record, track: str) -> None:
    code = label["reason_code"]
    if label["overturns_panel"] and code is None:
        raise Refused(
            "the ruling overturns the panel: choose a reason", field="reason_code"
        )
    if code is not None and track not in tracks_of(str(code)):
        raise Refused(f"{code!r} is no reason of track {track}", field="reason_code")
    if code == NOTE_CODE and label["note"] is None:
        raise Refused(f"{NOTE_CODE} needs a note that tells the reason", field="note")


def _check_closed(fields: Record) -> None:
    for name, allowed in _CLOSED.items():
        if fields[name] is not None and fields[name] not in allowed:
            raise Refused(f"{name} is none of {', '.join(allowed)}", field=name)
    for name, pattern, what in (
        ("final_url", _URL, "an address that starts with http:// or https://"),
        ("currency", _CURRENCY, "three capital letters"),
    ):
        value = fields[name]
        if value is not None and (
            not isinstance(value, str) or pattern.fullmatch(value) is None
        ):
            raise Refused(f"{name} is not {what}", field=name)


def shared_with(label: Record | None, other: Record | None) -> dict[str, Any] | None:
    """Return the other track's label once this track's one is saved.

    Parameters
    ----------
    label
        What was saved; None: it was taken back.
    other
        What stands in the other track.

    Returns
    -------
    dict or None
        Fields and status are those of the page and so of both tracks, validity and
        reason are a track's own. None where nothing is left to say.
    """
    fields = label["fields"] if label else dict.fromkeys(FIELDS)
    status = label["ruling"]["status"] if label else None
    if other is None:
        if label is None or not (status or _is_any(fields)):
            return None
        return {
            "ruling": {"validity": None, "status": status},
            "fields": fields,
            **{"overturns_panel": False, "reason_code": None, "note": None},
            **{"reviewer": label["reviewer"], "at": label["at"]},
        }
    told = {"fields": fields, "ruling": {**other["ruling"], "status": status}}
    if told == {"fields": other["fields"], "ruling": other["ruling"]}:
        return dict(other)
    own = (other["ruling"]["validity"], other.get("note"), other.get("sampled"))
    if not any(own) and not (status or _is_any(fields)):
        return None
    return {**other, **told, "at": label["at"] if label else other["at"]}


def check_settled(label: Record, row: Record) -> None:
    """Refuse a label that contradicts itself once everything is worked out.

    Parameters
    ----------
    label
        The label.
    row
        Its candidate in force: status, currency, amounts, pack and cost; and what its
        page says of stock and condition where the label corrects neither.

    Raises
    ------
    Refused
        Where it is verified, ruled or as recorded, though fields say otherwise.
    """
    if row["status"] != "verified" and label["ruling"]["status"] != "verified":
        return
    for name, wrong in (
        ("availability", row["availability"] in UNBUYABLE),
        ("condition", row["condition"] not in ("new", None)),
        ("currency", row["currency"] not in ("USD", None)),
    ):
        if wrong:
            ruled = label["ruling"]["status"] == "verified"
            raise Refused(
                f"verified does not go with {name} {row[name]}: correct it or rule "
                "the status rejected",
                field=name if ruled else "status",
            )
    for name, column in (
        ("price", "price_usd"),
        ("shipping", "shipping_usd"),
        ("pack_count", "cost_den"),
    ):
        if row[column] is None and label["ruling"]["status"] == "verified":
            raise Refused(f"verified needs the {name}: it is unknown", field=name)
    if row["price_usd"] is not None and row["price_usd"] <= 0:
        raise Refused("verified needs a price above 0", field="price")


def ref_of(posted: Any, at: str) -> dict[str, Any]:
    """Return the correction of a reference that a reviewer's post makes.

    Parameters
    ----------
    posted
        As in the request.
    at
        When it was posted.

    Returns
    -------
    dict
        A record of the file of corrections, but for what its reader checks.

    Raises
    ------
    Refused
        No reviewer, a void product without a reason, or a price of 0.
    """
    record = _object(posted, "ref")
    made = {
        "fields": _fields(record.get("fields"), REF_FIELDS),
        "void": record.get("void", False),
        "void_reason": _text(record, "void_reason"),
        "note": _text(record, "note"),
        "reviewer": _reviewer(record),
        "at": at,
    }
    if not isinstance(made["void"], bool):
        raise Refused("void is neither true nor false", field="void_reason")
    if made["void"] and made["void_reason"] is None:
        raise Refused("a void product needs a reason", field="void_reason")
    price = made["fields"]["price"]
    if isinstance(price, str) and re.fullmatch(r"0+\.00", price):
        raise Refused("a reference costs more than 0", field="price")
    return made


def _object(value: Any, field: str) -> Record:
    if not isinstance(value, dict):
        raise Refused(f"{field} is no JSON object", field=field)
    return value


def _fields(posted: Any, names: Sequence[str]) -> dict[str, Any]:
    given = _object({} if posted is None else posted, "fields")
    odd = sorted(set(given) - set(names))
    if odd:
        raise Refused(f"no field {odd[0]!r} can be corrected", field="fields")
    # a field that was emptied is not corrected
    return {name: None if given.get(name) == "" else given.get(name) for name in names}


def _text(record: Record, name: str) -> str | None:
    value = record.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise Refused(f"{name} is no text", field=name)
    if len(value) > _LONGEST[name]:
        raise Refused(f"{name} is longer than {_LONGEST[name]:,} signs", field=name)
    return value.strip() or None


def _reviewer(record: Record) -> str:
    name = _text(record, "reviewer")
    if name is None:
        raise Refused("who rules? fill in the reviewer's name", field="reviewer")
    return name


def _is_any(fields: Record) -> bool:
    return any(value is not None for value in fields.values())
