"""What must hold of the hotel marts on slots, effects and discounts."""

from __future__ import annotations

from expectations.mart_rules import (
    breaks,
    grain_rules,
    honest_blanks,
    whole_interval,
)
from expectations.rules import EmptyRule, Rule, not_null, one_of, within
from expectations.vocabulary import BLOCKS
from models.amce import CONTRASTS
from models.hotel_terms import DECILE, SPECIFICATIONS
from models.price_lever import LEVERS, PRICES_USD
from models.status import OK, STATUSES

GRAINS = {
    "hotel_amce": ("study_id", "model_id", "contrast", "reading"),
    "hotel_slot_value": ("study_id", "model_id", "specification", "reading"),
    "hotel_price_lever": (
        "study_id",
        "model_id",
        "block",
        "specification",
        "reading",
        "lever",
        "price_usd",
    ),
    "hotel_price_shape": ("study_id", "model_id", "block", "reading"),
}
# The source has neither.
_AUDITED_ALONE = ("hotel_amce", "hotel_slot_value")
_FORMS = ", ".join(f"'{one.name}'" for one in (*SPECIFICATIONS, DECILE))


def _shape(part: str) -> list[Rule]:
    """Return the rules that tie a bump or a drop to its status."""
    value = "bump" if part == "bump" else "drop_utility"
    return [
        *not_null("hotel_price_shape", f"{part}_status"),
        *one_of("hotel_price_shape", f"{part}_status", STATUSES),
        breaks(
            GRAINS,
            "hotel_price_shape",
            f"an_ok_{part}_is_defined_and_inside_its_interval",
            f"{part}_status = '{OK}' and {value} is null or not isfinite({value})"
            f" or {value} not between {part}_ci_lo and {part}_ci_hi",
            f"{part}_status, {value}, {part}_ci_lo, {part}_ci_hi",
        ),
    ]


RULES: list[Rule] = [
    *grain_rules(GRAINS, one_sided=_AUDITED_ALONE),
    *one_of("hotel_amce", "contrast", tuple(one.name for one in CONTRASTS)),
    *one_of("hotel_price_lever", "block", BLOCKS),
    *honest_blanks(GRAINS, "hotel_amce", "estimate_pp"),
    *honest_blanks(GRAINS, "hotel_slot_value", "value_usd"),
    *honest_blanks(GRAINS, "hotel_price_lever", "share_change"),
    whole_interval(GRAINS, "hotel_price_lever", "share_change"),
    *within("hotel_amce", "p_value", low=0, high=1),
    *within("hotel_price_lever", "share_change", low=-0.5, high=0.5),
    breaks(
        GRAINS,
        "hotel_amce",
        "an_effect_lies_in_its_interval",
        "estimate_pp not between ci_lo_pp and ci_hi_pp",
        "estimate_pp, ci_lo_pp, ci_hi_pp",
    ),
    breaks(
        GRAINS,
        "hotel_slot_value",
        "a_value_lies_in_its_intervals",
        "value_usd not between ci_lo and ci_hi"
        " or value_usd not between fieller_lo and fieller_hi",
        "value_usd, ci_lo, ci_hi, fieller_lo, fieller_hi",
    ),
    EmptyRule(
        "hotel_slot_value",
        "every_audited_slot_has_its_value",
        """
        select study_id, model_id, specification, slot, price, value_usd
        from (
            select study_id, model_id, specification,
                max(estimate) filter (where term = 'slot') as slot,
                max(estimate) filter (where term in ('price', 'log_price')) as price
            from hotel_coefficient
            where variant = 'base' and block = 'binary' and reading = 'audited'
                and specification in ('log', 'linear')
            group by all
        ) as slope
        full join hotel_slot_value using (study_id, model_id, specification)
        where hotel_slot_value.study_id is null or slope.study_id is null
            or (slot / price is not null) != (value_usd is not null)
            or abs(value_usd + slot / price * coalesce(reference_price_usd, 1))
                > 1e-9 * abs(value_usd)
        """,
    ),
    EmptyRule(
        "hotel_price_lever",
        "every_price_fit_has_every_lever_at_every_price",
        f"""
        select study_id, model_id, block, specification, reading,
            count(lever) as levers
        from hotel_fit
        left join hotel_price_lever
            using (study_id, model_id, block, specification, reading)
        where variant = 'base' and block != 'fiveopt' and specification in ({_FORMS})
        group by all having levers != {len(LEVERS) * len(PRICES_USD)}
        """,
    ),
    *_shape("bump"),
    *_shape("drop"),
    EmptyRule(
        "hotel_price_shape",
        "a_bump_stands_on_its_decile_and_a_drop_on_an_edge",
        """
        select shape.study_id, shape.model_id, shape.block, shape.reading,
            bump_decile, bump, threshold_usd
        from hotel_price_shape as shape
        left join hotel_decile_curve as curve
            on shape.study_id = curve.study_id and shape.model_id = curve.model_id
            and shape.block = curve.block and shape.reading = curve.reading
            and (shape.bump_decile = curve.decile
                or shape.threshold_usd = curve.upper_usd)
        group by all
        having (bump_decile is null) != not coalesce(bump > 0, false)
            or bump_decile is not null
                and not coalesce(bool_or(curve.decile = bump_decile
                    and abs(curve.estimate - bump) < 1e-9), false)
            or threshold_usd is not null
                and not coalesce(bool_or(curve.upper_usd = threshold_usd), false)
        """,
    ),
]
