"""`pricebench run purchase`: ask over sockets, journal, load, build, figures."""

from __future__ import annotations

import json
from decimal import Decimal

import duckdb
import pytest
from llm_server import Reply, serve

from ingest.purchase.bank import make_bank
from ingest.purchase.prompt import make_prompt
from ingest.purchase.scenario import LABELS
from pricebench.build import build
from pricebench.cli import main

# what a perfect buyer says to each question of the published bank
BEST = {
    make_prompt(scenario, label).user: scenario.best(label)
    for scenario in make_bank()
    for label in LABELS
}
KEY = "sk-planted-0123456789"


def policy(_, body) -> Reply:
    if "temperature" in body:
        message = b'{"error": {"message": "temperature is not supported"}}'
        return Reply(status=400, body=message)
    user = body["messages"][1]["content"]
    text = json.dumps({"choice": BEST[user], "reason": "worth most"})
    return Reply(text, extra={"provider": "Host", "usage": {"cost": 0.0005}})


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A perfect buyer asked over sockets, loaded and built; with a key planted."""
    folder = tmp_path_factory.mktemp("run_purchase")
    warehouse = folder / "warehouse.duckdb"
    with serve(policy) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", KEY)
        typed = ["run", "purchase", "--model", "maker/perfect"]
        typed += ["--api-base", server.address, "--out", str(folder / "runs")]
        typed += ["--warehouse", str(warehouse), "--concurrency", "16"]
        typed += ["--temperature", "0"]
        assert main(typed) == 0
        requests, headers = len(server.requests), server.headers[0]
        # a second time nothing is asked
        assert main(typed) == 0
        assert len(server.requests) == requests
    assert headers["authorization"] == f"Bearer {KEY}"
    # the first call alone meets the refusal of the temperature and goes again
    assert requests == 577
    report = build(warehouse, lambda line: None, select=["gate_purchase_marts"])
    assert report.failures == ()
    return folder


def query(folder, sql):
    with duckdb.connect(str(folder / "warehouse.duckdb"), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_the_figures_are_those_of_the_policy(asked):
    found = dict(
        query(
            asked,
            "select metric, value from marts.purchase_metric "
            "where reading = 'audited' and status = 'ok'",
        )
    )
    # purchase.md 10: a perfect buyer
    assert found["optimal_pct"] == 100.0
    assert found["regret_pct_V"] == 0.0
    assert found["flip_rate"] == 0.0
    assert found["discrimination"] == 1.0
    assert found["badge_effect"] == 0.0
    assert found["verified_minus_badge"] == 0.0
    assert found["bond_responsiveness"] == 1.0


def test_the_run_carries_what_decided_its_answers(asked):
    (run,) = query(
        asked,
        "select source, calls, failed_calls, cost_usd, settings_label, "
        "providers_served, model_id, length(prompt_sha256) from marts.run",
    )
    # 576 calls of $0.0005
    assert run == (
        *("collected", 576, 0, Decimal("0.288")),
        "reasoning low, temperature 0.0, 8000 tokens, not accepted: temperature",
        *("Host", "maker/perfect", 64),
    )


def test_no_key_stands_in_anything_that_was_written(asked):
    files = [path for path in asked.rglob("*") if path.is_file()]
    assert len(files) >= 2
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


@pytest.fixture
def typed(tmp_path):
    return [
        *("run", "purchase", "--model", "maker/one", "--out", str(tmp_path / "runs")),
        *("--warehouse", str(tmp_path / "w.duckdb")),
    ]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (["--model", "gpt-5"], "names no provider"),
        (["--api-base", "localhost:11434"], "is no address"),
        (["--api-base", "http://me:pw@host/v1"], "holds a user or password"),
        (["--price", "1"], "give two amounts"),
        (["--price", "nan,1"], "give two amounts"),
        (["--subset", "49"], "subset: 49; the bank has 48"),
        (["--repeats", "0"], "repeats: 0"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(
    typed, more, reason, capsys, tmp_path
):
    assert main([*typed, *more]) == 1
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert reason in said
    assert not (tmp_path / "runs").exists()


def test_a_dry_run_asks_nothing_and_writes_nothing(typed, capsys, tmp_path):
    assert main([*typed, "--dry-run", "--repeats", "2"]) == 0
    out = capsys.readouterr().out
    # 48 scenarios x 4 labels x 2 repeats
    assert "calls     384" in out
    assert list(tmp_path.iterdir()) == []


def test_a_pilot_estimates_and_loads_nothing(typed, capsys, tmp_path):
    def script(number, _):
        text = "no idea" if number == 3 else '{"choice": "skip", "reason": "r"}'
        return Reply(text, extra={"usage": {"cost": 0.25}})

    with serve(script) as server:
        assert main([*typed, "--pilot", "--api-base", server.address]) == 0
        assert len(server.requests) == 16
    out = capsys.readouterr().out
    assert "valid replies: 15 of 16" in out
    # 25 cents a call, 576 calls
    assert "cost of 576 calls: about $144.00" in out
    assert not (tmp_path / "w.duckdb").exists()


def test_calls_that_fail_are_named_loaded_and_asked_again(typed, capsys, tmp_path):
    whole = [*typed, "--subset", "1", "--repeats", "1"]
    refused = Reply(status=400, body=b'{"error": {"message": "content filter"}}')
    answer = Reply('{"choice": "skip", "reason": "r"}')
    with serve(lambda number, _: refused if number == 1 else answer) as server:
        whole += ["--api-base", server.address]
        assert main(whole) == 1
        said = capsys.readouterr().err
        assert "1 of 4 calls have no reply (1 calls failed)" in said
        rows = "select reply_state, count(*) from raw_purchase.response group by 1"
        found = dict(_rows(tmp_path, rows))
        assert found == {"json": 3, "failed": 1}
        assert main(whole) == 0
        assert len(server.requests) == 5
    # the longer journal took the place of the shorter one
    assert dict(_rows(tmp_path, rows)) == {"json": 4, "failed": 1}
    assert _rows(tmp_path, "select count(*) from raw_purchase.run") == [(1,)]


def _rows(folder, sql):
    with duckdb.connect(str(folder / "w.duckdb"), read_only=True) as connection:
        return connection.execute(sql).fetchall()
