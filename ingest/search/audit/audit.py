"""The phase ``audit``: every candidate's page is checked once, for both tracks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.errors import LoadError
from ingest.journal import open_journal
from ingest.search.artifact import POLICY_FILE
from ingest.search.audit.check import PASSING_REASONS, Offer, audited, with_claims
from ingest.search.audit.policy import Policy, read_table
from ingest.search.capture import (
    Capture,
    Clock,
    FirstLook,
    Look,
    Record,
    Say,
    remembered,
    work_off,
)
from ingest.search.judges.judge import found_in
from ingest.search.judges.pool import Found
from ingest.search.lag import describe_lag, is_late
from ingest.search.run_store import RunStore, journal_header, names_of, open_store
from ingest.search.schemas import TRACKS
from ingest.search.scope import Scope

AUDIT_JOURNAL = "journal_audit.jsonl"
# of a record, what is of one track
_CLAIMS = ("claimed_price", "price_mismatch")


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What came of auditing a track.

    Attributes
    ----------
    track
        exact or equiv.
    candidates
        Those in scope.
    states
        Status -> how many of them have it.
    late
        Those checked more than a day after their reference was frozen.
    """

    track: str
    candidates: int
    states: Mapping[str, int]
    late: int


async def audit(
    folder: Path,
    scope: Scope,
    look: Look,
    *,
    clock: Clock,
    first_look: FirstLook | None = None,
    again: bool = False,
    say: Say = lambda _: None,
) -> list[AuditReport]:
    """Check the pages of candidates, resuming what an earlier session began.

    Writes ``audit_<track>.json``, and a journal beside it. A page that was found in
    both tracks is checked once; claims are each track's own.

    Parameters
    ----------
    folder
        Of the run.
    scope
        Which agents' finds, products and tracks; what was checked before stays.
    look
        Looks at a page.
    clock
        Gives the time, UTC.
    first_look
        A service that is asked before; where it has no price, ``look`` decides.
    again
        Check pages once more that could not be read.
    say
        Told how far the phase is.

    Returns
    -------
    list of AuditReport
        One per track that has candidates.

    Raises
    ------
    LoadError
        For artifacts that cannot be used, a scope that names what is not there, no
        candidates, or a journal under another shipping policy.
    """
    store = open_store(folder)
    policy = read_policy_of(folder, store.tasks.protocol["buyer_zip"])
    tasks = {one["task_id"]: one for one in scope.tasks(store.products.values())}
    for line in describe_lag(tasks.values(), clock()):
        say(line)
    wanted = {
        track: _wanted(store, scope, track, tasks)
        for track in scope.tracks
        if store.read(f"candidates_{track}.json") is not None
    }
    if not wanted:
        raise LoadError(f"{folder} holds no candidates yet; judges come before audits")
    await _check(store, policy, wanted, look, first_look, clock, again, say)
    return [
        _write_track(store, track, wanted[track], policy, clock) for track in wanted
    ]


def read_policy_of(folder: Path, buyer_zip: str | None = None) -> Policy:
    """Return the shipping policy that a run is locked to, empty if there is none.

    Parameters
    ----------
    folder
        Of the run.

    Returns
    -------
    Policy

    Raises
    ------
    LoadError
        Where it breaks its contract.
    """
    path = folder / POLICY_FILE
    return (
        read_table(path.read_bytes(), str(path)) if path.is_file() else Policy((), "")
    )


def _wanted(
    store: RunStore, scope: Scope, track: str, tasks: Mapping[str, Record]
) -> dict[str, Found]:
    """Return the candidates in scope that stand in the artifact."""
    agents = set(scope.agents(store.answers(track)))
    stored = store.read(f"candidates_{track}.json")
    known = stored.body["candidates"] if stored else {}
    return {
        one_id: one
        for one_id, one in found_in(store, track).items()
        if one_id in known
        and one.task_id in tasks
        and agents & set(one.listings.values())
    }


def _judged_urls(store: RunStore) -> dict[str, str]:
    """Return where pages had ended when judges were shown them."""
    found = {}
    for track in TRACKS:
        stored = store.read(f"candidates_{track}.json")
        for one_id, one in (stored.body["candidates"] if stored else {}).items():
            page = one.get("page") or {}
            if page.get("state") == "ok":
                found[one_id] = page["final_url"]
    return found


def _done(store: RunStore, policy: Policy) -> dict[str, Record]:
    """Return what was found out by earlier sessions; the journal may be gone."""
    done: dict[str, Record] = {}
    for track in TRACKS:
        stored = store.read(f"audit_{track}.json")
        if stored and stored.inputs.get(POLICY_FILE, "") != policy.sha256:
            raise LoadError(
                f"{store.folder / stored.name} was made under another {POLICY_FILE}; "
                f"move it and {AUDIT_JOURNAL} out of the folder to check anew"
            )
        for one_id, one in (stored.body["audits"] if stored else {}).items():
            done[one_id] = {k: v for k, v in one.items() if k not in _CLAIMS}
    with open_journal(store.folder / AUDIT_JOURNAL, _header(store, policy)) as journal:
        records = remembered(journal.found.records, "candidate_id")
    return done | {one_id: record["audit"] for one_id, record in records.items()}


def _header(store: RunStore, policy: Policy) -> dict[str, Any]:
    return journal_header(store, "audit", policy_sha256=policy.sha256)


async def _check(
    store: RunStore,
    policy: Policy,
    wanted: Mapping[str, Mapping[str, Found]],
    look: Look,
    first_look: FirstLook | None,
    clock: Clock,
    again: bool,
    say: Say,
) -> None:
    found = {one_id: one for of in wanted.values() for one_id, one in of.items()}
    done, judged, products = _done(store, policy), _judged_urls(store), store.products
    left = [
        one_id
        for one_id in sorted(found)
        if one_id not in done
        or (again and done[one_id].get("reason") in PASSING_REASONS)
    ]

    async def work(one_id: str) -> Record:
        one = found[one_id]
        capture = await _capture(one.address, look, first_look)
        evidence = store.put_page(capture.snapshot) if capture.snapshot else None
        task = products[one.task_id]
        offer = Offer(task, one.url_canonical, judged.get(one_id), policy)
        record = audited(offer, capture, clock(), evidence)
        return {"candidate_id": one_id, "audit": record}

    with open_journal(store.folder / AUDIT_JOURNAL, _header(store, policy)) as journal:
        await work_off(left, work, journal, say=say)


async def _capture(url: str, look: Look, first_look: FirstLook | None) -> Capture:
    if first_look is not None:
        told = await first_look(url)
        if told is not None and told.page.state == "ok" and told.page.price is not None:
            return told
    return await look(url)


def _write_track(
    store: RunStore,
    track: str,
    wanted: Mapping[str, Found],
    policy: Policy,
    clock: Clock,
) -> AuditReport:
    done, found = _done(store, policy), found_in(store, track)
    stored = store.read(f"candidates_{track}.json")
    known = stored.body["candidates"] if stored else {}
    audits = {
        one_id: with_claims(done[one_id], one.prices.values())
        for one_id, one in found.items()
        if one_id in known and one_id in done
    }
    made_of = ["tasks.json", *names_of(track, "candidates"), POLICY_FILE]
    store.write_changed(f"audit_{track}.json", {"audits": audits}, clock(), made_of)
    ours = [audits[one_id] for one_id in wanted]
    return AuditReport(
        track=track,
        candidates=len(ours),
        states=dict(Counter(one["status"] for one in ours)),
        late=sum(is_late(one.get("lag_hours")) for one in ours),
    )
