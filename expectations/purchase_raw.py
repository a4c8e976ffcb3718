"""What must hold of the purchase decisions as they were loaded."""

from __future__ import annotations

from expectations.accounting_rules import accounting_rules
from expectations.rules import (
    EmptyRule,
    Rule,
    Suite,
    not_null,
    one_of,
    typed,
    unique,
    within,
)
from expectations.vocabulary import (
    PURCHASE_LABELS,
    PURCHASE_OPTIONS,
    READ_STATES,
    REPLY_STATES,
    SOURCES,
    UNREAD_STATES,
    quoted,
)

# Raw tables, and whether their rows belong to a bank.
RAW_TABLES = {"scenario": True, "response": True, "run": True}
PROVENANCE = ("_source_file", "_source_sha256", "_source_row")
_RUN_KEY = "source, run_id, bank_sha256"
_CHANCES = ("p_free", "p_document", "p_teaser", "p_certificate")
_OTHER_THAN_RECORDED = " or ".join(
    f"{one} != {one[2:]}_right / {one[2:]}_cases" for one in _CHANCES
)

_TYPES = [
    *typed(
        "scenario",
        {"scenario_id": "VARCHAR", "value_usd": "DOUBLE", "order_seed": "BIGINT"}
        | dict.fromkeys(_CHANCES, "DOUBLE")
        | {"document_price_usd": "DOUBLE", "certificate_price_usd": "DOUBLE"},
    ),
    *typed(
        "response",
        {"scenario_id": "VARCHAR", "label": "VARCHAR", "repeat": "BIGINT"}
        | {"cost_usd": "DECIMAL(18,12)", "secs": "DOUBLE"},
    ),
    *typed("run", {"run_id": "VARCHAR", "run_date": "DATE"}),
]

_KEYS = [
    *not_null("scenario", "bank_sha256", "scenario_id", "value_usd", *_CHANCES),
    *not_null("scenario", "document_price_usd", "certificate_price_usd"),
    *unique("scenario", "bank_sha256", "scenario_id"),
    *not_null("response", "bank_sha256", "run_id", "source", "scenario_id"),
    *not_null("response", "label", "repeat"),
    *unique("response", "source", "run_id", "bank_sha256", *PROVENANCE[::2]),
    *not_null("run", "run_id", "bank_sha256", "source", "model_tag", "variant"),
    *not_null("run", "protocol", "settings"),
    *unique("run", "source", "run_id", "bank_sha256"),
    *[rule for table in RAW_TABLES for rule in not_null(table, *PROVENANCE)],
]

_VOCABULARY = [
    *one_of("scenario", "optimal", PURCHASE_OPTIONS),
    *one_of("scenario", "optimal_bonded", PURCHASE_OPTIONS),
    *[rule for name in _CHANCES for rule in within("scenario", name, 0, 1)],
    *one_of("response", "source", SOURCES),
    *one_of("response", "label", PURCHASE_LABELS),
    *one_of("response", "choice", PURCHASE_OPTIONS),
    *one_of("response", "reply_state", REPLY_STATES),
    *within("response", "cost_usd", low=0),
    *within("response", "secs", low=0),
    *one_of("run", "source", SOURCES),
]

_CLOSURE: list[Rule] = [
    EmptyRule(
        "scenario",
        "every_amount_is_above_zero",
        """
        select bank_sha256, scenario_id, value_usd, document_price_usd,
            certificate_price_usd, _source_file, _source_row
        from scenario
        where least(value_usd, document_price_usd, certificate_price_usd) <= 0
            or not isfinite(value_usd + document_price_usd + certificate_price_usd)
        """,
    ),
    EmptyRule(
        "scenario",
        "every_chance_is_that_of_its_record",
        f"""
        select bank_sha256, scenario_id, _source_file, _source_row
        from scenario
        where {_OTHER_THAN_RECORDED}
        """,
    ),
    EmptyRule(
        "response",
        "every_decision_has_a_run",
        f"""
        select {_RUN_KEY}, scenario_id, _source_file, _source_row
        from response anti join run using ({_RUN_KEY})
        """,
    ),
    EmptyRule(
        "response",
        "every_decision_has_a_scenario",
        """
        select run_id, scenario_id, label, _source_file, _source_row
        from response anti join scenario using (bank_sha256, scenario_id)
        """,
    ),
    EmptyRule(
        "response",
        "reply_state_agrees_with_choice",
        f"""
        select run_id, scenario_id, choice, reply_state, _source_file, _source_row
        from response
        where reply_state in ({quoted(UNREAD_STATES)}) and choice is not null
            or reply_state in ({quoted(READ_STATES)}) and choice is null
            or reply_state is null and choice is null
        """,
    ),
    EmptyRule(
        "run",
        "every_run_has_a_bank",
        """
        select run_id, bank_sha256, _source_file, _source_row
        from run anti join scenario using (bank_sha256)
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
]

SUITE = Suite(
    keys={
        "scenario": ("bank_sha256", "scenario_id"),
        "response": ("run_id", "scenario_id", "label", "repeat"),
        "run": ("run_id", "bank_sha256"),
        "row_accounting": ("table_name", "source_file"),
    },
    rules=(*_TYPES, *_KEYS, *_VOCABULARY, *_CLOSURE, *accounting_rules(RAW_TABLES)),
)
