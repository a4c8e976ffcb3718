"""What must hold of the purchase estimates: keys, statuses and honest blanks.

Nothing here judges a buyer: a metric may have any value of its range.
"""

from __future__ import annotations

from expectations.rules import EmptyRule, Rule, Suite, not_null, one_of, unique, within
from expectations.vocabulary import PURCHASE_METRICS, READINGS
from models.purchase_terms import AUDITED_METRICS, COMPARED_METRICS, HEADLINE
from models.status import OK, STATUSES

_KEY = ("study_id", "model_id", "reading", "metric")
_PAIR = ("study_id", "reading", "metric", "model_a", "model_b")
_SHARES = ("flip_rate", *AUDITED_METRICS)

_METRICS: list[Rule] = [
    *not_null("est_purchase_metric", *_KEY, "n", "status"),
    *unique("est_purchase_metric", *_KEY),
    *one_of("est_purchase_metric", "reading", READINGS),
    *one_of("est_purchase_metric", "metric", PURCHASE_METRICS),
    *one_of("est_purchase_metric", "status", STATUSES),
    *within("est_purchase_metric", "n", low=0),
    EmptyRule(
        "est_purchase_metric",
        "an_ok_figure_is_defined_and_any_other_is_blank",
        f"""
        select {", ".join(_KEY)}, status, value, ci_lo, ci_hi
        from est_purchase_metric
        where (status = '{OK}') != (value is not null)
            or status != '{OK}' and (ci_lo is not null or ci_hi is not null)
            or not isfinite(value) or ci_lo > ci_hi
            or (ci_lo is null) != (ci_hi is null)
        """,
    ),
    EmptyRule(
        "est_purchase_metric",
        "shares_and_percentages_keep_their_range",
        f"""
        select {", ".join(_KEY)}, value
        from est_purchase_metric
        where metric in {_SHARES} and value not between 0 and 1
            or metric = '{HEADLINE}' and value not between 0 and 100
            or metric in ('regret_pct_V', 'bond_regret_pct_V') and value < 0
            or abs(value) > 1 and metric in (
                'discrimination', 'badge_effect', 'verified_minus_badge', 'bond_shift',
                'bond_rational'
            )
        """,
    ),
    EmptyRule(
        "est_purchase_metric",
        "every_model_with_decisions_has_every_metric_and_no_other",
        f"""
        with asked as (select distinct study_id, model_id from int_purchase_decision)
        select study_id, model_id, count(metric) as metrics
        from asked
        full join est_purchase_metric using (study_id, model_id)
        group by all
        having metrics != {2 * len(PURCHASE_METRICS) - len(AUDITED_METRICS)}
            or (study_id, model_id) not in (select (study_id, model_id) from asked)
        """,
    ),
    EmptyRule(
        "est_purchase_metric",
        "an_audited_figure_has_an_influence_for_each_of_its_scenarios",
        f"""
        select {", ".join(_KEY)}, len(cluster_id) as scenarios
        from est_purchase_metric
        where len(cluster_id) != len(influence)
            or (len(cluster_id) > 0) != (reading = 'audited' and value is not null)
            or len(list_distinct(cluster_id)) != len(cluster_id)
            or abs(list_sum(influence)) > 1e-9 * greatest(1, abs(value))
        """,
    ),
]

_SIDE_BY_SIDE: list[Rule] = [
    *unique("est_purchase_rank", "study_id", "model_id"),
    EmptyRule(
        "est_purchase_rank",
        "every_ok_headline_and_no_other_is_ranked",
        f"""
        select study_id, model_id, est_purchase_metric.status, rank_lo, rank_hi
        from (
            select * from est_purchase_metric
            where reading = 'audited' and metric = '{HEADLINE}'
        ) as est_purchase_metric
        full join est_purchase_rank using (study_id, model_id)
        where (est_purchase_metric.status = '{OK}') is distinct from
            (rank_lo is not null and rank_hi is not null and rank_lo <= rank_hi)
        """,
    ),
    *not_null("est_purchase_comparison", *_PAIR, "n_paired", "status"),
    *unique("est_purchase_comparison", *_PAIR),
    *one_of("est_purchase_comparison", "metric", COMPARED_METRICS),
    *one_of("est_purchase_comparison", "status", STATUSES),
    *within("est_purchase_comparison", "p_value", low=0, high=1),
    *within("est_purchase_comparison", "p_adjusted", low=0, high=1),
    EmptyRule(
        "est_purchase_comparison",
        "a_difference_is_that_of_the_two_figures",
        """
        select est_purchase_comparison.study_id, est_purchase_comparison.metric,
            model_a, model_b, difference
        from est_purchase_comparison
        left join est_purchase_metric as a
            on est_purchase_comparison.study_id = a.study_id
            and est_purchase_comparison.metric = a.metric
            and est_purchase_comparison.reading = a.reading
            and est_purchase_comparison.model_a = a.model_id
        left join est_purchase_metric as b
            on est_purchase_comparison.study_id = b.study_id
            and est_purchase_comparison.metric = b.metric
            and est_purchase_comparison.reading = b.reading
            and est_purchase_comparison.model_b = b.model_id
        where difference is distinct from a.value - b.value
        """,
    ),
]

SUITE = Suite(
    keys={
        "est_purchase_metric": _KEY,
        "est_purchase_rank": ("study_id", "model_id"),
        "est_purchase_comparison": _PAIR,
    },
    rules=(*_METRICS, *_SIDE_BY_SIDE),
)
