"""One name for a brand, however it is written (search.md 3)."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

_MARKS = str.maketrans("", "", "™®©℠")
_COMPANY = frozenset({"inc", "llc", "ltd", "co", "corp"})
_NONE: Mapping[str, str] = MappingProxyType({})


def normal_brand(brand: str, aliases: Mapping[str, str] = _NONE) -> str:
    """Return the name under which a brand is compared.

    Parameters
    ----------
    brand
        As a page writes it.
    aliases
        Normal name -> the normal name that it is known by.

    Returns
    -------
    str
        NFKC, case folded, without marks, punctuation and what companies end with,
        single spaces; empty for a brand without a letter or digit.
    """
    # before NFKC, which would write the marks out as letters
    text = unicodedata.normalize("NFKC", brand.translate(_MARKS)).casefold()
    kept = "".join(sign for sign in text if not _is_punctuation(sign))
    words = kept.split()
    while len(words) > 1 and words[-1] in _COMPANY:
        words.pop()
    name = " ".join(words)
    return aliases.get(name, name)


def _is_punctuation(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "PS"
