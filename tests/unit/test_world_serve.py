"""The verb that serves the offline world, as a person runs it."""

from __future__ import annotations

import signal
import subprocess
import sys

import httpx

from ingest.world.server import listen
from pricebench.cli import main


def test_the_world_is_served_until_ctrl_c(tmp_path):
    command = [sys.executable, "-m", "pricebench", "simulate", "serve", "--port", "0"]
    command += ["--files", str(tmp_path / "world")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        try:
            address = running.stdout.readline().strip()
            models = httpx.get(f"{address}/models", timeout=20).json()["data"]
            asked = {"model": "simulated/rational", "messages": []}
            httpx.post(f"{address}/chat/completions", json=asked)
        finally:
            running.send_signal(signal.SIGINT)
        told = running.communicate(timeout=20)[1]
    assert running.returncode == 0
    assert "simulated/balanced" in {one["id"] for one in models}
    assert "ended after 1 questions" in told
    assert sorted(path.name for path in (tmp_path / "world").iterdir()) == [
        *("categories.csv", "lists.csv", "retailers.csv", "seats.yaml"),
        "shipping_policy.csv",
    ]
    assert f"--api-base {address}" in told


def test_a_port_that_is_taken_is_named(capsys):
    with listen(0) as listener:
        listener.listen()
        port = listener.getsockname()[1]
        assert main(["simulate", "serve", "--port", str(port)]) == 1
    told = capsys.readouterr().err.strip()
    assert len(told.splitlines()) == 1
    assert f"port {port} of 127.0.0.1 cannot be used" in told
