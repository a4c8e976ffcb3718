"""The keys of services: their names and uses, and keeping them out of every text."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from types import MappingProxyType

# environment variable -> what it opens; `.env.example` lists the same
KEYS: Mapping[str, str] = MappingProxyType(
    {
        "OPENAI_API_KEY": "models openai/…; agent gpt; endpoints of --api-base",
        "ANTHROPIC_API_KEY": "models anthropic/…; agent claude",
        "GEMINI_API_KEY": "models gemini/…; agent gemini",
        "OPENROUTER_API_KEY": "models openrouter/…, where --route counts",
        "PERPLEXITY_API_KEY": "models perplexity/…; agent perplexity",
        "FINDCHEAP_API_KEY": "search agent findcheap",
        "FIRECRAWL_API_KEY": "shop pages rendered by Firecrawl",
    }
)


def redact(text: str) -> str:
    """Return a text without the keys of this environment, and on one line.

    Parameters
    ----------
    text
        Perhaps an error that quotes a request.

    Returns
    -------
    str
        Keys are replaced by the name of their variable.
    """
    return " ".join(hide(text).split())


def hide(text: str, more: Iterable[str] = ()) -> str:
    """Return a text without the keys of this environment, and otherwise as it is.

    Parameters
    ----------
    text
        Any.
    more
        Names of variables that hold keys too.

    Returns
    -------
    str
        Keys are replaced by the name of their variable.
    """
    for name, key in known_keys(more).items():
        text = text.replace(key, f"<{name}>")
    return text


def known_keys(more: Iterable[str] = ()) -> dict[str, str]:
    """Return the keys of this environment by variable; never to be stored or shown.

    Parameters
    ----------
    more
        Names of variables that hold keys too.

    Returns
    -------
    dict
        Those that are set.
    """
    found = {name: os.environ.get(name, "").strip() for name in (*KEYS, *more)}
    return {name: key for name, key in found.items() if key}
