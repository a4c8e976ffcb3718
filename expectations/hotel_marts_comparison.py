"""What must hold of the hotel marts that resample, compare and describe replies."""

from __future__ import annotations

from expectations.mart_rules import (
    breaks,
    grain_rules,
    honest_blanks,
    whole_interval,
)
from expectations.rules import EmptyRule, Rule, within
from models.bootstrap_draws import REPLICATES
from models.comparison import MOST_MODELS_IN_ALL_PAIRS
from models.hotel_terms import CONTROLS, LOG

GRAINS = {
    "hotel_bootstrap": ("study_id", "model_id", "statistic", "reading"),
    "hotel_rank_stability": ("study_id", "statistic", "reading"),
    "hotel_comparison": (
        *("study_id", "instrument", "scope", "metric"),
        *("model_a", "model_b", "reading"),
    ),
    "hotel_rank": ("study_id", "model_id", "metric", "reading"),
    "hotel_locked_forensics": ("study_id", "model_id", "reading"),
    "hotel_human_range": ("source",),
}
# The published reading has other statistics, and no paired comparison at all; a model
# without a reply that counts has no audited texts.
_ONE_SIDED = tuple(GRAINS)
_SHARES = ("first_share", "bottom_two_share", "bottom_three_share")
_KINDS = (
    "bare_share",
    "short_verbose_share",
    "long_verbose_share",
    "empty_other_share",
)
_SIZES = ", ".join(f"('{reading}', {size})" for reading, size in REPLICATES.items())
_ROUNDING = 1e-9

_RESAMPLED: list[Rule] = [
    *honest_blanks(GRAINS, "hotel_bootstrap", "point", ranked=True),
    whole_interval(GRAINS, "hotel_bootstrap"),
    breaks(
        GRAINS,
        "hotel_bootstrap",
        "every_reading_has_its_number_of_replicates",
        f"(reading, replicates) not in ({_SIZES})"
        " or failed_replicates not between separated_replicates and replicates",
        "replicates, failed_replicates, separated_replicates",
    ),
    breaks(
        GRAINS,
        "hotel_bootstrap",
        "a_rank_has_an_interval_and_shares",
        "(rank is null) != (rank_lo is null) or (rank is null) != (rank_hi is null)"
        " or rank_lo > rank_hi or rank < 1 or rank_lo < 1"
        + "".join(
            f" or (rank is null) != ({name} is null) or {name} not between 0 and 1"
            for name in _SHARES
        ),
        f"rank, rank_lo, rank_hi, {', '.join(_SHARES)}",
    ),
    EmptyRule(
        "hotel_rank_stability",
        "ranks_are_those_of_the_models_that_are_ranked",
        """
        with ranked as (
            select study_id, statistic, reading, count(rank) as ranks,
                max(rank) as last_rank, max(rank_hi) as last_hi
            from hotel_bootstrap group by all
        )
        select study_id, statistic, reading, models, ranks, last_rank, last_hi
        from hotel_rank_stability
        full join ranked using (study_id, statistic, reading)
        where models is distinct from ranks or last_rank > models or last_hi > models
            or interval_pairs != models * (models - 1) / 2
            or disjoint_interval_pairs > interval_pairs
            or (mean_spearman is not null and models < 2)
            or spread_lo > spread_hi
        """,
    ),
    *within("hotel_rank_stability", "mean_spearman", low=-1, high=1 + _ROUNDING),
]

_COMPARED: list[Rule] = [
    *honest_blanks(GRAINS, "hotel_comparison", "difference"),
    *honest_blanks(GRAINS, "hotel_rank", "estimate", ranked=True),
    *within("hotel_comparison", "p_value", low=0, high=1),
    *within("hotel_comparison", "p_adjusted", low=0, high=1),
    breaks(
        GRAINS,
        "hotel_comparison",
        "a_difference_stands_once_inside_its_interval",
        "model_a >= model_b or difference not between ci_lo and ci_hi"
        " or std_error <= 0 or smallest_detectable <= std_error",
        "difference, std_error, ci_lo, ci_hi, smallest_detectable",
    ),
    breaks(
        GRAINS,
        "hotel_comparison",
        "an_ok_pair_is_adjusted_upwards_within_its_family_and_no_other_is",
        "(status = 'ok') != (p_adjusted is not null) or p_adjusted < p_value"
        f" or p_adjusted > p_value * family_tests * (1 + {_ROUNDING})",
        "status, p_value, p_adjusted, family_tests",
    ),
    EmptyRule(
        "hotel_comparison",
        "a_difference_is_that_of_the_two_estimates_and_every_pair_is_compared",
        f"""
        with defined as (select * from hotel_rank where estimate is not null),
        counted as (
            select study_id, metric, reading, count(*) as models
            from defined group by all
        ),
        pairs as (
            select study_id, metric, reading, a.model_id as model_a,
                b.model_id as model_b, a.estimate - b.estimate as gap
            from defined as a
            inner join defined as b using (study_id, metric, reading)
            where a.model_id < b.model_id
        )
        select study_id, metric, reading, model_a, model_b, gap, difference
        from (select *, true as is_pair from pairs) as pairs
        full join hotel_comparison using (study_id, metric, reading, model_a, model_b)
        left join counted using (study_id, metric, reading)
        where is_pair is null
            or (difference is null and models <= {MOST_MODELS_IN_ALL_PAIRS})
            or abs(gap - difference) > {_ROUNDING} * greatest(abs(gap), 1)
        """,
    ),
    EmptyRule(
        "hotel_comparison",
        "a_family_is_the_ok_pairs_of_one_metric",
        """
        select study_id, metric, reading, count(*) filter (where status = 'ok') as pairs
        from hotel_comparison group by study_id, metric, reading
        having count(*) filter (
            where family_tests != (
                select count(*) from hotel_comparison as other
                where other.status = 'ok' and other.study_id = hotel_comparison.study_id
                    and other.metric = hotel_comparison.metric
                    and other.reading = hotel_comparison.reading
            )
        ) > 0
        """,
    ),
    EmptyRule(
        "hotel_rank",
        "a_ranked_figure_is_that_of_the_marts",
        f"""
        select study_id, model_id, reading, metric, hotel_rank.estimate, wtp_usd,
            hotel_coefficient.estimate as slope
        from hotel_rank
        left join (
            from hotel_wtp
            where specification = '{LOG.name}' and attribute = 'review_score'
        ) as worth using (study_id, model_id, reading)
        left join (
            from hotel_coefficient
            where variant = 'base' and block = 'binary' and term = '{LOG.price_term}'
                and specification = '{LOG.name}'
        ) as hotel_coefficient using (study_id, model_id, reading)
        where metric = 'wtp_review_score_usd'
            and (
                abs(hotel_rank.estimate - wtp_usd) > {_ROUNDING} * abs(wtp_usd)
                or (hotel_rank.status = 'ok') != (worth.status = 'ok')
            )
            or metric = '{LOG.price_term}'
            and (
                hotel_rank.estimate is distinct from hotel_coefficient.estimate
                or hotel_rank.status is distinct from hotel_coefficient.status
            )
        """,
    ),
    breaks(
        GRAINS,
        "hotel_rank",
        "an_ok_figure_is_ranked_inside_its_interval",
        "(status = 'ok') != (rank is not null)"
        " or rank not between rank_lo and rank_hi or rank_lo < 1"
        " or rank_hi > ranked_models",
        "status, rank, rank_lo, rank_hi, ranked_models",
    ),
]

_DESCRIBED: list[Rule] = [
    *honest_blanks(GRAINS, "hotel_locked_forensics", "log_price"),
    breaks(
        GRAINS,
        "hotel_locked_forensics",
        "every_reply_has_one_order_and_every_known_text_one_kind",
        "answers != original_count + swapped_count"
        f" or abs({' + '.join(_KINDS)} - 1) > {_ROUNDING}"
        " or (bare_share is null) != (unknown_text_count = answers)"
        " or original_invalid_count not between 0 and original_count"
        " or swapped_invalid_count not between 0 and swapped_count"
        f" or significant_slopes > slopes or slopes > {len(CONTROLS) + 1}",
        f"answers, original_count, swapped_count, {', '.join(_KINDS)}, slopes",
    ),
    EmptyRule(
        "hotel_locked_forensics",
        "replies_are_those_of_the_two_option_answers",
        """
        select study_id, model_id, reading, forensics.answers, shown.n,
            original_invalid_count + swapped_invalid_count as invalid
        from (
            from hotel_first_shown where variant = 'base' and format = 'binary'
        ) as shown
        full join hotel_locked_forensics as forensics
            using (study_id, model_id, reading)
        where coalesce(forensics.answers, 0) != coalesce(shown.n, 0)
            + coalesce(shown.invalid_count, 0)
            + case reading when 'as_published' then shown.failed_count else 0 end
        """,
    ),
    breaks(
        GRAINS,
        "hotel_human_range",
        "a_band_has_ends_and_says_what_it_is_for",
        "not coalesce(low_usd between 0 and high_usd and reference_price_usd > 0"
        " and is_per_point is not null and note != '', false)",
        "low_usd, high_usd, note",
    ),
]

RULES: list[Rule] = [
    *grain_rules(GRAINS, one_sided=_ONE_SIDED),
    *_RESAMPLED,
    *_COMPARED,
    *_DESCRIBED,
]
