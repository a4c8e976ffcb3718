"""What a stranger's page or name can ask of the review: nothing."""

from __future__ import annotations

import http.server
import threading
from functools import partial
from typing import Any

import pytest


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {},
    ],
    ids=["foreign", "null", "other port", "none"],
)
def test_only_the_page_itself_may_save(served, headers):
    body = {"version": served.state()["version"], "candidate_id": "c", "label": None}
    status, answer = served.ask("POST", "/labels/exact", body, **headers)
    assert status == 403
    assert "review page itself" in answer["error"]


@pytest.mark.parametrize("path", ["/", "/verify_exact.html", "/state/exact.json"])
def test_a_name_that_points_here_from_elsewhere_is_refused(served, path):
    for host in ("evil.example", f"evil.example:{served.port}", "127.0.0.1:1"):
        status, answer = served.ask("GET", path, Host=host)
        assert status == 403, host
        assert "127.0.0.1 alone" in answer["error"]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder and logs nothing."""

    def log_message(self, *_: Any) -> None:
        pass


def test_a_page_of_elsewhere_can_neither_read_nor_save(chromium, served, tmp_path):
    (tmp_path / "index.html").write_text("<!doctype html><title>elsewhere</title>")
    handler = partial(Quiet, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        version = served.state()["version"]
        attack = """async ([address, version, one]) => {
            const body = JSON.stringify({version, candidate_id: one, label: null});
            const said = [];
            for (const options of [
                {}, {mode: "no-cors"},
                {method: "POST", body, mode: "no-cors"},
                {method: "POST", body, headers: {"Content-Type": "application/json"}},
            ]) {
                try {
                    const path = options.method ? "/labels/exact" : "/state/exact.json";
                    const answer = await fetch(address + path, options);
                    said.push(answer.type + (await answer.text()));
                } catch (error) { said.push(error.name); }
            }
            return said;
        }"""
        context = chromium.new_context()
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.server_address[1]}/")
        ruled = next(iter(served.labels()))
        said = page.evaluate(attack, [served.address, version, ruled])
        context.close()
        server.shutdown()
    assert all(one in ("TypeError", "opaque") for one in said), said
    assert served.state()["version"] == version
