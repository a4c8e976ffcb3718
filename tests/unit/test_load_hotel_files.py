"""Reading each kind of hotel file: values, and what sets a row aside."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from ingest.errors import LoadError
from ingest.hotel.read_answers import BankTasks, read_answers, run_row
from ingest.hotel.read_reference import read_capability, read_pool
from ingest.hotel.read_tasks import read_tasks, task_columns
from ingest.hotel.shapes import AnswerFile
from ingest.parsed_file import FileId, ParsedFile

BANK = "b" * 64
FILE = FileId("some/file.csv", "f" * 64, BANK)
TASKS = BankTasks(BANK, {1: "binary", 2: "binary", 3: "ternary", 1500: "binary"})


def _tasks(lines: list[str], kind: str = "conjoint") -> ParsedFile:
    return read_tasks(FILE, "".join(f"{line}\n" for line in lines).encode(), kind)


def _answers(rows: list[str], ordering: str = "original") -> ParsedFile:
    lines = ["task_id,choice,raw_output", *rows]
    data = "".join(f"{line}\n" for line in lines).encode()
    return read_answers(FILE, data, AnswerFile("phi", "base", ordering), TASKS)


def _reasons(parsed: ParsedFile) -> list[tuple[int | None, str, str]]:
    return [(row.source_row, row.field, row.reason) for row in parsed.quarantined]


def _with(line: str, column: str, value: str) -> str:
    fields = line.split(",")
    fields[task_columns("conjoint").index(column)] = value
    return ",".join(fields)


def test_task_values_have_their_types(small_release: Any) -> None:
    lines = small_release.task_lines()
    # the release writes whole numbers of the third option with .0
    lines[5] = _with(_with(lines[5], "c_hotel_id", "173.0"), "c_price", "420.0")
    rows = _tasks(lines).table.to_pylist()
    assert [row["task_id"] for row in rows] == [1, 2, 3, 4, 5, 6]
    # task 5, third option: hotel 173, 3 stars, score 8.2, 1005 reviews, $420
    assert rows[4]["c_hotel_id"] == 173
    assert rows[4]["c_stars"] == 3.0
    assert rows[4]["c_review_score"] == 8.2
    assert rows[4]["c_review_count"] == 1005
    assert rows[4]["c_cancellation_free"] == 1
    assert rows[4]["c_breakfast_included"] == 0
    assert rows[4]["c_price"] == Decimal("420.00")
    assert rows[4]["d_price"] is None
    assert rows[0]["c_hotel_id"] is None
    assert rows[0]["bank_sha256"] == FILE.sha256
    assert (rows[0]["_source_file"], rows[0]["_source_row"]) == (FILE.name, 2)


@pytest.mark.parametrize(
    ("line", "column", "value", "reason"),
    [
        (1, "task_id", "x", "'x' is not a whole number"),
        (1, "task_id", "0", "0 is below 1"),
        (1, "task_type", "fiveopt", "'fiveopt' is not one of binary, ternary"),
        (1, "a_price", "", "missing"),
        (1, "a_price", "0", "'0' is not above 0"),
        (1, "b_price", "89.999", "'89.999' has more than two decimals"),
        (1, "b_price", "nan", "'nan' is not a price"),
        (1, "a_stars", "5.5", "5.5 is above 5"),
        (1, "a_review_score", "10.5", "10.5 is above 10"),
        (1, "a_review_score", "inf", "'inf' is not a number"),
        (1, "a_review_count", "-1", "-1 is below 0"),
        (1, "b_cancellation_free", "2", "2 is above 1"),
        (1, "b_breakfast_included", "yes", "'yes' is not a whole number"),
        (1, "b_name", "", "missing"),
        (1, "c_hotel_id", "7", "'7' where a binary task has no option C"),
        (5, "c_hotel_id", "", "missing"),
        (2, "task_id", "1", "task 1 stands in line 2 already"),
    ],
)
def test_one_bad_field_sets_its_task_aside(
    small_release: Any, line: int, column: str, value: str, reason: str
) -> None:
    lines = small_release.task_lines()
    lines[line] = _with(lines[line], column, value)
    parsed = _tasks(lines)
    assert _reasons(parsed) == [(line + 1, column, reason)]
    assert parsed.quarantined[0].row_text == lines[line]
    account = parsed.account
    assert (account.rows_read, account.rows_accepted) == (6, 5)


def test_a_hotel_may_list_no_amenities(small_release: Any) -> None:
    lines = small_release.task_lines()
    lines[1] = _with(lines[1], "a_amenities", "")
    assert _tasks(lines).table.to_pylist()[0]["a_amenities"] == ""


def test_a_bank_without_a_task_is_an_error(small_release: Any) -> None:
    lines = small_release.task_lines()
    with pytest.raises(LoadError, match=r"no readable task .*header alone"):
        _tasks(lines[:1])
    with pytest.raises(LoadError, match=r"no readable task .*line 2, a_price: missing"):
        _tasks([lines[0], _with(lines[1], "a_price", "")])


@pytest.mark.parametrize(
    ("ordering", "task_id", "offset"),
    [
        ("original", 1, 0),
        ("original", 1003, 1000),
        ("original", 10002, 10000),
        ("original", 1500, 0),  # 1500 is a task, so nothing is taken off
        ("swapped", 10001, 10000),
        ("swapped", 11500, 10000),
        ("swapped", 1002, 1000),
        ("swapped", 2500, 1000),
        ("swapped", 3, 0),
        # 1500 - 1000 = 500 is no task, so 1500 is itself
        ("swapped", 1500, 0),
    ],
)
def test_offsets_are_taken_off_in_the_order_of_the_file(
    ordering: str, task_id: int, offset: int
) -> None:
    (row,) = _answers([f"{task_id},A,A"], ordering).table.to_pylist()
    assert row["task_id"] == task_id
    assert row["id_offset"] == offset
    assert row["bank_task_id"] == task_id - offset
    assert row["ordering"] == ordering


def test_answers_keep_what_the_file_says() -> None:
    parsed = _answers(["1.0,A,A", "2,,", '3,C,"Option C, I think"', "1,B,B"])
    rows = parsed.table.to_pylist()
    assert [row["task_id"] for row in rows] == [1, 2, 3, 1]
    assert [row["choice"] for row in rows] == ["A", None, "C", "B"]
    assert [row["raw_output"] for row in rows] == ["A", None, "Option C, I think", "B"]
    assert {row["reply_state"] for row in rows} == {None}
    assert {row["run_id"] for row in rows} == {"release/phi"}
    assert not parsed.quarantined


@pytest.mark.parametrize(
    ("row", "field", "reason"),
    [
        ("1,C,C", "choice", "'C' is no option of the binary task 1 (A, B)"),
        ("3,D,D", "choice", "'D' is no option of the ternary task 3 (A, B, C)"),
        ("1,b,b", "choice", "'b' is no option of the binary task 1 (A, B)"),
        ("1,F,F", "choice", "'F' is no option of the binary task 1 (A, B)"),
        ("x,A,A", "task_id", "'x' is not a whole number"),
        (",A,A", "task_id", "missing"),
        (
            "77,A,A",
            "task_id",
            f"no task 77 in bank {BANK[:12]}, nor with 1000 or 10000 taken off",
        ),
    ],
)
def test_one_bad_answer_is_set_aside(row: str, field: str, reason: str) -> None:
    parsed = _answers(["2,A,A", row])
    assert _reasons(parsed) == [(3, field, reason)]
    assert parsed.table.num_rows == 1
    assert parsed.notes == ()


def test_a_file_that_fits_no_task_says_so() -> None:
    parsed = _answers(["77,A,A", "78,A,A"])
    (note,) = parsed.notes
    assert "none of its 2 rows fits bank" in note
    assert parsed.account.rows_quarantined == 2


def test_the_row_of_a_run() -> None:
    (row,) = run_row(FILE, AnswerFile("phi", "cot", "swapped")).table.to_pylist()
    assert row["run_id"] == "release/phi/cot"
    assert row["model_tag"] == "phi"
    assert row["source"] == "release"
    assert row["protocol"] == "published"
    assert row["bank_sha256"] == BANK
    # a release stores none of these
    unknown = ("model_id_served", "prompt_sha256", "run_date", "cost_usd")
    assert [row[name] for name in unknown] == [None] * 4


def _hotel(**changes: Any) -> dict[str, Any]:
    hotel = {
        "id": 1,
        "name": "Somewhere Inn",
        "stars": 3,
        "neighborhood": "Midtown",
        "review_score_base": 8.1,
        "review_count_base": 900,
        "price_min": 90,
        "price_max": 140.5,
        "room_types": ["Queen Room (1 queen bed)"],
        "cancellation_free_prob": 0.25,
        "breakfast_prob": 0.0,
        "amenities": ["Free WiFi"],
    }
    return {**hotel, **changes}


def _pool(*hotels: Any) -> ParsedFile:
    text = json.dumps({"note": "about this list", "hotels": list(hotels)})
    return read_pool(FileId("hotel_pool.json", "f" * 64), text.encode())


def test_pool_values_have_their_types() -> None:
    parsed = _pool(_hotel(), _hotel(id=2, name="Zwei Häuser"))
    first, second = parsed.table.to_pylist()
    assert first["pool_sha256"] == "f" * 64
    assert (first["price_min"], first["price_max"]) == (Decimal(90), Decimal("140.5"))
    assert json.loads(first["room_types"]) == ["Queen Room (1 queen bed)"]
    assert first["_source_row"] == 1
    assert (second["name"], second["_source_row"]) == ("Zwei Häuser", 2)


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"stars": 6}, "stars", "6.0 is above 5"),
        ({"stars": "3"}, "stars", "'3' is not a number"),
        ({"stars": True}, "stars", "True is not a number"),
        ({"review_score_base": float("nan")}, "review_score_base", "not a number"),
        ({"breakfast_prob": 1.5}, "breakfast_prob", "1.5 is above 1"),
        ({"price_min": 200}, "price_min", "above price_max"),
        ({"name": " "}, "name", "not a text, or a blank one"),
        ({"room_types": []}, "room_types", "an empty list"),
        ({"amenities": "WiFi"}, "amenities", "not a list of texts"),
        ({"id": 1}, "id", "id 1 is that of hotel 1 too"),
        ({"pets": True}, "pets", "an unknown key"),
        ({"name": "Hotel \ud83d"}, "*", "half a character"),
        ({"\ud83d": 1}, "*", "half a character"),
    ],
)
def test_one_bad_hotel_is_set_aside(
    changes: dict[str, Any], field: str, reason: str
) -> None:
    parsed = _pool(_hotel(), {**_hotel(id=2), **changes})
    ((row, at, why),) = _reasons(parsed)
    assert (row, at) == (2, field)
    assert reason in why
    assert parsed.table.num_rows == 1
    # what is set aside can be stored
    parsed.quarantined[0].row_text.encode()


def test_a_hotel_that_lacks_a_key_is_set_aside() -> None:
    short = _hotel(id=2)
    del short["amenities"]
    assert _reasons(_pool(_hotel(), short, "x")) == [
        (2, "amenities", "missing"),
        (3, "*", "not an object"),
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not JSON"),
        (b"{'hotels': []}", "not JSON"),
        (b"\x89PNG\0", "not JSON"),
        (b"[]", "no list under the key 'hotels'"),
        (b'{"hotels": {}}', "no list under the key 'hotels'"),
        (b'{"hotels": []}', "no readable hotel"),
    ],
)
def test_a_pool_that_cannot_be_read_as_a_whole(data: bytes, words: str) -> None:
    with pytest.raises(LoadError, match=words) as caught:
        read_pool(FileId("hotel_pool.json", "f" * 64), data)
    assert "\n" not in str(caught.value)


CAPABILITY = (
    "model,score_aa,score_arena,score_mmlu,source_aa,source_arena,source_mmlu,retrieved"
)


def test_capability_scores() -> None:
    lines = [
        CAPABILITY,
        "Phi-2,1,,52.81,somewhere,,elsewhere,2026-01-02",
        "Phi-2,2,,,,,,",
        "Phi-3,high,,,,,,",
        "Phi-4,,,,,,,",
    ]
    data = "\n".join(lines).encode() + b"\n"
    parsed = read_capability(FileId("capability_scores.csv", "f" * 64), data)
    first, second = parsed.table.to_pylist()
    assert first["model_name"] == "Phi-2"
    assert (first["score_aa"], first["score_arena"]) == (1.0, None)
    assert (first["score_mmlu"], first["retrieved"]) == (52.81, "2026-01-02")
    assert second["model_name"] == "Phi-4"
    assert _reasons(parsed) == [
        (3, "model", "'Phi-2' stands in an earlier row already"),
        (4, "score_aa", "'high' is not a number"),
    ]
