"""The part of the demo that asks: once, without a proxy, and it says whom."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest

from pricebench import demo_asking
from pricebench.demo_asking import BUYER, SHOPPER, ask_scripted_models

SIMULATED = {"instrument": "hotel", "run_id": "simulated/balanced"}
OTHER_SEED = {"instrument": "purchase", "run_id": "simulated/rational/seed-7"}
ASKED = [
    {"instrument": "hotel", "run_id": "simulated/balanced/0afdbd6e"},
    {"instrument": "purchase", "run_id": "simulated/rational/f58fc57f"},
]


@pytest.fixture
def told(monkeypatch, tmp_path, capsys):
    """Return a demo on given runs: whom it asks, and what it says."""

    def run(*runs):
        asked = []
        grid = SimpleNamespace(records=lambda: runs)
        monkeypatch.setattr(demo_asking, "list_runs", lambda _: grid)
        monkeypatch.setattr(
            demo_asking,
            "_ask",
            lambda _, who: asked.extend(who) or {one.model: 7 for one in who},
        )
        ask_scripted_models(tmp_path / "w.duckdb")
        return asked, capsys.readouterr().out.strip()

    return run


def test_who_was_not_asked_is_asked(told):
    # those whose answers were drawn have runs of other names
    for runs in ([], [SIMULATED, OTHER_SEED]):
        asked, said = told(*runs)
        assert asked == [SHOPPER, BUYER]
        assert said.endswith(": 7 to simulated/balanced and 7 to simulated/rational")


def test_who_was_asked_is_not_asked_again(told):
    assert told(SIMULATED, *ASKED) == (
        [],
        "simulated/balanced and simulated/rational were asked over sockets before",
    )
    # a demo that was ended in between
    assert told(ASKED[0])[0] == [BUYER]


def test_a_proxy_is_passed_by_and_stands_again_afterwards(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "intranet.example")
    monkeypatch.delenv("no_proxy", raising=False)
    with demo_asking._no_proxy():
        assert os.environ["NO_PROXY"] == "intranet.example,127.0.0.1"
        assert os.environ["no_proxy"] == "127.0.0.1"
    assert os.environ["NO_PROXY"] == "intranet.example"
    assert "no_proxy" not in os.environ
