"""Asking models: from what a person typed to a journal, loaded."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pricebench import console
from pricebench.console import Say
from pricebench.errors import CommandError
from pricebench.run_print import describe_pilot, describe_plan, describe_tally, minutes

if TYPE_CHECKING:
    from ingest.calls import Settings
    from ingest.load_report import LoadReport
    from ingest.run_calls import ReadReply, Tally
    from ingest.run_plan import RunPlan
    from pricebench.run_request import Request


CACHE = "replies.sqlite"


def run_hotel(
    request: Request, *, variant: str, subset: str | None, bank_path: Path | None
) -> None:
    """Ask a model the hotel questions and load its journal.

    Parameters
    ----------
    request
        Who is asked, and how.
    variant, subset
        As in ``ingest.hotel.collect.plan_hotel``.
    bank_path
        A task file or its folder; None: tasks are drawn.

    Raises
    ------
    CommandError
        For an address, a price or a model id that cannot be; a seed or size beside a
        bank that is read; calls that failed; a run that its budget stopped.
    LoadError
        For a bank, a plan, a journal or an endpoint that cannot be used.
    """
    from ingest.hotel.asked_bank import drawn_bank, keep_bank, read_bank
    from ingest.hotel.collect import (
        bank_kind_of,
        hotel_settings,
        plan_hotel,
        plan_pilot,
        read_hotel,
    )
    from ingest.hotel.release import load_hotel

    settings = hotel_settings(request.model, variant, **_settings(request))
    _check_model(settings)
    drawn = _given(seed=request.seed, size=request.size)
    if bank_path is not None and drawn:
        raise CommandError(
            f"--{next(iter(drawn))} is of a bank that is drawn, and --bank names one: "
            "leave either out"
        )
    kind = bank_kind_of(variant)
    bank = (
        drawn_bank(kind, **drawn) if bank_path is None else read_bank(bank_path, kind)
    )
    plan = plan_hotel(
        settings,
        bank,
        variant=variant,
        subset=subset,
        **_given(repeats=request.repeats),
    )
    reading = read_hotel(bank, variant)
    folder = _journal(request, plan).parent
    task_file = None if request.dry_run else keep_bank(bank, folder)
    load = partial(load_hotel, warehouse=request.warehouse, replace=True)
    _carry_out(request, plan, plan_pilot(plan), reading, load, task_file)


def run_purchase(request: Request, *, labels: str | None, subset: int | None) -> None:
    """Ask a model the purchase questions and load its journal.

    Parameters
    ----------
    request
        Who is asked, and how.
    labels
        As in ``ingest.purchase.collect.plan_purchase``, parted by commas.
    subset
        As there.

    Raises
    ------
    CommandError
        For an address, a price or a model id that cannot be; calls that failed; a run
        that its budget stopped.
    LoadError
        For a plan, a journal or an endpoint that cannot be used.
    """
    from ingest.purchase.collect import (
        plan_pilot,
        plan_purchase,
        purchase_settings,
        read_purchase,
    )
    from ingest.purchase.release import load_purchase

    settings = purchase_settings(request.model, **_settings(request))
    _check_model(settings)
    chosen = None if labels is None else [one.strip() for one in labels.split(",")]
    plan = plan_purchase(
        settings,
        subset=subset,
        **_given(
            seed=request.seed,
            size=request.size,
            repeats=request.repeats,
            labels=chosen,
        ),
    )
    load = partial(load_purchase, warehouse=request.warehouse, replace=True)
    _carry_out(request, plan, plan_pilot(settings), read_purchase, load)


def _settings(request: Request) -> dict[str, Any]:
    reasoning = request.reasoning
    return {
        "api_base": _address(request.api_base),
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        "reasoning": None if reasoning is None else reasoning.value,
        "route": request.route,
    }


def _given(**typed: Any) -> dict[str, Any]:
    """Return what was typed; for the rest a plan has its own defaults."""
    return {name: value for name, value in typed.items() if value is not None}


def _check_model(settings: Settings) -> None:
    if "/" not in settings.model.strip("/") or settings.model != settings.model.strip():
        raise CommandError(
            f"--model {settings.model!r} names no provider: write it as a router "
            "would, for instance openai/gpt-5.4-nano"
        )


def _address(given: str | None) -> str | None:
    if given is None:
        return None
    try:
        parts = urlsplit(given)
        parts.port  # noqa: B018 - a port out of range raises here
    except ValueError as error:
        raise CommandError(f"--api-base {given!r} is no address ({error})") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise CommandError(
            f"--api-base {given!r} is no address: give one like "
            "http://localhost:11434/v1"
        )
    if parts.username or parts.password:
        raise CommandError(
            "--api-base holds a user or password, which the journal would keep: give "
            "the address alone and the key in OPENAI_API_KEY"
        )
    return given.rstrip("/")


def _price(given: str | None) -> tuple[float, float] | None:
    if given is None:
        return None
    try:
        each = tuple(float(one) for one in given.split(","))
    except ValueError:
        each = ()
    if len(each) != 2 or any(not 0 <= one < math.inf for one in each):
        raise CommandError(
            f"--price {given!r}: give two amounts, dollars per million prompt and "
            "reply tokens, for instance 0.05,0.40"
        )
    return each[0], each[1]


def _journal(request: Request, plan: RunPlan) -> Path:
    """Return where a run is written: banks apart, so that hashes part the files."""
    bank = plan.bank_sha256[:12]
    return request.out / plan.instrument / bank / plan.file_name


def _carry_out(
    request: Request,
    plan: RunPlan,
    pilot: RunPlan,
    read: ReadReply,
    load: Callable[..., LoadReport],
    task_file: Path | None = None,
) -> None:
    """Ask, or estimate, or say what would be asked; load what a run has answered."""
    from pricebench.load import load_sources

    journal = _journal(request, plan)
    if request.dry_run:
        console.emit(describe_plan(plan, journal))
        return
    if request.pilot:
        tally, took = _ask(request, pilot, read, "pilot")
        console.emit(describe_pilot(tally, len(plan.calls), took))
        return
    tally, _ = _ask(request, plan, read, "run")
    console.emit(describe_tally(tally))
    sources = [journal] if task_file is None else [task_file, journal]
    load_sources(list(map(str, sources)), load)
    _require_whole(tally)


def _ask(
    request: Request, plan: RunPlan, read: ReadReply, title: str
) -> tuple[Tally, float]:
    from ingest.journal import open_journal
    from ingest.llm import Model, litellm
    from ingest.response_cache import open_cache
    from ingest.run_calls import Limits, run_calls

    price = _price(request.price)
    model = Model(plan.settings, timeout_s=request.timeout, price=price)
    limits = Limits(request.concurrency, request.per_minute, request.max_usd)
    path = _journal(request, plan)
    replies = nullcontext() if request.no_cache else open_cache(request.out / CACHE)
    with (
        console.progress(title) as say,
        open_journal(path, plan.header) as journal,
        replies as cache,
    ):
        say(f"{title} of {plan.settings.model}: {path}")
        litellm()  # its import takes seconds that are no part of the time that is told
        began = time.monotonic()
        watch = _Watch(say)
        try:
            tally = asyncio.run(
                run_calls(
                    model,
                    plan.calls,
                    journal,
                    read,
                    names=plan.names,
                    facts=plan.facts,
                    limits=limits,
                    cache=cache,
                    watch=watch,
                )
            )
        except KeyboardInterrupt:
            console.note(f"stopped; {path} holds what was answered: run it again")
            raise
    return tally, time.monotonic() - began


class _Watch:
    """Says where a run stands, at most once a second, and at its end."""

    def __init__(self, say: Say) -> None:
        self.say = say
        self.began = time.monotonic()
        self.told = 0.0

    def __call__(self, tally: Tally) -> None:
        now = time.monotonic()
        if now - self.told < 1.0 and tally.left:
            return
        self.told = now
        self.say(f"{describe_tally(tally)}; {_left(tally, now - self.began)} left")


def _left(tally: Tally, took: float) -> str:
    if not tally.asked:
        return "?"
    return minutes(took / tally.asked * tally.left)


def _require_whole(tally: Tally) -> None:
    if tally.left:
        reason = tally.stopped or f"{tally.failed:,} calls failed"
        raise CommandError(
            f"{tally.left:,} of {tally.wanted:,} calls have no reply ({reason}); run "
            "the same command again to ask them"
        )
