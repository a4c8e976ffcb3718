"""Chat completions of scripted models: a request in, what the server sends out."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ingest.hotel.shoppers import UNREADABLE_REPLY
from ingest.run_plan import SIMULATED
from ingest.world.manners import MANNERS, REFUSALS, STORMS, split_manners
from ingest.world.scripts import Said, Script, find_script, letter_shares, say, scripts

Body = dict[str, Any]

# US dollars per million prompt and reply tokens; four characters count as a token
PRICE = (0.10, 0.40)
_TOKEN = 4
_HTML = b"<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>"


@dataclass(frozen=True, slots=True)
class Sent:
    """What a server sends.

    Attributes
    ----------
    content
        The body.
    status, headers
        Of the response.
    fault
        ``hang`` (nothing is ever sent) or ``half`` (half of the body, then the
        connection ends); None: all is well.
    """

    content: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: str | None = None


@dataclass(slots=True)
class Chat:
    """An endpoint: it counts what it is asked and knows whom a storm turned away.

    Attributes
    ----------
    calls
        Model id as asked -> requests, those that met an error included.
    """

    calls: Counter[str] = field(default_factory=Counter)
    _turned_away: Counter[int] = field(default_factory=Counter)

    def answer(self, body: Body) -> Sent:
        """Return what becomes of one request.

        Parameters
        ----------
        body
            A request for a chat completion.

        Returns
        -------
        Sent
            404 for a model that does not exist, 400 for a question that no script is
            for or a setting that the model refuses.
        """
        model = str(body.get("model"))
        self.calls[model] += 1
        plain, manners = split_manners(model)
        script = find_script(plain)
        unknown = manners - set(MANNERS)
        if script is None or unknown:
            return error(404, f"the model {model!r} does not exist", "model")
        question = _question(body)
        turned_away = self._turn_away(manners, body, question)
        return turned_away or _answered(script, manners, body, question)

    def _turn_away(
        self, manners: frozenset[str], body: Body, question: str
    ) -> Sent | None:
        for word in manners & set(REFUSALS):
            if REFUSALS[word] in body:
                told = f"Unsupported parameter: {REFUSALS[word]!r} with this model."
                return error(400, told, REFUSALS[word])
        if "overloaded" in manners:
            return error(529, "overloaded", headers={"retry-after": "0"})
        key = hash((body["model"], question))
        if "storm" in manners and self._turned_away[key] < STORMS:
            self._turned_away[key] += 1
            return error(429, "too many requests", headers={"retry-after": "1"})
        # an answered question is forgotten: the table holds what is in flight
        self._turned_away.pop(key, None)
        return None


@cache
def models() -> bytes:
    """Return the list of models, as an endpoint lists them."""
    made = {"object": "model", "created": 1, "owned_by": SIMULATED}
    return _json({"object": "list", "data": [{"id": one, **made} for one in scripts()]})


def error(
    status: int,
    message: str,
    param: str | None = None,
    *,
    headers: Mapping[str, str] | None = None,
) -> Sent:
    """Return an error as an endpoint words it.

    Parameters
    ----------
    status
        Of the response.
    message
        What is wrong.
    param
        Field of the request that is to blame.
    headers
        Of the response.

    Returns
    -------
    Sent
        Ready to go out.
    """
    told = {"message": message, "type": "simulated", "param": param, "code": None}
    return Sent(_json({"error": told}), status, headers or {})


def _question(body: Body) -> str:
    """Return the last message of the user, its parts of text joined."""
    asked = [one for one in body["messages"] if one["role"] == "user"]
    content = asked[-1]["content"] if asked else ""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part.get("type") == "text")


def _answered(
    script: Script, manners: frozenset[str], body: Body, question: str
) -> Sent:
    said = say(script, question, body.get("seed"))
    if said is None:
        return error(400, "no script answers this question", "messages")
    if said.text is None:
        return error(503, "simulated: the call failed", headers={"retry-after": "0"})
    text, finish = said.text, "stop"
    for word in ("prose", "mumble"):
        text = _SPOKEN[word](said) if word in manners else text
    if "cut-off" in manners:
        text, finish = text[: len(text) // 2], "length"
    if "html" in manners:
        return Sent(_HTML, headers={"content-type": "text/html"})
    if "error-body" in manners:
        return Sent(error(500, "simulated: upstream failed").content)
    completion = _completion(body, question, text, finish)
    if body.get("logprobs"):
        completion["choices"][0]["logprobs"] = _logprobs(script, body, question, said)
    if "free" in manners:
        del completion["usage"]
    if "no-choices" in manners:
        completion["choices"] = []
    faults = {"hang": "hang", "half-body": "half"}
    fault = next((faults[word] for word in faults if word in manners), None)
    return Sent(_json(completion), fault=fault)


def _prose(said: Said) -> str:
    if said.text is None or said.choice is None:
        return said.text or ""
    if said.text.startswith("{"):
        return f"This is what I would do.\n\n{said.text}\n\nIt pays best."
    return f"I would go for option {said.choice}, it suits the client best."


_SPOKEN: Mapping[str, Callable[[Said], str]] = {
    "prose": _prose,
    "mumble": lambda _: UNREADABLE_REPLY,
}


def _completion(body: Body, question: str, text: str, finish: str) -> Body:
    prompt, reply = _tokens(question), _tokens(text)
    cost = round(prompt * PRICE[0] + reply * PRICE[1], 4) / 1e6
    return {
        "id": "chatcmpl-simulated",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "provider": SIMULATED,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "logprobs": None,
                "finish_reason": finish,
            }
        ],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": reply,
            "total_tokens": prompt + reply,
            "completion_tokens_details": {"reasoning_tokens": 0},
            "cost": cost,
        },
    }


def _tokens(text: str) -> int:
    return -(-len(text) // _TOKEN)


def _logprobs(script: Script, body: Body, question: str, said: Said) -> Body | None:
    shares = letter_shares(script, question)
    if said.text not in shares:
        return None
    logs = {letter: math.log(max(share, 1e-9)) for letter, share in shares.items()}
    top = sorted(logs.items(), key=lambda one: (-one[1], one[0]))
    shown = top[: body.get("top_logprobs") or 0]
    first = {
        "token": said.text,
        "logprob": logs[said.text],
        "top_logprobs": [{"token": one, "logprob": log} for one, log in shown],
    }
    return {"content": [first]}


def _json(body: Body) -> bytes:
    return json.dumps(body).encode()
