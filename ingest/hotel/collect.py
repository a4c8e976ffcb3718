"""What a hotel run asks a model, and how its replies are read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ingest.calls import Question, Settings
from ingest.errors import LoadError
from ingest.hotel.asked_bank import AskedBank
from ingest.hotel.bank import ORDERINGS, Task
from ingest.hotel.prompt import (
    PROMPT_VERSION,
    make_prompt,
    option_at,
    option_letters,
    prompt_sha256,
)
from ingest.hotel.read_answers import FIRST_REPEAT
from ingest.hotel.reply import read_reply
from ingest.registry import hotel_variant
from ingest.run_calls import Call, ReadReply
from ingest.run_plan import RunPlan, settings_for

INSTRUMENT = "hotel"
REPEATS = 1
KEY = ("task_id", "ordering", "repeat")
# published cuts of the two-option tasks -> the last draw of each pair that is in
SUBSETS: Mapping[str, int] = {"r1": 1, "r2": 2}
PILOT_TASKS = 8
# variants that ask about every task; the published others ask two options alone
_ALL_FORMATS = ("base", "fiveopt")
_THINKS_ALOUD = "cot"

_T = TypeVar("_T")


def bank_kind_of(variant: str) -> str:
    """Return which kind of bank a variant asks about."""
    return "fiveopt" if hotel_variant(variant).name == "fiveopt" else "conjoint"


def hotel_settings(model: str, variant: str = "base", **given: Any) -> Settings:
    """Return the settings of the protocol, but for what is given.

    Parameters
    ----------
    model
        Id as the router writes it.
    variant
        Its row of the registry has temperature, top_p and tokens: 0, 1 and 16 for the
        base prompt (Kireyev 2026, calls).
    given
        As in ``ingest.run_plan.settings_for``.

    Returns
    -------
    Settings
        For every call of a run. The likeliest first tokens are asked for unless the
        first ones are no answer.

    Raises
    ------
    LoadError
        For a variant that does not exist.
    """
    registered = hotel_variant(variant)
    protocol = {
        "temperature": registered.temperature,
        "top_p": registered.top_p,
        "max_tokens": registered.max_tokens,
        "logprobs": variant != _THINKS_ALOUD,
    }
    return settings_for(model, protocol, given)


def plan_hotel(
    settings: Settings,
    bank: AskedBank,
    *,
    variant: str = "base",
    subset: str | None = None,
    repeats: int = REPEATS,
) -> RunPlan:
    """Plan a run over a bank of tasks, each in both orders.

    Parameters
    ----------
    settings
        Of every call.
    bank
        What is asked about; of the kind that the variant wants.
    variant
        A name of the registry.
    subset
        ``r1`` or ``r2`` (two-option tasks, the first draw or two of each pair), or a
        number of tasks spread over those of the variant; None: all of these.
    repeats
        Times each question is asked, 1 or more.

    Returns
    -------
    RunPlan
        By task, so that a run that is stopped has both orders of what it asked.

    Raises
    ------
    LoadError
        For a variant, a subset or a number of repeats that does not exist.
    """
    if bank.kind != bank_kind_of(variant):
        raise LoadError(
            f"variant {variant} asks about a bank of kind {bank_kind_of(variant)}, "
            f"not {bank.kind}"
        )
    if repeats < 1:
        raise LoadError(f"repeats: {repeats}; ask 1 time or more")
    return RunPlan(
        instrument=INSTRUMENT,
        settings=settings,
        standard=hotel_settings(settings.model, variant),
        bank=bank.origin,
        bank_sha256=bank.sha256,
        prompt_version=PROMPT_VERSION,
        prompt_sha256=prompt_sha256(),
        names=KEY,
        calls=tuple(
            Call(
                {"task_id": task.task_id, "ordering": ordering, "repeat": repeat},
                question,
            )
            for task in _asked(bank.tasks, variant, subset)
            for ordering in ORDERINGS
            for question in [Question(make_prompt(task, ordering, variant))]
            for repeat in range(FIRST_REPEAT, FIRST_REPEAT + repeats)
        ),
        variant=variant,
    )


def plan_pilot(plan: RunPlan) -> RunPlan:
    """Plan what validity, cost and time of a run are estimated from.

    Parameters
    ----------
    plan
        The run.

    Returns
    -------
    RunPlan
        Eight of its tasks, in both orders and once: part of the run, which does not
        ask them again.
    """
    tasks = tuple(dict.fromkeys(call.key["task_id"] for call in plan.calls))
    chosen = set(spread(tasks, min(PILOT_TASKS, len(tasks))))
    calls = tuple(
        call
        for call in plan.calls
        if call.key["task_id"] in chosen and call.key["repeat"] == FIRST_REPEAT
    )
    return replace(plan, calls=calls)


def _asked(tasks: Sequence[Task], variant: str, subset: str | None) -> Sequence[Task]:
    last_rep = SUBSETS.get(subset or "")
    if variant not in _ALL_FORMATS or last_rep is not None:
        tasks = [task for task in tasks if task.task_type == "binary"]
    if last_rep is not None:
        tasks = [task for task in tasks if task.rep <= last_rep]
    if not tasks:
        raise LoadError(
            f"the bank has no task for variant {variant}"
            f"{f' and subset {subset}' if subset else ''}: two options are wanted"
        )
    if subset is None or last_rep is not None:
        return tasks
    if not re.fullmatch("[0-9]{1,9}", subset) or not 1 <= int(subset) <= len(tasks):
        raise LoadError(
            f"subset: {subset}; give {' or '.join(SUBSETS)}, or a number of tasks from "
            f"1 to {len(tasks):,}"
        )
    return spread(tasks, int(subset))


def spread(items: Sequence[_T], count: int) -> list[_T]:
    """Return so many of a sequence, as far apart as can be.

    Parameters
    ----------
    items
        What to choose from.
    count
        0 to all of them.

    Returns
    -------
    list
        The first among them, in order.
    """
    return [items[place * len(items) // count] for place in range(count)]


def read_hotel(bank: AskedBank, variant: str) -> ReadReply:
    """Return the reader of a run's replies.

    Parameters
    ----------
    bank
        What it asks about.
    variant
        How it asks.

    Returns
    -------
    callable
        A call and its reply to what the journal holds of it: see ``read_choice``.
    """
    types = {task.task_id: task.task_type for task in bank.tasks}

    def read(call: Call, text: str) -> dict[str, Any]:
        key = call.key
        return read_choice(text, types[key["task_id"]], key["ordering"], variant)

    return read


def read_choice(
    text: str, task_type: str, ordering: str, variant: str
) -> dict[str, str | None]:
    """Read a reply both ways.

    Parameters
    ----------
    text
        The reply.
    task_type
        ``binary``, ``ternary`` or ``fiveopt``.
    ordering
        ``original`` or ``swapped``.
    variant
        A name of the registry.

    Returns
    -------
    dict
        ``reply_state``, ``choice`` by our reading and ``published_choice`` by the
        published one, both as options of the task file; null where none is read.
    """
    reply = read_reply(
        text, option_letters(task_type), thinks_aloud=variant == _THINKS_ALOUD
    )
    found = {"choice": reply.letter, "published_choice": reply.published_letter}
    return {
        "reply_state": reply.state,
        **{
            name: letter and option_at(letter, ordering, task_type)
            for name, letter in found.items()
        },
    }
