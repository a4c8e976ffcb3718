"""Asking a model over sockets: requests, answers, refused settings, faults, costs."""

from __future__ import annotations

import asyncio
import json

import pytest
from llm_server import Reply, serve

from ingest.calls import Question, Settings
from ingest.keys import redact
from ingest.llm import Model, SetupRefused

ASK = Question("Which?")
SETTINGS = Settings("maker/one", temperature=0.0, top_p=1.0, seed=42, logprobs=True)


def refusal(message: str, status: int = 400) -> Reply:
    error = {"error": {"message": message, "type": "invalid_request_error"}}
    return Reply(status=status, body=json.dumps(error).encode())


class Asked:
    """A model on a scripted server; waits are noted and not waited."""

    def __init__(self, script, settings=SETTINGS, **more):
        self.script, self.waits = script, []
        self.settings, self.more = settings, more

    def answer(self, question=ASK, calls=1):
        async def sleep(seconds):
            self.waits.append(seconds)

        async def work(address):
            wanted = {**self.settings.as_json(), "api_base": address}
            model = Model(Settings(**wanted), sleep=sleep, **self.more)
            return await asyncio.gather(*(model.ask(question) for _ in range(calls)))

        with serve(self.script) as server:
            answers = asyncio.run(work(server.address))
        self.requests = server.requests
        return answers[0] if calls == 1 else answers


def test_the_request_holds_the_settings_and_nothing_else():
    asked = Asked(lambda *_: Reply("B"))
    asked.answer(Question("Which?", system="Be brief."))
    (request,) = asked.requests
    assert request == {
        "model": "maker/one",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Which?"},
        ],
        "temperature": 0.0,
        "top_p": 1.0,
        "seed": 42,
        "max_tokens": 16,
        "logprobs": True,
        "top_logprobs": 5,
    }


def test_pictures_follow_the_text_in_their_order():
    asked = Asked(lambda *_: Reply("B"))
    first, second = "data:image/jpeg;base64,AAAA", "data:image/jpeg;base64,BBBB"
    asked.answer(Question("Same?", images=(first, second)))
    (message,) = asked.requests[0]["messages"]
    assert message["content"] == [
        {"type": "text", "text": "Same?"},
        {"type": "image_url", "image_url": {"url": first}},
        {"type": "image_url", "image_url": {"url": second}},
    ]


def test_reasoning_route_and_schema_go_out_as_routers_want_them():
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    settings = Settings("m/x", reasoning="low", route="a, b", max_tokens=8000)
    asked = Asked(lambda *_: Reply("{}"), settings)
    asked.answer(Question("Which?", schema=("choice", schema)))
    (request,) = asked.requests
    assert request["reasoning_effort"] == "low"
    assert request["provider"] == {"order": ["a", "b"]}
    assert request["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "choice", "strict": True, "schema": schema},
    }
    assert "temperature" not in request
    cheapest = Asked(lambda *_: Reply(), Settings("m/x", route="cheapest"))
    cheapest.answer()
    assert cheapest.requests[0]["provider"] == {"sort": "price"}


def test_an_answer_says_who_served_it_what_it_used_and_what_it_cost():
    extra = {
        "provider": "Host",
        "usage": {"cost": 0.25, "completion_tokens_details": {"reasoning_tokens": 7}},
    }
    answer = Asked(lambda *_: Reply("B", extra=extra)).answer()
    assert (answer.text, answer.error, answer.finish) == ("B", None, "stop")
    assert (answer.provider, answer.model_served) == ("Host", "maker/one-served")
    tokens = (answer.prompt_tokens, answer.completion_tokens, answer.reasoning_tokens)
    assert tokens == (10, 1, 7)
    assert (answer.cost_usd, answer.cost_source) == (0.25, "endpoint")
    assert len(answer.attempts) == 1


def test_a_price_that_is_given_counts_where_the_endpoint_states_none():
    answer = Asked(lambda *_: Reply(), price=(2.0, 30.0)).answer()
    # 10 tokens at $2 and 1 at $30 a million
    assert answer.cost_usd == pytest.approx((10 * 2 + 1 * 30) / 1e6, rel=1e-12)
    assert answer.cost_source == "given"
    unknown = Asked(lambda *_: Reply()).answer()
    assert (unknown.cost_usd, unknown.cost_source) == (None, None)


def test_the_likeliest_first_tokens_are_kept():
    top = [{"token": "B", "logprob": -0.1}, {"token": "A", "logprob": -2.5}]
    choices = [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "B"},
            "finish_reason": "length",
            "logprobs": {"content": [{**top[0], "bytes": None, "top_logprobs": top}]},
        }
    ]
    answer = Asked(lambda *_: Reply(extra={"choices": choices})).answer()
    assert answer.first_tokens == {"B": -0.1, "A": -2.5}


def refuses(field):
    def script(_, body):
        if field in body:
            return refusal(f"Unsupported parameter: '{field}' is not supported.")
        return Reply("B")

    return script


@pytest.mark.parametrize(
    ("field", "setting"),
    [("temperature", "temperature"), ("seed", "seed"), ("logprobs", "logprobs")],
)
def test_a_refused_setting_is_left_out_and_named(field, setting):
    asked = Asked(refuses(field))
    answers = asked.answer(calls=3)
    # three calls in flight are refused alike; each goes again without the setting
    assert [one.text for one in answers] == ["B"] * 3
    assert {one.not_accepted for one in answers} == {(setting,)}
    assert len(asked.requests) <= 6
    assert asked.waits == []


def test_another_bad_request_is_a_failed_call_and_not_tried_again():
    asked = Asked(lambda *_: refusal("Provider returned error"), Settings("m/x"))
    answer = asked.answer()
    assert answer.text is None
    assert "Provider returned error" in answer.error
    assert [one.status for one in answer.attempts] == [400]
    assert (len(asked.requests), answer.not_accepted) == (1, ())


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_a_wrong_key_address_or_model_ends_the_run(status):
    asked = Asked(lambda *_: refusal("no such thing", status))
    with pytest.raises(SetupRefused, match=f"status {status}.*check the key"):
        asked.answer()


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_tried_four_times_and_then_failed(status):
    asked = Asked(lambda *_: refusal("busy", status))
    answer = asked.answer()
    assert answer.text is None
    assert (len(asked.requests), len(answer.attempts)) == (4, 4)
    # doubled from 2 s, with jitter down to a half
    waits = list(zip(asked.waits, (2, 4, 8), strict=True))
    assert all(longest / 2 <= wait <= longest for wait, longest in waits)


def test_retry_after_decides_how_long_to_wait():
    def script(number, _):
        busy = refusal("slow down", 429)
        busy.headers["Retry-After"] = "3"
        return Reply("B") if number == 2 else busy

    asked = Asked(script)
    answer = asked.answer()
    assert answer.text == "B"
    assert asked.waits == [3.0, 3.0]
    assert [one.error is None for one in answer.attempts] == [False, False, True]


FAULTS = {
    "hang": Reply(fault="hang"),
    "reset": Reply(fault="reset"),
    "half a body": Reply(fault="half"),
    "wrong length": Reply(fault="length"),
    "slow drip": Reply(fault="drip"),
    "a page instead of JSON": Reply(body=b"<html><body>502</body></html>"),
    "an error body under 200": Reply(body=b'{"error": {"message": "overloaded"}}'),
    "no choices": Reply(extra={"choices": []}),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_transport_is_a_failed_call_with_its_reason(name):
    asked = Asked(lambda *_: FAULTS[name], Settings("m/x"), timeout_s=0.5)
    answer = asked.answer()
    assert answer.text is None, answer
    assert answer.error
    assert "\n" not in answer.error
    assert 1 <= len(answer.attempts) <= 4
    assert all(one.error for one in answer.attempts)


@pytest.mark.parametrize("name", ["reset", "half a body", "wrong length", "hang"])
def test_a_fault_that_passes_costs_no_answer(name):
    asked = Asked(
        lambda number, _: Reply("B") if number else FAULTS[name],
        Settings("m/x"),
        timeout_s=0.5,
    )
    answer = asked.answer()
    assert (answer.text, len(answer.attempts)) == ("B", 2)


def test_an_empty_reply_is_a_reply():
    answer = Asked(lambda *_: Reply("")).answer()
    assert (answer.text, answer.error) == ("", None)


def test_no_key_stands_in_an_error(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-key-123")
    assert redact("bad key\nsk-planted-key-123!") == "bad key <OPENAI_API_KEY>!"
    asked = Asked(lambda *_: refusal("wrong key sk-planted-key-123", 400))
    assert "planted" not in asked.answer().error
