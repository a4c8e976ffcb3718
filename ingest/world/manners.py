"""How a scripted model can misbehave: words behind its id, joined by ``+``.

``simulated/balanced+storm`` chooses as ``simulated/balanced`` does, once it answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# settings that a model may be told to refuse: word -> the field of a request
REFUSALS: Mapping[str, str] = MappingProxyType(
    {
        "refuses-temperature": "temperature",
        "refuses-seed": "seed",
        "refuses-logprobs": "logprobs",
        "refuses-reasoning": "reasoning_effort",
        "refuses-schema": "response_format",
    }
)
MANNERS: Mapping[str, str] = MappingProxyType(
    {
        "storm": "the first two requests of each question meet 429 with Retry-After",
        "overloaded": "every request meets 529",
        "hang": "no request is ever answered",
        "half-body": "the connection ends in the middle of every answer",
        "html": "an HTML page with status 200 stands where the answer should",
        "error-body": "an error stands in a body with status 200",
        "no-choices": "the answer holds no choices",
        "prose": "the choice stands in a sentence, JSON among other words",
        "mumble": "no reply names an option",
        "cut-off": "the reply ends half-way, with finish reason length",
        "free": "neither tokens nor cost are stated",
        **{word: f"a request with {name} meets 400" for word, name in REFUSALS.items()},
    }
)
STORMS = 2  # requests of one question that a storm turns away


def split_manners(model: str) -> tuple[str, frozenset[str]]:
    """Part a model id from its manners.

    Parameters
    ----------
    model
        ``simulated/balanced+storm``.

    Returns
    -------
    tuple of str and frozenset of str
        The id without them, and the words; whether there are such is not looked at.
    """
    plain, *words = model.split("+")
    return plain, frozenset(words)
