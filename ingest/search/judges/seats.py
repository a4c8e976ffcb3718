"""The seats of a panel: which model of which lab sits where."""

from __future__ import annotations

from dataclasses import dataclass

from ingest.calls import Settings
from ingest.errors import LoadError

_SLOTS = "abcdefghijklmnopqrstuvwxyz"
# providers that serve the models of others: the lab is the next part of the id
_ROUTERS = ("openrouter",)
_LABS = {
    **{"openai": "OpenAI", "anthropic": "Anthropic", "gemini": "Google"},
    **{"google": "Google", "x-ai": "xAI", "xai": "xAI", "mistralai": "Mistral"},
    **{"meta-llama": "Meta", "deepseek": "DeepSeek", "qwen": "Alibaba"},
}
# room for a model that thinks before it answers thirty words
MAX_TOKENS = 8000


@dataclass(frozen=True, slots=True)
class Seat:
    """One judge of a panel.

    Attributes
    ----------
    slot
        Letter of the seat, in order.
    lab
        Who made the model.
    model
        Its id as a router writes it.
    """

    slot: str
    lab: str
    model: str

    @property
    def record(self) -> dict[str, str]:
        """Return the seat as a grades artifact has it."""
        return {"slot": self.slot, "lab": self.lab, "model": self.model}

    def settings(self, api_base: str | None = None) -> Settings:
        """Return how the judge is asked: as its provider sets it, but for the length.

        Parameters
        ----------
        api_base
            Address of an OpenAI-compatible endpoint; None for the provider's own.

        Returns
        -------
        Settings
        """
        return Settings(self.model, api_base=api_base, max_tokens=MAX_TOKENS)


def seats_of(models: str) -> tuple[Seat, ...]:
    """Return the seats that a list of models takes.

    Parameters
    ----------
    models
        Ids with commas between them, provider first, each perhaps as ``Lab=id``.

    Returns
    -------
    tuple of Seat
        In the order of the list, the first in seat a.

    Raises
    ------
    LoadError
        For an id without a provider, no seat, more than 26, or two of one lab: a lab
        with two votes of three would decide alone.
    """
    named = [one.strip() for one in models.split(",") if one.strip()]
    if not 1 <= len(named) <= len(_SLOTS):
        raise LoadError(f"judges: {len(named)} seats; name 1 to {len(_SLOTS)} models")
    seats = tuple(_seat(*pair) for pair in zip(_SLOTS, named, strict=False))
    labs = [seat.lab.casefold() for seat in seats]
    for place, seat in enumerate(seats):
        if seat.lab.casefold() in labs[:place]:
            raise LoadError(
                f"judges: two seats of lab {seat.lab}; every judge is of another lab "
                "(write Lab=model where the id does not tell it)"
            )
    return seats


def _seat(slot: str, named: str) -> Seat:
    lab, equals, model = named.partition("=")
    if not equals:
        lab, model = "", named
    parts = model.split("/")
    if len(parts) < 2 or not all(parts):
        raise LoadError(
            f"judges: {named!r} names no provider; write it like openai/gpt-5.6-sol"
        )
    maker = parts[1] if parts[0] in _ROUTERS and len(parts) > 2 else parts[0]
    return Seat(slot, lab.strip() or _LABS.get(maker, maker), model)


# search.md 6.1, as published
DEFAULT_SEATS = seats_of(
    "openai/gpt-5.6-sol,anthropic/claude-opus-5,gemini/gemini-3.5-flash"
)
