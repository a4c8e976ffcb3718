"""The phase ``judge`` on the example run: what it writes, and how it resumes."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal

import pytest
import search_folder
from search_phases import NOW, SEATS, Shops, clock, said, stable, votes_for

from ingest.errors import LoadError
from ingest.run_calls import Limits
from ingest.search.judges.ask_panel import Panel
from ingest.search.judges.judge import judge
from ingest.search.judges.seats import seats_of
from ingest.search.scope import Scope, read_scope
from pricebench.run_search import Job, agents

MADE = ("candidates", "grades", "audit", "verify", "summary")


class Run:
    """The example run without what judges and those after them made."""

    def __init__(self, folder):
        self.example = search_folder.example()
        self.shops = Shops(self.example)
        kept = search_folder.without(self.example, *MADE)
        self.folder = search_folder.write(folder, kept)
        self.lines = []

    def judge(self, says, scope=None, **more):
        self.panel = votes_for(says, **more)
        return self.judge_by(self.panel, scope)

    def judge_by(self, panel, scope=None):
        return asyncio.run(
            judge(
                self.folder, scope or Scope(), panel, self.shops.look,
                clock=clock, say=self.lines.append,
            )
        )  # fmt: skip

    def body(self, name):
        return json.loads((self.folder / name).read_text())

    def grades(self, track="exact"):
        """Return the grades without the times, which no script decides."""
        found = self.body(f"grades_{track}.json")["grades"]
        for grade in found.values():
            for vote in grade["votes"]:
                assert vote.pop("at").endswith("Z")
        return found

    @property
    def asked(self):
        return [q for judge in self.panel.models.values() for q in judge.asked]


def by_title(seat, question, _):
    return said(stable(seat.slot, question.system, question.user))


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A run that was judged from start to end; read it, never change it."""
    run = Run(tmp_path_factory.mktemp("judged"))
    run.reports = run.judge(by_title)
    return run


def test_a_product_that_a_person_took_out_is_not_judged(tmp_path):
    run = Run(tmp_path)
    refs = run.example["verify_labels_refs.json"]
    (run.folder / "verify_labels_refs.json").write_bytes(refs)
    labels = json.loads(refs)["refs"]
    (void,) = (task_id for task_id, one in labels.items() if one["void"])
    label = {t["task_id"]: t["label"] for t in run.body("tasks.json")["tasks"]}[void]
    run.judge(by_title)
    assert run.lines[0] == f"left out, since they are void: {label}"
    for track in ("exact", "equiv"):
        example = search_folder.read(run.example, f"candidates_{track}.json")
        gone = {k: v for k, v in example["candidates"].items() if v["task_id"] == void}
        assert len(gone) == 2
        assert not {one["url_canonical"] for one in gone.values()} & set(
            run.shops.looks
        )
        # the others are, each but the reference itself
        judged = run.grades(track)
        rest = {k for k, v in example["candidates"].items() if not v["self_match"]}
        assert set(judged) == rest - set(gone)


def test_a_scope_of_void_products_alone_is_refused(tmp_path):
    run = Run(tmp_path)
    refs = run.example["verify_labels_refs.json"]
    (run.folder / "verify_labels_refs.json").write_bytes(refs)
    labels = json.loads(refs)["refs"]
    (void,) = (task_id for task_id, one in labels.items() if one["void"])
    scope = read_scope(only=void)
    with pytest.raises(LoadError, match="every product in scope is void"):
        run.judge(by_title, scope)
    with pytest.raises(LoadError, match="every product in scope is void"):
        agents(
            Job(run.folder, scope),
            **{"seats": None, "limits": Limits(), "force": False, "latency_probe": 0},
        )


def test_the_candidates_are_those_of_the_example(judged):
    for track in ("exact", "equiv"):
        ours = judged.body(f"candidates_{track}.json")["candidates"]
        theirs = search_folder.read(judged.example, f"candidates_{track}.json")
        assert set(ours) == set(theirs["candidates"])
        for one_id, record in theirs["candidates"].items():
            found = {key: ours[one_id][key] for key in record}
            # a walled page has no title of its own
            title = found if record["image_missing"] else record
            assert found == {**record, "title": title["title"]}


def test_every_seat_is_asked_once_about_everything_but_the_reference(judged):
    wanted = [
        one_id
        for track in ("exact", "equiv")
        for one_id, one in judged.body(f"candidates_{track}.json")["candidates"].items()
        if not one["self_match"]
    ]
    assert len(judged.asked) == 3 * len(wanted)
    graded = [one for track in ("exact", "equiv") for one in judged.grades(track)]
    assert sorted(graded) == sorted(wanted)
    for report in judged.reports:
        assert (report.graded, report.lost) == (report.candidates, 0)


def test_no_page_is_looked_at_twice_and_the_reference_never(judged):
    references = {task["url_canonical"] for task in judged.body("tasks.json")["tasks"]}
    assert len(judged.shops.looks) == len(set(judged.shops.looks))
    assert not references & set(judged.shops.looks)


def test_what_was_written_loads_with_nothing_set_aside(judged):
    run, rows = search_folder.rows_of(judged.folder)
    assert run.differences() == []
    assert run.errors == rows.errors == []
    assert search_folder.aside(rows) == []
    assert rows.rows("vote") == len(judged.asked)
    assert rows.values("judge", "model", "exact") == [seat.model for seat in SEATS]
    assert set(rows.values("vote", "cost")) == {Decimal("0.0021")}


def test_votes_are_what_the_judges_said(judged):
    for grade in judged.grades().values():
        for vote in grade["votes"]:
            assert json.loads(vote["raw"])["verdict"] == vote["verdict"]
            assert (vote["attempts"], vote["error"]) == (1, None)


def test_judges_are_shown_the_pictures_of_the_run(judged):
    task = judged.body("tasks.json")["tasks"][0]
    assert (judged.folder / f"images/{task['image']['sha256']}.jpg").is_file()
    shown = {len(question.images) for question in judged.asked}
    # a walled page has none
    assert shown == {1, 2}


def test_the_hours_since_the_freezing_are_told(judged):
    # frozen from 10:00 on, judged at 17:00
    assert NOW.hour == 17
    assert "7.0 hours since the references were frozen" in judged.lines[0]
    lags = [
        one["lag_hours"]
        for one in judged.body("candidates_exact.json")["candidates"].values()
        if not one["self_match"]
    ]
    assert all(6 < lag <= 7 for lag in lags)


def test_judging_again_asks_nothing_and_changes_no_byte(tmp_path, judged):
    run = Run(tmp_path)
    run.judge(by_title)
    before = {
        path: path.read_bytes() for path in run.folder.iterdir() if path.is_file()
    }
    looks = len(run.shops.looks)
    run.judge(by_title)
    assert run.asked == []
    assert len(run.shops.looks) == looks
    assert before == {
        path: path.read_bytes() for path in run.folder.iterdir() if path.is_file()
    }
    # the artifacts keep what the journals hold
    for path in run.folder.glob("journal_*"):
        path.unlink()
    grades = run.grades()
    run.judge(by_title)
    assert run.asked == []
    assert len(run.shops.looks) == looks
    assert run.grades() == grades


def test_a_scope_is_judged_first_and_kept(tmp_path, judged):
    run = Run(tmp_path)
    first = run.judge(by_title, read_scope(first=2, track="exact"))
    (report,) = first
    assert 0 < report.graded < len(judged.grades())
    assert not (run.folder / "grades_equiv.json").exists()
    part, asked = run.grades(), len(run.asked)
    assert set(part) < set(judged.grades())
    run.judge(by_title)
    assert asked + len(run.asked) == len(judged.asked)
    assert {one: run.grades()[one]["votes"] for one in part} == {
        one: grade["votes"] for one, grade in part.items()
    }
    assert run.grades() == judged.grades()


def test_finds_of_one_system_are_judged_with_everybody_credited(tmp_path, judged):
    run = Run(tmp_path)
    agent = sorted(run.folder.glob("raw_*_exact.json"))[0].name.split("_")[1]
    run.judge(by_title, read_scope(systems=agent, track="exact"))
    whole = judged.body("candidates_exact.json")["candidates"]
    for one_id in run.grades():
        found_by = whole[one_id]["found_by"]
        assert any(listing.startswith(f"{agent}.") for listing in found_by)
        record = run.body("candidates_exact.json")["candidates"][one_id]
        assert record["found_by"] == found_by
    assert 0 < len(run.grades()) < len(judged.grades())


class Killed(BaseException):
    """The process is gone."""


def test_no_vote_is_asked_for_twice_after_kills(tmp_path, judged):
    run, answered, kills = Run(tmp_path), [], 0
    scope = read_scope(track="exact")
    while True:
        here = [0]

        def says(seat, question, number, here=here):
            if here[0] == 30:
                raise Killed
            here[0] += 1
            answered.append((seat.slot, question.system, question.user))
            return by_title(seat, question, number)

        try:
            run.judge(says, scope, limits=Limits(concurrency=4))
            break
        except (Killed, BaseExceptionGroup) as gone:
            # the first call of a session is made alone, the others in a group
            if not isinstance(gone, Killed) and gone.split(Killed)[1] is not None:
                raise
            kills += 1
    wanted = 3 * len(judged.grades())
    # thirty replies reach each session
    assert kills == (wanted - 1) // 30 > 1
    assert len(answered) == wanted
    assert run.grades() == judged.grades()


def test_a_lost_vote_is_missing_and_asked_for_by_the_next_session(tmp_path, judged):
    run = Run(tmp_path)

    def deaf(seat, question, number):
        return None if seat.slot == "b" else by_title(seat, question, number)

    (report,) = run.judge(deaf, read_scope(track="exact"))
    assert report.lost == len(judged.grades())
    for grade in run.grades().values():
        b = grade["votes"][1]
        assert (b["verdict"], b["error"]) == (None, "transport: connection reset")
        assert grade["n_missing"] == 1
        said_both = {grade["votes"][0]["verdict"], grade["votes"][2]["verdict"]}
        assert (grade["verdict"] == "no_majority") == (len(said_both) == 2)
    run.judge(by_title, read_scope(track="exact"))
    assert len(run.asked) == len(judged.grades())
    assert run.grades() == judged.grades()


def test_a_reply_that_is_no_vote_is_asked_for_once_more(tmp_path):
    run = Run(tmp_path)

    def says(seat, question, number):
        if seat.slot == "a":
            return "I think so." if number == 0 else said("valid")
        return "no idea" if seat.slot == "b" else said("invalid")

    run.judge(says, read_scope(first=1, track="exact"))
    assert len(run.grades()) > 1
    for grade in run.grades().values():
        told = [(vote["verdict"], vote["attempts"]) for vote in grade["votes"]]
        assert told == [("valid", 2), (None, 2), ("invalid", 1)]
        assert grade["votes"][1]["error"] == "no_verdict"
        # a valid, an invalid and a missing vote
        assert grade["verdict"] == "no_majority"


def test_a_budget_ends_it_and_what_lacks_votes_has_no_grade(tmp_path, judged):
    run = Run(tmp_path)
    limits = Limits(concurrency=1, max_usd=0.0021 * 10)
    (report,) = run.judge(by_title, read_scope(track="exact"), limits=limits)
    assert report.stopped == "$0.021 spent"
    # ten votes of seat a are no panel
    assert run.grades() == {}
    run.judge(by_title)
    assert run.grades() == judged.grades()


def test_another_panel_is_refused(tmp_path):
    run = Run(tmp_path)
    scope = read_scope(first=1, track="exact")
    run.judge(by_title, scope)
    other = seats_of("x/a,y/b,z/c")
    models = dict(zip("abc", run.panel.models.values(), strict=True))
    with pytest.raises(LoadError, match=r"of another panel \(judges differs\)"):
        run.judge_by(Panel(other, models, "7"), scope)
    (run.folder / "grades_exact.json").unlink()
    with pytest.raises(LoadError, match=r"journal of another run \(judges is"):
        run.judge_by(Panel(other, models, "7"), scope)


def test_judges_wait_for_answers(tmp_path):
    run = Run(tmp_path)
    for path in run.folder.glob("raw_*"):
        path.unlink()
    with pytest.raises(LoadError, match="agents come before judges"):
        run.judge(by_title)
