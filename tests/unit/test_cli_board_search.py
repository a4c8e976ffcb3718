"""The search scorecard: a table for each track, bounds, pages nobody could verify."""

from __future__ import annotations

import csv
import io
import json
from datetime import date
from typing import Any

import pytest
from unit.test_cli_board import run_row

from pricebench.board import Study, arrange
from pricebench.board_print import print_board
from pricebench.render import NOTHING, Format

SCOPES = ("exact/base", "equiv/base")
OWN = (
    *("capture_bound_lo", "capture_bound_hi"),
    *("capture_leave_one_out_median", "only_this_agent_count"),
)
OK = {
    **{"value": 0.611, "ci_lo": 0.5204, "ci_hi": 0.6996, "status": "ok", "n": 71},
    **{"rank_lo": 1.0, "rank_hi": 2.0},
    **{"savings_found": 0.123, "savings_found_status": "ok"},
    **{"success_rate": 0.58, "success_rate_status": "ok"},
    **{"best_price_recall": 0.41, "best_price_recall_status": "ok"},
}
PUBLISHED = OK | dict.fromkeys(OWN) | {f"{name}_status": None for name in OWN}
AUDITED = OK | {
    **{"capture_bound_lo": 0.55, "capture_bound_lo_status": "ok"},
    **{"capture_bound_hi": 0.725, "capture_bound_hi_status": "ok"},
    **{"capture_leave_one_out_median": 1.730198},
    **{"capture_leave_one_out_median_status": "too_few"},
    **{"only_this_agent_count": 3.0, "only_this_agent_count_status": "ok"},
}
THIN = {
    **{"ci_lo": None, "ci_hi": None, "rank_lo": None, "rank_hi": None},
    **{"status": "too_few", "savings_found_status": "too_few"},
}


def board_rows(
    agent: str, audited: dict[str, Any] = AUDITED, study: str = "s1", **shared: Any
) -> list[dict[str, Any]]:
    base = {
        **{"study_id": study, "source": "collected", "bank_sha256": "bank-of-64-d"},
        **{"model_id": f"maker/{agent.lower()}", "display_name": agent},
        **{"instrument": "search", "headline": "savings_capture", "cost_usd": None},
        **{"run_date": date(2026, 11, 2), "settings_label": "defaults"},
        **{"providers_served": None, "run_id": f"run-{study}", "agent": agent},
        **{"products": 98, "answers": 100, "invalid_count": 2, "failed_count": 4},
        **{"failed_share": 0.04, "unjudged_pages": 0, "unverifiable_candidates": 9},
        **{"unverifiable_share": 0.125, "usd_per_100_products": 12.312},
        "median_latency_s": 38.04,
    }
    return [
        base | {"prompt_sha256": f"prompt-{scope}-of-64"} | shared | row
        for scope in reversed(SCOPES)
        for row in (
            PUBLISHED | {"scope": scope, "reading": "as_published"},
            audited | {"scope": scope, "reading": "audited"},
        )
    ]


def gap(metric: str, difference: float, scope: str = SCOPES[0]) -> dict[str, Any]:
    where = {"study_id": "s1", "scope": scope, "model_id": "maker/gpt"}
    reason = "failed_calls_scored"
    return where | {"metric": metric, "difference": difference, "reason": reason}


def arranged(*rows, gaps=(), runs=(), detectable=()) -> tuple[Study, ...]:
    board = [row for group in rows for row in group]
    return arrange(board, gaps, runs, (), detectable, "search")


def lines_of(studies, form: Format = Format.table) -> list[str]:
    return [" ".join(one.split()) for one in print_board(studies, form).split("\n")]


def test_each_track_of_a_study_is_a_table_the_same_product_first():
    runs = [run_row("s1", "collected", protocol="1.0", prompt_sha256="prompt-exact")]
    studies = arranged(board_rows("GPT"), board_rows("Claude"), runs=runs)
    assert [(study.study_id, study.scope) for study in studies] == [
        ("s1", "exact/base"),
        ("s1", "equiv/base"),
    ]
    assert studies[1].differs == ("prompt_sha256", "scope")
    text = " ".join(lines_of(studies))
    assert (
        "Product search, the same product, study s1: answers collected here (2 models) "
        "source collected; protocol 1.0; task bank bank-of-64-d; prompt prompt-exact; "
        "scope exact/base; run run-s1; run date 2026-11-02; settings defaults"
    ) in text
    assert (
        "NOT COMPARABLE with the table above: prompt prompt-equiv, there prompt-exact; "
        "scope equiv/base, there exact/base. Product search, the same or an "
        "equivalent, study s1"
    ) in text


def test_a_block_holds_both_readings_and_what_could_not_be_verified():
    gaps = [gap("savings_capture", 0.0925), gap("success_rate", 0.0125)]
    lines = lines_of(arranged(board_rows("GPT"), gaps=gaps))
    at = lines.index(
        "GPT: n 71 of 98 products; 100 calls, 4 failed (4.0%), 2 invalid; 9 (12.5%) "
        "unverifiable; $12.3 per"
    )
    # shares in percent with one decimal; four figures are audited only
    assert lines[at + 1 : at + 7] == [
        "100 products; 38.0 s a call",
        "published 61.1 [52.0, 70.0] 1–2 12.3 58.0 41.0",
        "audited 61.1 [52.0, 70.0] 1–2 12.3 58.0 41.0 55.0 72.5 1.730 3",
        "difference +9.2 – +1.2 –",
        "audited too_few: to others",
        "failed_calls_scored: capture % [95 %], success",
    ]
    # the other track has no such difference
    second = lines.index("difference – – – –")
    assert second > at + 7


def test_a_block_says_how_many_pages_wait_for_the_panel():
    studies = arranged(board_rows("GPT", unjudged_pages=17))
    line = next(one for one in lines_of(studies) if one.startswith("GPT: "))
    assert "2 invalid; 17 not judged yet; 9 (12.5%)" in line
    studies = arranged(board_rows("GPT", unjudged_pages=17), board_rows("Claude"))
    found = print_board(studies, Format.md).split("\n")
    header, _, *rows = (line for line in found if line[:1] == "|")
    at = [cell.strip() for cell in header.split("|")].index("not judged")
    cells = [row.split("|")[at].strip() for row in rows[:2]]
    assert sorted(cells) == ["17", NOTHING]


def test_markdown_holds_the_same_in_a_row_per_agent_without_empty_columns():
    found = print_board(arranged(board_rows("GPT")), Format.md).split("\n")
    header, _, row, *_ = (line for line in found if line[:1] == "|")
    names, cells = (
        [cell.strip() for cell in line.strip("|").split("|")] for line in (header, row)
    )
    shown = dict(zip(names, cells, strict=True))
    assert shown["capture % [95 %], audited"] == "61.1 [52.0, 70.0]"
    assert shown["to others, audited"] == "1.730 too_few"
    assert (shown["n"], shown["unverifiable"]) == ("71 of 98", "9 (12.5%)")
    assert (shown["$ per 100"], shown["seconds"]) == ("$12.3", "38.0")
    assert "to others, published" not in shown
    assert "rank, difference" not in shown


def test_agents_stand_by_capture_then_found_and_thin_ones_last():
    studies = arranged(
        board_rows("Thin", AUDITED | THIN | {"value": 1.0}),
        board_rows("Worse"),
        board_rows("More", AUDITED | {"savings_found": 0.5}),
        board_rows("Best", AUDITED | {"value": 0.9}),
    )
    for study in studies:
        names = [model.shared["display_name"] for model in study.models]
        assert names == ["Best", "More", "Worse", "Thin"]
    lines = lines_of(studies)
    assert "audited too_few: capture % [95 %], found, to others" in lines


def test_two_runs_on_one_bank_are_two_yardsticks():
    rows = (board_rows("GPT"), board_rows("GPT", study="s2"))
    studies = arranged(*rows)
    assert [study.differs for study in studies] == [
        (),
        ("prompt_sha256", "scope"),
        ("prompt_sha256", "scope", "run_id"),
        ("prompt_sha256", "scope"),
    ]


def test_prompts_that_differ_within_a_table_are_several():
    other = board_rows("Claude", prompt_sha256="another")
    first, _ = arranged(board_rows("GPT"), other)
    assert first.facts["prompt_sha256"] == "several"
    rows = csv.DictReader(io.StringIO(print_board((first,), Format.csv)))
    assert {row["prompt_sha256"] for row in rows} == {
        "another",
        "prompt-exact/base-of-64",
    }


def test_data_formats_carry_the_scope_and_every_digit():
    gaps = [gap("savings_capture", 0.01234567890123, scope="equiv/base")]
    least = [{"study_id": "s1", "scope": "equiv/base", "smallest_detectable": 0.1234}]
    studies = arranged(board_rows("GPT"), gaps=gaps, detectable=least)
    rows = list(csv.DictReader(io.StringIO(print_board(studies, Format.csv))))
    assert [row["scope"] for row in rows] == list(SCOPES)
    assert [row["value_difference"] for row in rows] == ["", "0.01234567890123"]
    assert [row["smallest_detectable"] for row in rows] == ["", "0.1234"]
    named = json.loads(print_board(studies, Format.json))
    assert [one["scope"] for one in named] == list(SCOPES)
    assert named[0]["models"][0]["audited"]["capture_bound_hi"] == 0.725
    assert named[1]["not_comparable_with_above"] == ["prompt_sha256", "scope"]
    text = " ".join(lines_of(studies))
    # 0.1234 of all savings
    assert text.count("difference in audited capture: 12.3 percentage points") == 1


def test_a_run_without_scored_answers_is_named():
    runs = [run_row("s9", "collected", variants=[])]
    assert lines_of(arranged(runs=runs)) == [
        "studies without answers that could be scored: s9 (collected, bank "
        "s9-bank-of-6)"
    ]


@pytest.mark.parametrize("usd", [None, 0.0123, 123456.0])
def test_the_widest_figures_fit_a_hundred_columns(usd):
    widest = AUDITED | {"value": 0.8888, "ci_lo": 0.7777, "ci_hi": 0.9994}
    widest |= {"rank_lo": 10.0, "rank_hi": 60.0, "only_this_agent_count": 98.0}
    widest |= {"capture_leave_one_out_median": 1234.567, "savings_found": 0.9994}
    rows = board_rows("An-agent-of-a-very-long-name-" * 3, widest)
    rows = [row | {"usd_per_100_products": usd, "settings_label": "x"} for row in rows]
    gaps = [
        gap(name, -0.8888) | {"model_id": rows[0]["model_id"]}
        for name in ("savings_capture", "savings_found", "success_rate")
    ]
    whole = board_rows("Whole", AUDITED | {"value": 1.0, "ci_lo": 0.9996, "ci_hi": 1.0})
    studies = arranged(rows, whole, gaps=gaps)
    printed = print_board(studies, Format.table)
    assert "100 [100, 100]" in printed
    assert max(map(len, printed.split("\n"))) <= 100
