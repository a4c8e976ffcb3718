"""The scorecard: studies, readings, differences, statuses."""

from __future__ import annotations

import csv
import io
import json
from datetime import date
from typing import Any

import pytest

from pricebench.board import arrange
from pricebench.board_print import EMPTY, print_board
from pricebench.render import Format

OK = {
    "headline": "wtp_review_score_usd",
    "instrument": "hotel",
    "scope": "base",
    "value": 250.0,
    "ci_lo": 150.04,
    "ci_hi": 349.96,
    "status": "ok",
    "n": 3600,
    "first_shown_rate": 0.185,
    "verdict": "engaged",
    "log_price": -0.5512345678901234,
    "log_price_status": "ok",
    "review_score": 0.58,
    "review_score_status": "ok",
    "invalid_count": 0,
    "failed_count": 0,
    "duplicate_count": 0,
    "other_offset_count": 0,
}
UNDEFINED = OK | {
    "value": None,
    "ci_lo": None,
    "ci_hi": None,
    "status": "separated",
    "verdict": "locked_slot1",
    "log_price": None,
    "log_price_status": "separated",
    "review_score": None,
    "review_score_status": "no_variation",
    "failed_count": 1200,
    "invalid_count": 3,
    "other_offset_count": 39,
}


def board_rows(
    study: str,
    source: str,
    model: str,
    audited: dict[str, Any],
    **shared: Any,
) -> list[dict[str, Any]]:
    base = {
        "study_id": study,
        "source": source,
        "bank_sha256": f"{study}-bank-of-64-digits",
        "model_id": f"maker/{model.lower()}",
        "display_name": model,
        "run_date": None,
        "settings_label": "temperature 0.0",
        "providers_served": None,
        "cost_usd": None,
    }
    return [
        base | shared | OK | {"reading": "as_published"},
        base | shared | audited | {"reading": "audited"},
    ]


def run_row(study: str, source: str, **facts: Any) -> dict[str, Any]:
    base = {"study_id": study, "source": source, "protocol": "published"}
    base |= {"bank_sha256": f"{study}-bank-of-64-digits", "prompt_sha256": None}
    return base | facts


AUDITED = OK | {"value": 240.0, "log_price": -2.0712345678901234, "verdict": "engaged"}
GAP = {
    **{"study_id": "study1", "scope": "base"},
    "model_id": "maker/qwen",
    "metric": "wtp_review_score_usd",
    "difference": -10.0,
    "reason": "slot_omitted",
}


@pytest.fixture
def two_studies():
    board = [
        *board_rows("simul", "simulated", "Locked", UNDEFINED),
        *board_rows("study1", "release", "Zephyr", AUDITED),
        *board_rows("study1", "release", "Qwen", AUDITED),
    ]
    runs = [
        run_row("simul", "simulated", protocol="simulated"),
        run_row("study1", "release"),
    ]
    return arrange(board, [GAP], runs)


def lines_of(studies, form: Format = Format.table) -> list[str]:
    return print_board(studies, form).split("\n")


def test_published_data_stands_first_and_models_in_order_of_their_names(two_studies):
    assert [study.study_id for study in two_studies] == ["study1", "simul"]
    names = [model.shared["display_name"] for model in two_studies[0].models]
    assert names == ["Qwen", "Zephyr"]


def test_each_study_is_a_table_and_says_what_it_is(two_studies):
    text = print_board(two_studies, Format.table)
    assert "study study1: a published release (2 models)" in text
    assert "study simul: SIMULATED SHOPPERS, no real model answered (1 model)" in text
    facts = "task bank study1-bank-; prompt –; run date –; settings temperature 0.0"
    assert facts in " ".join(text.split())
    first, second = text.split("NOT COMPARABLE with the table above: ")
    assert "simulated" not in first
    assert " ".join(second.split("Hotel choice")[0].split()) == (
        "source simulated, there release; protocol simulated, there published; task "
        "bank simul-bank-o, there study1-bank-."
    )


def test_a_row_shows_both_readings_and_their_difference(two_studies):
    lines = lines_of(two_studies)
    at = next(n for n, line in enumerate(lines) if line.startswith("Qwen"))
    published, audited, difference = (
        " ".join(line.split()) for line in lines[at : at + 3]
    )
    # 18.5 % first shown; -0.5512… and 0.58 to three decimals; 250 [150.04, 349.96]
    assert published == "Qwen published 18.5% engaged -0.551 0.580 250 [150, 350]"
    assert audited == "n 3,600 audited 18.5% engaged -2.071 0.580 240 [150, 350]"
    # only the headline has a row in reading_difference: the rest is unknown, not zero
    assert difference == "difference – – – -10.0 slot_omitted"


def test_what_is_undefined_is_a_dash_with_its_status(two_studies):
    lines = lines_of(two_studies)
    at = next(n for n, line in enumerate(lines) if line.startswith("Locked"))
    assert " ".join(lines[at + 1].split()) == (
        "simulated, n 3,600 audited 18.5% locked_slot1 – separated – no_variation "
        "– separated"
    )
    assert lines[at + 2].split()[:2] == ["3", "invalid"]
    assert lines[at + 3].split() == ["1,200", "failed"]
    assert lines[at + 4] == "39 odd ids"


def test_a_weak_figure_shows_its_status_beside_the_number():
    weak = OK | {"status": "weak", "log_price_status": "weak"}
    text = print_board(
        arrange(board_rows("s", "release", "M", weak), [], [run_row("s", "release")]),
        Format.table,
    )
    assert "-0.551 weak" in text
    assert "250 [150, 350] weak" in text


def test_what_rounds_to_nothing_has_no_sign():
    tiny = OK | {"log_price": -0.0001}
    study = arrange(
        board_rows("s", "release", "M", tiny), [], [run_row("s", "release")]
    )
    assert " 0.000 " in print_board(study, Format.table)
    assert "-0.000" not in print_board(study, Format.table)


def test_run_dates_and_settings_that_vary_stand_in_the_rows():
    board = [
        *board_rows("s", "collected", "One", OK, run_date=date(2026, 1, 2)),
        *board_rows(
            "s", "collected", "Two", OK, run_date=date(2026, 3, 4), settings_label="hot"
        ),
    ]
    text = print_board(arrange(board, [], [run_row("s", "collected")]), Format.table)
    heading, table = text.split("\n\n", 1)
    assert "run date" not in heading
    assert "settings" not in heading
    for word in ("2026-01-02", "2026-03-04", "temperature 0.0", "hot"):
        assert word in table
    assert "answers collected here" in heading


def test_the_widest_words_of_the_vocabulary_fit_a_hundred_columns():
    widest = UNDEFINED | {"first_shown_rate": 1.0, "verdict": "leaning_slot2"}
    board = [
        *board_rows("s", "simulated", "second-card-leaner-of-a-long-name", widest),
        *board_rows("s", "simulated", "Other", OK | {"verdict": "locked-recency"}),
    ]
    gap = GAP | {"study_id": "s", "model_id": "maker/other", "difference": -1234.5}
    gap |= {"reason": "failed_calls_scored"}
    pooled = gap | {"metric": "verdict", "reason": "formats_pooled"}
    studies = arrange(board, [gap, pooled], [run_row("s", "simulated")])
    lines = lines_of(studies)
    assert max(map(len, lines)) <= 100
    # folded, not cut
    words = " ".join(" ".join(lines).split())
    assert "formats_pooled – – -1234 failed_calls_scored" in words
    assert "– separated – no_variation –" in words


@pytest.mark.parametrize("form", [Format.table, Format.md])
def test_what_was_left_out_stands_above_its_table(form):
    rows = board_rows("s1", "release", "Alpha", OK)
    left_out = [
        {"study_id": "s1", "what": "run release/x excluded: wrong prompt"},
        {"study_id": "s2", "what": "7 rows quarantined"},
    ]
    printed = print_board(arrange(rows, [], [], left_out), form)
    assert "left out: run release/x excluded: wrong prompt" in printed
    assert "`pricebench exclude RUN --undo`, then" in " ".join(printed.split())
    assert "7 rows" not in printed
    assert "left out:" not in print_board(arrange(rows, [], []), form)


VERDICT_GAP = GAP | {"metric": "verdict", "difference": None}
VERDICT_GAP |= {"reason": "formats_pooled"}


@pytest.mark.parametrize(
    ("verdict", "shown"), [("leaning_slot2", "formats_pooled"), ("engaged", "")]
)
def test_the_difference_row_says_why_the_verdicts_part(verdict, shown):
    rows = board_rows("study1", "release", "Qwen", AUDITED | {"verdict": verdict})
    rate = GAP | {"metric": "first_shown_rate", "difference": -0.094}
    rate |= {"reason": "formats_pooled"}
    gaps = [GAP, rate, VERDICT_GAP] if shown else [GAP, rate]
    lines = lines_of(arrange(rows, gaps, [run_row("study1", "release")]))
    (line,) = (one for one in lines if one.strip().startswith("difference "))
    # a share of -0.094 is -9.4 percentage points
    words = ["difference", "-9.4", shown, "–", "–", "-10.0", "slot_omitted"]
    assert line.split() == [word for word in words if word]


def test_variants_in_the_marts_only_stand_below_their_table():
    rows = board_rows("s1", "release", "Alpha", OK)
    runs = [run_row("s1", "release", variants=["base", "cot", "json"])]
    line = "also loaded, in the marts only: variants cot, json"
    for form in (Format.table, Format.md):
        lines = lines_of(arrange(rows, [], runs), form)
        at = lines.index(line)
        assert any("Alpha" in one for one in lines[:at])
    (study,) = json.loads(print_board(arrange(rows, [], runs), Format.json))
    assert study["also_loaded"] == ["cot", "json"]
    runs = [run_row("s1", "release", variants=["base"])]
    assert "also loaded" not in print_board(arrange(rows, [], runs), Format.table)


@pytest.mark.parametrize("form", [Format.table, Format.md])
def test_a_study_without_a_table_is_named_at_the_end(form):
    rows = board_rows("s2", "simulated", "Alpha", OK)
    runs = [
        run_row("s1", "release", variants=["fiveopt"]),
        run_row("s0", "collected", variants=[], is_excluded=True),
        run_row("s2", "simulated", variants=["base"]),
    ]
    left_out = [{"study_id": "s0", "what": "run r excluded: broken"}]
    studies = arrange(rows, [], runs, left_out)
    printed = " ".join(print_board(studies, form).split())
    # twelve digits of a bank
    expected = (
        "studies without base answers of two or three options: s1 (release, bank "
        "s1-bank-of-6, variants fiveopt) studies whose runs are all excluded: s0 "
        "(collected, bank s0-bank-of-6; run r excluded: broken); `pricebench exclude "
        "RUN --undo`, then `pricebench build`, takes a run in again"
    )
    assert printed.index("Alpha") < printed.index(expected)
    # the only table stands below no other
    assert "NOT COMPARABLE" not in printed
    records = list(csv.DictReader(io.StringIO(print_board(studies, Format.csv))))
    assert [record["study_id"] for record in records] == ["s2"]
    named = json.loads(print_board(studies, Format.json))
    assert [(one["study_id"], len(one["models"])) for one in named] == [
        ("s2", 1),
        ("s1", 0),
        ("s0", 0),
    ]


def test_a_board_of_studies_without_tables_names_them_alone():
    studies = arrange([], [], [run_row("s1", "release", variants=["fiveopt"])])
    assert print_board(studies, Format.table) == (
        "studies without base answers of two or three options: s1 (release, bank "
        "s1-bank-of-6, variants\n  fiveopt)"
    )
    assert print_board(studies, Format.csv) == ""


def test_csv_is_one_row_per_model_with_every_digit(two_studies):
    rows = list(csv.DictReader(io.StringIO(print_board(two_studies, Format.csv))))
    assert [row["model_id"] for row in rows] == [
        "maker/qwen",
        "maker/zephyr",
        "maker/locked",
    ]
    qwen, _, locked = rows
    assert float(qwen["log_price_as_published"]) == OK["log_price"]
    assert float(qwen["log_price_audited"]) == AUDITED["log_price"]
    assert qwen["value_difference"] == "-10.0"
    assert qwen["value_reason"] == "slot_omitted"
    assert qwen["protocol"] == "published"
    assert locked["value_audited"] == ""
    assert locked["status_audited"] == "separated"
    assert locked["source"] == "simulated"


def test_json_holds_studies_that_hold_models(two_studies):
    first, second = json.loads(print_board(two_studies, Format.json))
    assert first["not_comparable_with_above"] is None
    assert second["not_comparable_with_above"] == ["source", "protocol", "bank_sha256"]
    assert [model["display_name"] for model in first["models"]] == ["Qwen", "Zephyr"]
    assert first["models"][0]["as_published"]["log_price"] == OK["log_price"]
    assert first["models"][0]["difference"]["value"] == -10.0
    locked = second["models"][0]
    assert locked["audited"]["value"] is None
    assert locked["audited"]["status"] == "separated"


def test_markdown_is_one_row_per_model(two_studies):
    text = print_board(two_studies, Format.md)
    assert "\n**NOT COMPARABLE with the table above: source simulated" in text
    rows = [line for line in text.split("\n") if line.startswith("| Locked")]
    assert len(rows) == 1
    cells = [cell.strip() for cell in rows[0].strip("|").split("|")]
    assert cells[0] == "Locked (simulated)"
    assert "– separated" in cells
    assert "3 invalid; 1,200 failed; 39 odd ids" in cells
    header = next(line for line in text.split("\n") if line.startswith("| model"))
    names = [name.strip() for name in header.strip("|").split("|")]
    assert len(names) == len(cells)
    assert "left out" in names
    gaps = [name for name in names if name.endswith(", difference")]
    assert [name.removesuffix(", difference") for name in gaps] == [
        "first",
        "verdict",
        "log price",
        "review",
        "WTP $ [95 %]",
    ]
    (qwen,) = (line for line in text.split("\n") if line.startswith("| Qwen"))
    shown = dict(
        zip(names, (c.strip() for c in qwen.strip("|").split("|")), strict=True)
    )
    assert [shown[name] for name in gaps] == ["–", "–", "–", "–", "-10.0 slot_omitted"]


@pytest.mark.parametrize(
    ("form", "expected"),
    [(Format.table, EMPTY), (Format.md, EMPTY), (Format.csv, ""), (Format.json, "[]")],
)
def test_a_board_without_data_says_so(form, expected):
    assert print_board((), form) == expected
