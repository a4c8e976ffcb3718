"""Printing the scorecard: a terminal of 100 columns, markdown, csv or json."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from itertools import groupby

from ingest.sources import COLLECTED, RELEASE
from pricebench import board_hotel, board_purchase, board_search
from pricebench.board import EXCLUDED, Study
from pricebench.board_data import nested, wide_rows
from pricebench.board_layout import SHARED_WORDS, WIDTH, Look, fact, is_common, text
from pricebench.render import Format, dump_json, to_csv, to_markdown

LOOKS: Mapping[str, Look] = {
    "hotel": board_hotel.LOOK,
    "purchase": board_purchase.LOOK,
    "search": board_search.LOOK,
}

SOURCE_WORDS = {
    RELEASE: "a published release",
    COLLECTED: "answers collected here",
}
FACT_WORDS = {
    "source": "source",
    "protocol": "protocol",
    "bank_sha256": "task bank",
    "prompt_sha256": "prompt",
    "scope": "scope",
    "run_id": "run",
}
EMPTY = "No answers are loaded."
ALL_EXCLUDED = "studies whose runs are all excluded"
ALL_DERIVED = "studies of derived answers, on no board since nobody gave them"
UNDO = "`pricebench exclude RUN --undo`, then `pricebench build`, takes a run in again"


def print_board(studies: Sequence[Study], form: Format) -> str:
    """Print the board in one of four formats.

    Parameters
    ----------
    studies : sequence of Study
        What `pricebench.board.read_board` or `read_boards` returned; none give a line
        that says so (``table``, ``md``), no line (``csv``) or an empty list (``json``).
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
    parts: list[str] = []
    for _, mine in groupby(studies, key=lambda study: study.instrument):
        parts += _instrument_parts(list(mine), form)
    return "\n\n".join(parts)


def _instrument_parts(studies: Sequence[Study], form: Format) -> list[str]:
    """Return the tables of one instrument, what has none, and the legend."""
    write = _terminal_parts if form is Format.table else _markdown_parts
    fold = _fold if form is Format.table else str
    shown = [study for study in studies if study.models]
    pairs = zip([None, *shown], shown, strict=False)
    parts = [part for above, study in pairs for part in write(study, above)]
    parts += map(fold, without_table(studies))
    if shown:
        end = "\n" if form is Format.table else "  \n"
        parts.append(end.join(map(fold, LOOKS[shown[0].instrument].legend)))
    return parts


def without_table(studies: Sequence[Study]) -> list[str]:
    """Name the studies that have no table, and why.

    Parameters
    ----------
    studies : sequence of Study
        What `pricebench.board.read_board` or `read_boards` returned.

    Returns
    -------
    list of str
        By instrument a line for those without answers of the kind, one for those whose
        answers are derived, and one, which says how to undo it, for those taken out as
        a whole; none where each study has its table.
    """
    lines: list[str] = []
    for instrument, mine in groupby(studies, key=lambda study: study.instrument):
        bare = [study for study in mine if not study.models]
        out = [_named(study) for study in bare if study.excluded]
        bare = [study for study in bare if not study.excluded]
        derived = [_named(study) for study in bare if study.derived]
        lacking = [_named(study) for study in bare if not study.derived]
        no_table = LOOKS[instrument].no_table
        lines += [f"{no_table}: {'; '.join(lacking)}"] if lacking else []
        lines += [f"{ALL_DERIVED}: {'; '.join(derived)}"] if derived else []
        lines += [f"{ALL_EXCLUDED}: {'; '.join(out)}; {UNDO}"] if out else []
    return lines


def _named(study: Study) -> str:
    return f"{study.study_id} ({'; '.join([_brief_facts(study), *study.left_out])})"


def _brief_facts(study: Study) -> str:
    facts = [text(study.facts["source"]), f"bank {fact(study, 'bank_sha256')}"]
    if study.variants and not study.derived:
        facts.append(f"variants {', '.join(study.variants)}")
    return ", ".join(facts)


def _title(study: Study) -> str:
    look, number = LOOKS[study.instrument], len(study.models)
    source = look.simulated if study.simulated else SOURCE_WORDS[study.facts["source"]]
    title = look.scope_titles.get(str(study.scope), look.title)
    return (
        f"{title}, study {study.study_id}: {source} "
        f"({number} model{'' if number == 1 else 's'})"
    )


def _warning(study: Study, above: Study | None) -> list[str]:
    if above is None:
        return []
    gaps = (
        f"{FACT_WORDS[name]} {fact(study, name)}, there {fact(above, name)}"
        for name in study.differs
    )
    return [f"NOT COMPARABLE with the table above: {'; '.join(gaps)}."]


def _facts(study: Study) -> str:
    """Say what the study is and what its models share; what varies is in the rows."""
    facts = [f"{FACT_WORDS[name]} {fact(study, name)}" for name in study.facts]
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
        f"{LOOKS[study.instrument].detectable(least)} (found four times in five at the "
        "5 % level; median over pairs of models, see marts.comparison)"
    ]


def _fold(line: str) -> str:
    return textwrap.fill(line, WIDTH, subsequent_indent="  ")


def _terminal_parts(study: Study, above: Study | None) -> list[str]:
    heading = [*_warning(study, above), _title(study), _facts(study), *_left_out(study)]
    below = map(_fold, [*_detectable(study), *_also_loaded(study)])
    table = LOOKS[study.instrument].table(study)
    return ["\n".join(map(_fold, heading)), table, *below]


def _markdown_parts(study: Study, above: Study | None) -> list[str]:
    warning = [f"**{line}**" for line in _warning(study, above)]
    table = to_markdown(LOOKS[study.instrument].grid(study))
    above_table = [f"### {_title(study)}", *warning, _facts(study), *_left_out(study)]
    return [*above_table, table, *_detectable(study), *_also_loaded(study)]
