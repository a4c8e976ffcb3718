"""Label files: what a save adds, and what a crash in the middle leaves."""

from __future__ import annotations

import json

import pytest
import search_folder

from pricebench.errors import CommandError
from pricebench.review import documents
from pricebench.review.documents import JOURNAL, held, read_document, same, save
from pricebench.review.run_files import read_run_files

NAMES = ("verify_labels_exact.json", "verify_labels_equiv.json")


@pytest.fixture
def folder(tmp_path):
    return search_folder.write(tmp_path / "run", search_folder.example())


def both(folder):
    return [
        read_document(folder, name, track, {})
        for name, track in zip(NAMES, ("exact", "equiv"), strict=True)
    ]


def changed(document, note, one_id="c_1"):
    record = {"note": note, "at": "2026-11-30T12:00:00Z"}
    at = "2026-11-30T12:00:00Z"
    return document.changed({one_id: record}, reviewer="Ann", at=at, inputs={})


def texts(folder):
    return [(folder / name).read_text() for name in NAMES]


def test_a_save_adds_a_version_and_history_and_keeps_the_rest(folder):
    before, _ = both(folder)
    after = changed(changed(before, "one"), "two")
    assert after.version == before.version + 2
    *older, one, two = after.body["history"]
    assert older == before.body["history"]
    assert (one["before"], one["after"]["note"]) == (None, "one")
    assert (two["before"]["note"], two["after"]["note"]) == ("one", "two")
    assert after.records["c_1"]["note"] == "two"
    assert after.body["created_at"] == before.body["created_at"]
    assert (
        after.text
        == json.dumps(after.body, sort_keys=True, indent=2, ensure_ascii=False) + "\n"
    )
    gone = after.changed({"c_1": None}, reviewer="Ann", at="2026", inputs={})
    assert "c_1" not in gone.records
    assert before.records == read_document(folder, NAMES[0], "exact", {}).records


def test_two_files_are_written_both_or_none(folder, monkeypatch):
    """A crash after any of the writes of a save leaves one of two states."""
    old = texts(folder)
    new = [changed(one, "both") for one in both(folder)]
    wanted = [one.text for one in new]
    whole = documents.write
    for crash_after in range(4):
        for name, text in zip(NAMES, old, strict=True):
            (folder / name).write_text(text)
        done = []

        def write(path, text, done=done, limit=crash_after):
            if len(done) == limit:
                raise KeyboardInterrupt
            whole(path, text)
            done.append(path.name)

        monkeypatch.setattr(documents, "write", write)
        try:
            save(folder, new)
        except KeyboardInterrupt:
            assert len(done) == crash_after < 3
        monkeypatch.setattr(documents, "write", whole)
        with held(folder):
            found = texts(folder)
        # nothing before the journal stands, everything after it does
        assert found == (wanted if crash_after else old)
        assert not (folder / JOURNAL).exists()


def test_a_file_is_never_half_written(folder, monkeypatch):
    path = folder / NAMES[0]
    old = path.read_text()
    monkeypatch.setattr(documents.os, "fsync", lambda _: (_ for _ in ()).throw(OSError))
    with pytest.raises(OSError):  # noqa: PT011
        documents.write(path, "half")
    assert path.read_text() == old


@pytest.mark.parametrize(
    "text", ["{", '{"../tasks.json": "x"}', '{"tasks.json": "x"}', '{"verify": ""}']
)
def test_a_journal_that_names_other_files_is_not_carried_out(folder, text):
    (folder / JOURNAL).write_text(text)
    tasks = (folder / "tasks.json").read_text()
    with pytest.raises(CommandError, match="remove it"), held(folder):
        pass
    assert (folder / "tasks.json").read_text() == tasks


def test_what_differs_in_time_alone_says_the_same():
    assert same({"note": "a", "at": "1"}, {"note": "a", "at": "2"})
    assert not same({"note": "a"}, {"note": "b"})
    assert not same({"note": "a"}, {"note": "a", "sampled": True})
    assert same(None, None)
    assert not same(None, {})


def test_a_file_that_is_none_yet_starts_with_the_header_of_the_run(folder):
    for name in NAMES:
        (folder / name).unlink()
    files = read_run_files(folder)
    found = documents.read_documents(files, files.tracks, is_second=False)
    body = found["exact"].body
    tasks = search_folder.read(search_folder.example(), "tasks.json")
    assert body["schema"] == "search-bench/verify_labels/1"
    assert (body["run_id"], body["protocol"]) == (tasks["run_id"], tasks["protocol"])
    assert body["source"] == "simulated"
    assert (found["exact"].version, found["exact"].text) == (0, "")
    assert set(body["inputs"]) == {
        *("tasks.json", "candidates_exact.json", "grades_exact.json"),
        "audit_exact.json",
    }
    assert found["refs"].version == 2


def test_a_second_reviewer_has_a_file_apart(folder):
    files = read_run_files(folder)
    found = documents.read_documents(files, files.tracks, is_second=True)
    assert found["exact"].name == "verify_second_exact.json"
    assert found["exact"].records == {}
    assert found["refs"].name == "verify_labels_refs.json"
