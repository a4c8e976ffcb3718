"""Chat completions of scripted models: a request in, what the server sends out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ingest.hotel.shoppers import UNREADABLE_REPLY
from ingest.sources import SIMULATED
from ingest.world.door import Door, as_json, error, spoiled
from ingest.world.judges import JUDGES, judge
from ingest.world.manners import MANNERS, split_manners
from ingest.world.scripts import Said, Script, find_script, letter_shares, say, scripts
from ingest.world.sent import Sent

Body = dict[str, Any]

# US dollars per million prompt and reply tokens; four characters count as a token
PRICE = (0.10, 0.40)
_TOKEN = 4


@dataclass(slots=True)
class Chat:
    """An endpoint of scripted models.

    Attributes
    ----------
    door
        Counts what they are asked.
    """

    door: Door = field(default_factory=Door)

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
        self.door.calls[model] += 1
        plain, manners = split_manners(model)
        script = find_script(plain)
        unknown = manners - set(MANNERS)
        if (script is None and plain not in JUDGES) or unknown:
            return error(404, f"the model {model!r} does not exist", "model")
        question = _said_by(body, "user")
        turned_away = self.door.turn_away(model, manners, body, question)
        return turned_away or spoiled(
            _answered(plain, script, manners, body, question), manners
        )


@cache
def models() -> bytes:
    """Return the list of models, as an endpoint lists them."""
    made = {"object": "model", "created": 1, "owned_by": SIMULATED}
    listed = [{"id": one, **made} for one in (*scripts(), *JUDGES)]
    return as_json({"object": "list", "data": listed})


def _said_by(body: Body, role: str) -> str:
    """Return the last message of somebody, its parts of text joined."""
    asked = [one for one in body["messages"] if one["role"] == role]
    content = asked[-1]["content"] if asked else ""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part.get("type") == "text")


def _answered(
    model: str,
    script: Script | None,
    manners: frozenset[str],
    body: Body,
    question: str,
) -> Sent:
    if script is None:
        verdict = judge(model, _said_by(body, "system"), question)
        said = None if verdict is None else Said(verdict, None)
    else:
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
    completion = _completion(body, question, text, finish)
    if body.get("logprobs") and script is not None:
        completion["choices"][0]["logprobs"] = _logprobs(script, body, question, said)
    if "free" in manners:
        del completion["usage"]
    if "no-choices" in manners:
        completion["choices"] = []
    return Sent(as_json(completion))


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
