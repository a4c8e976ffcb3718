"""The examination of the machine."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from ingest.keys import KEYS
from pricebench import doctor
from pricebench.cli import main
from pricebench.errors import CommandError
from pricebench.reader import Grid


def test_a_sound_machine_passes_and_no_key_is_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    typed = ["doctor", "--format", "json", "--warehouse", str(tmp_path / "w.duckdb")]
    assert main(typed) == 0
    out, err = capsys.readouterr()
    assert "sk-very-secret" not in out + err
    rows = {row["check"]: row for row in json.loads(out)}
    assert rows["OPENAI_API_KEY"]["found"] == "set"
    assert rows["ANTHROPIC_API_KEY"]["state"] == "absent"
    assert rows["warehouse"]["state"] == "absent"
    assert rows["warehouse"]["mend"] == "pricebench init"
    # installed from the lock, so each pinned package has the version it names
    for name in doctor.PINNED:
        assert rows[name]["state"] == "ok", rows[name]
    for row in rows.values():
        assert (row["mend"] is None) == (row["state"] == "ok")


@pytest.mark.parametrize(
    ("version", "state"),
    [((3, 10), "wrong"), ((3, 11), "ok"), ((3, 13), "ok"), ((3, 14), "wrong")],
)
def test_python_is_held_to_the_supported_range(version, state):
    assert doctor.check_python(version)[1] == state


def test_the_lock_is_read_by_name(tmp_path):
    lock = tmp_path / "requirements.lock"
    lock.write_text(
        "# a comment\nduckdb==1.5.6 \\\n    --hash=sha256:00\n    # via dlt==9.9\n"
        "odd==2.0 ; sys_platform == 'never' \\\n"
    )
    assert doctor.locked_versions(lock) == {"duckdb": "1.5.6", "odd": "2.0"}
    assert doctor.locked_versions(tmp_path / "absent") == {}


def test_a_package_that_differs_from_its_pin_is_wrong():
    found = duckdb.__version__
    assert doctor.check_package("duckdb", {"duckdb": found})[1] == "ok"
    row = doctor.check_package("duckdb", {"duckdb": "0.0.1"})
    assert row == ("duckdb", "wrong", f"{found}, lock has 0.0.1", "make setup")
    assert doctor.check_package("duckdb", {})[1] == "wrong"
    row = doctor.check_package("no-such-package", {"no-such-package": "1"})
    assert row[1:3] == ("wrong", "not installed")


def test_a_warehouse_that_does_not_open_is_wrong(tmp_path, capsys):
    path = tmp_path / "w.duckdb"
    path.write_bytes(b"not a warehouse" * 100)
    assert main(["doctor", "--warehouse", str(path)]) == 1
    out, err = capsys.readouterr()
    assert "cannot be opened" in out
    assert err == (
        "pricebench: wrong: warehouse; the column mend says how to put each right\n"
    )


def gate(warehouse, status: str, layer: str = "marts", data: str | None = None) -> None:
    """Enter a gate's verdict on the data now loaded, or on other data."""
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute(
            "insert into quality.gate_results by name select ? as gate,"
            " 'hotel' as instrument, ? as layer,"
            " timestamp '2026-01-02 03:04:05' as run_at,"
            " coalesce(?, (select data_sha256 from quality.loaded_data"
            " where instrument = 'hotel'))"
            " as data_sha256, '*' as table_name, 'gate' as expectation,"
            " 'stop' as severity, ? as status",
            [f"hotel_{layer}", layer, data, status],
        )


def test_gates_that_never_ran_need_a_build(empty_warehouse, tmp_path):
    assert doctor.check_gates(empty_warehouse) == (
        "gates",
        "due",
        "not built to the end",
        "pricebench build",
    )
    assert doctor.check_gates(tmp_path / "none.duckdb")[:3] == (
        "gates",
        "absent",
        "no warehouse to read",
    )
    duckdb.connect(str(tmp_path / "other.duckdb")).close()
    assert doctor.check_gates(tmp_path / "other.duckdb")[1::2] == (
        "absent",
        "pricebench init",
    )


def test_green_gates_are_sound_until_other_data_is_loaded(empty_warehouse):
    gate(empty_warehouse, "green", "raw")
    gate(empty_warehouse, "green")
    found = "2 pass, built 2026-01-02 03:04 UTC"
    assert doctor.check_gates(empty_warehouse) == ("gates", "ok", found, None)
    gate(empty_warehouse, "green", "staging", data="of before")
    state, found, mend = doctor.check_gates(empty_warehouse)[1:]
    assert state == "due"
    assert found.startswith("gate hotel_staging is out of date for the data now loaded")
    assert mend == "run pricebench build"


def test_the_build_has_the_date_of_the_instrument_with_data(empty_warehouse):
    gate(empty_warehouse, "green", "raw")
    gate(empty_warehouse, "green")
    with duckdb.connect(str(empty_warehouse)) as connection:
        connection.execute(
            "insert into quality.gate_results by name select * replace ("
            "'purchase' as instrument, 'purchase_' || layer as gate, 'empty' as status,"
            " (select data_sha256 from quality.loaded_data"
            " where instrument = 'purchase') as data_sha256)"
            " from quality.gate_results"
        )
    found = doctor.check_gates(empty_warehouse)[2]
    assert found == "4 pass, built 2026-01-02 03:04 UTC"


def test_a_red_gate_is_wrong_and_says_how_to_mend_it(empty_warehouse, capsys):
    gate(empty_warehouse, "failed", "raw")
    gate(empty_warehouse, "green", data="of before")
    assert main(["doctor", "--warehouse", str(empty_warehouse)]) == 1
    out, err = capsys.readouterr()
    assert "gate hotel_raw is red (failed), never green" in out
    assert "repair the rows it names, then run pricebench build" in out
    assert err.startswith("pricebench: wrong: gates;")


def test_too_little_disk_is_wrong(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor, "SPACE_AT_LEAST_GB", 1e9)
    state, found, mend = doctor.check_space(tmp_path / "deep" / "down" / "w.duckdb")[1:]
    assert state == "wrong"
    assert found.endswith(f"GB free in {tmp_path}")
    assert mend == "free 1000000000 GB there"


def test_what_only_the_site_needs_is_absent_and_not_wrong(monkeypatch):
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    assert doctor.check_node()[1] == "absent"
    assert doctor.check_browser()[1] == "absent"


def test_an_old_node_is_named(tmp_path, monkeypatch):
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\necho v12.3.4\n")
    node.chmod(0o755)
    monkeypatch.setattr(doctor.shutil, "which", lambda name: str(node))
    assert doctor.check_node()[1:3] == ("absent", "v12.3.4")


def test_only_what_is_wrong_fails():
    grid = Grid(doctor.COLUMNS, (("a", "ok", "1", None), ("b", "absent", "-", "x")))
    doctor.require_sound(grid)
    grid = Grid(doctor.COLUMNS, (*grid.rows, ("c", "wrong", "-", "y")))
    with pytest.raises(CommandError, match=r"^wrong: c;"):
        doctor.require_sound(grid)


def test_the_example_of_keys_lists_every_key_with_its_use():
    lines = (Path(__file__).parents[2] / ".env.example").read_text().splitlines()
    listed = {
        line.removesuffix("="): lines[at - 1].removeprefix("# ")
        for at, line in enumerate(lines)
        if line.endswith("=")
    }
    assert listed == dict(KEYS)
