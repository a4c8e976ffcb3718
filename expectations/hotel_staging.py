"""What must hold of the hotel staging views: nothing lost, keys, types, closure."""

from __future__ import annotations

from expectations.rules import EmptyRule, Suite, not_null, one_of, typed, unique
from expectations.run_rules import staging_rules
from expectations.vocabulary import (
    CHOICES,
    FORMAT_OPTIONS,
    ID_OFFSETS,
    OBSERVED_SOURCES,
    ORDERINGS,
    READ_STATES,
    REPLY_STATES,
    UNREAD_STATES,
    quoted,
)

TABLES = ("task", "response", "run", "hotel", "capability_score", "simulated_taste")
_RUN_KEY = "source, run_id, bank_sha256"


_TYPES = [
    *typed(
        "stg_hotel_task",
        {"bank_sha256": "VARCHAR", "task_id": "BIGINT", "group_id": "BIGINT"}
        | {f"{letter.lower()}_price_usd": "DECIMAL(12,2)" for letter in CHOICES},
    ),
    *typed(
        "stg_hotel_response",
        {
            "answer_key": "VARCHAR",
            "task_id": "BIGINT",
            "is_valid": "BOOLEAN",
            "is_valid_as_published": "BOOLEAN",
            "is_superseded": "BOOLEAN",
        },
    ),
    *typed(
        "stg_hotel_run",
        {
            "study_id": "VARCHAR",
            "model_id": "VARCHAR",
            "run_date": "DATE",
            "cost_usd": "DECIMAL(18,9)",
            "is_excluded": "BOOLEAN",
        },
    ),
]

_KEYS = [
    *not_null("stg_hotel_task", "bank_sha256", "task_id", "format", "group_id", "rep"),
    *unique("stg_hotel_task", "bank_sha256", "task_id"),
    *not_null("stg_hotel_response", "answer_key", "run_id", "source", "bank_sha256"),
    *not_null("stg_hotel_response", "ordering", "repeat", "task_id", "reply_state"),
    *not_null("stg_hotel_response", "is_valid_as_published", "is_superseded"),
    *unique("stg_hotel_response", "answer_key"),
    *not_null("stg_hotel_run", "study_id", "run_id", "source", "model_id", "variant"),
    *not_null("stg_hotel_run", "bank_sha256", "protocol", "settings", "is_excluded"),
    *unique("stg_hotel_run", "study_id", "run_id"),
    *not_null("stg_hotel_hotel", "pool_sha256", "hotel_id", "hotel_name"),
    *unique("stg_hotel_hotel", "pool_sha256", "hotel_id"),
    *unique("stg_hotel_capability_score", "source_sha256", "model_name"),
    *unique("stg_hotel_simulated_taste", "run_id", "term"),
]

_VOCABULARY = [
    *one_of("stg_hotel_task", "format", FORMAT_OPTIONS),
    *one_of("stg_hotel_response", "ordering", ORDERINGS),
    *one_of("stg_hotel_response", "choice", CHOICES),
    *one_of("stg_hotel_response", "published_choice", CHOICES),
    *one_of("stg_hotel_response", "id_offset", ID_OFFSETS),
    *one_of("stg_hotel_response", "reply_state", REPLY_STATES),
    *one_of("stg_hotel_run", "source", OBSERVED_SOURCES),
]

_CLOSURE = [
    EmptyRule(
        "stg_hotel_response",
        "every_answer_has_a_run",
        f"""
        select answer_key, {_RUN_KEY}, source_file, source_row
        from stg_hotel_response anti join stg_hotel_run using ({_RUN_KEY})
        """,
    ),
    EmptyRule(
        "stg_hotel_response",
        "every_answer_has_a_task",
        """
        select answer_key, task_id, source_file, source_row
        from stg_hotel_response anti join stg_hotel_task using (bank_sha256, task_id)
        """,
    ),
    EmptyRule(
        "stg_hotel_response",
        "reply_state_agrees_with_choice",
        f"""
        select answer_key, choice, reply_state, is_valid, source_file, source_row
        from stg_hotel_response
        where is_valid is distinct from (choice is not null)
            or is_valid_as_published is distinct from (published_choice is not null)
            or reply_state = 'failed' and published_choice is not null
            or reply_state in ({quoted(UNREAD_STATES)}) and choice is not null
            or reply_state in ({quoted(READ_STATES)}) and choice is null
        """,
    ),
    EmptyRule(
        "stg_hotel_response",
        "one_answer_counts_for_a_question",
        """
        select source, run_id, bank_sha256, task_id, ordering, repeat,
            count(*) as first_answers, min(source_file) as source_file,
            min(source_row) as source_row
        from stg_hotel_response
        where is_valid and is_standard_offset
        group by source, run_id, bank_sha256, task_id, ordering, repeat
        having count(*) filter (where valid_answer_number = 1) != 1
        """,
    ),
    EmptyRule(
        "stg_hotel_run",
        "every_variant_is_in_the_registry",
        """
        select study_id, run_id, variant
        from stg_hotel_run anti join hotel_variant using (variant)
        """,
    ),
]

SUITE = Suite(
    keys={
        "stg_hotel_task": ("bank_sha256", "task_id"),
        "stg_hotel_response": ("answer_key",),
        "stg_hotel_run": ("study_id", "run_id"),
        "stg_hotel_hotel": ("pool_sha256", "hotel_id"),
        "stg_hotel_capability_score": ("model_name",),
        "stg_hotel_simulated_taste": ("run_id", "term"),
    },
    rules=(*_TYPES, *_KEYS, *_VOCABULARY, *_CLOSURE, *staging_rules("hotel", TABLES)),
)
