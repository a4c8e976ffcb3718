"""The journal: nothing written is lost, whatever stops the process or the disk."""

from __future__ import annotations

import asyncio
import json
import os

import pytest

from ingest import journal as module
from ingest.errors import LoadError
from ingest.journal import last_by, open_journal, read_journal

HEADER = {"instrument": "hotel", "run_id": "collected/m/1", "settings": {"seed": 42}}


def record(number: int, **more):
    return {"task_id": number, "reply": f"reply {number}", **more}


def write(path, numbers, header=HEADER):
    async def work():
        with open_journal(path, header) as journal:
            await asyncio.gather(*(journal.add(record(one)) for one in numbers))

    asyncio.run(work())


def test_what_was_added_is_read_again(tmp_path):
    path = tmp_path / "runs" / "j.jsonl"
    write(path, [1, 2])
    write(path, [3])
    text = read_journal(path.read_bytes(), "j")
    assert text.header == {"schema": "pricebench/journal/1", **HEADER}
    # the header is line 1
    assert text.records == ((2, record(1)), (3, record(2)), (4, record(3)))
    assert text.torn == ()


def test_records_that_wait_together_share_a_sync(tmp_path, monkeypatch):
    path, syncs = tmp_path / "j.jsonl", []
    write(path, [])
    real = os.fsync

    def fsync(descriptor):
        syncs.append(descriptor)
        real(descriptor)

    monkeypatch.setattr(module.os, "fsync", fsync)
    write(path, range(200))
    # the first wait begins a sync with what is written by then; the rest share few more
    assert 1 <= len(syncs) <= 20
    assert len(read_journal(path.read_bytes(), "j").records) == 200


def test_add_returns_only_when_a_sync_has_covered_the_record(tmp_path, monkeypatch):
    order = []
    real = os.fsync

    def fsync(descriptor):
        order.append("sync")
        real(descriptor)

    async def work():
        with open_journal(tmp_path / "j.jsonl", HEADER) as journal:
            monkeypatch.setattr(module.os, "fsync", fsync)
            for number in (1, 2):
                await journal.add(record(number))
                order.append(number)

    asyncio.run(work())
    assert order == ["sync", 1, "sync", 2]


@pytest.mark.parametrize("keep", range(0, 60, 7))
def test_a_line_cut_anywhere_costs_its_own_call_alone(tmp_path, keep):
    path = tmp_path / "j.jsonl"
    write(path, [1, 2])
    lines = path.read_bytes().splitlines(keepends=True)
    cut = b"".join(lines[:-1]) + lines[-1][: min(keep, len(lines[-1]) - 1)]
    path.write_bytes(cut)
    write(path, [2, 3])
    text = read_journal(path.read_bytes(), "j")
    assert [found for _, found in text.records if found["task_id"] != 2] == [
        record(1),
        record(3),
    ]
    assert last_by(text.records, ("task_id",))[2,][1] == record(2)
    # nothing was taken away: the torn line is there and named
    assert path.read_bytes().startswith(cut)
    whole = cut.endswith(b"\n") or cut.endswith(lines[-1][:-1])
    assert len(text.torn) == (0 if whole else 1)


def test_a_header_cut_by_a_kill_is_written_again(tmp_path):
    path = tmp_path / "j.jsonl"
    write(path, [])
    whole = path.read_bytes()
    path.write_bytes(whole[:20])
    write(path, [1])
    assert path.read_bytes().startswith(whole)


def test_one_process_at_a_time(tmp_path):
    path = tmp_path / "j.jsonl"
    with (
        open_journal(path, HEADER),
        pytest.raises(LoadError, match="another command writes"),
        open_journal(path, HEADER),
    ):
        pass


def test_the_journal_of_another_run_is_refused_with_the_field(tmp_path):
    path = tmp_path / "j.jsonl"
    write(path, [1])
    with pytest.raises(LoadError, match=r"another run \(settings is .*42.*43"):
        write(path, [2], HEADER | {"settings": {"seed": 43}})
    assert len(read_journal(path.read_bytes(), "j").records) == 1


@pytest.mark.parametrize("data", [b"", b"{}\n", b"task_id,choice\n1,A\n", b"\xff\x00"])
def test_a_file_that_is_no_journal_is_refused(data):
    with pytest.raises(LoadError, match="is no journal"):
        read_journal(data, "odd.jsonl")


def test_a_foreign_file_is_not_overwritten(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("mine\n")
    with pytest.raises(LoadError, match="is no journal"), open_journal(path, HEADER):
        pass
    assert path.read_text() == "mine\n"


def test_a_full_disk_ends_the_run_and_loses_nothing_before(tmp_path, monkeypatch):
    path = tmp_path / "j.jsonl"
    real = os.write

    def write_some(descriptor, data):
        if b"reply 2" in data:
            real(descriptor, data[:10])
            raise OSError(28, "No space left on device")
        return real(descriptor, data)

    async def work():
        with open_journal(path, HEADER) as journal:
            await journal.add(record(1))
            monkeypatch.setattr(module.os, "write", write_some)
            with pytest.raises(LoadError, match="No space left on device"):
                await journal.add(record(2))
            # behind half a line nothing may follow
            with pytest.raises(LoadError, match="takes no more"):
                await journal.add(record(3))

    asyncio.run(work())
    monkeypatch.undo()
    text = read_journal(path.read_bytes(), "j")
    assert [found for _, found in text.records] == [record(1)]
    assert len(text.torn) == 1


def test_text_of_any_kind_survives(tmp_path):
    odd = record(1, text='line\nbreak "quoted" \u2028 \ud800 é')

    async def work():
        with open_journal(tmp_path / "j.jsonl", HEADER) as journal:
            await journal.add(odd)

    asyncio.run(work())
    text = read_journal((tmp_path / "j.jsonl").read_bytes(), "j")
    assert json.loads(json.dumps(text.records[0][1])) == odd
