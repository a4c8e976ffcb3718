"""From replies to votes, and from votes to a verdict (search.md 6.3 and 6.4)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from ingest.run_calls import Call, is_failed
from ingest.search.judges.reply import INVALID, VALID, read_verdict
from ingest.search.judges.seats import Seat

Record = Mapping[str, Any]

KEY = ("candidate_id", "judge", "attempt")
FIRST, AGAIN = 1, 2
NO_MAJORITY = "no_majority"
# how the error of a vote begins that a fault of transport cost: it is asked for again
TRANSPORT = "transport"
_CENT_PARTS = Decimal("1e-9")


def needed(seats: int) -> int:
    """Return how many votes decide: most of all seats, not of those that answered."""
    return seats // 2 + 1


def counted(votes: Iterable[str | None], seats: int) -> dict[str, Any]:
    """Return the counts of a panel's votes and its verdict.

    Parameters
    ----------
    votes
        ``valid``, ``invalid`` or None for each seat that was asked.
    seats
        Seats of the panel.

    Returns
    -------
    dict
        ``n_valid``, ``n_invalid``, ``n_missing`` and ``verdict``. A missing vote counts
        for neither side. The same verdict is computed from the votes in SQL (macro
        ``count_votes``), which scores; this one is stored beside them.
    """
    given = list(votes)
    valid, invalid = given.count(VALID), given.count(INVALID)
    sides = {VALID: valid, INVALID: invalid}
    verdict = next((one for one, n in sides.items() if n >= needed(seats)), NO_MAJORITY)
    return {
        "n_valid": valid,
        "n_invalid": invalid,
        "n_missing": seats - valid - invalid,
        "verdict": verdict,
    }


def shuffled(candidates: Iterable[str], judge: str, seed: str) -> list[str]:
    """Return candidates in the order in which a judge is shown them.

    Parameters
    ----------
    candidates
        Ids.
    judge
        Slot of the seat.
    seed
        Of the run.

    Returns
    -------
    list of str
        By the hash of seed, judge and candidate, so that no order of agents, ranks or
        prices shows through (search.md 6.1).
    """

    def key(one: str) -> str:
        return hashlib.sha256(f"{seed}|{judge}|{one}".encode()).hexdigest()

    return sorted(candidates, key=key)


def read_vote(_: Call, text: str) -> dict[str, Any]:
    """Return what a reply says, as the journal holds it."""
    found = read_verdict(text)
    state = "salvaged" if found.repaired else "json"
    return {
        "reply_state": "invalid" if found.verdict is None else state,
        "verdict": found.verdict,
        "reason": found.reason,
        "vote_error": found.error,
    }


Replies = Mapping[tuple[str, str], Sequence[Record]]


def replies_of(records: Iterable[tuple[int, Record]]) -> dict[tuple[str, str], Any]:
    """Return the records of a journal by candidate and seat, in their order."""
    found: dict[tuple[str, str], list[Record]] = {}
    for _, record in records:
        found.setdefault((record["candidate_id"], record["judge"]), []).append(record)
    return found


def wants_again(replies: Sequence[Record]) -> bool:
    """Return whether a judge is to be asked a second time: its one reply is no vote."""
    last = _last(replies, FIRST)
    return last is not None and not is_failed(last) and last["verdict"] is None


def vote_of(judge: str, replies: Sequence[Record]) -> dict[str, Any] | None:
    """Return a vote as its artifact has it.

    Parameters
    ----------
    judge
        Slot of the seat.
    replies
        Records of the seat about one candidate, in the order of the journal.

    Returns
    -------
    dict or None
        None while the judge is still to be asked, for the first time or again. A fault
        of transport is a missing vote; the next session asks for it.
    """
    first = _last(replies, FIRST)
    if first is None:
        return None
    last = first
    if wants_again(replies):
        again = _last(replies, AGAIN)
        if again is None:
            return None
        last = again
    error = last.get("vote_error")
    if is_failed(last):
        error = f"{TRANSPORT}: {last.get('error')}"
    return {
        **{"judge": judge, "verdict": last.get("verdict"), "error": _plain(error)},
        **{"reason": _plain(last.get("reason")), "raw": _plain(last.get("reply"))},
        "repaired": last["reply_state"] == "salvaged",
        "attempts": last["attempt"],
        "at": last["asked_at"].replace("+00:00", "Z"),
        "usage": _usage(replies),
    }


def is_lost(vote: Record) -> bool:
    """Return whether a vote is missing by a fault of transport alone."""
    return str(vote.get("error") or "").startswith(TRANSPORT)


def grade_of(seats: Sequence[Seat], votes: Mapping[str, Record]) -> dict[str, Any]:
    """Return the grade of a candidate.

    Parameters
    ----------
    seats
        Of the panel.
    votes
        By slot, one for each seat.

    Returns
    -------
    dict
        Votes in the order of the seats, counts and verdict.
    """
    given = [votes[seat.slot] for seat in seats]
    counts = counted((vote["verdict"] for vote in given), len(seats))
    return {"votes": given, **counts}


def _last(replies: Sequence[Record], attempt: int) -> Record | None:
    return next((one for one in reversed(replies) if one["attempt"] == attempt), None)


def _usage(replies: Sequence[Record]) -> dict[str, Any]:
    """Return what a vote used, both askings together; None where nobody knows."""
    names = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens"}
    usage: dict[str, Any] = {}
    for name, stored in names.items():
        told = [one[stored] for one in replies if one.get(stored) is not None]
        usage[name] = sum(told) if told else None
    costs = [one["cost_usd"] for one in replies if one.get("cost_usd") is not None]
    cost = sum((Decimal(str(one)) for one in costs), Decimal(0))
    usage["cost_usd"] = f"{cost.quantize(_CENT_PARTS):f}" if costs else None
    return usage


def _plain(text: Any) -> str | None:
    # half of a pair of surrogates, which a cut reply may end in, cannot be written
    if not isinstance(text, str):
        return None
    return text.encode("utf-8", "backslashreplace").decode()
