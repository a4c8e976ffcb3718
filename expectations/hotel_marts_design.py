"""What must hold of the hotel marts on designs of banks and on mixed logits."""

from __future__ import annotations

from expectations.mart_rules import breaks, grain_rules, honest_blanks
from expectations.rules import EmptyRule, Rule
from expectations.vocabulary import quoted
from models.hotel_terms import ATTRIBUTES
from models.paired import DETECTABLE_ERRORS

GRAINS = {
    "hotel_design": ("bank_sha256", "block", "specification", "term"),
    "hotel_mixed_logit": (
        "study_id",
        "model_id",
        "specification",
        "reading",
        "term",
    ),
}
# The audited reading alone has mixed logits.
_ONE_SIDED = ("hotel_mixed_logit",)

RULES: list[Rule] = [
    *grain_rules(GRAINS, one_sided=_ONE_SIDED),
    *honest_blanks(GRAINS, "hotel_design", "expected_std_error"),
    *honest_blanks(GRAINS, "hotel_mixed_logit", "estimate"),
    breaks(
        GRAINS,
        "hotel_design",
        "attributes_have_a_worth_and_a_difference_that_shows",
        f"(term in ({quoted(ATTRIBUTES)})) != (wtp_usd is not null)"
        " and status not in ('no_variation', 'weak')"
        " or abs(wtp_detectable_difference_usd"
        f" - {DETECTABLE_ERRORS!r} * sqrt(2) * wtp_std_error_usd)"
        " > 1e-9 * wtp_detectable_difference_usd",
        "wtp_usd, wtp_std_error_usd, wtp_detectable_difference_usd, status",
    ),
    EmptyRule(
        "hotel_design",
        "every_bank_that_was_answered_has_a_design",
        """
        select distinct bank_sha256
        from int_hotel_run
        anti join hotel_design using (bank_sha256)
        where calls > 0
        """,
    ),
    EmptyRule(
        "hotel_mixed_logit",
        "a_mixed_logit_is_of_the_answers_of_the_audited_fit",
        """
        select distinct study_id, model_id, specification, mixed.n, hotel_fit.n as fit_n
        from hotel_mixed_logit as mixed
        left join hotel_fit using (study_id, model_id, specification, reading)
        where hotel_fit.variant = 'base' and hotel_fit.block = 'binary'
            and (mixed.n != hotel_fit.n or mixed.pairs != hotel_fit.clusters)
        """,
    ),
]
