"""Asking a panel about the candidates of a track, and the votes that it gave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingest.calls import Answer, Question, Settings
from ingest.errors import LoadError
from ingest.journal import Journal, open_journal
from ingest.run_calls import Asker, Call, Limits, Tally, Watch, run_calls
from ingest.search.judges.panel import (
    AGAIN,
    FIRST,
    KEY,
    is_lost,
    read_vote,
    replies_of,
    shuffled,
    vote_of,
    wants_again,
)
from ingest.search.judges.prompt import prompt_sha256
from ingest.search.judges.seats import Seat
from ingest.search.run_store import RunStore, journal_header
from ingest.search.schemas import TRACKS

Record = Mapping[str, Any]
Votes = dict[str, dict[str, Record]]
MakeQuestion = Callable[[str], Question]

# what a call holds until it is sent, when its pictures are read
_LATER = Question("")


@dataclass(frozen=True, slots=True)
class Panel:
    """Who judges, and how.

    Attributes
    ----------
    seats
        Of the panel.
    models
        Whom each seat asks, by slot.
    seed
        Of the order in which candidates are shown.
    limits
        How fast and how far, over all seats together.
    """

    seats: Sequence[Seat]
    models: Mapping[str, Asker]
    seed: str
    limits: Limits = field(default_factory=Limits)

    @property
    def record(self) -> dict[str, Any]:
        """Return what a grades artifact says of it."""
        return {
            "judges": [seat.record for seat in self.seats],
            "prompt_sha256": {track: prompt_sha256(track) for track in TRACKS},
        }


@dataclass(frozen=True, slots=True)
class _OneQuestion:
    """A judge that is asked about one candidate; a thousand pictures need no memory."""

    judge: Asker
    candidate: str
    make: MakeQuestion

    @property
    def settings(self) -> Settings:
        return self.judge.settings

    async def ask(self, _: Question) -> Answer:
        return await self.judge.ask(self.make(self.candidate))


def votes_journal(track: str) -> str:
    """Return the name of the journal of a track's votes."""
    return f"journal_judge_{track}.jsonl"


async def ask_panel(
    store: RunStore,
    track: str,
    candidates: Sequence[str],
    make: MakeQuestion,
    judges: Panel,
    watch: Watch,
) -> tuple[Votes, Tally]:
    """Ask every seat about every candidate, and again where its reply was no vote.

    Parameters
    ----------
    store
        The run; its journal of votes is written.
    track
        exact or equiv.
    candidates
        Those that judges are asked about now.
    make
        Candidate to question.
    judges
        Who is asked.
    watch
        Called after every call.

    Returns
    -------
    tuple of votes and Tally
        Candidate -> slot -> vote of every session, also of candidates that were not
        asked about now; and how the last asking went.

    Raises
    ------
    LoadError
        For stored grades or a journal of another panel or prompt, and as ``run_calls``.
    """
    stored = _stored_votes(store, track, judges)
    tally = Tally(0)
    for attempt in (FIRST, AGAIN):
        if tally.stopped is not None:
            break
        with _journal(store, track, judges) as journal:
            pairs = _open_pairs(journal, candidates, judges, attempt, stored)
            tally = await run_calls(
                judges.models[judges.seats[0].slot],
                [_call(one, slot, attempt, make, judges) for one, slot in pairs],
                journal,
                read_vote,
                names=KEY,
                facts={"prompt_sha256": prompt_sha256(track)},
                limits=judges.limits,
                watch=watch,
            )
    with _journal(store, track, judges) as journal:
        return _all_votes(journal, stored), tally


def _call(
    candidate: str, slot: str, attempt: int, make: MakeQuestion, judges: Panel
) -> Call:
    key = {"candidate_id": candidate, "judge": slot, "attempt": attempt}
    return Call(key, _LATER, _OneQuestion(judges.models[slot], candidate, make))


def _open_pairs(
    journal: Journal,
    candidates: Sequence[str],
    judges: Panel,
    attempt: int,
    stored: Votes,
) -> list[tuple[str, str]]:
    replies = replies_of(journal.found.records)
    return [
        (one, seat.slot)
        for seat in judges.seats
        for one in shuffled(candidates, seat.slot, judges.seed)
        if seat.slot not in stored.get(one, {})
        and (attempt == FIRST or wants_again(replies.get((one, seat.slot), ())))
    ]


def _journal(store: RunStore, track: str, judges: Panel) -> Any:
    header = journal_header(
        store,
        "judge",
        track=track,
        judges=judges.record["judges"],
        prompt_sha256=prompt_sha256(track),
    )
    return open_journal(store.folder / votes_journal(track), header)


def _stored_votes(store: RunStore, track: str, judges: Panel) -> Votes:
    """Return votes of stored grades that no journal holds: they are not asked again."""
    stored = store.read(f"grades_{track}.json")
    if stored is None:
        return {}
    for name, wanted in judges.record.items():
        if stored.body.get(name) != wanted:
            raise LoadError(
                f"{store.folder / stored.name} is of another panel ({name} differs); "
                f"move it and {votes_journal(track)} out of the folder to judge anew"
            )
    with _journal(store, track, judges) as journal:
        told = set(replies_of(journal.found.records))
    return {
        one: {
            vote["judge"]: vote
            for vote in grade["votes"]
            if (one, vote["judge"]) not in told and not is_lost(vote)
        }
        for one, grade in stored.body["grades"].items()
    }


def _all_votes(journal: Journal, stored: Votes) -> Votes:
    votes = {one: dict(given) for one, given in stored.items()}
    for (one, slot), replies in replies_of(journal.found.records).items():
        vote = vote_of(slot, replies)
        if vote is not None:
            votes.setdefault(one, {})[slot] = vote
    return votes
