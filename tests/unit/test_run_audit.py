"""`pricebench run audit`: pilots, one price, both runs within one budget."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from llm_server import Reply, serve

from ingest.purchase.scenario import LABELS
from pricebench import console
from pricebench.cli import main
from pricebench.run_audit import Estimate, describe_price, total_usd

# 24 hotel tasks in two orders; 2 scenarios under every label, three times each
HOTEL, PURCHASE = 24 * 2, 2 * len(LABELS) * 3
SUBSETS = ("--hotel-subset", "24", "--purchase-subset", "2")


def cheap(_, body) -> Reply:
    """A tenth of a cent a booking, half a cent a decision."""
    is_hotel = body["max_tokens"] == 16
    text = "A" if is_hotel else '{"choice": "skip", "reason": "-"}'
    return Reply(text, extra={"usage": {"cost": 0.001 if is_hotel else 0.005}})


@pytest.fixture
def shown(monkeypatch):
    """What was built instead of a build, which other tests have."""
    built: list[Path] = []
    monkeypatch.setattr("pricebench.demo.build_and_show", built.append)
    return built


@pytest.fixture
def typed(tmp_path):
    return [
        *("run", "audit", "--model", "maker/one", *SUBSETS),
        *("--out", str(tmp_path / "runs"), "--warehouse", str(tmp_path / "w.duckdb")),
    ]


def answering(monkeypatch, text):
    monkeypatch.setattr(console, "can_confirm", lambda: True)
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_the_price_is_that_of_the_calls_that_are_left(
    typed, shown, monkeypatch, capsys
):
    with serve(cheap) as server:
        typed += ["--api-base", server.address]
        answering(monkeypatch, "no\n")
        assert main(typed) == 1
        out, err = capsys.readouterr()
        # the hotel pilot is part of its run; that of purchase has a bank of its own
        assert len(server.requests) == 32
        assert "hotel: 16 of 16 pilot replies valid; 32 calls to make, about $0.03" in (
            out
        )
        assert "purchase: 16 of 16 pilot replies valid; 24 calls to make, " in out
        # 32 x 0.1 cents and 24 x 0.5 cents
        assert "price of all: about $0.15" in out
        assert "make 56 calls for about $0.15? [y/N] " in err
        assert "not confirmed" in err.splitlines()[-1]
        assert shown == []
        answering(monkeypatch, "y\n")
        assert main(typed) == 0
        assert len(server.requests) == 16 + HOTEL + PURCHASE
        assert len(shown) == 1
        # a third time there is nothing to confirm
        answering(monkeypatch, "")
        assert main(typed) == 0
        assert len(server.requests) == 16 + HOTEL + PURCHASE


def test_without_a_terminal_only_yes_spends_anything(typed, shown, capsys):
    with serve(cheap) as server:
        typed += ["--api-base", server.address]
        assert main(typed) == 1
        (line,) = capsys.readouterr().err.strip().splitlines()
        assert "no terminal to confirm the price on" in line
        assert server.requests == []
        assert main([*typed, "--pilot"]) == 0
        assert "price of all: about $0.15" in capsys.readouterr().out
        assert len(server.requests) == 32
        assert main([*typed, "--yes"]) == 0
        assert len(shown) == 1


def test_a_price_that_nobody_knows_is_said_to_be_unknown(
    typed, shown, monkeypatch, capsys
):
    def free(number, body):
        return Reply(cheap(number, body).text)

    answering(monkeypatch, "\n")
    with serve(free) as server:
        assert main([*typed, "--api-base", server.address]) == 1
    out, err = capsys.readouterr()
    assert "price of all: unknown" in out
    assert "$0.00" not in out
    assert "make 56 calls for a price that nobody knows? [y/N]" in err


def test_one_unknown_price_makes_the_sum_unknown():
    known = Estimate("hotel", 16, 16, 100, 1.5)
    unknown = Estimate("purchase", 16, 15, 560, None)
    assert total_usd([known]) == 1.5
    assert total_usd([known, unknown]) is None
    assert describe_price([known, unknown]).splitlines() == [
        "hotel: 16 of 16 pilot replies valid; 100 calls to make, about $1.50",
        "purchase: 15 of 16 pilot replies valid; 560 calls to make, unknown",
        "price of all: unknown",
    ]


def test_the_budget_holds_for_pilots_and_runs_together(typed, shown, capsys):
    more = ["--yes", "--concurrency", "1", "--max-usd", "0.15"]
    with serve(cheap) as server:
        assert main([*typed, *more, "--api-base", server.address]) == 1
        # 48 bookings and 16 pilot decisions cost 12.8 cents; of the 2.2 cents that are
        # left, 5 decisions: the fifth begins while 2 cents are spent
        assert len(server.requests) == 48 + 16 + 5
    assert len(shown) == 1
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert "purchase: 19 of 24 calls have no reply" in last


def test_a_pilot_that_says_nothing_ends_the_audit(typed, shown, capsys):
    with serve(lambda *_: Reply("no idea")) as server:
        assert main([*typed, "--yes", "--api-base", server.address]) == 1
        assert len(server.requests) == 32
    assert "hotel: no reply of the pilot names an option" in capsys.readouterr().err
    assert shown == []


def test_a_dry_run_tells_both_plans(typed, capsys, tmp_path):
    assert main([*typed, "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "calls     48" in out
    assert "calls     24" in out
    assert list(tmp_path.iterdir()) == []


def test_make_audit_is_the_same_verb():
    variables = {"MODEL": "maker/one", "YES": "1", "MAX_USD": "2", "API_BASE": "http:x"}
    root = Path(__file__).parents[2]
    recipe = (root / "Makefile").read_text().partition("\naudit:")[2]
    recipe = recipe.partition("\n\n")[0].partition("\n")[2]
    command = recipe.replace("\t@$(BIN)/pricebench", "printf '%s\\n'")
    command = command.replace("$$", "$")

    def run(given):
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            env={"PATH": os.environ["PATH"], **given},
            capture_output=True,
            text=True,
            check=False,
        )

    assert run(variables).stdout.split() == [
        *("run", "audit", "--model", "maker/one", "--yes"),
        *("--api-base", "http:x", "--max-usd", "2"),
    ]
    assert run({"MODEL": "m/x"}).stdout.split() == ["run", "audit", "--model", "m/x"]
    refused = run({})
    assert refused.returncode != 0
    assert "name one: make audit MODEL=" in refused.stderr
