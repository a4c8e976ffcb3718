"""Opening what a person points at: a folder, a file, an archive or an https address."""

from __future__ import annotations

import ipaddress
import os
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.parse import urlsplit

from ingest.errors import LoadError, one_line

__all__ = ["LoadError", "Source", "open_source"]

MAX_DOWNLOAD_BYTES = 2 * 1024**3
MAX_UNPACKED_BYTES = 4 * 1024**3
MAX_MEMBERS = 200_000
MAX_FILE_BYTES = 512 * 1024**2
CONNECT_SECONDS = 15.0
READ_SECONDS = 60.0

_CHUNK = 1024**2
_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP_MAGIC = b"\x1f\x8b"
_ARCHIVE_SUFFIXES = (".zip", ".tar.gz", ".tgz")
_ARCHIVE_ERRORS = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
)

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Source:
    """Files by name relative to the source, wherever they came from.

    Attributes
    ----------
    label
        How messages name the source; an address is shown without its query.
    files
        Relative name with forward slashes -> readable path, in name order. A top
        folder that all members of an archive share is not part of the name.
    links
        Names of archive members that are no plain files (links, devices); never read.
    """

    label: str
    files: Mapping[str, Path]
    links: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the relative names in order."""
        return tuple(self.files)

    def read(self, name: str) -> bytes:
        """Return the bytes of one file.

        Parameters
        ----------
        name
            One of ``names``.

        Returns
        -------
        bytes
            The whole file; may be empty.

        Raises
        ------
        LoadError
            Where the file cannot be read or is larger than 512 MiB.
        """
        path = self.files[name]
        try:
            size = path.stat().st_size
            if size > MAX_FILE_BYTES:
                raise LoadError(
                    f"{name} has {size:,} bytes, more than the limit of "
                    f"{MAX_FILE_BYTES:,}; split it or load it from a smaller file"
                )
            return path.read_bytes()
        except OSError as error:
            raise LoadError(
                f"{name} cannot be read ({error.strerror}); check its permissions"
            ) from error


@contextmanager
def open_source(
    source: str | os.PathLike[str], progress: Progress | None = None
) -> Iterator[Source]:
    """Open a folder, a file, a ``.zip``, a ``.tar.gz`` or an https address of one.

    Parameters
    ----------
    source
        Path or address. ``http`` is accepted for this machine (loopback) only.
    progress
        Called with one line of text per stage.

    Yields
    ------
    Source
        Valid inside the ``with`` block; what was downloaded or unpacked is removed
        at its end. Hidden files and folders (name starts with a dot) are left out of
        a folder.

    Raises
    ------
    LoadError
        Where there is nothing to read: no such path, empty folder, broken archive,
        failed download, a member that points out of its archive.
    """
    say = progress or (lambda _: None)
    text = os.fspath(source)
    with tempfile.TemporaryDirectory(prefix="pricebench-") as scratch:
        if "://" in text:
            label = _address_label(text)
            archive = Path(scratch) / "download"
            _download(text, label, archive, say)
            opened = _open_archive(archive, label, Path(scratch))
            if opened is None:
                raise LoadError(
                    f"{label} is not a .zip or .tar.gz (it starts with "
                    f"{_head(archive)!r}); give the address of the archive itself"
                )
        else:
            opened = _open_path(Path(text).expanduser(), Path(scratch))
        if not opened.files:
            raise LoadError(
                f"{opened.label} holds no file; point at the folder or archive that "
                "has the data"
            )
        yield opened


def _open_path(path: Path, scratch: Path) -> Source:
    if not path.exists():
        raise LoadError(f"no such file or folder: {path}; check the path")
    if path.is_dir():
        return Source(str(path), _walk(path))
    if not path.is_file():
        raise LoadError(f"{path} is neither a file nor a folder; give one of these")
    opened = _open_archive(path, str(path), scratch)
    if opened is not None:
        return opened
    if path.name.endswith(_ARCHIVE_SUFFIXES):
        raise LoadError(
            f"{path} is named like an archive but is none (it starts with "
            f"{_head(path)!r}); fetch it again"
        )
    return Source(str(path), {path.name: path})


def _walk(root: Path) -> dict[str, Path]:
    def refuse(error: OSError) -> None:
        raise LoadError(
            f"folder {error.filename} cannot be listed ({error.strerror}); check its "
            "permissions"
        ) from error

    found: dict[str, Path] = {}
    for folder, subfolders, names in os.walk(root, onerror=refuse):
        subfolders[:] = [name for name in subfolders if not name.startswith(".")]
        for name in names:
            path = Path(folder) / name
            if not name.startswith(".") and path.is_file():
                found[path.relative_to(root).as_posix()] = path
    return dict(sorted(found.items()))


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(16)
    except OSError as error:
        raise LoadError(
            f"{path} cannot be read ({error.strerror}); check its permissions"
        ) from error


def _open_archive(path: Path, label: str, scratch: Path) -> Source | None:
    """Return the unpacked archive, or None where the bytes are not those of one."""
    head = _head(path)
    if head.startswith(_ZIP_MAGIC):
        unpack = _unpack_zip
    elif head.startswith(_GZIP_MAGIC):
        unpack = _unpack_tar
    else:
        return None
    folder = scratch / "members"
    folder.mkdir()
    try:
        files, links = unpack(path, label, folder)
    except _ARCHIVE_ERRORS as error:
        raise LoadError(
            f"archive {label} cannot be unpacked ({one_line(error)}); fetch it again"
        ) from error
    return Source(label, _strip_top(files), tuple(links))


_Unpacked = tuple[dict[str, Path], list[str]]


def _unpack_zip(path: Path, label: str, folder: Path) -> _Unpacked:
    files: dict[str, Path] = {}
    links: list[str] = []
    left = MAX_UNPACKED_BYTES
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if info.is_dir():
                continue
            # the upper half of external_attr is the Unix mode; 0o120000 is a link
            if (info.external_attr >> 16) & 0o170000 == 0o120000:
                links.append(info.filename)
                continue
            target = _claim(info.filename, label, folder, files)
            with archive.open(info) as member:
                left -= _spool(member, target, left, label)
    return files, links


def _unpack_tar(path: Path, label: str, folder: Path) -> _Unpacked:
    files: dict[str, Path] = {}
    links: list[str] = []
    left = MAX_UNPACKED_BYTES
    with tarfile.open(path, "r:gz") as archive:
        for info in archive:
            if info.isdir():
                continue
            member = archive.extractfile(info) if info.isreg() else None
            if member is None:
                links.append(info.name)
                continue
            target = _claim(info.name, label, folder, files)
            with member:
                left -= _spool(member, target, left, label)
    return files, links


def _claim(name: str, label: str, folder: Path, files: dict[str, Path]) -> Path:
    """Register a member and return where to unpack it: a numbered file.

    Members never choose a path on this machine, so none can leave the folder; names
    that try are refused all the same, since such an archive was not made in good faith.
    """
    pure = PurePosixPath(name.replace("\\", "/"))
    if pure.is_absolute() or ".." in pure.parts or ":" in pure.parts[0]:
        raise LoadError(
            f"archive {label} has a member that points out of it ({name!r}); do not "
            "use this archive"
        )
    if str(pure) in files:
        raise LoadError(f"archive {label} holds {pure} twice; pack it again")
    if len(files) >= MAX_MEMBERS:
        raise LoadError(
            f"archive {label} has more than {MAX_MEMBERS:,} files; pack the data alone"
        )
    target = folder / str(len(files))
    files[str(pure)] = target
    return target


def _spool(member: IO[bytes], target: Path, left: int, label: str) -> int:
    written = 0
    with target.open("wb") as out:
        while chunk := member.read(_CHUNK):
            written += len(chunk)
            if written > left:
                raise LoadError(
                    f"archive {label} unpacks to more than {MAX_UNPACKED_BYTES:,} "
                    "bytes; pack the data alone"
                )
            out.write(chunk)
    return written


def _strip_top(files: dict[str, Path]) -> dict[str, Path]:
    tops = {name.split("/", 1)[0] if "/" in name else None for name in files}
    if len(tops) == 1 and None not in tops:
        files = {name.split("/", 1)[1]: path for name, path in files.items()}
    return dict(sorted(files.items()))


def _address_label(address: str) -> str:
    """Return the address without user, password, query and fragment."""
    parts = urlsplit(address)
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError as error:
        raise LoadError(f"address {address!r}: {error}; correct it") from error
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"


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


def _download(address: str, label: str, target: Path, say: Progress) -> None:
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
    except (httpx.HTTPError, httpx.InvalidURL) as error:
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
