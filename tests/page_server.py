"""A server on loopback whose bytes are scripted, for fetching pages over sockets."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

# what goes out for one request: bytes are sent, numbers are seconds of silence
Script = Callable[[bytes], Iterable[bytes | float]]


@dataclass
class PageServer:
    """A running server and the first bytes of every connection."""

    port: int
    requests: list[bytes] = field(default_factory=list)

    @property
    def place(self) -> str:
        """Return its address and port."""
        return f"127.0.0.1:{self.port}"

    def paths(self) -> list[str]:
        """Return the paths that were asked, in order."""
        return [request.split()[1].decode() for request in self.requests]


def answer(
    body: bytes = b"", status: str = "200 OK", headers: tuple[str, ...] = ()
) -> bytes:
    """Return a whole answer with its length."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def redirect(target: str) -> bytes:
    """Return a redirect."""
    return answer(status="302 Found", headers=(f"Location: {target}",))


@contextmanager
def serve(script: Script) -> Iterator[PageServer]:
    """Run a server until the block ends."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = PageServer(listener.getsockname()[1])
    stop = threading.Event()

    def run() -> None:
        while not stop.is_set():
            with suppress(OSError):
                connection, _ = listener.accept()
                threading.Thread(target=_talk, args=(connection,), daemon=True).start()

    def _talk(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            request = connection.recv(65536)
            if not request:
                return
            server.requests.append(request)
            for part in script(request):
                if stop.is_set():
                    return
                if isinstance(part, float):
                    time.sleep(part)
                else:
                    connection.sendall(part)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        stop.set()
        with suppress(OSError):
            # wakes accept, which closing the listener alone does not everywhere
            socket.create_connection(("127.0.0.1", server.port), 1).close()
        listener.close()
        thread.join(2)
