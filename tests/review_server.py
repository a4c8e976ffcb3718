"""The review of a run as a person starts it: a process that can be killed."""

from __future__ import annotations

import http.client
import json
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from review_state import HOSTILE

STARTING_S = 300
# a file can't hold half a character
TITLES = {name: text.replace("\ud800", "") for name, text in HOSTILE.items()}


def free_port() -> int:
    """Return a port that nobody listens on at the moment."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


class Served:
    """`pricebench review RUN` in a process of its own."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.port = free_port()
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def address(self) -> str:
        """Return where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [sys.executable, "-m", "pricebench", "review", str(self.folder)]
        options = ["--port", str(self.port), *self._options]
        self._process = subprocess.Popen(
            [*command, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        for _ in range(STARTING_S * 10):
            if self._process.poll() is not None:
                assert self._process.stderr is not None
                raise AssertionError(self._process.stderr.read().decode())
            try:
                # it listens before it can answer
                self.ask("GET", "/state/exact.json", timeout=STARTING_S)
            except OSError:
                time.sleep(0.1)
            else:
                return
        self.kill()
        raise AssertionError(f"no answer in {STARTING_S} s")

    def kill(self) -> None:
        """End it as a crash does: it learns of nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.communicate()

    def file(self, name: str) -> dict[str, Any]:
        """Return a JSON file of the run as it stands on the disk."""
        found: dict[str, Any] = json.loads((self.folder / name).read_text())
        return found

    def labels(self, track: str = "exact") -> dict[str, Any]:
        """Return the rulings on the disk."""
        found: dict[str, Any] = self.file(f"verify_labels_{track}.json")["labels"]
        return found

    def state(self, track: str = "exact") -> dict[str, Any]:
        """Return the state that the page of a track would get."""
        status, body = self.ask("GET", f"/state/{track}.json")
        assert status == 200
        found: dict[str, Any] = body
        return found

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        timeout: float = 60,
        **headers: str,
    ) -> tuple[int, Any]:
        """Ask without a browser, so that every header can be a stranger's."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        connection.request(method, path, json.dumps(body) if body else None, sent)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        is_json = "json" in (answer.getheader("Content-Type") or "")
        return answer.status, json.loads(text) if is_json else text


def write_hostile(example: Path, folder: Path) -> Path:
    """Copy a run, and give some of its candidates a hostile title."""
    shutil.copytree(example, folder)
    path = folder / "candidates_exact.json"
    body = json.loads(path.read_text())
    ids = sorted(
        one for one, own in body["candidates"].items() if not own["self_match"]
    )
    for one_id, title in zip(ids, TITLES.values(), strict=False):
        body["candidates"][one_id]["title"] = title
    path.write_text(json.dumps(body))
    return folder
