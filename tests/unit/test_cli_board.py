"""The scorecard: studies, readings, differences, statuses, and when it is refused."""

from __future__ import annotations

import csv
import io
import json
from datetime import date, datetime
from typing import Any

import duckdb
import pytest

from pricebench.board import arrange, refuse_unless_green
from pricebench.board_print import EMPTY, print_board
from pricebench.cli import main
from pricebench.errors import CommandError
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
    "study_id": "study1",
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
    studies = arrange(board, [gap], [run_row("s", "simulated")])
    lines = lines_of(studies)
    assert max(map(len, lines)) <= 100
    # folded, not cut
    words = " ".join(" ".join(lines).split())
    assert "-1234 failed_calls_scored" in words
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
    assert "7 rows" not in printed
    assert "left out" not in print_board(arrange(rows, [], []), form)


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
    assert "3 invalid; 1,200 failed" in cells
    header = next(line for line in text.split("\n") if line.startswith("| model"))
    assert len(header.strip("|").split("|")) == len(cells)


@pytest.mark.parametrize(
    ("form", "expected"),
    [(Format.table, EMPTY), (Format.md, EMPTY), (Format.csv, ""), (Format.json, "[]")],
)
def test_a_board_without_data_says_so(form, expected):
    assert print_board((), form) == expected


GREEN = datetime(2026, 1, 2, 3, 4)


def gates(*rows: tuple[str, str, str | None, datetime | None]):
    connection = duckdb.connect()
    connection.execute("create schema quality")
    connection.execute(
        "create table quality.gate_status (gate varchar, instrument varchar, layer"
        " varchar, refusal varchar, last_green_at timestamp, run_at timestamp,"
        " status varchar)"
    )
    for at, (instrument, layer, refusal, green) in enumerate(rows):
        connection.execute(
            "insert into quality.gate_status values (?, ?, ?, ?, ?, ?, ?)",
            [
                f"{instrument}_{layer}",
                instrument,
                layer,
                refusal,
                green,
                GREEN.replace(day=at + 1),
                "failed" if refusal and "is red" in refusal else "green",
            ],
        )
    return connection


def test_a_board_behind_green_gates_is_shown(tmp_path):
    refuse_unless_green(
        gates(("hotel", "raw", None, GREEN), ("hotel", "marts", None, GREEN)),
        tmp_path / "w",
        "hotel",
    )


def test_a_red_gate_is_named_with_the_date_of_the_last_good_figures(tmp_path):
    # the staging gate ran before, and is out of date only because raw is red
    connection = gates(
        ("hotel", "staging", "gate hotel_staging is out of date", GREEN),
        ("hotel", "marts", "gate hotel_marts is out of date", GREEN),
        ("hotel", "raw", "gate hotel_raw is red (failed)", GREEN.replace(day=9)),
    )
    with pytest.raises(CommandError) as failure:
        refuse_unless_green(connection, tmp_path / "w", "hotel")
    # the marts gate is the last of all: what it passed was shown
    assert str(failure.value) == (
        "no hotel board: gate hotel_raw is red (failed) (last good figures: "
        "2026-01-02 03:04 UTC)"
    )


def test_another_instruments_gate_stops_no_board(tmp_path):
    connection = gates(
        ("search", "raw", "gate search_raw is red", None),
        ("hotel", "marts", None, GREEN),
    )
    refuse_unless_green(connection, tmp_path / "w", "hotel")


@pytest.mark.parametrize("rows", [(), (("hotel", "raw", None, GREEN),)])
def test_a_warehouse_that_was_not_built_to_the_end_says_so(rows, tmp_path):
    with pytest.raises(
        CommandError, match=r"never built to the end; run `pricebench b"
    ):
        refuse_unless_green(gates(*rows), tmp_path / "w", "hotel")


def test_a_database_without_gates_is_no_warehouse(tmp_path):
    with pytest.raises(CommandError, match=r"is not a warehouse: make one with"):
        refuse_unless_green(duckdb.connect(), tmp_path / "w", "hotel")


def test_an_instrument_without_a_board_is_named(tmp_path, capsys):
    assert main(["board", "casino", "--warehouse", str(tmp_path / "w.duckdb")]) == 1
    assert capsys.readouterr().err == (
        "pricebench: no board for 'casino': name one of hotel\n"
    )
