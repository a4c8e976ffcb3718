"""The verbs as a person meets them: help, errors, exit codes, start-up."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from pricebench.cli import main

ROOT = Path(__file__).parents[2]
VERBS = (
    ("init",),
    ("demo",),
    ("build",),
    ("board",),
    ("query",),
    ("runs",),
    ("exclude",),
    ("doctor",),
    ("load", "hotel"),
    ("load", "purchase"),
    ("load", "search"),
    ("simulate", "hotel"),
    ("simulate", "purchase"),
    ("simulate", "serve"),
    ("simulate", "search"),
    ("bank", "hotel"),
    ("bank", "purchase"),
    ("bank", "search"),
    ("run", "hotel"),
    ("run", "purchase"),
    ("run", "audit"),
    ("run", "search", "source"),
    ("run", "search", "shipping"),
    ("run", "search", "agents"),
    ("run", "search", "judge"),
    ("run", "search", "audit"),
    ("report", "search"),
    ("review",),
)
# they build in a warehouse of their own, so that a check leaves nothing behind, or work
# on a run folder alone
WITHOUT_WAREHOUSE = (
    *(("report", "search"), ("review",), ("simulate", "serve")),
    *(verb for verb in VERBS if verb[:2] == ("run", "search")),
)


def commands_in(text: str) -> list[str]:
    return re.findall(r"^  ([a-z]+) ", text.partition("Commands:")[2], re.MULTILINE)


def test_help_lists_the_verbs_that_exist_and_no_other(capsys):
    assert main(["--help"]) == 0
    assert sorted(commands_in(capsys.readouterr().out)) == sorted({v[0] for v in VERBS})
    groups = {verb[:depth] for verb in VERBS for depth in range(1, len(verb))}
    for group in sorted(groups):
        assert main([*group, "--help"]) == 0
        below = [verb for verb in VERBS if verb[: len(group)] == group]
        listed = list(dict.fromkeys(verb[len(group)] for verb in below))
        assert commands_in(capsys.readouterr().out) == listed


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_every_verb_shows_an_example_and_takes_a_warehouse(verb, capsys):
    assert main([*verb, "--help"]) == 0
    text = capsys.readouterr().out
    assert f"Example: pricebench {' '.join(verb)}" in text
    takes = verb not in WITHOUT_WAREHOUSE
    assert ("--warehouse PATH" in text) == takes
    assert ("PRICEBENCH_WAREHOUSE" in text) == takes


def test_help_loads_none_of_the_slow_packages():
    slow = [
        "duckdb",
        "dbt",
        "dlt",
        "pandas",
        "numpy",
        "pyarrow",
        "scipy",
        "statsmodels",
    ]
    slow += ["litellm", "great_expectations", "httpx"]
    code = (
        "import sys\nfrom pricebench.cli import main\nmain(['--help'])\n"
        f"print(sorted(set({slow}) & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip().split("\n")[-1] == "[]"


def test_the_version_is_that_of_the_project(capsys):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"{project['version']}\n"


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["weigh"], "No such command 'weigh'. See `pricebench --help`."),
        (["load", "gold"], "No such command 'gold'. See `pricebench load --help`."),
        (["load", "hotel"], "See `pricebench load hotel --help`."),
        (["board", "--format", "xls"], "'xls'"),
        (["runs", "--no-such"], "No such option: --no-such"),
        (["query", "select 1", "--file"], "Option '--file' requires an argument."),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_code_2(typed, says, capsys):
    assert main(typed) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("pricebench: ")
    assert says in err


def test_a_failure_is_one_line_and_exit_code_1(tmp_path, capsys):
    missing = tmp_path / "none.duckdb"
    assert main(["runs", "--warehouse", str(missing)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        f"pricebench: no warehouse at {missing}: make one with `pricebench init`, or "
        "name another with --warehouse\n"
    )


def test_an_unexpected_error_is_one_line_too_and_whole_with_debug(
    monkeypatch, tmp_path, capsys
):
    def break_down(*_args: object) -> None:
        raise ZeroDivisionError("first line\nsecond line")

    monkeypatch.setattr("pricebench.runs.list_runs", break_down)
    typed = ["runs", "--warehouse", str(tmp_path / "w.duckdb")]
    assert main(typed) == 1
    err = capsys.readouterr().err
    assert err.startswith("pricebench: unexpected ZeroDivisionError: first line second")
    assert "--debug" in err
    assert err.count("\n") == 1
    with pytest.raises(ZeroDivisionError):
        main([*typed, "--debug"])


def test_the_warehouse_is_the_option_else_the_variable_else_the_working_folder(
    monkeypatch, tmp_path, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PRICEBENCH_WAREHOUSE", raising=False)
    assert main(["runs"]) == 1
    assert f"{tmp_path / 'warehouse.duckdb'}:" in capsys.readouterr().err
    monkeypatch.setenv("PRICEBENCH_WAREHOUSE", "from_variable.duckdb")
    assert main(["runs"]) == 1
    assert f"{tmp_path / 'from_variable.duckdb'}:" in capsys.readouterr().err
    assert main(["runs", "--warehouse", "given.duckdb"]) == 1
    assert f"{tmp_path / 'given.duckdb'}:" in capsys.readouterr().err


def test_a_folder_is_no_warehouse(tmp_path, capsys):
    assert main(["init", "--warehouse", str(tmp_path)]) == 1
    err = capsys.readouterr().err
    assert f"warehouse {tmp_path} is a folder" in err
    assert err.count("\n") == 1


def test_a_reader_that_leaves_early_is_no_failure(empty_warehouse):
    # head takes one line of a result far larger than a pipe holds, then hangs up
    pricebench = Path(sys.executable).parent / "pricebench"
    sql = "select range as n, repeat('x', 200) as x from range(20000)"
    done = subprocess.run(
        f'"{pricebench}" query --format csv --warehouse "{empty_warehouse}" "{sql}"'
        " | head -1; exit ${PIPESTATUS[0]}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "n,x\n"
    assert done.stderr == ""
    assert done.returncode == 0


def test_make_help_lists_every_target(tmp_path):
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[0].split()
    done = subprocess.run(
        ["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    listed = re.findall(r"^  make ([\w-]+) +\S", done.stdout, re.MULTILINE)
    assert listed == targets


def test_setup_without_a_usable_python_says_what_to_do(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("requirements.lock", "pyproject.toml"):
        (tmp_path / name).touch()
    done = subprocess.run(
        ["make", "setup", "PYTHON=no-such-python"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert (
        "no Python 3.11, 3.12 or 3.13 with venv among: no-such-python;" in done.stderr
    )
    assert not (tmp_path / ".venv").exists()


def test_checks_refuse_to_run_without_the_published_release(tmp_path):
    script = (ROOT / ".ci" / "run").read_text()
    assert script.rstrip().endswith("\nmake setup-browser\nmake test")
    done = subprocess.run(
        ["bash", str(ROOT / ".ci" / "run")],
        env={"PATH": "/usr/bin:/bin", "PRICEBENCH_RELEASE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert f"no published release at {tmp_path}/hotel" in done.stderr
