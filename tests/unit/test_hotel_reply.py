"""Reading hotel replies: by our reading and by the published one."""

from __future__ import annotations

import csv

import pytest

from ingest.hotel.prompt import option_at
from ingest.hotel.reply import read_reply

PAIR = ("A", "B")
FIVE = ("A", "B", "C", "D", "E")


@pytest.mark.parametrize(
    ("text", "letter", "state"),
    [
        ("A", "A", "letter"),
        (" b\n", "B", "letter"),
        ("**B**", "B", "letter"),
        ("(A).", "A", "letter"),
        ("“B”", "B", "letter"),
        ("Option A", "A", "letter"),
        ("**Option B:**", "B", "letter"),
        ('{"option": "B"}', "B", "json"),
        ('```json\n{"choice": "Option A"}\n```', "A", "json"),
        ('{"answer": "C"}', None, "invalid"),  # no such slot
        ('{"option": "A", "choice": "B"}', None, "invalid"),
        ("I would choose Option B.", "B", "salvaged"),
        ("B) Courtyard, for the breakfast", "B", "salvaged"),
        ("Option A is cheaper, I take B", None, "invalid"),
        ("A hotel near the park", None, "invalid"),  # an article
        ("A, since B costs more", None, "invalid"),  # two letters on their own
        ("Neither", None, "invalid"),
        ("C", None, "invalid"),
        ("", None, "invalid"),
        (None, None, "invalid"),
        ("[" * 5000, None, "invalid"),
    ],
)
def test_ours_takes_a_letter_only_where_the_reply_means_one_option(text, letter, state):
    reply = read_reply(text, PAIR)
    assert (reply.letter, reply.state) == (letter, state)


@pytest.mark.parametrize(
    ("text", "letters", "letter"),
    [
        ("b", PAIR, "B"),
        # hotel.md 1.4: consequences to reproduce
        ("a good choice would be the second", PAIR, "A"),
        ("I'd take the first", FIVE, "D"),
        ("e.g. the last", FIVE, "E"),
        ("Option A is cheaper, I take B", PAIR, "A"),
        ("I pick Bravo", PAIR, "B"),  # a capital inside a word
        ("none of them", PAIR, None),
    ],
)
def test_the_published_reading_takes_the_leftmost_letter(text, letters, letter):
    assert read_reply(text, letters).published_letter == letter


@pytest.mark.parametrize(
    ("text", "letter", "published"),
    [
        ("A is cheap. B is better.\nFinal answer: B", "B", "B"),
        ("Final answer: [A]\n\nFinal answer: **A**", "A", "A"),
        # a model that goes on to a task of its own: ours says it contradicts itself
        ("Final answer: A\nNext task.\nFinal answer: B", None, "B"),
        ("The final answer is Option B.", "B", "B"),
        ("I weigh Option A and find it good, cut off he", "A", "A"),
        ("I weigh A against B and", None, "B"),  # the last letter on its own
    ],
)
def test_the_last_line_counts_where_it_was_asked_for(text, letter, published):
    reply = read_reply(text, PAIR, thinks_aloud=True)
    assert (reply.letter, reply.published_letter) == (letter, published)


@pytest.mark.release
def test_both_readings_give_every_choice_of_the_release(release_hotel):
    compared = 0
    for path in sorted(release_hotel.glob("conjoint_results_*.csv")):
        ordering = "swapped" if path.stem.endswith("_swap") else "original"
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                text = row["raw_output"]
                if not text or not row["choice"]:
                    continue
                task_type = _task_type(path.stem, int(row["task_id"]))
                letters = FIVE[: {"binary": 2, "ternary": 3, "fiveopt": 5}[task_type]]
                reply = read_reply(text, letters)
                for letter in (reply.letter, reply.published_letter):
                    assert option_at(letter, ordering, task_type) == row["choice"]
                compared += 1
    # 4 models x 7,200, temperature 3,600, variants 3 x 1,800, five options 600
    assert compared == 4 * 7200 + 3600 + 3 * 1800 + 600


def _task_type(stem, task_id):
    if "_5opt" in stem:
        return "fiveopt"
    # the published bank: tasks 1-1800 are pairs; ids of swapped files have an offset
    return "binary" if task_id % 10000 <= 1800 else "ternary"
