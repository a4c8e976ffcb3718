"""Taking a CSV file apart: true line numbers, broken rows set aside, none lost."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.csv_rows import CsvFile, read_csv
from ingest.errors import LoadError

COLUMNS = ("task_id", "choice", "raw_output")
HEADER = b"task_id,choice,raw_output\n"


def _read(body: bytes) -> CsvFile:
    return read_csv("a.csv", HEADER + body, COLUMNS)


def _fields(content: CsvFile) -> list[tuple[str, ...]]:
    return [row.fields for row in content.rows]


def test_rows_carry_the_line_they_start_on() -> None:
    # line 1 header, 2 plain, 3-5 one quoted field with two line breaks, 6 blank, 7
    content = _read(b'1,A,A\n2,B,"x\ny\n"\n\n3,A,A\n')
    assert [(row.line, row.end) for row in content.rows] == [(2, 2), (3, 5), (7, 7)]
    assert content.rows[1].fields == ("2", "B", "x\ny\n")
    assert content.text(content.rows[1]) == '2,B,"x\ny\n"'
    assert not content.broken


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_byte_order_mark_and_line_ends_make_no_difference(
    mark: bytes, end: bytes
) -> None:
    data = mark + end.join([b"task_id,choice,raw_output", b"1,A,A", b"2,B,B"]) + end
    content = read_csv("a.csv", data, COLUMNS)
    assert _fields(content) == [("1", "A", "A"), ("2", "B", "B")]
    assert [row.line for row in content.rows] == [2, 3]


def test_columns_may_stand_in_another_order() -> None:
    content = read_csv("a.csv", b"raw_output,task_id,choice\nx,1,A\n", COLUMNS)
    assert _fields(content) == [("1", "A", "x")]


def test_a_separator_of_other_systems_inside_a_field_is_no_line_end() -> None:
    content = _read("1,A,x\u2028y\x0bz\n2,B,B\n".encode())
    assert [row.line for row in content.rows] == [2, 3]


@pytest.mark.parametrize(
    ("tail", "reason"),
    [
        (b"3,B", "the file ends inside this row: 2 fields instead of 3"),
        (b'3,B,"abc', "the file ends inside this row: a quote is opened and never"),
        (b'3,B,"abc\nde\n', "the file ends inside this row: a quote is opened and"),
        (b"3,B\n", "2 fields instead of 3"),
        (b"3,B,x,y\n", "4 fields instead of 3"),
        (b'3,B,"x"y\n', "not readable as CSV"),
    ],
)
def test_a_broken_last_row_is_set_aside_and_the_rest_read(
    tail: bytes, reason: str
) -> None:
    content = _read(b"1,A,A\n2,B,B\n" + tail)
    assert [row.fields[0] for row in content.rows] == ["1", "2"]
    (broken,) = content.broken
    assert broken.line == 4
    assert broken.reason.startswith(reason)
    assert broken.text == tail.decode().rstrip("\n")


def test_a_stray_quote_takes_no_good_row_along() -> None:
    content = _read(b'1,A,A\n2,B,"B\n3,A,A\n4,B,B\n')
    assert [row.fields[0] for row in content.rows] == ["1", "3", "4"]
    assert [row.line for row in content.rows] == [2, 4, 5]
    assert [(one.line, one.text) for one in content.broken] == [(3, '2,B,"B')]


def test_a_stray_quote_closed_by_a_later_one_takes_no_good_row_along() -> None:
    content = _read(b'1,A,"A\n2,B,B\n3,A,"ok"\n4,B,B\n')
    assert [row.fields for row in content.rows] == [
        ("2", "B", "B"),
        ("3", "A", "ok"),
        ("4", "B", "B"),
    ]
    assert [one.line for one in content.broken] == [2]


def test_a_missing_last_line_break_is_told() -> None:
    assert _read(b"1,A,A\n").ended
    assert not _read(b"1,A,A").ended


def test_a_last_row_without_its_line_break_is_named() -> None:
    content = _read(b"1,A,A\n2,B,B")
    assert content.open_end == content.rows[1]
    assert content.open_end.line == 3
    assert content.columns == COLUMNS
    for complete in (b"1,A,A\n2,B,B\n", b"1,A,A\n2,B", b'1,A,A\n2,B,"x', b""):
        assert _read(complete).open_end is None


PRICES = b"task,price\n1,120.0\n2,\n3,89.5\n"


@pytest.mark.parametrize("cut", ["74", "749", "749."])
def test_a_last_number_without_the_decimals_of_its_column_is_cut(cut: str) -> None:
    content = read_csv("a.csv", PRICES + f"4,{cut}".encode(), ("price", "task"))
    assert len(content.rows) == 3
    (broken,) = content.broken
    assert (broken.line, broken.text) == (5, f"4,{cut}")
    assert broken.reason == (
        f"the file ends inside this row: price {cut!r} lacks the decimals that every "
        "other row has"
    )
    # the same row with its line break is as the file has it
    ended = read_csv("a.csv", PRICES + f"4,{cut}\n".encode(), ("price", "task"))
    assert (len(ended.rows), ended.broken) == (4, ())


@pytest.mark.parametrize(
    ("body", "last"),
    [
        (PRICES + b"4,749.0", "749.0"),  # as long as the others: nothing tells
        (PRICES + b"4,", ""),  # a blank is none of the numbers
        (b"task,price\n1,120\n2,74", "74"),  # whole numbers may have any length
        (b"task,price\n1,120.0\n2,99\n3,74", "74"),  # the column has both
        (b"task,price\n1,74", "74"),  # nothing to compare with
    ],
)
def test_a_last_number_that_may_be_whole_stays(body: bytes, last: str) -> None:
    content = read_csv("a.csv", body, ("task", "price"))
    assert content.broken == ()
    assert content.open_end is not None
    assert content.open_end.fields[1] == last


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", ["is empty"]),
        (b" \n\n", ["is empty"]),
        (b"\x89PNG\r\n\x1a\n\0\0\0", ["binary", "line 3"]),
        (HEADER + b"1,A,\0\n", ["binary", "line 2"]),
        (HEADER + b"1,A,A\n2,B,\xe9\n", ["not UTF-8", "0xe9", "line 3"]),
        ("task_id,choice".encode("utf-16"), ["UTF-16"]),
        (b"task_id;choice;raw_output\n1;A;A\n", ["semicolons", "commas"]),
        (b"task_id\tchoice\traw_output\n", ["tabs"]),
        (b"task_id,choice,choice\n", ["repeats choice", "lacks raw_output"]),
        (b"task_id,choice,raw_output,choice\n", ["repeats choice"]),
        (b"task_id,choice\n", ["lacks raw_output"]),
        (b"task_id,choice,raw_output,extra\n", ["unknown extra"]),
        (b'task_id,choice,"raw_output\n', ["line 1", "header"]),
    ],
)
def test_a_file_that_cannot_be_read_as_a_whole_is_one_line(
    data: bytes, words: list[str]
) -> None:
    with pytest.raises(LoadError) as caught:
        read_csv("a.csv", data, COLUMNS)
    message = str(caught.value)
    assert "\n" not in message
    for word in ["a.csv", *words]:
        assert word in message


@settings(deadline=None)
@given(st.lists(st.text(alphabet='1A,"x \n\r', max_size=12), max_size=12))
def test_every_line_is_a_row_or_set_aside_or_blank(parts: list[str]) -> None:
    body = "\n".join(parts)
    content = read_csv("a.csv", HEADER + body.encode(), COLUMNS)
    # a broken record's end is not stored: it covers what its text covers
    covered = {line for row in content.rows for line in range(row.line, row.end + 1)}
    for one in content.broken:
        length = len(list(io.StringIO(one.text, newline="")))
        covered |= set(range(one.line, one.line + max(length, 1)))
    for number, line in enumerate(content.lines[1:], start=2):
        if line.strip("\r\n"):
            assert number in covered
    starts = [one.line for one in (*content.rows, *content.broken)]
    assert len(starts) == len(set(starts))


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(*[st.text(st.characters(codec="utf-8", exclude_characters="\0"))] * 3)
    )
)
def test_what_a_writer_wrote_is_read_back(rows: list[tuple[str, str, str]]) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows([COLUMNS, *rows])
    content = read_csv("a.csv", out.getvalue().encode(), COLUMNS)
    assert _fields(content) == rows
    assert not content.broken
