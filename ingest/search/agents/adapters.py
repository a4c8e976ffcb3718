"""Which adapter a seat is asked through; its one home."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ingest.errors import LoadError
from ingest.search.agents.adapter import Adapter
from ingest.search.agents.anthropic import AnthropicMessages
from ingest.search.agents.gemini import GeminiGrounding
from ingest.search.agents.generic_http import GenericHttp
from ingest.search.agents.openai import OpenAIResponses, perplexity_agent
from ingest.search.agents.python_callable import load_callable
from ingest.search.agents.replay import load_replay
from ingest.search.agents.seats import Seat

BATCHED = "anthropic_batch"
_MAKERS: Mapping[str, Callable[[Seat], Adapter]] = MappingProxyType(
    {
        "openai_responses": OpenAIResponses,
        "anthropic": AnthropicMessages,
        # the same requests and replies; how they travel is the runner's business
        BATCHED: AnthropicMessages,
        "gemini_grounding": GeminiGrounding,
        "perplexity_agent": perplexity_agent,
        "generic_http": GenericHttp,
        "python_callable": load_callable,
        "replay": load_replay,
    }
)
_WITHOUT_ADDRESS = ("python_callable", "replay")


def make_adapter(seat: Seat) -> Adapter:
    """Return the adapter of a seat.

    Parameters
    ----------
    seat
        Who is to be asked.

    Returns
    -------
    Adapter

    Raises
    ------
    LoadError
        Where the seat lacks what its adapter needs.
    """
    if seat.base is None and seat.adapter not in _WITHOUT_ADDRESS:
        raise LoadError(
            f"agent {seat.agent} has no address; give its `base` in a file of seats, "
            "or leave the agent out"
        )
    return _MAKERS[seat.adapter](seat)
