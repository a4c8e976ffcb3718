"""What must hold of the hotel marts: grains, identities and honest blanks."""

from __future__ import annotations

from expectations import (
    hotel_marts_comparison,
    hotel_marts_design,
    hotel_marts_lever,
    hotel_marts_second_stage,
    hotel_marts_variant,
)
from expectations.mart_rules import (
    breaks,
    grain_rules,
    honest_blanks,
    whole_interval,
)
from expectations.rules import EmptyRule, Rule, Suite, one_of, within
from expectations.vocabulary import (
    BLOCKS,
    FORMATS,
    SOURCES,
    SPECIFICATIONS,
)
from models.hotel_terms import ATTRIBUTES, DECILE, DECILES

# Mart -> its grain, as promised to analysts.
GRAINS = {
    "hotel_board": ("study_id", "model_id", "reading"),
    "hotel_first_shown": ("study_id", "model_id", "variant", "format", "reading"),
    "hotel_booking_outcome": ("study_id", "model_id", "variant", "reading"),
    "hotel_coefficient": (
        "study_id",
        "model_id",
        "variant",
        "block",
        "specification",
        "reading",
        "term",
    ),
    "hotel_fit": (
        "study_id",
        "model_id",
        "variant",
        "block",
        "specification",
        "reading",
    ),
    "hotel_functional_form": ("study_id", "model_id", "block", "reading"),
    "hotel_wtp": ("study_id", "model_id", "attribute", "specification", "reading"),
    "hotel_pooling_test": ("study_id", "model_id", "reading"),
    "hotel_decile_curve": ("study_id", "model_id", "block", "reading", "decile"),
    "hotel_reference_price": ("study_id", "model_id", "reading"),
    "hotel_reading_difference": ("study_id", "scope", "model_id", "metric"),
}
# Its rows are the models whose value a reading takes for well identified.
_ONE_SIDED = ("hotel_reference_price",)
_FIT = ", ".join(GRAINS["hotel_fit"])
_SLOTS = range(1, 6)
_CHAINS = ("hilton", "marriott", "ihg", "hyatt", "wyndham", "independent")
# Sums of up to six shares: rounding stays below this.
_SHARE_TOLERANCE = 1e-9


def _breaks(mart: str, name: str, condition: str, shown: str) -> EmptyRule:
    return breaks(GRAINS, mart, name, condition, shown)


def _undefined(mart: str, value: str, *, ranked: bool = False) -> list[Rule]:
    return honest_blanks(GRAINS, mart, value, ranked=ranked)


_GRAINS: list[Rule] = [
    *grain_rules(GRAINS, one_sided=_ONE_SIDED),
    *one_of("hotel_board", "source", SOURCES[:-1]),
    *one_of("hotel_first_shown", "format", FORMATS),
    *one_of("hotel_coefficient", "block", BLOCKS),
    *one_of("hotel_decile_curve", "block", BLOCKS),
    *one_of("hotel_coefficient", "specification", SPECIFICATIONS),
    *one_of("hotel_wtp", "attribute", ATTRIBUTES),
]

_IDENTITIES: list[Rule] = [
    _breaks(
        "hotel_first_shown",
        "slot_picks_add_to_n",
        "n != " + " + ".join(f"coalesce(slot{slot}_count, 0)" for slot in _SLOTS),
        "n, " + ", ".join(f"slot{slot}_count" for slot in _SLOTS),
    ),
    _breaks(
        "hotel_first_shown",
        "every_answer_is_counted_in_one_class",
        "answers != n + invalid_count + failed_count + duplicate_count"
        " + other_offset_count + other_choice_count",
        "answers, n",
    ),
    _breaks(
        "hotel_first_shown",
        "a_share_of_nothing_is_null",
        "(n = 0) != (first_shown_rate is null)",
        "n, first_shown_rate",
    ),
    *within("hotel_first_shown", "first_shown_rate", low=0, high=1),
    *[
        rule
        for slot in _SLOTS
        for rule in within("hotel_first_shown", f"slot{slot}_share", low=0, high=1)
    ],
    _breaks(
        "hotel_booking_outcome",
        "answers_add_up",
        "answers != n + left_out_count",
        "answers, n, left_out_count",
    ),
    _breaks(
        "hotel_booking_outcome",
        "chain_shares_add_to_one",
        f"abs({' + '.join(f'{chain}_share' for chain in _CHAINS)} - 1)"
        f" > {_SHARE_TOLERANCE} or (n = 0) != (hilton_share is null)",
        "n, hilton_share",
    ),
    _breaks(
        "hotel_booking_outcome",
        "a_mean_price_lies_between_always_cheaper_and_always_dearer",
        f"mean_price_usd < cheapest_mean_price_usd - {_SHARE_TOLERANCE}"
        f" or mean_price_usd > dearest_mean_price_usd + {_SHARE_TOLERANCE}"
        " or abs(cheapest_mean_price_usd + dearest_mean_price_usd"
        f" - 2 * coin_flip_mean_price_usd) > {_SHARE_TOLERANCE}"
        " or (n = 0) != (coin_flip_median_price_usd is null)",
        "n, mean_price_usd, cheapest_mean_price_usd, dearest_mean_price_usd,"
        " coin_flip_mean_price_usd",
    ),
    _breaks(
        "hotel_reading_difference",
        "difference_is_audited_minus_as_published",
        "difference is distinct from audited - as_published",
        "as_published, audited, difference",
    ),
    _breaks(
        "hotel_wtp",
        "a_value_lies_in_its_intervals",
        "wtp_usd not between ci_lo and ci_hi"
        " or wtp_usd not between fieller_lo and fieller_hi",
        "wtp_usd, ci_lo, ci_hi, fieller_lo, fieller_hi",
    ),
    EmptyRule(
        "hotel_coefficient",
        "every_fit_has_its_terms",
        f"""
        select {_FIT}, term_count, count(term) as terms
        from hotel_fit
        left join hotel_coefficient using ({_FIT})
        group by all having term_count != terms
        """,
    ),
    EmptyRule(
        "hotel_decile_curve",
        "every_decile_fit_has_ten_points_on_rising_prices",
        f"""
        with points as (
            select *, lag(upper_usd) over (
                partition by study_id, model_id, block, reading order by decile
            ) as edge_below
            from hotel_decile_curve
        )
        select study_id, model_id, block, reading, count(decile) as points
        from hotel_fit
        left join points using (study_id, model_id, block, reading)
        where hotel_fit.variant = 'base' and hotel_fit.specification = '{DECILE.name}'
        group by all
        having points != {len(DECILES) + 1}
            or count(*) filter (where edge_below != lower_usd) > 0
            or count(*) filter (where decile = 1 and estimate = 0) != 1
        """,
    ),
    _breaks(
        "hotel_pooling_test",
        "answers_of_both_formats_are_pooled",
        "pooled_n != binary_n + ternary_n",
        "binary_n, ternary_n, pooled_n",
    ),
    EmptyRule(
        "hotel_reference_price",
        "well_identified_models_are_valued_and_no_other",
        """
        with wanted as (
            select study_id, model_id, reading, wtp_usd
            from hotel_wtp
            where specification = 'log' and attribute = 'review_score'
                and well_identified
        )
        select study_id, model_id, reading, wtp_usd, wtp_250_usd
        from wanted
        full join hotel_reference_price using (study_id, model_id, reading)
        where wtp_usd is null or wtp_250_usd is null
            or abs(wtp_usd - wtp_250_usd) > 1e-9 * abs(wtp_usd)
        """,
    ),
    EmptyRule(
        "hotel_board",
        "the_board_shows_the_marts",
        """
        select hotel_board.study_id, hotel_board.model_id, hotel_board.reading,
            hotel_board.value, hotel_wtp.wtp_usd, hotel_board.n, hotel_fit.n as fit_n
        from hotel_board
        left join hotel_wtp
            on hotel_board.study_id = hotel_wtp.study_id
            and hotel_board.model_id = hotel_wtp.model_id
            and hotel_board.reading = hotel_wtp.reading
            and hotel_wtp.specification = 'log'
            and hotel_wtp.attribute = 'review_score'
        left join hotel_fit
            on hotel_board.study_id = hotel_fit.study_id
            and hotel_board.model_id = hotel_fit.model_id
            and hotel_board.reading = hotel_fit.reading
            and hotel_fit.specification = 'log'
            and hotel_fit.variant = 'base'
            and hotel_fit.block = 'binary'
        where hotel_board.value is distinct from hotel_wtp.wtp_usd
            or hotel_board.n is distinct from coalesce(hotel_fit.n, 0)
        """,
    ),
    EmptyRule(
        "hotel_board",
        "every_model_with_answers_has_a_row",
        """
        select study_id, model_id, reading
        from hotel_first_shown
        where variant = 'base' and format = 'all'
            and (study_id, model_id, reading) not in (
                select (study_id, model_id, reading) from hotel_board
            )
        """,
    ),
    EmptyRule(
        "hotel_board",
        "every_row_is_of_a_known_run_and_model",
        """
        select study_id, model_id, reading
        from hotel_board
        where model_id not in (select model_id from int_hotel_model)
            or (study_id, model_id) not in (
                select (study_id, model_id) from int_hotel_run where not is_excluded
            )
        """,
    ),
]

_BLANKS: list[Rule] = [
    *_undefined("hotel_board", "value", ranked=True),
    whole_interval(GRAINS, "hotel_board", "value"),
    *_undefined("hotel_coefficient", "estimate"),
    whole_interval(GRAINS, "hotel_coefficient", "estimate"),
    *_undefined("hotel_fit", "log_likelihood"),
    *_undefined("hotel_wtp", "wtp_usd"),
    *_undefined("hotel_decile_curve", "estimate"),
    whole_interval(GRAINS, "hotel_decile_curve", "estimate"),
    *_undefined("hotel_pooling_test", "p_value"),
    *_undefined("hotel_reference_price", "wtp_250_usd"),
    *within("hotel_pooling_test", "p_value", low=0, high=1),
    *within("hotel_coefficient", "p_value", low=0, high=1),
    *within("hotel_coefficient", "std_error", low=0),
    *within("hotel_board", "failed_share", low=0, high=1),
]

_GROUPS = (
    hotel_marts_lever,
    hotel_marts_second_stage,
    hotel_marts_variant,
    hotel_marts_design,
    hotel_marts_comparison,
)
SUITE = Suite(
    keys=GRAINS | {k: v for group in _GROUPS for k, v in group.GRAINS.items()},
    rules=(
        *_GRAINS,
        *_IDENTITIES,
        *_BLANKS,
        *[rule for group in _GROUPS for rule in group.RULES],
    ),
)
