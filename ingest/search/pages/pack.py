"""From a title to a pack: how many items, of what size, with what inside (4.6)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ingest.search.pages.number import plain_text
from ingest.search.pages.units import LENGTH, SIZE, SIZE_NUMBER, UNIT, read_size

# no pack that is sold holds more; a larger number is something else
MOST_ITEMS = 10_000
# no title is longer; what stands beyond is read by a person
LONGEST_TITLE = 1_000

# a number that is not the tail of a word, a model number or another number
_START = r"(?<![\w.,/])(?<![A-Za-z]-)"
_COUNT = rf"{_START}(?P<count>[0-9]{{1,3}}(?:,[0-9]{{3}})|[0-9]{{1,5}})"
_PIECES = r"(?:pieces?|pcs?|pz|stk|шт)\b\.?"

_REMOVED = (
    r"\bbuy\s?[0-9]{1,3},?\s?get\s?[0-9]{1,3}(?:\sfree\b)?",
    r"\b[0-9]{1,2}[\s-]?in[\s-]?1\b",
    rf"{_START}[0-9]{{1,5}}[\s-]?{_PIECES}(?!\s?(?:x|da|of|à)\s?[0-9.,])",
)
_SIDE = rf"{SIZE_NUMBER}\s?(?:{LENGTH})?"
_DIMENSIONS = re.compile(
    rf"{_START}{_SIDE}(?:\s?x\s?{_SIDE}){{1,3}}(?![\w])", re.IGNORECASE
)
_LENGTH = re.compile(LENGTH, re.IGNORECASE)
_CLOTHES = re.compile(
    r"\b(?:jeans?|inseam|waist|pants|trousers|chinos)\b", re.IGNORECASE
)
_WAIST = re.compile(r"\b[0-9]{2}\s?x\s?[0-9]{2}\b", re.IGNORECASE)
_CROSS = re.compile(r"(?<=[\d\s])[х×✕✖](?=[\s\d])|×")

_OUTER = re.compile(
    r"\b(?:pack|case|box|set|lot|bundle)s?\sof\s(?P<count>[0-9]{1,5})\b(?![.,][0-9])",
    re.IGNORECASE,
)
_INNER_PACK = re.compile(rf"{_COUNT}[\s-]?(?:packs?|pks?)\b", re.IGNORECASE)
_INNER_SIZE = re.compile(
    rf"{_COUNT}\s?(?:x\s?(?P<times>[0-9]{{1,4}})\s?)?"
    rf"(?:x|{_PIECES}\s?(?:x|da|of|à))\s?{SIZE}",
    re.IGNORECASE,
)
_SIZE_TIMES = re.compile(
    rf"{_START}{SIZE}\s?x\s?(?P<count>[0-9]{{1,4}})(?![\w.,])", re.IGNORECASE
)
_BONUS = re.compile(
    r"(?<![\w.,+-])(?P<count>[0-9]{1,3})(?P<gap>\s?)\+(?P=gap)(?P<more>[0-9]{1,3})"
    r"(?![\w.,+%-])"
)
_TWIN = re.compile(r"\btwin[\s-]?packs?\b", re.IGNORECASE)
_DOZEN = re.compile(
    rf"(?:{_COUNT}\s|\b(?P<half>half[\s-](?:a\s)?))?\bdozen\b", re.IGNORECASE
)
_NOT_AN_ADJECTIVE = rf"(?:{UNIT}|mg|mcg|iu|ply|x|of|in|and|for|count|ct|packs?|pk)\b"
_ADJECTIVE = rf"(?:(?!{_NOT_AN_ADJECTIVE})[a-z][a-z'-]{{0,20}}\s)"
_NOUN = re.compile(
    rf"{_COUNT}[\s-]{_ADJECTIVE}?"
    r"(?:rolls|cans|bottles|bars|pairs|bulbs|boxes|pouches|cartons|jars|tins)\b",
    re.IGNORECASE,
)
_CONTENT_NOUN = (
    r"(?:tablets|capsules|softgels|gummies|wipes|sheets|tea\sbags|pods|loads)"
)
_CONTENTS = re.compile(
    rf"{_COUNT}[\s-](?:(?:count|ct)\.?\s)?{_ADJECTIVE}{{0,2}}{_CONTENT_NOUN}\b",
    re.IGNORECASE,
)
_PLAIN_COUNT = re.compile(rf"{_COUNT}[\s-]?(?:count|ct)\b", re.IGNORECASE)
_HAS_CONTENT = re.compile(rf"\b{_CONTENT_NOUN}\b", re.IGNORECASE)
_SIZE = re.compile(rf"{_START}{SIZE}", re.IGNORECASE)
_NETWORK = re.compile(r"[2-6]G")


@dataclass(frozen=True, slots=True)
class Pack:
    """How much a title sells.

    Attributes
    ----------
    count
        Identical items that could be sold one by one; 1 where the title names none.
    unit_size
        Size of one item in ``unit``, a plain decimal; None where it is not named.
    unit
        ``ml``, ``l``, ``fl oz``, ``oz``, ``lb``, ``g`` and so on; None without a size.
    contents
        Pieces inside one item (tablets, sheets, wipes).
    ambiguous
        A person has to confirm it before it is compared.
    evidence
        The words of the title that say so; None where there are none.
    """

    count: int = 1
    unit_size: str | None = None
    unit: str | None = None
    contents: int | None = None
    ambiguous: bool = False
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    """A number of items and the words that say so; sized ones name the item's size."""

    count: int
    words: str
    size: tuple[str, str] | None = None
    is_multiplied: bool = False


def read_pack(title: str) -> Pack:
    """Return how much a title sells.

    Parameters
    ----------
    title
        Of a product; anything.

    Returns
    -------
    Pack
        One item where the title says nothing else; never an exception.
    """
    text = _prepared(title[:LONGEST_TITLE])
    outer, inner = list(_outer(text)), list(_inner(text))
    nouns = list(_counted(_NOUN, text))
    contents, is_open = _contents(text)
    classes = [_least(one) for one in (outer, inner) if one] or [
        _least(one) for one in (nouns,) if one
    ]
    count = 1
    for one, _ in classes:
        count *= one.count
    ambiguous = (
        len(classes) > 1
        or any(is_mixed or one.is_multiplied for one, is_mixed in classes)
        or (bool(outer or inner) and not _agree(nouns, classes, count))
        or (is_open and not classes)
        or count > MOST_ITEMS
        or len(title) > LONGEST_TITLE
    )
    size = next((one.size for one in inner if one.size), None)
    if size is None and not _BONUS.search(text):  # "10+2 eggs 660g": of all of them
        size = _single_size(text)
    words = [one.words for one, _ in classes] or ([contents.words] if contents else [])
    return Pack(
        count=count if count <= MOST_ITEMS else 1,
        unit_size=size[0] if size else None,
        unit=size[1] if size else None,
        contents=contents.count if contents else None,
        ambiguous=ambiguous,
        evidence="title: " + ", ".join(f"'{one}'" for one in words) if words else None,
    )


def _prepared(title: str) -> str:
    """Return a title without the numbers that are never a pack."""
    text = _CROSS.sub("x", re.sub(r"\s+", " ", plain_text(title)))
    for pattern in _REMOVED:
        text = re.sub(pattern, " ", text, flags=re.IGNORECASE)
    text = _DIMENSIONS.sub(
        lambda found: " " if _LENGTH.search(found[0]) else found[0], text
    )
    return _WAIST.sub(" ", text) if _CLOTHES.search(text) else text


def _outer(text: str) -> Iterator[_Found]:
    yield from _counted(_OUTER, text)


def _inner(text: str) -> Iterator[_Found]:
    yield from _counted(_INNER_PACK, text)
    for pattern in (_INNER_SIZE, _SIZE_TIMES):
        for found in pattern.finditer(text):
            times = found.groupdict().get("times")
            count = _whole(found["count"]) * int(times or 1)
            size = read_size(found["size"], found["unit"])
            yield from _items(count, found[0], size, times is not None)
    for found in _BONUS.finditer(text):
        yield from _items(int(found["count"]) + int(found["more"]), found[0])
    for found in _TWIN.finditer(text):
        yield from _items(2, found[0])
    for found in _DOZEN.finditer(text):
        dozens = _whole(found["count"] or "1") * 12
        yield from _items(6 if found["half"] else dozens, found[0])


def _counted(pattern: re.Pattern[str], text: str) -> Iterator[_Found]:
    for found in pattern.finditer(text):
        yield from _items(_whole(found["count"]), found[0])


def _items(
    count: int,
    words: str,
    size: tuple[str, str] | None = None,
    is_multiplied: bool = False,
) -> Iterator[_Found]:
    if 1 <= count <= MOST_ITEMS:
        yield _Found(count, words.strip(), size, is_multiplied)


def _whole(text: str) -> int:
    return int(text.replace(",", ""))


def _least(found: Iterable[_Found]) -> tuple[_Found, bool]:
    """Return the smallest of one class, and whether others differ from it."""
    ranked = sorted(found, key=lambda one: one.count)
    return ranked[0], ranked[0].count != ranked[-1].count


def _agree(
    nouns: Iterable[_Found], classes: Iterable[tuple[_Found, bool]], count: int
) -> bool:
    """Return whether counted nouns say no more than the pack: 24 Pack, 24 cans."""
    known = {count, *(one.count for one, _ in classes)}
    return all(one.count in known for one in nouns)


def _contents(text: str) -> tuple[_Found | None, bool]:
    """Return pieces inside an item, and whether they could be items themselves."""
    named = list(_counted(_CONTENTS, text))
    plain = list(_counted(_PLAIN_COUNT, text))
    if not named and not plain:
        return None, False
    found, is_mixed = _least(named or plain)
    return found, is_mixed or not (named or _HAS_CONTENT.search(text))


def _single_size(text: str) -> tuple[str, str] | None:
    for found in _SIZE.finditer(text):
        # 5G is a network, 5 g a size
        if not _NETWORK.fullmatch(found[0]):
            return read_size(found["size"], found["unit"])
    return None
