"""What must hold of the purchase marts: grains, identities and honest blanks."""

from __future__ import annotations

from expectations.mart_rules import breaks, grain_rules, honest_blanks
from expectations.rules import EmptyRule, Rule, Suite, one_of, within
from expectations.vocabulary import (
    OBSERVED_SOURCES,
    PURCHASE_CATEGORIES,
    PURCHASE_LABELS,
    PURCHASE_METRICS,
    PURCHASE_OPTIONS,
)
from models.purchase_sample import FEWEST_DECISIONS, FEWEST_SCENARIOS_SHARE
from models.purchase_terms import HEADLINE, PUBLISHED_METRICS
from models.status import OK, TOO_FEW

# Mart -> its grain, as promised to analysts.
GRAINS = {
    "purchase_board": ("study_id", "model_id", "reading"),
    "purchase_metric": ("study_id", "model_id", "metric", "reading"),
    "purchase_cell": ("study_id", "model_id", "label"),
    "purchase_choice_mix": ("study_id", "model_id", "label", "optimal", "chosen"),
    "purchase_cost": ("study_id", "model_id"),
    "purchase_comparison": ("study_id", "metric", "model_a", "model_b", "reading"),
    "purchase_reading_difference": ("study_id", "scope", "model_id", "metric"),
}
# Four metrics are the audit's own, and the source compares no models.
_ONE_SIDED = ("purchase_metric", "purchase_comparison")
_SHARE_TOLERANCE = 1e-9
_CERTIFICATES = ", ".join(
    f"max(certificate_share_as_published) filter (where label = '{label}') as {name}"
    for label, name in zip(
        PURCHASE_LABELS, ("bare", "record", "badge", "bond"), strict=True
    )
)
_FIGURES = "\nunion all ".join(
    f"select study_id, model_id, reading, '{metric}' as metric, {value} as value, "
    f"{status} as status, {n} as n from purchase_board"
    for metric, value, status, n in (
        (HEADLINE, "value", "status", "n"),
        *(
            (name, name.lower(), f"{name.lower()}_status", "null")
            for name in PUBLISHED_METRICS
            if name != HEADLINE
        ),
    )
)

_METRIC_CELLS = ", ".join(
    f"('{metric}', '{label}')"
    for metric, labels in PUBLISHED_METRICS.items()
    for label in labels
)


def _breaks(mart: str, name: str, condition: str, shown: str) -> EmptyRule:
    return breaks(GRAINS, mart, name, condition, shown)


_VOCABULARY: list[Rule] = [
    *grain_rules(GRAINS, one_sided=_ONE_SIDED),
    *one_of("purchase_board", "source", OBSERVED_SOURCES),
    *one_of("purchase_metric", "metric", PURCHASE_METRICS),
    *one_of("purchase_cell", "label", PURCHASE_LABELS),
    *one_of("purchase_choice_mix", "optimal", PURCHASE_OPTIONS),
    *one_of("purchase_choice_mix", "chosen", PURCHASE_CATEGORIES),
]

_IDENTITIES: list[Rule] = [
    _breaks(
        "purchase_cell",
        "every_decision_is_counted_in_one_class",
        "rows != valid + invalid + failed",
        "rows, valid, invalid, failed",
    ),
    _breaks(
        "purchase_cell",
        "a_share_of_no_replies_is_null",
        "(rows = failed) != (certificate_share is null)"
        " or (rows = failed) != (mean_regret_share is null)",
        "rows, failed, certificate_share",
    ),
    _breaks(
        "purchase_cell",
        "a_cell_without_enough_replies_says_so",
        f"status is distinct from case when rows - failed < {FEWEST_DECISIONS}"
        f" or scenarios < {FEWEST_SCENARIOS_SHARE} * bank_scenarios"
        f" then '{TOO_FEW}' else '{OK}' end",
        "rows, failed, scenarios, bank_scenarios, status",
    ),
    EmptyRule(
        "purchase_cell",
        "every_model_has_every_cell_and_every_decision_is_in_one",
        f"""
        with asked as (
            select study_id, model_id, count(*) as decisions
            from int_purchase_decision group by all
        )
        select study_id, model_id, any_value(decisions) as decisions,
            count(label) as cells, sum(rows) as in_cells
        from asked
        full join purchase_cell using (study_id, model_id)
        group by all
        having cells != {len(PURCHASE_LABELS)}
            or in_cells is distinct from any_value(asked.decisions)
        """,
    ),
    EmptyRule(
        "purchase_choice_mix",
        "choices_of_a_cell_add_up_to_its_rows",
        """
        with mix as (
            select study_id, model_id, label, sum(n) as chosen
            from purchase_choice_mix group by all
        )
        select study_id, model_id, label, rows, chosen
        from purchase_cell
        full join mix using (study_id, model_id, label)
        where rows is distinct from coalesce(chosen, 0)
        """,
    ),
    EmptyRule(
        "purchase_metric",
        "shares_of_cells_give_the_published_effects",
        f"""
        with spread as (
            select study_id, model_id, {_CERTIFICATES}
            from purchase_cell group by all
        )
        select study_id, model_id, metric, value
        from purchase_metric
        left join spread using (study_id, model_id)
        where reading = 'as_published' and value is not null and not coalesce(abs(
            value - case metric
                when 'badge_effect' then badge - bare
                when 'verified_minus_badge' then record - badge
                when 'bond_shift' then bond - record
                else value
            end
        ) < {_SHARE_TOLERANCE}, false)
        """,
    ),
    EmptyRule(
        "purchase_cost",
        "every_decision_that_counts_is_paid_for_once",
        """
        select study_id, model_id, usd_total, usd_spent
        from purchase_cost
        full join (
            select study_id, model_id, sum(cost_usd)::decimal(18, 9) as paid
            from int_purchase_decision group by all
        ) as counted using (study_id, model_id)
        where usd_total is distinct from paid or usd_total > usd_spent
        """,
    ),
    _breaks(
        "purchase_reading_difference",
        "difference_is_audited_minus_as_published",
        "difference is distinct from case when reason is null"
        " and abs(audited - as_published)"
        f" <= {_SHARE_TOLERANCE} * greatest(abs(audited), abs(as_published))"
        " then 0 else audited - as_published end"
        " or (reason is not distinct from 'failed_calls_scored')"
        " != coalesce(reason_count > 0, false)"
        " or reason_count < failed_in_cells",
        "as_published, audited, difference, reason, reason_count",
    ),
    EmptyRule(
        "purchase_reading_difference",
        "failed_calls_are_those_of_the_cells_of_the_metric",
        f"""
        with metric_cell (metric, label) as (values {_METRIC_CELLS}),
        counted as (
            select study_id, model_id, metric, sum(failed) as failed
            from purchase_cell inner join metric_cell using (label)
            group by all
        )
        select study_id, model_id, metric, failed_in_cells, failed
        from purchase_reading_difference
        left join counted using (study_id, model_id, metric)
        where failed_in_cells is distinct from coalesce(failed, 0)
        """,
    ),
    EmptyRule(
        "purchase_board",
        "every_figure_is_that_of_its_metric",
        f"""
        with figure as (
            {_FIGURES}
        )
        select study_id, model_id, reading, metric, figure.value, figure.status,
            purchase_metric.value as metric_value
        from figure
        left join purchase_metric using (study_id, model_id, reading, metric)
        where figure.value is distinct from purchase_metric.value
            or figure.status is distinct from purchase_metric.status
            or purchase_metric.n is distinct from coalesce(figure.n, purchase_metric.n)
        """,
    ),
    EmptyRule(
        "purchase_board",
        "every_observed_model_has_a_row_and_no_derived_one",
        """
        with observed as (
            select distinct study_id, model_id from int_purchase_run
            where not is_excluded and source != 'derived' and calls > 0
        )
        select study_id, model_id, count(reading) as readings
        from observed
        full join purchase_board using (study_id, model_id)
        group by all
        having readings != 2
            or (study_id, model_id) not in (select (study_id, model_id) from observed)
            or model_id not in (select model_id from int_purchase_model)
        """,
    ),
]

_BLANKS: list[Rule] = [
    *honest_blanks(GRAINS, "purchase_board", "value", ranked=True),
    *honest_blanks(GRAINS, "purchase_metric", "value"),
    *honest_blanks(GRAINS, "purchase_comparison", "difference"),
    *within("purchase_board", "failed_share", low=0, high=1),
    *within("purchase_cell", "certificate_share", low=0, high=1),
    *within("purchase_cell", "mean_regret_share", low=0),
    *within("purchase_comparison", "p_adjusted", low=0, high=1),
    *within("purchase_cost", "usd_per_decision", low=0),
]

SUITE = Suite(keys=GRAINS, rules=(*_VOCABULARY, *_IDENTITIES, *_BLANKS))
