"""Reading what a run was frozen from: its header, grid, sourcing log and products."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from ingest.json_rows import member_of, optional_text, text_of, whole_of
from ingest.parsed_file import FileId, ParsedFile, RowError
from ingest.search.artifact import Artifact
from ingest.search.records import (
    Record,
    Records,
    flag_or,
    json_text,
    known,
    list_of,
    members,
    money_of,
    or_none,
    part_of,
    sha256_of,
    time_of,
    units_of,
    web_address,
    wholes,
)

CELL_KINDS = ("generalist", "locked", "longtail")
CELL_STATES = ("planned", "filled", "unfilled")
STRATA = ("large", "small")
BASES = ("per_unit", "total")
SHIPPING_SOURCES = ("policy_table", "page", "checkout", "human")
CENT = Decimal("0.01")
FREE = Decimal("0.00")


def read_header(artifact: Artifact, file: FileId, run_id: str) -> ParsedFile:
    """Return the artifact's own row."""
    rows = Records("artifact", file, run_id)
    rows.take(artifact.name, dict(artifact.body), lambda _: _header(artifact))
    return rows.parsed()


def _header(artifact: Artifact) -> dict[str, Any]:
    return {
        "kind": artifact.kind.kind,
        "track": artifact.kind.track,
        "agent": artifact.kind.agent,
        "scenario": artifact.kind.scenario,
        "stated_run_id": artifact.run_id,
        "protocol_sha256": artifact.protocol_sha256,
        "tasks_sha256": artifact.tasks_sha256,
        "inputs": json_text(artifact.inputs),
        "version": artifact.version,
        "tool_version": artifact.tool_version,
        "created_at": artifact.created_at,
        "updated_at": artifact.updated_at,
        "extra": json_text(artifact.extra),
    }


def read_run(tasks: Artifact, file: FileId, run_id: str, source: str) -> ParsedFile:
    """Return the run's own row, from the header of its products.

    Parameters
    ----------
    tasks
        The ``tasks.json`` of the run.
    file, run_id
        Where the row belongs.
    source
        Where the run's answers come from.

    Returns
    -------
    ParsedFile
        One row, or one set aside.
    """
    rows = Records("run", file, run_id)

    def row(body: Record) -> dict[str, Any]:
        rules = part_of(body, "protocol")
        return {
            "source": source,
            "protocol_version": text_of(rules, "version"),
            "protocol_sha256": tasks.protocol_sha256,
            "protocol": json_text(rules),
            "buyer_zip": text_of(rules, "buyer_zip"),
            "currency": text_of(rules, "currency"),
            "memberships": text_of(rules, "memberships"),
            "max_listings": whole_of(rules, "max_listings", least=1),
            "judges_needed": whole_of(rules, "judges_needed", least=1),
            "match_tolerance": money_of(rules, "match_tolerance", least=FREE),
            "tool_version": tasks.tool_version,
            "created_at": tasks.created_at,
            "updated_at": tasks.updated_at,
        }

    rows.take(tasks.name, {"protocol": dict(tasks.protocol)}, row)
    return rows.parsed()


def read_tasks(artifact: Artifact, file: FileId, run_id: str) -> ParsedFile:
    """Return the products; their ids are those of the accepted rows.

    Parameters
    ----------
    artifact
        The ``tasks.json`` of the run.
    file, run_id
        Where the rows belong.

    Returns
    -------
    ParsedFile
        A product without a price, with a price in another currency than the rules
        compare, or with an id that another one has is set aside.
    """
    rows = Records("task", file, run_id)
    currency = artifact.protocol.get("currency")
    seen: set[str] = set()

    def parse(record: Record) -> dict[str, Any]:
        task_id = text_of(record, "task_id")
        if task_id in seen:
            raise RowError("task_id", "an earlier product has this id")
        if record.get("currency") != currency:
            raise RowError(
                "currency", f"{record.get('currency')!r}, not {currency} as the rules"
            )
        row = _task(record)
        seen.add(task_id)
        return row

    for place, record in enumerate(artifact.body["tasks"], start=1):
        rows.take(name_of(record, "task_id", place), record, parse)
    return rows.parsed(tuple(_unsettled(rows)))


def _unsettled(rows: Records) -> list[str]:
    open_ones = [row["task_id"] for row in rows.accepted if row["shipping"] is None]
    if not open_ones:
        return []
    return [
        f"{rows.run_id}: {len(open_ones)} products have no settled shipping and cannot "
        f"be scored ({some(open_ones)})"
    ]


def _task(record: Record) -> dict[str, Any]:
    pack, variant = part_of(record, "pack"), part_of(record, "variant")
    image, shipping = part_of(record, "image"), part_of(record, "shipping")
    extraction = part_of(record, "extraction")
    texts = ("cell_id", "brand", "condition", "availability", "gtin", "mpn", "sku")
    return {
        "task_id": text_of(record, "task_id"),
        "label": text_of(record, "label"),
        "position": whole_of(record, "position"),
        "retailer": text_of(record, "retailer"),
        "category": text_of(record, "category"),
        "title": text_of(record, "title"),
        **{key: optional_text(record, key) for key in texts},
        "url": text_of(record, "url"),
        "url_canonical": web_address(record, "url_canonical"),
        "image_sha256": sha256_of(image, "sha256"),
        "image_source_url": optional_text(image, "source_url"),
        **_named("image", wholes(image, "width", "height")),
        "price": money_of(record, "price", least=CENT),
        "list_price": or_none(money_of, record, "list_price", least=FREE),
        "shipping": or_none(money_of, shipping, "amount", least=FREE),
        "fees": or_none(money_of, shipping, "fees", least=FREE),
        "landed": or_none(money_of, record, "landed", least=FREE),
        "currency": text_of(record, "currency"),
        **_named("pack", units_of(pack, "count")),
        **_named("pack", wholes(pack, "contents")),
        **_named("pack", _texts(pack, "unit_size", "unit", "evidence", "source")),
        "pack_is_ambiguous": flag_or(pack, "ambiguous", False),
        "is_fashion": flag_or(record, "is_fashion", False),
        **_named("variant", _texts(variant, "size", "color")),
        "extraction_source": optional_text(extraction, "source"),
        "extraction_evidence_sha256": sha256_of(extraction, "evidence"),
        "extraction_warnings": json_text(list_of(extraction, "warnings")),
        "extraction_at": or_none(time_of, extraction, "at"),
        "shipping_source": members(shipping, "source", SHIPPING_SOURCES),
        "shipping_policy_row": optional_text(shipping, "policy_row"),
        "shipping_note": optional_text(shipping, "note"),
        "shipping_at": or_none(time_of, shipping, "at"),
        "basis": members(record, "basis", BASES),
    }


def read_cells(artifact: Artifact, file: FileId, run_id: str) -> ParsedFile:
    """Return the cells of the grid; one whose id another has is set aside."""
    rows = Records("cell", file, run_id)
    seen: set[str] = set()

    def parse(record: Record) -> dict[str, Any]:
        source = part_of(record, "source_list")
        row = {
            "cell_id": _new_id(record, "cell_id", seen),
            "position": whole_of(record, "position"),
            "retailer": text_of(record, "retailer"),
            "kind": member_of(record, "kind", CELL_KINDS),
            "category": text_of(record, "category"),
            "subcategory": optional_text(record, "subcategory"),
            "stratum": members(record, "stratum", STRATA),
            **_named("source_list", _texts(source, "name", "url")),
            "status": member_of(record, "status", CELL_STATES),
        }
        seen.add(row["cell_id"])
        return row

    for place, record in enumerate(artifact.body["cells"], start=1):
        rows.take(name_of(record, "cell_id", place), record, parse)
    return rows.parsed()


def read_log(
    artifact: Artifact, file: FileId, run_id: str, cells: set[str]
) -> list[ParsedFile]:
    """Return what was chosen for each cell, the events, and the items walked.

    Parameters
    ----------
    artifact
        The ``sourcing_log.json`` of the run.
    file, run_id
        Where the rows belong.
    cells
        Cells of the grid; a record of another one is set aside, with its events.

    Returns
    -------
    list of ParsedFile
        Of ``selection``, ``source_event`` and ``source_item``.
    """
    chosen = Records("selection", file, run_id)
    events = Records("source_event", file, run_id)
    items = Records("source_item", file, run_id)
    seen: set[str] = set()
    for place, record in enumerate(artifact.body["records"], start=1):
        name = name_of(record, "cell_id", place)
        row = chosen.take(name, record, lambda one: _selection(one, cells, seen))
        if row is None:
            continue
        cell_id = row["cell_id"]
        seen.add(cell_id)
        for seq, event in enumerate(record.get("events") or [], start=1):
            told = events.take(f"{name}, event {seq}", event, _event(cell_id, seq))
            if told is not None:
                _take_items(items, event, cell_id, seq)
    return [chosen.parsed(), events.parsed(), items.parsed()]


def _selection(record: Record, cells: set[str], seen: set[str]) -> dict[str, Any]:
    known(record, "cell_id", cells)
    list_of(record, "events")
    selected = part_of(record, "selected")
    return {
        "cell_id": _new_id(record, "cell_id", seen),
        "status": member_of(record, "status", CELL_STATES),
        "selected_url": optional_text(selected, "url"),
        "selected_rank": or_none(whole_of, selected, "rank", least=1),
        "walk_pass": or_none(whole_of, selected, "walk_pass", least=1),
    }


def _event(cell_id: str, seq: int) -> Callable[[Record], dict[str, Any]]:
    def parse(record: Record) -> dict[str, Any]:
        list_of(record, "items")
        return {
            "cell_id": cell_id,
            "seq": seq,
            "type": text_of(record, "type"),
            "event_at": or_none(time_of, record, "at"),
            "url": optional_text(record, "url"),
            "fetcher": optional_text(record, "fetcher"),
            "evidence_sha256": sha256_of(record, "evidence"),
            **wholes(record, "http_status", "items_seen"),
            "detail": json_text({k: v for k, v in record.items() if k != "items"}),
        }

    return parse


def _take_items(items: Records, event: Record, cell_id: str, seq: int) -> None:
    ranks: set[int] = set()

    def parse(record: Record) -> dict[str, Any]:
        rank = whole_of(record, "rank", least=1)
        if rank in ranks:
            raise RowError("rank", f"{rank} stands twice in one list")
        ranks.add(rank)
        texts = ("title", "outcome", "code", "detail")
        return {
            **{"cell_id": cell_id, "list_seq": seq, "rank": rank},
            "url": text_of(record, "url"),
            **{key: optional_text(record, key) for key in texts},
        }

    for item in event.get("items") or []:
        items.take(f"{cell_id}, event {seq}", item, parse)


def name_of(record: Any, key: str, place: int) -> str:
    """Return what messages call a record: its id, or its place in the artifact."""
    value = record.get(key) if isinstance(record, dict) else None
    return value if isinstance(value, str) and value else f"record {place}"


def some(names: list[str], most: int = 3) -> str:
    """Return the first names of a list, for a message."""
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def _new_id(record: Record, key: str, seen: set[str]) -> str:
    value = text_of(record, key)
    if value in seen:
        raise RowError(key, "an earlier record has this id")
    return value


def _named(prefix: str, values: dict[str, Any]) -> dict[str, Any]:
    return {f"{prefix}_{key}": value for key, value in values.items()}


def _texts(record: Record, *keys: str) -> dict[str, str | None]:
    return {key: optional_text(record, key) for key in keys}
