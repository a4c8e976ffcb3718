"""Search agents and judges of the offline world, in the shapes of their providers."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal

import httpx
import pytest

from ingest.search.agents.adapter import PAUSED
from ingest.search.agents.adapters import make_adapter
from ingest.search.agents.prompt import prompt
from ingest.search.agents.seats import read_seats
from ingest.search.judges.prompt import judge_question
from ingest.search.schemas import TRACKS
from ingest.world.bank import task_id, world_bank
from ingest.world.catalogue import catalogue
from ingest.world.door import Door
from ingest.world.judges import JUDGES, judge
from ingest.world.searchers import SEARCHERS, find_item
from ingest.world.server import serving
from ingest.world.shops import shop_page
from ingest.world.truth import cost, finds, is_valid, oracle, state
from ingest.world.wires import Wires

KETTLE, SHEARS = catalogue()[0], catalogue()[7]


@pytest.fixture(scope="module")
def world():
    with serving() as served:
        yield served


TASKS = {
    one["task_id"]: one
    for one in json.loads(world_bank(datetime(2026, 12, 1))["tasks.json"])["tasks"]
}


def question(item, track):
    return prompt(TASKS[task_id(item)], track)


def listed(text):
    return json.loads(text)["listings"]


def codes(found):
    return [one.code for one in found]


@pytest.mark.parametrize("track", TRACKS)
def test_who_finds_everything_finds_the_cheapest(track):
    for item in catalogue():
        assert SEARCHERS["finds-all"].best(item, track) == oracle(item, track)


@pytest.mark.parametrize("track", TRACKS)
def test_skills_are_what_they_are_called(track):
    for item in catalogue():
        true = sorted(finds(item, track), key=lambda one: cost(item, one))
        nearest = SEARCHERS["finds-nearest-two"].found(item, track)
        assert codes(nearest) == codes(true[-2:])
        everything = SEARCHERS["finds-all"].found(item, track)
        assert set(codes(true)) <= set(codes(everything))
        assert all(is_valid(item, one, track) for one in everything)
        assert "rejected" not in {state(one) for one in everything}
        shops = {
            one.offer.shop.host for one in SEARCHERS["one-shop"].found(item, track)
        }
        assert shops <= {"fortdepot.example"}
        careless = SEARCHERS["careless"].found(item, track)
        prices = sorted(Decimal(one.offer.price) for one in item.listings[1:])
        assert [Decimal(one.offer.price) for one in careless] == prices[:3]
        for name in ("empty-handed", "refuser", "rambler", "cut-short"):
            assert SEARCHERS[name].found(item, track) == ()
            assert SEARCHERS[name].best(item, track) is None


def test_who_cannot_be_verified_is_listed_and_counts_for_nothing():
    found = SEARCHERS["finds-all"].found(KETTLE, "exact")
    # walled 33.60 and unknown 36.00 + ?, then 44.64 and 44.77
    assert codes(found) == ["012", "013", "014", "011"]
    assert codes(finds(KETTLE, "exact")) == ["011", "014"]


def test_claims_and_links_may_be_invented():
    true = listed(SEARCHERS["finds-all"].answer(SHEARS, "exact"))
    told = listed(SEARCHERS["boaster"].answer(SHEARS, "exact"))
    assert [one["url"] for one in told] == [one["url"] for one in true]
    # 34.65 * 0.6 and 39.19 * 0.6
    assert [one["item_price"] for one in told] == ["20.79", "23.51"]
    made = listed(SEARCHERS["inventor"].answer(SHEARS, "exact"))[-1]
    host, path = made["url"].removeprefix("https://").split("/", 1)
    assert shop_page(host, f"/{path}").status == 404
    assert Decimal(made["landed_price"]) < Decimal("41.25")


def test_an_answer_holds_what_every_agent_is_asked_for():
    (first, *_) = listed(SEARCHERS["finds-all"].answer(SHEARS, "exact"))
    assert first == {
        "url": "https://tideline.example/deals/081",
        "title": "Hedgewick Garden Shears Pro",
        "retailer": "Tideline",
        "seller": None,
        "item_price": "34.65",
        "shipping_price": "3.49",
        "landed_price": "38.14",
        "currency": "USD",
        "pack_count": 1,
        "condition": "new",
        "in_stock": True,
        "note": None,
    }


def test_products_are_known_by_the_address_of_their_reference():
    for item in catalogue():
        url = item.reference.url
        more = f"{url}{'&' if '?' in url else '?'}utm_source=x"
        for one in (url, more, url.replace("https://", "http://www.")):
            assert find_item(one) is item
    assert find_item(KETTLE.listings[1].url) is None
    assert find_item("https://example.org/p/010") is None


def post(world, path, body):
    return httpx.post(f"{world.address}{path}", json=body)


def test_openai_and_perplexity_answer_in_the_shape_of_responses(world):
    content = [
        {"type": "input_text", "text": question(KETTLE, "exact")},
        {"type": "input_image", "image_url": "data:image/jpeg;base64,AA"},
    ]
    body = {
        "model": "simulated/finds-all",
        "input": [{"role": "user", "content": content}],
        "tools": [{"type": "web_search"}],
    }
    for path in ("/openai/v1/responses", "/perplexity/v1/agent"):
        answer = post(world, path, body).json()
        *searches, message = answer["output"]
        assert {one["type"] for one in searches} == {"web_search_call"}
        (part,) = message["content"]
        assert part["text"] == SEARCHERS["finds-all"].answer(KETTLE, "exact")
        urls = [one["url"] for one in part["annotations"]]
        assert urls == [one["url"] for one in listed(part["text"])]
        assert answer["status"] == "completed"
    # an agent that is set up by a preset names no model
    preset = {"preset": "high", "input": body["input"]}
    assert post(world, "/perplexity/v1/agent", preset).json() == {
        **answer,
        "model": "simulated/finds-all",
    }


def test_answers_may_be_refused_or_cut():
    wires = Wires(Door())
    asked = [{"role": "user", "content": question(KETTLE, "exact")}]

    def answer(send, name, key):
        body = {"model": f"simulated/{name}", key: asked}
        return json.loads(send(body).content)

    refused = answer(wires.openai, "refuser", "input")
    assert refused["output"][-1]["content"][0]["type"] == "refusal"
    cut = answer(wires.openai, "cut-short", "input")
    assert (cut["status"], cut["incomplete_details"]["reason"]) == (
        *("incomplete", "max_output_tokens"),
    )
    assert answer(wires.anthropic, "refuser", "messages")["stop_reason"] == "refusal"
    assert answer(wires.anthropic, "cut-short", "messages")["stop_reason"] == (
        "max_tokens"
    )


def test_a_turn_pauses_twice_and_goes_on_where_it_was(world):
    asked = [{"role": "user", "content": question(SHEARS, "equiv")}]
    body = {"model": "simulated/finds-all+pause", "messages": asked}
    said, stops = [], []
    for _ in range(3):
        messages = [*asked, {"role": "assistant", "content": said}] if said else asked
        answer = post(world, "/anthropic/v1/messages", {**body, "messages": messages})
        said += answer.json()["content"]
        stops.append(answer.json()["stop_reason"])
    assert stops == ["pause_turn", "pause_turn", "end_turn"]
    texts = [one["text"] for one in said if one["type"] == "text"]
    assert texts == [SEARCHERS["finds-all"].answer(SHEARS, "equiv")]


def test_a_batch_is_polled_and_its_results_come_in_any_order(world):
    requests = [
        {
            "custom_id": f"t00{number}-exact",
            "params": {
                "model": "simulated/finds-nearest-two",
                "messages": [{"role": "user", "content": question(item, "exact")}],
            },
        }
        for number, item in enumerate((KETTLE, SHEARS), 1)
    ]
    requests.append({"custom_id": "odd", "params": {"model": "x", "messages": []}})
    batches = "/anthropic/v1/messages/batches"
    made = post(world, batches, {"requests": requests}).json()
    assert made["processing_status"] == "in_progress"
    url = f"{world.address}{batches}/{made['id']}"
    seen = [httpx.get(url).json()["processing_status"] for _ in range(2)]
    assert seen == ["in_progress", "ended"]
    lines = map(json.loads, httpx.get(f"{url}/results").text.splitlines())
    results = {one["custom_id"]: one["result"] for one in lines}
    assert list(results) == ["odd", "t002-exact", "t001-exact"]
    assert results["odd"]["type"] == "errored"
    first = results["t001-exact"]["message"]["content"][-1]["text"]
    assert first == SEARCHERS["finds-nearest-two"].answer(KETTLE, "exact")
    assert httpx.get(f"{url}x").status_code == 404


def test_gemini_thinks_first_and_names_its_sources(world):
    path = "/gemini/v1beta/models/simulated/one-shop:generateContent"
    parts = [{"text": question(KETTLE, "exact")}, {"inline_data": {"data": "AA"}}]
    body = {"contents": [{"role": "user", "parts": parts}]}
    (candidate,) = post(world, path, body).json()["candidates"]
    thought, said = candidate["content"]["parts"]
    assert thought["thought"] is True
    assert said["text"] == SEARCHERS["one-shop"].answer(KETTLE, "exact")
    chunks = candidate["groundingMetadata"]["groundingChunks"]
    found = SEARCHERS["one-shop"].found(KETTLE, "exact")
    assert [one["web"]["uri"] for one in chunks] == [one.url for one in found]
    assert candidate["finishReason"] == "STOP"


def test_a_service_takes_and_gives_product_fields(world):
    body = {"url": SHEARS.reference.url, "title": "Shears", "exact_brand": True}
    answer = post(world, "/generic/careless/search", body).json()
    found = SEARCHERS["careless"].found(SHEARS, "exact")
    assert [one["url"] for one in answer["results"]] == [one.url for one in found]
    assert [one["price"] for one in answer["results"]] == [
        one.offer.price for one in found
    ]
    assert answer["usage"]["cost_usd"] == "0.0100"


def test_agents_misbehave_and_are_counted_as_models_are(world):
    asked = [{"role": "user", "content": question(KETTLE, "exact")}]
    body = {"model": "simulated/finds-all+storm", "input": asked}
    sent = [post(world, "/openai/v1/responses", body).status_code for _ in range(3)]
    assert sent == [429, 429, 200]
    assert world.door.calls["simulated/finds-all+storm"] == 3
    body["model"] = "simulated/nobody"
    assert post(world, "/openai/v1/responses", body).status_code == 404
    body = {"model": "simulated/finds-all", "input": "Hello"}
    assert post(world, "/openai/v1/responses", body).status_code == 400
    assert post(world, "/openai/v1/responses", []).status_code == 400


def test_a_file_of_seats_names_every_wire_and_no_key(world):
    seats = read_seats(httpx.get(f"{world.address}/seats.yaml").text, "the world")
    assert {one.adapter for one in seats.values()} == {
        *("openai_responses", "anthropic_batch", "gemini_grounding"),
        *("perplexity_agent", "generic_http"),
    }
    for seat in seats.values():
        adapter = make_adapter(seat)
        task = TASKS["t001"]
        request = adapter.build(task, "exact", question(KETTLE, "exact"), None)
        assert request.url.startswith(f"{world.address}/")
        assert request.headers == {}
        name = (seat.model or "simulated/careless").removeprefix("simulated/")
        sent = httpx.post(request.url, json=request.body)
        if seat.agent == "claude":
            assert adapter.parse(sent.json()).stop == PAUSED
        else:
            text = adapter.parse(sent.json()).text
            urls = [one["url"] for one in listed(text)]
            found = SEARCHERS[name].found(KETTLE, "exact")
            assert urls == [one.url for one in found]


def verdict(name, track, item, listing):
    asked = judge_question(track, TASKS[task_id(item)], listing.title, None, None)
    said = judge(f"simulated/judge-{name}", asked.system, asked.user)
    return json.loads(said)["verdict"]


@pytest.mark.parametrize("track", TRACKS)
def test_judges_know_the_catalogue_and_some_have_a_bent(track):
    for item in catalogue():
        for one in item.listings[1:]:
            true = "valid" if is_valid(item, one, track) else "invalid"
            for name in ("north", "south", "west"):
                assert verdict(name, track, item, one) == true
            assert verdict("lenient", track, item, one) == "valid"
            if one.offer.relation == "equivalent":
                assert verdict("strict", track, item, one) == "invalid"
        other = catalogue()[item.reference.number % 24]
        assert verdict("lenient", track, other, item.listings[1]) == "invalid"


def test_judges_answer_over_the_chat_endpoint(world):
    lines = [json.dumps({"title": one.title}) for one in SHEARS.listings[:2]]
    body = {
        "model": "simulated/judge-north",
        "messages": [
            {"role": "system", "content": "Only the same product is valid."},
            {"role": "user", "content": "\n".join(lines)},
        ],
    }
    answer = post(world, "/v1/chat/completions", body).json()
    said = json.loads(answer["choices"][0]["message"]["content"])
    assert said["verdict"] == "valid"
    body["model"] = "simulated/judge-silent"
    text = post(world, "/v1/chat/completions", body).json()["choices"][0]["message"]
    assert "{" not in text["content"]
    body["messages"][1]["content"] = "What is the time?"
    assert post(world, "/v1/chat/completions", body).status_code == 400
    unknown = [json.dumps({"title": SHEARS.reference.title}), '{"title": "A boat"}']
    assert judge("simulated/judge-lenient", "", "\n".join(unknown)).startswith(
        '{"verdict": "invalid"'
    )
    assert len(JUDGES) == 6
