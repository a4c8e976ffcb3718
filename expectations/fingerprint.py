"""One hash over the code that figures depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Folder of the checkout -> endings of the files in it that shape figures.
_SOURCES = {
    "dbt_project": (".sql", ".py", ".yml", ".csv"),
    "models": (".py",),
    "expectations": (".py",),
}
_BUILT = ("target", "logs", "dbt_packages", "__pycache__")


def code_sha256(root: Path = ROOT) -> str:
    """Return a hash of every source file between raw tables and marts.

    Incremental models carry it in their fingerprint, so that a change of code
    recomputes what it may have moved.

    Parameters
    ----------
    root
        A checkout: the folder that holds ``dbt_project``, ``models`` and
        ``expectations``.

    Returns
    -------
    str
        64 hexadecimal digits. They depend on the names of the files below ``root``
        and on their content, not on where ``root`` lies, on the order in which
        files are listed or on how lines end.

    Raises
    ------
    FileNotFoundError
        One of the three folders is missing.
    """
    digest = hashlib.sha256()
    for path in sorted(_source_files(root), key=lambda path: _name(path, root)):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{_name(path, root)}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _source_files(root: Path) -> Iterator[Path]:
    for folder, endings in _SOURCES.items():
        if not (root / folder).is_dir():
            raise FileNotFoundError(
                f"{root / folder} is missing; run from a checkout that holds "
                f"{', '.join(_SOURCES)} side by side"
            )
        for path in (root / folder).rglob("*"):
            parts = path.relative_to(root).parts
            if path.suffix in endings and not set(parts) & set(_BUILT):
                yield path
