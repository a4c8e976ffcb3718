"""What must hold of the hotel estimates: keys, statuses, and no number out of range.

Nothing here judges a model's taste: a coefficient may have any sign and size, but an
error is not negative, a probability lies in [0, 1], what is undefined is null and what
is ``ok`` is defined.
"""

from __future__ import annotations

from expectations import hotel_estimates_design
from expectations.rules import EmptyRule, Rule, Suite, not_null, one_of, unique, within
from expectations.vocabulary import (
    BLOCKS,
    FORMAT_OPTIONS,
    READINGS,
    SPECIFICATIONS,
    quoted,
)
from models.amce import CONTRASTS
from models.hotel_bootstrap import bootstrapped_attributes, bootstrapped_terms
from models.hotel_plan import BASE_VARIANT, BOOTSTRAPPED, EVERY_FIT, HotelFit
from models.hotel_terms import (
    ATTRIBUTES,
    BINARY,
    DESIGN_NAMES,
    DESIGNS,
    SLOT,
    figure_name,
    worth_name,
)
from models.hotel_terms import SPECIFICATIONS as PRICE_FORMS
from models.status import OK, STATUSES

_WTP_DESIGNS = tuple(design.name for design in DESIGNS)
_PRICE_FORMS = tuple(one.name for one in PRICE_FORMS)
_FIT_KEY = (
    "study_id",
    "model_id",
    "variant",
    "block",
    "specification",
    "design",
)
_WTP_KEY = (
    "study_id",
    "model_id",
    "variant",
    "attribute",
    "specification",
    "design",
)
_PER_TERM = (
    "estimate",
    "std_error",
    "cluster_std_error",
    "twoway_std_error",
    "p_value",
    "ci_lo",
    "ci_hi",
    "term_status",
)
_MATRICES = ("covariance", "cluster_covariance")
_ERRORS = ("std_error", "cluster_std_error", "twoway_std_error")
_FIT_NUMBERS = ("log_likelihood", "null_log_likelihood", "pseudo_r2", "aic")
_WTP_NUMBERS = (
    "wtp_usd",
    "std_error",
    "ci_lo",
    "ci_hi",
    "fieller_lo",
    "fieller_hi",
)
_TERMS = f"""
    select {", ".join(_FIT_KEY)}, status,
        {", ".join(f"unnest({column}) as {column}" for column in ("term", *_PER_TERM))}
    from est_hotel_logit
"""


def _any(condition: str, columns: tuple[str, ...]) -> str:
    return " or ".join(condition.format(column) for column in columns)


def _wanted(fit: HotelFit) -> str:
    """Return the select for the models that a fit of the plan must exist for."""
    only = f"and variant = '{BASE_VARIANT}'" if fit.is_base_only else ""
    return f"""
        select study_id, model_id, variant, '{fit.block.name}' as block,
            '{fit.specification.name}' as specification,
            '{fit.design.name}' as design
        from int_hotel_choice where format in ({quoted(fit.block.formats)}) {only}
    """


def _stale(table: str) -> EmptyRule:
    """Return the rule that no estimate outlives the answers it was computed from."""
    return EmptyRule(
        table,
        f"every_row_of_{table}_is_of_current_answers",
        f"""
        select study_id, model_id, input_fingerprint, count(*) as stale_rows
        from {table}
        anti join int_hotel_study_model using (study_id, model_id, input_fingerprint)
        group by all
        """,
    )


_FITS: list[Rule] = [
    *not_null("est_hotel_logit", *_FIT_KEY, "n", "clusters", "status"),
    *unique("est_hotel_logit", *_FIT_KEY),
    *one_of("est_hotel_logit", "block", BLOCKS),
    *one_of("est_hotel_logit", "specification", SPECIFICATIONS),
    *one_of("est_hotel_logit", "design", DESIGN_NAMES),
    *one_of("est_hotel_logit", "status", STATUSES),
    *within("est_hotel_logit", "n", low=0),
    *within("est_hotel_logit", "clusters", low=0),
    EmptyRule(
        "est_hotel_logit",
        "every_list_has_one_entry_per_term",
        f"""
        select {", ".join(_FIT_KEY)}, len(term) as terms
        from est_hotel_logit
        where {_any("len({}) is distinct from len(term)", _PER_TERM)}
            or {_any("len({}) is distinct from len(term) * len(term)", _MATRICES)}
            or len(list_distinct(term)) != len(term)
            or len(cluster_id) not in (0, clusters)
            or len(cluster_influence) != len(cluster_id) * len(term)
        """,
    ),
    EmptyRule(
        "est_hotel_logit",
        "an_ok_fit_is_defined_and_no_number_is_infinite",
        f"""
        select {", ".join(_FIT_KEY)}, status, {", ".join(_FIT_NUMBERS)}
        from est_hotel_logit
        where {_any("not isfinite({})", _FIT_NUMBERS)}
            or status = '{OK}' and ({_any("{} is null", _FIT_NUMBERS)} or n = 0)
        """,
    ),
    EmptyRule(
        "est_hotel_logit",
        "every_term_has_a_status_and_numbers_in_range",
        f"""
        select {", ".join(_FIT_KEY)}, term, term_status, estimate, p_value
        from ({_TERMS}) as terms
        where term_status is null
            or term_status not in ({", ".join(f"'{name}'" for name in STATUSES)})
            or {_any("not isfinite({})", _PER_TERM[:-1])}
            or {_any("{} < 0", _ERRORS)}
            or p_value not between 0 and 1
            or ci_lo > estimate or estimate > ci_hi
        """,
    ),
    EmptyRule(
        "est_hotel_logit",
        "an_ok_term_has_estimate_error_and_interval",
        f"""
        select {", ".join(_FIT_KEY)}, term, estimate, std_error, cluster_std_error
        from ({_TERMS}) as terms
        where term_status = '{OK}'
            and (
                {_any("{} is null", ("estimate", "std_error", "p_value"))}
                or {_any("{} is null", ("ci_lo", "ci_hi"))}
                or design = 'audited' and cluster_std_error is null
            )
        """,
    ),
    EmptyRule(
        "est_hotel_logit",
        "every_model_has_every_fit_and_no_other",
        f"""
        with wanted as ({" union ".join(_wanted(fit) for fit in EVERY_FIT)})
        select {", ".join(_FIT_KEY)} from wanted
        anti join est_hotel_logit using ({", ".join(_FIT_KEY)})
        union all
        select {", ".join(_FIT_KEY)} from est_hotel_logit
        anti join wanted using ({", ".join(_FIT_KEY)})
        """,
    ),
    _stale("est_hotel_logit"),
]

_WTP: list[Rule] = [
    *not_null("est_hotel_wtp", *_WTP_KEY, "status"),
    *unique("est_hotel_wtp", *_WTP_KEY),
    *one_of("est_hotel_wtp", "attribute", (*ATTRIBUTES, SLOT)),
    *one_of("est_hotel_wtp", "specification", _PRICE_FORMS),
    *one_of("est_hotel_wtp", "design", _WTP_DESIGNS),
    *one_of("est_hotel_wtp", "status", STATUSES),
    *within("est_hotel_wtp", "std_error", low=0),
    EmptyRule(
        "est_hotel_wtp",
        "an_ok_value_is_defined_and_inside_its_intervals",
        f"""
        select {", ".join(_WTP_KEY)}, status, {", ".join(_WTP_NUMBERS)}
        from est_hotel_wtp
        where {_any("not isfinite({})", _WTP_NUMBERS)}
            or status = '{OK}' and wtp_usd is null
            or ci_lo > wtp_usd or wtp_usd > ci_hi
            or fieller_lo > wtp_usd or wtp_usd > fieller_hi
        """,
    ),
    _stale("est_hotel_wtp"),
]

_SLOTS: list[Rule] = [
    *not_null("est_hotel_slot_test", "study_id", "model_id", "variant", "format"),
    *unique("est_hotel_slot_test", "study_id", "model_id", "variant", "format"),
    *one_of("est_hotel_slot_test", "format", FORMAT_OPTIONS),
    *within("est_hotel_slot_test", "p_uniform", low=0, high=1),
    *within("est_hotel_slot_test", "p_uniform_holm", low=0, high=1),
    EmptyRule(
        "est_hotel_slot_test",
        "every_counted_format_is_tested",
        """
        select study_id, model_id, variant, format, n, p_uniform, p_uniform_holm
        from int_hotel_slot_count
        left join est_hotel_slot_test using (study_id, model_id, variant, format)
        where int_hotel_slot_count.reading = 'audited' and format != 'all'
            and (n > 0) != coalesce(p_uniform is not null
                and p_uniform_holm >= p_uniform, false)
        """,
    ),
    _stale("est_hotel_slot_test"),
]

_AMCE: list[Rule] = [
    *not_null("est_hotel_amce", "study_id", "model_id", "contrast", "status"),
    *unique("est_hotel_amce", "study_id", "model_id", "variant", "contrast"),
    *one_of("est_hotel_amce", "contrast", tuple(one.name for one in CONTRASTS)),
    *one_of("est_hotel_amce", "status", STATUSES),
    *within("est_hotel_amce", "std_error_pp", low=0),
    EmptyRule(
        "est_hotel_amce",
        "every_contrast_of_every_model_is_estimated_on_its_audited_answers",
        f"""
        with wanted as (
            select study_id, model_id,
                count(distinct answer_key) filter (where chosen_audited) as answers
            from int_hotel_choice
            where variant = '{BASE_VARIANT}' and format = 'binary'
            group by all
        )
        select study_id, model_id, max(answers) as answers, count(contrast) as contrasts
        from wanted
        full join est_hotel_amce using (study_id, model_id)
        group by all
        having contrasts != {len(CONTRASTS)} or max(answers) is null
            or count(*) filter (where n != answers) > 0
        """,
    ),
    _stale("est_hotel_amce"),
    _stale("est_hotel_mixed_logit"),
]

_BOOTSTRAP_KEY = ("study_id", "model_id", "reading", "statistic")
_STATISTICS = ", ".join(
    f"('{fit.design.name}', '{fit.specification.name}', {in_usd}, '{of}',"
    f" '{name(of, fit.specification)}')"
    for fit in BOOTSTRAPPED
    for in_usd, name, names in (
        ("false", figure_name, bootstrapped_terms(fit)),
        ("true", worth_name, bootstrapped_attributes(fit)),
    )
    for of in names
)

_BOOTSTRAP: list[Rule] = [
    *not_null("est_hotel_bootstrap", *_BOOTSTRAP_KEY, "status"),
    *unique("est_hotel_bootstrap", *_BOOTSTRAP_KEY),
    *one_of("est_hotel_bootstrap", "status", STATUSES),
    EmptyRule(
        "est_hotel_bootstrap",
        "every_base_fit_is_resampled_around_its_figures",
        f"""
        with statistics as (
            from (values {_STATISTICS})
                as listed (reading, specification, in_usd, name, statistic)
        ),
        figures as (
            select study_id, model_id, design as reading, specification,
                false as in_usd, term as name, estimate as figure
            from ({_TERMS}) as terms
            where variant = '{BASE_VARIANT}' and block = '{BINARY.name}'
            union all
            select study_id, model_id, design as reading, specification,
                true as in_usd, attribute as name, wtp_usd as figure
            from est_hotel_wtp
            where variant = '{BASE_VARIANT}'
        ),
        wanted as (
            select study_id, model_id, reading, statistic, figure
            from figures
            inner join statistics using (reading, specification, in_usd, name)
        )
        select {", ".join(_BOOTSTRAP_KEY)}, figure, point
        from (select *, true as is_wanted from wanted) as wanted
        full join est_hotel_bootstrap using ({", ".join(_BOOTSTRAP_KEY)})
        where is_wanted is null or replicates is null
            or (figure is null) != (point is null)
            or abs(figure - point) > 1e-9 * greatest(abs(figure), 1)
        """,
    ),
    EmptyRule(
        "est_hotel_bootstrap",
        "an_interval_lies_among_its_replicates",
        f"""
        select {", ".join(_BOOTSTRAP_KEY)}, status, point, ci_lo, ci_hi,
            replicates, failed_replicates, separated_replicates
        from est_hotel_bootstrap
        where len(draws) != replicates
            or failed_replicates not between separated_replicates and replicates
            or not isfinite(point) or not isfinite(ci_lo) or not isfinite(ci_hi)
            or ci_lo > ci_hi
            or ci_lo < list_min(draws) or ci_hi > list_max(draws)
            or (ci_lo is null) != (ci_hi is null)
            or status = '{OK}' and (point is null or ci_lo is null)
        """,
    ),
    _stale("est_hotel_bootstrap"),
]

_SECOND: list[Rule] = [
    *not_null("est_hotel_variant_base", *_FIT_KEY, "n", "clusters", "status"),
    *unique("est_hotel_variant_base", *_FIT_KEY),
    *one_of("est_hotel_variant_base", "status", STATUSES),
    EmptyRule(
        "est_hotel_variant_base",
        "every_variant_with_base_answers_to_its_tasks_has_its_base",
        f"""
        with base as (
            select distinct study_id, model_id, task_id from int_hotel_choice
            where variant = '{BASE_VARIANT}' and format = 'binary'
        )
        select distinct study_id, model_id, variant
        from int_hotel_choice
        semi join base using (study_id, model_id, task_id)
        anti join est_hotel_variant_base using (study_id, model_id, variant)
        where variant != '{BASE_VARIANT}' and format = 'binary'
        """,
    ),
    _stale("est_hotel_variant_base"),
    *not_null("est_hotel_pooling_test", "study_id", "model_id", "reading", "status"),
    *unique("est_hotel_pooling_test", "study_id", "model_id", "reading"),
    *one_of("est_hotel_pooling_test", "reading", READINGS),
    *one_of("est_hotel_pooling_test", "status", STATUSES),
    *within("est_hotel_pooling_test", "lr_chi2", low=0),
    *within("est_hotel_pooling_test", "wald_chi2", low=0),
    EmptyRule(
        "est_hotel_pooling_test",
        "every_pooled_fit_is_tested",
        """
        select study_id, model_id, design as reading
        from est_hotel_logit
        anti join est_hotel_pooling_test as tests
            on est_hotel_logit.study_id = tests.study_id
            and est_hotel_logit.model_id = tests.model_id
            and est_hotel_logit.design = tests.reading
        where block = 'pooled' and specification = 'log'
        """,
    ),
]

SUITE = Suite(
    keys={
        "est_hotel_logit": _FIT_KEY,
        "est_hotel_wtp": _WTP_KEY,
        "est_hotel_slot_test": ("study_id", "model_id", "variant", "format"),
        "est_hotel_amce": ("study_id", "model_id", "variant", "contrast"),
        "est_hotel_bootstrap": _BOOTSTRAP_KEY,
        "est_hotel_variant_base": _FIT_KEY,
        "est_hotel_pooling_test": ("study_id", "model_id", "reading"),
        **hotel_estimates_design.KEYS,
    },
    rules=(
        *_FITS,
        *_WTP,
        *_SLOTS,
        *_AMCE,
        *_BOOTSTRAP,
        *_SECOND,
        *hotel_estimates_design.RULES,
    ),
)
