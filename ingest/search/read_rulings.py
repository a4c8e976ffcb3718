"""Reading what was found out about candidates: automated checks and human rulings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ingest.json_rows import (
    flag_of,
    member_of,
    optional_text,
    text_of,
)
from ingest.parsed_file import FileId, ParsedFile, RowError
from ingest.search.artifact import Artifact
from ingest.search.read_bank import FREE, name_of
from ingest.search.read_panel import VALIDITIES
from ingest.search.records import (
    Record,
    Records,
    flag_or,
    json_text,
    known,
    list_of,
    members,
    money_of,
    number_or_none,
    or_none,
    part_of,
    sha256_of,
    time_of,
    units_of,
    wholes,
)

RULED_STATES = ("verified", "rejected", "temporarily_unverifiable")
AUDIT_STATES = (*RULED_STATES, "needs_human")
CHECK_KINDS = ("link", "stock", "price", "condition", "pack", "shipping")
OUTCOMES = ("pass", "fail", "unknown")
SELLER_SCOPES = ("first_party", "any")
REASON_CODES = (
    *("R01_DIFFERENT_PRODUCT", "R02_DIFFERENT_MODEL", "R03_SIZE_DIFFERS"),
    *("R04_COLOR_FASHION", "R05_ACCESSORY_OR_PART", "R06_NOT_NEW", "R07_BUNDLE"),
    *("R08_LOWER_QUALITY", "R09_REGION_LOCK", "R10_COUNTERFEIT_RISK"),
    *("R11_SAME_PRODUCT", "R12_EQUIVALENT", "R99_OTHER"),
)


def read_audit(
    artifact: Artifact, file: FileId, run_id: str, candidates: set[str]
) -> list[ParsedFile]:
    """Return the verifications of a track, and their steps.

    Parameters
    ----------
    artifact
        An ``audit_<track>.json``.
    file, run_id
        Where the rows belong.
    candidates
        Candidates of the track; the audit of another one is set aside with its steps.

    Returns
    -------
    list of ParsedFile
        Of ``audit`` and ``audit_check``. Other currencies and negative amounts are
        kept as they stand.
    """
    audits = Records("audit", file, run_id)
    checks = Records("audit_check", file, run_id)
    track = artifact.kind.track
    for one_id, record in artifact.body["audits"].items():
        row = audits.take(one_id, record, _audit(one_id, track, candidates))
        steps = record.get("checks") if isinstance(record, dict) else None
        for seq, step in enumerate(steps if isinstance(steps, list) else [], 1):
            key = {"track": track, "candidate_id": one_id, "seq": seq}
            checks.take(f"{one_id}, check {seq}", step, _check(key, row is not None))
    return [audits.parsed(), checks.parsed()]


def _audit(
    one_id: str, track: str | None, candidates: set[str]
) -> Callable[[Record], dict[str, Any]]:
    def parse(record: Record) -> dict[str, Any]:
        known({"candidate_id": one_id}, "candidate_id", candidates)
        texts = ("reason", "final_url", "availability", "condition", "currency")
        amounts = ("price", "shipping", "fees", "landed", "claimed_price")
        steps = [step for step in list_of(record, "checks") if isinstance(step, dict)]
        times = [time_of(step, "at") for step in steps if step.get("at")]
        return {
            **{"track": track, "candidate_id": one_id},
            "status": member_of(record, "status", AUDIT_STATES),
            **{key: optional_text(record, key) for key in (*texts, "shipping_source")},
            **wholes(record, "http_status"),
            **{key: or_none(money_of, record, key) for key in amounts},
            "seller_scope": members(record, "seller_scope", SELLER_SCOPES),
            **units_of(record, "pack_count"),
            "is_price_mismatch": or_none(flag_of, record, "price_mismatch"),
            "checked_at": max(times, default=None),
        }

    return parse


def _check(key: dict[str, Any], has_audit: bool) -> Callable[[Record], dict[str, Any]]:
    def parse(step: Record) -> dict[str, Any]:
        if not has_audit:
            raise RowError("candidate_id", "its audit is set aside")
        return {
            **key,
            "kind": member_of(step, "kind", CHECK_KINDS),
            "method": text_of(step, "method"),
            "outcome": member_of(step, "outcome", OUTCOMES),
            "value": optional_text(step, "value"),
            "evidence_sha256": sha256_of(step, "evidence"),
            "detail": optional_text(step, "detail"),
            "checked_at": or_none(time_of, step, "at"),
        }

    return parse


def read_labels(
    artifact: Artifact, file: FileId, run_id: str, candidates: set[str]
) -> list[ParsedFile]:
    """Return the rulings of a track that stand, and every change of them.

    Parameters
    ----------
    artifact
        A ``verify_labels_<track>.json``.
    file, run_id
        Where the rows belong.
    candidates
        Candidates of the track; a ruling on another one is set aside.

    Returns
    -------
    list of ParsedFile
        Of ``label`` and ``label_change``. A ruling that overturns the panel without a
        reason code is set aside.
    """
    labels = Records("label", file, run_id)
    version, track = artifact.version, artifact.kind.track
    for one_id, record in artifact.body["labels"].items():
        labels.take(one_id, record, _label(one_id, track, version, candidates))
    return [labels.parsed(), _changes(artifact, file, run_id, "candidate_id")]


def _label(
    one_id: str, track: str | None, version: int | None, candidates: set[str]
) -> Callable[[Record], dict[str, Any]]:
    def parse(record: Record) -> dict[str, Any]:
        known({"candidate_id": one_id}, "candidate_id", candidates)
        ruling, fields = part_of(record, "ruling"), part_of(record, "fields")
        overturns = flag_or(record, "overturns_panel", False)
        code = members(record, "reason_code", REASON_CODES)
        validity = members(ruling, "validity", VALIDITIES)
        if overturns and (code is None or validity is None):
            raise RowError(
                "validity" if code else "reason_code",
                "missing, and the ruling overturns the panel",
            )
        sampled = flag_or(record, "sampled", False)
        chance = number_or_none(record, "inclusion_probability", 1)
        if sampled != bool(chance):
            raise RowError(
                "inclusion_probability", f"{chance} does not go with sampled {sampled}"
            )
        blind = part_of(record, "blind")
        texts = ("currency", "availability", "condition", "final_url")
        return {
            **{"track": track, "candidate_id": one_id, "version": version},
            "validity": validity,
            "status": members(ruling, "status", RULED_STATES),
            **_amounts(fields),
            **{key: optional_text(fields, key) for key in texts},
            **units_of(fields, "pack_count"),
            **{"overturns_panel": overturns, "reason_code": code},
            **_signature(record),
            **{"is_sampled": sampled, "inclusion_probability": chance},
            "blind_validity": members(blind, "validity", VALIDITIES),
            "blind_status": members(blind, "status", RULED_STATES),
            "blind_reviewer": optional_text(blind, "reviewer"),
        }

    return parse


def read_ref_labels(
    artifact: Artifact, file: FileId, run_id: str, tasks: set[str]
) -> list[ParsedFile]:
    """Return the corrections of references that stand, and every change of them.

    Parameters
    ----------
    artifact
        The ``verify_labels_refs.json``.
    file, run_id
        Where the rows belong.
    tasks
        Products of the bank; a correction of another one is set aside.

    Returns
    -------
    list of ParsedFile
        Of ``ref_label`` and ``label_change``.
    """
    labels = Records("ref_label", file, run_id)

    def parse_of(task_id: str) -> Callable[[Record], dict[str, Any]]:
        def parse(record: Record) -> dict[str, Any]:
            known({"task_id": task_id}, "task_id", tasks)
            fields = part_of(record, "fields")
            return {
                **{"task_id": task_id, "version": artifact.version},
                **_amounts(fields),
                **units_of(fields, "pack_count"),
                "is_fashion": or_none(flag_of, fields, "is_fashion"),
                "is_void": flag_or(record, "void", False),
                "void_reason": optional_text(record, "void_reason"),
                **_signature(record),
            }

        return parse

    for task_id, record in artifact.body["refs"].items():
        labels.take(task_id, record, parse_of(task_id))
    return [labels.parsed(), _changes(artifact, file, run_id, "task_id")]


def _amounts(fields: Record) -> dict[str, Any]:
    names = ("price", "shipping", "fees")
    return {key: or_none(money_of, fields, key, least=FREE) for key in names}


def _signature(record: Record) -> dict[str, Any]:
    return {
        "note": optional_text(record, "note"),
        "reviewer": text_of(record, "reviewer"),
        "labelled_at": time_of(record, "at"),
    }


def _changes(artifact: Artifact, file: FileId, run_id: str, key: str) -> ParsedFile:
    changes = Records("label_change", file, run_id)
    for seq, record in enumerate(artifact.body["history"], start=1):

        def parse(one: Record, seq: int = seq) -> dict[str, Any]:
            before, after = part_of(one, "before"), part_of(one, "after")
            return {
                **{"track": artifact.kind.track, "seq": seq},
                "record_id": text_of(one, key),
                "before": json_text(before) if before else None,
                "after": json_text(after) if after else None,
                "reviewer": optional_text(one, "reviewer"),
                "changed_at": time_of(one, "at"),
            }

        changes.take(name_of(record, key, seq), record, parse)
    return changes.parsed()
