"""Fetching an archive from an https address, and nothing from anywhere else."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from ingest.errors import LoadError, one_line

MAX_DOWNLOAD_BYTES = 2 * 1024**3
CONNECT_SECONDS = 15.0
READ_SECONDS = 60.0

_CHUNK = 1024**2

Progress = Callable[[str], None]


def address_label(address: str) -> str:
    """Return an address as messages show it.

    Parameters
    ----------
    address
        As typed.

    Returns
    -------
    str
        Without user, password, query and fragment, which may be secret.

    Raises
    ------
    LoadError
        Where it is no address.
    """
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError as error:
        shown = re.sub(r"//[^/]*@", "//", re.split(r"[?#]", address)[0])
        raise LoadError(
            f"{shown} is no address: its host or port cannot be read; correct it"
        ) from error
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"


def download(address: str, target: Path, say: Progress) -> None:
    """Fetch an address into a file.

    Parameters
    ----------
    address
        An https address, or an http address of this machine (loopback).
    target
        The file; written.
    say
        Called with one line of text per stage.

    Raises
    ------
    LoadError
        Where the address is another, nothing comes back, or more than 2 GiB.
    """
    label = address_label(address)
    parts = urlsplit(address)
    _refuse_unsafe(parts.scheme.lower(), parts.hostname or "", label)
    import httpx

    def check(request: httpx.Request) -> None:
        # a redirect is a request of its own and must be as safe as the first
        _refuse_unsafe(request.url.scheme, request.url.host.strip("[]"), label)

    say(f"fetching {label}")
    try:
        with (
            httpx.Client(
                follow_redirects=True,
                timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
                event_hooks={"request": [check]},
            ) as client,
            client.stream("GET", address) as response,
        ):
            if response.status_code != httpx.codes.OK:
                raise LoadError(
                    f"{label} answered {response.status_code} "
                    f"{response.reason_phrase}; check the address"
                )
            _receive(response.iter_bytes(_CHUNK), target, label)
    # a host name that no domain could have is a UnicodeError
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise LoadError(
            f"{label} cannot be fetched ({one_line(error)}); check the address and "
            "the network, or download it yourself and give the path"
        ) from error
    say(f"fetched {target.stat().st_size:,} bytes")


def _receive(chunks: Iterator[bytes], target: Path, label: str) -> None:
    received = 0
    try:
        with target.open("wb") as out:
            for chunk in chunks:
                received += len(chunk)
                if received > MAX_DOWNLOAD_BYTES:
                    raise LoadError(
                        f"{label} is larger than {MAX_DOWNLOAD_BYTES:,} bytes; "
                        "download it yourself and give the folder"
                    )
                out.write(chunk)
    except OSError as error:
        raise LoadError(
            f"{label} cannot be stored ({one_line(error)}); make room in the "
            "temporary folder"
        ) from error


def _refuse_unsafe(scheme: str, host: str, label: str) -> None:
    if scheme == "https" and host:
        return
    if scheme == "http" and _is_loopback(host):
        return
    raise LoadError(
        f"{label}: only https addresses are read (http for this machine alone); use "
        "https, or download the archive and give its path"
    )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
