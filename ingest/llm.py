"""One language model over litellm: a question, its answer, what it cost.

Retries are for faults of transport alone: an answer that cannot be used is an answer.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from ingest.call_faults import PROVIDER_ERROR, fault_of
from ingest.calls import Answer, Attempt, Question, Settings
from ingest.errors import LoadError
from ingest.keys import hide, redact
from ingest.pace import Sleep
from ingest.retry import ATTEMPTS, RETRIED_STATUS, SETUP_STATUS, wait_before

# setting -> the fields that carry it in a request
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "temperature": ("temperature",),
    "top_p": ("top_p",),
    "seed": ("seed",),
    "logprobs": ("top_logprobs", "logprobs"),
    "reasoning": ("reasoning_effort",),
    "schema": ("response_format",),
    "route": ("extra_body",),
}
# how an endpoint names them where it refuses one, beside the fields themselves
_ALSO_NAMED: Mapping[str, str] = {
    "reasoning": r"\breasoning\b",
    "schema": r"\bjson_schema\b",
    # not the "provider" of any error that a router passes on
    "route": r"(?:argument|parameter|field)\b\W+(?:\w+\W+)?provider\b",
}
_TOP_TOKENS = 5
_SHOWN = 400  # characters of an error
_NO_KEY = "none"  # litellm wants one where a local server wants none


class SetupRefused(LoadError):
    """The endpoint refuses every call alike: key, address or model are wrong."""


@dataclass(slots=True)
class Model:
    """A model that is asked; it remembers which settings were refused.

    Attributes
    ----------
    settings
        As wanted.
    timeout_s
        Longest wait for one attempt.
    price
        US dollars per million prompt and completion tokens, where the endpoint states
        no cost; None: litellm's list of prices.
    refused
        Settings that are no longer sent.
    """

    settings: Settings
    timeout_s: float = 600.0
    price: tuple[float, float] | None = None
    sleep: Sleep = asyncio.sleep
    refused: list[str] = field(default_factory=list)

    async def ask(self, question: Question) -> Answer:
        """Ask once; try again where the transport failed.

        Parameters
        ----------
        question
            What is asked.

        Returns
        -------
        Answer
            A failed call is an answer with ``error``, never an exception.

        Raises
        ------
        SetupRefused
            Where the endpoint refuses key, address or model.
        """
        litellm()  # its import takes seconds, which no time limit should count
        attempts: list[Attempt] = []
        while True:
            request = self.request(question)
            began = time.monotonic()
            try:
                answer, status = _read(await self._send(request), self.price), None
                # a reply without an answer in it may pass like any fault
                wait = wait_before(len(attempts) + 1) if answer.error else None
            except Exception as error:
                if self._gives_up_setting(error, request):
                    continue
                answer, status, wait = _fault(error, len(attempts) + 1)
            took = time.monotonic() - began
            attempts.append(Attempt(took, answer.error, status, answer.error_kind))
            if wait is None or len(attempts) == ATTEMPTS:
                return replace(
                    answer,
                    latency_s=took,
                    attempts=tuple(attempts),
                    not_accepted=tuple(sorted(self.refused)),
                )
            await self.sleep(wait)

    async def _send(self, request: Mapping[str, Any]) -> Any:
        # the limit of the client does not cover a server that drips
        async with asyncio.timeout(self.timeout_s):
            return await litellm().acompletion(**request)

    def request(self, question: Question) -> dict[str, Any]:
        """Return what litellm is given for a question.

        Parameters
        ----------
        question
            What is asked.

        Returns
        -------
        dict
            Without the settings that were refused.
        """
        settings = self.settings
        wanted: dict[str, Any] = {
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "seed": settings.seed,
            "reasoning_effort": settings.reasoning,
            "logprobs": settings.logprobs or None,
            "top_logprobs": _TOP_TOKENS if settings.logprobs else None,
            "response_format": _form(question.schema),
            "extra_body": _route(settings.route),
        }
        gone = {name for setting in self.refused for name in _FIELDS[setting]}
        messages = [{"role": "user", "content": _content(question)}]
        if question.system is not None:
            messages.insert(0, {"role": "system", "content": question.system})
        return {
            "model": settings.model,
            "messages": messages,
            "max_tokens": settings.max_tokens,
            "timeout": self.timeout_s,
            "max_retries": 0,
            **_address(settings),
            **{k: v for k, v in wanted.items() if v is not None and k not in gone},
        }

    def _gives_up_setting(self, error: Exception, request: Mapping[str, Any]) -> bool:
        """Drop the setting that an error of the request names; False if none.

        Another call may have dropped it since this one was sent.
        """
        if _status(error) not in (400, 422):
            return False
        said = f"{getattr(error, 'param', None) or ''} {error}"
        for setting, fields in _FIELDS.items():
            if not any(name in request for name in fields):
                continue
            named = [rf"\b{name}\b" for name in fields]
            named += [_ALSO_NAMED[setting]] if setting in _ALSO_NAMED else []
            if any(re.search(pattern, said) for pattern in named):
                if setting not in self.refused:
                    self.refused.append(setting)
                return True
        return False


@cache
def litellm() -> Any:
    """Return litellm, quiet and without a network of its own; slow the first time."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import litellm as module

    module.suppress_debug_info = True
    module.telemetry = False
    return module


def _content(question: Question) -> Any:
    """Return the user message: a text alone stays one, which every endpoint takes."""
    if not question.images:
        return question.user
    shown = [{"type": "image_url", "image_url": {"url": u}} for u in question.images]
    return [{"type": "text", "text": question.user}, *shown]


def _address(settings: Settings) -> dict[str, Any]:
    if settings.api_base is None:
        return {}
    return {
        "api_base": settings.api_base,
        "custom_llm_provider": "openai",
        "api_key": os.environ.get("OPENAI_API_KEY") or _NO_KEY,
    }


def _route(route: str | None) -> dict[str, Any] | None:
    if route is None:
        return None
    if route == "cheapest":
        return {"provider": {"sort": "price"}}
    order = [one.strip() for one in route.split(",") if one.strip()]
    return {"provider": {"order": order}}


def _form(schema: tuple[str, Mapping[str, Any]] | None) -> dict[str, Any] | None:
    if schema is None:
        return None
    name, body = schema
    strict = {"name": name, "strict": True, "schema": dict(body)}
    return {"type": "json_schema", "json_schema": strict}


def _read(response: Any, price: tuple[float, float] | None) -> Answer:
    choices = getattr(response, "choices", None) or []
    if not choices:
        return _failed(PROVIDER_ERROR, "the endpoint sent no choices")
    choice = choices[0]
    # routers pass on in a choice that the provider behind them failed, and litellm
    # then says that it ended as it should
    told = (getattr(choice, "provider_specific_fields", None) or {}).get("error")
    if told and not choice.message.content:
        return _failed(PROVIDER_ERROR, str(told))
    usage = getattr(response, "usage", None)
    details = getattr(usage, "completion_tokens_details", None)
    cost, source = _cost(response, usage, price)
    # an endpoint that quotes its key must not get it into a journal
    return Answer(
        text=hide(choice.message.content or ""),
        finish=_hidden(getattr(choice, "finish_reason", None)),
        provider=_hidden(getattr(response, "provider", None)),
        model_served=_hidden(getattr(response, "model", None)),
        prompt_tokens=getattr(usage, "prompt_tokens", None),
        completion_tokens=getattr(usage, "completion_tokens", None),
        reasoning_tokens=getattr(details, "reasoning_tokens", None),
        cost_usd=cost,
        cost_source=source,
        first_tokens=_first_tokens(choice),
    )


def _hidden(said: Any) -> Any:
    return hide(said) if isinstance(said, str) else said


def _cost(
    response: Any, usage: Any, price: tuple[float, float] | None
) -> tuple[float | None, str | None]:
    said = getattr(usage, "cost", None)
    if isinstance(said, int | float):
        return float(said), "endpoint"
    if price is not None and usage is not None:
        tokens = (usage.prompt_tokens, usage.completion_tokens)
        return sum(n * p for n, p in zip(tokens, price, strict=True)) / 1e6, "given"
    try:
        return float(litellm().completion_cost(response)), "price_list"
    except Exception:  # litellm raises its own kinds where it knows no price
        return None, None


def _first_tokens(choice: Any) -> dict[str, float] | None:
    content = getattr(getattr(choice, "logprobs", None), "content", None)
    if not content:
        return None
    return {
        hide(one.token): float(one.logprob) for one in content[0].top_logprobs or []
    }


def _status(error: Exception) -> int | None:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def _failed(kind: str, told: str) -> Answer:
    return Answer(None, error=f"{kind}: {redact(told)[:_SHOWN]}", error_kind=kind)


def _fault(error: Exception, attempt: int) -> tuple[Answer, int | None, float | None]:
    """Return the failed call, its status, and how long to wait, None: for nothing."""
    kind, status = fault_of(error)
    told = f"{type(error).__name__}: {error}"
    # of a body under 200 that tells an error, the status that this gives itself
    said = _status(error)
    if said in SETUP_STATUS:
        raise SetupRefused(
            f"the endpoint refuses the call with status {said} "
            f"({redact(told)[:_SHOWN]}); check the key, the address and the model id"
        ) from None
    if status is not None:
        may_pass = status in RETRIED_STATUS
    else:
        # litellm gives 422 to a body that tells an error without a status
        may_pass = said in (None, 422) or said in RETRIED_STATUS
    headers = getattr(getattr(error, "response", None), "headers", None)
    wait = wait_before(attempt, headers) if may_pass else None
    return _failed(kind, told), status, wait
