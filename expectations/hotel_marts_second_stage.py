"""What must hold of the hotel marts that compare models with one another."""

from __future__ import annotations

from expectations.mart_rules import breaks, grain_rules, honest_blanks
from expectations.rules import EmptyRule, Rule, one_of, within
from models.capability import MEASURES
from models.hotel_terms import CONTROLS
from models.permutation import PERMUTATIONS
from models.status import OK

GRAINS = {
    "hotel_brand_similarity": ("study_id", "reading", "specification"),
    "hotel_multiplicity": ("study_id", "reading", "model_id", "specification", "term"),
    "hotel_capability_correlation": (
        "study_id",
        "reading",
        "axis",
        "measure",
        "subset",
    ),
}
# A reading may have no model to compare, or no figure to correlate.
_ONE_SIDED = tuple(GRAINS)
# Each model has one test for each control and for each of two price slopes.
_TESTS = len(CONTROLS) + 2
_UP = 1 + 1e-12

RULES: list[Rule] = [
    *grain_rules(GRAINS, one_sided=_ONE_SIDED),
    *honest_blanks(GRAINS, "hotel_brand_similarity", "gap"),
    *honest_blanks(GRAINS, "hotel_capability_correlation", "pearson_r"),
    *one_of("hotel_capability_correlation", "measure", tuple(MEASURES)),
    *within("hotel_brand_similarity", "gap", low=-2, high=2),
    *within("hotel_capability_correlation", "pearson_r", low=-1, high=1),
    *within("hotel_capability_correlation", "spearman_rho", low=-1, high=1),
    breaks(
        GRAINS,
        "hotel_brand_similarity",
        "p_is_the_share_of_permuted_gaps_that_reach_the_observed_one",
        f"status = '{OK}' and abs(p_value - case when reading = 'as_published'"
        " then at_least_as_large / permutations"
        " else (at_least_as_large + 1) / (permutations + 1) end) > 1e-12"
        f" or permutations != {PERMUTATIONS}",
        "at_least_as_large, permutations, p_value",
    ),
    breaks(
        GRAINS,
        "hotel_brand_similarity",
        "every_pair_of_models_is_within_across_or_skipped",
        "within_pairs + across_pairs + skipped_pairs != models * (models - 1) / 2",
        "models, within_pairs, across_pairs, skipped_pairs",
    ),
    breaks(
        GRAINS,
        "hotel_multiplicity",
        "an_adjusted_p_is_no_smaller_than_the_raw_one",
        # products of the same numbers in another order round apart
        f"not (p_raw <= p_bh * {_UP} and p_bh <= p_holm * {_UP}"
        f" and p_holm <= p_bonferroni * {_UP} and p_bonferroni <= 1)",
        "p_raw, p_bh, p_holm, p_bonferroni",
    ),
    EmptyRule(
        "hotel_multiplicity",
        "every_model_that_takes_part_has_its_tests",
        f"""
        with counted as (
            select study_id, reading, model_id, count(*) as tests,
                count(p_raw) as made, min(family_tests) as family_tests
            from hotel_multiplicity group by all
        )
        select study_id, reading, model_id, tests
        from counted
        full join (select * from int_hotel_taste where engaged) as taste
            using (study_id, reading, model_id)
        where taste.engaged is null or coalesce(tests, 0) != {_TESTS}
        union all
        select study_id, reading, null as model_id, sum(made) as tests
        from counted group by study_id, reading
        having sum(made) != max(family_tests) or min(family_tests) != max(family_tests)
        """,
    ),
    breaks(
        GRAINS,
        "hotel_capability_correlation",
        "a_correlation_is_over_scored_models_and_adjusted_upwards",
        "n > scored_models or pearson_p > pearson_p_holm + 1e-15"
        " or spearman_p > spearman_p_holm + 1e-15",
        "n, scored_models, pearson_p, pearson_p_holm",
    ),
]
