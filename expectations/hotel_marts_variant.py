"""What must hold of the hotel marts on prompts, temperature and larger choices."""

from __future__ import annotations

from expectations.mart_rules import breaks, grain_rules, honest_blanks
from expectations.rules import EmptyRule, Rule, one_of, within
from models.hotel_variant import ORDERED, STATISTICS

GRAINS = {
    "hotel_variant_effect": (
        "study_id",
        "reading",
        "model_id",
        "variant",
        "statistic",
    ),
    "hotel_variant_ordering": ("study_id", "reading", "variant", "statistic"),
    "hotel_temperature_effect": ("study_id", "model_id", "reading"),
    "hotel_five_option_prediction": ("study_id", "model_id", "reading"),
}
# A model may have answers in one reading only.
_ONE_SIDED = ("hotel_five_option_prediction",)

_SCORES = ("hit_rate", "top_two_rate", "mean_rank", "log_score")

RULES: list[Rule] = [
    *grain_rules(GRAINS, one_sided=_ONE_SIDED),
    *honest_blanks(GRAINS, "hotel_variant_effect", "difference"),
    *honest_blanks(GRAINS, "hotel_variant_ordering", "spearman_rho"),
    *honest_blanks(GRAINS, "hotel_temperature_effect", "log_price_difference"),
    *honest_blanks(GRAINS, "hotel_five_option_prediction", "hit_rate"),
    *one_of("hotel_variant_effect", "statistic", STATISTICS),
    *one_of("hotel_variant_ordering", "statistic", ORDERED),
    *within("hotel_variant_effect", "p_value", low=0, high=1),
    *within("hotel_variant_ordering", "spearman_rho", low=-1, high=1),
    *within("hotel_temperature_effect", "first_shown_rate", low=0, high=1),
    *within("hotel_five_option_prediction", "hit_rate", low=0, high=1),
    breaks(
        GRAINS,
        "hotel_variant_effect",
        "a_difference_is_variant_minus_base_inside_its_interval",
        "difference is distinct from estimate - base_estimate"
        " or difference not between ci_lo and ci_hi",
        "estimate, base_estimate, difference, ci_lo, ci_hi",
    ),
    EmptyRule(
        "hotel_variant_effect",
        "the_variant_side_is_the_coefficient_of_the_variant",
        """
        select effect.study_id, effect.reading, effect.model_id, effect.variant,
            effect.statistic, effect.estimate, term.estimate as coefficient
        from hotel_variant_effect as effect
        left join hotel_coefficient as term
            on effect.study_id = term.study_id and effect.model_id = term.model_id
            and effect.variant = term.variant and effect.reading = term.reading
            and effect.statistic = term.term and term.block = 'binary'
            and term.specification = 'log'
        where effect.statistic in ('log_price', 'review_score')
            and effect.estimate is distinct from term.estimate
        """,
    ),
    breaks(
        GRAINS,
        "hotel_temperature_effect",
        "no_more_answers_count_than_were_given",
        "n > answers or (n = 0) != (first_shown_rate is null)",
        "answers, n, first_shown_rate",
    ),
    EmptyRule(
        "hotel_five_option_prediction",
        "every_model_asked_about_five_options_is_predicted_on_all_its_answers",
        """
        select study_id, model_id, reading, rate.n as answers, predicted.n
        from (
            select study_id, model_id, reading, n from hotel_first_shown
            where format = 'fiveopt' and n > 0
        ) as rate
        full join hotel_five_option_prediction as predicted
            using (study_id, model_id, reading)
        where rate.n is distinct from predicted.n
        """,
    ),
    breaks(
        GRAINS,
        "hotel_five_option_prediction",
        "a_score_lies_in_its_interval",
        " or ".join(f"{s} not between {s}_ci_lo and {s}_ci_hi" for s in _SCORES),
        "hit_rate, top_two_rate, mean_rank, log_score",
    ),
    breaks(
        GRAINS,
        "hotel_five_option_prediction",
        "scores_are_of_a_ranking",
        "hit_rate > top_two_rate or mean_rank < 1 or log_score > 0",
        "hit_rate, top_two_rate, mean_rank, log_score",
    ),
]
