"""Words on a page that rule its product out: whole words, not parts of others."""

from __future__ import annotations

import re

# goods about the thing that is named, which are goods like any other
_ABOUT = (
    r"(?!\s+(?:holders?|wallets?|cases?|box(?:es)?|sleeves?|envelopes?|organi[sz]ers?"
    r"|displays?|stands?|racks?|bags?|tins?|trays?|albums?|readers?|covers?|pouch(?:es)?"
    r"|purses?|tags?|lights?|printers?)\b)"
)
_DIGITAL = re.compile(
    r"\b(?:e-?gift(?:\s+cards?)?|gift\s+(?:cards?|certificates?|vouchers?)"
    r"|(?:digital|instant|online)\s+(?:downloads?|codes?|cop(?:y|ies)|delivery)"
    r"|(?:activation|download|game)\s+(?:codes?|keys?)|kindle\s+edition"
    r"|e-?books?|audiobooks?|subscriptions?|memberships?)\b" + _ABOUT,
    re.IGNORECASE,
)
# "no subscription required", "subscription-free"
_DENIED_BEFORE = re.compile(
    r"\b(?:no|without|zero|non|not\s+an?)[\s-]+(?:\w+[\s-]+){0,2}$", re.IGNORECASE
)
_DENIED_AFTER = re.compile(r"^(?:[\s-]+free|\s+not)\b", re.IGNORECASE)
_DIGITAL_PAGE = re.compile(
    r"\b(?:instant\s+download|auto-?\s?delivery\s+only|email\s+delivery)\b",
    re.IGNORECASE,
)
_SO_FAR = (
    r"(?!\s+(?:by|for|in|with|to|as|on|at|when|while|during|worldwide|daily|from)\b)"
)
_NOT_NEW = re.compile(
    r"\b(?:renewed|refurbished|open[\s-]box|pre-?\s?owned)\b"
    r"|(?:^|[(\[,:|–—]\s*|\s-\s*)used\b"
    + _SO_FAR
    + r"|\b(?:gently|lightly|slightly|previously)[\s-]used\b"
    r"|\bused\s*[-–—:,(]?\s*(?:like\s+new|very\s+good|good|acceptable|fair)\b"
    r"|\bused\s+condition\b",
    re.IGNORECASE,
)
_GRADE = re.compile(r"\bgrade\s+[ab]\b", re.IGNORECASE)
# "Grade A" is a quality of food, and says nothing about who had it before
_GRADED_FOOD = "grocery"
_HIDDEN_PRICE = re.compile(
    r"\b(?:see\s+(?:final\s+)?price\s+in\s+(?:your\s+)?(?:cart|bag|checkout)"
    r"|add\s+to\s+(?:cart|bag)\s+to\s+see\s+(?:the\s+)?price"
    r"|members?[\s-]only\s+prices?|sign\s+in\s+(?:to\s+see|for)\s+(?:the\s+)?price)\b",
    re.IGNORECASE,
)
_NOT_HERE = re.compile(
    r"\b(?:does\s+not|doesn['’]t|cannot\s+be|can['’]t\s+be|will\s+not|won['’]t)\s+"
    r"(?:be\s+)?(?:ship(?:ped)?|deliver(?:ed)?)\s+to\s+"
    r"(?:(?:your|the|this|that)\s+(?:\w+\s+)?(?:location|address|area|zip(?:\s+code)?)"
    r"|new\s+york|10001|the\s+united\s+states)\b",
    re.IGNORECASE,
)
_PICKUP = re.compile(
    r"\b(?:(?:store\s+)?pick-?\s?up\s+only|in[\s-]store\s+only)\b", re.I
)


def digital_marker(title: str, text: str) -> str | None:
    """Return the words that make a product a digital good, card or subscription.

    Parameters
    ----------
    title
        Of the product.
    text
        Of its page, as a visitor sees it.

    Returns
    -------
    str or None
        As they stand; None where there are none.
    """
    for found in _DIGITAL.finditer(title):
        before, after = title[: found.start()], title[found.end() :]
        if not _DENIED_BEFORE.search(before) and not _DENIED_AFTER.match(after):
            return found[0]
    return _first(_DIGITAL_PAGE, text)


def not_new_marker(title: str, category: str) -> str | None:
    """Return the words of a title that say that a product is not new.

    Parameters
    ----------
    title
        Of the product.
    category
        Of the cell: in groceries a grade is no condition.

    Returns
    -------
    str or None
        As they stand; None where there are none.
    """
    found = _first(_NOT_NEW, title)
    if found is None and category != _GRADED_FOOD:
        found = _first(_GRADE, title)
    return found


def hidden_price_marker(text: str) -> str | None:
    """Return the words of a page that hide its price, None where there are none."""
    return _first(_HIDDEN_PRICE, text)


def not_here_marker(text: str) -> str | None:
    """Return the words of a page that it does not ship to the buyer, else None."""
    return _first(_NOT_HERE, text)


def pickup_marker(text: str) -> str | None:
    """Return the words of a page that it is for a store only, else None."""
    return _first(_PICKUP, text)


def _first(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return None if found is None else found[0].strip(" \t\n(),:|[–—-")
