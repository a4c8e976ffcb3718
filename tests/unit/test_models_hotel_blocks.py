"""Blocks beyond the two price forms: triples, quintets, pooled formats, brands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from models.choice_data import choice_data
from models.clusters import prepare_clusters
from models.conditional_logit import fit
from models.covariance import cluster_covariance
from models.hotel_logit import FIT_SCHEMA, fit_table, fit_tables
from models.hotel_plan import EVERY_FIT, TWO_OPTION_PRICES, HotelFit, input_columns
from models.hotel_terms import (
    AREAS,
    AUDITED,
    BINARY,
    BLOCKS,
    CHAINS,
    CONTROLS,
    DECILES,
    FORMAT_OPTIONS,
    POOLED,
    slot_terms,
)

Table = dict[str, Any]
Key = tuple[str, str, str]
TASTES = np.array([0.5, 0.2, 0.8, 0.7, 1.2, 0.01, -1.5])


def shopper(
    seed: int,
    name: str,
    groups: int = 40,
    reps: int = 3,
    *,
    variant: str = "base",
    model: str = "a/b",
) -> Table:
    """Answers to every task of one format in both orders, as columns."""
    rng = np.random.default_rng(seed)
    options = FORMAT_OPTIONS[name]
    tasks, size = groups * reps, len(options)
    group = np.repeat(np.arange(groups), reps)
    shown = np.array([rng.choice(60, size, replace=False) for _ in range(groups)])
    hotel = shown[group]
    price = np.round(rng.uniform(60, 600, (tasks, size)))
    controls = [
        rng.integers(1, 6, (tasks, size)),
        rng.integers(0, 4, (tasks, size)),
        rng.integers(0, 2, (tasks, size)),
        rng.integers(0, 2, (tasks, size)),
        np.round(rng.uniform(6, 10, (tasks, size)), 1),
        rng.integers(1, 4000, (tasks, size)) / 100,
    ]
    values = np.stack([*controls, np.log(price)], axis=2).astype(float)
    parts: list[Table] = []
    for order in ("original", "swapped"):
        place = np.arange(1, size + 1)
        slot = place if order == "original" else size + 1 - place
        utility = values @ TASTES + 0.8 * (slot == 1) + rng.gumbel(size=(tasks, size))
        chosen = utility.argmax(axis=1)
        for option in range(size):
            sign = (1.0 if order == "original" else -1.0) if option == 0 else 0.0
            picked = (chosen == option).astype(object)
            parts.append(
                {
                    "study_id": ["s"] * tasks,
                    "model_id": [model] * tasks,
                    "variant": [variant] * tasks,
                    "input_fingerprint": ["f"] * tasks,
                    "format": [name] * tasks,
                    "answer_key": [
                        f"{name}:{order}:{task:04d}" for task in range(tasks)
                    ],
                    "group_id": group,
                    "hotel_id": hotel[:, option],
                    "option": [options[option]] * tasks,
                    "slot_sign": np.full(tasks, sign),
                    "shown_slot": np.full(tasks, slot[option]),
                    **{term: values[:, option, at] for at, term in enumerate(CONTROLS)},
                    "log_price": values[:, option, -1],
                    "price_usd": price[:, option],
                    "price_decile": 1 + (price[:, option] - 60) // 54.1,
                    "pooled_price_decile": 1 + (price[:, option] - 60) // 54.1,
                    "chain": np.array([*CHAINS, "Independent"])[hotel[:, option] % 6],
                    "area": np.array([*AREAS, None], object)[hotel[:, option] % 7],
                    "luxury": hotel[:, option] % 5 == 0,
                    "dropped_listing": hotel[:, option] == 7,
                    "chosen_as_published": picked,
                    "chosen_as_published_valid": picked,
                    "chosen_audited": picked,
                }
            )
    return joined(parts)


def joined(parts: list[Table]) -> Table:
    return {
        name: np.concatenate([np.asarray(part[name]) for part in parts])
        for name in parts[0]
    }


def rows_by_key(table: pa.Table) -> dict[Key, Table]:
    return {
        (row["block"], row["specification"], row["design"]): row
        for row in table.to_pylist()
    }


@pytest.fixture(scope="module")
def answers() -> Table:
    return joined([shopper(1, "binary"), shopper(2, "ternary")])


@pytest.fixture(scope="module")
def fits(answers: Table) -> dict[Key, Table]:
    return rows_by_key(fit_table(answers, EVERY_FIT))


def stacked(answers: Table, name: str, terms: list[str]) -> tuple[np.ndarray, ...]:
    """Terms, chosen positions and groups of one format, put together by position."""
    size = len(FORMAT_OPTIONS[name])
    rows = np.flatnonzero(np.asarray(answers["format"]) == name)
    keys = np.asarray(answers["answer_key"])[rows]
    rows = rows[np.lexsort((np.asarray(answers["option"])[rows], keys))]
    columns = [np.asarray(answers[term])[rows].astype(float) for term in terms]
    x = np.column_stack(columns).reshape(-1, size, len(terms))
    picked = np.asarray(answers["chosen_audited"])[rows].astype(bool).reshape(-1, size)
    groups = np.asarray(answers["group_id"])[rows].reshape(-1, size)[:, 0]
    return x, picked.argmax(axis=1), groups


def test_every_fit_of_the_plan_has_a_row_where_its_format_was_asked(
    fits: dict[Key, Table],
) -> None:
    wanted = {
        (one.block.name, one.specification.name, one.design.name): one.terms
        for one in EVERY_FIT
        if one.block.name != "fiveopt"
    }
    assert {key: tuple(row["term"]) for key, row in fits.items()} == wanted
    assert len(EVERY_FIT) == len(wanted) + 2


def test_names_of_the_slot_terms() -> None:
    names = {block.name: slot_terms(block) for block in BLOCKS}
    assert names == {
        "binary": ("slot",),
        "ternary": ("slot1", "slot2"),
        "pooled": ("slot", "slot1", "slot2"),
        "fiveopt": ("slot1", "slot2", "slot3", "slot4"),
    }


@pytest.mark.parametrize("name", ["ternary", "fiveopt"])
def test_larger_sets_follow_from_the_core(name: str) -> None:
    table = shopper(3, name)
    rows = rows_by_key(fit_table(table, EVERY_FIT))
    x, chosen, groups = stacked(table, name, ["shown_slot", *CONTROLS, "log_price"])
    size = len(FORMAT_OPTIONS[name])
    slots = [x[:, :, :1] == slot for slot in range(1, size)]
    for design, design_x in (
        ("as_published", x[:, :, 1:]),
        ("audited", np.concatenate([*slots, x[:, :, 1:]], axis=2)),
    ):
        core = fit(choice_data(design_x, chosen))
        clustered = cluster_covariance(core.influence, prepare_clusters(groups))
        row = rows[name, "log", design]
        assert (row["n"], row["clusters"]) == (240, 40)
        np.testing.assert_allclose(row["estimate"], core.estimate, rtol=1e-12)
        np.testing.assert_allclose(row["std_error"], core.std_error, rtol=1e-12)
        np.testing.assert_allclose(
            row["cluster_std_error"], np.sqrt(np.diagonal(clustered)), rtol=1e-10
        )
        # no covariates at all: every option equally likely
        null = -240 * np.log(size)
        assert row["null_log_likelihood"] == pytest.approx(null, rel=1e-14)


def test_pooled_fit_is_the_stack_of_both_formats(
    answers: Table, fits: dict[Key, Table]
) -> None:
    terms = ["slot_sign", "shown_slot", *CONTROLS, "log_price"]
    pairs, pair_chosen, pair_groups = stacked(answers, "binary", terms)
    triples, triple_chosen, triple_groups = stacked(answers, "ternary", terms)
    x = np.zeros((480, 3, 10))
    x[:240, :2, 0] = pairs[:, :, 0]
    x[:240, :2, 3:] = pairs[:, :, 2:]
    x[240:, :, 1] = triples[:, :, 1] == 1
    x[240:, :, 2] = triples[:, :, 1] == 2
    x[240:, :, 3:] = triples[:, :, 2:]
    available = np.ones((480, 3), dtype=bool)
    available[:240, 2] = False
    chosen = np.concatenate([pair_chosen, triple_chosen])
    core = fit(choice_data(x, chosen, available=available))
    row = fits["pooled", "log", "audited"]
    assert row["term"][:3] == ["slot", "slot1", "slot2"]
    np.testing.assert_allclose(row["estimate"], core.estimate, rtol=1e-11)
    np.testing.assert_allclose(row["std_error"], core.std_error, rtol=1e-11)
    # both formats number their groups from 0, and share none of them
    clusters = prepare_clusters(np.concatenate([pair_groups, 1000 + triple_groups]))
    clustered = cluster_covariance(core.influence, clusters)
    assert row["clusters"] == clusters.count == 80
    np.testing.assert_allclose(
        row["cluster_std_error"], np.sqrt(np.diagonal(clustered)), rtol=1e-10
    )


def test_pooling_can_only_lose_likelihood(fits: dict[Key, Table]) -> None:
    for pooled, pair in (
        ("as_published", "published_without_intercept"),
        ("audited", "audited"),
    ):
        apart = (
            fits["binary", "log", pair]["log_likelihood"]
            + fits["ternary", "log", pooled]["log_likelihood"]
        )
        assert fits["pooled", "log", pooled]["log_likelihood"] < apart


def test_brand_fit_is_a_logit_on_indicator_differences(
    answers: Table, fits: dict[Key, Table]
) -> None:
    from statsmodels.discrete.discrete_model import Logit

    pairs = np.asarray(answers["format"]) == "binary"
    is_a = pairs & (np.asarray(answers["option"]) == "A")
    is_b = pairs & (np.asarray(answers["option"]) == "B")
    columns = {name: np.asarray(answers[name]) for name in answers}
    decile = columns["price_decile"]
    values = [columns[name].astype(float) for name in CONTROLS]
    values += [(columns["chain"] == chain).astype(float) for chain in CHAINS]
    values += [(columns["area"] == area).astype(float) for area in AREAS]
    values += [(decile == place).astype(float) for place in range(2, 11)]
    apart = np.column_stack([value[is_a] - value[is_b] for value in values])
    other = Logit(
        columns["chosen_as_published"][is_a].astype(int),
        np.column_stack([np.ones(len(apart)), apart]),
    ).fit(disp=0, tol=1e-14, maxiter=200)
    row = fits["binary", "brand_area", "as_published"]
    assert row["term"] == ["intercept", *CONTROLS, *CHAINS, *AREAS, *DECILES]
    np.testing.assert_allclose(row["estimate"], other.params, rtol=1e-8)
    np.testing.assert_allclose(row["std_error"], other.bse, rtol=1e-8)


def test_listing_is_dropped_with_its_tasks(
    answers: Table, fits: dict[Key, Table]
) -> None:
    shows = np.asarray(answers["hotel_id"]) == 7
    left_out = set(np.asarray(answers["answer_key"])[shows])
    kept = np.array([key not in left_out for key in answers["answer_key"]])
    fewer = {name: np.asarray(column)[kept] for name, column in answers.items()}
    alone = rows_by_key(fit_table(fewer, EVERY_FIT))
    dropped = fits["binary", "brand_drop_listing", "audited"]
    binary = {key for key in left_out if key.startswith("binary")}
    assert dropped["n"] == 240 - len(binary) < 240
    same = alone["binary", "brand", "audited"]
    assert dropped["estimate"] == same["estimate"]
    assert dropped["cluster_std_error"] == same["cluster_std_error"]


def test_variants_get_the_price_forms_only() -> None:
    table = joined(
        [
            shopper(4, "binary", variant="json"),
            shopper(5, "ternary", variant="json"),
        ]
    )
    found = {key[:2] for key in rows_by_key(fit_table(table, EVERY_FIT))}
    assert found == {
        (block, form) for block in ("binary", "ternary") for form in ("log", "linear")
    }


def test_fewer_answers_than_the_source_asks_for_are_too_few() -> None:
    # published: triples from 100 answers on, pairs of a variant from 50 on
    for name, variant, groups, expected in (
        ("ternary", "base", 49, "too_few"),
        ("ternary", "base", 50, "ok"),
        ("binary", "json", 24, "too_few"),
        ("binary", "json", 25, "ok"),
        ("binary", "base", 24, "ok"),
    ):
        table = shopper(6, name, groups=groups, reps=1, variant=variant)
        row = rows_by_key(fit_table(table, EVERY_FIT))[name, "log", "as_published"]
        assert (row["n"], row["status"]) == (2 * groups, expected)
        assert set(row["term_status"]) == {expected}
        assert None not in row["estimate"]


@pytest.mark.parametrize("seed", range(2))
def test_row_order_changes_no_bit(answers: Table, seed: int) -> None:
    moved = np.random.default_rng(seed).permutation(len(answers["option"]))
    shuffled = {name: np.asarray(column)[moved] for name, column in answers.items()}
    assert fit_table(answers, EVERY_FIT).equals(fit_table(shuffled, EVERY_FIT))


def test_tables_one_by_one_give_what_one_table_gives(answers: Table) -> None:
    other = shopper(8, "binary", model="z/z")
    both = fit_table(joined([answers, other]), EVERY_FIT)
    parts = [pa.table(part) for part in (answers, other)]
    assert fit_tables(iter(parts), EVERY_FIT).equals(both)
    assert fit_tables(iter(parts), EVERY_FIT, workers=2).equals(both)
    assert fit_tables((), EVERY_FIT).equals(FIT_SCHEMA.empty_table())


def test_plan_names_its_columns(answers: Table) -> None:
    assert set(input_columns(EVERY_FIT)) == set(answers)
    fewer = {name: column for name, column in answers.items() if name != "chain"}
    with pytest.raises(ValueError, match="no column 'chain'"):
        fit_table(fewer, EVERY_FIT)
    del fewer["format"]
    with pytest.raises(ValueError, match="no column 'format'"):
        fit_table(fewer, EVERY_FIT)
    # two-option price forms read none of them
    pairs = np.asarray(answers["format"]) == "binary"
    assert fit_table({n: np.asarray(c)[pairs] for n, c in fewer.items()}).num_rows == 6


def test_influences_of_groups_are_kept_for_paired_comparison(
    fits: dict[Key, Table],
) -> None:
    kept = [key for key, row in fits.items() if row["cluster_id"]]
    assert kept == [("binary", "log", "audited"), ("binary", "linear", "audited")]
    row = fits["binary", "log", "audited"]
    influence = np.array(row["cluster_influence"]).reshape(40, 8)
    assert row["cluster_id"] == [str(group) for group in range(40)]
    # CRV1: the influences squared and summed, times G/(G-1)
    errors = np.sqrt((influence**2).sum(axis=0) * 40 / 39)
    np.testing.assert_allclose(errors, row["cluster_std_error"], rtol=1e-10)


def test_separated_triples_have_no_numbers() -> None:
    table = shopper(9, "ternary")
    first = np.asarray(table["shown_slot"]) == 1
    table["chosen_audited"] = first.astype(object)
    row = rows_by_key(fit_table(table, EVERY_FIT))["ternary", "log", "audited"]
    assert row["status"] == "separated"
    assert set(row["estimate"]) == {None}


def test_plan_is_closed_under_what_it_promises() -> None:
    assert EVERY_FIT[: len(TWO_OPTION_PRICES)] == TWO_OPTION_PRICES
    assert len(set(EVERY_FIT)) == len(EVERY_FIT)
    assert any(isinstance(one, HotelFit) and one.block is POOLED for one in EVERY_FIT)
    assert {one.block for one in TWO_OPTION_PRICES} == {BINARY}
    assert AUDITED in {one.design for one in EVERY_FIT}
