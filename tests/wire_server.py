"""An HTTP server over sockets that notes every request and answers as scripted."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Sent:
    """A request as it came in; ``body`` is its JSON, None for none."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True)
class Reply:
    """What goes back.

    ``fault`` is hang, reset, half (half of the body, then closed), drip (a byte in a
    second), length (content-length too large) or short (too small).
    """

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: str | None = None


Script = Callable[[int, Sent], Reply]


@dataclass
class Server:
    """A running server and what it was asked."""

    address: str
    sent: list[Sent] = field(default_factory=list)


@contextmanager
def serve(script: Script) -> Iterator[Server]:
    """Serve on a free port of loopback; the script gets the request and its number."""
    lock, over = threading.Lock(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle(self) -> None:
            # a client that goes away is no fault of the test
            with suppress(ConnectionError, ValueError):
                super().handle()

        def answer(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            data = self.rfile.read(length)
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = json.loads(data) if data else None
            with lock:
                number = len(server.sent)
                server.sent.append(Sent(self.command, self.path, headers, body))
            reply = script(number, server.sent[number])
            if reply.fault == "hang":
                over.wait(30)
            if reply.fault in ("hang", "reset"):
                self.close_connection = True
                return
            payload = reply.body
            if not isinstance(payload, bytes):
                payload = json.dumps(payload).encode()
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            more = {"length": 100, "short": -10}.get(reply.fault or "", 0)
            self.send_header("content-length", str(len(payload) + more))
            self.end_headers()
            self.close_connection = self.close_connection or reply.fault is not None
            if reply.fault == "drip":
                for byte in payload:
                    self.wfile.write(bytes([byte]))
                    if over.wait(1):
                        return
            half = reply.fault == "half"
            self.wfile.write(payload[: len(payload) // 2] if half else payload)

        do_GET = do_POST = answer

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listening.daemon_threads = True
    server = Server(f"http://127.0.0.1:{listening.server_address[1]}")
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        over.set()
        listening.shutdown()
        listening.server_close()
        thread.join(10)
