"""The table of bootstrap intervals: contract, statuses, ranks, row order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from models.bootstrap import bootstrap
from models.bootstrap_draws import draw_counts
from models.hotel_bootstrap import (
    BOOTSTRAP_SCHEMA,
    BootstrapTables,
    bootstrap_tables,
)
from models.hotel_bootstrap_ranks import STABILITY_SCHEMA
from models.hotel_choices import INPUT_SCHEMA
from models.hotel_terms import CONTROLS

TASTES = dict(zip(CONTROLS, (0.5, 0.2, 0.8, 0.7, 1.2, 0.01), strict=True))
Table = dict[str, Any]


def shopper(model: str, *, price: float, pairs: int = 40, slot: float = 0.4) -> Table:
    """Answers to two draws of each pair in both orders, as columns."""
    rng = np.random.default_rng(11)
    group = np.repeat(np.arange(pairs), 2)
    tasks = len(group)
    dollars = np.round(rng.uniform(60, 600, (tasks, 2)))
    offer = {
        "stars": rng.integers(1, 6, (tasks, 2)).astype(float),
        "bed_rank": rng.integers(0, 4, (tasks, 2)).astype(float),
        "cancel": rng.integers(0, 2, (tasks, 2)).astype(float),
        "breakfast": rng.integers(0, 2, (tasks, 2)).astype(float),
        "review_score": np.round(rng.uniform(6, 10, (tasks, 2)), 1),
        "review_count_100": rng.integers(1, 4000, (tasks, 2)) / 100,
        "log_price": np.log(dollars),
        "price_usd": dollars,
    }
    value = sum(taste * offer[name] for name, taste in TASTES.items())
    value = value + price * offer["log_price"]
    columns: dict[str, list[Any]] = {name: [] for name in INPUT_SCHEMA.names}
    for order, sign in (("original", 1.0), ("swapped", -1.0)):
        gain = value[:, 0] - value[:, 1] + slot * sign + rng.logistic(size=tasks)
        for option in (0, 1):
            picked = ((gain > 0) == (option == 0)).tolist()
            rows = {
                "study_id": ["s"] * tasks,
                "model_id": [model] * tasks,
                "variant": ["base"] * tasks,
                "input_fingerprint": ["f"] * tasks,
                "answer_key": [f"{order}:{task:04d}" for task in range(tasks)],
                "option": ["AB"[option]] * tasks,
                "group_id": group.tolist(),
                "hotel_id": (2 * group + option).tolist(),
                "slot_sign": [sign if option == 0 else 0.0] * tasks,
                "chosen_as_published": picked,
                "chosen_audited": picked,
                **{
                    name: numbers[:, option].tolist() for name, numbers in offer.items()
                },
            }
            for name, column in rows.items():
                columns[name].extend(column)
    return columns


def table(*parts: Table) -> pa.Table:
    return pa.concat_tables(pa.table(part, schema=INPUT_SCHEMA) for part in parts)


def verdicts(**flags: str) -> Table:
    """One row for each model: E engaged, L locked, both or neither."""
    return {
        "study_id": ["s"] * len(flags),
        "model_id": list(flags),
        "engaged": ["E" in flag for flag in flags.values()],
        "locked": ["L" in flag for flag in flags.values()],
    }


@pytest.fixture(scope="module")
def answers() -> pa.Table:
    return table(shopper("mild", price=-1.0), shopper("sharp", price=-3.0))


@pytest.fixture(scope="module")
def found(answers: pa.Table) -> BootstrapTables:
    return bootstrap_tables(answers, verdicts(mild="E", sharp="E"))


def rows_of(tables: BootstrapTables, **wanted: str) -> list[dict[str, Any]]:
    rows = tables.statistics.to_pylist()
    return [row for row in rows if wanted.items() <= row.items()]


def test_contract(found: BootstrapTables) -> None:
    assert found.statistics.schema == BOOTSTRAP_SCHEMA
    assert found.stability.schema == STABILITY_SCHEMA
    # as published 3 statistics; audited 2 coefficients and 4 ratios in each of 2 forms
    assert found.statistics.num_rows == 2 * (3 + 2 * 6)
    assert found.stability.num_rows == 3 + 2 * 6
    keys = [
        (row["model_id"], row["statistic"], row["reading"])
        for row in found.statistics.to_pylist()
    ]
    assert len(set(keys)) == len(keys)
    for row in found.statistics.to_pylist():
        draws = {"as_published": 500, "audited": 2000}[row["reading"]]
        assert row["replicates"] == draws
        assert 0 <= row["failed_replicates"] <= draws


def test_price_interval_is_that_of_the_refits(
    answers: pa.Table, found: BootstrapTables
) -> None:
    rows = answers.to_pylist()
    mild = sorted(
        (row for row in rows if row["model_id"] == "mild"),
        key=lambda row: (row["answer_key"], row["option"]),
    )
    names = ["slot_sign", *CONTROLS, "price_usd"]
    x = np.array([[row[name] for name in names] for row in mild]).reshape(-1, 2, 8)
    chosen = np.array([row["chosen_audited"] for row in mild[1::2]], dtype=int)
    codes = np.array([row["group_id"] for row in mild[::2]])
    result = bootstrap(x, chosen, codes, draw_counts(2000, 40), order_terms=1)
    assert result.failed == 0
    (row,) = rows_of(found, model_id="mild", statistic="price", reading="audited")
    lo, hi = np.percentile(result.estimate[:, -1], [2.5, 97.5])
    assert row["ci_lo"] == pytest.approx(lo, rel=1e-9)
    assert row["ci_hi"] == pytest.approx(hi, rel=1e-9)
    assert row["point"] == pytest.approx(result.point.estimate[-1], rel=1e-12)


def test_ranks(found: BootstrapTables) -> None:
    for reading in ("as_published", "audited"):
        mild, sharp = rows_of(found, statistic="log_price", reading=reading)
        assert (mild["rank"], sharp["rank"]) == (2, 1)
        assert sharp["first_share"] > 0.9
    # the published analysis does not rank the review coefficient
    for row in rows_of(found, statistic="review_score", reading="as_published"):
        assert row["rank"] is None
        assert row["ci_lo"] < row["point"] < row["ci_hi"]


def test_as_published_ranks_only_the_engaged(answers: pa.Table) -> None:
    tables = bootstrap_tables(answers, verdicts(mild="", sharp="E"))
    mild, sharp = rows_of(tables, statistic="log_price", reading="as_published")
    assert mild["rank"] is None
    assert mild["ci_lo"] is not None
    assert sharp["rank"] == 1
    mild, sharp = rows_of(tables, statistic="log_price", reading="audited")
    assert (mild["rank"], sharp["rank"]) == (2, 1)


def test_locked_model_with_an_interval_around_zero_is_not_ranked() -> None:
    flat = table(shopper("flat", price=0.0))
    free = bootstrap_tables(flat, verdicts(flat="E"))
    locked = bootstrap_tables(flat, verdicts(flat="EL"))
    for tables, label in ((free, "ok"), (locked, "locked")):
        (row,) = rows_of(tables, statistic="log_price", reading="audited")
        assert row["ci_lo"] < 0 < row["ci_hi"]
        assert row["status"] == label
        assert (row["rank"] is None) == (label == "locked")
    (worth,) = rows_of(free, statistic="wtp_review_score_usd", reading="audited")
    # a ratio to a price response of unknown sign
    assert worth["status"] == "weak"
    assert worth["rank"] is None


def test_few_pairs() -> None:
    tables = bootstrap_tables(
        table(shopper("m", price=-1.0, pairs=29)), verdicts(m="E")
    )
    for row in rows_of(tables, reading="audited"):
        assert row["status"] in ("too_few", "separated", "no_variation")
        assert row["rank"] is None


def test_separated_model_has_no_interval_and_counts_its_replicates() -> None:
    part = shopper("m", price=-1.0)
    prices = np.array(part["price_usd"]).reshape(2, 2, -1)
    cheaper = prices[:, 0] <= prices[:, 1]
    picked = np.stack([cheaper, ~cheaper], axis=1).ravel().tolist()
    part["chosen_as_published"] = part["chosen_audited"] = picked
    tables = bootstrap_tables(table(part), verdicts(m="E"))
    (row,) = rows_of(tables, statistic="log_price", reading="audited")
    assert row["status"] == "separated"
    assert row["failed_replicates"] == row["separated_replicates"] == 2000
    assert [row[name] for name in ("point", "ci_lo", "ci_hi", "rank")] == [None] * 4


def test_row_order_changes_nothing(answers: pa.Table, found: BootstrapTables) -> None:
    moved = np.random.default_rng(3).permutation(answers.num_rows)
    again = bootstrap_tables(answers.take(moved), verdicts(sharp="E", mild="E"))
    assert again.statistics.equals(found.statistics)
    assert again.stability.equals(found.stability)


def test_other_variants_are_left_out(answers: pa.Table, found: BootstrapTables) -> None:
    other = shopper("mild", price=2.0)
    other["variant"] = ["json"] * len(other["variant"])
    both = pa.concat_tables([answers, table(other)])
    again = bootstrap_tables(both, verdicts(mild="E", sharp="E"))
    assert again.statistics.equals(found.statistics)


def test_a_model_more_changes_no_interval(
    answers: pa.Table, found: BootstrapTables
) -> None:
    alone = bootstrap_tables(table(shopper("mild", price=-1.0)), verdicts(mild="E"))
    names = ["statistic", "reading", "point", "ci_lo", "ci_hi"]
    mild = pa.Table.from_pylist(rows_of(found, model_id="mild"), BOOTSTRAP_SCHEMA)
    assert alone.statistics.select(names).equals(mild.select(names))


def test_no_answers() -> None:
    empty = bootstrap_tables(INPUT_SCHEMA.empty_table(), verdicts())
    assert empty.statistics.schema == BOOTSTRAP_SCHEMA
    assert empty.stability.schema == STABILITY_SCHEMA
    assert empty.statistics.num_rows == empty.stability.num_rows == 0


def test_verdicts_are_checked(answers: pa.Table) -> None:
    with pytest.raises(ValueError, match="verdicts: none for s sharp"):
        bootstrap_tables(answers, verdicts(mild="E"))
    twice = {name: 2 * column for name, column in verdicts(mild="E").items()}
    with pytest.raises(ValueError, match="verdicts: s mild stands twice"):
        bootstrap_tables(answers, twice)
    lacking = verdicts(mild="E")
    del lacking["locked"]
    with pytest.raises(ValueError, match="verdicts: no column 'locked'"):
        bootstrap_tables(answers, lacking)
