"""The seats of the world: its agents behind every adapter, without a key."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# agent -> adapter, path of its endpoint, model; one skill for each wire shape
_SEATS: Mapping[str, tuple[str, str, str | None]] = MappingProxyType(
    {
        "gpt": ("openai_responses", "/openai/v1", "finds-all"),
        "claude": ("anthropic_batch", "/anthropic/v1", "finds-nearest-two+pause"),
        "gemini": ("gemini_grounding", "/gemini/v1beta", "one-shop"),
        "perplexity": ("perplexity_agent", "/perplexity/v1", "boaster"),
        "findcheap": ("generic_http", "/generic/careless", None),
    }
)


def seats_yaml(address: str) -> str:
    """Return a file of seats that sends every published agent to the world.

    Parameters
    ----------
    address
        ``http://127.0.0.1:<port>``.

    Returns
    -------
    str
        YAML of the form of ``ingest/search/agents/seats.yaml``; no seat sends a key.
    """
    lines = ["seats:"]
    for agent, (adapter, path, name) in _SEATS.items():
        lines += [
            f"  {agent}:",
            f"    adapter: {adapter}",
            f"    base: {address}{path}",
            *([f"    model: simulated/{name}"] if name else []),
            "    headers: {}",
            "    timeout_s: 60",
            "    price: {call_usd: 0.01}",
            *(["    options: {template: findcheap.yaml}"] if not name else []),
        ]
    return "\n".join(lines) + "\n"
