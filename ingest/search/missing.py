"""What a run lacks: it loads at any stage, and the load says what is missing."""

from __future__ import annotations

from ingest.search.artifact import POLICY_FILE
from ingest.search.read_bank import some
from ingest.search.read_run import RunRows
from ingest.search.run_folder import RunFolder
from ingest.search.schemas import TRACKS

_STAGES = {
    "candidates": "no pooled candidates",
    "grades": "no votes",
    "audit": "no verification",
    "verify_labels": "no human rulings",
}


def missing(run: RunFolder, rows: RunRows) -> list[str]:
    """Return what a run lacks, a line for each kind.

    Parameters
    ----------
    run
        The folder.
    rows
        What was read of it.

    Returns
    -------
    list of str
        Stages that have no artifact; products that an agent was not asked about;
        candidates without votes or verification; files that are named and absent. A
        product that a person took out lacks nothing.
    """
    lines = []
    answered = [one for one in TRACKS if rows.values("agent", "track", one)]
    if not answered:
        lines.append("no agent has answered yet")
    elif len(answered) == 1:
        lines.append(f"no answers of track {_other(answered[0])}")
    lines += _agents_in_one_track(rows, answered)
    for track in answered:
        kinds = {one.kind.kind for one in run.later if one.kind.track == track}
        lacks = [what for kind, what in _STAGES.items() if kind not in kinds]
        if lacks:
            lines.append(f"track {track} has {', '.join(lacks)} yet")
        lines += _not_asked(rows, track)
        lines += _not_judged(rows, track, kinds)
    lines += [
        f"no {name}"
        for name in ("cells.json", "sourcing_log.json", POLICY_FILE)
        if name not in run.files
    ]
    lines += _absent_files(rows)
    return [f"{rows.run_id}: {line}" for line in lines]


def _other(track: str) -> str:
    return next(one for one in TRACKS if one != track)


def _agents_in_one_track(rows: RunRows, answered: list[str]) -> list[str]:
    if len(answered) < len(TRACKS):
        return []
    by_track = {one: set(rows.values("agent", "agent", one)) for one in TRACKS}
    return [
        f"agent {agent} has no answers of track {_other(track)}"
        for track, agents in by_track.items()
        for agent in sorted(agents - by_track[_other(track)])
    ]


def _void(rows: RunRows) -> set[str]:
    """Return the products that a person took out: phases leave them out too."""
    ids, flags = (rows.values("ref_label", one) for one in ("task_id", "is_void"))
    return {one for one, is_void in zip(ids, flags, strict=True) if is_void}


def _not_asked(rows: RunRows, track: str) -> list[str]:
    tasks = set(rows.values("task", "task_id")) - _void(rows)
    agents = rows.values("call", "agent", track)
    asked = {agent: set[str]() for agent in rows.values("agent", "agent", track)}
    for agent, task in zip(agents, rows.values("call", "task_id", track), strict=True):
        asked[agent].add(task)
    lines = []
    for agent, seen in asked.items():
        left = sorted(tasks - seen)
        if left:
            lines.append(
                f"agent {agent}, track {track}, has no answer to {len(left)} of "
                f"{len(tasks)} products ({some(left)})"
            )
    return lines


def _not_judged(rows: RunRows, track: str, kinds: set[str]) -> list[str]:
    columns = ("candidate_id", "is_self_match", "task_id")
    found = (rows.values("candidate", one, track) for one in columns)
    void = _void(rows)
    others = {
        one
        for one, is_own, task in zip(*found, strict=True)
        if not is_own and task not in void
    }
    lines = []
    for kind, table, what in (
        ("grades", "verdict", "votes"),
        ("audit", "audit", "verification"),
    ):
        left = sorted(others - set(rows.values(table, "candidate_id", track)))
        if kind in kinds and left:
            lines.append(
                f"track {track}: {len(left)} of {len(others)} candidates have no "
                f"{what} ({some(left)})"
            )
    return lines


def _absent_files(rows: RunRows) -> list[str]:
    here: dict[bool, set[str]] = {True: set(), False: set()}
    kinds = rows.values("evidence", "kind")
    for sha256, kind in zip(rows.values("evidence", "sha256"), kinds, strict=True):
        here[kind == "image"].add(sha256)
    named = {
        "images": [("task", "image_sha256"), ("candidate", "image_sha256")],
        "page snapshots": [
            ("task", "extraction_evidence_sha256"),
            ("source_event", "evidence_sha256"),
            ("audit_check", "evidence_sha256"),
        ],
    }
    lines = []
    for what, columns in named.items():
        wanted = {one for at in columns for one in rows.values(*at)} - {None}
        left = sorted(wanted - here[what == "images"])
        if left:
            short = some([one[:12] for one in left])
            lines.append(f"{len(left)} of {len(wanted)} {what} are absent ({short})")
    names = rows.values("evidence", "is_named_by_content")
    if not all(names):
        lines.append(
            f"{names.count(False)} images or snapshots have other content than their "
            "name says"
        )
    return lines
