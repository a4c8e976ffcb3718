"""Asking models: from what a person typed to a journal, loaded."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pricebench import console
from pricebench.console import Say
from pricebench.errors import CommandError
from pricebench.run_check import address, check_model, price_of
from pricebench.run_print import describe_pilot, describe_plan, describe_tally, minutes

if TYPE_CHECKING:
    from ingest.load_report import LoadReport
    from ingest.run_calls import ReadReply, Tally
    from ingest.run_plan import RunPlan
    from pricebench.run_request import Request


CACHE = "replies.sqlite"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run before anything is asked, with all that it takes to ask and load it.

    Attributes
    ----------
    plan, pilot
        What is asked, and what it is estimated from.
    read
        Reads a reply.
    load
        Takes a file and ``progress``.
    task_file
        Loaded before the journal, where the bank stands in a file of its own.
    """

    plan: RunPlan
    pilot: RunPlan
    read: ReadReply
    load: Callable[..., LoadReport]
    task_file: Path | None = None


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
        As `prepare_hotel`; for calls that failed; for a run that its budget stopped.
    LoadError
        For a bank, a plan, a journal or an endpoint that cannot be used.
    """
    prepared = prepare_hotel(
        request, variant=variant, subset=subset, bank_path=bank_path
    )
    _carry_out(request, prepared)


def prepare_hotel(
    request: Request,
    *,
    variant: str = "base",
    subset: str | None = None,
    bank_path: Path | None = None,
) -> Prepared:
    """Prepare a hotel run; its task file is written unless nothing is to be asked.

    Parameters
    ----------
    request, variant, subset, bank_path
        As in `run_hotel`.

    Returns
    -------
    Prepared

    Raises
    ------
    CommandError
        For an address, a price or a model id that cannot be; a seed or size beside a
        bank that is read.
    LoadError
        For a bank or a plan that cannot be used.
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
    check_model(settings.model)
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
    folder = journal_path(request, plan).parent
    task_file = None if request.dry_run else keep_bank(bank, folder)
    load = partial(load_hotel, warehouse=request.warehouse, replace=True)
    return Prepared(plan, plan_pilot(plan), reading, load, task_file)


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
        As `prepare_purchase`; for calls that failed; for a run that its budget stopped.
    LoadError
        For a plan, a journal or an endpoint that cannot be used.
    """
    _carry_out(request, prepare_purchase(request, labels=labels, subset=subset))


def prepare_purchase(
    request: Request, *, labels: str | None = None, subset: int | None = None
) -> Prepared:
    """Prepare a purchase run.

    Parameters
    ----------
    request, labels, subset
        As in `run_purchase`.

    Returns
    -------
    Prepared

    Raises
    ------
    CommandError
        For an address, a price or a model id that cannot be.
    LoadError
        For a plan that cannot be used.
    """
    from ingest.purchase.collect import (
        plan_pilot,
        plan_purchase,
        purchase_settings,
        read_purchase,
    )
    from ingest.purchase.release import load_purchase

    settings = purchase_settings(request.model, **_settings(request))
    check_model(settings.model)
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
    return Prepared(plan, plan_pilot(settings), read_purchase, load)


def _settings(request: Request) -> dict[str, Any]:
    reasoning = request.reasoning
    return {
        "api_base": address(request.api_base),
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        "reasoning": None if reasoning is None else reasoning.value,
        "route": request.route,
    }


def _given(**typed: Any) -> dict[str, Any]:
    """Return what was typed; for the rest a plan has its own defaults."""
    return {name: value for name, value in typed.items() if value is not None}


def journal_path(request: Request, plan: RunPlan) -> Path:
    """Return where a run is written: banks apart, so that hashes part the files.

    Parameters
    ----------
    request
        Names the folder of all.
    plan
        The run.

    Returns
    -------
    Path
    """
    bank = plan.bank_sha256[:12]
    return request.out / plan.instrument / bank / plan.file_name


def _carry_out(request: Request, prepared: Prepared) -> None:
    """Ask, or estimate, or say what would be asked; load what a run has answered."""
    plan = prepared.plan
    if request.dry_run:
        console.emit(describe_plan(plan, journal_path(request, plan)))
        return
    if request.pilot:
        tally, took = ask(request, prepared.pilot, prepared.read, "pilot")
        console.emit(describe_pilot(tally, len(plan.calls), took))
        return
    ask_all(request, prepared)


def ask_all(request: Request, prepared: Prepared) -> None:
    """Ask what is open of a run and load what it has answered.

    Parameters
    ----------
    request
        How.
    prepared
        The run.

    Raises
    ------
    CommandError
        Where calls have no reply at the end; what was answered is loaded then.
    LoadError
        For a journal or an endpoint that cannot be used.
    """
    from pricebench.load import load_sources

    plan = prepared.plan
    tally, _ = ask(request, plan, prepared.read, "run")
    console.emit(describe_tally(tally))
    files = [prepared.task_file, journal_path(request, plan)]
    load_sources([str(one) for one in files if one is not None], prepared.load)
    _require_whole(tally)


def ask(
    request: Request, plan: RunPlan, read: ReadReply, title: str
) -> tuple[Tally, float]:
    """Ask what is open of a plan.

    Parameters
    ----------
    request
        How.
    plan, read
        What, and how replies are read.
    title
        How progress calls it.

    Returns
    -------
    Tally, float
        Where the run stands now, and how many seconds that took.

    Raises
    ------
    CommandError
        For a price that is none.
    LoadError
        For a journal, a cache or an endpoint that cannot be used.
    """
    from ingest.journal import open_journal
    from ingest.llm import Model, litellm
    from ingest.response_cache import open_cache
    from ingest.run_calls import Limits, run_calls

    price = price_of(request.price)
    model = Model(plan.settings, timeout_s=request.timeout, price=price)
    limits = Limits(request.concurrency, request.per_minute, request.max_usd)
    path = journal_path(request, plan)
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
    # the cache answers at once, so its replies say nothing of those that are left
    sent = tally.asked - tally.cached
    return minutes(took / sent * tally.left) if sent else "?"


def _require_whole(tally: Tally) -> None:
    if tally.left:
        reason = tally.stopped or f"{tally.failed:,} calls failed"
        raise CommandError(
            f"{tally.left:,} of {tally.wanted:,} calls have no reply ({reason}); run "
            "the same command again to ask them"
        )
