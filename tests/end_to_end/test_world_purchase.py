"""Scripted buyers asked 576 decisions each over sockets: marts have their exact values.

What a policy scores is worked out here in fractions, from the numbers of the bank and
the definitions of the published benchmark (Knipe 2026, payoffs and metrics).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import duckdb
import pytest
from world_process import world_process

from ingest.purchase.bank import make_bank
from ingest.purchase.buyers import named_buyer
from ingest.purchase.scenario import LABELS, OPTIONS
from pricebench.build import build
from pricebench.cli import main

BANK = make_bank()
# one who is always right, and one whose sums leave the bond out
BUYERS = ("simulated/rational", "simulated/bond-blind")
REPEATS = 3


def exact(record) -> Fraction:
    return Fraction(record.right, record.cases)


def worths(terms, *, bonded) -> dict[str, Fraction]:
    """Return what each option is worth: [p + (1 - p) b] V less what it costs."""
    value, free, useful = (
        Fraction(terms.value),
        exact(terms.free),
        exact(terms.document),
    )
    price = Fraction(str(terms.document_price))
    fee = Fraction(str(terms.certificate_price))
    picked = exact(terms.certificate)

    def worth(chance):
        return (chance + (1 - chance) * free) * value

    paid = picked * price if bonded else price
    return {
        "skip": free * value,
        "buy_one": worth(useful) - price,
        "buy_all": worth(1 - (1 - useful) ** 3) - 3 * price,
        "teaser": worth(exact(terms.teaser)) - price,
        "certificate": worth(picked) - paid - fee,
    }


def best(values) -> str:
    return max(OPTIONS, key=values.__getitem__)


def menu(scenario, label) -> dict[str, Fraction]:
    """Return what the options of the menu are worth that a label shows."""
    return worths(scenario.terms, bonded=label == "B")


def policy(model, scenario, label) -> str:
    """Return what a buyer takes."""
    blind = named_buyer(model.removeprefix("simulated/")).bond_blind
    return best(worths(scenario.terms, bonded=label == "B" and not blind))


def mean(values) -> Fraction:
    listed = list(values)
    return sum(map(Fraction, listed), Fraction()) / len(listed)


def figures(model) -> dict[str, Fraction]:
    """Return the metrics of a policy, which repeats itself: one row per scenario."""
    chosen = {
        (at, label): policy(model, one, label)
        for (at, one), label in product(enumerate(BANK), LABELS)
    }

    def certified(label):
        return mean(chosen[at, label] == "certificate" for at in range(len(BANK)))

    def regret(label):
        return 100 * mean(
            (max(menu(one, label).values()) - menu(one, label)[chosen[at, label]])
            / Fraction(one.terms.value)
            for at, one in enumerate(BANK)
        )

    def bought(where):
        return mean(
            chosen[at, "none"] != "skip"
            for at, one in enumerate(BANK)
            if (best(menu(one, "none")) != "skip") == where
        )

    def wanted(label):
        return mean(best(menu(one, label)) == "certificate" for one in BANK)

    bond_shift = certified("B") - certified("A")
    bond_rational = wanted("B") - wanted("A")
    return {
        "optimal_pct": 100
        * mean(
            chosen[at, "none"] == best(menu(one, "none")) for at, one in enumerate(BANK)
        ),
        "regret_pct_V": regret("none"),
        "flip_rate": Fraction(0),
        "discrimination": bought(True) - bought(False),
        "badge_effect": certified("D") - certified("none"),
        "verified_minus_badge": certified("A") - certified("D"),
        "bond_shift": bond_shift,
        "bond_rational": bond_rational,
        "bond_responsiveness": bond_shift / bond_rational,
        "bond_regret_pct_V": regret("B"),
    }


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """The warehouse of both buyers, each asked the whole bank."""
    folder = tmp_path_factory.mktemp("world_purchase")
    warehouse = folder / "w.duckdb"
    with world_process() as world:
        for model in BUYERS:
            typed = ["run", "purchase", "--model", model, "--concurrency", "16"]
            typed += ["--api-base", world.api_base, "--out", str(folder / "runs")]
            assert main([*typed, "--warehouse", str(warehouse)]) == 0
        # 48 scenarios under four labels, three times
        assert world.calls() == dict.fromkeys(BUYERS, 576)
    report = build(warehouse, lambda line: None, select=["gate_purchase_marts"])
    assert report.failures == ()
    return warehouse


def query(warehouse, sql):
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_the_habit_shows_in_the_bond_alone():
    right, blind = map(figures, BUYERS)
    # 12 of 48 optima are the certificate, 19 with the bond (purchase.md 10: 0.146)
    assert right["bond_shift"] == Fraction(7, 48)
    assert right["bond_regret_pct_V"] == 0
    assert blind["bond_shift"] == 0
    assert blind["bond_regret_pct_V"] > 0
    bond = {"bond_shift", "bond_responsiveness", "bond_regret_pct_V"}
    assert {name for name in right if right[name] != blind[name]} == bond


@pytest.mark.parametrize("model", BUYERS)
def test_every_decision_is_that_of_the_policy(asked, model):
    found = query(
        asked,
        "select scenario_id, label, repeat, choice, reply_state, source"
        f" from raw_purchase.response where run_id like '{model}/%'",
    )
    assert {row[4:] for row in found} == {("json", "simulated")}
    assert len(found) == 576
    assert {row[:4] for row in found} == {
        (one.scenario_id, label, repeat, policy(model, one, label))
        for one, label, repeat in product(BANK, LABELS, range(REPEATS))
    }


@pytest.mark.parametrize("reading", ["as_published", "audited"])
@pytest.mark.parametrize("model", BUYERS)
def test_every_metric_is_the_exact_value_of_the_policy(asked, model, reading):
    found = {
        metric: (value, status)
        for metric, value, status in query(
            asked,
            "select metric, value, status from marts.purchase_metric"
            f" where model_id = '{model}' and reading = '{reading}'",
        )
    }
    for metric, value in figures(model).items():
        got, status = found[metric]
        assert status == "ok", metric
        # 1e-12 of a figure, and of a whole where the figure is none
        assert got == pytest.approx(float(value), rel=1e-12, abs=1e-12), metric


def test_the_runs_and_the_board_say_what_was_asked(asked):
    found = query(
        asked,
        "select model_id, source, calls, failed_calls, settings_label, providers_served"
        " from marts.run order by model_id desc",
    )
    label = "reasoning low, 8000 tokens"
    assert found == [
        (model, "simulated", 576, 0, label, "simulated") for model in BUYERS
    ]
    board = "select distinct source, settings_label from marts.purchase_board"
    assert query(asked, board) == [("simulated", label)]
