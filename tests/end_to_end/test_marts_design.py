"""What a bank can teach, and how far tastes vary where a build is asked for that."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.hotel.orthogonal import design_rows
from ingest.hotel.pool import make_pool
from ingest.hotel.simulation import simulated_bank
from models.hotel_choices import INPUT_SCHEMA
from models.hotel_design import design_table
from models.hotel_mixed_logit import mixed_logit_table
from pricebench.build import build
from pricebench.cli import main
from pricebench.errors import CommandError
from pricebench.extras import EXTRAS_VARIABLE, Extra, asked_for

KEYS = ("block", "specification", "term")
# names that carry their unit in the mart
IN_USD = ("wtp_std_error", "wtp_detectable_difference")


def read(warehouse: Path, sql: str) -> list[dict[str, Any]]:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        return connection.execute(sql).to_arrow_table().to_pylist()


def by_key(rows: list[dict[str, Any]]) -> dict[tuple[str, ...], dict[str, Any]]:
    return {tuple(row[key] for key in KEYS): row for row in rows}


def test_the_design_of_a_bank_is_that_of_its_tasks(built_demo):
    # the one way leads through the warehouse, the other from the drawn offers
    found = by_key(read(built_demo, "from marts.hotel_design"))
    expected = by_key(
        design_table(design_rows(simulated_bank(make_pool()))).to_pylist()
    )
    assert found.keys() == expected.keys()
    # slot or two slots, six controls and price in two blocks, each in two forms
    assert len(found) == 2 * (8 + 9)
    for key, row in expected.items():
        for name, value in row.items():
            own = found[key][f"{name}_usd" if name in IN_USD else name]
            is_exact = not isinstance(value, float)
            assert own == (value if is_exact else pytest.approx(value, rel=1e-9)), name


def test_a_bank_that_nobody_has_answered_has_a_design(tmp_path, capsys):
    folder, warehouse = tmp_path / "bank", tmp_path / "w.duckdb"
    folder.mkdir()
    on_it = ["--warehouse", str(warehouse)]
    out = folder / "conjoint_tasks.csv"
    assert main(["bank", "hotel", "--size", "240", "--out", str(out), *on_it]) == 0
    sha256 = capsys.readouterr().out.strip()
    assert main(["load", "hotel", str(folder), *on_it]) == 0
    assert main(["build", "--select", "hotel_design", *on_it]) == 0
    rows = read(warehouse, "from marts.hotel_design")
    assert {row["bank_sha256"] for row in rows} == {sha256}
    # 120 tasks of each format, each in two orders
    assert {(row["tasks"], row["answers"]) for row in rows} == {(120, 240)}
    assert {row["status"] for row in rows} == {"ok"}


def test_a_build_that_was_not_asked_has_no_mixed_logit(built_demo):
    assert read(built_demo, "from marts.hotel_mixed_logit") == []
    described = "from marts.column_dictionary where table_name = 'hotel_mixed_logit'"
    assert len(read(built_demo, described)) == 20


@pytest.fixture(scope="module")
def asked(built_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo, built once more with its mixed logits."""
    warehouse = tmp_path_factory.mktemp("mixed") / "warehouse.duckdb"
    shutil.copy(built_demo, warehouse)
    with asked_for([Extra.mixed_logit]):
        report = build(warehouse, lambda line: None, select=["hotel_mixed_logit"])
    assert report.failures == ()
    return warehouse


def test_a_build_that_was_asked_fits_every_model_in_both_forms(asked):
    rows = read(asked, "from marts.hotel_mixed_logit")
    fits = {(row["model_id"], row["specification"]) for row in rows}
    assert len(fits) == 2 * 10
    # eight means, and the deviations of slot, review score and price
    assert len(rows) == len(fits) * 11
    choices = read(
        asked,
        "from intermediate.int_hotel_choice where variant = 'base' "
        "and format = 'binary' and model_id = 'simulated/balanced'",
    )
    columns = {name: [row[name] for row in choices] for name in INPUT_SCHEMA.names}
    own = [row for row in rows if row["model_id"] == "simulated/balanced"]
    expected = {
        (row["specification"], row["term"]): row["estimate"]
        for row in mixed_logit_table(columns).to_pylist()
    }
    found = {(row["specification"], row["term"]): row["estimate"] for row in own}
    assert found == pytest.approx(expected, rel=1e-9)


def test_what_a_locked_model_does_not_tell_is_locked(asked):
    rows = read(
        asked,
        "from marts.hotel_mixed_logit where model_id = 'simulated/first-card-locked'",
    )
    # whoever always takes the first card says nothing of tastes: no interval stands
    assert {row["status"] for row in rows} <= {"separated", "locked", "failed"}
    taker = read(
        asked,
        "from marts.hotel_mixed_logit where model_id = 'simulated/second-card-taker' "
        "and ci_lo <= 0 and ci_hi >= 0 and term not like 'sd%'",
    )
    assert {row["status"] for row in taker} <= {"locked"}


def test_what_is_asked_for_is_asked_once_and_then_forgotten(monkeypatch):
    monkeypatch.delenv(EXTRAS_VARIABLE, raising=False)
    with asked_for([]):
        assert os.environ[EXTRAS_VARIABLE] == ""
    with asked_for([Extra.mixed_logit, Extra.mixed_logit]):
        assert os.environ[EXTRAS_VARIABLE] == "mixed_logit"
    assert EXTRAS_VARIABLE not in os.environ
    monkeypatch.setenv(EXTRAS_VARIABLE, "mixed_logit")
    with asked_for([]):
        assert os.environ[EXTRAS_VARIABLE] == "mixed_logit"
    assert os.environ[EXTRAS_VARIABLE] == "mixed_logit"
    monkeypatch.setenv(EXTRAS_VARIABLE, "mixed_logit,tea")
    with (
        pytest.raises(CommandError, match="PRICEBENCH_WITH names 'tea'"),
        asked_for([]),
    ):
        pass


def test_an_unknown_extra_is_refused(capsys):
    assert main(["build", "--with", "tea"]) == 2
    err = capsys.readouterr().err
    assert "'tea'" in err
    assert "mixed_logit" in err
