"""Simulated buyers do what they are said to do, the same on every run."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from ingest.errors import LoadError
from ingest.purchase.bank import bank_sha256, make_bank
from ingest.purchase.buyers import (
    NAMES,
    SLIPS,
    Buyer,
    decide,
    default_buyers,
    named_buyer,
    slip,
)
from ingest.purchase.scenario import LABELS, best_option, expected_values
from ingest.purchase.simulation import simulate_purchase

TAG = "simulated/someone"


@pytest.fixture(scope="module")
def bank():
    return make_bank()


@pytest.fixture(scope="module")
def large():
    return make_bank(400, 3)


def choices(buyer: Buyer, bank, seed: int = 1) -> dict[tuple[str, str, int], str]:
    return {
        (one.scenario.scenario_id, one.label, one.repeat): one.choice or one.reply_state
        for one in decide(buyer, bank, np.random.default_rng(seed))
    }


def share(found: dict[tuple[str, str, int], str], label: str, option: str) -> float:
    said = [one for (_, at, _), one in found.items() if at == label]
    return said.count(option) / len(said)


def test_calls_stand_in_the_published_order(bank):
    made = decide(Buyer(TAG), bank[:2], np.random.default_rng(1))
    assert [(one.label, one.scenario, one.repeat) for one in made] == [
        (label, scenario, repeat)
        for label in LABELS
        for scenario in bank[:2]
        for repeat in range(3)
    ]


def test_a_buyer_without_a_habit_is_always_right(bank):
    for one in decide(Buyer(TAG), bank, np.random.default_rng(1)):
        assert one.choice == one.scenario.best(one.label)


@pytest.mark.parametrize("option", ["skip", "certificate", "buy_one"])
def test_who_always_takes_one_option(bank, option):
    assert set(choices(Buyer(TAG, always=option), bank).values()) == {option}


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_slips_of_a_given_rate_cost_what_enumeration_says(large, rate):
    # a slip leaves the choice right where the price that it moves does not decide
    kept = [
        best_option(expected_values(slip(one.terms, kind))) == one.optimal
        for one in large
        for kind in range(len(SLIPS))
    ]
    right = 1 - rate * (1 - sum(kept) / len(kept))
    found = choices(Buyer(TAG, slip_share=rate), large)
    hits = [
        found[one.scenario_id, "none", rep] == one.optimal
        for one in large
        for rep in range(3)
    ]
    # 1,200 decisions: four standard errors
    margin = 4 * (right * (1 - right) / len(hits)) ** 0.5
    assert abs(sum(hits) / len(hits) - right) < margin
    assert right < 1 - rate / 4


def test_the_badge_pulls_and_nothing_else_does(large):
    found = choices(Buyer(TAG, badge_pull=0.4), large)
    # a quarter would take the certificate anyway: 0.25 + 0.4 · 0.75 = 0.55
    assert share(found, "none", "certificate") == 0.25
    assert share(found, "A", "certificate") == 0.25
    assert share(found, "D", "certificate") == pytest.approx(0.55, abs=0.06)


def test_who_is_blind_to_the_bond_reads_the_ordinary_menu(bank):
    found = choices(Buyer(TAG, bond_blind=True), bank)
    for one in bank:
        assert {found[one.scenario_id, label, 0] for label in LABELS} == {one.optimal}


def test_noise_makes_near_misses_and_more_of_it_worse_ones(large):
    def hits(noise: float) -> float:
        found = choices(Buyer(TAG, noise=noise), large)
        return sum(
            found[one.scenario_id, "none", 0] == one.optimal for one in large
        ) / len(large)

    assert 1 == hits(0) > hits(0.02) > hits(0.1) > hits(10) > 0.1


def test_calls_fail_at_random_or_once_the_budget_is_spent(bank):
    made = decide(Buyer(TAG, failed_share=0.25), bank, np.random.default_rng(1))
    states = [one.reply_state for one in made]
    assert states.count("failed") == pytest.approx(144, abs=42)
    spent = decide(Buyer(TAG, answered_share=0.6), bank, np.random.default_rng(1))
    # 0.6 · 576 = 345.6 calls
    assert [one.reply_state for one in spent] == ["json"] * 346 + ["failed"] * 230
    both = Buyer(TAG, failed_share=1, invalid_share=1)
    assert set(choices(both, bank).values()) == {"failed"}
    assert set(choices(Buyer(TAG, invalid_share=1), bank).values()) == {"invalid"}


def test_two_buyers_on_one_stream_differ_by_their_habits_alone(bank):
    plain = choices(Buyer(TAG, noise=0.1), bank)
    pulled = choices(Buyer(TAG, noise=0.1, badge_pull=0.5), bank)
    moved = {key for key, said in pulled.items() if said != plain[key]}
    assert moved
    assert {label for _, label, _ in moved} == {"D"}


@pytest.mark.parametrize(
    ("habit", "says"),
    [
        ({"always": "flee"}, "always: 'flee'; give one of skip, "),
        ({"noise": -0.1}, "noise: -0.1; give 0 or more"),
        ({"noise": float("inf")}, "noise: inf; give 0 or more"),
        ({"slip_share": 1.5}, "slip_share: 1.5; give a share in [0, 1]"),
        ({"failed_share": float("nan")}, "failed_share: nan; give a share in [0, 1]"),
        ({"answered_share": -1}, "answered_share: -1; give a share in [0, 1]"),
        ({"model_tag": "rational"}, "model_tag: holds no '/'"),
    ],
)
def test_a_habit_out_of_its_range_is_refused(habit, says):
    with pytest.raises(LoadError, match=re.escape(says)):
        Buyer(**{"model_tag": TAG} | habit)


def test_buyers_are_named_as_a_person_writes_them():
    assert named_buyer("rational") == Buyer("simulated/rational")
    assert named_buyer("arithmetic-slips=0.25") == Buyer(
        "simulated/arithmetic-slips-0.25", slip_share=0.25
    )
    # the usual share needs no name of its own
    assert named_buyer("arithmetic-slips=0.3") == named_buyer("arithmetic-slips")
    for text, says in {
        "nobody": "no buyer 'nobody': name one of rational, always-skip",
        "rational=1": "rational has no share; leave out =1",
        "noisy=": "'' is no number; write noisy=0.05",
        "badge-swayed=2": "badge_pull: 2.0; give a share in [0, 1]",
    }.items():
        with pytest.raises(LoadError, match=re.escape(says)):
            named_buyer(text)


def test_the_verb_names_every_buyer(capsys):
    from pricebench.cli import main

    assert main(["simulate", "purchase", "--help"]) == 0
    text = " ".join(re.sub(r"[│ ]+", " ", capsys.readouterr().out).split())
    assert f"all: {', '.join(NAMES)}." in text
    assert [one.model_tag for one in default_buyers()] == [
        f"simulated/{name}" for name in NAMES
    ]


def test_a_simulation_is_the_same_on_every_run_and_says_what_it_is(bank):
    made = simulate_purchase()
    assert made == simulate_purchase()
    assert made.bank_sha256 == bank_sha256(bank)
    assert next(iter(made.files)) == "bank_8008_48.json"
    assert len(made.files) == 1 + len(NAMES)
    for name, run_id in made.runs.items():
        rows = [json.loads(line) for line in made.files[name].splitlines()]
        assert len(rows) == 576
        assert {row["source"] for row in rows} == {"simulated"}
        assert {row["model"] for row in rows} == {run_id}
        # no time of day, no cost that nobody paid
        assert all("date" not in row and row["usage"] == {} for row in rows)
        failed = [row for row in rows if row["parse"] == "api_error"]
        assert all("provider" not in row and row["error"] for row in failed)
        assert {row.get("provider") for row in rows} - {None} == {"simulated"}


def test_a_buyer_that_is_added_changes_no_other():
    both = simulate_purchase(buyers=[named_buyer("noisy"), named_buyer("rational")])
    alone = simulate_purchase(buyers=[named_buyer("noisy")])
    assert both.files["simulated_noisy.jsonl"] == alone.files["simulated_noisy.jsonl"]
    other = simulate_purchase(seed=9, buyers=[named_buyer("noisy")])
    assert other.bank_sha256 != alone.bank_sha256
    assert other.runs == {"simulated_noisy.jsonl": "simulated/noisy/seed-9"}


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ({"seed": -1}, "seed: -1; give 0 or more"),
        ({"size": 0}, "size: 0 asked; ask for 1 to 10000 scenarios"),
        ({"buyers": []}, "buyers: none given"),
        ({"buyers": [Buyer(TAG), Buyer(TAG)]}, "given more than once"),
        ({"buyers": [Buyer("a/b c"), Buyer("a/b_c")]}, "two would write a_b_c.jsonl"),
    ],
)
def test_what_cannot_be_simulated_is_refused(request_, says):
    with pytest.raises(LoadError, match=re.escape(says)):
        simulate_purchase(**request_)
