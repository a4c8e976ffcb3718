"""The table of bootstrap intervals: contract, statuses, ranks, row order."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest

from models.bootstrap import bootstrap
from models.bootstrap_draws import draw_counts
from models.hotel_bootstrap import BOOTSTRAP_SCHEMA, PAIRS_INPUT, bootstrap_table
from models.hotel_bootstrap_ranks import (
    RANK_COLUMNS,
    RANK_SCHEMA,
    bootstrap_rank_table,
)
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


class Found(NamedTuple):
    """Bootstraps and what is ranked by them."""

    bootstraps: pa.Table
    ranks: pa.Table


def pairs(count: int = 40) -> Table:
    return {"study_id": ["s"] * count, "group_id": list(range(count))}


def bootstrap_tables(columns: pa.Table, judged: Table, count: int = 40) -> Found:
    bootstraps = bootstrap_table(columns, pairs(count))
    return Found(bootstraps, bootstrap_rank_table(bootstraps, judged))


@pytest.fixture(scope="module")
def answers() -> pa.Table:
    return table(shopper("mild", price=-1.0), shopper("sharp", price=-3.0))


@pytest.fixture(scope="module")
def found(answers: pa.Table) -> Found:
    return bootstrap_tables(answers, verdicts(mild="E", sharp="E"))


def rows_of(found: Found, **wanted: str) -> list[dict[str, Any]]:
    """Rows of a bootstrap with status and ranks, by model."""
    ranked = {}
    for row in found.ranks.to_pylist():
        for place, model in enumerate(row["model_id"]):
            key = row["reading"], row["statistic"], model
            ranked[key] = {name: row[name][place] for name in RANK_COLUMNS} | {
                "status": row["model_status"][place]
            }
    rows = [
        row | ranked[row["reading"], row["statistic"], row["model_id"]]
        for row in found.bootstraps.to_pylist()
    ]
    return [row for row in rows if wanted.items() <= row.items()]


def test_contract(found: Found) -> None:
    assert found.bootstraps.schema == BOOTSTRAP_SCHEMA
    assert found.ranks.schema == RANK_SCHEMA
    # as published 3 statistics; audited 2 coefficients and 4 ratios in each of 2 forms
    assert found.bootstraps.num_rows == 2 * (3 + 2 * 6)
    assert found.ranks.num_rows == 3 + 2 * 6
    keys = [
        (row["model_id"], row["statistic"], row["reading"])
        for row in found.bootstraps.to_pylist()
    ]
    assert len(set(keys)) == len(keys)
    for row in found.bootstraps.to_pylist():
        draws = {"as_published": 500, "audited": 2000}[row["reading"]]
        assert row["replicates"] == len(row["draws"]) == draws
        assert 0 <= row["failed_replicates"] <= draws
        lo, hi = np.percentile(row["draws"], [2.5, 97.5])
        assert (row["ci_lo"], row["ci_hi"]) == pytest.approx((lo, hi), rel=1e-12)


def test_price_interval_is_that_of_the_refits(answers: pa.Table, found: Found) -> None:
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


def test_ranks(found: Found) -> None:
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
    few = table(shopper("m", price=-1.0, pairs=29))
    tables = bootstrap_tables(few, verdicts(m="E"), 29)
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


def test_row_order_changes_nothing(answers: pa.Table, found: Found) -> None:
    moved = np.random.default_rng(3).permutation(answers.num_rows)
    again = bootstrap_tables(answers.take(moved), verdicts(sharp="E", mild="E"))
    assert again == found


def test_other_variants_are_left_out(answers: pa.Table, found: Found) -> None:
    other = shopper("mild", price=2.0)
    other["variant"] = ["json"] * len(other["variant"])
    both = pa.concat_tables([answers, table(other)])
    again = bootstrap_tables(both, verdicts(mild="E", sharp="E"))
    assert again.bootstraps.equals(found.bootstraps)


def test_a_model_more_changes_no_interval(answers: pa.Table, found: Found) -> None:
    alone = bootstrap_table(table(shopper("mild", price=-1.0)), pairs())
    mild = [row for row in found.bootstraps.to_pylist() if row["model_id"] == "mild"]
    assert alone.to_pylist() == mild


def test_a_model_with_half_the_answers_draws_from_all_pairs(answers: pa.Table) -> None:
    # 15 of 40 pairs answered: a replicate holds 15 of them on average, not always
    half = table(shopper("half", price=-1.0, pairs=30))
    rows = bootstrap_table(half, pairs()).to_pylist()
    narrow = bootstrap_table(half, pairs(30)).to_pylist()
    assert rows[0]["point"] == narrow[0]["point"]
    assert rows[0]["draws"] != narrow[0]["draws"]
    with pytest.raises(ValueError, match="pairs: s does not list pair 30, which mild"):
        bootstrap_table(answers, pairs(30))


def test_no_answers() -> None:
    empty = bootstrap_tables(INPUT_SCHEMA.empty_table(), verdicts(), 0)
    assert empty.bootstraps.schema == BOOTSTRAP_SCHEMA
    assert empty.ranks.schema == RANK_SCHEMA
    assert empty.bootstraps.num_rows == empty.ranks.num_rows == 0
    none = bootstrap_table(INPUT_SCHEMA.empty_table(), PAIRS_INPUT.empty_table())
    assert none.num_rows == 0


def test_verdicts_are_checked(found: Found) -> None:
    with pytest.raises(ValueError, match="verdicts: none for s sharp"):
        bootstrap_rank_table(found.bootstraps, verdicts(mild="E"))
    twice = {name: 2 * column for name, column in verdicts(mild="E").items()}
    with pytest.raises(ValueError, match="verdicts: s mild stands twice"):
        bootstrap_rank_table(found.bootstraps, twice)
    lacking = verdicts(mild="E")
    del lacking["locked"]
    with pytest.raises(ValueError, match="verdicts: no column 'locked'"):
        bootstrap_rank_table(found.bootstraps, lacking)


def test_ranks_do_not_depend_on_the_order_of_rows(found: Found) -> None:
    turned = found.bootstraps.take(list(range(found.bootstraps.num_rows))[::-1])
    again = bootstrap_rank_table(turned, verdicts(mild="E", sharp="E"))
    assert again.equals(found.ranks)


def test_a_replicate_that_runs_off_keeps_its_side() -> None:
    few = table(shopper("m", price=-1.0, pairs=18))
    rows = bootstrap_table(few, pairs(18)).to_pylist()
    (row,) = [one for one in rows if one["statistic"] == "log_price"][1:]
    unknown = sum(value is None for value in row["draws"])
    endless = [value for value in row["draws"] if value is not None and value < -1e9]
    # the cheaper room wins in all pairs of these replicates: the slope falls for ever
    assert len(endless) > 0
    assert set(endless) == {-np.inf}
    assert unknown + len(endless) <= row["failed_replicates"] == 23
    # 2.5 % of 2,000 are 50, more than are at either end
    assert row["ci_lo"] is not None


def test_workers_change_no_bit() -> None:
    answers = table(shopper("a", price=-1.0), shopper("b", price=-0.4))
    alone = bootstrap_table(answers, pairs())
    assert alone.num_rows > 0
    assert bootstrap_table(answers, pairs(), workers=2).equals(alone)
