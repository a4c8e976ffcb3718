"""What must hold of the designs of banks and, where a build has them, mixed logits."""

from __future__ import annotations

from expectations.mart_rules import breaks, grain_rules
from expectations.rules import EmptyRule, Rule
from models.hotel_mixed_logit import RANDOM_TERMS
from models.hotel_plan import BASE_VARIANT
from models.hotel_terms import CONTROLS
from models.hotel_terms import SPECIFICATIONS as PRICE_FORMS
from models.status import OK, STATUSES

KEYS = {
    "est_hotel_design": ("bank_sha256", "block", "specification", "term"),
    "est_hotel_mixed_logit": ("study_id", "model_id", "specification", "term"),
}
_FORMS = ", ".join(f"('{one.name}')" for one in PRICE_FORMS)
_KNOWN = ", ".join(f"'{name}'" for name in STATUSES)
# controls and price, besides one term for each slot but a reference
_OTHERS = len(CONTROLS) + 1
# means of slot, controls and price, and the deviations of those that vary
_MIXED_TERMS = 1 + _OTHERS + len(RANDOM_TERMS) + 1
_DESIGN_NUMBERS = (
    "expected_std_error",
    "variance_inflation",
    "largest_correlation",
    "wtp_usd",
    "wtp_std_error",
    "wtp_detectable_difference",
    "d_error",
)
_MIXED_NUMBERS = (
    "estimate",
    "std_error",
    "cluster_std_error",
    "ci_lo",
    "ci_hi",
    "log_likelihood",
    "conditional_log_likelihood",
)
_FIT = "study_id, model_id, specification"


def _endless(columns: tuple[str, ...]) -> str:
    return " or ".join(f"not isfinite({column})" for column in columns)


RULES: list[Rule] = [
    *grain_rules(KEYS),
    EmptyRule(
        "est_hotel_design",
        "every_block_of_every_bank_has_its_design_and_no_other",
        f"""
        with wanted as (
            select bank_sha256, format as block, specification,
                count(distinct task_id) as held, max(option_count) - 1 as slots
            from int_hotel_option
            cross join (values {_FORMS}) as forms (specification)
            group by all
        )
        select bank_sha256, block, specification, max(held) as held,
            max(bank_tasks) as bank_tasks, count(term) as terms
        from wanted
        full join est_hotel_design using (bank_sha256, block, specification)
        group by all
        having terms is distinct from max(slots) + {_OTHERS}
            or max(held) is distinct from max(bank_tasks)
        """,
    ),
    breaks(
        KEYS,
        "est_hotel_design",
        "an_ok_term_of_a_design_is_defined_and_in_range",
        f"status is null or status not in ({_KNOWN})"
        f" or {_endless(_DESIGN_NUMBERS)}"
        f" or status = '{OK}' and (expected_std_error is null or d_error is null)"
        " or expected_std_error <= 0 or d_error <= 0 or answers < tasks"
        " or abs(largest_correlation) > 1 or variance_inflation < 1 - 1e-9",
        "status, expected_std_error, variance_inflation, d_error",
    ),
    EmptyRule(
        "est_hotel_mixed_logit",
        "every_model_has_both_mixed_logits_or_the_build_has_none",
        f"""
        with wanted as (
            select distinct study_id, model_id, specification
            from int_hotel_choice
            cross join (values {_FORMS}) as forms (specification)
            where variant = '{BASE_VARIANT}' and format = 'binary'
                and exists (select 1 from est_hotel_mixed_logit)
        ),

        found as (
            select {_FIT}, count(*) as terms from est_hotel_mixed_logit group by all
        )
        select {_FIT}, terms
        from wanted full join found using ({_FIT})
        where terms is distinct from {_MIXED_TERMS}
            or ({_FIT}) not in (select ({_FIT}) from wanted)
        """,
    ),
    EmptyRule(
        "est_hotel_mixed_logit",
        "a_mixed_logit_contains_the_conditional_one",
        f"""
        select distinct {_FIT}, mixed.log_likelihood, mixed.conditional_log_likelihood,
            plain.log_likelihood as plain_log_likelihood
        from est_hotel_mixed_logit as mixed
        left join (
            select {_FIT}, log_likelihood
            from est_hotel_logit
            where variant = '{BASE_VARIANT}' and block = 'binary'
                and design = 'audited'
        ) as plain using ({_FIT})
        where mixed.log_likelihood < mixed.conditional_log_likelihood - 1e-6
            or abs(mixed.conditional_log_likelihood - plain.log_likelihood) > 1e-6
        """,
    ),
    breaks(
        KEYS,
        "est_hotel_mixed_logit",
        "an_ok_taste_is_defined_and_in_range",
        f"status is null or status not in ({_KNOWN})"
        f" or {_endless(_MIXED_NUMBERS)}"
        f" or status = '{OK}' and (estimate is null or cluster_std_error is null)"
        " or std_error < 0 or cluster_std_error < 0 or p_value not between 0 and 1"
        " or ci_lo > estimate or estimate > ci_hi"
        " or term like 'sd#_%' escape '#' and (estimate < 0 or ci_lo < 0)",
        "status, estimate, std_error, ci_lo, ci_hi",
    ),
]
