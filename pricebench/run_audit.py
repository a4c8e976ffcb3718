"""A model through both instruments: pilots, one price to confirm, runs, board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pricebench import console
from pricebench.errors import CommandError
from pricebench.run import (
    Prepared,
    ask,
    ask_all,
    journal_path,
    prepare_hotel,
    prepare_purchase,
)
from pricebench.run_print import describe_plan

if TYPE_CHECKING:
    from ingest.journal import Record
    from ingest.run_plan import RunPlan
    from pricebench.run_request import Request


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a pilot says about a run.

    Attributes
    ----------
    instrument
        Of the run.
    replies, valid
        Replies of the pilot, and those that an option could be read from.
    calls
        Calls that are still to be made.
    usd
        What they will cost; None: nobody knows.
    """

    instrument: str
    replies: int
    valid: int
    calls: int
    usd: float | None


def run_audit(
    request: Request,
    *,
    yes: bool,
    hotel_subset: str | None,
    purchase_subset: int | None,
) -> None:
    """Ask a model everything that both instruments ask, and show the board.

    Parameters
    ----------
    request
        Who is asked, and how.
    yes
        The price needs no confirmation.
    hotel_subset, purchase_subset
        As ``subset`` of either run.

    Raises
    ------
    CommandError
        Where nobody can confirm a price, or nobody did; for a pilot without a reply
        that can be read; for calls that failed; where the build fails.
    LoadError
        For a plan, a journal or an endpoint that cannot be used.
    """
    from pricebench.demo import build_and_show

    if not (yes or request.pilot or request.dry_run or console.can_confirm()):
        raise CommandError(
            "no terminal to confirm the price on: see it with --pilot, then say --yes"
        )
    runs = (
        prepare_hotel(request, subset=hotel_subset),
        prepare_purchase(request, subset=purchase_subset),
    )
    if request.dry_run:
        shown = [describe_plan(o.plan, journal_path(request, o.plan)) for o in runs]
        console.emit("\n\n".join(shown))
        return
    estimates = [_estimated(request, one, runs) for one in runs]
    console.emit(describe_price(estimates))
    if request.pilot:
        return
    _require_valid(estimates)
    if not yes and any(one.calls for one in estimates) and not _is_confirmed(estimates):
        raise CommandError(
            "not confirmed: the pilots were asked, nothing else; run the same command "
            "again to be asked again"
        )
    problems = []
    for one in runs:
        try:
            ask_all(_within(request, one.plan, runs), one)
        except CommandError as error:
            # what the other instrument answers is worth having all the same
            problems.append(f"{one.plan.instrument}: {error}")
    build_and_show(request.warehouse)
    if problems:
        raise CommandError("; ".join(problems))


def _estimated(request: Request, one: Prepared, runs: Sequence[Prepared]) -> Estimate:
    instrument = one.plan.instrument
    within = _within(request, one.pilot, runs)
    ask(within, one.pilot, one.read, f"{instrument} pilot")
    return estimate(
        one.plan,
        one.pilot,
        _records(journal_path(request, one.plan)),
        _records(journal_path(request, one.pilot)),
    )


def estimate(
    plan: RunPlan,
    pilot: RunPlan,
    records: Sequence[Record],
    pilot_records: Sequence[Record],
) -> Estimate:
    """Estimate from the journal of a pilot what a run will still cost.

    Parameters
    ----------
    plan, pilot
        The run and its pilot, which may be a part of it.
    records, pilot_records
        Of their journals.

    Returns
    -------
    Estimate
        The mean cost of the pilot's replies for every call that has no reply yet;
        without a price where that of any of these replies is not known.
    """
    replies = _replies(pilot, pilot_records)
    costs = [one.get("cost_usd") for one in replies.values()]
    known = [float(cost) for cost in costs if cost is not None]
    calls = len(plan.calls) - len(_replies(plan, records))
    is_known = bool(known) and len(known) == len(costs)
    usd = sum(known) / len(known) * calls if is_known else None
    valid = sum(one.get("reply_state") != "invalid" for one in replies.values())
    return Estimate(
        plan.instrument, len(replies), valid, calls, 0.0 if not calls else usd
    )


def describe_price(estimates: Sequence[Estimate]) -> str:
    """Return what pilots say, and one price for everything.

    Parameters
    ----------
    estimates
        Of every run.

    Returns
    -------
    str
        A line each, then the sum; a price that nobody knows is said to be unknown.
    """
    lines = [
        f"{one.instrument}: {one.valid} of {one.replies} pilot replies valid; "
        f"{one.calls:,} calls to make, {_price(one.usd)}"
        for one in estimates
    ]
    return "\n".join([*lines, f"price of all: {_price(total_usd(estimates))}"])


def total_usd(estimates: Sequence[Estimate]) -> float | None:
    """Return the price of all runs, None where that of any is not known."""
    each = [one.usd for one in estimates]
    known = [one for one in each if one is not None]
    return sum(known) if len(known) == len(each) else None


def _price(usd: float | None) -> str:
    if usd is None:
        return "unknown"
    return f"about ${usd:.2f}" if usd >= 0.01 or not usd else f"about ${usd:.4f}"


def _is_confirmed(estimates: Sequence[Estimate]) -> bool:
    calls = sum(one.calls for one in estimates)
    price = _price(total_usd(estimates))
    if price == "unknown":
        price = "a price that nobody knows"
    return console.confirm(f"make {calls:,} calls for {price}?")


def _require_valid(estimates: Sequence[Estimate]) -> None:
    for one in estimates:
        if not one.valid:
            raise CommandError(
                f"{one.instrument}: no reply of the pilot names an option; see why: "
                f"`pricebench run {one.instrument} --pilot` names its journal"
            )


def _within(request: Request, plan: RunPlan, runs: Sequence[Prepared]) -> Request:
    """Return the request with what the other journals leave of the budget."""
    from ingest.run_calls import spent_usd

    if request.max_usd is None:
        return request
    mine = journal_path(request, plan)
    paths = {
        journal_path(request, part) for one in runs for part in (one.plan, one.pilot)
    }
    spent = sum(spent_usd(_records(path)) for path in paths - {mine})
    return replace(request, max_usd=max(0.0, request.max_usd - spent))


def _records(path: Path) -> list[Record]:
    from ingest.journal import read_journal

    if not path.exists():
        return []
    return [record for _, record in read_journal(path.read_bytes(), str(path)).records]


def _replies(
    plan: RunPlan, records: Sequence[Record]
) -> Mapping[tuple[Any, ...], Record]:
    """Return the last reply to each call of a plan."""
    from ingest.journal import last_by
    from ingest.run_calls import is_failed

    wanted = {tuple(call.key[name] for name in plan.names) for call in plan.calls}
    last = last_by(enumerate(records), plan.names)
    return {
        key: record
        for key, (_, record) in last.items()
        if key in wanted and not is_failed(record)
    }
