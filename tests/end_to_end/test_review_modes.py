"""References before a run, a random sample, a second reviewer, and pages as files."""

from __future__ import annotations

import json

import pytest
import search_folder
from review_room import ask, find, post, room, ruling, saved
from typer.testing import CliRunner

from pricebench.cli import app
from pricebench.errors import CommandError
from pricebench.review.queue import work_on
from pricebench.review.serve import review, show_agreement
from pricebench.review.state import offer_of
from pricebench.review.wish import Wish


def without_labels(run) -> None:
    for path in run.glob("verify_labels_*.json"):
        path.unlink()


def test_a_sample_is_drawn_once_and_stands_in_labels(built_review, tmp_path):
    with room(built_review, tmp_path, prepare=without_labels) as case:
        one = find(case.state("exact"), verdict="no_majority")
        post(case, one, ruling("valid"))
        drawn = case.draw_sample(0.05, 7)
        state = case.state("exact")
        verdicts = [one["panel"]["verdict"] for one in state["candidates"].values()]
        sizes = [verdicts.count(verdict) for verdict in set(verdicts)]
        # thirty of the verdict that has more, all of the others
        assert drawn["exact"] == sum(min(size, 30) for size in sizes)
        assert max(sizes) > 30
        chances = saved(case)["sample"]["chances"]
        assert state["sample"] == sorted(set(chances) - {one})
        label = saved(case)["labels"][one]
        assert (label["sampled"], label["inclusion_probability"]) == (True, 1.0)
        other = state["sample"][0]
        code = {"valid": None, "no_majority": None, "invalid": "R11_SAME_PRODUCT"}
        verdict = state["candidates"][other]["panel"]["verdict"]
        answer = post(case, other, ruling("valid", reason_code=code[verdict]))
        assert other not in answer.json()["state"]["sample"]
        assert saved(case)["labels"][other]["sampled"] is True
        assert saved(case)["labels"][other]["inclusion_probability"] == chances[other]
        assert case.draw_sample(0.05, 7) == drawn
        with pytest.raises(CommandError, match="second draw"):
            case.draw_sample(0.1, 7)
        rows = case._figures.candidates("exact")
        assert {one for one, row in rows.items() if row["is_sampled"]} == {one, other}


def test_a_run_whose_labels_were_drawn_before_is_not_drawn_again(
    built_review, tmp_path
):
    with (
        room(built_review, tmp_path) as case,
        pytest.raises(CommandError, match="holds a sample already"),
    ):
        case.draw_sample(0.05, 7)


def test_a_run_without_rulings_starts_its_label_files(built_review, tmp_path):
    with room(built_review, tmp_path, prepare=without_labels) as case:
        state = case.state("exact")
        assert (state["version"], state["refs_version"]) == (0, 0)
        assert state["settled"] == []
        one = find(state, verdict="valid")
        assert post(case, one, ruling("valid", "rejected")).status_code == 200
        body = saved(case)
        assert (body["version"], len(body["history"])) == (1, 1)
        _, rows = search_folder.rows_of(case.files.folder)
        assert not rows.errors
        assert search_folder.aside(rows) == []
        # the page stands in both tracks
        assert rows.rows("label") == 2


def test_a_second_reviewer_sees_no_ruling_and_has_a_file_apart(
    built_review, tmp_path, capsys
):
    with room(built_review, tmp_path) as case:
        first = case.state("exact")
        before = saved(case)
    with room(built_review, tmp_path, is_second=True) as case:
        state = case.state("exact")
        assert state["is_second"] is True
        assert state["settled"] == []
        assert all(one["label"] is None for one in state["candidates"].values())
        assert "Robin" not in json.dumps(
            {**state, "tasks": None, "artifacts": state["artifacts"]["labels"]}
        )
        # references are in force as the first one settled them, and stay so
        assert state["tasks"] == first["tasks"]
        body = {"version": 2, "task_id": "t001", "ref": None}
        assert ask(case, "POST", "/refs", json=body).status_code == 403
        ruled = {
            one: label["ruling"]["validity"]
            for one, label in before["labels"].items()
            if "blind" not in label
        }
        assert len(ruled) == 3
        for number, (one, validity) in enumerate(sorted(ruled.items())):
            opposite = {"valid": "invalid", "invalid": "valid"}[validity]
            says = validity if number else opposite
            label = ruling(says, reason_code="R99_OTHER", note="n", reviewer="Sascha")
            assert post(case, one, label).status_code == 200
        assert saved(case, "verify_second_exact.json")["version"] == 3
        assert saved(case) == before
    show_agreement(tmp_path / "run")
    told = capsys.readouterr().out
    # beside the three, of which two agree, nine labels hold a second opinion, eight of
    # them the same: (2 + 8) / 12
    exact = next(line for line in told.splitlines() if line.strip().startswith("exact"))
    assert exact.split()[1] == "12"
    assert float(exact.split()[2]) == pytest.approx(10 / 12, abs=1e-6)


def test_agreement_needs_a_second_reviewer(tmp_path):
    run = search_folder.write(
        tmp_path / "run", search_folder.without(search_folder.example(), "verify_")
    )
    with pytest.raises(CommandError, match="--second"):
        show_agreement(run)


def test_only_references_are_settled_before_agents_run(built_review, tmp_path):
    """The folder holds products alone: one without shipping, one of unsure pack."""
    from pricebench.review.case import Case

    def unsettle(body):
        first, second = body["tasks"][:2]
        first["shipping"] |= {"amount": None, "policy_row": None}
        first["landed"] = None
        first["url_canonical"] = "https://nowhere.example/p/1"
        second["pack"]["ambiguous"] = True

    files = search_folder.edit(search_folder.example(), "tasks.json", unsettle)
    run = search_folder.write(tmp_path / "run", {"tasks.json": files["tasks.json"]})
    opened = Case.open(run, lambda line: None, is_references=True, is_second=False)
    with opened as case:
        state = case.state("exact")
        assert (state["phase"], state["candidates"]) == ("references", {})
        first, second = state["open_references"]
        assert state["tasks"][first]["reference"]["open"] == ["shipping unknown"]
        assert state["tasks"][first]["reference"]["cost"] is None
        assert state["tasks"][second]["reference"]["open"] == ["pack ambiguous"]
        for task, fields in (
            (first, {"shipping": "4.00"}),
            (second, {"pack_count": 2}),
        ):
            record = {"fields": fields, "void": False, "reviewer": "Ann"}
            body = {"version": case.version("refs"), "task_id": task, "ref": record}
            answer = ask(case, "POST", "/refs", json=body)
            assert answer.status_code == 200, answer.json()
        assert case.state("exact")["open_references"] == []
        # 19.99 + 4.00 for 12: 1.999167
        assert case.state("exact")["tasks"][first]["reference"]["cost"] == "1.9992"
        post_label = {"version": 0, "candidate_id": "c_1", "label": None}
        assert ask(case, "POST", "/labels/exact", json=post_label).status_code == 404
    assert not (run / "verify_labels_exact.json").exists()
    with (
        pytest.raises(CommandError, match="--references"),
        Case.open(run, lambda line: None, is_references=False, is_second=False),
    ):
        pass


def test_the_pages_are_written_as_files(built_review, tmp_path, monkeypatch):
    from contextlib import contextmanager

    from pricebench.review.case import Case

    with room(built_review, tmp_path) as case:

        @contextmanager
        def opened(*_, **__):
            yield case

        monkeypatch.setattr(Case, "open", opened)
        done = CliRunner().invoke(app, ["review", str(case.files.folder), "--write"])
        assert done.exit_code == 0, done.output
        for track in case.tracks:
            path = case.files.folder / f"verify_{track}.html"
            text = path.read_text()
            assert str(path) in done.output
            assert '"mode": "file"' in text
            assert f'"track": "{track}"' in text
        # a page is no artifact: the run loads as before
        _, rows = search_folder.rows_of(case.files.folder)
        assert not rows.errors


@pytest.mark.parametrize(
    "wish",
    [
        Wish(references=True, second=True),
        Wish(references=True, write=True),
        Wish(references=True, sample="5%"),
        Wish(second=True, write=True),
        Wish(second=True, sample="5%"),
    ],
)
def test_options_that_exclude_each_other_are_refused(built_review, wish):
    with pytest.raises(CommandError, match="leave one of the two options out"):
        review(built_review[0], wish)


def test_ruling_the_queue_to_its_end_leaves_nothing_that_could_be_best(
    built_review, tmp_path
):
    with room(built_review, tmp_path) as case:
        for track in case.tracks:
            for _ in range(100):
                state = case.state(track)
                if not state["queue"]:
                    break
                one = state["queue"][0]
                record = state["candidates"][one]
                status = None
                if record["status"] not in ("verified", "rejected"):
                    status = "temporarily_unverifiable"
                panel = record["panel"]["verdict"]
                label = ruling("invalid" if panel == "invalid" else "valid", status)
                assert post(case, one, label, track).status_code == 200
            assert state["queue"] == []
            tasks, rows = case._figures.tasks(), case._figures.candidates(track)
            offers = [offer_of(row, tasks[row["task_id"]]) for row in rows.values()]
            assert work_on(offers, list(tasks)).queue == ()
            # the best of every product was ruled on
            for task in tasks:
                cheap = [
                    one
                    for one in offers
                    if one.task_id == task and one.is_accepted and one.could_be_best(0)
                ]
                if cheap:
                    assert min(cheap, key=lambda one: one.costs[0]).is_settled
