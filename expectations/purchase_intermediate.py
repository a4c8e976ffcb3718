"""What must hold of purchase scenarios and decisions once they are scored."""

from __future__ import annotations

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
from expectations.run_rules import run_rules
from expectations.vocabulary import (
    MENUS,
    PURCHASE_CATEGORIES,
    PURCHASE_LABELS,
    PURCHASE_OPTIONS,
)

_OPTION_KEY = ("bank_sha256", "scenario_id", "menu", "option")
# What a source states may have been rounded to this many parts of the value.
_STATED_TOLERANCE = 1e-9

_OPTIONS: list[Rule] = [
    *typed(
        "int_purchase_option",
        {"expected_value_usd": "DOUBLE", "regret_share": "DOUBLE", "gap_usd": "DOUBLE"},
    ),
    *not_null("int_purchase_option", *_OPTION_KEY, "expected_value_usd", "optimal"),
    *unique("int_purchase_option", *_OPTION_KEY),
    *one_of("int_purchase_option", "menu", MENUS),
    *one_of("int_purchase_option", "option", PURCHASE_OPTIONS),
    *within("int_purchase_option", "regret_share", low=0),
    *within("int_purchase_option", "gap_usd", low=0),
    EmptyRule(
        "int_purchase_option",
        "every_scenario_has_both_menus_whole_with_one_best_option",
        f"""
        select stg_purchase_scenario.bank_sha256, stg_purchase_scenario.scenario_id,
            count(option) as options, count(*) filter (where is_optimal) as best,
            any_value(stg_purchase_scenario.source_file) as source_file,
            any_value(stg_purchase_scenario.source_row) as source_row
        from stg_purchase_scenario
        full join int_purchase_option using (bank_sha256, scenario_id)
        group by all
        having options != {len(MENUS) * len(PURCHASE_OPTIONS)} or best != {len(MENUS)}
        """,
    ),
    EmptyRule(
        "int_purchase_option",
        "the_best_option_is_worth_most_and_loses_nothing",
        """
        select bank_sha256, scenario_id, menu, option, expected_value_usd, regret_share
        from int_purchase_option
        where is_optimal != (option = optimal)
            or is_optimal and regret_share != 0
            or expected_value_usd > (
                select max(best.expected_value_usd)
                from int_purchase_option as best
                where best.is_optimal
                    and best.bank_sha256 = int_purchase_option.bank_sha256
                    and best.scenario_id = int_purchase_option.scenario_id
                    and best.menu = int_purchase_option.menu
            )
        """,
    ),
    EmptyRule(
        "int_purchase_option",
        "the_best_option_is_the_one_that_the_bank_states",
        """
        select distinct int_purchase_option.bank_sha256,
            int_purchase_option.scenario_id, menu, optimal, stated_optimal,
            stated_optimal_bonded, source_file, source_row
        from int_purchase_option
        inner join stg_purchase_scenario using (bank_sha256, scenario_id)
        where optimal != case menu
            when 'bonded' then stated_optimal_bonded else stated_optimal
        end
        """,
    ),
    EmptyRule(
        "int_purchase_option",
        "a_bond_changes_the_certificate_alone",
        """
        select bank_sha256, scenario_id, option
        from int_purchase_option
        where option != 'certificate'
        group by all
        having min(expected_value_usd) != max(expected_value_usd)
        """,
    ),
]

_DECISIONS: list[Rule] = [
    *typed(
        "int_purchase_decision", {"is_optimal": "BOOLEAN", "cost_usd": "DECIMAL(18,12)"}
    ),
    *not_null("int_purchase_decision", "answer_key", "study_id", "model_id", "run_id"),
    *not_null("int_purchase_decision", "scenario_id", "label", "repeat", "category"),
    *not_null("int_purchase_decision", "is_failed", "is_optimal", "regret_share"),
    *not_null("int_purchase_decision", "bank_scenarios", "optimal", "action"),
    *unique("int_purchase_decision", "answer_key"),
    *one_of("int_purchase_decision", "label", PURCHASE_LABELS),
    *one_of("int_purchase_decision", "category", PURCHASE_CATEGORIES),
    *one_of("int_purchase_decision", "action", PURCHASE_OPTIONS),
    EmptyRule(
        "int_purchase_decision",
        "every_decision_of_a_kept_run_that_counts_is_here_once",
        """
        with kept as (
            select answer_key, stg_purchase_response.source_file, source_row
            from stg_purchase_response
            inner join stg_purchase_run using (source, run_id, bank_sha256)
            where not is_excluded and not is_superseded
        )
        select
            coalesce(kept.answer_key, decision.answer_key) as answer_key,
            kept.answer_key is null as is_unknown,
            coalesce(kept.source_file, decision.source_file) as source_file,
            coalesce(kept.source_row, decision.source_row) as source_row
        from kept
        full join int_purchase_decision as decision using (answer_key)
        where kept.answer_key is null or decision.answer_key is null
        """,
    ),
    EmptyRule(
        "int_purchase_decision",
        "an_unread_reply_acts_as_a_skip_and_is_never_best",
        """
        select answer_key, choice, category, action, is_optimal, source_file, source_row
        from int_purchase_decision
        where action != coalesce(choice, 'skip')
            or is_optimal != coalesce(choice = optimal, false)
            or is_failed != (category = 'failed')
            or bought != (action != 'skip') or buy_optimal != (optimal != 'skip')
        """,
    ),
    EmptyRule(
        "int_purchase_decision",
        "a_decision_is_scored_under_the_menu_shown",
        """
        select answer_key, label, optimal, optimal_ordinary, optimal_bonded,
            source_file, source_row
        from int_purchase_decision
        where optimal
            != case label when 'B' then optimal_bonded else optimal_ordinary end
        """,
    ),
    EmptyRule(
        "int_purchase_decision",
        "stated_scores_are_ours",
        f"""
        select answer_key, regret_share, stated_regret_share, source_file, source_row
        from int_purchase_decision
        where abs(regret_share - stated_regret_share) > {_STATED_TOLERANCE}
            or is_optimal != stated_is_optimal or bought != stated_bought
            or buy_optimal != stated_buy_optimal
        """,
        # ours is used: a source that scores otherwise is told of, and no reason to stop
        severity="warn",
    ),
]

SUITE = Suite(
    keys={
        "int_purchase_option": _OPTION_KEY,
        "int_purchase_decision": ("answer_key",),
        "int_purchase_run": ("study_id", "run_id"),
        "int_purchase_model": ("model_id",),
    },
    rules=(*_OPTIONS, *_DECISIONS, *run_rules("purchase")),
)
