"""The question about a hotel task: card fields, orders, variants, hash."""

from __future__ import annotations

import json

import pytest

from ingest.errors import LoadError
from ingest.hotel.bank import ORDERINGS, Option, Task
from ingest.hotel.prompt import make_prompt, option_at, option_letters, prompt_sha256
from ingest.registry import hotel_variants

CHEAP = Option(3, "Pod", 2.0, "SoHo", 8.0, 1234, "Twin", 1, 0, "WiFi; Bar", 96)
DEAR = Option(9, "Plaza <1>", 4.5, "Midtown", 9.25, 56, "King", 0, 1, "Spa", 1250)
PAIR = Task(7, "binary", 1, 1, (CHEAP, DEAR))


def test_a_card_has_the_published_lines_in_their_order():
    cards = make_prompt(PAIR, "original").split("\n\n")
    assert cards[1].split("\n") == [
        "Option A:",
        "  Hotel: Pod",
        "  Star rating: 2 stars",
        "  Neighborhood: SoHo",
        "  Guest review score: 8.0/10 (1,234 reviews)",
        "  Room type: Twin",
        "  Free cancellation: Yes",
        "  Breakfast included: No",
        "  Key amenities: WiFi, Bar",
        "  Price per night: $96",
    ]
    assert cards[2].startswith(
        "Option B:\n  Hotel: Plaza <1>\n  Star rating: 4.5 stars"
    )
    assert cards[2].endswith("Price per night: $1,250")
    assert "two rooms" in cards[0]
    assert cards[3].endswith("Answer with the letter alone: A or B.")


def test_the_swapped_order_reverses_the_cards_and_keeps_the_letters():
    cards = make_prompt(PAIR, "swapped").split("\n\n")
    assert cards[1].startswith("Option A:\n  Hotel: Plaza")
    assert cards[2].startswith("Option B:\n  Hotel: Pod")


@pytest.mark.parametrize(
    ("task_type", "options"),
    [("binary", "BA"), ("ternary", "CBA"), ("fiveopt", "EDCBA")],
)
def test_a_letter_of_the_swapped_order_stands_for_its_mirror_image(task_type, options):
    letters = option_letters(task_type)
    found = "".join(option_at(one, "swapped", task_type) for one in letters)
    assert found == options
    assert [option_at(one, "original", task_type) for one in letters] == list(letters)


def test_price_stands_second_in_the_reordered_card():
    card = make_prompt(PAIR, "original", "reorder").split("\n\n")[1]
    names = [line.strip().split(":")[0] for line in card.split("\n")[1:]]
    # hotel.md 1.6
    assert names == [
        *("Hotel", "Price per night", "Room type", "Breakfast included"),
        *("Free cancellation", "Key amenities", "Guest review score"),
        *("Neighborhood", "Star rating"),
    ]


def test_a_record_per_line_has_the_published_keys_and_types():
    opening, records, _ = make_prompt(PAIR, "swapped", "json").split("\n\n")
    assert "JSON record" in opening
    first, second = (json.loads(line) for line in records.split("\n"))
    assert first == {
        "option": "A",
        "hotel": "Plaza <1>",
        "star_rating": 4.5,
        "neighborhood": "Midtown",
        "guest_review_score": "9.2/10",
        "review_count": 56,
        "room_type": "King",
        "free_cancellation": False,
        "breakfast_included": True,
        "key_amenities": ["Spa"],
        "price_per_night_usd": 1250,
    }
    assert (second["option"], second["hotel"]) == ("B", "Pod")


def test_the_persona_changes_the_opening_alone():
    base = make_prompt(PAIR, "original").split("\n\n")
    persona = make_prompt(PAIR, "original", "persona").split("\n\n")
    assert persona[0] != base[0]
    assert "client" in persona[0]
    assert persona[1:] == base[1:]


def test_thinking_aloud_changes_the_question_alone():
    base = make_prompt(PAIR, "original").split("\n\n")
    aloud = make_prompt(PAIR, "original", "cot").split("\n\n")
    assert aloud[:-1] == base[:-1]
    assert "Final answer: X, where X is A or B." in aloud[-1]


def test_temperature_is_no_matter_of_words():
    assert make_prompt(PAIR, "original", "temp07") == make_prompt(PAIR, "original")


@pytest.mark.parametrize(
    ("ordering", "variant", "reason"),
    [("latin", "base", "ordering: no 'latin'"), ("original", "xml", "variant: no")],
)
def test_an_unknown_form_is_refused(ordering, variant, reason):
    with pytest.raises(LoadError, match=reason):
        make_prompt(PAIR, ordering, variant)


def test_the_hash_covers_the_wording_of_every_variant(monkeypatch):
    before = prompt_sha256()
    assert len(before) == 64
    for name in ("_OPENING", "_PERSONA", "_RECORDS", "_CLOSING", "_THINKING"):
        with monkeypatch.context() as patch:
            text = f"{getattr(_prompt(), name)} "
            patch.setattr(f"ingest.hotel.prompt.{name}", text)
            prompt_sha256.cache_clear()
            assert prompt_sha256() != before, name
    prompt_sha256.cache_clear()
    assert prompt_sha256() == before


def _prompt():
    from ingest.hotel import prompt

    return prompt


def test_every_variant_of_the_registry_can_be_asked():
    texts = {
        make_prompt(PAIR, ordering, variant)
        for ordering in ORDERINGS
        for variant in hotel_variants()
    }
    # base, temp07 and fiveopt share their words: five forms in two orders
    assert len(texts) == 2 * (len(hotel_variants()) - 2)
