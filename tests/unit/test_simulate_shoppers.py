"""What a simulated shopper says: tastes, slots, locks, unread and failed replies."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import ingest
from ingest.hotel.bank import Option, Task, draw_bank
from ingest.hotel.cast import default_cast, named_tag, random_cast, spread
from ingest.hotel.covariates import BED_RANKS, bed_rank
from ingest.hotel.pool import make_pool
from ingest.hotel.shoppers import (
    UNREADABLE_REPLY,
    Answer,
    Shopper,
    ShopperError,
    answers,
    true_terms,
)

BANK = draw_bank(make_pool(), pairs=20, pair_reps=2, triples=10, triple_reps=2, seed=5)
KIND = {task.task_id: task.task_type for task in BANK}
FREE = Shopper("simulated/free", {"review_score": 1.5, "log_price": -3.0})


def said(shopper: Shopper, bank: Sequence[Task] = BANK, seed: int = 1) -> list[Answer]:
    return answers(bank, shopper, np.random.default_rng(seed))


def option(hotel_id: int, price: int, score: float = 8.0) -> Option:
    room = "Queen Room (1 queen bed)"
    return Option(hotel_id, "H", 3, "SoHo", score, 100, room, 0, 0, "Free WiFi", price)


def repeated(options: Sequence[Option], tasks: int) -> list[Task]:
    """Return the same offer many times, each in a group of its own."""
    kind = {2: "binary", 3: "ternary"}[len(options)]
    return [Task(n, kind, n, 1, tuple(options)) for n in range(1, tasks + 1)]


def share(given: Sequence[Answer], ordering: str, choice: str) -> float:
    part = [answer.choice for answer in given if answer.ordering == ordering]
    return part.count(choice) / len(part)


def test_every_task_is_answered_once_in_each_ordering() -> None:
    given = said(FREE)
    ids = [task.task_id for task in BANK]
    assert [answer.task_id for answer in given] == ids + ids
    assert [answer.ordering for answer in given] == ["original"] * 60 + ["swapped"] * 60
    assert said(FREE, bank=()) == []


def test_choice_shares_of_two_options_are_those_of_the_logit() -> None:
    # V_A - V_B = 1.5 * (8.4 - 8.0) - 3 ln(220/200) + 0.3 when A is shown first
    #           = 0.6 - 0.28593 + 0.3 = 0.61407, Lambda = 0.64887; second: 0.01407,
    #           Lambda = 0.50352. Standard error of a share of 20,000: at most 0.0036.
    shopper = Shopper("a/b", FREE.tastes, leaning={"binary": (0.3, 0.0)})
    bank = repeated([option(1, 220, 8.4), option(2, 200)], 20_000)
    given = said(shopper, bank)
    gap = 1.5 * 0.4 - 3 * math.log(220 / 200)
    assert gap + 0.3 == pytest.approx(0.61407, abs=1e-5)
    assert share(given, "original", "A") == pytest.approx(0.64887, abs=0.0144)
    # Shown second, A loses the 0.3 and B gains it: gap - 0.3 = 0.01407.
    assert share(given, "swapped", "A") == pytest.approx(0.50352, abs=0.0144)


def test_choice_shares_of_three_options_are_those_of_the_logit() -> None:
    # Equal cards, 0.7 for the middle slot: e^0.7 / (e^0.7 + 2) = 0.50172 for B in both
    # orderings, (1 - 0.50172) / 2 = 0.24914 for A and C. Four standard errors: 0.0142.
    shopper = Shopper("a/b", leaning={"ternary": (0.0, 0.7, 0.0)})
    bank = repeated([option(n, 200) for n in (1, 2, 3)], 20_000)
    given = said(shopper, bank)
    for ordering in ("original", "swapped"):
        assert share(given, ordering, "B") == pytest.approx(0.50172, abs=0.0142)
        assert share(given, ordering, "A") == pytest.approx(0.24914, abs=0.0142)


def test_tastes_vary_by_group_and_not_within() -> None:
    # The cards differ in the score alone, and the taste is +1000 or -1000 by group: all
    # answers of a group agree, and both kinds of group occur.
    shopper = Shopper("a/b", taste_sd={"review_score": 1000.0})
    offers = (option(1, 200, 9.0), option(2, 200, 7.0))
    bank = [
        Task(5 * group + rep, "binary", group, rep, offers)
        for group in range(40)
        for rep in range(5)
    ]
    by_group: dict[int, set[str | None]] = {}
    for answer in said(shopper, bank):
        by_group.setdefault(answer.task_id // 5, set()).add(answer.choice)
    assert {len(choices) for choices in by_group.values()} == {1}
    assert {next(iter(choices)) for choices in by_group.values()} == {"A", "B"}


@pytest.mark.parametrize(
    ("ordering", "task_type", "letters"),
    [
        ("original", "binary", {"A": "A", "B": "B"}),
        ("swapped", "binary", {"A": "B", "B": "A"}),
        ("original", "ternary", {"A": "A", "B": "B", "C": "C"}),
        ("swapped", "ternary", {"A": "C", "B": "B", "C": "A"}),
    ],
)
def test_raw_output_is_the_letter_as_shown(
    ordering: str, task_type: str, letters: dict[str, str]
) -> None:
    shown = {
        (answer.choice, answer.raw_output)
        for answer in said(FREE)
        if answer.ordering == ordering and KIND[answer.task_id] == task_type
    }
    assert shown == set(letters.items())


def test_a_lock_names_its_slot_whatever_stands_there() -> None:
    for slot, letter in ((1, "A"), (2, "B")):
        given = said(Shopper("a/b", FREE.tastes, lock_slot=slot, lock_share=1.0))
        assert {answer.raw_output for answer in given} == {letter}
    first = said(Shopper("a/b", lock_slot=1, lock_share=1.0))
    swapped = [answer for answer in first if answer.ordering == "swapped"]
    assert {(KIND[a.task_id], a.choice) for a in swapped} == {
        ("binary", "B"),
        ("ternary", "C"),
    }


def test_half_a_lock_leaves_the_other_half_free() -> None:
    # 0.5 + 0.5 * 0.5 of equal cards: 0.75 for the first; four standard errors: 0.0122.
    bank = repeated([option(1, 200), option(2, 200)], 20_000)
    given = said(Shopper("a/b", lock_slot=1, lock_share=0.5), bank)
    assert share(given, "original", "A") == pytest.approx(0.75, abs=0.0122)


def test_failed_is_not_invalid_and_neither_is_a_choice() -> None:
    # 5,000 tasks, 10,000 answers: failed 0.2; invalid 0.8 * 0.5 = 0.4; standard errors
    # below 0.005.
    bank = repeated([option(1, 200), option(2, 200)], 5_000)
    given = said(Shopper("a/b", invalid_share=0.5, failed_share=0.2), bank)
    states = Counter(answer.reply_state for answer in given)
    assert states["failed"] / 10_000 == pytest.approx(0.2, abs=0.02)
    assert states["invalid"] / 10_000 == pytest.approx(0.4, abs=0.02)
    assert {
        (answer.reply_state, answer.choice, answer.raw_output)
        for answer in given
        if answer.reply_state != "letter"
    } == {("failed", None, None), ("invalid", None, UNREADABLE_REPLY)}


def test_shoppers_on_equal_streams_differ_by_their_settings_alone() -> None:
    mumbling = Shopper("a/b", FREE.tastes, invalid_share=0.5)
    pairs = zip(said(FREE), said(mumbling), strict=True)
    assert all(b.choice in (a.choice, None) for a, b in pairs)


def test_the_unreadable_reply_holds_no_letter_that_a_reader_could_find() -> None:
    # The published reading rule: a stand-alone letter in either case, else a capital
    # letter anywhere.
    assert re.search(r"\b[a-e]\b", UNREADABLE_REPLY, re.IGNORECASE) is None
    assert re.search(r"[A-E]", UNREADABLE_REPLY) is None


@pytest.mark.parametrize(
    ("room", "rank"),
    [
        ("King Room (1 king bed)", 3),
        ("Queen Pod (1 queen bed)", 2),
        ("Double Room (2 double beds)", 1),
        ("Full Pod (1 twin bed)", 1),
        ("Standard Room (1 twin bed)", 0),
        ("Bunk Cabin (1 bunk bed)", 1),
        ("Loft", 1),
    ],
)
def test_bed_rank_is_the_first_bed_found(room: str, rank: int) -> None:
    assert bed_rank(room) == rank


def test_bed_ranks_are_those_of_the_warehouse() -> None:
    macros = Path(ingest.__path__[0]).parent / "dbt_project" / "macros" / "hotel.sql"
    pairs = re.findall(r"\('(\w+)', (\d)\)", macros.read_text())
    assert tuple((bed, int(rank)) for bed, rank in pairs) == BED_RANKS


def test_true_terms_are_coefficients_of_the_audited_design() -> None:
    shopper = Shopper(
        "a/b",
        {"stars": 0.8, "price": -0.01},
        leaning={"binary": (0.1, 0.4), "ternary": (0.2, 0.9, 0.5)},
    )
    truth = true_terms(shopper, ["binary", "ternary"])
    assert truth == pytest.approx(
        {
            "stars": 0.8,
            "bed_rank": 0.0,
            "cancel": 0.0,
            "breakfast": 0.0,
            "review_score": 0.0,
            "review_count_100": 0.0,
            "price": -0.01,
            "slot": -0.3,
            "slot1": -0.3,
            "slot2": 0.4,
        }
    )
    assert "slot" not in true_terms(shopper, ["ternary"])
    assert true_terms(Shopper("a/b", lock_share=0.1), ["binary"]) == {}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model_tag": "balanced"}, "model_tag: holds no '/'"),
        ({"tastes": {"star": 1.0}}, r"tastes: unknown \['star'\]"),
        ({"taste_sd": {"slot": 1.0}}, r"taste_sd: unknown \['slot'\]"),
        ({"tastes": {"log_price": -1.0, "price": -1.0}}, "both named; keep one"),
        ({"taste_sd": {"stars": -1.0}}, "taste_sd: below 0"),
        ({"leaning": {"binary": (0.1,)}}, "leaning: 'binary' with 1 slots"),
        ({"leaning": {"pairs": (0.1, 0.0)}}, "leaning: 'pairs'"),
        ({"invalid_share": 1.5}, r"invalid_share: 1.5; give a share in \[0, 1\]"),
        ({"lock_slot": 3}, "lock_slot: 3; give 1 or 2"),
    ],
)
def test_an_impossible_shopper_is_refused(
    settings: dict[str, object], message: str
) -> None:
    with pytest.raises(ShopperError, match=message):
        Shopper(**({"model_tag": "a/b"} | settings))  # type: ignore[arg-type]


def test_the_default_cast_has_one_shopper_for_each_trait() -> None:
    cast = {shopper.model_tag: shopper for shopper in default_cast()}
    assert len(cast) == 10
    assert all(tag.startswith("simulated/") for tag in cast)
    assert cast["simulated/mumbler"].invalid_share == 0.5
    assert cast["simulated/dropped-calls"].failed_share == 0.2
    assert cast["simulated/first-card-locked"].lock_share == 1.0
    # 250 * review_score / -log_price: 250 * 0.6 / 5 = 30, 1.5 / 3 = 125, 1 / 1.2 = 208.
    for name, usd in (("bargain-hunter", 30), ("balanced", 125), ("star-lover", 208)):
        tastes = cast[f"simulated/{name}"].tastes
        assert round(250 * tastes["review_score"] / -tastes["log_price"]) == usd


def test_the_second_card_taker_takes_it_in_about_nine_of_ten() -> None:
    taker = next(s for s in default_cast() if s.model_tag.endswith("card-taker"))
    bank = draw_bank(
        make_pool(), pairs=300, pair_reps=2, triples=300, triple_reps=2, seed=5
    )
    kind = {task.task_id: task.task_type for task in bank}
    for task_type in ("binary", "ternary"):
        shown = [
            a.raw_output == "B"
            for a in said(taker, bank)
            if kind[a.task_id] == task_type
        ]
        # Standard error over 300 groups below 0.015.
        assert np.mean(shown) == pytest.approx(0.92, abs=0.03)


def test_a_longer_random_cast_starts_with_the_shorter_one() -> None:
    assert random_cast(5, seed=2)[:3] == random_cast(3, seed=2)
    assert random_cast(1, seed=2) != random_cast(1, seed=3)
    with pytest.raises(ShopperError, match="ask for 1 or more"):
        random_cast(0, seed=2)


def test_names_without_provider_are_simulated_ones() -> None:
    assert named_tag("mine") == "simulated/mine"
    assert named_tag("google/gemma-2-9b-it") == "google/gemma-2-9b-it"
    assert spread({"stars": -2.0}, 0.1) == {"stars": 0.2}
