"""What must hold of the purchase staging views: nothing lost, keys, types, closure."""

from __future__ import annotations

from expectations.rules import EmptyRule, Rule, Suite, not_null, one_of, typed, unique
from expectations.run_rules import staging_rules
from expectations.vocabulary import (
    PURCHASE_CATEGORIES,
    PURCHASE_LABELS,
    SOURCES,
)

TABLES = ("scenario", "response", "run")
_RUN_KEY = "source, run_id, bank_sha256"
_QUESTION = f"{_RUN_KEY}, scenario_id, label, repeat"


_ROWS: list[Rule] = [
    *typed(
        "stg_purchase_response",
        {"answer_key": "VARCHAR", "category": "VARCHAR", "is_superseded": "BOOLEAN"},
    ),
    *typed(
        "stg_purchase_run",
        {"study_id": "VARCHAR", "run_date": "DATE", "is_excluded": "BOOLEAN"},
    ),
    *not_null("stg_purchase_scenario", "bank_sha256", "scenario_id"),
    *unique("stg_purchase_scenario", "bank_sha256", "scenario_id"),
    *not_null("stg_purchase_response", "answer_key", "category", "is_superseded"),
    *unique("stg_purchase_response", "answer_key"),
    *not_null("stg_purchase_run", "study_id", "run_id", "model_id", "is_excluded"),
    *unique("stg_purchase_run", "study_id", "run_id"),
    *one_of("stg_purchase_response", "label", PURCHASE_LABELS),
    *one_of("stg_purchase_response", "category", PURCHASE_CATEGORIES),
    *one_of("stg_purchase_run", "source", SOURCES),
]

_CLOSURE: list[Rule] = [
    EmptyRule(
        "stg_purchase_response",
        "every_decision_has_a_run",
        f"""
        select answer_key, {_RUN_KEY}, source_file, source_row
        from stg_purchase_response anti join stg_purchase_run using ({_RUN_KEY})
        """,
    ),
    EmptyRule(
        "stg_purchase_response",
        "every_decision_has_a_scenario",
        """
        select answer_key, scenario_id, source_file, source_row
        from stg_purchase_response
        anti join stg_purchase_scenario using (bank_sha256, scenario_id)
        """,
    ),
    EmptyRule(
        "stg_purchase_response",
        "the_last_row_of_a_question_and_no_other_counts",
        f"""
        select {_QUESTION}, count(*) filter (where not is_superseded) as counting,
            min(source_file) as source_file, min(source_row) as source_row
        from stg_purchase_response
        group by {_QUESTION}
        having counting != 1
            or max(source_row) filter (where not is_superseded) != max(source_row)
        """,
    ),
]

SUITE = Suite(
    keys={
        "stg_purchase_scenario": ("bank_sha256", "scenario_id"),
        "stg_purchase_response": ("answer_key",),
        "stg_purchase_run": ("study_id", "run_id"),
    },
    rules=(*_ROWS, *_CLOSURE, *staging_rules("purchase", TABLES)),
)
