"""What a purchase run asks a model, and how its replies are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ingest.calls import Question, Settings
from ingest.errors import LoadError
from ingest.purchase.bank import SEED, SIZE, bank_sha256, make_bank
from ingest.purchase.prompt import (
    ANSWER_SCHEMA,
    PROMPT_VERSION,
    make_prompt,
    prompt_sha256,
)
from ingest.purchase.reply import read_reply
from ingest.purchase.scenario import LABELS, Scenario
from ingest.run_calls import Call
from ingest.run_plan import RunPlan, settings_for

INSTRUMENT = "purchase"
REPEATS = 3
KEY = ("scenario_id", "label", "repeat")
# the published pilot: sixteen unlabelled decisions on a bank of its own
PILOT_SEED, PILOT_SIZE, PILOT_REPEATS = 8001, 8, 2
_PROTOCOL: Mapping[str, Any] = {"max_tokens": 8000, "reasoning": "low"}


def purchase_settings(model: str, **given: Any) -> Settings:
    """Return the settings of the protocol, but for what is given.

    Parameters
    ----------
    model
        Id as the router writes it.
    given
        As in ``ingest.run_plan.settings_for``; the protocol is reasoning low, the
        provider's temperature, 8,000 tokens (Knipe 2026, run protocol).

    Returns
    -------
    Settings
        For every call of a run.
    """
    return settings_for(model, _PROTOCOL, given)


def plan_purchase(
    settings: Settings,
    *,
    seed: int = SEED,
    size: int = SIZE,
    labels: Sequence[str] = LABELS,
    repeats: int = REPEATS,
    subset: int | None = None,
) -> RunPlan:
    """Plan a run over a bank of scenarios.

    Parameters
    ----------
    settings
        Of every call.
    seed, size
        Of the bank; the published one by default.
    labels
        Which of ``LABELS`` are shown; all four by default.
    repeats
        Times each question is asked, 1 or more.
    subset
        Ask about the first so many scenarios only.

    Returns
    -------
    RunPlan
        By label, then scenario, then repeat, as published.

    Raises
    ------
    LoadError
        For a label, a number of repeats or a subset that does not exist.
    """
    for label in labels:
        if label not in LABELS:
            raise LoadError(f"label: no {label!r}; one of {', '.join(LABELS)}")
    if repeats < 1:
        raise LoadError(f"repeats: {repeats}; ask 1 time or more")
    bank = make_bank(size, seed)
    asked = bank if subset is None else bank[:subset]
    if subset is not None and not 1 <= subset <= size:
        raise LoadError(f"subset: {subset}; the bank has {size} scenarios")
    return RunPlan(
        instrument=INSTRUMENT,
        settings=settings,
        standard=purchase_settings(settings.model),
        bank={"seed": seed, "size": size},
        bank_sha256=bank_sha256(bank),
        prompt_version=PROMPT_VERSION,
        prompt_sha256=prompt_sha256(),
        names=KEY,
        calls=tuple(
            Call(
                {"scenario_id": scenario.scenario_id, "label": label, "repeat": repeat},
                question,
            )
            for label in dict.fromkeys(labels)
            for scenario in asked
            # one for all repeats: a run of many holds no text twice
            for question in (_question(scenario, label),)
            for repeat in range(repeats)
        ),
    )


def plan_pilot(settings: Settings) -> RunPlan:
    """Plan the published pilot: what validity, cost and time are estimated from.

    Parameters
    ----------
    settings
        Of every call.

    Returns
    -------
    RunPlan
        Sixteen calls.
    """
    return plan_purchase(
        settings,
        seed=PILOT_SEED,
        size=PILOT_SIZE,
        labels=("none",),
        repeats=PILOT_REPEATS,
    )


def _question(scenario: Scenario, label: str) -> Question:
    prompt = make_prompt(scenario, label)
    return Question(prompt.user, system=prompt.system, schema=("choice", ANSWER_SCHEMA))


def read_purchase(_: Call, text: str) -> dict[str, Any]:
    """Return what a reply says, as the journal holds it.

    Parameters
    ----------
    text
        The reply.

    Returns
    -------
    dict
        ``reply_state``, ``choice`` and ``reason``; choice is null where none is read.
    """
    reply = read_reply(text)
    return {
        "reply_state": reply.state,
        "choice": reply.choice,
        "reason": reply.reason,
    }
