"""Agents over sockets: what each is sent, and what becomes of each kind of reply."""

from __future__ import annotations

import base64
import json

import agent_bodies as bodies
import pytest
from agent_room import KEYS, room
from wire_server import Reply

from ingest.search.agents.prompt import prompt, prompt_sha256

AGENTS = ("gpt", "claude", "gemini", "perplexity", "findcheap")
MAKE = {
    "gpt": bodies.openai,
    "claude": bodies.anthropic,
    "gemini": bodies.gemini,
    "perplexity": bodies.perplexity,
}
# the published seat of claude is asked in batches, which have a file of their own
ONE_BY_ONE = {"claude": {"adapter": "anthropic"}}


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)


def seated(folder, agent, **changes):
    return room(folder, agent, **{**ONE_BY_ONE.get(agent, {}), **changes})


def always(body, **more):
    return lambda *_: Reply(body, **more)


def product(found):
    """Return the first product, what is told of it, and its picture."""
    task = json.loads((found.folder / "tasks.json").read_text())["tasks"][0]
    path = found.folder / f"images/{task['image']['sha256']}.jpg"
    return task, prompt(task, "exact"), base64.b64encode(path.read_bytes()).decode()


def expected(agent, told, picture, task):
    """Return method, path, key and body that an agent's first request has to have."""
    data = f"data:image/jpeg;base64,{picture}"
    parts = [
        {"type": "input_text", "text": told},
        {"type": "input_image", "image_url": data},
    ]
    user = {"role": "user", "content": parts}
    if agent == "gpt":
        body = {"model": "gpt-5.6-sol", "input": [user]}
        body["tools"] = [{"type": "web_search"}]
        return "/responses", ("authorization", "Bearer {OPENAI_API_KEY}"), body
    if agent == "perplexity":
        body = {"preset": "high", "input": [user]}
        return "/agent", ("authorization", "Bearer {PERPLEXITY_API_KEY}"), body
    if agent == "claude":
        source = {"type": "base64", "media_type": "image/jpeg", "data": picture}
        content = [{"type": "image", "source": source}, {"type": "text", "text": told}]
        body = {
            "model": "claude-opus-5",
            "max_tokens": 32000,
            "messages": [{"role": "user", "content": content}],
            "tools": [
                {"type": "web_search_20250305", "name": "web_search"},
                {"type": "web_fetch_20250910", "name": "web_fetch"},
            ],
        }
        return "/messages", ("x-api-key", "{ANTHROPIC_API_KEY}"), body
    if agent == "gemini":
        inline = {"mime_type": "image/jpeg", "data": picture}
        body = {
            "contents": [
                {"role": "user", "parts": [{"text": told}, {"inline_data": inline}]}
            ],
            "tools": [{"google_search": {}}],
        }
        path = "/models/gemini-3.1-pro-preview:generateContent"
        return path, ("x-goog-api-key", "{GEMINI_API_KEY}"), body
    body = {
        **{name: task[name] for name in ("title", "brand", "url", "price")},
        **{"pack_count": 12, "zip": "10001", "limit": 10, "exact_brand": True},
        "image": picture,
    }
    return "/search", ("authorization", "Bearer {FINDCHEAP_API_KEY}"), body


@pytest.mark.parametrize("agent", AGENTS)
def test_the_request_is_this_and_nothing_else(tmp_path, agent):
    found = seated(tmp_path, agent)
    task, told, picture = product(found)
    body = bodies.findcheap() if agent == "findcheap" else MAKE[agent](bodies.told())
    found.run(always(body))
    (sent,) = found.sent
    path, (header, key), wanted = expected(agent, told, picture, task)
    assert (sent.method, sent.path) == ("POST", path)
    assert sent.headers[header] == key.format(**KEYS)
    assert sent.headers["content-type"] == "application/json"
    if agent == "claude":
        assert sent.headers["anthropic-version"] == "2023-06-01"
    # equal in every field: no schema of the answer, no temperature, no effort
    assert sent.body == wanted
    entry = found.entry()
    assert entry["request"]["image_sha256"] == task["image"]["sha256"]
    assert found.artifact()["config"]["prompt_sha256"] == prompt_sha256("exact")


def test_a_product_without_a_picture_is_asked_without_one(tmp_path):
    found = seated(tmp_path, "gpt")
    for path in (found.folder / "images").iterdir():
        path.unlink()
    found.run(always(bodies.openai(bodies.told())))
    content = found.sent[0].body["input"][0]["content"]
    assert [one["type"] for one in content] == ["input_text"]
    assert found.entry()["request"]["image_sha256"] is None


# what an answer says -> status, listings and how many were dropped (search.md 5.7)
ANSWERS = {
    "ten": (bodies.told(10), "ok", 10, 0),
    "twelve": (bodies.told(12), "ok", 10, 2),
    "empty": (bodies.told(0), "empty", 0, 0),
    "fenced": (f"```json\n{bodies.told(3)}\n```", "ok", 3, 0),
    "prose": (f"I looked [1] and found: {bodies.told(2)}", "ok", 2, 0),
    "no list": ("There are cheaper ones out there.", "unparsable", 0, 0),
    "silence": ("", "unparsable", 0, 0),
    "euros": (bodies.told(2, currency="EUR"), "ok", 2, 0),
    "no public page": (bodies.told(1, url="http://localhost/p"), "unparsable", 0, 0),
}


@pytest.mark.parametrize("agent", MAKE)
def test_every_kind_of_answer_has_its_status(tmp_path, agent):
    found = seated(tmp_path, agent)
    texts = [text for text, *_ in ANSWERS.values()]
    found.run(lambda number, _: Reply(MAKE[agent](texts[number])), tasks=len(ANSWERS))
    entries = found.artifact()["entries"]
    assert len(found.sent) == len(entries) == len(ANSWERS)
    for (name, wanted), entry in zip(ANSWERS.items(), entries.values(), strict=True):
        text, status, kept, dropped = wanted
        assert entry["status"] == status, name
        assert len(entry["listings"]) == kept, name
        assert entry["listings_dropped"] == dropped, name
        assert entry["answer_text"] == (text or None), name
        assert len(entry["attempts"]) == 1, name
    euros = entries[list(entries)[list(ANSWERS).index("euros")]]
    assert {one["currency"] for one in euros["listings"]} == {"EUR"}
    # 10 + 10 + 3 + 2 + 2 listings
    assert found.rows().rows("listing") == 27
    assert found.rows().rows("call") == len(ANSWERS)


def incomplete(reason):
    return bodies.openai(
        bodies.told(), status="incomplete", incomplete_details={"reason": reason}
    )


def refused_part():
    part = {"type": "refusal", "refusal": "I can't help with that."}
    return bodies.openai("", output=[{"type": "message", "content": [part]}])


ENDINGS = [
    ("gpt", incomplete("max_output_tokens"), "truncated"),
    ("gpt", incomplete("content_filter"), "refused"),
    ("gpt", refused_part(), "refused"),
    ("gpt", bodies.openai("", status="failed", output=[]), "transport_error"),
    ("gpt", {"error": {"message": "overloaded"}}, "transport_error"),
    ("gpt", [], "transport_error"),
    ("perplexity", bodies.perplexity("", status="failed"), "transport_error"),
    ("claude", bodies.anthropic(bodies.told(), "refusal"), "refused"),
    ("claude", bodies.anthropic(bodies.told(), "max_tokens"), "truncated"),
    (
        *("claude", bodies.anthropic("", "model_context_window_exceeded")),
        "truncated",
    ),
    ("claude", {"type": "error", "error": {"message": "x"}}, "transport_error"),
    ("gemini", bodies.gemini(bodies.told(), "MAX_TOKENS"), "truncated"),
    ("gemini", bodies.gemini("", "SAFETY"), "refused"),
    ("gemini", {"promptFeedback": {"blockReason": "OTHER"}}, "refused"),
    ("gemini", {"candidates": []}, "transport_error"),
]


@pytest.mark.parametrize(("agent", "body", "status"), ENDINGS)
def test_how_a_provider_ended_decides_the_status(tmp_path, agent, body, status):
    found = seated(tmp_path, agent)
    found.run(always(body))
    entry = found.entry()
    assert entry["status"] == status
    assert entry["listings"] == []
    assert entry["response"] == body
    # a reply with status 200 is not asked for again within a session
    assert len(found.sent) == 1


USED = {
    # input, output, searches, cost: tokens at list price, searches at theirs
    # 1,000 x $4/m + 100 x $20/m + 2 x $0.01
    "gpt": (1000, 100, 2, "0.026000", "given", "gpt-5.6-sol-2026-07-09"),
    # (600 + 400) x $5/m + 100 x $25/m + 1 x $0.01
    "claude": (1000, 100, 1, "0.017500", "given", "claude-opus-5-20260801"),
    # (700 + 300) x $2/m + (60 + 40) x $12/m + 2 x $0.014
    "gemini": (1000, 100, 2, "0.031200", "given", "gemini-3.1-pro-preview-10"),
    "perplexity": (2000, 200, 3, "0.052500", "endpoint", "anthropic/claude-opus-5"),
    "findcheap": (None, None, 4, "0.020000", "endpoint", None),
}


@pytest.mark.parametrize("agent", AGENTS)
def test_usage_cost_model_and_sources_are_stored(tmp_path, agent):
    found = seated(tmp_path, agent)
    body = bodies.findcheap(2) if agent == "findcheap" else MAKE[agent](bodies.told(2))
    tally = found.run(always(body))
    entry = found.entry()
    usage = entry["usage"]
    names = ("input_tokens", "output_tokens", "searches", "cost_usd", "cost_source")
    assert (*(usage[name] for name in names), entry["resolved_model"]) == USED[agent]
    assert f"{tally.spent_usd:.6f}" == USED[agent][3]
    assert (entry["latency_comparable"], entry["latency_s"] > 0) == (True, True)
    assert entry["response"] == body
    if agent == "gpt":
        # as the provider gave it, with its own mark; listings are canonical
        assert entry["citations"] == ["https://shop1.example/p/1?utm_source=openai"]
    elif agent != "findcheap":
        assert len(entry["citations"]) == 1
    assert [one["url_canonical"] for one in entry["listings"]] == [
        *("https://shop1.example/p/1", "https://shop2.example/p/2")
    ]
    assert [one["landed_price"] for one in entry["listings"]] == ["10.01", "10.02"]


def test_sources_of_gemini_lead_to_shops_before_duplicates_are_found(tmp_path):
    # search.md 10.1, row 27: two redirects and a page, of which two are one page
    claims = [
        bodies.listing(url=f"{bodies.REDIRECT}2"),
        bodies.listing(url=f"{bodies.REDIRECT}1"),
        bodies.listing(url="https://shop2.example/p/2/"),
    ]
    found = seated(tmp_path, "gemini")
    found.run(always(bodies.gemini(json.dumps({"listings": claims}))))
    entry = found.entry()
    assert [one["url_canonical"] for one in entry["listings"]] == [
        *("https://shop2.example/p/2", "https://shop1.example/p/1")
    ]
    assert entry["listings_duplicate"] == 1
    page = "https://www.shop1.example/p/1?utm_source=grounding"
    assert entry["citations"] == [page]
    assert entry["redirects"][f"{bodies.REDIRECT}1"] == page


def test_a_paused_turn_goes_on_and_is_never_an_answer(tmp_path):
    # search.md 10.1, row 26
    text = bodies.told(3)
    replies = [
        bodies.anthropic("Let me look", "pause_turn", container={"id": "c1"}),
        bodies.anthropic(" further. ", "pause_turn"),
        bodies.anthropic(text),
    ]
    found = seated(tmp_path, "claude")
    found.run(lambda number, _: Reply(replies[number]))
    first, second, third = (one.body for one in found.sent)
    assert second["tools"] == third["tools"] == first["tools"]
    said = [one["content"] for one in replies]
    assert second["messages"] == [
        *first["messages"],
        {"role": "assistant", "content": said[0]},
    ]
    assert third["messages"] == [
        *first["messages"],
        {"role": "assistant", "content": [*said[0], *said[1]]},
    ]
    assert (second.get("container"), third.get("container")) == ("c1", None)
    entry = found.entry()
    assert (entry["status"], entry["continuations"]) == ("ok", 2)
    assert len(entry["attempts"]) == 3
    assert [one["n"] for one in entry["attempts"]] == [1, 2, 3]
    assert entry["answer_text"] == f"Let me look further. {text}"
    assert entry["response"] == {"turns": replies}
    # three times 1,000 and 100 tokens and one search: 3 x $0.0175
    assert (entry["usage"]["input_tokens"], entry["usage"]["searches"]) == (3000, 3)
    assert entry["usage"]["cost_usd"] == "0.052500"
    found.rows()


def test_a_turn_that_pauses_for_ever_is_cut_off_after_ten_continuations(tmp_path):
    found = seated(tmp_path, "claude")
    found.run(always(bodies.anthropic(bodies.told(), "pause_turn")))
    assert len(found.sent) == 11
    entry = found.entry()
    assert (entry["status"], entry["continuations"]) == ("truncated", 10)
    assert entry["listings"] == []
