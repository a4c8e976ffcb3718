"""Writing artifacts of a run: header, keys in order, so that they compare well."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ingest.search.protocol import RULES, stamped
from ingest.sources import COLLECTED


def artifact_text(
    kind: str,
    body: Mapping[str, Any],
    *,
    run_id: str,
    at: datetime,
    inputs: Mapping[str, str],
    tool_version: str,
    source: str = COLLECTED,
    created_at: str | None = None,
    rules: Mapping[str, Any] = RULES,
) -> str:
    """Return an artifact as it stands in its file.

    Parameters
    ----------
    kind
        As in its schema.
    body
        What it holds beside the header.
    run_id, tool_version, source
        For the header; ``source`` stands there unless it is ``collected``.
    at
        When it was written, UTC.
    inputs
        Files that it was made from, with the hashes of their bytes.
    created_at
        When it was first written, as it stands there; None: now.
    rules
        Those that the run is bound to.

    Returns
    -------
    str
        JSON with keys in order, two spaces deep, and a line break at its end; half a
        character, which a page may write and no file can hold, is a question mark.
    """
    header = {
        "schema": f"search-bench/{kind}/1",
        "run_id": run_id,
        "created_at": created_at or time_text(at),
        "updated_at": time_text(at),
        "protocol": stamped(rules),
        "inputs": dict(inputs),
        "tool_version": tool_version,
    }
    if source != COLLECTED:
        header["source"] = source
    whole = {**header, **body}
    text = json.dumps(whole, sort_keys=True, indent=2, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode() + "\n"


def time_text(at: datetime) -> str:
    """Return a time, UTC, as artifacts hold it."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def text_sha256(text: str) -> str:
    """Return the hash of a text's bytes in a file."""
    return hashlib.sha256(text.encode()).hexdigest()
