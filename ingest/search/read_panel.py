"""Reading candidates, the votes on them and the panel's verdicts as stated."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from ingest.json_rows import member_of, optional_text, text_of, whole_of
from ingest.parsed_file import FileId, ParsedFile, RowError
from ingest.search.artifact import Artifact
from ingest.search.read_bank import name_of
from ingest.search.records import (
    Record,
    Records,
    cost_of,
    flag_or,
    known,
    list_of,
    members,
    or_none,
    part_of,
    sha256_of,
    time_of,
    web_address,
    wholes,
)

VALIDITIES = ("valid", "invalid")
VERDICTS = (*VALIDITIES, "no_majority")
TITLE_SOURCES = ("page", "agent")


def candidate_id(task_id: str, url_canonical: str) -> str:
    """Return the id of a page found for a product, the same in both tracks.

    Parameters
    ----------
    task_id
        Product of the bank.
    url_canonical
        The page.

    Returns
    -------
    str
        ``c_`` and 16 hex digits.
    """
    text = f"{task_id}|{url_canonical}"
    return "c_" + hashlib.sha256(text.encode()).hexdigest()[:16]


def read_candidates(
    artifact: Artifact,
    file: FileId,
    run_id: str,
    tasks: set[str],
    listings: Mapping[str, str] | None,
) -> list[ParsedFile]:
    """Return the candidates of a track and the listings that each was made of.

    Parameters
    ----------
    artifact
        A ``candidates_<track>.json``.
    file, run_id
        Where the rows belong.
    tasks
        Products of the bank.
    listings
        Listing of the track -> its product.

    Returns
    -------
    list of ParsedFile
        Of ``candidate`` and ``finding``. A candidate of an unknown product, or whose
        id is not that of product and page, is set aside; so is a finding whose listing
        is unknown, of another product, or another candidate's.
    """
    candidates = Records("candidate", file, run_id)
    findings = Records("finding", file, run_id)
    track, taken = artifact.kind.track, set[str]()
    listings = listings or {}
    for one_id, record in artifact.body["candidates"].items():
        row = candidates.take(one_id, record, _candidate(one_id, track, tasks))
        found_by = record.get("found_by") if isinstance(record, dict) else None
        for listing_id in found_by if isinstance(found_by, list) else []:
            link = {"track": track, "candidate_id": one_id, "listing_id": listing_id}

            def parse(one: Record, row: Any = row) -> dict[str, Any]:
                if row is None:
                    raise RowError("candidate_id", "its candidate is set aside")
                listing = known(one, "listing_id", set(listings))
                if listings[listing] != row["task_id"]:
                    raise RowError("listing_id", f"{listing} is of another product")
                if listing in taken:
                    raise RowError("listing_id", f"{listing} is another candidate's")
                taken.add(listing)
                return dict(one)

            findings.take(f"{one_id}, found_by", link, parse)
    return [candidates.parsed(), findings.parsed()]


def _candidate(
    one_id: str, track: str | None, tasks: set[str]
) -> Callable[[Record], dict[str, Any]]:
    def parse(record: Record) -> dict[str, Any]:
        list_of(record, "found_by")
        task_id = known(record, "task_id", tasks)
        url = web_address(record, "url_canonical")
        wanted = candidate_id(task_id, url)
        if one_id != wanted:
            raise RowError(
                "candidate_id", f"the id of this product and page is {wanted}"
            )
        return {
            **{"track": track, "candidate_id": one_id, "task_id": task_id},
            "url_canonical": url,
            "is_self_match": flag_or(record, "self_match", False),
            "is_image_missing": flag_or(record, "image_missing", False),
            "title": optional_text(record, "title"),
            "title_source": members(record, "title_source", TITLE_SOURCES),
            "image_sha256": sha256_of(record, "image_sha256"),
        }

    return parse


def read_grades(
    artifact: Artifact, file: FileId, run_id: str, candidates: set[str]
) -> list[ParsedFile]:
    """Return the seats of a panel, their votes and the verdicts as stated.

    Parameters
    ----------
    artifact
        A ``grades_<track>.json``.
    file, run_id
        Where the rows belong.
    candidates
        Candidates of the track; grades of another one are set aside, votes included.

    Returns
    -------
    list of ParsedFile
        Of ``judge``, ``vote`` and ``verdict``. A seat that did not vote has no row, or
        one without a verdict.
    """
    judges = Records("judge", file, run_id)
    votes = Records("vote", file, run_id)
    verdicts = Records("verdict", file, run_id)
    track, seats = artifact.kind.track, set[str]()
    prompts = artifact.body.get("prompt_sha256")
    prompts = prompts if isinstance(prompts, dict) else {}
    for place, record in enumerate(artifact.body["judges"], start=1):
        row = judges.take(
            name_of(record, "slot", place), record, _judge(track, prompts, seats)
        )
        if row is not None:
            seats.add(row["judge"])
    for one_id, grade in artifact.body["grades"].items():
        row = verdicts.take(one_id, grade, _verdict(one_id, track, candidates))
        given = grade.get("votes") if isinstance(grade, dict) else None
        voted: set[str] = set()
        for vote in given if isinstance(given, list) else []:
            votes.take(f"{one_id}, vote", vote, _vote(one_id, track, row, seats, voted))
    return [judges.parsed(), votes.parsed(), verdicts.parsed()]


def _judge(
    track: str | None, prompts: Record, seats: set[str]
) -> Callable[[Record], dict[str, Any]]:
    def parse(record: Record) -> dict[str, Any]:
        slot = text_of(record, "slot")
        if slot in seats:
            raise RowError("slot", f"two judges sit in {slot}")
        return {
            **{"track": track, "judge": slot, "lab": text_of(record, "lab")},
            "model": text_of(record, "model"),
            "prompt_sha256": sha256_of(prompts, track or ""),
        }

    return parse


def _verdict(
    one_id: str, track: str | None, candidates: set[str]
) -> Callable[[Record], dict[str, Any]]:
    def parse(grade: Record) -> dict[str, Any]:
        known({"candidate_id": one_id}, "candidate_id", candidates)
        list_of(grade, "votes")
        return {
            **{"track": track, "candidate_id": one_id},
            "verdict": member_of(grade, "verdict", VERDICTS),
            "valid_count": whole_of(grade, "n_valid"),
            "invalid_count": whole_of(grade, "n_invalid"),
            "missing_count": whole_of(grade, "n_missing"),
        }

    return parse


def _vote(
    one_id: str,
    track: str | None,
    row: dict[str, Any] | None,
    seats: set[str],
    voted: set[str],
) -> Callable[[Record], dict[str, Any]]:
    def parse(vote: Record) -> dict[str, Any]:
        if row is None:
            raise RowError("candidate_id", "its candidate is unknown or set aside")
        judge = known(vote, "judge", seats)
        if judge in voted:
            raise RowError("judge", f"{judge} votes twice")
        usage = part_of(vote, "usage")
        values = {
            **{"track": track, "candidate_id": one_id, "judge": judge},
            "verdict": members(vote, "verdict", VALIDITIES),
            "error": optional_text(vote, "error"),
            "reason": optional_text(vote, "reason"),
            "raw_output": optional_text(vote, "raw"),
            "is_repaired": flag_or(vote, "repaired", False),
            "attempt_count": or_none(whole_of, vote, "attempts"),
            **wholes(usage, "input_tokens", "output_tokens"),
            "cost": cost_of(usage, "cost_usd"),
            "voted_at": or_none(time_of, vote, "at"),
        }
        voted.add(judge)
        return values

    return parse
