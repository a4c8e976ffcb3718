"""The review page over HTTP, for one person on this machine.

Titles and pages in a run come from strangers, and so may requests: what is served is
named by an artifact, and only this server's own page may save.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from pricebench.errors import CommandError
from pricebench.review.case import Case
from pricebench.review.documents import REFS
from pricebench.review.errors import Refused

LONGEST_BODY = 64 * 1024
# a page snapshot is shown up to here
LONGEST_EVIDENCE = 5 * 1024 * 1024
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_SHUT = "default-src 'none'; sandbox; frame-ancestors 'none'"
_SIGNATURES = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


class Page(Protocol):
    """What draws the page."""

    def render(self, state: Mapping[str, Any]) -> str:
        """Return the HTML of a state."""

    def content_policy(self) -> str:
        """Return what the page may load, as a header says it."""


def review_app(case: Case, page: Page, port: int) -> Starlette:
    """Return the server of a review.

    Parameters
    ----------
    case
        The run under review.
    page
        What draws it.
    port
        Where it listens on 127.0.0.1; requests for any other host are refused.

    Returns
    -------
    Starlette
    """
    hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}

    def guarded(answer: Callable[[Request], Awaitable[Response]]) -> Any:
        async def guard(request: Request) -> Response:
            response = await _refuse_strangers(request, hosts, answer)
            for name, value in _HEADERS.items():
                response.headers.setdefault(name, value)
            response.headers.setdefault("Content-Security-Policy", _SHUT)
            return response

        return guard

    def shown(track: str) -> Response:
        html = page.render(case.state(track))
        return HTMLResponse(
            html, headers={"Content-Security-Policy": page.content_policy()}
        )

    async def home(_: Request) -> Response:
        return shown(case.tracks[0])

    async def track_page(request: Request) -> Response:
        track = request.path_params["track"]
        return shown(track) if track in case.tracks else _unknown()

    async def state(request: Request) -> Response:
        track = request.path_params["track"]
        return JSONResponse(case.state(track)) if track in case.tracks else _unknown()

    async def save_label(request: Request) -> Response:
        track = request.path_params["track"]
        if case.is_references or track not in case.files.tracks:
            return _unknown()
        case.save_label(track, await _body(request))
        return _saved(case, track)

    async def save_ref(request: Request) -> Response:
        body = await _body(request)
        case.save_ref(body)
        track = body.get("track")
        return _saved(case, track if track in case.tracks else case.tracks[0])

    async def file(request: Request) -> Response:
        name = request.url.path.removeprefix("/")
        if name not in case.files.paths():
            return _unknown()
        data = (case.files.folder / name).read_bytes()
        return _image(data) if name.startswith("images/") else _evidence(data)

    return Starlette(
        routes=[
            Route("/", guarded(home)),
            Route("/verify_{track}.html", guarded(track_page)),
            Route("/state/{track}.json", guarded(state)),
            Route("/images/{name}", guarded(file)),
            Route("/evidence/{name}", guarded(file)),
            Route("/labels/{track}", guarded(save_label), methods=["POST"]),
            Route(f"/{REFS}", guarded(save_ref), methods=["POST"]),
            Route("/{rest:path}", guarded(_no_such), methods=["GET", "POST"]),
        ]
    )


async def _refuse_strangers(
    request: Request,
    hosts: set[str],
    answer: Callable[[Request], Awaitable[Response]],
) -> Response:
    """Answer what this server's own page asks; refuse a page of elsewhere.

    A name that a stranger points at this machine is not among the hosts.
    """
    own = {f"http://{host}" for host in hosts}
    origin = request.headers.get("origin")
    if request.headers.get("host") not in hosts:
        return _told("this server answers for 127.0.0.1 alone", 403)
    if origin not in own and (origin is not None or request.method == "POST"):
        return _told("only the review page itself may ask this", 403)
    try:
        return await answer(request)
    except Refused as error:
        return JSONResponse(error.body(), error.status)
    except CommandError as error:
        return _told(str(error), 503)


async def _body(request: Request) -> dict[str, Any]:
    """Read what was posted: one JSON object, in bounds."""
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused("what is saved is sent as application/json", status=415)
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > LONGEST_BODY:
            raise Refused(f"more than {LONGEST_BODY:,} bytes were sent", status=413)
    try:
        body = json.loads(data)
        # half a character, which JSON can name and no file can hold
        json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError) as error:
        raise Refused(
            "what was sent is no JSON that can be kept", status=422
        ) from error
    if not isinstance(body, dict):
        raise Refused("what was sent is no JSON object")
    return body


def _saved(case: Case, track: str) -> Response:
    state = case.state(track)
    versions = {name: state[name] for name in ("version", "refs_version")}
    return JSONResponse({**versions, "state": state})


def _image(data: bytes) -> Response:
    for start, kind in _SIGNATURES:
        if data.startswith(start):
            return Response(data, media_type=kind)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return Response(data, media_type="image/webp")
    return _unknown()


def _evidence(data: bytes) -> Response:
    """Show a page snapshot as the text that it is."""
    if data.startswith(b"\x1f\x8b"):
        try:
            unpacked = zlib.decompressobj(16 + zlib.MAX_WBITS)
            data = unpacked.decompress(data, LONGEST_EVIDENCE)
        except zlib.error:
            return _told("this snapshot is damaged", 404)
    return PlainTextResponse(data[:LONGEST_EVIDENCE])


async def _no_such(_: Request) -> Response:
    return _unknown()


def _unknown() -> Response:
    return _told("there is nothing of this name here", 404)


def _told(why: str, status: int) -> Response:
    return JSONResponse({"error": why}, status)
