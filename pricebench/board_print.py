"""Printing the scorecard: a terminal of 100 columns, markdown, csv or json."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from pricebench.board import (
    EXCLUDED,
    READINGS,
    ModelLine,
    Study,
    nested,
    wide_rows,
)
from pricebench.board_cells import (
    FIGURES,
    LABELS,
    LEGEND,
    difference_cells,
    dollars,
    is_common,
    lost,
    model_name,
    reading_cells,
    remarks,
    size,
    text,
)
from pricebench.reader import Grid
from pricebench.render import NOTHING, Format, dump_json, to_csv, to_markdown

WIDTH = 100
NAME_WIDTH = 19

SOURCES = {
    "release": "a published release",
    "collected": "answers collected here",
    "simulated": "SIMULATED SHOPPERS, no real model answered",
}
FACT_WORDS = {
    "source": "source",
    "protocol": "protocol",
    "bank_sha256": "task bank",
    "prompt_sha256": "prompt",
}
SHARED_WORDS = {"run_date": "run date", "settings_label": "settings"}
EMPTY = "No answers are loaded."
NO_TABLE = "studies without base answers of two or three options"
ALL_EXCLUDED = "studies whose runs are all excluded"
UNDO = "`pricebench exclude RUN --undo`, then `pricebench build`, takes a run in again"


def print_board(studies: Sequence[Study], form: Format) -> str:
    """Print the board in one of four formats.

    Parameters
    ----------
    studies : sequence of Study
        What `pricebench.board.read_board` returned; none give a line that says so
        (``table``, ``md``), no line (``csv``) or an empty list (``json``).
    form : Format
        The format; ``csv`` and ``json`` carry every digit.

    Returns
    -------
    str
        The text.
    """
    if form is Format.csv:
        rows = wide_rows(studies)
        return to_csv(rows) if rows.rows else ""
    if form is Format.json:
        return dump_json(nested(studies))
    if not studies:
        return EMPTY
    write = _terminal_parts if form is Format.table else _markdown_parts
    fold = _fold if form is Format.table else str
    shown = [study for study in studies if study.models]
    pairs = zip([None, *shown], shown, strict=False)
    parts = [part for above, study in pairs for part in write(study, above)]
    parts += map(fold, without_table(studies))
    if shown:
        end = "\n" if form is Format.table else "  \n"
        parts.append(end.join(map(fold, LEGEND)))
    return "\n\n".join(parts)


def without_table(studies: Sequence[Study]) -> list[str]:
    """Name the studies that have no table, and why.

    Parameters
    ----------
    studies : sequence of Study
        What `pricebench.board.read_board` returned.

    Returns
    -------
    list of str
        A line for those without answers of the kind, and one, which says how to undo
        it, for those taken out as a whole; none where each study has its table.
    """
    bare = [study for study in studies if not study.models]
    lacking = [_named(study) for study in bare if not study.excluded]
    out = [_named(study) for study in bare if study.excluded]
    lines = [f"{NO_TABLE}: {'; '.join(lacking)}"] if lacking else []
    return lines + ([f"{ALL_EXCLUDED}: {'; '.join(out)}; {UNDO}"] if out else [])


def _named(study: Study) -> str:
    return f"{study.study_id} ({'; '.join([_brief_facts(study), *study.left_out])})"


def _brief_facts(study: Study) -> str:
    facts = [text(study.facts["source"]), f"bank {_fact(study, 'bank_sha256')}"]
    if study.variants:
        facts.append(f"variants {', '.join(study.variants)}")
    return ", ".join(facts)


def _title(study: Study) -> str:
    number = len(study.models)
    return (
        f"Hotel choice, study {study.study_id}: {SOURCES[study.facts['source']]} "
        f"({number} model{'' if number == 1 else 's'})"
    )


def _warning(study: Study, above: Study | None) -> list[str]:
    if above is None:
        return []
    gaps = (
        f"{FACT_WORDS[name]} {_fact(study, name)}, there {_fact(above, name)}"
        for name in study.differs
    )
    return [f"NOT COMPARABLE with the table above: {'; '.join(gaps)}."]


def _facts(study: Study) -> str:
    """Say what the study is and what its models share; what varies is in the rows."""
    facts = [f"{word} {_fact(study, name)}" for name, word in FACT_WORDS.items()]
    facts += [
        f"{word} {text(study.models[0].shared[name])}"
        for name, word in SHARED_WORDS.items()
        if is_common(study, name)
    ]
    return "; ".join(facts)


def _left_out(study: Study) -> list[str]:
    if not study.left_out:
        return []
    # what was set aside can't be taken in again, an excluded run can
    undo = f"; {UNDO}" if any(EXCLUDED in what for what in study.left_out) else ""
    return [f"left out: {'; '.join(study.left_out)}{undo}"]


def _also_loaded(study: Study) -> list[str]:
    if not study.variants:
        return []
    return [f"also loaded, in the marts only: variants {', '.join(study.variants)}"]


def _detectable(study: Study) -> list[str]:
    least = study.smallest_detectable
    if least is None:
        return []
    return [
        f"smallest detectable difference in audited WTP: ${dollars(least)} (found four "
        "times in five at the 5 % level; median over pairs of models, see "
        "marts.comparison)"
    ]


def _fact(study: Study, name: str) -> str:
    value = text(study.facts[name])
    return value[:12] if name.endswith("sha256") else value


def _fold(line: str) -> str:
    return textwrap.fill(line, WIDTH, subsequent_indent="  ")


def _terminal_parts(study: Study, above: Study | None) -> list[str]:
    heading = [*_warning(study, above), _title(study), _facts(study), *_left_out(study)]
    below = map(_fold, [*_detectable(study), *_also_loaded(study)])
    return ["\n".join(map(_fold, heading)), _terminal_table(study), *below]


def _terminal_table(study: Study) -> str:
    header = ("model", "reading", *FIGURES)
    blocks = [list(_block(study, model)) for model in study.models]
    widths, gap = _measure([header, *(row for block in blocks for row in block)])
    over = _total(widths, gap) - WIDTH
    if over > 0:
        blocks = [list(_narrow(block, widths[-1] - over)) for block in blocks]
        widths[-1] -= over
    shown = ["\n".join(_align(row, widths, gap) for row in block) for block in blocks]
    rule = "─" * _total(widths, gap)
    return "\n".join([_align(header, widths, gap), rule, "\n\n".join(shown)])


def _total(widths: Sequence[int], gap: int) -> int:
    return sum(widths) + gap * (len(widths) - 1)


def _measure(rows: Sequence[Sequence[str]]) -> tuple[list[int], int]:
    """Return the columns' widths and what stands between them: 2, or 1 if crowded."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return widths, 2 if _total(widths, 2) <= WIDTH else 1


def _align(row: Sequence[str], widths: Sequence[int], gap: int) -> str:
    right = FIGURES.index("first") + 2
    cells = (
        cell.rjust(width) if at == right else cell.ljust(width)
        for at, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return (" " * gap).join(cells).rstrip()


def _narrow(block: Sequence[tuple[str, ...]], width: int) -> Iterator[tuple[str, ...]]:
    """Fold the last column, never inside an interval."""
    for *cells, last in block:
        folded = textwrap.wrap(last.replace(", ", ",\N{NO-BREAK SPACE}"), width) or [""]
        for at, part in enumerate(folded):
            shown = cells if at == 0 else [""] * len(cells)
            yield (*shown, part.replace("\N{NO-BREAK SPACE}", " "))


def _block(study: Study, model: ModelLine) -> Iterator[tuple[str, ...]]:
    """Yield the lines of one model: who it is at the left, its readings beside it."""
    lines = [(LABELS[one], *reading_cells(model, one)) for one in READINGS]
    lines.append((LABELS["difference"], *difference_cells(model)))
    blank = ("",) * len(lines[0])
    for left, cells in zip_longest(_identity(study, model), lines):
        yield (left or "", *(cells or blank))


def _identity(study: Study, model: ModelLine) -> list[str]:
    what = f"simulated, {size(model)}" if study.simulated else size(model)
    varies = [
        text(model.shared[name]) for name in SHARED_WORDS if not is_common(study, name)
    ]
    return [
        line
        for words in (model_name(model), what, *remarks(model), *lost(model), *varies)
        for line in textwrap.wrap(words, NAME_WIDTH)
    ]


def _markdown_parts(study: Study, above: Study | None) -> list[str]:
    columns = ["model"]
    columns += [f"{name}, {LABELS[one]}" for one in READINGS for name in FIGURES]
    columns += [f"{name}, {LABELS['difference']}" for name in FIGURES]
    columns += ["n", "left out", "run date", "settings", "bank"]
    rows = []
    for model in study.models:
        mark = " (simulated)" if study.simulated else ""
        cells = [model_name(model) + mark]
        cells += [cell for one in READINGS for cell in reading_cells(model, one)]
        cells += [cell or NOTHING for cell in difference_cells(model)]
        cells += [", ".join([size(model).removeprefix("n "), *remarks(model)])]
        cells += ["; ".join(lost(model)) or NOTHING]
        cells += [text(model.shared[name]) for name in SHARED_WORDS]
        cells += [_fact(study, "bank_sha256")]
        rows.append(tuple(cells))
    warning = [f"**{line}**" for line in _warning(study, above)]
    table = to_markdown(Grid(tuple(columns), tuple(rows)))
    above_table = [f"### {_title(study)}", *warning, _facts(study), *_left_out(study)]
    return [*above_table, table, *_detectable(study), *_also_loaded(study)]
