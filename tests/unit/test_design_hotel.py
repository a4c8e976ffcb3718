"""The tables that say what a hotel bank can teach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from ingest.hotel.bank import draw_bank, draw_quintets
from ingest.hotel.orthogonal import design_rows, orthogonal_bank
from ingest.hotel.pool import make_pool
from models.design import expected_covariance, expected_information
from models.hotel_design import (
    ASSUMED_TASTES,
    CORRELATION_SCHEMA,
    DESIGN_INPUT_SCHEMA,
    DESIGN_SCHEMA,
    correlation_table,
    design_table,
)
from models.hotel_terms import ATTRIBUTES, CONTROLS, SPECIFICATIONS

Row = dict[str, Any]
POOL = make_pool()
BANK = draw_bank(POOL, pairs=60, pair_reps=4, triples=40, triple_reps=3, seed=5)
ROWS = design_rows(BANK)
TERMS = [*CONTROLS, "log_price"]


def found(table: pa.Table, block: str, specification: str = "log") -> dict[str, Row]:
    return {
        row["term"]: row
        for row in table.to_pylist()
        if (row["block"], row["specification"]) == (block, specification)
    }


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return design_table(ROWS)


def test_rows_and_their_order(table: pa.Table) -> None:
    assert table.schema == DESIGN_SCHEMA
    binary, ternary = found(table, "binary"), found(table, "ternary")
    assert list(binary) == ["slot", *TERMS]
    assert list(ternary) == ["slot1", "slot2", *TERMS]
    assert list(dict.fromkeys(table["block"].to_pylist())) == ["binary", "ternary"]
    assert (binary["slot"]["bank_tasks"], binary["slot"]["answers"]) == (240, 480)
    assert (ternary["slot1"]["bank_tasks"], ternary["slot1"]["answers"]) == (120, 240)


def test_errors_are_those_of_the_array_function(table: pa.Table) -> None:
    rows = pa.table(ROWS).to_pylist()
    shown = [row for row in rows if row["block"] == "binary"]
    x = np.zeros((480, 2, 8))
    sets = {
        key: n
        for n, key in enumerate({(r["task_id"], r["ordering"]): 0 for r in shown})
    }
    for row in shown:
        place = sets[row["task_id"], row["ordering"]], "AB".index(row["option"])
        sign = 1.0 if row["slot"] == 1 else -1.0
        lead = sign if row["option"] == "A" else 0.0
        x[place] = [lead, *(row[name] for name in TERMS)]
    tastes = [ASSUMED_TASTES["log"][name] for name in ("slot", *TERMS)]
    covariance = expected_covariance(expected_information(x, tastes))
    listed = found(table, "binary")
    np.testing.assert_allclose(
        [row["expected_std_error"] for row in listed.values()],
        np.sqrt(np.diag(covariance)),
        rtol=1e-9,
    )
    # delta method at $250: gradient (-1/b, a/b^2) x 250 of stars and price
    a, b = 0.8, -2.3
    gradient = np.array([-1 / b, a / b**2]) * 250
    error = np.sqrt(gradient @ covariance[np.ix_([1, 7], [1, 7])] @ gradient)
    stars = listed["stars"]
    assert stars["wtp_usd"] == pytest.approx(0.8 / 2.3 * 250, rel=1e-12)
    assert stars["wtp_std_error"] == pytest.approx(error, rel=1e-9)
    assert stars["wtp_detectable_difference"] == pytest.approx(
        2.8015852 * np.sqrt(2) * error, rel=1e-6
    )


def test_only_attributes_have_a_worth(table: pa.Table) -> None:
    for row in table.to_pylist():
        known = row["term"] in ATTRIBUTES
        for name in ("wtp_usd", "wtp_std_error", "wtp_detectable_difference"):
            assert (row[name] is not None) == known
        assert row["status"] == "ok"
        assert row["variance_inflation"] >= 1 - 1e-12


def test_four_times_the_tasks_halve_every_error(table: pa.Table) -> None:
    more = found(design_table(ROWS, tasks=960), "binary")
    for term, row in found(table, "binary").items():
        assert more[term]["answers"] == 1920
        assert more[term]["expected_std_error"] == pytest.approx(
            row["expected_std_error"] / 2, rel=1e-12
        )
        # a variance, so a quarter
        assert more[term]["d_error"] == pytest.approx(row["d_error"] / 4, rel=1e-12)


def test_slot_is_balanced_by_showing_both_orders(table: pa.Table) -> None:
    slot = found(table, "binary")["slot"]
    assert (slot["largest_correlation"], slot["correlated_with"]) == (0.0, None)
    assert slot["variance_inflation"] == pytest.approx(1.0)


def test_latin_orders_ask_each_task_once_for_each_option() -> None:
    rows = found(design_table(design_rows(BANK, "latin")), "ternary")
    assert rows["slot1"]["answers"] == 360
    # dummies of three slots, each option in each: correlation of two is -1/2
    assert rows["slot1"]["correlated_with"] == "slot2"
    # pairs of slots: slot1 differs in (1,2) and (1,3), slot2 in (1,2) and (2,3); only
    # the first in common, with opposite signs: -1 / sqrt(2 x 2)
    assert rows["slot1"]["largest_correlation"] == pytest.approx(-0.5)


def test_orthogonal_bank_parts_price_from_stars() -> None:
    bank = orthogonal_bank(BANK, POOL, seed=1)
    drawn, redrawn = design_table(ROWS), design_table(design_rows(bank))
    for specification in ("log", "linear"):
        price = "log_price" if specification == "log" else "price"
        before = found(drawn, "binary", specification)
        after = found(redrawn, "binary", specification)
        assert before[price]["variance_inflation"] > 1.8
        assert after[price]["variance_inflation"] < 1.1
    assert found(redrawn, "binary")["stars"]["correlated_with"] != "log_price"


def test_correlations() -> None:
    table = correlation_table(ROWS)
    assert table.schema == CORRELATION_SCHEMA
    rows = [row for row in table.to_pylist() if row["block"] == "binary"]
    assert len(rows) == 2 * 8 * 7 / 2
    (stars,) = [
        row["correlation"]
        for row in rows
        if (row["term"], row["other_term"]) == ("stars", "log_price")
    ]
    assert 0.6 < stars < 0.95


def test_five_options() -> None:
    quintets = draw_quintets(POOL, quintets=30, seed=1)
    rows = found(design_table(design_rows(quintets)), "fiveopt")
    assert list(rows) == ["slot1", "slot2", "slot3", "slot4", *TERMS]
    assert {row["status"] for row in rows.values()} == {"ok"}


def test_a_term_that_never_varies_leaves_the_others() -> None:
    rows = {**ROWS, "breakfast": [0.0] * len(ROWS["breakfast"])}
    listed = found(design_table(rows), "binary")
    breakfast = listed.pop("breakfast")
    assert breakfast["status"] == "no_variation"
    for name in ("expected_std_error", "variance_inflation", "wtp_std_error"):
        assert breakfast[name] is None
    assert {row["status"] for row in listed.values()} == {"ok"}
    assert breakfast["d_error"] > 0
    nothing = [
        row["status"]
        for row in correlation_table(rows).to_pylist()
        if "breakfast" in (row["term"], row["other_term"])
    ]
    assert set(nothing) == {"no_variation"}


def test_without_a_price_taste_there_is_no_worth() -> None:
    tastes = {"log": {"stars": 0.8}, "linear": {}}
    listed = found(design_table(ROWS, tastes=tastes), "binary")
    assert (listed["stars"]["wtp_usd"], listed["stars"]["status"]) == (None, "weak")
    assert listed["log_price"]["status"] == "ok"
    assert listed["cancel"]["assumed_taste"] == 0.0


def test_input_order_changes_nothing(table: pa.Table) -> None:
    rows = pa.table(ROWS).cast(DESIGN_INPUT_SCHEMA)
    moved = np.random.default_rng(0).permutation(rows.num_rows)
    assert design_table(rows.take(moved)).equals(table)


def test_tastes_are_assumed_for_every_term() -> None:
    for specification in SPECIFICATIONS:
        names = {"slot", *CONTROLS, specification.price_term}
        assert set(ASSUMED_TASTES[specification.name]) == names


def test_empty_input_gives_empty_tables() -> None:
    empty = DESIGN_INPUT_SCHEMA.empty_table()
    assert design_table(empty).equals(DESIGN_SCHEMA.empty_table())
    assert correlation_table(empty).equals(CORRELATION_SCHEMA.empty_table())
    assert design_table(design_rows([])).num_rows == 0


def changed(name: str, place: int, value: object) -> dict[str, list[Any]]:
    column = list(ROWS[name])
    column[place] = value
    return {**ROWS, name: column}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({k: v for k, v in ROWS.items() if k != "slot"}, "no column 'slot'"),
        (changed("stars", 3, None), "row 3 has no stars"),
        (changed("slot", 1, 1), "task 1 original: slots must be 1 to 2"),
        (changed("task_id", 0, 9999), r"'binary' has sets of \[1, 2\]"),
    ],
)
def test_broken_input_is_named(rows: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        design_table(rows)


def test_arguments_out_of_range() -> None:
    with pytest.raises(ValueError, match="tasks: 0"):
        design_table(ROWS, tasks=0)
    with pytest.raises(ValueError, match="log: unknown term 'area'"):
        design_table(ROWS, tastes={"log": {"area": 1.0}})
