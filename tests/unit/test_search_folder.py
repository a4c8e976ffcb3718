"""Files of a search run: what is read, refused, missing or out of date."""

from __future__ import annotations

import hashlib
import json

import pytest
from search_folder import edit, example, read, restate, rows_of, without, write

from ingest.errors import LoadError
from ingest.search.missing import missing
from ingest.search.protocol import RULES, rules_sha256, stamped
from ingest.search.run_folder import belongs, find_runs
from ingest.source import open_source

GRADES = "grades_exact.json"


def cut(files):
    """Cut the grades in the middle."""
    files[GRADES] = files[GRADES][: len(files[GRADES]) // 2]


def twice(files):
    """Let a key stand twice."""
    files[GRADES] = files[GRADES].replace(b"{", b'{"schema": "x",', 1)


def put(**changes):
    """Return a change of the top of the grades."""
    return lambda files: edit(files, GRADES, lambda body: body.update(changes))


UNREADABLE = [
    (cut, "is no JSON at line"),
    (twice, "key 'schema' stands twice in one object"),
    (lambda f: f.update({GRADES: b"[]\n"}), "holds no JSON object"),
    (lambda f: f.update({GRADES: b""}), "is no JSON at line 1"),
    (lambda f: f.update({GRADES: b'{"a": NaN}'}), "NaN is no number of JSON"),
    (lambda f: f.update({GRADES: b"\xff\xfe{"}), "is no UTF-8"),
    (lambda f: f.update({GRADES: b"[" * 100_000}), "nested too deeply"),
    (put(schema="search-bench/grades/2"), "where 'search-bench/grades/1' should"),
    (put(schema="search-bench/audit/1"), "where 'search-bench/grades/1' should"),
    (put(run_id=None, tool_version=None), "its header lacks run_id, tool_version"),
    (put(run_id="a/b"), "'a/b' is no name of a run"),
    (put(updated_at="2026-11-02"), "updated_at: "),
    (put(inputs={"tasks.json": "abc"}), "tasks.json has no sha256"),
    (put(source="guessed"), "'guessed' is not one of release, collected, simulated"),
    (put(track="equiv"), "track is 'equiv', not that of its name"),
    (put(grades=[]), "grades is no JSON object"),
    (put(judges={}), "judges is no JSON array"),
]


@pytest.mark.parametrize(("change", "words"), UNREADABLE)
def test_an_artifact_that_cannot_be_read_stops_no_other(tmp_path, change, words):
    files = example()
    change(files)
    run, rows = rows_of(write(tmp_path, files))
    (line,) = run.errors
    assert line.startswith(f"not loaded: {GRADES}")
    assert words in line
    assert "\n" not in line
    assert rows.rows("vote") == len(rows.values("vote", "judge", "equiv")) > 0
    assert rows.rows("audit") > 0


@pytest.mark.parametrize("track", ["exact", "equiv"])
def test_what_needs_an_artifact_that_is_not_there_is_named(tmp_path, track):
    needed = f"candidates_{track}.json"
    files = without(example(), needed)
    run, rows = rows_of(write(tmp_path / "absent", files))
    files[needed] = b"{"
    _, unread = rows_of(write(tmp_path / "unread", files))
    assert run.errors == []
    for name, line in zip(
        ("grades", "audit", "verify_labels"), rows.errors, strict=True
    ):
        assert line == (
            f"not loaded: example-7/{name}_{track}.json refers to {needed}, which is "
            "not there"
        )
    assert all("could not be read" in line for line in unread.errors)
    # nothing is left of what was not loaded, its own row included
    named = rows.values("artifact", "kind", track)
    assert sorted(named) == ["raw"] * 5
    other = "equiv" if track == "exact" else "exact"
    assert rows.rows("vote") == len(rows.values("vote", "judge", other))


def test_an_answer_file_speaks_of_the_agent_of_its_name(tmp_path):
    files = example()
    files["raw_other_exact.json"] = files["raw_hasty_exact.json"]
    run, _ = rows_of(write(tmp_path, files))
    assert run.errors == [
        "not loaded: raw_other_exact.json: agent is 'hasty', not that of its name"
    ]


def differences(tmp_path, files):
    run, _ = rows_of(write(tmp_path, files))
    return run.differences()


def test_the_example_agrees_with_itself(tmp_path):
    assert differences(tmp_path, example()) == []


def test_another_protocol_is_a_difference(tmp_path):
    rules = stamped({**RULES, "buyer_zip": "94103"})
    files = edit(example(), GRADES, lambda body: body.update(protocol=rules))
    (line,) = differences(tmp_path, files)
    assert line.startswith(f"{GRADES} was made under protocol {rules['sha256'][:12]}")


def test_rules_that_are_not_those_of_their_hash_are_a_difference(tmp_path):
    def change(body):
        body["protocol"]["judges_needed"] = 1

    (line,) = differences(tmp_path, edit(example(), GRADES, change))
    assert "is not the hash of its protocol" in line


def test_the_hash_of_rules_is_that_of_their_json():
    text = json.dumps(RULES, sort_keys=True, separators=(",", ":"))
    assert rules_sha256(stamped()) == hashlib.sha256(text.encode()).hexdigest()


def test_an_artifact_of_another_bank_is_a_difference(tmp_path):
    files = edit(example(), "tasks.json", lambda b: b["tasks"][0].update(brand="New"))
    found = differences(tmp_path, files)
    made_later = [
        name
        for name in files
        if name.endswith(".json")
        and "/" not in name
        and name not in ("cells.json", "sourcing_log.json", "tasks.json")
    ]
    assert len(found) == len(made_later) == 19
    assert all("was made from tasks.json" in line for line in found)
    assert differences(tmp_path / "restated", restate(files)) == []


def test_an_artifact_that_names_no_bank_is_a_difference(tmp_path):
    files = edit(example(), GRADES, lambda body: body.update(inputs={}))
    (line,) = differences(tmp_path, files)
    assert line == f"{GRADES} does not say which tasks.json it was made from"


def test_other_inputs_that_changed_are_named(tmp_path):
    files = example()
    files["shipping_policy.csv"] += b"\n"
    run, rows = rows_of(write(tmp_path, files))
    hashes = {name: file.sha256 for name, file in rows.files.items()}
    stale = run.stale(hashes)
    assert [line.split(" ")[0] for line in stale] == [
        *("audit_equiv.json", "audit_exact.json", "tasks.json")
    ]
    assert all("was made from another shipping_policy.csv" in line for line in stale)


def test_artifacts_of_two_runs_are_refused(tmp_path):
    files = edit(example(), GRADES, lambda body: body.update(run_id="other"))
    with pytest.raises(LoadError, match=r"several runs \(example-7, other\)"):
        rows_of(write(tmp_path, files))


def test_collected_and_simulated_artifacts_are_refused(tmp_path):
    files = edit(example(), GRADES, lambda body: body.pop("source"))
    with pytest.raises(LoadError, match="collected and simulated artifacts"):
        rows_of(write(tmp_path, files))


def test_a_bank_that_another_run_froze_keeps_its_name(tmp_path):
    files = example()
    for name in list(files):
        if name.endswith(".json") and "/" not in name and "raw_" in name:
            edit(files, name, lambda body: body.update(run_id="second"))
    kept = {"cells", "sourcing", "tasks", "raw_", "shipping", "images", "evidence"}
    files = {name: data for name, data in files.items() if name.startswith(tuple(kept))}
    _, rows = rows_of(write(tmp_path, files))
    assert rows.run_id == "second"
    stated = dict(
        zip(
            rows.values("artifact", "kind"),
            rows.values("artifact", "stated_run_id"),
            strict=True,
        )
    )
    assert stated["tasks"] == "example-7"
    assert stated["raw"] == "second"
    assert set(rows.values("task", "run_id")) == {"second"}


MISSING = [
    ([], []),
    (["verify_labels_exact"], ["track exact has no human rulings yet"]),
    (["audit_equiv"], ["track equiv has no verification yet"]),
    (
        ["grades_exact", "audit_exact", "verify_labels_exact"],
        ["track exact has no votes, no verification, no human rulings yet"],
    ),
    (["shipping_policy.csv"], ["no shipping_policy.csv"]),
    (["sourcing_log.json"], ["no sourcing_log.json"]),
]


@pytest.mark.parametrize(("gone", "lines"), MISSING)
def test_what_a_run_lacks_is_said(tmp_path, gone, lines):
    run, rows = rows_of(write(tmp_path, without(example(), *gone)))
    assert missing(run, rows) == [f"example-7: {line}" for line in lines]
    assert rows.errors == []


def test_a_run_with_one_track_says_so(tmp_path):
    files = {n: d for n, d in example().items() if not n.endswith("_equiv.json")}
    run, rows = rows_of(write(tmp_path, files))
    assert "example-7: no answers of track equiv" in missing(run, rows)


def test_a_run_that_was_only_frozen_says_so(tmp_path):
    kept = ("cells", "sourcing", "tasks", "shipping", "images", "evidence")
    files = {n: d for n, d in example().items() if n.startswith(kept)}
    run, rows = rows_of(write(tmp_path, files))
    assert missing(run, rows) == ["example-7: no agent has answered yet"]
    assert rows.rows("task") == 10


def test_an_agent_without_a_track_or_an_answer_is_named(tmp_path):
    files = without(example(), "raw_hasty_equiv.json")
    edit(files, "raw_frugal_exact.json", lambda body: body["entries"].pop("t005"))
    run, rows = rows_of(write(tmp_path, files))
    lines = missing(run, rows)
    assert "example-7: agent hasty has no answers of track equiv" in lines
    assert (
        "example-7: agent frugal, track exact, has no answer to 1 of 9 products (t005)"
    ) in lines


def test_candidates_without_votes_or_checks_are_counted(tmp_path):
    files = example()
    found = read(files, "candidates_exact.json")["candidates"]
    # a person took t004 out, so nothing is lacking of it
    grades = read(files, GRADES)["grades"]
    gone = min(one for one in grades if found[one]["task_id"] != "t004")
    edit(files, GRADES, lambda body: body["grades"].pop(gone))
    edit(files, "audit_exact.json", lambda body: body["audits"].pop(gone))
    edit(files, "verify_labels_exact.json", lambda body: body["labels"].pop(gone, 0))
    run, rows = rows_of(write(tmp_path, files))
    assert missing(run, rows) == [
        f"example-7: track exact: 1 of 38 candidates have no {what} ({gone})"
        for what in ("votes", "verification")
    ]


def test_absent_files_are_counted_and_refuse_nothing(tmp_path):
    files = example()
    images = sorted(name for name in files if name.startswith("images/"))
    pages = sorted(name for name in files if name.startswith("evidence/"))
    renamed = images[1].replace(images[1][7:9], "zz")
    del files[images[0]], files[pages[0]]
    files[pages[1]] = b"other content"
    files[renamed] = b"no evidence by its name"
    run, rows = rows_of(write(tmp_path, files))
    lines = missing(run, rows)
    assert any("images are absent" in line for line in lines)
    assert any("page snapshots are absent" in line for line in lines)
    assert any("1 images or snapshots have other content" in line for line in lines)
    assert rows.errors == []


def test_products_without_settled_shipping_are_named(tmp_path):
    files = edit(
        example(), "tasks.json", lambda b: b["tasks"][3]["shipping"].update(amount=None)
    )
    _, rows = rows_of(write(tmp_path, restate(files)))
    notes = [note for one in rows.parsed for note in one.notes]
    assert notes == [
        "example-7: 1 products have no settled shipping and cannot be scored (t004)"
    ]


def test_a_source_may_hold_several_runs_and_other_files(tmp_path):
    write(tmp_path / "runs" / "one", example())
    write(tmp_path / "runs" / "two", example())
    write(tmp_path / "runs", {"notes.txt": b"-", "two/readme.md": b"-"})
    with open_source(tmp_path / "runs") as opened:
        found = find_runs(opened)
    assert [run.folder for run in found] == ["one", "two"]
    assert all(len(run.files) == len(example()) for run in found)


def test_a_summary_is_kept_whole(tmp_path):
    files = example()
    body = read(files, GRADES)
    kept = ("run_id", "protocol", "source", "created_at", "updated_at", "tool_version")
    summary = {
        **{key: body[key] for key in kept},
        "inputs": {"tasks.json": body["inputs"]["tasks.json"]},
        **{"schema": "search-bench/summary/1", "track": "exact", "scenario": "prime"},
        **{"n_tasks": 10, "agents": {"hasty": {"success_rate": {"value": 0.3}}}},
    }
    files["summary_exact_prime.json"] = json.dumps(summary).encode()
    files["summary_equiv.json"] = files["summary_exact_prime.json"]
    run, rows = rows_of(write(tmp_path, files))
    assert run.errors == [
        "not loaded: summary_equiv.json: track is 'exact', not that of its name"
    ]
    table = next(
        one.table
        for one in rows.parsed
        if one.account.source_file.endswith("summary_exact_prime.json")
    )
    (row,) = table.to_pylist()
    assert (row["kind"], row["track"], row["scenario"]) == ("summary", "exact", "prime")
    assert json.loads(row["extra"]) == {
        **{"track": "exact", "scenario": "prime", "n_tasks": 10},
        "agents": {"hasty": {"success_rate": {"value": 0.3}}},
    }


def test_the_journals_of_phases_are_part_of_a_run_and_read_by_nobody(tmp_path):
    files = example() | {"journal_judge_exact.jsonl": b"{}", "journal_pages.jsonl": b""}
    run, rows = rows_of(write(tmp_path, files))
    assert {"journal_judge_exact.jsonl", "journal_pages.jsonl"} <= set(run.files)
    assert rows.errors == run.errors == []
    assert not any("journal" in name for name in rows.files)
    assert not belongs("journal.txt")
