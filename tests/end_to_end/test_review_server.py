"""The server of a review: whom it answers, what it serves, and what a crash costs."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from review_room import HOME, PORT, ask, find, post, room, ruling, saved

from ingest.search.example_agents import AGENTS
from pricebench.review.documents import JOURNAL


@pytest.fixture
def case(built_review, tmp_path):
    with room(built_review, tmp_path) as opened:
        yield opened


def test_the_state_names_no_agent(case):
    names = {agent.slug for agent in AGENTS}
    assert len(names) == 5
    for track in case.tracks:
        text = json.dumps(case.state(track))
        assert not names & set(re.findall(r"[a-z_]+", text))
        assert "found_by" not in text
        assert f".{track}.t0" not in text  # ids of listings begin with an agent


def test_every_candidate_stands_in_one_list_and_the_queue_opens_without_majority(case):
    for track in case.tracks:
        state = case.state(track)
        listed = [*state["queue"], *state["optional"], *state["settled"]]
        assert sorted(listed) == sorted(state["candidates"])
        tasks = list(state["tasks"])
        order = [
            (tasks.index(one["task_id"]), one["panel"]["verdict"] != "no_majority")
            for one in map(state["candidates"].get, state["queue"])
        ]
        assert order == sorted(order)
        assert set(state["retry"]) <= {*state["queue"], *state["settled"]}


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": f"evil.example:{PORT}"},
        {"host": "127.0.0.1"},
        {"host": f"127.0.0.1:{PORT + 1}"},
        {"host": f"127.0.0.1.evil.example:{PORT}"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": f"http://127.0.0.1:{PORT + 1}"},
        {"origin": f"https://127.0.0.1:{PORT}"},
    ],
)
def test_a_foreign_origin_and_a_rebinding_host_are_refused(case, headers):
    one = case.state("exact")["queue"][0]
    before = saved(case)
    body = {"version": before["version"], "candidate_id": one, "label": None}
    for method, path, content in (
        ("POST", "/labels/exact", body),
        ("POST", "/refs", body),
        ("GET", "/", None),
        ("GET", "/state/exact.json", None),
        ("GET", "/nothing", None),
    ):
        answer = ask(case, method, path, json=content, headers=headers)
        assert answer.status_code == 403, (method, path)
        assert "candidates" not in answer.text
    assert saved(case) == before


def test_a_save_names_its_origin(case):
    body = {"version": 13, "candidate_id": "c", "label": None}
    without = ask(case, "POST", "/labels/exact", json=body, headers={"origin": None})
    assert without.status_code == 403
    by_name = {"host": f"localhost:{PORT}", "origin": f"http://localhost:{PORT}"}
    named = ask(case, "POST", "/labels/exact", json=body, headers=by_name)
    assert named.status_code == 422
    assert ask(case, "GET", "/", headers={"origin": None}).status_code == 200


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{}", "text/plain", 415),
        (b"{}", "application/x-www-form-urlencoded", 415),
        (b'{"note": "' + b"x" * 70_000 + b'"}', "application/json", 413),
        (b"{", "application/json", 422),
        (b"[]", "application/json", 422),
        (b"[" * 60_000, "application/json", 422),
        (b'{"candidate_id": "\\ud800"}', "application/json", 422),
        (b'{"version": NaN}', "application/json", 422),
        (b"\xff", "application/json", 422),
        (b'{"candidate_id": ["c"]}', "application/json; charset=utf-8", 422),
    ],
)
def test_what_is_no_save_is_refused(case, content, kind, status):
    headers = {"content-type": kind}
    for path in ("/labels/exact", "/refs"):
        answer = ask(case, "POST", path, content=content, headers=headers)
        assert answer.status_code == status
        assert "error" in answer.json()


def test_only_files_that_an_artifact_names_are_served(case):
    folder = case.files.folder
    (folder / "images" / "note.jpg").write_bytes(b"\xff\xd8\xff")
    for path in (
        *("/tasks.json", "/images/../tasks.json", "/images/%2e%2e/tasks.json"),
        *(
            "/images/note.jpg",
            "/images/",
            "/evidence/none.json",
            "/raw_hasty_exact.json",
        ),
        *("/state/other.json", "/verify_other.html", "/verify_labels_exact.json"),
    ):
        assert ask(case, "GET", path).status_code == 404, path
    assert ask(case, "POST", "/labels/other", json={}).status_code == 404
    assert ask(case, "PUT", "/refs", json={}).status_code == 405


def test_a_link_out_of_the_folder_is_not_followed(built_review, tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text("{}")

    def link(run):
        body = json.loads((run / "audit_exact.json").read_text())
        check = next(iter(body["audits"].values()))["checks"][0]
        path = run / "evidence" / f"{check['evidence']}.html.gz"
        path.unlink()
        path.symlink_to(secret)
        links.append(f"/evidence/{path.name}")

    links: list[str] = []
    with room(built_review, tmp_path, prepare=link) as case:
        assert ask(case, "GET", links[0]).status_code == 404


def test_an_image_is_an_image_and_a_snapshot_is_text(case):
    state = case.state("exact")
    one = state["candidates"][find(state, status="verified", image_missing=False)]
    image = ask(case, "GET", f"/{one['image']}")
    assert image.headers["content-type"] == "image/jpeg"
    assert image.headers["x-content-type-options"] == "nosniff"
    page = ask(case, "GET", f"/{one['evidence'][0]['file']}")
    assert page.headers["content-type"].startswith("text/plain")
    assert "sandbox" in page.headers["content-security-policy"]
    assert "<html" in page.text
    # a stranger's page under an image's name
    (case.files.folder / one["image"]).write_bytes(b"<script>alert(1)</script>")
    assert ask(case, "GET", f"/{one['image']}").status_code == 404
    (case.files.folder / one["evidence"][0]["file"]).write_bytes(b"\x1f\x8bbroken")
    assert ask(case, "GET", f"/{one['evidence'][0]['file']}").status_code == 404


def test_pages_are_served_for_each_track_with_their_policy(case):
    home = ask(case, "GET", "/")
    assert home.json()["track"] == "exact"
    assert home.headers["content-security-policy"] == "default-src 'none'"
    assert home.headers["cache-control"] == "no-store"
    assert ask(case, "GET", "/verify_equiv.html").json()["track"] == "equiv"


def test_of_two_tabs_the_second_sees_what_the_first_saved(case):
    state = case.state("exact")
    one, version = state["queue"][0], state["version"]
    verdict = state["candidates"][one]["panel"]["verdict"]
    first = post(case, one, ruling(verdict, note="first"), version=version)
    assert first.status_code == 200
    second = post(case, one, ruling(verdict, note="second"), version=version)
    assert second.status_code == 409
    assert second.json()["version"] == version + 1
    assert second.json()["label"]["note"] == "first"
    assert saved(case)["labels"][one]["note"] == "first"
    again = post(case, one, ruling(verdict, note="second"))
    assert again.status_code == 200


def test_labels_that_another_program_saved_are_taken_in(case):
    state = case.state("exact")
    one = state["queue"][0]
    verdict = state["candidates"][one]["panel"]["verdict"]
    post(case, one, ruling(verdict))
    path = case.files.folder / "verify_labels_exact.json"
    text = path.read_text()
    body = json.loads(text)
    body["labels"][one]["note"] = "by hand"
    path.write_text(json.dumps({**body, "version": body["version"] + 1}))
    found = ask(case, "GET", "/state/exact.json").json()
    assert found["candidates"][one]["label"]["note"] == "by hand"
    path.write_text(text[: len(text) // 2])
    broken = post(case, one, ruling(verdict, note="lost?"))
    assert broken.status_code == 503
    assert "verify_labels_exact.json is no JSON" in broken.json()["error"]
    assert path.read_text() == text[: len(text) // 2]
    (case.files.folder / JOURNAL).write_text("{")
    damaged = post(case, one, ruling(verdict, note="lost?"))
    assert (damaged.status_code, list(damaged.json())) == (503, ["error"])
    (case.files.folder / JOURNAL).unlink()
    path.write_text(text)
    case.state("exact")
    assert post(case, one, ruling(verdict, note="kept")).status_code == 200


def test_a_save_takes_well_under_a_second(case):
    state = case.state("exact")
    one = find(state, verdict="valid", label=None)
    times = []
    for number in range(5):
        # of this process alone: others on the machine take their time too
        start = time.process_time()
        answer = post(case, one, ruling("valid", note=str(number)))
        times.append(time.process_time() - start)
        assert answer.status_code == 200
    assert min(times) < 0.5, times


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextmanager
def served(folder: Path, *options: str):
    """Start `pricebench review` as a person would, and end it as a crash would."""
    port = free_port()
    command = [sys.executable, "-m", "pricebench", "review", str(folder)]
    with subprocess.Popen(
        [*command, "--port", str(port), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            home = process.stdout.readline().strip()
            assert home == f"http://127.0.0.1:{port}/", process.stderr.read()
            with httpx.Client(base_url=home, headers={"origin": home[:-1]}) as client:
                for _ in range(100):
                    with suppress(httpx.ConnectError):
                        client.get("/state/exact.json")
                        break
                    time.sleep(0.05)
                yield client, process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def test_a_server_that_is_killed_between_two_saves_has_lost_nothing(
    built_review, tmp_path
):
    import shutil

    folder = Path(shutil.copytree(built_review[0], tmp_path / "run"))

    def save(client: httpx.Client, one: str, note: str) -> httpx.Response:
        state = client.get("/state/exact.json").json()
        verdict = state["candidates"][one]["panel"]["verdict"]
        label = ruling(verdict, note=note, shipping="1.00")
        body = {"version": state["version"], "candidate_id": one, "label": label}
        return client.post("/labels/exact", json=body, timeout=30)

    with served(folder) as (client, process):
        assert client.get("/", headers={"host": "evil.example"}).status_code == 403
        assert "<title>" in client.get("/").text
        first, second = client.get("/state/exact.json").json()["queue"][-2:]
        assert save(client, first, "one").status_code == 200
        answered = save(client, second, "two")
        assert answered.status_code == 200
        process.send_signal(signal.SIGKILL)
        with pytest.raises(httpx.TransportError):
            save(client, second, "three")
    assert not list(folder.glob(".*"))
    with served(folder) as (client, process):
        state = client.get("/state/exact.json").json()
        assert state == answered.json()["state"]
        notes = [state["candidates"][one]["label"]["note"] for one in (first, second)]
        assert notes == ["one", "two"]
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (0, "")
    assert f"every ruling is saved in {folder}" in err


def test_a_port_that_is_taken_is_said_at_once(built_review):
    from pricebench.errors import CommandError
    from pricebench.review.serve import review
    from pricebench.review.wish import Wish

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(CommandError, match=f"port {port} .*--port"):
            review(built_review[0], Wish(port=port))


def test_the_home_of_the_page_is_that_of_the_tests():
    from pricebench.review.wish import ADDRESS, DEFAULT_PORT

    assert f"http://{ADDRESS}:{DEFAULT_PORT}" == HOME
