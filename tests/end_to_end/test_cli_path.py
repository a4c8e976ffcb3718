"""The command line from nothing to the board, and what a failing build leaves."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from pricebench import build as building
from pricebench.cli import main

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


def tables(warehouse: Path, query: str) -> list[tuple]:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        return connection.execute(query).fetchall()


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder that is not the project's."""
    return tmp_path_factory.mktemp("newcomer")


@pytest.fixture(scope="module")
def demo(folder) -> subprocess.CompletedProcess[str]:
    """The demo as a newcomer runs it."""
    environment = {k: v for k, v in os.environ.items() if k != "PRICEBENCH_WAREHOUSE"}
    return subprocess.run(
        [str(BIN / "pricebench"), "demo"],
        cwd=folder,
        env=environment | {"PATH": f"{BIN}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def demo_warehouse(demo, folder) -> Path:
    """Its warehouse; copy it before writing."""
    assert demo.returncode == 0, demo.stderr
    return folder / "warehouse.duckdb"


@pytest.fixture
def warehouse(demo_warehouse: Path, tmp_path: Path) -> Path:
    """A copy of one's own, under another name and in another folder."""
    return Path(shutil.copy(demo_warehouse, tmp_path / "moved and renamed.db"))


def test_the_demo_ends_at_the_board(demo, demo_warehouse):
    assert demo.returncode == 0, demo.stderr
    assert demo.stdout.startswith("10 simulated shoppers: ")
    assert "SIMULATED SHOPPERS, no real model answered (10 models)" in demo.stdout
    assert "second-card-taker" in demo.stdout
    assert "\n9 simulated buyers: " in demo.stdout
    assert "\nsimulated search run: 2,019 rows, 1 run loaded\n" in demo.stdout
    # 240 tasks in two orders; 10 scenarios, four labels, three times
    assert (
        "\nasked over sockets, as a real model would be: 480 to simulated/balanced and "
        "120 to simulated/rational\n"
    ) in demo.stdout
    assert "SIMULATED SHOPPERS, no real model answered (1 model)" in demo.stdout
    assert "SIMULATED BUYERS, no real model answered (1 model)" in demo.stdout
    assert "SIMULATED BUYERS, no real model answered (9 models)" in demo.stdout
    assert "\nbadge-swayed: simulated; n 144; " in demo.stdout
    assert demo.stdout.count("Product search, the same") == 2
    assert "\nthorough: simulated; n 7 of 9 products; 10 calls; " in demo.stdout
    board = demo.stdout.partition("\nHotel choice")[2].partition("The results are in")
    assert max(map(len, board[0].splitlines())) <= 100
    assert f"The results are in {demo_warehouse}. Next:" in demo.stdout
    assert "\x1b" not in demo.stdout + demo.stderr
    # progress and nothing else goes to standard error
    assert "gate_hotel_marts success" in demo.stderr
    assert "gate_hotel_marts success" not in demo.stdout
    # dbt's own files stand beside the warehouse, not in the working folder
    beside = {path.name for path in demo_warehouse.parent.iterdir()}
    assert beside == {
        f"warehouse.duckdb{suffix}" for suffix in ("", ".dbt", ".dlt", ".lock")
    }


def test_what_the_demo_says_to_try_next_works(demo, demo_warehouse):
    text = demo.stdout.partition(" Next:\n")[2].replace("\\\n", " ")
    commands = re.findall(r"^  (pricebench .*)$", text, re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        done = subprocess.run(
            command,
            shell=True,
            cwd="/",
            env=os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "simulated/balanced" in done.stdout
        assert done.stderr == ""


def test_the_projects_analyses_run_as_they_stand(warehouse, capsys):
    files = sorted((ROOT / "analyses").glob("*.sql"))
    assert len(files) >= 3
    for file in files:
        typed = ["query", "--file", str(file), "--warehouse", str(warehouse)]
        assert main([*typed, "--format", "csv"]) == 0, file
        out, err = capsys.readouterr()
        assert len(out.splitlines()) > 1, file
        assert err == ""


def test_a_moved_and_renamed_warehouse_answers(warehouse, capsys):
    views = tables(
        warehouse,
        "select table_schema || '.' || table_name from information_schema.tables"
        " where table_type = 'VIEW' order by 1",
    )
    assert ("marts.board",) in views
    assert ("staging.stg_hotel_run",) in views
    for (view,) in views:
        sql = f"select count(*) as n from {view}"
        typed = ["query", sql, "--format", "csv", "--warehouse", str(warehouse)]
        assert main(typed) == 0, view
        capsys.readouterr()
    assert main(["board", "--format", "json", "--warehouse", str(warehouse)]) == 0
    studies = json.loads(capsys.readouterr().out)
    # a study of those whose answers were drawn, and one of those that were asked
    assert sorted((one["instrument"], len(one["models"])) for one in studies) == [
        *[("hotel", 1), ("hotel", 10)],
        *[("purchase", 1), ("purchase", 9)],
        *[("search", 5), ("search", 5)],
    ]


def test_the_board_says_what_the_marts_hold(warehouse, capsys):
    assert main(["board", "--format", "json", "--warehouse", str(warehouse)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    models = {
        (study["study_id"], model["model_id"], model["scope"]): model
        for study in json.loads(out)
        for model in study["models"]
    }
    figures = {
        (*key, reading): model[reading]["value"]
        for key, model in models.items()
        for reading in ("as_published", "audited")
    }
    stored = tables(
        warehouse, "select study_id, model_id, scope, reading, value from marts.board"
    )
    assert figures == {tuple(key): value for *key, value in stored}
    gaps = {key: model["difference"]["value"] for key, model in models.items()}
    both = {model for model, gap in gaps.items() if gap is not None}
    # the locked shopper has no trade-off to state; a shopper and a buyer were asked
    # besides; agents search on two tracks
    assert len(both) == 9 + 1 + 9 + 1 + 2 * 5
    for model in both:
        gap = figures[*model, "audited"] - figures[*model, "as_published"]
        assert gaps[model] == pytest.approx(gap, rel=1e-12)


def test_the_board_can_be_written_to_a_file(warehouse, tmp_path, capsys):
    out = tmp_path / "board.csv"
    typed = ["board", "--format", "csv", "--warehouse", str(warehouse)]
    assert main([*typed, "--out", str(out)]) == 0
    assert capsys.readouterr().out == ""
    assert out.read_text().count("\n") == 1 + 11 + 10 + 2 * 5
    assert main([*typed, "--out", str(tmp_path / "absent" / "board.csv")]) == 1
    err = capsys.readouterr().err
    assert "cannot write" in err
    assert err.count("\n") == 1


def test_an_exclusion_outdates_the_board_until_the_next_build(warehouse, capsys):
    run = "simulated/mumbler"
    typed = ["--warehouse", str(warehouse)]
    assert main(["exclude", run, "--reason", "noise", *typed]) == 0
    capsys.readouterr()
    # the other instrument goes on, and what is missing is said
    assert main(["board", *typed]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("Purchase decisions, study ")
    assert "Hotel choice" not in out
    assert err.startswith("pricebench: no hotel board: gate hotel_raw is out of date")
    assert err.count("\n") == 1
    assert main(["board", "hotel", *typed]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("pricebench: no hotel board: gate hotel_raw is out of date")
    assert re.search(r"last good figures: \d{4}-\d\d-\d\d \d\d:\d\d UTC", err)
    assert err.count("\n") == 1
    # a query still answers, and says that its figures may be old
    assert main(["query", "select count(*) from marts.hotel_wtp", *typed]) == 0
    err = capsys.readouterr().err
    assert err.startswith("note: gate hotel_raw is out of date for the data now loaded")
    assert err.endswith("; figures of hotel may be old\n")
    # nor does the shared board go on showing what no longer holds
    assert tables(
        warehouse, "select distinct instrument from marts.board order by all"
    ) == [("purchase",), ("search",)]
    assert main(["exclude", run, "--undo", *typed]) == 0
    assert main(["board", *typed]) == 0


def test_a_red_gate_is_published_and_refuses_the_board(warehouse, capsys):
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute(
            "insert into raw_hotel.response by name select * replace"
            " ('simulated/nobody' as run_id, 77 as _source_row) from raw_hotel.response"
            " limit 1"
        )
    typed = ["--warehouse", str(warehouse)]
    assert main(["build", *typed]) == 1
    out, err = capsys.readouterr()
    assert re.search(r"^FAILED gate_hotel_raw: .*77", out, re.MULTILINE)
    assert re.search(r"hotel_raw +failed", out)
    last = err.strip().split("\n")[-1]
    assert last.startswith("pricebench: gate hotel_raw is red: ")
    failed = tables(
        warehouse,
        "select distinct gate from quality.gate_results where status = 'failed'",
    )
    assert failed == [("hotel_raw",)]
    assert main(["board", *typed]) == 1
    err = capsys.readouterr().err
    assert err.startswith("pricebench: no hotel board: gate hotel_raw is red (failed)")
    assert "last good figures: 2" in err
    assert err.count("\n") == 1


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    """A copy of the dbt project that a test may break."""
    # the project names its analyses by a path out of its folder
    shutil.copytree(ROOT / "analyses", tmp_path / "analyses")
    ignored = shutil.ignore_patterns("target", "logs")
    copy = Path(
        shutil.copytree(ROOT / "dbt_project", tmp_path / "dbt_project", ignore=ignored)
    )
    monkeypatch.setattr(building, "DBT_PROJECT", copy)
    return copy


def unchanged_after_failing_build(warehouse: Path, capsys, *typed: str) -> str:
    before = warehouse.read_bytes()
    assert main(["build", "--warehouse", str(warehouse), *typed]) == 1
    assert warehouse.read_bytes() == before
    assert not warehouse.with_name(f"{warehouse.name}.next").exists()
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return out + err.strip().split("\n")[-1]


def test_a_model_that_fails_leaves_the_warehouse_as_it_was(warehouse, project, capsys):
    (project / "models" / "staging" / "broken.sql").write_text(
        "select 1 as n from nowhere"
    )
    text = unchanged_after_failing_build(warehouse, capsys, "--select", "broken")
    assert re.search(r"^FAILED broken: .*nowhere does not exist", text, re.MULTILINE)
    assert f"pricebench: 1 failed, see above: {warehouse} is unchanged" in text
    log = warehouse.with_name(f"{warehouse.name}.dbt") / "logs" / "dbt.log"
    assert f"dbt's log: {log})" in text
    assert "\x1b" not in text + log.read_text()
    # the figures of before are still good
    assert main(["board", "--warehouse", str(warehouse)]) == 0


def test_a_project_that_does_not_parse_is_one_line(warehouse, project, capsys):
    (project / "models" / "staging" / "broken.sql").write_text("select {{ nothing( }}")
    text = unchanged_after_failing_build(warehouse, capsys)
    assert text.startswith("pricebench: dbt could not build (")
    assert "broken.sql" in text


def test_a_selection_of_nothing_is_one_line(warehouse, capsys):
    text = unchanged_after_failing_build(warehouse, capsys, "--select", "no_such_model")
    assert text.startswith("pricebench: --select no_such_model matches nothing: ")


def test_an_interrupted_build_leaves_the_warehouse_as_it_was(
    warehouse, monkeypatch, capsys
):
    def interrupt(copy: Path, *_more: object) -> None:
        with duckdb.connect(str(copy)) as connection:
            connection.execute("drop schema marts cascade")
        raise KeyboardInterrupt

    monkeypatch.setattr(building, "_run_dbt", interrupt)
    before = warehouse.read_bytes()
    assert main(["build", "--warehouse", str(warehouse)]) == 130
    assert warehouse.read_bytes() == before


@pytest.mark.parametrize(
    ("moment", "sent", "code"),
    [
        ("reading the dbt project", signal.SIGINT, 130),
        ("stg_hotel_response", signal.SIGINT, 130),
        ("stg_hotel_response", signal.SIGTERM, 143),
    ],
)
def test_ctrl_c_in_the_middle_of_a_build_is_one_line(moment, sent, code, warehouse):
    # dbt calls what was cut off a failure
    before = warehouse.read_bytes()
    with subprocess.Popen(
        [str(BIN / "pricebench"), "build", "--warehouse", str(warehouse)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # a script that runs the tests in its background ignores ctrl-C
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as building_now:
        assert building_now.stderr is not None
        while moment not in (line := building_now.stderr.readline()):
            assert line
        building_now.send_signal(sent)
        out, err = building_now.communicate(timeout=120)
    assert building_now.returncode == code
    assert out == ""
    assert err.strip().split("\n")[-1] == (
        "pricebench: interrupted: the warehouse is as the last finished step left it; "
        "run the same command again"
    )
    assert "Traceback" not in err
    assert warehouse.read_bytes() == before
    assert not warehouse.with_name(f"{warehouse.name}.next").exists()


def test_a_part_can_be_built_on_its_own(tmp_path, capsys):
    warehouse = tmp_path / "made by build.duckdb"
    before = os.environ.get("PRICEBENCH_WAREHOUSE")
    typed = ["build", "--select", "model_registry", "--warehouse", str(warehouse)]
    assert main(typed) == 0
    out = capsys.readouterr().out
    assert re.search(r"^ *seeds +1 +0 +0", out, re.MULTILINE)
    assert not re.search(r"^ *staging ", out, re.MULTILINE)
    assert os.environ.get("PRICEBENCH_WAREHOUSE") == before
    # nothing was ever loaded, so the gates of every instrument are empty
    assert main(["board", "--warehouse", str(warehouse)]) == 0
    assert capsys.readouterr().out == "No answers are loaded.\n"
