"""Functions that a seat may name as its agent."""

from __future__ import annotations

import asyncio
from typing import Any

from agent_bodies import listing

SEEN: list[dict[str, Any]] = []


def search(task: dict[str, Any]) -> dict[str, Any]:
    """Find two pages, at a stated cost."""
    SEEN.append(task)
    return {
        "listings": [listing(1), listing(2)],
        "model": "mine",
        "citations": ["https://shop1.example/p/1"],
        "usage": {"cost_usd": 0.5, "searches": 2},
    }


async def search_later(task: dict[str, Any]) -> dict[str, Any]:
    """Answer in prose, asynchronously."""
    await asyncio.sleep(0)
    return {"text": "Nothing to be found."}


def fails(task: dict[str, Any]) -> dict[str, Any]:
    """Raise with a line break and a key in the text."""
    raise RuntimeError("no\nluck planted-openai_api_key-5309")


def hangs(task: dict[str, Any]) -> Any:
    """Give what JSON does not hold."""
    return {"listings": {1, 2}}
