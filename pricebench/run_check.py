"""Whether a model, an address and a price can be what a person typed."""

from __future__ import annotations

import math
from urllib.parse import urlsplit

from ingest.keys import known_keys
from pricebench.errors import CommandError


def check_model(model: str) -> None:
    """Raise for an id that names no provider.

    Parameters
    ----------
    model
        As it was typed.

    Raises
    ------
    CommandError
        Where a router could not tell whom to ask.
    """
    if "/" not in model.strip("/") or model != model.strip():
        raise CommandError(
            f"--model {model!r} names no provider: write it as a router would, for "
            "instance openai/gpt-5.4-nano"
        )


def address(given: str | None) -> str | None:
    """Return the address of an endpoint.

    Parameters
    ----------
    given
        As it was typed; None for the provider's own.

    Returns
    -------
    str or None
        Without a slash at its end.

    Raises
    ------
    CommandError
        For what is no address, or holds a secret.
    """
    if given is None:
        return None
    try:
        parts = urlsplit(given)
        parts.port  # noqa: B018 - a port out of range raises here
    except ValueError as error:
        raise CommandError(f"--api-base {given!r} is no address ({error})") from error
    if any(key in given for key in known_keys().values()):
        raise CommandError(
            "--api-base holds a key, which the journal would keep: give the address "
            "alone and the key in OPENAI_API_KEY"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise CommandError(
            f"--api-base {given!r} is no address: give one like "
            "http://localhost:11434/v1"
        )
    if parts.username or parts.password:
        raise CommandError(
            "--api-base holds a user or password, which the journal would keep: give "
            "the address alone and the key in OPENAI_API_KEY"
        )
    return given.rstrip("/")


def price_of(given: str | None) -> tuple[float, float] | None:
    """Return a price per million tokens of prompts and of replies.

    Parameters
    ----------
    given
        Two amounts with a comma between; None where none was typed.

    Returns
    -------
    tuple of float, or None
        US dollars.

    Raises
    ------
    CommandError
        For anything else.
    """
    if given is None:
        return None
    try:
        each = tuple(float(one) for one in given.split(","))
    except ValueError:
        each = ()
    if len(each) != 2 or any(not 0 <= one < math.inf for one in each):
        raise CommandError(
            f"--price {given!r}: give two amounts, dollars per million prompt and "
            "reply tokens, for instance 0.05,0.40"
        )
    return each[0], each[1]
