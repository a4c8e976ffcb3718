"""Reading an agent's answers: a call per product, with the listings it claims."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from ingest.json_rows import (
    flag_of,
    member_of,
    number_of,
    optional_text,
    text_of,
    whole_of,
)
from ingest.parsed_file import FileId, ParsedFile, RowError
from ingest.search.artifact import Artifact
from ingest.search.records import (
    Record,
    Records,
    cost_of,
    count_of,
    flag_or,
    json_text,
    known,
    list_of,
    money_of,
    or_none,
    part_of,
    sha256_of,
    time_of,
    web_address,
    wholes,
)

CALL_STATES = (
    *("ok", "empty", "refused", "unparsable", "truncated", "transport_error"),
)


def read_answers(
    artifact: Artifact, file: FileId, run_id: str, tasks: set[str]
) -> list[ParsedFile]:
    """Return the agent, its invocations and its listings.

    Parameters
    ----------
    artifact
        A ``raw_<agent>_<track>.json``.
    file, run_id
        Where the rows belong.
    tasks
        Products of the bank. An answer to another one is set aside with its listings.

    Returns
    -------
    list of ParsedFile
        Of ``agent``, ``call`` and ``listing``. Negative claims and other currencies
        are kept as they stand.
    """
    agents = Records("agent", file, run_id)
    calls = Records("call", file, run_id)
    listings = Records("listing", file, run_id)
    key = {"agent": artifact.kind.agent, "track": artifact.kind.track}
    body = artifact.body
    agent = agents.take(artifact.name, body["config"], lambda one: _agent(one, key))
    ids: set[str] = set()
    for task_id, entry in body["entries"].items():
        if agent is None:
            calls.take(task_id, entry, _refuse("config", "its agent is set aside"))
            row = None
        else:
            row = calls.take(task_id, entry, _call(task_id, key, tasks))
        claims = entry.get("listings") if isinstance(entry, dict) else None
        for place, claim in enumerate(claims if isinstance(claims, list) else [], 1):
            name = f"{task_id}, listing {place}"
            if row is None:
                listings.take(name, claim, _refuse("*", "its answer is set aside"))
            else:
                listings.take(name, claim, _listing(task_id, key, ids))
    return [agents.parsed(), calls.parsed(), listings.parsed()]


def _refuse(field: str, reason: str) -> Callable[[Record], dict[str, Any]]:
    def parse(_: Record) -> dict[str, Any]:
        raise RowError(field, reason)

    return parse


def _agent(config: Record, key: Mapping[str, str | None]) -> dict[str, Any]:
    return {
        **key,
        "adapter": text_of(config, "adapter"),
        "model_asked": optional_text(config, "model"),
        "prompt_sha256": sha256_of(config, "prompt_sha256"),
        "config": json_text(config),
    }


def _call(
    task_id: str, key: Mapping[str, str | None], tasks: set[str]
) -> Callable[[Record], dict[str, Any]]:
    def parse(entry: Record) -> dict[str, Any]:
        known({"task_id": task_id}, "task_id", tasks)
        status = member_of(entry, "status", CALL_STATES)
        listings = list_of(entry, "listings")
        if status != "ok" and listings:
            raise RowError(
                "status", f"{status} does not go with {len(listings)} listings"
            )
        attempts = list_of(entry, "attempts")
        last = attempts[-1] if attempts and isinstance(attempts[-1], dict) else {}
        request, batch = part_of(entry, "request"), part_of(entry, "batch")
        usage = part_of(entry, "usage")
        response = entry.get("response")
        return {
            **{"task_id": task_id, **key, "status": status},
            "attempt_count": len(attempts),
            "continuations": count_of(entry, "continuations"),
            "listings_dropped": count_of(entry, "listings_dropped"),
            "listing_count": len(listings),
            "attempts": json_text(attempts),
            "citations": json_text(list_of(entry, "citations")),
            "request_sha256": sha256_of(request, "sha256"),
            "image_sha256": sha256_of(request, "image_sha256"),
            "answer_text": optional_text(entry, "answer_text"),
            "model_served": optional_text(entry, "resolved_model"),
            "response": None if response is None else json.dumps(response),
            **wholes(usage, "input_tokens", "output_tokens", "searches"),
            "cost": cost_of(usage, "cost_usd"),
            "cost_source": optional_text(usage, "cost_source"),
            "started_at": or_none(time_of, last, "started_at"),
            "ended_at": or_none(time_of, last, "ended_at"),
            "latency_s": or_none(number_of, entry, "latency_s"),
            "is_latency_comparable": flag_or(entry, "latency_comparable", True),
            "batch_id": optional_text(batch, "batch_id"),
            "batch_custom_id": optional_text(batch, "custom_id"),
        }

    return parse


def _listing(
    task_id: str, key: Mapping[str, str | None], ids: set[str]
) -> Callable[[Record], dict[str, Any]]:
    start = f"{key['agent']}.{key['track']}.{task_id}."

    def parse(claim: Record) -> dict[str, Any]:
        listing_id = text_of(claim, "listing_id")
        rank = whole_of(claim, "rank", least=1)
        if not listing_id.startswith(start) or listing_id in ids:
            raise RowError("listing_id", f"{listing_id} is not a new id of {start}")
        amounts = ("item_price", "shipping_price", "landed_price")
        texts = ("title", "retailer", "seller", "currency", "condition", "image_url")
        row = {
            **{"listing_id": listing_id, **key, "task_id": task_id, "rank": rank},
            "url": text_of(claim, "url"),
            "url_canonical": web_address(claim, "url_canonical"),
            **{name: or_none(money_of, claim, name) for name in amounts},
            **{name: optional_text(claim, name) for name in (*texts, "note")},
            **wholes(claim, "pack_count"),
            "in_stock": or_none(flag_of, claim, "in_stock"),
            "warnings": json_text(list_of(claim, "warnings")),
        }
        ids.add(listing_id)
        return row

    return parse
