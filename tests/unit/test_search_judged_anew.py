"""The example run judged and audited anew: same votes, same pages, same outcomes."""

from __future__ import annotations

import asyncio
import csv
import io

import pytest
import search_folder
from search_phases import Shops, clock, said, votes_for
from search_scorer import score

from ingest.search.audit.audit import audit
from ingest.search.judges.judge import found_in, judge
from ingest.search.judges.prompt import judge_question
from ingest.search.run_store import open_store
from ingest.search.scope import Scope

TRACKS = ("exact", "equiv")


def script(folder, files):
    """Let every seat say what it says in the example, by what it is shown."""
    store, told = open_store(folder), {}
    for track in TRACKS:
        candidates = search_folder.read(files, f"candidates_{track}.json")["candidates"]
        grades = search_folder.read(files, f"grades_{track}.json")["grades"]
        found = found_in(store, track)
        for one_id, grade in grades.items():
            record = candidates[one_id]
            task = store.products[record["task_id"]]
            is_walled = record["image_missing"]
            question = judge_question(
                track,
                task,
                found[one_id].agent_title if is_walled else record["title"],
                store.image(task["image"]["sha256"]),
                None if is_walled else store.image(record["image_sha256"]),
            )
            votes = {vote["judge"]: vote["verdict"] for vote in grade["votes"]}
            assert told.setdefault(question, votes) == votes

    def says(seat, question, _):
        verdict = told[question][seat.slot]
        return said(verdict) if verdict else "I cannot tell."

    return says


class Folder:
    """What the second scorer reads of a run, from its folder."""

    judges = 3

    def __init__(self, files):
        self.tasks = search_folder.read(files, "tasks.json")["tasks"]
        self.refs = search_folder.read(files, "verify_labels_refs.json")["refs"]
        text = files["shipping_policy.csv"].decode()
        self.policy = list(csv.DictReader(io.StringIO(text)))
        parts = {"candidates": "candidates", "grades": "grades", "audits": "audit"}
        for part, kind in {**parts, "labels": "verify_labels"}.items():
            found = {
                track: search_folder.read(files, f"{kind}_{track}.json")[part]
                for track in TRACKS
            }
            setattr(self, part, found)
        self.entries = {}
        for name in files:
            if name.startswith("raw_"):
                body = search_folder.read(files, name)
                self.entries[body["agent"], body["track"]] = body["entries"]
        self.agents = sorted({agent for agent, _ in self.entries})

    def answered(self, agent, track):
        return self.entries[agent, track]


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.fixture(scope="module")
def anew(tmp_path_factory):
    """A copy of the example whose candidates, grades and audits are made again."""
    example = search_folder.example()
    kept = search_folder.without(example, "candidates", "grades", "audit", "summary")
    folder = search_folder.write(tmp_path_factory.mktemp("anew"), kept)
    shops = Shops(example)
    panel = votes_for(script(folder, example))
    asyncio.run(judge(folder, Scope(), panel, shops.look, clock=clock))
    asyncio.run(audit(folder, Scope(), shops.look, clock=clock))
    return folder


@pytest.mark.parametrize("track", TRACKS)
@pytest.mark.parametrize("scenario", ["base", "prime"])
def test_every_outcome_is_that_of_the_example(anew, track, scenario):
    theirs = score(Folder(search_folder.example()), track, scenario)
    assert score(Folder(files_of(anew)), track, scenario) == theirs
    assert any(one.success for one in theirs.values())


def test_everything_loads_with_nothing_set_aside(anew):
    folder, rows = search_folder.rows_of(anew)
    assert folder.differences() == []
    assert folder.errors == rows.errors == []
    assert search_folder.aside(rows) == []


def test_the_votes_are_those_of_the_example(anew):
    ours, example = Folder(files_of(anew)).grades, Folder(search_folder.example())
    counts = ("n_valid", "n_invalid", "n_missing", "verdict")
    # a product that a person took out since then is asked about by nobody
    void = {task_id for task_id, ref in example.refs.items() if ref["void"]}
    assert void
    told = set()
    for track in TRACKS:
        theirs = {
            one_id: grade
            for one_id, grade in example.grades[track].items()
            if example.candidates[track][one_id]["task_id"] not in void
        }
        assert set(ours[track]) == set(theirs)
        for one_id, grade in theirs.items():
            assert {key: ours[track][one_id][key] for key in counts} == {
                key: grade[key] for key in counts
            }
        told |= {one["verdict"] for one in theirs.values()}
    assert told == {"valid", "invalid", "no_majority"}
