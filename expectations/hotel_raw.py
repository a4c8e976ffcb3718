"""What must hold of the hotel observations as they were loaded."""

from __future__ import annotations

from expectations.accounting_rules import accounting_rules
from expectations.rules import EmptyRule, Suite, not_null, one_of, typed, unique
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

PROVENANCE = ("_source_file", "_source_sha256", "_source_row")
# Raw tables, and whether their rows belong to a bank.
RAW_TABLES = {
    "task": True,
    "response": True,
    "run": True,
    "hotel": False,
    "capability_score": False,
    "simulated_taste": False,
}
_OPTION_VALUES = (
    "hotel_id",
    "name",
    "stars",
    "neighborhood",
    "review_score",
    "review_count",
    "room_type",
    "cancellation_free",
    "breakfast_included",
    "price",
)
_RUN_KEY = "source, run_id, bank_sha256"


def _incomplete_options() -> str:
    """Return the query for options that are half filled in or do not fit the format."""
    parts = []
    for position, letter in enumerate(CHOICES, start=1):
        prefix = letter.lower()
        columns = ", ".join(f"{prefix}_{name}" for name in _OPTION_VALUES)
        wanted = [
            f"when '{name}' then {len(_OPTION_VALUES) if position <= options else 0}"
            for name, options in FORMAT_OPTIONS.items()
        ]
        parts.append(
            f"""
            select bank_sha256, task_id, task_type, '{letter}' as option,
                {prefix}_price as price, _source_file, _source_row
            from task
            where len(list_filter([{_as_text(columns)}], lambda x: x is not null))
                != case task_type {" ".join(wanted)} end
                or {prefix}_price <= 0
            """
        )
    return " union all ".join(parts)


def _as_text(columns: str) -> str:
    return ", ".join(f"{column.strip()}::varchar" for column in columns.split(","))


_TYPES = [
    *typed(
        "task",
        {"bank_sha256": "VARCHAR", "task_id": "BIGINT", "group_id": "BIGINT"}
        | {f"{letter.lower()}_price": "DECIMAL(12,2)" for letter in CHOICES},
    ),
    *typed(
        "response",
        {
            "bank_sha256": "VARCHAR",
            "run_id": "VARCHAR",
            "task_id": "BIGINT",
            "bank_task_id": "BIGINT",
            "repeat": "BIGINT",
            "choice": "VARCHAR",
            "published_choice": "VARCHAR",
            "cost_usd": "DECIMAL(18,12)",
        },
    ),
    *typed(
        "run",
        {"run_id": "VARCHAR", "run_date": "DATE", "cost_usd": "DECIMAL(18,9)"},
    ),
    *typed("hotel", {"price_min": "DECIMAL(12,2)", "price_max": "DECIMAL(12,2)"}),
]

_KEYS = [
    *not_null("task", "bank_sha256", "task_id", "task_type", "group_id", "rep"),
    *unique("task", "bank_sha256", "task_id"),
    *not_null("response", "bank_sha256", "run_id", "source", "ordering", "repeat"),
    *not_null("response", "task_id", "id_offset", "bank_task_id"),
    *unique("response", "source", "run_id", "bank_sha256", "ordering", "_source_row"),
    *not_null("run", "run_id", "bank_sha256", "source", "model_tag", "variant"),
    *not_null("run", "protocol", "settings"),
    *unique("run", "source", "run_id", "bank_sha256"),
    *not_null("hotel", "pool_sha256", "hotel_id"),
    *unique("hotel", "pool_sha256", "hotel_id"),
    *not_null("capability_score", "model_name"),
    *unique("capability_score", "_source_sha256", "model_name"),
    *not_null("simulated_taste", "run_id", "term", "value"),
    *unique("simulated_taste", "run_id", "term"),
    *[rule for table in RAW_TABLES for rule in not_null(table, *PROVENANCE)],
]

_VOCABULARY = [
    *one_of("task", "task_type", FORMAT_OPTIONS),
    *one_of("response", "source", OBSERVED_SOURCES),
    *one_of("response", "ordering", ORDERINGS),
    *one_of("response", "id_offset", ID_OFFSETS),
    *one_of("response", "choice", CHOICES),
    *one_of("response", "published_choice", CHOICES),
    *one_of("response", "reply_state", REPLY_STATES),
    *one_of("run", "source", OBSERVED_SOURCES),
]

_CLOSURE = [
    EmptyRule("task", "every_option_is_complete_for_its_format", _incomplete_options()),
    EmptyRule(
        "response",
        "every_answer_has_a_run",
        f"""
        select {_RUN_KEY}, ordering, task_id, _source_file, _source_row
        from response anti join run using ({_RUN_KEY})
        """,
    ),
    EmptyRule(
        "response",
        "every_answer_has_a_task",
        """
        select run_id, task_id, id_offset, _source_file, _source_row
        from response
        anti join task
            on response.bank_sha256 = task.bank_sha256
            and response.bank_task_id = task.task_id
        """,
    ),
    EmptyRule(
        "response",
        "every_id_is_its_task_plus_an_offset",
        """
        select run_id, task_id, id_offset, bank_task_id, _source_file, _source_row
        from response where task_id - id_offset != bank_task_id
        """,
    ),
    EmptyRule(
        "response",
        "every_choice_is_an_option_of_its_task",
        f"""
        select run_id, response.task_id, choice, published_choice, task_type,
            response._source_file, response._source_row
        from response
        inner join task
            on response.bank_sha256 = task.bank_sha256
            and response.bank_task_id = task.task_id
        where greatest(ascii(choice), ascii(published_choice)) - ascii('A')
            >= case task_type
            {" ".join(f"when '{k}' then {n}" for k, n in FORMAT_OPTIONS.items())} end
        """,
    ),
    EmptyRule(
        "response",
        "reply_state_agrees_with_choice",
        f"""
        select run_id, task_id, choice, reply_state, _source_file, _source_row
        from response
        where reply_state in ({quoted(UNREAD_STATES)}) and choice is not null
            or reply_state in ({quoted(READ_STATES)}) and choice is null
            or reply_state = 'failed' and published_choice is not null
        """,
    ),
    EmptyRule(
        "run",
        "every_run_has_a_bank",
        """
        select run_id, bank_sha256, _source_file, _source_row
        from run anti join task using (bank_sha256)
        """,
    ),
    EmptyRule(
        "run",
        "every_variant_is_in_the_registry",
        """
        select run_id, variant, _source_file, _source_row
        from run anti join hotel_variant using (variant)
        """,
    ),
    EmptyRule(
        "run",
        "every_setting_is_a_json_object",
        """
        select run_id, settings, _source_file, _source_row
        from run where not json_valid(settings) or json_type(settings) != 'OBJECT'
        """,
    ),
    EmptyRule(
        "run",
        "every_model_asked_has_a_provider",
        """
        select run_id, source, model_tag, _source_file, _source_row
        from run where source != 'release' and not contains(model_tag, '/')
        """,
    ),
    EmptyRule(
        "simulated_taste",
        "every_taste_has_a_run",
        """
        select run_id, term, _source_file, _source_row
        from simulated_taste anti join run using (run_id)
        """,
    ),
]

SUITE = Suite(
    keys={
        "task": ("bank_sha256", "task_id"),
        "response": ("run_id", "ordering", "task_id"),
        "run": ("run_id", "bank_sha256"),
        "hotel": ("pool_sha256", "hotel_id"),
        "capability_score": ("model_name",),
        "simulated_taste": ("run_id", "term"),
        "row_accounting": ("table_name", "source_file"),
    },
    rules=(*_TYPES, *_KEYS, *_VOCABULARY, *_CLOSURE, *accounting_rules(RAW_TABLES)),
)
