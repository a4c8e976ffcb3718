"""The phase ``judge``: pages are looked at once, then every seat is asked, blind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.calls import Question
from ingest.errors import LoadError
from ingest.journal import open_journal
from ingest.run_calls import Watch
from ingest.search.audit.references import asked_about
from ingest.search.capture import (
    Clock,
    Look,
    Record,
    Say,
    remembered,
    seen_record,
    work_off,
)
from ingest.search.judges.ask_panel import Panel, ask_panel
from ingest.search.judges.panel import grade_of, is_lost
from ingest.search.judges.pool import (
    Found,
    candidate_record,
    is_judged,
    is_self,
    pool,
)
from ingest.search.judges.prompt import judge_question
from ingest.search.lag import describe_lag
from ingest.search.run_store import RunStore, journal_header, names_of, open_store
from ingest.search.schemas import TRACKS
from ingest.search.scope import Scope

PAGES_JOURNAL = "journal_pages.jsonl"


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """What came of judging a track.

    Attributes
    ----------
    track
        exact or equiv.
    candidates, graded
        Those in scope that judges are asked about, and those of them with a grade.
    lost
        Votes in scope that a fault of transport cost; the same command asks again.
    spent_usd
        On the track's votes in all sessions, where a cost is known.
    stopped
        Why it ended early; None: it did not.
    """

    track: str
    candidates: int
    graded: int
    lost: int
    spent_usd: float
    stopped: str | None = None


async def judge(
    folder: Path,
    scope: Scope,
    judges: Panel,
    look: Look,
    *,
    clock: Clock,
    say: Say = lambda _: None,
    watch: Watch = lambda _: None,
) -> list[JudgeReport]:
    """Judge what agents found, resuming what an earlier session began.

    Writes ``candidates_<track>.json`` and ``grades_<track>.json``; beside them a
    journal of the pages and one of each track's votes, so that no page is looked at
    twice and no vote asked for twice, whatever ends the process.

    Parameters
    ----------
    folder
        Of the run.
    scope
        Which agents' finds, products and tracks; what was judged before stays, and a
        product that a person took out is left out.
    judges
        Who judges.
    look
        Looks at a page.
    clock
        Gives the time, UTC.
    say, watch
        Told how far the phase is.

    Returns
    -------
    list of JudgeReport
        One per track that has answers.

    Raises
    ------
    LoadError
        For artifacts that cannot be used, a scope that names what is not there, grades
        of another panel or prompt, no answers, or an endpoint that refuses every call.
    """
    store = open_store(folder)
    ready = asked_about(folder, scope, store.products.values(), say)
    tasks = {one["task_id"]: one for one in ready}
    for line in describe_lag(tasks.values(), clock()):
        say(line)
    wanted = {track: _wanted(store, scope, track, tasks) for track in scope.tracks}
    if not any(store.answers(track) for track in scope.tracks):
        raise LoadError(f"{folder} holds no answers yet; agents come before judges")
    await _look_at(store, wanted, look, clock, say)
    reports = []
    for track in scope.tracks:
        answers = store.answers(track)
        if answers:
            candidates = _write_candidates(store, track, clock)
            ids = [one for one in wanted[track] if is_judged(candidates[one])]
            say(f"track {track}: {len(ids):,} candidates are judged")
            reports.append(
                await _judge_track(store, track, candidates, ids, judges, clock, watch)
            )
    return reports


def found_in(store: RunStore, track: str) -> dict[str, Found]:
    """Return what agents found in a track."""
    answers = {agent: one.body for agent, one in store.answers(track).items()}
    return pool(answers, store.products)


def _wanted(
    store: RunStore, scope: Scope, track: str, tasks: Mapping[str, Record]
) -> dict[str, Found]:
    """Return the candidates in scope."""
    agents = set(scope.agents(store.answers(track)))
    return {
        one_id: one
        for one_id, one in found_in(store, track).items()
        if one.task_id in tasks and agents & set(one.listings.values())
    }


def _seen_before(store: RunStore) -> dict[str, Record]:
    """Return the pages that stored candidates tell of; the journal may be gone."""
    seen = {}
    for track in TRACKS:
        stored = store.read(f"candidates_{track}.json")
        for one_id, one in (stored.body["candidates"] if stored else {}).items():
            if one.get("page"):
                seen[one_id] = one["page"]
    return seen


def _all_seen(store: RunStore) -> dict[str, Record]:
    path = store.folder / PAGES_JOURNAL
    with open_journal(path, journal_header(store, "pages")) as journal:
        return _seen_before(store) | remembered(journal.found.records, "candidate_id")


async def _look_at(
    store: RunStore,
    wanted: Mapping[str, Mapping[str, Found]],
    look: Look,
    clock: Clock,
    say: Say,
) -> None:
    """Look at every page in scope that nobody has looked at, the reference left out."""
    found = {one_id: one for of in wanted.values() for one_id, one in of.items()}
    before, products = _all_seen(store), store.products
    left = [
        one_id
        for one_id, one in sorted(found.items())
        if one_id not in before and not is_self(one, products[one.task_id])
    ]

    async def work(one_id: str) -> Record:
        capture = await look(found[one_id].address)
        return {"candidate_id": one_id, **seen_record(store, capture, clock())}

    path = store.folder / PAGES_JOURNAL
    with open_journal(path, journal_header(store, "pages")) as journal:
        await work_off(left, work, journal, say=say)


def _write_candidates(store: RunStore, track: str, clock: Clock) -> dict[str, Any]:
    seen, products = _all_seen(store), store.products
    records = {
        one_id: candidate_record(one, products[one.task_id], seen.get(one_id))
        for one_id, one in found_in(store, track).items()
        if one_id in seen or is_self(one, products[one.task_id])
    }
    raw = [f"raw_{agent}_{track}.json" for agent in store.answers(track)]
    body, made_of = {"candidates": records}, ["tasks.json", *raw]
    store.write_changed(f"candidates_{track}.json", body, clock(), made_of)
    return records


async def _judge_track(
    store: RunStore,
    track: str,
    candidates: Mapping[str, Record],
    ids: Sequence[str],
    judges: Panel,
    clock: Clock,
    watch: Watch,
) -> JudgeReport:
    products = store.products

    def question(one_id: str) -> Question:
        record = candidates[one_id]
        task = products[record["task_id"]]
        reference = store.image((task.get("image") or {}).get("sha256"))
        candidate = store.image(record["image_sha256"])
        return judge_question(track, task, record["title"], reference, candidate)

    votes, tally = await ask_panel(store, track, ids, question, judges, watch)
    grades = {
        one: grade_of(judges.seats, given)
        for one, given in sorted(votes.items())
        if one in candidates
        and is_judged(candidates[one])
        and all(seat.slot in given for seat in judges.seats)
    }
    body = {**judges.record, "grades": grades}
    made_of = ["tasks.json", *names_of(track, "candidates")]
    store.write_changed(f"grades_{track}.json", body, clock(), made_of)
    graded = [grades[one] for one in ids if one in grades]
    return JudgeReport(
        track=track,
        candidates=len(ids),
        graded=len(graded),
        lost=sum(is_lost(vote) for one in graded for vote in one["votes"]),
        spent_usd=tally.spent_usd,
        stopped=tally.stopped,
    )
