"""Snapshots of pages in a run folder, named by their content (search 1.1)."""

from __future__ import annotations

import gzip
import hashlib
import io
from pathlib import Path

from ingest.whole_file import write_whole

FOLDER = "evidence"


def evidence_name(body: bytes) -> str:
    """Return the name of a page's snapshot within its run folder."""
    return f"{FOLDER}/{hashlib.sha256(body).hexdigest()}.html.gz"


def packed_page(body: bytes) -> bytes:
    """Return a page compressed.

    Parameters
    ----------
    body
        Its bytes as they arrived, unpacked.

    Returns
    -------
    bytes
        The same for the same page: neither time nor name stands in it.
    """
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as file:
        file.write(body)
    return packed.getvalue()


def write_evidence(run: Path, body: bytes) -> str:
    """Keep a page as evidence.

    Parameters
    ----------
    run
        The run folder.
    body
        Bytes of the page as they arrived, unpacked.

    Returns
    -------
    str
        Hash of the page, by which artifacts name it; a page that is kept already is
        not written again.

    Raises
    ------
    LoadError
        Where the folder cannot be written.
    """
    path = run / evidence_name(body)
    if not path.exists():
        write_whole(path, packed_page(body))
    return path.name.partition(".")[0]
