"""What a reviewer goes by: the criteria of each track, and the reason codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# finer than a page reader tells, which knows new and not new
CONDITIONS = ("new", "open_box", "refurbished", "used", "unknown")
NOTE_CODE = "R99_OTHER"

_COMMON = (
    "Pack quantity is free: offers are compared by the unit.",
    "New goods only.",
    "Accessories, spare parts, cases, refills for the product and bundles with extra "
    "goods are invalid.",
    "Identity alone is judged here; price and stock are ruled on by the status.",
)
CRITERIA: Mapping[str, Mapping[str, Any]] = {
    "exact": {
        "title": "Exact: the same product",
        "text": [
            "Brand and model are the same.",
            "Size or capacity of one item is the same.",
            "Colour and finish are free; in fashion colour and design must match.",
            "Generation, compatibility, region, voltage and carrier lock match.",
            *_COMMON,
        ],
    },
    "equiv": {
        "title": "Equivalent: does the same job as well",
        "text": [
            "Brand and model may differ; quality is comparable.",
            "Size or capacity of one item is the same or interchangeable in use.",
            "Colour and finish are free unless they change what it does.",
            "It works the same for a buyer in the United States.",
            *_COMMON,
        ],
    },
}

_BOTH = ("exact", "equiv")
_MEANINGS = {
    "R01_DIFFERENT_PRODUCT": ("another product", _BOTH),
    "R02_DIFFERENT_MODEL": ("another model or generation", _BOTH),
    "R03_SIZE_DIFFERS": ("size or capacity of one item differs", _BOTH),
    "R04_COLOR_FASHION": ("fashion in another colour or design", _BOTH),
    "R05_ACCESSORY_OR_PART": ("an accessory, a part or a refill", _BOTH),
    "R06_NOT_NEW": ("not new", _BOTH),
    "R07_BUNDLE": ("a bundle with other goods", _BOTH),
    "R08_LOWER_QUALITY": ("of lower quality", ("equiv",)),
    "R09_REGION_LOCK": ("for another region, voltage or carrier", _BOTH),
    "R10_COUNTERFEIT_RISK": ("may be counterfeit", _BOTH),
    "R11_SAME_PRODUCT": ("the same product: the panel refused it wrongly", _BOTH),
    "R12_EQUIVALENT": ("equivalent: the panel refused it wrongly", ("equiv",)),
    NOTE_CODE: ("another reason, told in the note", _BOTH),
}


def reason_codes() -> list[dict[str, Any]]:
    """Return the reason codes as the page shows them.

    Returns
    -------
    list of dict
        In order: code, meaning, tracks in which it can be given, and whether it needs
        a note.
    """
    return [
        {
            "code": code,
            "meaning": meaning,
            "tracks": list(tracks),
            "note_required": code == NOTE_CODE,
        }
        for code, (meaning, tracks) in _MEANINGS.items()
    ]


def tracks_of(code: str) -> tuple[str, ...]:
    """Return the tracks in which a reason can be given; none for an unknown code."""
    return _MEANINGS[code][1] if code in _MEANINGS else ()
