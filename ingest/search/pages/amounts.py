"""Amounts in the visible text of a page, and which of them words take away (4.4)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice

from ingest.search.pages.currency import CENT, DOLLAR, MARK, USD, mark_code
from ingest.search.pages.number import plain_text, read_number

# how an amount is bound: the usual price, a discount or charge or part, or nothing
LIST = "list"
OTHER = "other"

# more than a price has around it: nothing in such a text is the price
_MOST_TOKENS = 400

_DASHES = "-−–—"
_NUMBER = r"(?:(?<![^\s$€£¥])[.,])?[0-9][0-9.,]*"
_TOKEN = re.compile(rf"(?P<number>{_NUMBER})|(?P<mark>{MARK})")
_DIGITS_AFTER = re.compile(r"[-–—]\s?[0-9]|\s[-–—]\s?[0-9]|\sto\s[0-9]")
# a number with these behind it is no amount that can be read: $5k, $2½
_UNREADABLE_AFTER = re.compile(r"[kKmMbB](?![A-Za-z])|⁄")
_THREE = re.compile(r"[0-9]{3}(?![0-9])")
_THREE_AFTER = re.compile(r" [0-9]{3}(?![0-9])")
_DIGIT_BEFORE = re.compile(r"[0-9] ")

_LIST_WORDS = re.compile(
    r"\b(?:was|(?<!to )(?<!wish )list|reg|regular|regularly|orig|original|originally"
    r"|msrp|srp|rrp|retail|compare at|compared to)\b",
    re.IGNORECASE,
)
_PREFIX_WORDS = re.compile(
    r"\b(?:saved?|saves|savings?|coupon|discount|rebate|cash ?back|rewards?|gift card"
    r"|shipping|ships|delivery|handling|protection|warranty|insurance|trade.in|deposit"
    r"|subscribe|subscription|members?|membership|payments of|installments of"
    r"|instalments of|orders? over|orders? of|plus)\b|\+",
    re.IGNORECASE,
)
_PER = r"per\s(?!(?:pack|box|case|set|order)\b)[a-z]+"
_SPAN = r"(?:months?|mos?|weeks?|wks?|days?|years?|yrs?|payments|installments)"
_SUFFIX = re.compile(
    rf"[\s(\[,:]{{0,3}}(?:/\s?[a-z0-9]|{_PER}|monthly|weekly|biweekly|yearly|annually"
    rf"|an?\s{_SPAN}\b|every\s[a-z]|(?:for|over|with|x)\s?[0-9]{{1,3}}\s?{_SPAN}\b"
    r"|[x×]\s?[0-9]|(?:instantly\s)?off\b|(?:in\s)?points\b"
    r"|(?:back|rebate|cash ?back)\b)",
    re.IGNORECASE,
)
_EACH = re.compile(r"[\s(\[,/]{0,3}(?:each|ea|apiece)\b", re.IGNORECASE)
# nouns that stand on either side of their amount: "Shipping $5" and "$5 shipping"
_NOUN = re.compile(
    r"\s?(?:(?:standard|flat|flat.rate|ground|instant|digital|extra|for)\s){0,2}"
    r"(?:(?P<charge>shipping|delivery|handling|warranty|protection|deposit)"
    r"|(?P<gain>coupon|discount|savings|saved|trade.in|gift card|credit))\b"
    r"(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_FROM = re.compile(
    r"(?:\bfrom|\bstart(?:ing|s) at|\bas low as)\s?:?\s?$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Amount:
    """One amount of money in a text.

    Attributes
    ----------
    value
        Zero or more; None where it cannot be read.
    currency
        Its code; None where the text does not say.
    start, end
        Its place in the plain text, marks included.
    bound
        ``list``, ``other`` or None.
    is_from, is_each, is_range
        ``from`` stands before it; ``each`` after it; it is one end of a range.
    """

    value: Decimal | None
    currency: str | None
    start: int
    end: int
    bound: str | None = None
    is_from: bool = False
    is_each: bool = False
    is_range: bool = False


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int
    is_number: bool


def find_amounts(text: str, us_page: bool) -> list[Amount]:
    """Return the amounts of a text that carry a currency mark.

    Parameters
    ----------
    text
        Visible text of a page; anything.
    us_page
        A bare ``$`` is a US dollar.

    Returns
    -------
    list of Amount
        In the order of the text; amounts with a minus sign are left out. One that
        cannot be read where the text holds hundreds.
    """
    plain = plain_text(text)
    tokens = _tokens(plain)
    if len(tokens) > _MOST_TOKENS:
        return [Amount(None, None, 0, 0)]
    found = [
        amount
        for number, marks in _marked_numbers(tokens)
        if (amount := _amount(plain, number, marks, us_page)) is not None
    ]
    return _bind(plain, found)


def _tokens(plain: str) -> list[_Token]:
    tokens = []
    for match in islice(_TOKEN.finditer(plain), _MOST_TOKENS + 1):
        is_number = match.lastgroup == "number"
        # a full stop or comma at the end of a number belongs to the sentence
        shown = match[0].rstrip(".,") if is_number else match[0]
        end = match.start() + len(shown)
        tokens.append(_Token(shown, match.start(), end, is_number))
    return tokens


def _marked_numbers(tokens: Sequence[_Token]) -> list[tuple[_Token, list[_Token]]]:
    """Return numbers with their marks; a mark belongs to the nearer number."""
    marks: dict[int, list[_Token]] = {}
    for place, token in enumerate(tokens):
        if token.is_number:
            continue
        left, right = _reach(tokens, place, -1), _reach(tokens, place, 1)
        nearest = min((way[1] for way in (left, right) if way), default=None)
        for way in (left, right):
            if way and way[1] == nearest:
                marks.setdefault(way[0], []).append(token)
    return [(tokens[place], marks[place]) for place in sorted(marks)]


def _reach(tokens: Sequence[_Token], place: int, step: int) -> tuple[int, int] | None:
    """Return the number that a mark stands beside, and how far, over other marks."""
    distance, at = 0, place
    # "US $ 12": no more than two marks stand between a mark and its number
    for _ in range(3):
        if not 0 <= at + step < len(tokens):
            return None
        near, far = sorted((tokens[at], tokens[at + step]), key=lambda one: one.start)
        distance += far.start - near.end
        at += step
        if distance > 2:
            return None
        if tokens[at].is_number:
            return at, distance
    return None


def _amount(
    plain: str, number: _Token, marks: Sequence[_Token], us_page: bool
) -> Amount | None:
    start = min(number.start, *(mark.start for mark in marks))
    end = max(number.end, *(mark.end for mark in marks))
    sign = _sign(plain, start)
    if sign == "minus" or any(dash in plain[start : number.start] for dash in _DASHES):
        return None
    value = read_number(number.text)
    names = [mark.text for mark in marks]
    if value is not None and all(name == CENT for name in names):
        value /= 100
    if _UNREADABLE_AFTER.match(plain, number.end) or (
        DOLLAR not in names and _is_split(plain, number)
    ):
        value = None
    codes = [code for name in names if (code := mark_code(name))]
    domestic = USD if us_page and {DOLLAR, CENT} & set(names) else None
    is_range = sign == "range" or _DIGITS_AFTER.match(plain, end) is not None
    return Amount(value, codes[0] if codes else domestic, start, end, is_range=is_range)


def _sign(plain: str, start: int) -> str | None:
    """Return what a dash before an amount is: a minus, one half of a range, or none."""
    before = plain[max(0, start - 4) : start]
    touching = before[-1:]
    dash = before.rstrip()[-1:]
    if dash == "" or dash not in _DASHES:
        return None
    rest = before.rstrip()[:-1].rstrip()
    if rest and (rest[-1].isdigit() or rest[-1] in "$€£¢"):
        return "range"
    if touching in _DASHES or dash == "−" or (not rest and start <= 4):
        return "minus"
    return None  # "Buy now - $60": the dash of a sentence


def _is_split(plain: str, number: _Token) -> bool:
    """Return whether a number is part of one with spaces at thousands: 1 234 €."""
    before = plain[max(0, number.start - 2) : number.start]
    goes_on = number.text.isdigit() and _THREE_AFTER.match(plain, number.end)
    return bool(
        goes_on or (_THREE.match(number.text) and _DIGIT_BEFORE.fullmatch(before))
    )


def _bind(plain: str, amounts: Sequence[Amount]) -> list[Amount]:
    """Return amounts with what the words between them say of each."""
    bound: list[Amount] = []
    for place, amount in enumerate(amounts):
        left = amounts[place - 1] if place else None
        right = amounts[place + 1] if place + 1 < len(amounts) else None
        before = plain[left.end if left else 0 : amount.start]
        after = plain[amount.end : right.start if right else len(plain)]
        kind = _before(before, left is not None) or _after(after, amount, right)
        bound.append(
            replace(
                amount,
                bound=kind,
                is_from=_FROM.search(before) is not None,
                is_each=_EACH.match(after) is not None,
            )
        )
    return bound


def _before(gap: str, has_left: bool) -> str | None:
    noun = _NOUN.match(gap) if has_left else None
    if noun and _ends_there(noun):
        gap = noun["rest"]
    if _PREFIX_WORDS.search(gap):
        return OTHER
    return LIST if _LIST_WORDS.search(gap) else None


def _after(gap: str, amount: Amount, right: Amount | None) -> str | None:
    if _SUFFIX.match(gap):
        return OTHER
    noun = _NOUN.match(gap)
    if noun is None:
        return None
    # "$5 coupon $20" has no price: the coupon is the smaller amount, so the first, and
    # the second is taken away by the word before it
    is_gain = noun["gain"] and right and (amount.value or 0) < (right.value or 0)
    return OTHER if right is None or is_gain or _ends_there(noun) else None


def _ends_there(noun: re.Match[str]) -> bool:
    """Return whether a noun behind an amount is cut off from the amount after it."""
    return noun["rest"].lstrip(" ").startswith(tuple(",;.|)\n"))
