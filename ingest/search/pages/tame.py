"""Pages that a parser would need hours for, told before it is asked.

A parser of HTML looks through all open tags at every tag, copies open formatting into
every block and compares the attributes of a tag with each other: by the hundred
thousand they cost the square of their number, and nothing can interrupt it.
"""

from __future__ import annotations

import re

# browsers keep 512 levels
DEEPEST = 1_000
# copies of open formatting that a page may ask for
MOST_COPIES = 3_000_000

# tags hold a dozen attributes; each is compared with those before it
MOST_ATTRIBUTES = 1_000

_ATTRIBUTE = (
    r"[\s/]*+[^\s/>=][^\s/>=]*+"
    r"(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+)?)?"
)
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_TAG = re.compile(rf"<(/?)([a-zA-Z][^\s/>]*+)((?:{_ATTRIBUTE})*+[\s/]*+)")
_RAW = {name: re.compile(rf"</{name}", re.IGNORECASE) for name in ("script", "style")}
_FORMATTING = frozenset(
    {
        *("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike"),
        *("strong", "tt", "u"),
    }
)
# without content, or closed by the next of their kind
_NOT_NESTED = frozenset(
    {
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta"),
        *("param", "source", "track", "wbr", "p", "li", "td", "th", "tr", "dt", "dd"),
        *("option", "optgroup", "thead", "tbody", "tfoot", "rp", "rt", "body", "html"),
    }
)


def is_tame(html: str) -> bool:
    """Return whether a page can be parsed in time that grows with its length.

    Parameters
    ----------
    html
        Its text; anything.

    Returns
    -------
    bool
        By a count of tags that are opened and not closed, scripts left out.
    """
    place, open_tags, formatting, tags, most = 0, 0, 0, 0, 0
    while (found := _TAG.search(html, place)) is not None:
        closes, name, attributes = found.groups()
        place, tags, name = found.end(), tags + 1, name.lower()
        if len(attributes) > 2 * MOST_ATTRIBUTES and _has_too_many(attributes):
            return False
        if name in _NOT_NESTED or attributes.endswith("/"):
            continue
        if closes:
            open_tags -= open_tags > 0
            formatting -= formatting > 0 and name in _FORMATTING
            continue
        open_tags += 1
        if open_tags > DEEPEST:
            return False
        if name in _FORMATTING:
            formatting += 1
            most = max(most, formatting)
        elif name in _RAW:
            end = _RAW[name].search(html, place)
            if end is None:
                break
            place = end.start()
    return most * tags <= MOST_COPIES


def _has_too_many(attributes: str) -> bool:
    return sum(1 for _ in _ATTRIBUTES.finditer(attributes)) > MOST_ATTRIBUTES
