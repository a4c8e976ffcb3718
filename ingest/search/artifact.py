"""The files of a run folder: what each is by its name, and its header."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ingest.errors import LoadError
from ingest.json_rows import (
    HALF_CHARACTER,
    holds_half_characters,
    no_key_twice,
    text_of,
    whole_of,
)
from ingest.parsed_file import RowError
from ingest.search.protocol import rules_sha256
from ingest.search.records import part_of, time_of
from ingest.sources import COLLECTED, OBSERVED

SCENARIOS = ("base", "prime")
POLICY_FILE = "shipping_policy.csv"

_TRACK = "(?P<track>exact|equiv)"
_NAMES = {
    "cells": r"cells\.json",
    "sourcing_log": r"sourcing_log\.json",
    "tasks": r"tasks\.json",
    "raw": rf"raw_(?P<agent>[a-z0-9_-]{{1,40}})_{_TRACK}\.json",
    "candidates": rf"candidates_{_TRACK}\.json",
    "grades": rf"grades_{_TRACK}\.json",
    "audit": rf"audit_{_TRACK}\.json",
    "verify_labels": rf"verify_labels_{_TRACK}\.json",
    "verify_labels_refs": r"verify_labels_refs\.json",
    "summary": rf"summary_{_TRACK}(?P<prime>_prime)?\.json",
}
_PATTERNS = {kind: re.compile(pattern) for kind, pattern in _NAMES.items()}
KINDS = tuple(_NAMES)
# made before the bank, so that they need not name it
BEFORE_TASKS = ("cells", "sourcing_log", "tasks")
# where the records of each kind stand; what is left is `extra`
CONTAINERS = {
    **{"cells": ("cells",), "sourcing_log": ("records",), "tasks": ("tasks",)},
    "raw": ("agent", "track", "config", "entries"),
    **{"candidates": ("candidates",), "grades": ("judges", "grades")},
    **{"audit": ("audits",), "verify_labels": ("labels", "history", "version")},
    "verify_labels_refs": ("refs", "history", "version"),
    "summary": (),
}
_ARRAYS = ("cells", "records", "tasks", "judges", "history")
_OBJECTS = ("config", "entries", "candidates", "grades", "audits", "labels", "refs")
HEADER = (
    *("schema", "run_id", "created_at", "updated_at", "protocol", "inputs"),
    "tool_version",
)
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class FileKind:
    """What a file of a run folder is by its name.

    Attributes
    ----------
    kind
        One of ``KINDS``.
    track, agent, scenario
        As in the name; None for a kind that has none.
    """

    kind: str
    track: str | None = None
    agent: str | None = None
    scenario: str | None = None


@dataclass(frozen=True, slots=True)
class Artifact:
    """One JSON artifact with its header checked.

    Attributes
    ----------
    name
        Within the run folder.
    sha256
        Of its bytes.
    kind
        What it is.
    run_id, created_at, updated_at, tool_version, inputs
        As in the header; ``inputs`` maps file names to hashes.
    protocol
        The rules.
    protocol_sha256
        Their hash as stated.
    source
        collected, unless the header says otherwise.
    version
        Of a label file; None for others.
    body
        The whole object.
    """

    name: str
    sha256: str
    kind: FileKind
    run_id: str
    created_at: datetime
    updated_at: datetime
    tool_version: str
    inputs: Mapping[str, str]
    protocol: Mapping[str, Any]
    protocol_sha256: str
    source: str
    version: int | None
    body: Mapping[str, Any]

    @property
    def tasks_sha256(self) -> str | None:
        """Return the bank that it was made from; None where it names none."""
        return self.inputs.get("tasks.json")

    @property
    def extra(self) -> dict[str, Any]:
        """Return what is neither header nor records."""
        known = {*HEADER, *CONTAINERS[self.kind.kind], "source"}
        return {key: value for key, value in self.body.items() if key not in known}


def kind_of(name: str) -> FileKind | None:
    """Return what a file is by its name, None for none of the artifacts.

    Parameters
    ----------
    name
        Without folder.

    Returns
    -------
    FileKind or None
    """
    for kind, pattern in _PATTERNS.items():
        match = pattern.fullmatch(name)
        if match:
            found = match.groupdict()
            scenario = (
                SCENARIOS[bool(found.get("prime"))] if kind == "summary" else None
            )
            return FileKind(kind, found.get("track"), found.get("agent"), scenario)
    return None


def read_artifact(name: str, data: bytes, kind: FileKind) -> Artifact:
    """Read a JSON artifact and check its header.

    Parameters
    ----------
    name
        How messages name the file.
    data
        Its bytes.
    kind
        What it should be.

    Returns
    -------
    Artifact

    Raises
    ------
    LoadError
        Where it is no JSON object, a key stands twice in an object, it is of another
        schema, or its header lacks something or speaks of another track or agent.
    """
    body = _parse(name, data)
    schema, wanted = body.get("schema"), f"search-bench/{kind.kind}/1"
    if schema != wanted:
        raise LoadError(f"{name}: schema is {schema!r} where {wanted!r} should stand")
    lacking = [key for key in HEADER if body.get(key) is None]
    if lacking:
        raise LoadError(f"{name}: its header lacks {', '.join(lacking)}")
    try:
        artifact = _from_body(name, hashlib.sha256(data).hexdigest(), kind, body)
    except RowError as error:
        raise LoadError(f"{name}: {error.field}: {error.reason}") from error
    _check_containers(artifact)
    return artifact


def _parse(name: str, data: bytes) -> dict[str, Any]:
    try:
        body = json.loads(
            data.decode("utf-8-sig"),
            object_pairs_hook=no_key_twice,
            parse_constant=_no_constant,
        )
    except UnicodeDecodeError as error:
        raise LoadError(f"{name} is no UTF-8; write it again") from error
    except RecursionError as error:
        raise LoadError(f"{name} is nested too deeply to be an artifact") from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        cut = " (is the file cut?)" if error.pos >= len(error.doc.rstrip()) - 1 else ""
        raise LoadError(f"{name} is no JSON at {where}: {error.msg}{cut}") from error
    except ValueError as error:
        raise LoadError(f"{name} is no JSON: {error}") from error
    if not isinstance(body, dict):
        raise LoadError(f"{name} holds no JSON object")
    if holds_half_characters(body, data):
        raise LoadError(f"{name}: {HALF_CHARACTER}; write it again")
    return body


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


def _from_body(
    name: str, sha256: str, kind: FileKind, body: Mapping[str, Any]
) -> Artifact:
    protocol = part_of(body, "protocol")
    inputs = part_of(body, "inputs")
    for file, one in inputs.items():
        if not isinstance(one, str) or _HASH.fullmatch(one) is None:
            raise RowError("inputs", f"{file} has no sha256 of 64 hex digits")
    source = body.get("source", COLLECTED)
    if source not in OBSERVED:
        raise RowError("source", f"{source!r} is not one of {', '.join(OBSERVED)}")
    run_id = text_of(body, "run_id")
    if "/" in run_id or run_id != run_id.strip() or len(run_id) > 100:
        raise RowError("run_id", f"{run_id[:60]!r} is no name of a run")
    return Artifact(
        name=name,
        sha256=sha256,
        kind=kind,
        run_id=run_id,
        created_at=time_of(body, "created_at"),
        updated_at=time_of(body, "updated_at"),
        tool_version=text_of(body, "tool_version"),
        inputs=inputs,
        protocol=protocol,
        protocol_sha256=text_of(protocol, "sha256"),
        source=source,
        version=whole_of(body, "version") if "version" in _kept(kind) else None,
        body=body,
    )


def _kept(kind: FileKind) -> tuple[str, ...]:
    return CONTAINERS[kind.kind]


def _check_containers(artifact: Artifact) -> None:
    kind, body, name = artifact.kind, artifact.body, artifact.name
    for key in ("agent", "track", "scenario"):
        stated, wanted = body.get(key), getattr(kind, key)
        must = kind.kind == "raw" and wanted is not None
        if (must or None not in (stated, wanted)) and stated != wanted:
            raise LoadError(f"{name}: {key} is {stated!r}, not that of its name")
    for key in _kept(kind):
        if key in _ARRAYS and not isinstance(body.get(key), list):
            raise LoadError(f"{name}: {key} is no JSON array")
        if key in _OBJECTS and not isinstance(body.get(key), dict):
            raise LoadError(f"{name}: {key} is no JSON object")


def other_rules(artifact: Artifact) -> str | None:
    """Return why the rules of an artifact are not those of its hash, None if they are.

    Parameters
    ----------
    artifact
        Any.

    Returns
    -------
    str or None
        One line.
    """
    found = rules_sha256(artifact.protocol)
    if found == artifact.protocol_sha256:
        return None
    return (
        f"{artifact.name}: protocol.sha256 {artifact.protocol_sha256[:12]} is not the "
        f"hash of its protocol ({found[:12]})"
    )
