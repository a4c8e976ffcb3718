"""Where a result may be written: anywhere but over the warehouse."""

from __future__ import annotations

import pytest

from pricebench.cli import main
from pricebench.errors import CommandError
from pricebench.paths import refuse_as_output


@pytest.mark.parametrize(
    "name", ["w.duckdb", "w.duckdb.lock", "w.duckdb.next/x.csv", "link", "hard"]
)
def test_a_board_is_never_written_over_the_warehouse(tmp_path, name):
    warehouse = tmp_path / "w.duckdb"
    warehouse.write_bytes(b"figures")
    (tmp_path / "link").symlink_to(warehouse)
    (tmp_path / "hard").hardlink_to(warehouse)
    with pytest.raises(CommandError, match=r"belongs to the warehouse .*another --out"):
        refuse_as_output(tmp_path / name, warehouse)
    refuse_as_output(tmp_path / "w.duckdb.csv", warehouse)
    refuse_as_output(tmp_path / "w.duckdb.csv", tmp_path / "absent.duckdb")
    with pytest.raises(CommandError, match="belongs to the warehouse"):
        refuse_as_output(tmp_path / "new.duckdb", tmp_path / "new.duckdb")


def test_board_and_simulate_ask_before_they_write(tmp_path, capsys):
    warehouse = tmp_path / "w.duckdb"
    typed = ["--warehouse", str(warehouse), "--out", str(warehouse)]
    assert main(["simulate", "hotel", "--tasks", "6", *typed]) == 1
    assert "belongs to the warehouse" in capsys.readouterr().err
    assert not warehouse.exists()
    assert main(["init", "--warehouse", str(warehouse)]) == 0
    before = warehouse.read_bytes()
    assert main(["board", "hotel", *typed]) == 1
    assert "belongs to the warehouse" in capsys.readouterr().err
    assert warehouse.read_bytes() == before
