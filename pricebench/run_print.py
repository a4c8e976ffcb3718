"""What a run says about itself: plan, progress, pilot, end."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.call_faults import told_by_kind

if TYPE_CHECKING:
    from ingest.run_calls import Tally
    from ingest.run_plan import RunPlan
    from ingest.search.agents.session import Tally as AgentTally


def minutes(seconds: float) -> str:
    """Return a duration as seconds, or as minutes where it is long."""
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
        Calls with a reply of all, what this session did, failed calls by kind of error,
        dollars spent, settings that were not accepted, why it stopped.
    """
    done = tally.wanted - tally.left
    parts = [f"{done:,} of {tally.wanted:,} answered"]
    odd = [
        f"{count:,} {state}{_kinds(tally) if state == 'failed' else ''}"
        for state, count in sorted(tally.states.items())
        if state in ("invalid", "failed")
    ]
    if odd:
        parts.append(f"of {tally.asked:,} asked now {' and '.join(odd)}")
    if tally.cached:
        parts.append(f"{tally.cached:,} from the cache")
    parts.append(_spent(tally))
    if tally.not_accepted:
        parts.append(f"not accepted: {', '.join(tally.not_accepted)}")
    if tally.stopped:
        parts.append(f"stopped: {tally.stopped}")
    return "; ".join(parts)


def _kinds(tally: Tally) -> str:
    return f" ({told_by_kind(tally.errors)})" if tally.errors else ""


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
        # a temperature of 0 is sent, and equals False
        if value is not None and value is not False and name != "model"
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
        is what cannot be told because nothing was sent now: an earlier session had
        asked everything, or the cache of replies knew it.
    """
    lines = [describe_tally(tally)]
    if not tally.asked:
        return "\n".join([*lines, "the pilot was asked before: nothing to time now"])
    valid = tally.asked - sum(
        tally.states.get(state, 0) for state in ("invalid", "failed")
    )
    lines.append(f"valid replies: {valid} of {tally.asked}")
    sent = tally.asked - tally.cached
    if not sent:
        told = "unknown, every reply is from the cache"
        return "\n".join([*lines, f"cost and time of {calls:,} calls: {told}"])
    if tally.unpriced or not tally.latency_s:
        lines.append(f"cost of {calls:,} calls: unknown")
    else:
        cost = tally.session_usd / len(tally.latency_s) * calls
        lines.append(f"cost of {calls:,} calls: about ${cost:.2f}")
    if tally.latency_s:
        median = statistics.median(tally.latency_s)
        whole = minutes(took / sent * calls)
        lines.append(f"time: about {whole} (median reply {median:.1f} s)")
    if tally.cached:
        lines.append(
            f"cost and time are those of the {_calls(sent)} sent now, not of the "
            f"{tally.cached:,} from the cache"
        )
    return "\n".join(lines)


def _calls(count: int) -> str:
    return f"{count:,} call{'' if count == 1 else 's'}"


def describe_agent(named: str, tally: AgentTally) -> str:
    """Return where an agent stands on a track, in one line.

    Parameters
    ----------
    named
        Agent and track.
    tally
        Its counts.

    Returns
    -------
    str
        Products with an answer of all, what this session's answers are, dollars spent.
    """
    done = tally.wanted - tally.left
    states = [f"{count} {name}" for name, count in sorted(tally.states.items())]
    parts = [f"{named}: {done} of {tally.wanted} answered"]
    if states:
        parts.append(f"now {', '.join(states)}")
    spent = f"${tally.spent_usd:.4f} spent"
    if tally.unpriced:
        spent += f" and {tally.unpriced} requests of unknown cost"
    parts.append(spent)
    if tally.stopped:
        parts.append(f"stopped: {tally.stopped}")
    return "; ".join(parts)
