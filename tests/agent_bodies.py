"""Replies of providers, made by hand after their documented shapes (search.md 5.3)."""

from __future__ import annotations

import json
from typing import Any

Body = dict[str, Any]


def listing(number: int = 1, **more: Any) -> Body:
    """Return a claim of an agent; it costs $10 and number cents, shipped free."""
    price = f"10.{number:02}"
    return {
        "url": f"https://shop{number}.example/p/{number}",
        "title": f"Product {number}",
        "retailer": f"Shop {number}",
        "item_price": price,
        "shipping_price": "0.00",
        "landed_price": price,
        "currency": "USD",
        "pack_count": 1,
        "condition": "new",
        "in_stock": True,
        "note": None,
    } | more


def told(count: int = 1, **more: Any) -> str:
    """Return the answer of an agent that lists so many pages."""
    return json.dumps({"listings": [listing(n, **more) for n in range(1, count + 1)]})


def openai(text: str, **more: Any) -> Body:
    """Return a reply of a Responses API, the text in two parts and two searches."""
    half = len(text) // 2
    note = {
        "type": "url_citation",
        "url": "https://shop1.example/p/1?utm_source=openai",
    }
    parts = [
        {"type": "output_text", "text": text[:half], "annotations": [note]},
        {"type": "output_text", "text": text[half:], "annotations": [note]},
    ]
    call = {"type": "web_search_call", "status": "completed"}
    return {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "model": "gpt-5.6-sol-2026-07-09",
        "output": [
            {"type": "reasoning", "summary": []},
            *(call, call),
            {"type": "message", "role": "assistant", "content": parts},
        ],
        "usage": {"input_tokens": 1000, "output_tokens": 100, "total_tokens": 1100},
    } | more


def perplexity(text: str, **more: Any) -> Body:
    """Return a reply of the Agent API, which states its cost."""
    found = {
        "type": "search_results",
        "results": [{"url": "https://shop1.example/p/1"}],
    }
    part = {"type": "output_text", "text": text, "annotations": []}
    return {
        "status": "completed",
        "model": "anthropic/claude-opus-5",
        "output": [found, {"type": "message", "content": [part]}],
        "usage": {
            "input_tokens": 2000,
            "output_tokens": 200,
            "cost": {"currency": "USD", "total_cost": 0.0525},
            "tool_calls_details": {"search_web": {"invocation": 3}},
        },
    } | more


def anthropic(text: str, stop: str = "end_turn", **more: Any) -> Body:
    """Return a message of a turn that searched once."""
    search = {
        "type": "server_tool_use",
        "id": "srvtoolu_1",
        "name": "web_search",
        "input": {"query": "oat"},
    }
    result = {
        "type": "web_search_tool_result",
        "tool_use_id": "srvtoolu_1",
        "content": [{"url": "https://shop9.example", "encrypted_content": "Zz=="}],
    }
    half = len(text) // 2
    cited = [{"type": "web_search_result_location", "url": "https://shop1.example/p/1"}]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5-20260801",
        "content": [
            *(search, result),
            {"type": "text", "text": text[:half]},
            {"type": "text", "text": text[half:], "citations": cited},
        ],
        "stop_reason": stop,
        "usage": {
            "input_tokens": 600,
            "cache_read_input_tokens": 400,
            "output_tokens": 100,
            "server_tool_use": {"web_search_requests": 1},
        },
    } | more


REDIRECT = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/A"


def gemini(text: str, finish: str = "STOP", **more: Any) -> Body:
    """Return a grounded reply, with a thought before the text."""
    half = len(text) // 2
    parts = [
        {"text": "Let me think.", "thought": True},
        *({"text": text[:half]}, {"text": text[half:]}),
    ]
    chunk = {"web": {"uri": f"{REDIRECT}1", "title": "shop1.example"}}
    grounding = {"groundingChunks": [chunk], "webSearchQueries": ["oat", "oat cheap"]}
    return {
        "candidates": [
            {
                "content": {"role": "model", "parts": parts},
                "finishReason": finish,
                "groundingMetadata": grounding,
            }
        ],
        "usageMetadata": {
            "promptTokenCount": 700,
            "toolUsePromptTokenCount": 300,
            "candidatesTokenCount": 60,
            "thoughtsTokenCount": 40,
        },
        "modelVersion": "gemini-3.1-pro-preview-10",
    } | more


def findcheap(count: int = 1, **more: Any) -> Body:
    """Return a list of vendors as the shipped template expects it."""
    names = {"vendor": "retailer", "price": "item_price", "shipping": "shipping_price"}
    found = [
        {
            **{new: listing(n)[old] for new, old in names.items()},
            **{key: listing(n)[key] for key in ("url", "title", "currency")},
            "total": listing(n)["landed_price"],
            "in_stock": True,
        }
        for n in range(1, count + 1)
    ]
    return {"results": found, "usage": {"cost_usd": "0.02", "searches": 4}} | more
