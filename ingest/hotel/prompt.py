"""What a model is asked about hotels: our own wording, published card fields."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType

from ingest.errors import LoadError
from ingest.hotel.bank import ORDERINGS, Option, Task
from ingest.registry import hotel_variant, hotel_variants
from ingest.schemas import OPTION_COUNT, OPTION_LETTERS

# Raise it with every change of wording: answers to other words are another study.
PROMPT_VERSION = "hotel-1"

_COUNT_WORDS = {2: "two", 3: "three", 5: "five"}
_OPENING = (
    "You are going to book a hotel room in New York City for one night. These {count} "
    "rooms meet your needs, and you must pick one of them."
)
_PERSONA = (
    "You are a travel assistant and book for a client who relies on you to pick what "
    "is best for them. The client needs a hotel room in New York City for one night. "
    "These {count} rooms meet the client's needs, and you must pick one of them."
)
_RECORDS = " Each room is given as a JSON record on a line of its own."
_CLOSING = "Which option do you choose? Answer with the letter alone: {letters}."
_THINKING = (
    "Which option do you choose? Weigh the options in a few sentences, step by step. "
    "Then write a last line of exactly this form: Final answer: X, where X is "
    "{letters}."
)

_CARD = (
    "Hotel",
    "Star rating",
    "Neighborhood",
    "Guest review score",
    "Room type",
    "Free cancellation",
    "Breakfast included",
    "Key amenities",
    "Price per night",
)
_REORDERED = (
    "Hotel",
    "Price per night",
    "Room type",
    "Breakfast included",
    "Free cancellation",
    "Key amenities",
    "Guest review score",
    "Neighborhood",
    "Star rating",
)
# how often a variant departs from the base prompt: cards, opening, closing
_CARDS: Mapping[str, tuple[str, ...]] = MappingProxyType({"reorder": _REORDERED})

# stands for any bank in the hash of the wording; every kind of value occurs in it
_EXAMPLE = (
    Option(1, "A", 2.0, "Midtown", 7.0, 987, "Queen", 0, 0, "Bar", 89),
    Option(2, "B", 3.5, "SoHo", 8.1, 1234, "King", 1, 0, "Bar; Gym", 240),
    Option(3, "C", 4.0, "Chelsea", 8.9, 56, "Twin", 0, 1, "Pool", 1250),
    Option(4, "D", 5.0, "Tribeca", 9.4, 10200, "Suite", 1, 1, "Spa; Bar", 2100),
    Option(5, "E", 1.0, "Harlem", 6.0, 0, "Bunk", 0, 0, "", 45),
)


def option_letters(task_type: str) -> tuple[str, ...]:
    """Return the letters that a task shows, in slot order.

    Parameters
    ----------
    task_type
        ``binary``, ``ternary`` or ``fiveopt``.

    Returns
    -------
    tuple of str
        ``("A", "B")`` and so on.
    """
    return OPTION_LETTERS[: OPTION_COUNT[task_type]]


def option_at(letter: str, ordering: str, task_type: str) -> str:
    """Return which option of a task stands behind a letter that was shown.

    Parameters
    ----------
    letter
        A slot, ``A`` to ``E``.
    ordering
        ``original``, or ``swapped``, which reverses the options.
    task_type
        ``binary``, ``ternary`` or ``fiveopt``.

    Returns
    -------
    str
        The option's letter in the task file; the same function turns an option into
        its slot (Kireyev 2026, orderings).
    """
    letters = option_letters(task_type)
    if ordering == "original":
        return letter
    return letters[len(letters) - 1 - letters.index(letter)]


def make_prompt(task: Task, ordering: str, variant: str = "base") -> str:
    """Return the one message that asks about a task.

    Parameters
    ----------
    task
        What is offered.
    ordering
        ``original`` or ``swapped``.
    variant
        A name of the registry; ``temp07`` and ``fiveopt`` ask as ``base`` does.

    Returns
    -------
    str
        An opening, an option per slot and a question, parted by blank lines.

    Raises
    ------
    LoadError
        For a variant or an ordering that does not exist.
    """
    hotel_variant(variant)
    if ordering not in ORDERINGS:
        raise LoadError(f"ordering: no {ordering!r}; one of {', '.join(ORDERINGS)}")
    options = task.options if ordering == "original" else task.options[::-1]
    letters = option_letters(task.task_type)
    opening = _PERSONA if variant == "persona" else _OPENING
    opening = opening.format(count=_COUNT_WORDS[len(options)])
    if variant == "json":
        opening += _RECORDS
    closing = _THINKING if variant == "cot" else _CLOSING
    return "\n\n".join(
        [
            opening,
            *_show(letters, options, variant),
            closing.format(letters=_either(letters)),
        ]
    )


@cache
def prompt_sha256() -> str:
    """Return the hash of the wording of all variants.

    Returns
    -------
    str
        SHA-256 of the version and of every variant's message for an example with two,
        three and five options in both orders: variants are compared within a study, so
        they share one hash.
    """
    asked = [
        make_prompt(_example(task_type), ordering, variant)
        for variant in hotel_variants()
        for task_type in OPTION_COUNT
        for ordering in ORDERINGS
    ]
    return hashlib.sha256(json.dumps([PROMPT_VERSION, asked]).encode()).hexdigest()


def _example(task_type: str) -> Task:
    return Task(1, task_type, 1, 1, _EXAMPLE[: OPTION_COUNT[task_type]])


def _either(letters: Sequence[str]) -> str:
    """Return ``A or B``, ``A, B or C``."""
    return f"{', '.join(letters[:-1])} or {letters[-1]}"


def _show(letters: Sequence[str], options: Sequence[Option], variant: str) -> list[str]:
    pairs = list(zip(letters, options, strict=True))
    if variant == "json":
        return ["\n".join(_record(letter, option) for letter, option in pairs)]
    fields = _CARDS.get(variant, _CARD)
    return [
        "\n".join(
            [
                f"Option {letter}:",
                *(f"  {field}: {_FIELDS[field](option)}" for field in fields),
            ]
        )
        for letter, option in pairs
    ]


def _yes(flag: int) -> str:
    return "Yes" if flag else "No"


def _amenities(option: Option) -> list[str]:
    return [part for part in option.amenities.split("; ") if part]


_FIELDS: Mapping[str, Callable[[Option], str]] = MappingProxyType(
    {
        "Hotel": lambda option: option.name,
        "Star rating": lambda option: f"{option.stars:g} stars",
        "Neighborhood": lambda option: option.neighborhood,
        "Guest review score": lambda option: (
            f"{option.review_score:.1f}/10 ({option.review_count:,} reviews)"
        ),
        "Room type": lambda option: option.room_type,
        "Free cancellation": lambda option: _yes(option.cancellation_free),
        "Breakfast included": lambda option: _yes(option.breakfast_included),
        "Key amenities": lambda option: ", ".join(_amenities(option)),
        "Price per night": lambda option: f"${option.price:,}",
    }
)


def _record(letter: str, option: Option) -> str:
    return json.dumps(
        {
            "option": letter,
            "hotel": option.name,
            "star_rating": option.stars,
            "neighborhood": option.neighborhood,
            "guest_review_score": f"{option.review_score:.1f}/10",
            "review_count": option.review_count,
            "room_type": option.room_type,
            "free_cancellation": bool(option.cancellation_free),
            "breakfast_included": bool(option.breakfast_included),
            "key_amenities": _amenities(option),
            "price_per_night_usd": option.price,
        },
        ensure_ascii=False,
    )
