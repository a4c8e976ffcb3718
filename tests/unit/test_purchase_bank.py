"""The scenario bank: published to the bit, and every trap on the way there."""

from __future__ import annotations

import hashlib
import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.purchase import bank as bank_module
from ingest.purchase.bank import (
    SMALLEST_GAP_SHARE,
    STRATA,
    bank_json,
    bank_sha256,
    make_bank,
    two_figures,
)
from ingest.purchase.scenario import (
    LABELS,
    OPTIONS,
    best_option,
    expected_values,
    gap,
    regret_share,
    to_json,
)

PUBLISHED = "593c83171420839092447467ea42be7d32e2cb90f99499e9b98dd483c74edc8b"
# a regression value: the source publishes no hash of its pilot bank
PILOT = "3727af94b230965f5927e9ee16a6e1b0e5e3923434ea0558ac2557a14c5d32ef"
OPTIMA = "cccaacacccacscacccaaaaaaassssstssssssttttttttttt"


@pytest.fixture(scope="module")
def bank():
    return make_bank(48, 8008)


def test_the_published_bank_to_the_bit(bank):
    assert bank_sha256(bank) == PUBLISHED
    assert hashlib.sha256(bank_json(bank).encode()).hexdigest() == PUBLISHED
    assert bank_sha256(make_bank(8, 8001)) == PILOT


def test_optima_in_bank_order(bank):
    assert "".join(one.optimal[0].replace("b", "a") for one in bank) == OPTIMA
    assert [sum(one.optimal == name for one in bank) for name in STRATA] == [12] * 4
    bonded = [one.optimal_bonded for one in bank]
    counts = {name: bonded.count(name) for name in set(bonded)}
    assert counts == {"certificate": 19, "buy_all": 12, "teaser": 12, "skip": 5}
    moved = {i: one for i, one in enumerate(bank) if one.optimal != one.optimal_bonded}
    assert list(moved) == [26, 27, 28, 31, 32, 34, 35]
    assert {(one.optimal, one.optimal_bonded) for one in moved.values()} == {
        ("skip", "certificate")
    }


def test_candidates_drawn_and_dropped(monkeypatch):
    drawn = []
    draw = bank_module._draw
    monkeypatch.setattr(
        bank_module, "_draw", lambda r: drawn.append(draw(r)) or drawn[-1]
    )
    make_bank(48, 8008)
    assert (len(drawn), drawn.count(None)) == (7533, 241)


def test_first_and_last_scenario(bank):
    first = to_json(bank[0])
    assert first == {
        "sid": "O8-8008-000",
        **{"V": 250.0, "P": 25.2, "c": 3.0, "topic": 2, "order_seed": 1391286355},
        **{"b_k": 9, "b_n": 20, "q_k": 10, "q_n": 25, "at_k": 143, "at_n": 250},
        **{"ac_k": 147, "ac_n": 200, "b": 9 / 20, "q": 0.4, "at": 0.572, "ac": 0.735},
        "doc_unit": {"unit": "per_1k_tokens", "rate": 2.1, "tokens": 12000},
        "cert_unit": {"unit": "per_doc_assessed", "rate": 1.0},
        **{"optimal": "certificate", "optimal_bonded": "certificate"},
    }
    assert bank[0].shown_order == (
        *("buy_one", "skip", "buy_all", "certificate", "teaser"),
    )
    assert expected_values(bank[0].terms) == {
        **{"skip": 112.5, "buy_one": 142.3, "buy_all": 144.7},
        **{"teaser": 165.95, "certificate": 185.3625},
    }
    last = bank[47]
    assert to_json(last) == {
        "sid": "O8-8008-047",
        **{"V": 1200.0, "P": 70.0, "c": 75.0, "topic": 3, "order_seed": 109966960},
        **{"b_k": 16, "b_n": 25, "q_k": 10, "q_n": 20, "at_k": 358, "at_n": 500},
        **{"ac_k": 199, "ac_n": 250, "b": 0.64, "q": 0.5, "at": 0.716, "ac": 0.796},
        "doc_unit": {"unit": "credits", "credits": 70, "usd_per_100": 100},
        "cert_unit": {"unit": "per_doc_assessed", "rate": 25.0},
        **{"optimal": "teaser", "optimal_bonded": "teaser"},
    }
    assert last.shown_order == ("buy_all", "skip", "certificate", "teaser", "buy_one")


@pytest.mark.parametrize(
    ("place", "label", "action", "share"),
    [
        (4, "none", "certificate", 0.031250451612903005),
        (6, "none", "skip", 0.6268596497374946),
        (26, "B", "skip", 0.021489473684210367),
        (40, "B", "certificate", 0.0302333333333335),
    ],
)
def test_regret_shares_to_the_last_bit(bank, place, label, action, share):
    assert regret_share(bank[place].terms, label, action) == share


def test_smallest_regret_shares_and_always_skipping(bank):
    lost = {
        label: [regret_share(one.terms, label, o) for one in bank for o in OPTIONS]
        for label in LABELS
    }
    assert lost["none"] == lost["A"] == lost["D"]
    assert round(min(x for x in lost["none"] if x), 5) == 0.02012
    assert round(min(x for x in lost["B"] if x), 6) == 0.020095
    skipping = [regret_share(one.terms, "B", "skip") for one in bank]
    assert round(100 * sum(skipping) / 48, 6) == 27.724065


@settings(max_examples=20, deadline=None)
@given(size=st.integers(1, 12), seed=st.integers(0, 10**6))
def test_any_bank_fills_its_strata_with_clear_optima(size, seed):
    bank = make_bank(size, seed)
    assert [one.scenario_id for one in bank] == [
        f"O8-{seed}-{place:03d}" for place in range(size)
    ]
    share, rest = divmod(size, 4)
    optima = [one.optimal for one in bank]
    assert [optima.count(name) for name in STRATA] == [
        share + (place < rest) for place in range(4)
    ]
    for one in bank:
        for bonded, best in ((False, one.optimal), (True, one.optimal_bonded)):
            values = expected_values(one.terms, bonded=bonded)
            assert best_option(values) == best != "buy_one"
            assert gap(values) >= SMALLEST_GAP_SHARE * one.terms.value
        assert one.terms.document.share < one.terms.teaser.share
        assert one.terms.teaser.share < one.terms.certificate.share


def test_a_bank_without_scenarios_is_refused():
    with pytest.raises(ValueError, match="not 0"):
        make_bank(0)


# the traps of re-implementing the generator: each slip gives another bank


class _OneElementFree(Random):
    """Choosing from a list of one costs no draw."""

    def choice(self, seq):
        return seq[0] if len(seq) == 1 else super().choice(seq)


def _hash_with(monkeypatch, name, value):
    monkeypatch.setattr(bank_module, name, value)
    return bank_sha256(make_bank(48, 8008))


def test_trap_a_choice_of_one_still_draws(monkeypatch):
    assert _hash_with(monkeypatch, "Random", _OneElementFree) != PUBLISHED


def test_trap_prices_are_not_drawn_before_feasibility(monkeypatch):
    feasible = bank_module._is_feasible
    price = bank_module.document_price
    verdict = {}

    def always(*records):
        verdict["is"] = feasible(*records)
        return True

    monkeypatch.setattr(bank_module, "_is_feasible", always)
    late = lambda unit: price(unit) if verdict["is"] else 0.0  # noqa: E731
    assert _hash_with(monkeypatch, "document_price", late) != PUBLISHED


def test_trap_topic_and_order_are_drawn_for_accepted_scenarios_only(monkeypatch):
    draw = bank_module._draw

    def also_topic(random):
        candidate = draw(random)
        random.randrange(6)
        return candidate

    assert _hash_with(monkeypatch, "_draw", also_topic) != PUBLISHED


def test_trap_feasibility_and_payoffs_use_the_fractions(bank):
    for one in bank:
        shares = to_json(one)
        for key in ("b", "q", "at", "ac"):
            assert shares[key] == shares[f"{key}_k"] / shares[f"{key}_n"]


def test_trap_rounding_is_half_to_even():
    # 0.125 -> two figures: 0.12, not 0.13; 25 of 2 figures stays; 2.5 cases -> 2
    assert two_figures(0.125) == 0.12
    assert two_figures(145) == 140
    assert isinstance(two_figures(145), int)
    assert isinstance(two_figures(145.0), float)
    assert two_figures(0) == 0.0


def test_trap_floats_stay_floats_and_whole_numbers_whole(bank):
    for scenario in json.loads(bank_json(bank)):
        for key in ("V", "P", "c", "b", "q", "at", "ac"):
            assert isinstance(scenario[key], float)
        for spec in (scenario["doc_unit"], scenario["cert_unit"]):
            for key, value in spec.items():
                kind = {"unit": str, "rate": float}.get(key, int)
                assert isinstance(value, kind), key
