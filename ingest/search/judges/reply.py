"""What a judge's reply says: a verdict that stands in it, or none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

VALID, INVALID = "valid", "invalid"
# why a reply holds no vote
NO_VERDICT, UNKNOWN_VALUE, AMBIGUOUS = "no_verdict", "unknown_value", "ambiguous"

_WORDS = {
    **dict.fromkeys(("valid", "true", "yes", "pass"), VALID),
    **dict.fromkeys(("invalid", "false", "no", "fail"), INVALID),
}
_KEYS = ("verdict", "valid")
# an escape that JSON knows, or a backslash that begins none
_ESCAPE = re.compile(r'\\(u[0-9a-fA-F]{4}|["\\/bfnrt])|\\')
# what looks like a verdict, whole or cut, escaped or not
_SHAPE = re.compile(r'\\*"verdict\\*"\s*:\s*(?:\\*"(?P<word>\w*)|(?P<bare>\w+))')
# braces that begin no object; a reply with more of them is no answer to a question
_MOST_STRAY = 200
_BLANKS = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reply says.

    Attributes
    ----------
    verdict
        ``valid`` or ``invalid``; None: the reply is no vote.
    reason
        In the judge's words, where it gives one.
    error
        Why it is no vote: ``no_verdict``, ``unknown_value`` or ``ambiguous``.
    repaired
        The reply was cut after its verdict, or held a backslash that JSON forbids.
    """

    verdict: str | None
    reason: str | None = None
    error: str | None = None
    repaired: bool = False


class _Twice:
    """The value of a key that stands twice in an object with different values."""


def read_verdict(text: str) -> Verdict:
    """Read a judge's reply (search.md 6.3).

    The whole reply as JSON; else every object in it that has a verdict, in fences or
    not, all of which must say the same: product text that a judge quotes may hold an
    object of the same shape, so its place is no evidence. A reply that was cut counts
    if one verdict is complete in it and nothing contradicts.

    Parameters
    ----------
    text
        The reply.

    Returns
    -------
    Verdict
        Nothing is taken for a vote by default, nor by being true or false to Python.
    """
    for candidate in dict.fromkeys((text, _ESCAPE.sub(_doubled, text))):
        found = _read(candidate)
        if found is not None:
            repaired = found.repaired or candidate is not text
            return Verdict(found.verdict, found.reason, found.error, repaired)
    return Verdict(None, error=NO_VERDICT)


def _doubled(escape: re.Match[str]) -> str:
    return escape[0] if escape[1] else "\\\\"


def _read(text: str) -> Verdict | None:
    """Return what a text says, None where it holds no object with a verdict."""
    whole = _value(text.strip())
    if isinstance(whole, dict):
        return _of_object(whole)
    objects = [(span, one) for span, one in _objects(text) if "verdict" in one]
    rest = _cut_out(text, [span for span, _ in objects])
    if not objects:
        return _cut_short(text)
    said = [_of_object(one) for _, one in objects]
    shapes = {_word(m["word"] or m["bare"] or "") for m in _SHAPE.finditer(rest)}
    if len({one.verdict for one in said} | shapes) > 1:
        return Verdict(None, error=AMBIGUOUS)
    return said[0]


def _value(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        return None


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    for key in _KEYS:
        values = [value for name, value in pairs if name == key]
        if any(value != values[0] for value in values):
            found[key] = _Twice()
    return found


def _of_object(found: Mapping[str, Any]) -> Verdict:
    given = [key for key in _KEYS if key in found]
    if not given:
        return Verdict(None, error=NO_VERDICT)
    if any(isinstance(found[key], _Twice) for key in given):
        return Verdict(None, error=AMBIGUOUS)
    said = {_reading(key, found[key]) for key in given}
    if len(said) > 1:
        return Verdict(None, error=AMBIGUOUS)
    verdict = said.pop()
    reason = found.get("reason")
    return Verdict(
        verdict,
        reason if isinstance(reason, str) and reason.strip() else None,
        None if verdict else UNKNOWN_VALUE,
    )


def _reading(key: str, value: Any) -> str | None:
    if isinstance(value, bool):
        # a bare true is an answer to "valid", and not to "verdict"
        return {True: VALID, False: INVALID}[value] if key == "valid" else None
    return _word(value) if isinstance(value, str) else None


def _word(text: str) -> str | None:
    return _WORDS.get(text.strip().lower())


def _objects(text: str) -> Iterator[tuple[tuple[int, int], dict[str, Any]]]:
    """Yield the outermost JSON objects of a text, each with its place."""
    decoder, stray = json.JSONDecoder(object_pairs_hook=_object), 0
    at = text.find("{")
    while at >= 0 and stray < _MOST_STRAY:
        try:
            value, end = decoder.raw_decode(text, at)
            yield (at, end), value
        except (ValueError, RecursionError):
            end, stray = at + 1, stray + 1
        at = text.find("{", end)


def _cut_out(text: str, spans: Sequence[tuple[int, int]]) -> str:
    kept, at = [], 0
    for start, end in spans:
        kept.append(text[at:start])
        at = end
    return "\n".join([*kept, text[at:]])


def _cut_short(text: str) -> Verdict | None:
    """Return the one verdict that is complete in a reply which ends inside its object.

    Source: search.md 6.3, rule 5.
    """
    starts = [one.start() for one in re.finditer(r"\{", text)][:_MOST_STRAY]
    cut = (_pairs_of_cut(text, at) for at in starts)
    pairs = next((one for one in cut if one is not None), [])
    if not any(key == "verdict" for key, _ in pairs):
        return None
    if len(_SHAPE.findall(text)) > 1:
        return Verdict(None, error=AMBIGUOUS)
    said = _of_object(_object(pairs))
    return Verdict(said.verdict, said.reason, said.error, said.verdict is not None)


def _pairs_of_cut(text: str, at: int) -> list[tuple[str, Any]] | None:
    """Return the complete pairs of an object that the text ends in, None for others.

    A pair counts once the comma after it is there: a number or a word may go on.
    """
    decoder, pairs = json.JSONDecoder(), list[tuple[str, Any]]()
    at = _skip(text, at + 1)
    while at < len(text):
        start = at
        try:
            key, at = decoder.raw_decode(text, at)
            at = _skip(text, at)
            if not isinstance(key, str) or text[at : at + 1] not in (":", ""):
                return None
            value, at = decoder.raw_decode(text, _skip(text, at + 1))
        except (ValueError, RecursionError):
            return pairs if _is_open(text[start:]) else None
        at = _skip(text, at)
        if at < len(text) and text[at] != ",":
            return None
        if at < len(text) or isinstance(value, str):
            pairs.append((key, value))
        at = _skip(text, at + 1)
    return pairs


def _skip(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def _is_open(rest: str) -> bool:
    """Return whether a text from a key on breaks off in a string or before a value."""
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", rest, flags=re.DOTALL)
    before, quote, _ = outside.partition('"')
    if quote:
        return "}" not in before
    return re.fullmatch(r"[\s:,\[{\w.-]*", outside) is not None
