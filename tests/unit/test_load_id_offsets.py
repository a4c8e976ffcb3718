"""Task ids under an offset: a file as a whole says which, no block is torn apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from ingest.hotel.id_offsets import AnswerId, IdOffsets, decide_offsets
from ingest.hotel.read_answers import BankTasks, read_answers
from ingest.hotel.shapes import AnswerFile
from ingest.parsed_file import FileId, ParsedFile

# the published bank: tasks 1-1800 have two options, 1801-3600 three
TASKS = {n: "binary" if n <= 1800 else "ternary" for n in range(1, 3601)}
BANK = BankTasks("b" * 64, TASKS)


def _block(tasks: Iterable[int], offset: int) -> list[tuple[int, str]]:
    """Answers to tasks with their ids under an offset; every third takes the last."""
    letters = {"binary": "AAB", "ternary": "ABC"}
    return [(n + offset, letters[TASKS[n]][n % 3]) for n in tasks]


def _decide(answers: list[tuple[int, str]], ordering: str = "swapped") -> IdOffsets:
    rows = [AnswerId(line, *answer) for line, answer in enumerate(answers, start=2)]
    return decide_offsets(rows, ordering, TASKS)


def _offsets(answers: list[tuple[int, str]], ordering: str = "swapped") -> Counter[int]:
    decided = _decide(answers, ordering)
    found = [decided.of(task_id) for task_id, _ in answers]
    return Counter(offset for offset in found if offset is not None)


ALL = range(1, 3601)
FIRST_OF_FOUR = range(1, 1800, 4)  # the tasks of the prompt variants


@pytest.mark.parametrize("ordering", ["original", "swapped"])
@pytest.mark.parametrize("offset", [0, 1000, 10000])
@pytest.mark.parametrize(
    "tasks", [ALL, range(3600, 0, -1), range(1, 1801), range(1801, 3601)]
)
def test_one_block_has_one_offset(ordering: str, offset: int, tasks: range) -> None:
    answers = _block(tasks, offset)
    alone = _offsets(answers, ordering)
    if ordering == "original" and offset == 1000 and tasks == range(1, 1801):
        # ids 1001-2800 without a third letter: a plain file carries none by default
        assert alone == {0: 1800}
    else:
        assert alone == {offset: len(tasks)}


@pytest.mark.parametrize("offset", [0, 1000])
def test_the_ids_of_a_swapped_file_without_the_usual_offset(offset: int) -> None:
    # ids 1001-3600 are tasks both ways: 1-1000 (or 3601-4600) stand for the others
    assert _decide(_block(ALL, offset)).doubts == ()
    # the variants answer every fourth task of two options
    assert _offsets(_block(FIRST_OF_FOUR, offset)) == {offset: 450}


@pytest.mark.parametrize("order", [1, -1])
def test_a_second_block_under_an_older_offset_keeps_it(order: int) -> None:
    blocks = [_block(ALL, 10000), _block(ALL, 1000)][::order]
    answers = blocks[0] + blocks[1]
    assert _offsets(answers) == {10000: 3600, 1000: 3600}
    assert _decide(answers).doubts == ()


def test_letters_tell_where_ids_do_not() -> None:
    # ids 1801-2800 would be tasks 801-1800, which have no option C
    answers = _block(range(1801, 2801), 0)
    assert _offsets(answers) == {0: 1000}
    assert _decide(answers).doubts == ()


def test_few_strays_turn_no_block() -> None:
    # one id, 4000, is a task with 1000 taken off alone
    answers = [*_block(ALL, 0), (4000, "A")]
    assert _offsets(answers) == {0: 3600, 1000: 1}
    (doubt,) = _decide(answers).doubts
    # ids 1001-3600 are those that are tasks both ways
    assert doubt.startswith(
        "the ids of 2,600 rows (the first: 1001 in line 1002) are tasks as they stand "
        "and with 1000 taken off, and the file does not tell which is meant; they are "
        "read as they stand; "
    )
    assert "\n" not in doubt


def test_what_nothing_tells_is_doubted() -> None:
    # ids 1001-1800: tasks 1-800 or 1001-1800, two options both ways
    answers = _block(range(1, 801), 1000)
    assert _offsets(answers) == {1000: 800}
    (doubt,) = _decide(answers).doubts
    assert "they are read with 1000 taken off" in doubt
    # in a plain file ids are tasks as they stand, unless something speaks against it
    assert _decide(answers, "original").doubts == ()
    assert _offsets(answers, "original") == {0: 800}


def test_two_whole_blocks_that_overlap_are_doubted() -> None:
    (doubt,) = _decide(_block(ALL, 0) + _block(ALL, 1000)).doubts
    # 2,600 ids of each block are tasks both ways
    assert doubt.startswith("the ids of 5,200 rows ")


def test_one_unreadable_letter_turns_no_block() -> None:
    answers = _block(ALL, 1000)
    answers[900] = (1901, "C")  # task 901 has no C, task 1901 would
    assert _offsets(answers) == {1000: 3600}


def _read(answers: list[tuple[int, str]]) -> ParsedFile:
    lines = [f"{task_id},{choice},{choice}\n" for task_id, choice in answers]
    data = "".join(["task_id,choice,raw_output\n", *lines]).encode()
    name = "conjoint_results_phi_swap.csv"
    file = FileId(name, "f" * 64, BANK.sha256)
    return read_answers(file, data, AnswerFile("phi", "base", "swapped"), BANK)


def test_rows_and_warning_of_a_swapped_file_without_offset() -> None:
    parsed = _read([*_block(ALL, 0), (4000, "A")])
    rows = parsed.table.to_pylist()
    assert [row["bank_task_id"] for row in rows[:3600]] == list(ALL)
    assert (rows[3600]["id_offset"], rows[3600]["bank_task_id"]) == (1000, 3000)
    (note,) = parsed.notes
    assert note.startswith("conjoint_results_phi_swap.csv: the ids of 2,600 rows ")


def test_a_letter_that_no_reading_offers_is_set_aside_under_the_files_offset() -> None:
    answers = _block(ALL, 1000)
    answers[900] = (1901, "C")
    parsed = _read(answers)
    (aside,) = parsed.quarantined
    assert (aside.source_row, aside.field) == (902, "choice")
    assert "no option of the binary task 901" in aside.reason
    assert parsed.notes == ()
