"""Boards of blocks: per model who it is, its readings, what parts them, remarks."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pricebench.board import READINGS, ModelLine, Study
from pricebench.board_layout import (
    LABELS,
    SHARED_WORDS,
    WIDTH,
    align,
    count,
    fact,
    is_common,
    measure,
    model_name,
    text,
    total,
    with_status,
)
from pricebench.reader import Grid
from pricebench.render import NOTHING

Cells = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """What a board of blocks holds.

    Attributes
    ----------
    headings
        Figure -> its heading, by which statuses and reasons name it.
    columns
        Headings of all columns of a reading, in order.
    cells
        A reading as text, in that order; empty where it has no such figure.
    gaps
        What parts the readings, likewise.
    facts
        What stands beside the name of a model, heading -> value.
    remarks
        What stands in lines below it, likewise.
    words
        Heading -> how a value reads where no heading stands above it; else as it is.
    """

    headings: Mapping[str, str]
    columns: Cells
    cells: Callable[[ModelLine, str], Cells]
    gaps: Callable[[ModelLine], Cells]
    facts: Callable[[ModelLine], dict[str, str]]
    remarks: Callable[[ModelLine], dict[str, str]]
    words: Mapping[str, str]

    def say(self, values: Mapping[str, str]) -> list[str]:
        """Return values as they read without their headings."""
        return [self.words.get(name, "{}").format(one) for name, one in values.items()]


def statuses(
    model: ModelLine, reading: str, headings: Mapping[str, str]
) -> dict[str, list[str]]:
    """Return the headings of the figures that are not to be relied on, by status."""
    row = model.readings[reading]
    found: dict[str, list[str]] = {}
    for name, heading in headings.items():
        status = row.get("status" if name == "value" else f"{name}_status")
        if status not in (None, "ok"):
            found.setdefault(status, []).append(heading)
    return found


def reasons(model: ModelLine, headings: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the headings of the figures whose readings part, by the reason."""
    found: dict[str, list[str]] = {}
    for name, heading in headings.items():
        reason = model.reasons.get(name)
        if reason is not None:
            found.setdefault(reason, []).append(heading)
    return found


def calls(model: ModelLine) -> str:
    """Say how many calls were made, failed and could not be read."""
    shared = model.shared
    counts = [f"{count(shared['answers'])} calls"]
    if shared["failed_count"]:
        share = f"{shared['failed_share']:.1%}"
        counts.append(f"{count(shared['failed_count'])} failed ({share})")
    if shared["invalid_count"]:
        counts.append(f"{count(shared['invalid_count'])} invalid")
    return ", ".join(counts)


def block_table(study: Study, block: Block) -> str:
    """Return a table of at most 100 columns, a block of lines per model."""
    header = ("reading", *block.columns)
    blocks = [_rows(model, block) for model in study.models]
    widths, gap = measure([header, *(row for rows in blocks for row in rows)])
    right = range(2, len(header))
    shown = [
        "\n".join(
            [
                *_fold(_who(study, model, block), ""),
                *(align(row, widths, gap, right) for row in rows),
                *_notes(model, block),
            ]
        )
        for model, rows in zip(study.models, blocks, strict=True)
    ]
    rule = "─" * total(widths, gap)
    return "\n".join([align(header, widths, gap, right), rule, "\n\n".join(shown)])


def _rows(model: ModelLine, block: Block) -> list[Cells]:
    rows = [(LABELS[one], *block.cells(model, one)) for one in READINGS]
    return [*rows, (LABELS["difference"], *block.gaps(model))]


def _who(study: Study, model: ModelLine, block: Block) -> str:
    facts = ["simulated"] if study.simulated else []
    facts += block.say(block.facts(model))
    facts += [
        text(model.shared[name]) for name in SHARED_WORDS if not is_common(study, name)
    ]
    return f"{model_name(model)}: {'; '.join(facts)}"


def _notes(model: ModelLine, block: Block) -> Iterator[str]:
    for reading in READINGS:
        for status, found in statuses(model, reading, block.headings).items():
            yield from _fold(f"{LABELS[reading]} {status}: {', '.join(found)}")
    for reason, found in reasons(model, block.headings).items():
        yield from _fold(f"{reason}: {', '.join(found)}")
    for line in block.say(block.remarks(model)):
        yield from _fold(line)


def _fold(line: str, indent: str = "  ") -> list[str]:
    return textwrap.wrap(
        line, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  "
    )


def block_grid(study: Study, block: Block) -> Grid:
    """Return a row per model, every figure a column."""
    records = [_record(study, model, block) for model in study.models]
    columns = tuple(dict.fromkeys(name for record in records for name in record))
    return Grid(
        columns,
        tuple(
            tuple(record.get(name, NOTHING) for name in columns) for record in records
        ),
    )


def _record(study: Study, model: ModelLine, block: Block) -> dict[str, str]:
    mark = " (simulated)" if study.simulated else ""
    record = {"model": model_name(model) + mark}
    for reading in READINGS:
        record |= _named(LABELS[reading], block, _marked(model, reading, block))
    record |= _named(LABELS["difference"], block, block.gaps(model))
    why = reasons(model, block.headings).items()
    listed = "; ".join(f"{reason}: {', '.join(at)}" for reason, at in why)
    record["why"] = listed or NOTHING
    record |= block.facts(model) | block.remarks(model)
    record |= {word: text(model.shared[name]) for name, word in SHARED_WORDS.items()}
    record["bank"] = fact(study, "bank_sha256")
    return record


def _named(label: str, block: Block, cells: Iterable[str]) -> dict[str, str]:
    """Return cells by their columns, without those that a label has none of."""
    pairs = zip(block.columns, cells, strict=True)
    return {f"{name}, {label}": cell for name, cell in pairs if cell}


def _marked(model: ModelLine, reading: str, block: Block) -> Iterator[str]:
    """Yield the figures of one reading, each with its status beside it."""
    found = {
        heading: status
        for status, headings in statuses(model, reading, block.headings).items()
        for heading in headings
    }
    cells = block.cells(model, reading)
    for heading, cell in zip(block.columns, cells, strict=True):
        yield with_status(cell, found.get(heading))


def rank(row: Mapping[str, Any]) -> str:
    """Return the ranks that a model may hold."""
    best, worst = row.get("rank_lo"), row.get("rank_hi")
    if best is None or worst is None:
        return NOTHING
    return f"{best:.0f}" if best == worst else f"{best:.0f}–{worst:.0f}"
