"""`pricebench run hotel`: ask over sockets, journal, load, build.

What the board shows of a collected run stands in ``test_marts_edges.py``, which builds
that far.
"""

from __future__ import annotations

import json
from decimal import Decimal
from itertools import product

import duckdb
import pytest
from llm_server import Reply, serve

from ingest.hotel.asked_bank import drawn_bank
from ingest.hotel.bank import ORDERINGS
from ingest.hotel.prompt import make_prompt, option_at
from pricebench.build import build
from pricebench.cli import main

# 36 pairs and 36 triples; two calls for each
BANK = drawn_bank("conjoint", size=72)
PAIRS = [task for task in BANK.tasks if task.task_type == "binary"]
KEY = "sk-planted-0123456789"
# our reader finds two options in it, the published one takes the leftmost
LOOSE = "Option A is cheaper, I take B"
LOOSE_TASKS = {3, 4}
REFUSED = Reply(status=400, body=b'{"error": {"message": "content filter"}}')
TOKEN = {"token": "A", "logprob": -0.25, "bytes": None}


def cheapest(task) -> str:
    prices = [option.price for option in task.options]
    assert prices.count(min(prices)) == 1
    return "ABC"[prices.index(min(prices))]


def question(task_id, ordering) -> str:
    return make_prompt(BANK.tasks[task_id - 1], ordering)


# what a thrifty shopper says: the letter in front of the cheapest room
SAYS = {
    make_prompt(task, ordering): option_at(cheapest(task), ordering, task.task_type)
    for task, ordering in product(BANK.tasks, ORDERINGS)
}
SAYS |= {
    question(task, ordering): LOOSE for task in LOOSE_TASKS for ordering in ORDERINGS
}
# fails once; fails every time
SHAKY, DEAD = question(1, "original"), question(2, "swapped")


def shopper():
    failed = set()

    def script(_, body) -> Reply:
        if "temperature" in body:
            message = b'{"error": {"message": "temperature is not supported"}}'
            return Reply(status=400, body=message)
        asked = body["messages"][0]["content"]
        if asked == DEAD or asked == SHAKY not in failed:
            failed.add(asked)
            return REFUSED
        tokens = {"content": [{**TOKEN, "top_logprobs": [TOKEN]}]}
        choice = {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": SAYS[asked]},
            "logprobs": tokens,
        }
        extra = {"provider": "Host", "usage": {"cost": 0.001}, "choices": [choice]}
        return Reply(extra=extra)

    return script


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A thrifty shopper asked over sockets, twice, loaded and built."""
    folder = tmp_path_factory.mktemp("run_hotel")
    with serve(shopper()) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", KEY)
        typed = ["run", "hotel", "--model", "maker/thrifty", "--size", "72"]
        typed += ["--api-base", server.address, "--out", str(folder / "runs")]
        typed += ["--warehouse", str(folder / "w.duckdb"), "--concurrency", "16"]
        # one call failed, and fails again
        assert main(typed) == 1
        # the first call alone meets the refusal of the temperature and goes again
        assert len(server.requests) == 145
        assert main(typed) == 1
        # that refusal, then the two that failed
        assert len(server.requests) == 145 + 3
        body = server.requests[-1]
    assert (body["top_p"], body["max_tokens"], body["top_logprobs"]) == (1.0, 16, 5)
    layers = ["gate_hotel_intermediate"]
    report = build(folder / "w.duckdb", lambda line: None, select=layers)
    assert report.failures == ()
    return folder


def query(folder, sql):
    with duckdb.connect(str(folder / "w.duckdb"), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_each_reading_has_the_choices_of_its_reader(asked):
    found = query(
        asked,
        "select reading, answers, n, invalid_count, failed_count, first_shown_count "
        "from intermediate.int_hotel_slot_count where format = 'binary' "
        "order by reading",
    )
    first = sum(
        SAYS[make_prompt(task, ordering)] == "A"
        for task, ordering in product(PAIRS, ORDERINGS)
        if task.task_id not in LOOSE_TASKS and make_prompt(task, ordering) != DEAD
    )
    # 72 answers to pairs: one failed, four that only the published reader reads, as
    # the card that was shown first
    assert found == [
        ("as_published", 72, 71, 0, 1, first + 4),
        ("audited", 72, 67, 4, 1, first),
    ]


def test_the_rooms_that_count_are_those_of_the_script(asked):
    chosen = query(
        asked,
        "select task_id, ordering, max(option) filter (chosen_as_published_valid), "
        "max(option) filter (chosen_audited) from intermediate.int_hotel_choice "
        "group by all",
    )
    wanted = set()
    for task, ordering in product(BANK.tasks, ORDERINGS):
        ours = published = cheapest(task)
        if task.task_id in LOOSE_TASKS:
            # the card shown first is A in the one order and B in the other
            ours, published = None, "A" if ordering == "original" else "B"
        elif make_prompt(task, ordering) == DEAD:
            ours = published = None
        wanted.add((task.task_id, ordering, published, ours))
    assert len(chosen) == 144
    assert set(chosen) == wanted


def test_the_run_carries_what_decided_its_answers(asked):
    (run,) = query(
        asked,
        "select source, calls, failed_calls, cost_usd, settings_label, "
        "providers_served, model_id, length(prompt_sha256), bank_sha256 "
        "from intermediate.int_hotel_run",
    )
    # 144 calls and 2 that were made again; 143 replies of a tenth of a cent
    assert run == (
        *("collected", 146, 3, Decimal("0.143")),
        "temperature 0.0, 16 tokens, not accepted: temperature",
        *("Host", "maker/thrifty", 64, BANK.sha256),
    )


def test_log_probabilities_are_stored(asked):
    found = query(
        asked,
        "select first_tokens, count(*) from raw_hotel.response "
        "where reply_state != 'failed' group by 1",
    )
    assert [(json.loads(text), count) for text, count in found] == [({"A": -0.25}, 143)]


def test_no_key_stands_in_anything_that_was_written(asked):
    files = [path for path in asked.rglob("*") if path.is_file()]
    assert len(files) >= 2
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def test_the_journal_loads_anywhere_and_only_its_own_longer_self_replaces_it(
    asked, tmp_path, capsys
):
    (journal,) = (asked / "runs").rglob("*.jsonl")
    shorter = b"".join(journal.read_bytes().splitlines(keepends=True)[:50])
    folder = tmp_path / "runs"
    folder.mkdir()
    # a kill cut the last line
    (folder / journal.name).write_bytes(shorter + b'{"task_id": 9')
    (folder / "journal_other.jsonl").write_text(
        '{"schema": "pricebench/journal/1", "instrument": "purchase"}\n'
    )
    typed = ["load", "hotel", str(folder), "--warehouse", str(tmp_path / "w.duckdb")]
    assert main(typed) == 0
    out = capsys.readouterr().out
    assert "121 rows, 1 run loaded; 1 row quarantined" in out
    assert "line 51, *: cut off while it was written" in out
    assert "ignored: journal_other.jsonl" in out
    # under another name nobody knows that it is the same journal grown
    other = tmp_path / "other.jsonl"
    other.write_bytes(journal.read_bytes())
    assert main(["load", "hotel", str(other), *typed[3:]]) == 1
    assert "--replace puts this one in its place" in capsys.readouterr().err
    assert main(["load", "hotel", str(journal), *typed[3:]]) == 0
    # 49 answers and the run itself
    assert "50 rows replaced" in capsys.readouterr().out
    assert query(tmp_path, "select count(*) from raw_hotel.response") == [(146,)]
    assert query(tmp_path, "select count(*) from raw_hotel.run") == [(1,)]


@pytest.fixture
def typed(tmp_path):
    return [
        *("run", "hotel", "--model", "simulated/one", "--out", str(tmp_path / "runs")),
        *("--warehouse", str(tmp_path / "w.duckdb")),
    ]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (["--model", "gpt-5"], "names no provider"),
        (["--variant", "haiku"], "variant: no 'haiku'; one of base, json"),
        (["--size", "25"], "size: 25 tasks asked"),
        (["--bank", "nowhere.csv"], "bank nowhere.csv cannot be read"),
        (["--bank", "t.csv", "--seed", "1"], "--seed is of a bank that is drawn"),
        (["--size", "24", "--subset", "25"], "from 1 to 24"),
        (["--size", "24", "--repeats", "0"], "repeats: 0"),
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
    path = tmp_path / "tasks.csv"
    path.write_bytes(BANK.content)
    more = ["--bank", str(path), "--variant", "temp07", "--repeats", "2"]
    assert main([*typed, *more, "--dry-run", "--subset", "r1"]) == 0
    out = capsys.readouterr().out
    # the first draw of 9 pairs, in 2 orders, twice
    assert "calls     36" in out
    assert "temperature 0.7, top_p 0.95, max_tokens 16, logprobs True" in out
    assert [one.name for one in tmp_path.iterdir()] == ["tasks.csv"]


def test_a_pilot_is_part_of_the_run_and_a_bank_that_was_read_stands_beside_it(
    typed, capsys, tmp_path
):
    bank = drawn_bank("fiveopt", size=10)
    path = tmp_path / "five.csv"
    path.write_bytes(bank.content)

    def script(number, _):
        text = "no idea" if number == 3 else "E"
        return Reply(text, extra={"usage": {"cost": 0.25}})

    whole = [*typed, "--bank", str(path), "--variant", "fiveopt"]
    with serve(script) as server:
        whole += ["--api-base", server.address]
        assert main([*whole, "--pilot"]) == 0
        out = capsys.readouterr().out
        assert "valid replies: 15 of 16" in out
        # 25 cents a call, 20 calls
        assert "cost of 20 calls: about $5.00" in out
        assert not (tmp_path / "w.duckdb").exists()
        assert main(whole) == 0
        # the run asks the four that the pilot did not
        assert len(server.requests) == 20
    found = query(
        tmp_path,
        "select source, reply_state, count(*) from raw_hotel.response group by all "
        "order by all",
    )
    assert found == [("simulated", "invalid", 1), ("simulated", "letter", 19)]
    (folder,) = (tmp_path / "runs" / "hotel").iterdir()
    names = sorted(one.name for one in folder.iterdir())
    assert names[0] == f"bank_{bank.sha256[:12]}.csv"
    # alone the journal lacks its tasks, the folder has them
    other = ["--warehouse", str(tmp_path / "other.duckdb")]
    capsys.readouterr()
    assert main(["load", "hotel", str(folder / names[1]), *other]) == 1
    assert "load the folder that the journal stands in" in capsys.readouterr().err
    assert main(["load", "hotel", str(folder), *other]) == 0
    assert "30 rows, 1 run loaded" in capsys.readouterr().out
