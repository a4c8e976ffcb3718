"""Asking models: from what a person typed to a journal, loaded."""

from __future__ import annotations

import asyncio
import math
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pricebench import console
from pricebench.console import Say
from pricebench.errors import CommandError

if TYPE_CHECKING:
    from ingest.calls import Settings
    from ingest.run_calls import Limits, ReadReply, Tally
    from ingest.run_plan import RunPlan


@dataclass(frozen=True, slots=True)
class Request:
    """What every instrument's run is told.

    Attributes
    ----------
    model, api_base, temperature, reasoning, route, max_tokens
        As in ``ingest.calls.Settings``.
    price
        ``IN,OUT``, dollars per million tokens, or None.
    timeout_s
        Longest wait for one attempt.
    limits
        How fast and how far.
    pilot, dry_run
        Ask a few and estimate; ask nothing and say what would be asked.
    out
        Folder of the journals, a subfolder per instrument.
    warehouse
        Absolute path; the journal is loaded into it at the end.
    """

    model: str
    api_base: str | None
    temperature: float | None
    reasoning: str | None
    route: str | None
    max_tokens: int
    price: str | None
    timeout_s: float
    limits: Limits
    pilot: bool
    dry_run: bool
    out: Path
    warehouse: Path


def run_purchase(
    request: Request, *, seed: int, size: int, subset: int | None, repeats: int
) -> None:
    """Ask a model the purchase questions and load its journal.

    Parameters
    ----------
    request
        Who is asked, and how.
    seed, size, subset, repeats
        As in ``ingest.purchase.collect.plan_purchase``.

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
    from pricebench.load import load_sources

    settings = purchase_settings(
        request.model,
        api_base=_address(request.api_base),
        temperature=request.temperature,
        max_tokens=request.max_tokens,
        route=request.route,
    )
    # None means the protocol's effort above, and here that none is sent
    settings = replace(settings, reasoning=request.reasoning)
    _check_model(settings)
    plan = plan_purchase(settings, seed=seed, size=size, repeats=repeats, subset=subset)
    if request.dry_run:
        console.emit(describe_plan(plan, _journal(request, plan)))
        return
    if request.pilot:
        tally, took = _ask(request, plan_pilot(settings), read_purchase, "pilot")
        console.emit(describe_pilot(tally, len(plan.calls), took))
        return
    tally, _ = _ask(request, plan, read_purchase, "run")
    console.emit(describe_tally(tally))
    path = _journal(request, plan)
    load_sources(
        [str(path)],
        lambda source, progress: load_purchase(
            source, request.warehouse, replace=True, progress=progress
        ),
    )
    _require_whole(tally)


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


def _ask(
    request: Request, plan: RunPlan, read: ReadReply, title: str
) -> tuple[Tally, float]:
    from ingest.journal import open_journal
    from ingest.llm import Model, litellm
    from ingest.run_calls import run_calls

    price = _price(request.price)
    model = Model(plan.settings, timeout_s=request.timeout_s, price=price)
    path = _journal(request, plan)
    with console.progress(title) as say, open_journal(path, plan.header) as journal:
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
                    limits=request.limits,
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
    return _minutes(took / tally.asked * tally.left)


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def describe_tally(tally: Tally) -> str:
    """Return where a run stands, in one line.

    Parameters
    ----------
    tally
        Its counts.

    Returns
    -------
    str
        Calls with a reply of all, what this session did, dollars spent, settings that
        were not accepted, why it stopped.
    """
    done = tally.wanted - tally.left
    parts = [f"{done:,} of {tally.wanted:,} answered"]
    odd = [
        f"{count:,} {state}"
        for state, count in sorted(tally.states.items())
        if state in ("invalid", "failed")
    ]
    if odd:
        parts.append(f"of {tally.asked:,} asked now {' and '.join(odd)}")
    parts.append(_spent(tally))
    if tally.not_accepted:
        parts.append(f"not accepted: {', '.join(tally.not_accepted)}")
    if tally.stopped:
        parts.append(f"stopped: {tally.stopped}")
    return "; ".join(parts)


def _spent(tally: Tally) -> str:
    shown = f"${tally.spent_usd:.4f} spent"
    if tally.unpriced:
        shown += f" and {tally.unpriced:,} calls of unknown cost"
    return shown


def describe_plan(plan: RunPlan, path: Path) -> str:
    """Return what a run would ask.

    Parameters
    ----------
    plan
        The run.
    path
        Its journal.

    Returns
    -------
    str
        A line each for calls, run, hashes, settings and journal.
    """
    sent = {
        name: value
        for name, value in plan.settings.as_json().items()
        if value not in (None, False) and name != "model"
    }
    rows: Sequence[tuple[str, str]] = (
        ("model", plan.settings.model),
        ("calls", f"{len(plan.calls):,}"),
        ("run", plan.run_id),
        ("bank", plan.bank_sha256),
        ("prompt", f"{plan.prompt_version}, {plan.prompt_sha256}"),
        ("settings", ", ".join(f"{name} {value}" for name, value in sent.items())),
        ("journal", str(path)),
    )
    return "\n".join(f"{name:<9} {value}" for name, value in rows)


def describe_pilot(tally: Tally, calls: int, took: float) -> str:
    """Return what a pilot says about the whole run.

    Parameters
    ----------
    tally
        The pilot's counts.
    calls
        Calls of the whole run.
    took
        Seconds of the pilot.

    Returns
    -------
    str
        Validity, cost and time; a cost that nobody knows is said to be unknown, and so
        is what cannot be told because an earlier session had asked everything.
    """
    valid = tally.asked - sum(
        tally.states.get(state, 0) for state in ("invalid", "failed")
    )
    lines = [describe_tally(tally)]
    if not tally.asked:
        return "\n".join([*lines, "the pilot was asked before: nothing to time now"])
    lines.append(f"valid replies: {valid} of {tally.asked}")
    if tally.unpriced or not tally.latency_s:
        lines.append(f"cost of {calls:,} calls: unknown")
    else:
        cost = tally.spent_usd / (tally.wanted - tally.left) * calls
        lines.append(f"cost of {calls:,} calls: about ${cost:.2f}")
    if tally.latency_s:
        median = statistics.median(tally.latency_s)
        whole = _minutes(took / tally.asked * calls)
        lines.append(f"time: about {whole} (median reply {median:.1f} s)")
    return "\n".join(lines)


def _require_whole(tally: Tally) -> None:
    if tally.left:
        reason = tally.stopped or f"{tally.failed:,} calls failed"
        raise CommandError(
            f"{tally.left:,} of {tally.wanted:,} calls have no reply ({reason}); run "
            "the same command again to ask them"
        )
