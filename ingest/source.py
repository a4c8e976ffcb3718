"""Opening what a person points at: a folder, a file, an archive or an https address."""

from __future__ import annotations

import os
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from ingest.download import Progress, address_label, download
from ingest.errors import LoadError, one_line

__all__ = ["LoadError", "Progress", "Source", "open_source"]

MAX_UNPACKED_BYTES = 4 * 1024**3
MAX_MEMBERS = 200_000
MAX_FILE_BYTES = 512 * 1024**2

_CHUNK = 1024**2
_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP_MAGIC = b"\x1f\x8b"
_ARCHIVE_SUFFIXES = (".zip", ".tar.gz", ".tgz")
_OTHER_SUFFIXES = (
    *(".tar", ".xz", ".txz", ".bz2", ".tbz", ".tbz2"),
    *(".zst", ".7z", ".rar"),
)
_KINDS_READ = ".zip and .tar.gz are read"
_NOT_READ = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISDIR, "a link to a folder"),
)
_ARCHIVE_ERRORS = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    UnicodeError,
    OSError,
)


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
    unread
        Name -> what it is, of everything that is neither plain file nor folder; never
        opened: a named pipe would never end.
    """

    label: str
    files: Mapping[str, Path]
    unread: Mapping[str, str] = field(default_factory=dict)

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
    r"""Open a folder, a file, a ``.zip``, a ``.tar.gz`` or an https address of one.

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
        a folder. Bytes of a name that are no UTF-8 stand as ``\xff``.

    Raises
    ------
    LoadError
        Where there is nothing to read: no such path, empty folder, broken archive,
        failed download, a member that points out of its archive.
    """
    say = progress or (lambda _: None)
    text = os.fspath(source)
    if not text:
        raise LoadError(
            "the source is an empty text; name a folder (. is this one), a file, an "
            "archive or an https address"
        )
    with tempfile.TemporaryDirectory(prefix="pricebench-") as scratch:
        if "://" in text:
            opened = _open_address(text, Path(scratch), say)
        else:
            opened = _open_path(text, Path(scratch))
        if not opened.files:
            unread = [f" but {name}, {what}" for name, what in opened.unread.items()]
            raise LoadError(
                f"{opened.label} holds no file{(unread or [''])[0]}; point at the "
                "folder or archive that has the data"
            )
        yield opened


def _open_address(address: str, scratch: Path, say: Progress) -> Source:
    label = address_label(address)
    archive = scratch / "download"
    download(address, archive, say)
    opened = _open_archive(archive, label, scratch)
    if opened is None:
        raise LoadError(
            f"{label} is not a .zip or .tar.gz (it starts with {_head(archive)!r}); "
            "give the address of the archive itself"
        )
    return opened


def _open_path(text: str, scratch: Path) -> Source:
    label = _readable(text)
    try:
        path = Path(text).expanduser()
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError) as error:
        raise LoadError(f"no such file or folder: {label}; check the path") from error
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or one_line(error)
        raise LoadError(
            f"{label} cannot be opened ({reason}); check the path"
        ) from error
    if stat.S_ISDIR(mode):
        return _walk(path, label)
    if not stat.S_ISREG(mode):
        raise LoadError(f"{label} is neither a file nor a folder; give one of these")
    opened = _open_archive(path, label, scratch)
    if opened is not None:
        return opened
    name = path.name.lower()
    if name.endswith(_ARCHIVE_SUFFIXES):
        raise LoadError(
            f"{label} is named like an archive but is none (it starts with "
            f"{_head(path)!r}); fetch it again"
        )
    if name.endswith(_OTHER_SUFFIXES):
        raise LoadError(
            f"{label} is an archive of another kind; {_KINDS_READ}: pack it as one of "
            "these, or unpack it and give the folder"
        )
    return Source(label, {_readable(path.name): path})


def _readable(name: str) -> str:
    """Return a name that can be stored and printed, whatever its bytes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _walk(root: Path, label: str) -> Source:
    def refuse(error: OSError) -> None:
        raise LoadError(
            f"folder {_readable(error.filename)} cannot be listed ({error.strerror}); "
            "check its permissions"
        ) from error

    found: dict[str, Path] = {}
    unread: dict[str, str] = {}
    for folder, subfolders, names in os.walk(root, onerror=refuse):
        subfolders[:] = [name for name in subfolders if not name.startswith(".")]
        links = [one for one in subfolders if (Path(folder) / one).is_symlink()]
        for base in [*names, *links]:
            path = Path(folder) / base
            if base.startswith("."):
                continue
            name = _readable(path.relative_to(root).as_posix())
            what = _what_else(path)
            if what is not None:
                unread[name] = what
            elif name in found:
                raise LoadError(f"{label} holds {name} twice; rename one of the two")
            else:
                found[name] = path
    return Source(label, dict(sorted(found.items())), dict(sorted(unread.items())))


def _what_else(path: Path) -> str | None:
    """Return what a path is that is no plain file, None for one; opens nothing."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        lost = path.is_symlink() and not isinstance(error, PermissionError)
        return "a link that leads nowhere" if lost else f"{error.strerror}"
    if stat.S_ISREG(mode):
        return None
    return next((what for test, what in _NOT_READ if test(mode)), "a device")


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
        files, unread = unpack(path, label, folder)
    except _ARCHIVE_ERRORS as error:
        raise LoadError(
            f"archive {label} cannot be unpacked ({one_line(error)}); fetch it again, "
            "or unpack it and give the folder"
        ) from error
    return Source(label, _strip_top(files), unread)


_Unpacked = tuple[dict[str, Path], dict[str, str]]


def _unpack_zip(path: Path, label: str, folder: Path) -> _Unpacked:
    files: dict[str, Path] = {}
    unread: dict[str, str] = {}
    left = MAX_UNPACKED_BYTES
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if info.is_dir():
                continue
            # the upper half of external_attr is the Unix mode; 0o120000 is a link
            if (info.external_attr >> 16) & 0o170000 == 0o120000:
                unread[_readable(info.filename)] = "a link"
                continue
            target = _claim(info.filename, label, folder, files)
            with archive.open(info) as member:
                left -= _spool(member, target, left, label)
    return files, unread


def _unpack_tar(path: Path, label: str, folder: Path) -> _Unpacked:
    files: dict[str, Path] = {}
    unread: dict[str, str] = {}
    left = MAX_UNPACKED_BYTES
    with tarfile.open(path, "r:gz") as archive:
        for info in archive:
            if info.isdir():
                continue
            member = archive.extractfile(info) if info.isreg() else None
            if member is None:
                link = info.issym() or info.islnk()
                unread[_readable(info.name)] = "a link" if link else "a device or pipe"
                continue
            target = _claim(info.name, label, folder, files)
            with member:
                left -= _spool(member, target, left, label)
    return files, unread


def _claim(name: str, label: str, folder: Path, files: dict[str, Path]) -> Path:
    """Register a member and return where to unpack it: a numbered file.

    Members never choose a path on this machine, so none can leave the folder; names
    that try are refused all the same, since such an archive was not made in good faith.
    """
    pure = PurePosixPath(_readable(name.replace("\\", "/")))
    if not pure.parts:
        raise LoadError(
            f"archive {label} has a member without a name ({name!r}); pack it again"
        )
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
