"""Reading a reply: which letter it names, strictly and as the published study did."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

# marks that models put around a letter: markdown, quotes, brackets, full stops
_MARKS = "*_`\"'“”‘’()[]{}<>.:;!#\\ \t\r\n"
_OPTION = re.compile(r"\boption\b[\s:*_`\"'(\[]*([A-E])\b", re.IGNORECASE)
_LEADING = re.compile(r"""[*_(\["'`]*([A-E])[*_"'`]*[).:,\]]""")
_CAPITAL = re.compile(r"\b([A-E])\b")
_FINAL = re.compile(
    r"final\s+answer(?:\s+is)?\W*?(?:option\W*)?\b([A-E])\b", re.IGNORECASE
)
_JSON_KEYS = ("option", "choice", "answer", "letter")


@dataclass(frozen=True, slots=True)
class HotelReply:
    """What one reply says.

    Attributes
    ----------
    letter
        The slot it names by our reading; None where it names none or several.
    state
        ``letter`` (nothing but the letter, or the form that was asked for), ``json``
        (an object that names it), ``salvaged`` (a sentence that names one option and
        no other) or ``invalid``.
    published_letter
        The slot by the published reading, which takes the leftmost letter it finds.
    """

    letter: str | None
    state: str
    published_letter: str | None


def read_reply(
    text: str | None, letters: Sequence[str], *, thinks_aloud: bool = False
) -> HotelReply:
    """Read the reply of a call that succeeded.

    Parameters
    ----------
    text
        The reply as it came; None and blank are read as invalid.
    letters
        The slots shown, in order.
    thinks_aloud
        Whether a last line ``Final answer: X`` was asked for.

    Returns
    -------
    HotelReply
        Both readings. Ours takes no letter out of a word, an article or a comparison:
        a reply that could mean two options is invalid.
    """
    body = (text or "").strip()
    if not body:
        return HotelReply(None, "invalid", None)
    letter, state = _strict(body, letters, thinks_aloud)
    return HotelReply(letter, state, _published(body, letters, thinks_aloud))


def _strict(
    body: str, letters: Sequence[str], thinks_aloud: bool
) -> tuple[str | None, str]:
    if thinks_aloud:
        named = {letter.upper() for letter in _FINAL.findall(body)}
        if named:
            return _only(named, letters, "letter")
    found = _named_in_json(body)
    if found is not None:
        return (found, "json") if found in letters else (None, "invalid")
    bare = _bare(body)
    if bare in letters:
        return bare, "letter"
    # "A" may be an article: it counts only behind the word option or as a heading, and
    # any other capital letter on its own makes the reply ambiguous
    named = {letter.upper() for letter in _OPTION.findall(body)}
    heading = _LEADING.match(body)
    if heading:
        named.add(heading[1])
    loose = set(_CAPITAL.findall(body))
    return _only(named | loose, letters, "salvaged") if named else (None, "invalid")


def _only(
    named: set[str], letters: Sequence[str], state: str
) -> tuple[str | None, str]:
    if len(named) == 1 and named <= set(letters):
        return next(iter(named)), state
    return None, "invalid"


def _named_in_json(body: str) -> str | None:
    fenced = re.fullmatch(r"```[a-zA-Z]*\s*\n?(.*?)\s*```", body, re.DOTALL)
    try:
        given = json.loads(fenced[1] if fenced else body)
    # a reply of a thousand brackets names no option either
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict):
        return None
    values = [given[key] for key in _JSON_KEYS if key in given]
    if len(values) != 1 or not isinstance(values[0], str):
        return None
    return _bare(values[0])


def _bare(text: str) -> str:
    """Return what is left of ``**Option b:**``: ``B``."""
    return text.strip(_MARKS).upper().removeprefix("OPTION").strip(_MARKS)


def _published(body: str, letters: Sequence[str], thinks_aloud: bool) -> str | None:
    """Read as the published study did (Kireyev 2026, reading the reply)."""
    valid = "".join(letters)
    if thinks_aloud:
        marks = r"[\s:\-–—()\[\]*]*"
        final = re.findall(rf"final answer{marks}([{valid}])\b", body, re.IGNORECASE)
        alone = re.findall(rf"\b([{valid}])\b", body)
        found = final or alone
        if found:
            return str(found[-1]).upper()
    if body.upper() in letters:
        return body.upper()
    for pattern, flags in (
        (rf"\b(?:option\s*)?([{valid}])\b", re.IGNORECASE),
        (rf"([{valid}])", 0),
    ):
        found_at = re.search(pattern, body, flags)
        if found_at:
            return found_at[1].upper()
    return None
