"""A simulation in a warehouse: written once, added to, refused, read back as files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from ingest.errors import LoadError
from ingest.hotel.cast import default_cast, random_cast
from ingest.hotel.release import load_hotel
from ingest.simulate import (
    Simulation,
    load_simulated_hotel,
    simulate_hotel,
    write_simulation,
)

CAST = default_cast()
TABLES = ("task", "hotel", "response", "run", "simulated_taste")


@pytest.fixture(scope="module")
def demo() -> Simulation:
    return simulate_hotel()


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    warehouse = tmp_path_factory.mktemp("simulated") / "w.duckdb"
    load_simulated_hotel(warehouse)
    return warehouse


def query(warehouse: Path, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_loading_twice_changes_nothing(loaded: Path) -> None:
    hash_sql = "select data_sha256 from quality.loaded_data where instrument = 'hotel'"
    before = query(loaded, hash_sql)
    report = load_simulated_hotel(loaded)
    assert (report.written, report.rows) == ((), 0)
    assert query(loaded, hash_sql) == before
    for name in TABLES:
        accepted = query(
            loaded,
            "select sum(rows_accepted) from quality.row_accounting "
            f"where table_name = '{name}'",
        )
        assert accepted == query(loaded, f"select count(*) from raw_hotel.{name}")


def test_another_seed_and_another_shopper_are_added(loaded: Path) -> None:
    before = query(loaded, "select run_id from raw_hotel.run order by 1")
    load_simulated_hotel(loaded, shoppers=random_cast(1, seed=4))
    load_simulated_hotel(loaded, seed=2, shoppers=CAST[:1])
    after = query(loaded, "select run_id from raw_hotel.run order by 1")
    assert set(after) - set(before) == {
        ("simulated/random-001",),
        ("simulated/bargain-hunter/seed-2",),
    }
    hotels = query(loaded, "select count(*) from raw_hotel.hotel")
    assert hotels == [(179,)]
    banks = query(
        loaded, "select count(*), count(distinct bank_sha256) from raw_hotel.task"
    )
    assert banks == [(600, 2)]


def test_other_answers_under_a_loaded_name_are_refused(loaded: Path) -> None:
    before = query(loaded, "select count(*) from raw_hotel.response")
    changed = replace(CAST[0], tastes={"stars": -5.0})
    with pytest.raises(
        LoadError, match=r"run simulated/bargain-hunter: .* other answers"
    ):
        load_simulated_hotel(loaded, shoppers=(changed,))
    with pytest.raises(LoadError, match="other answers under this name"):
        load_simulated_hotel(loaded, tasks=150)
    assert query(loaded, "select count(*) from raw_hotel.response") == before


def test_release_shaped_files_load_as_a_release(
    demo: Simulation, tmp_path: Path
) -> None:
    written = write_simulation(demo, tmp_path / "out")
    assert {path.name for path in written} == set(demo.files)
    warehouse = tmp_path / "w.duckdb"
    report = load_hotel(tmp_path / "out", warehouse)
    assert not report.errors
    answers = query(warehouse, "select count(*), count(choice) from raw_hotel.response")
    readable = sum(
        state == "letter"
        for state in demo.tables["response"]["reply_state"].to_pylist()
    )
    assert answers == [(6000, readable)]
    tasks = query(warehouse, "select count(*) from quality.quarantine")
    assert tasks == [(0,)]
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        back = connection.execute(
            "select * exclude (_dlt_load_id) from raw_hotel.task order by task_id"
        ).to_arrow_table()
    own = demo.tables["task"]
    assert back.select(own.column_names).cast(own.schema).equals(_plain(own))


def _plain(table: pa.Table) -> pa.Table:
    return table.sort_by("task_id").combine_chunks()


def test_a_loaded_bank_is_not_written_again(demo: Simulation, tmp_path: Path) -> None:
    write_simulation(demo, tmp_path / "out")
    warehouse = tmp_path / "w.duckdb"
    load_hotel(tmp_path / "out", warehouse)
    load_simulated_hotel(warehouse)
    counts = "select count(*) from raw_hotel.{}"
    assert query(warehouse, counts.format("task")) == [(300,)]
    assert query(warehouse, counts.format("hotel")) == [(179,)]
    assert query(warehouse, counts.format("response")) == [(12_000,)]


def test_a_folder_that_cannot_be_written_leaves_the_warehouse_as_it_was(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("in the way")
    warehouse = tmp_path / "w.duckdb"
    with pytest.raises(LoadError, match="simulation files cannot be written to"):
        load_simulated_hotel(warehouse, out=tmp_path / "file" / "out")
    assert not warehouse.exists()


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


SMALL = simulate_hotel(tasks=6, shoppers=CAST[:2])


def test_the_same_simulation_may_be_written_twice(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    write_simulation(SMALL, folder)
    before = contents(folder)
    assert before == {"notes.txt": b"mine", **SMALL.files}
    stamps = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    write_simulation(SMALL, folder)
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == stamps
    # what is missing is added
    (folder / "hotel_pool.json").unlink()
    write_simulation(SMALL, folder)
    assert contents(folder) == before


@pytest.mark.parametrize(
    "other",
    [
        simulate_hotel(tasks=6, shoppers=CAST[:2], seed=2),
        simulate_hotel(tasks=9, shoppers=CAST[:2]),
        # nothing of the same name differs, but three shoppers are no two
        simulate_hotel(tasks=6, shoppers=CAST[:1]),
        simulate_hotel(tasks=6, shoppers=CAST[2:3]),
    ],
    ids=["seed", "tasks", "fewer shoppers", "other shoppers"],
)
def test_two_simulations_never_share_a_folder(
    other: Simulation, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    write_simulation(SMALL, folder)
    before = contents(folder)
    warehouse = tmp_path / "w.duckdb"
    with pytest.raises(LoadError, match=r"of another simulation or a release: nothing"):
        write_simulation(other, folder)
    with pytest.raises(LoadError, match=r"give an empty folder$"):
        load_simulated_hotel(warehouse, seed=5, tasks=6, out=folder)
    assert contents(folder) == before
    assert not warehouse.exists()


@pytest.mark.parametrize(
    "name", ["conjoint_results_phi_swap.csv", "capability_scores.csv"]
)
def test_a_simulation_is_not_written_among_files_of_a_release(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text("theirs")
    with pytest.raises(LoadError) as error:
        write_simulation(SMALL, tmp_path)
    assert str(error.value) == (
        f"{tmp_path} holds {name} of another simulation or a release: nothing was "
        "written; give an empty folder"
    )
    assert contents(tmp_path) == {name: b"theirs"}


def test_half_a_simulation_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Path.open

    def fill_the_disk(path: Path, mode: str = "r", *more: object) -> object:
        if path.name.startswith("shopper_"):
            raise OSError(28, "No space left on device")
        return opened(path, mode, *more)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", fill_the_disk)
    with pytest.raises(LoadError, match=r"cannot be written .*No space left"):
        write_simulation(SMALL, tmp_path)
    assert list(tmp_path.iterdir()) == []
