"""AGENT_RUNBOOK.md word for word: every command, in order, in an empty folder.

A person's steps are done over HTTP, as the review page does them. By default the audit
builds no marts and the last phase, which builds all of them twice more, is left to the
tests of those verbs; PRICEBENCH_PROOF=whole runs everything as it stands.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import httpx
import pytest
from review_server import free_port

from pricebench.cli import main

TEXT = (Path(__file__).parents[2] / "AGENT_RUNBOOK.md").read_text()
WHOLE = os.environ.get("PRICEBENCH_PROOF") == "whole"
FIGURES = "11. The figures"
BUILDS_NOTHING = "import pricebench.demo; pricebench.demo.build_and_show = print; "
PATIENCE_S = 120


def blocks(text: str = TEXT) -> list[tuple[str, str]]:
    """Heading and text of every fenced block."""
    found = []
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading = part.partition("\n")[0]
        fenced = re.findall(r"^```(\w*)\n(.*?)^```$", part, re.DOTALL | re.MULTILINE)
        assert {language for language, _ in fenced} == {"sh"}
        found += [(heading, command) for _, command in fenced]
    return found


SERVE, VARIABLES, *COMMANDS = blocks()


class Room:
    """A shell in an empty folder, with the variables of the runbook."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        self.ports = {"8797": str(free_port()), "8799": str(free_port())}
        patch = "" if WHOLE else BUILDS_NOTHING
        run = f"import sys; {patch}from pricebench.cli import main; sys.exit(main())"
        shim = folder / "bin" / "pricebench"
        shim.parent.mkdir()
        shim.write_text(
            f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c "{run}" "$@"\n'
        )
        shim.chmod(0o755)
        self.environment = os.environ | {
            "PATH": f"{shim.parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(Path(__file__).parents[2]),
        }
        self.printed: dict[str, str] = {}

    def start(self, command: str, **how) -> subprocess.Popen[str]:
        """Begin a block; ports of the text become free ones."""
        # a review has its own port by default, which another may hold
        command = re.sub(r"(pricebench review .*)", r"\1 --port 8799", command)
        text = f"{VARIABLES[1]}{command}"
        for stated, free in self.ports.items():
            text = text.replace(stated, free)
        return subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", text],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            **how,
        )

    def run(self, heading: str, command: str) -> None:
        """Carry out a block, a person's part included; it must end with 0."""
        with self.start(command) as running:
            try:
                if "pricebench review" in command:
                    self.review(running)
                out, err = running.communicate(timeout=PATIENCE_S * (5 if WHOLE else 1))
            finally:
                if running.poll() is None:
                    os.killpg(running.pid, signal.SIGKILL)
        assert running.returncode == 0, f"{command}\n{out}\n{err}"
        assert "Traceback" not in err
        self.printed[heading] = self.printed.get(heading, "") + out

    def review(self, running: subprocess.Popen[str]) -> None:
        """Settle and rule as a person at the page does, then press ctrl-C."""
        address = f"http://127.0.0.1:{self.ports['8799']}"
        with httpx.Client(
            base_url=address, headers={"origin": address}, timeout=60
        ) as page:
            wait_for(page, "/state/exact.json", running)
            for task in page.get("/state/exact.json").json()["open_references"]:
                settle(page, task)
            for track in ("exact", "equiv"):
                for candidate in page.get(f"/state/{track}.json").json()["queue"]:
                    reject(page, track, candidate)
        os.killpg(running.pid, signal.SIGINT)


def wait_for(
    page: httpx.Client, path: str, running: subprocess.Popen[str] | None = None
) -> None:
    for _ in range(PATIENCE_S * 10):
        assert running is None or running.poll() is None, running.communicate()
        try:
            page.get(path)
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"no answer at {page.base_url}")


def settle(page: httpx.Client, task: str) -> None:
    """Enter what the checkout shows: free shipping."""
    version = page.get("/state/exact.json").json()["refs_version"]
    ref = {"fields": {"shipping": "0.00"}, "void": False, "reviewer": "Robin"}
    body = {"version": version, "task_id": task, "ref": ref}
    assert page.post("/refs", json=body).status_code == 200


def reject(page: httpx.Client, track: str, candidate: str) -> None:
    version = page.get(f"/state/{track}.json").json()["version"]
    label = {
        "ruling": {"validity": None, "status": "rejected"},
        "fields": {},
        "reason_code": None,
        "note": "cannot be bought",
        "reviewer": "Robin",
    }
    body = {"version": version, "candidate_id": candidate, "label": label}
    answer = page.post(f"/labels/{track}", json=body)
    assert answer.status_code == 200, answer.text


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """The room after the last command."""
    room = Room(tmp_path_factory.mktemp("runbook"))
    with room.start(SERVE[1]) as world:
        try:
            address = f"http://127.0.0.1:{room.ports['8797']}"
            with httpx.Client(base_url=address) as client:
                wait_for(client, "/calls", world)
            for heading, command in COMMANDS:
                if WHOLE or heading != FIGURES:
                    room.run(heading, command)
        finally:
            os.killpg(world.pid, signal.SIGINT)
            world.communicate(timeout=30)
    return room


def artifact(room: Room, name: str) -> dict:
    return json.loads((room.folder / "runs" / "rehearsal" / name).read_text())


def test_the_price_stands_before_anything_is_bought(done):
    priced = done.printed["2. The price of the models"].splitlines()
    # 24 tasks in two orders, of which the pilot asked 16; 2 scenarios, 4 labels, thrice
    assert "16 of 16 pilot replies valid; 32 calls to make, about $" in priced[0]
    assert "16 of 16 pilot replies valid; 24 calls to make, about $" in priced[1]
    assert re.fullmatch(r"price of all: about \$\d+\.\d+", priced[-1])


def test_both_instruments_have_a_run_that_is_marked_simulated(done):
    with duckdb.connect(done.folder / "rehearsal.duckdb", read_only=True) as warehouse:
        found = warehouse.execute(
            "select 'hotel', source, count(*) from raw_hotel.response group by all "
            "union all select 'purchase', source, count(*) from raw_purchase.response "
            "group by all order by 1"
        ).fetchall()
    assert found == [("hotel", "simulated", 48), ("purchase", "simulated", 24)]
    assert done.printed["3. The models"].count("simulated") >= 2


def test_products_are_sourced_settled_and_marked_simulated(done):
    assert "3 cells filled, 0 planned" in done.printed["5. The products"]
    tasks = artifact(done, "tasks.json")
    assert tasks["source"] == "simulated"
    settled = {one["retailer"]: one["shipping"] for one in tasks["tasks"]}
    # by the table that was given (48.00 is above 35.00), by the page, by the person
    assert settled["birchrow"] | {"at": None, "note": None} == {
        **{"amount": "0.00", "fees": "0.00", "source": "policy_table"},
        **{"policy_row": "birchrow:any", "at": None, "note": None},
    }
    assert settled["tideline"]["source"] == "page"
    assert settled["fortdepot"]["source"] == "human"


def test_every_agent_answers_and_every_candidate_is_judged_and_ruled(done):
    asked = done.printed["7. The agents"]
    assert asked.count("1 of 1 answered") == 3 * 2
    assert asked.count("3 of 3 answered") == 3 * 2
    judged = re.findall(
        r"(\d+) of (\d+) candidates graded", done.printed["8. The judges"]
    )
    assert len(judged) == 2
    assert all(graded == pooled != "0" for graded, pooled in judged)
    for track in ("exact", "equiv"):
        labels = artifact(done, f"verify_labels_{track}.json")["labels"]
        assert {one["reviewer"] for one in labels.values()} == {"Robin"}


@pytest.mark.skipif(not WHOLE, reason="PRICEBENCH_PROOF=whole builds the figures")
def test_the_board_has_all_instruments(done):
    shown = done.printed[FIGURES]
    for title in ("Hotel choice", "Purchase decisions", "Product search"):
        assert title in shown


def test_every_option_of_the_runbook_exists(capsys):
    """Those of the last phase too, which is not carried out here by default."""
    commands = [
        shlex.split(line)
        for _, command in (SERVE, *COMMANDS)
        for part in command.replace("||", "\n").splitlines()
        if (line := part.strip()).startswith("pricebench ")
    ]
    assert len(commands) >= 18
    for _, *words in commands:
        plain = [word for word in words if not word.startswith(("-", "$"))]
        verb = plain[: 3 if plain[:2] == ["run", "search"] else 2]
        if plain[0] in ("doctor", "runs", "build", "board", "review"):
            verb = plain[:1]
        assert main([*verb, "--help"]) == 0, words
        shown = capsys.readouterr().out
        for option in (word for word in words if word.startswith("--")):
            assert f"{option} " in shown, words
