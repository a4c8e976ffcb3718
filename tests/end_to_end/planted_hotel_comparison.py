"""What is planted to break each rule on models resampled, compared and described."""

from __future__ import annotations

# Rule, what is planted to break it.
BOOTSTRAP: dict[str, list[str]] = {
    "every_base_fit_is_resampled_around_its_figures": [
        "delete from est_hotel_bootstrap where statistic = 'wtp_stars_usd'",
        "update est_hotel_bootstrap set point = point + 1",
        "update est_hotel_bootstrap set statistic = 'price_of_price' "
        "where statistic = 'price'",
    ],
    "an_interval_lies_among_its_replicates": [
        "update est_hotel_bootstrap set draws = draws[2:]",
        "update est_hotel_bootstrap set ci_hi = list_max(draws) + 1 "
        "where status = 'ok'",
        "update est_hotel_bootstrap set failed_replicates = replicates + 1",
        "update est_hotel_bootstrap set point = 'inf' where status = 'ok'",
    ],
    "every_row_of_est_hotel_bootstrap_is_of_current_answers": [
        "update est_hotel_bootstrap set input_fingerprint = 'old'",
    ],
}

COMPARISON: dict[str, list[str]] = {
    "an_interval_has_both_ends_around_its_figure": [
        f"update {mart} set ci_lo = ci_hi, ci_hi = ci_lo where ci_lo < ci_hi"
        for mart in (
            "hotel_board",
            "hotel_coefficient",
            "hotel_decile_curve",
            "hotel_bootstrap",
            "hotel_price_lever",
        )
    ]
    + ["update hotel_bootstrap set ci_hi = null"],
    "every_reading_has_its_number_of_replicates": [
        "update hotel_bootstrap set replicates = 500 where reading = 'audited'",
    ],
    "a_rank_has_an_interval_and_shares": [
        "update hotel_bootstrap set rank_lo = rank_hi + 1 where rank is not null",
        "update hotel_bootstrap set first_share = null where rank is not null",
    ],
    "ranks_are_those_of_the_models_that_are_ranked": [
        "update hotel_rank_stability set models = models + 1",
        "delete from hotel_rank_stability where statistic = 'price'",
    ],
    "a_difference_stands_once_inside_its_interval": [
        "update hotel_comparison set model_a = model_b, model_b = model_a",
        "update hotel_comparison set ci_lo = difference + 1, ci_hi = ci_hi + 2",
    ],
    "an_ok_pair_is_adjusted_upwards_within_its_family_and_no_other_is": [
        "update hotel_comparison set p_adjusted = null where status = 'ok'",
        "update hotel_comparison set p_adjusted = p_value / 2 "
        "where status = 'ok' and p_value > 0",
    ],
    "a_difference_is_that_of_the_two_estimates_and_every_pair_is_compared": [
        "update hotel_comparison set difference = difference + 1, "
        "ci_lo = ci_lo + 1, ci_hi = ci_hi + 1",
        "delete from hotel_comparison where metric = 'log_price'",
        "delete from hotel_rank where metric = 'price'",
    ],
    "a_family_is_the_ok_pairs_of_one_metric": [
        "update hotel_comparison set family_tests = family_tests + 1",
    ],
    "a_ranked_figure_is_that_of_the_marts": [
        "update hotel_rank set estimate = estimate + 1",
        "update hotel_coefficient set status = 'weak' where term = 'log_price'",
    ],
    "an_ok_figure_is_ranked_inside_its_interval": [
        "update hotel_rank set rank_hi = rank - 1 where rank is not null",
        "update hotel_rank set rank = null where status = 'ok'",
    ],
    "every_reply_has_one_order_and_every_known_text_one_kind": [
        "update hotel_locked_forensics set swapped_count = swapped_count + 1",
        "update hotel_locked_forensics set bare_share = bare_share / 2",
    ],
    "replies_are_those_of_the_two_option_answers": [
        "update hotel_locked_forensics set answers = answers + 1",
        "delete from hotel_locked_forensics where reading = 'audited'",
    ],
    "a_band_has_ends_and_says_what_it_is_for": [
        "update hotel_human_range set high_usd = -1",
        "update hotel_human_range set note = null",
    ],
    "a_mean_price_lies_between_always_cheaper_and_always_dearer": [
        "update hotel_booking_outcome set mean_price_usd = 1",
        "update hotel_booking_outcome set dearest_mean_price_usd = 10000",
    ],
}
