"""Effects in percentage points: by hand, against statsmodels, and their edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from models.amce import (
    AMCE_SCHEMA,
    ATTRIBUTE_TERMS,
    CONTRASTS,
    ChoiceShares,
    amce_table,
    choice_shares,
)
from models.clusters import prepare_clusters
from models.hotel_choices import INPUT_SCHEMA, NUMBERS
from models.influence import cluster_variance

BOTH_ORDERS = np.array([[1, 2], [2, 1]])


def shares(
    x: np.ndarray, slots: np.ndarray, chosen: np.ndarray, groups: np.ndarray
) -> ChoiceShares:
    names = [f"a{place}" for place in range(x.shape[2])]
    return choice_shares(x, slots, chosen, prepare_clusters(groups), names)


def drawn(n: int = 240, j: int = 3, seed: int = 11) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, j, 2))
    slots = np.argsort(rng.random((n, j)), axis=1) + 1
    groups = np.repeat(np.arange(n // 4), 4)
    taste = rng.normal(scale=0.7, size=n // 4)[groups]
    utility = x[:, :, 0] * (1 + taste)[:, None] - x[:, :, 1] * 0.5 + (slots == 1)
    chosen = (utility + rng.gumbel(size=(n, j))).argmax(axis=1)
    return x, slots, chosen, groups


def test_one_binary_attribute_by_hand() -> None:
    # 8 answers, both orders alike; the option with the attribute wins 6 of 8, as B or A
    x = np.zeros((8, 2, 1))
    x[:4, 0], x[4:, 1] = 1, 1
    chosen = np.array([0, 0, 0, 1, 1, 1, 1, 0])
    slots = np.tile(BOTH_ORDERS, (4, 1))
    found = shares(x, slots, chosen, np.repeat([1, 2, 3, 4], 2))
    # options with it are chosen in 6/8, those without in 2/8: +50 points. The first
    # option is taken in answers 1, 3, 4 and 6, half of all: no effect of the slot
    effect = dict(zip(found.terms, found.estimate, strict=True))
    assert effect["a0"] == pytest.approx(0.5)
    assert effect["slot1"] == pytest.approx(0, abs=1e-12)
    assert effect["intercept"] == pytest.approx(0.25)


@pytest.mark.parametrize("j", [2, 3, 5])
def test_against_statsmodels_with_its_own_factor(j: int) -> None:
    from statsmodels.api import OLS

    x, slots, chosen, groups = drawn(j=j)
    found = shares(x, slots, chosen, groups)
    n, k = len(x), j + 2
    y = (np.arange(j) == chosen[:, None]).ravel().astype(float)
    columns = [np.ones(n * j)]
    columns += [(slots == place).ravel().astype(float) for place in range(1, j)]
    columns += [x[:, :, 0].ravel(), x[:, :, 1].ravel()]
    outside = OLS(y, np.column_stack(columns)).fit(
        cov_type="cluster", cov_kwds={"groups": np.repeat(groups, j)}
    )
    np.testing.assert_allclose(found.estimate, outside.params, rtol=1e-9)
    # that package multiplies by (N - 1) / (N - k), too
    more = np.sqrt((n * j - 1) / (n * j - k))
    np.testing.assert_allclose(
        np.sqrt(np.diagonal(found.covariance)) * more, outside.bse, rtol=1e-9
    )
    for place in range(k):
        assert cluster_variance(found.influence[:, place]) == pytest.approx(
            found.covariance[place, place], rel=1e-9
        )
    assert set(found.term_status) == {"ok"}


def test_row_order_changes_no_bit() -> None:
    x, slots, chosen, groups = drawn()
    order = np.random.default_rng(1).permutation(len(x))
    found = shares(x, slots, chosen, groups)
    turned = shares(x[order], slots[order], chosen[order], groups[order])
    np.testing.assert_array_equal(found.estimate, turned.estimate)
    np.testing.assert_array_equal(found.covariance, turned.covariance)
    np.testing.assert_array_equal(found.influence, turned.influence)


def test_model_that_always_takes_the_first_has_an_effect_but_no_error() -> None:
    x, _, _, groups = drawn(j=2)
    slots = np.tile(BOTH_ORDERS, (120, 1))
    found = shares(x, slots, (slots[:, 0] != 1).astype(int), groups)
    np.testing.assert_allclose(found.estimate, [0, 1, 0, 0], atol=1e-12)
    assert np.isnan(found.covariance).all()
    assert set(found.term_status) == {"separated"}


def test_the_same_answer_in_both_orders_says_nothing_certain_about_slots() -> None:
    # each pair stands in both orders and the same hotel is chosen in both: the effect
    # of the slot is 0 in every pair, so it has no error, and 0 / 0 is no test
    rows = long()
    for name in (*NUMBERS, "chosen_audited"):
        if name != "slot_sign":
            pairs = np.asarray(rows[name]).reshape(-1, 2)
            rows[name] = np.repeat(pairs[20::2], 2, axis=0).ravel()
    kept = len(rows["price_usd"])
    rows = {name: list(values)[:kept] for name, values in rows.items()}
    found = {row["contrast"]: row for row in amce_table(rows).to_pylist()}
    first = found["shown_first"]
    assert first["estimate_pp"] == pytest.approx(0, abs=1e-9)
    assert (first["std_error_pp"], first["status"]) == (0.0, "weak")
    assert [first[name] for name in ("p_value", "ci_lo_pp", "ci_hi_pp")] == [None] * 3
    assert found["price_50_usd"]["status"] == "ok"


def test_what_cannot_be_estimated() -> None:
    x, slots, chosen, groups = drawn(j=2)
    nothing = shares(x[:0], slots[:0], chosen[:0], groups[:0])
    assert set(nothing.term_status) == {"too_few"}
    assert np.isnan(nothing.estimate).all()

    twin = np.concatenate([x, x[:, :, :1] * 2], axis=2)
    found = shares(twin, slots, chosen, groups)
    assert found.term_status[-1] == "no_variation"
    assert np.isnan(found.estimate[-1])
    np.testing.assert_allclose(
        found.estimate[:-1], shares(x, slots, chosen, groups).estimate
    )

    one = shares(x, slots, chosen, np.zeros(len(x), dtype=int))
    assert np.isfinite(one.estimate).all()
    assert np.isnan(one.covariance).all()
    assert set(one.term_status) == {"too_few"}

    rare = x.copy()
    rare[:, :, 1] = 0
    rare[:36, 0, 1] = 1
    # the rare attribute varies in 9 clusters of 4 answers
    assert shares(rare, slots, chosen, groups).term_status[-1] == "weak"


def long(n: int = 160) -> dict[str, Any]:
    rng = np.random.default_rng(21)
    numbers = {name: rng.normal(size=(n, 2)) for name in NUMBERS}
    numbers["price_usd"] = rng.uniform(50, 500, size=(n, 2))
    numbers["slot_sign"] = np.zeros((n, 2))
    numbers["slot_sign"][:, 0] = np.where(np.arange(n) % 2, 1.0, -1.0)
    value = numbers["review_score"] - 0.01 * numbers["price_usd"]
    value[:, 0] += numbers["slot_sign"][:, 0]
    is_a = (value + rng.gumbel(size=(n, 2))).argmax(axis=1) == 0
    picked = np.column_stack([is_a, ~is_a]).astype(object)
    picked[:10] = None
    return {
        **{name: ["s"] * 2 * n for name in ("study_id", "model_id", "variant")},
        "input_fingerprint": ["f"] * 2 * n,
        "answer_key": np.repeat([f"{place:04d}" for place in range(n)], 2),
        "option": ["A", "B"] * n,
        "group_id": np.repeat(np.arange(n) // 4, 2),
        "hotel_id": [1, 2] * n,
        **{name: values.ravel() for name, values in numbers.items()},
        "chosen_as_published": np.column_stack([is_a, ~is_a]).ravel(),
        "chosen_audited": picked.ravel(),
    }


def test_contrasts_in_percentage_points() -> None:
    columns = long()
    rows = amce_table(columns).to_pylist()
    assert [row["contrast"] for row in rows] == [c.name for c in CONTRASTS]
    # ten answers do not belong to the reading: 150, of which the first pairs lose all
    assert {(row["n"], row["clusters"]) for row in rows} == {(150, 38)}
    x = np.stack(
        [np.reshape(columns[name], (-1, 2)) for name in ATTRIBUTE_TERMS], axis=2
    )[10:]
    sign = np.reshape(columns["slot_sign"], (-1, 2))[10:, :1]
    slots = np.where(sign > 0, [[1, 2]], [[2, 1]])
    chosen = 1 - np.array(columns["chosen_audited"]).reshape(-1, 2)[10:, 0].astype(int)
    groups = np.array(columns["group_id"])[20::2]
    direct = choice_shares(x, slots, chosen, prepare_clusters(groups), ATTRIBUTE_TERMS)
    found = {row["contrast"]: row for row in rows}
    price = direct.terms.index("price_usd")
    assert found["price_50_usd"]["estimate_pp"] == pytest.approx(
        direct.estimate[price] * 5000
    )
    assert found["price_50_usd"]["std_error_pp"] == pytest.approx(
        np.sqrt(direct.covariance[price, price]) * 5000
    )
    assert found["shown_first"]["estimate_pp"] == pytest.approx(
        direct.estimate[1] * 100
    )
    assert (
        found["price_50_usd"]["estimate_pp"] < 0 < found["shown_first"]["estimate_pp"]
    )
    for row in rows:
        assert row["ci_lo_pp"] < row["estimate_pp"] < row["ci_hi_pp"]
        assert len(row["cluster_id"]) == len(row["influence_pp"]) == 38
        assert cluster_variance(np.array(row["influence_pp"])) == pytest.approx(
            row["std_error_pp"] ** 2, rel=1e-9
        )


def test_model_without_audited_answers() -> None:
    columns = long(40) | {"chosen_audited": [None] * 80}
    rows = amce_table(columns).to_pylist()
    assert {(row["n"], row["estimate_pp"], row["status"]) for row in rows} == {
        (0, None, "too_few")
    }


def test_empty_input_gives_an_empty_table() -> None:
    table = amce_table(INPUT_SCHEMA.empty_table())
    assert (table.schema, table.num_rows) == (AMCE_SCHEMA, 0)
