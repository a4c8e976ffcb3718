"""What is planted to break each rule of the hotel gates, layer by layer.

Where the simulated shoppers leave a table empty, a whole row is planted.
"""

from __future__ import annotations

from end_to_end.planted_hotel_comparison import BOOTSTRAP, COMPARISON

# One term of one mixed logit that no rule has anything against but that it is alone.
MIXED = (
    "insert into est_hotel_mixed_logit by name select study_id, model_id, variant, "
    "input_fingerprint, block, specification, 'slot' as term, true as random, "
    "0.5 as estimate, 0.1 as std_error, 0.1 as cluster_std_error, 0.3 as ci_lo, "
    "0.7 as ci_hi, 'ok' as status, 'ok' as fit_status, n, clusters as panels, "
    "500 as draws, 9 as iterations, log_likelihood, log_likelihood as "
    "conditional_log_likelihood, null_log_likelihood from est_hotel_logit "
    "where block = 'binary' and design = 'audited' and specification = 'log' "
    "and status = 'ok'"
)

# Layer, rule, what is planted to break it. ANSWER(x) stands for the first answer
# for which x, AN_OK_FIT for the rows of an estimate that came out well.
PLANTED_IN: dict[str, dict[str, list[str]]] = {
    "staging": {
        "columns_have_their_types": [
            "alter table stg_hotel_run alter run_date type varchar",
        ],
        "expect_column_values_to_be_unique": [
            "update stg_hotel_response set answer_key = 'same'",
        ],
        "expect_column_values_to_be_in_set": [
            "update stg_hotel_response set reply_state = 'unsure'",
        ],
        "every_row_has_a_value": [
            "update stg_hotel_run set variant = null",
        ],
        "every_answer_has_a_run": [
            "update stg_hotel_run set bank_sha256 = 'other'",
        ],
        "every_answer_has_a_task": [
            "update stg_hotel_response set task_id = -1 where source_row = 2",
        ],
        "reply_state_agrees_with_choice": [
            "update stg_hotel_response set reply_state = 'failed' where is_valid",
            "update stg_hotel_response set is_valid_as_published = not is_valid",
        ],
        "one_answer_counts_for_a_question": [
            "update stg_hotel_response set valid_answer_number = 2 where is_valid",
        ],
        "a_study_is_one_bank_prompt_protocol_and_source": [
            "update stg_hotel_run set protocol = 'other' "
            "where run_id = (select min(run_id) from stg_hotel_run)",
        ],
        "every_model_id_has_a_provider": [
            "update stg_hotel_run set model_id = 'nobody'",
        ],
        "every_variant_is_in_the_registry": [
            "update stg_hotel_run set variant = 'new'",
        ],
        "every_raw_row_is_staged_once": [
            "delete from stg_hotel_hotel where hotel_id = 1",
        ],
        "every_exclusion_is_marked": [
            "insert into excluded_run select 'hotel', min(run_id), 'why', now() from "
            "stg_hotel_run",
        ],
    },
    "intermediate": {
        "columns_have_their_types": [
            "alter table int_hotel_option alter price_usd type double",
        ],
        "expect_compound_columns_to_be_unique": [
            "insert into int_hotel_option from int_hotel_option limit 1",
        ],
        "every_row_has_a_value": [
            "update int_hotel_option set log_price = null where task_id = 1",
        ],
        "the_shown_slot_is_that_of_choice_and_ordering": [
            "update int_hotel_answer set shown_slot = 3 - shown_slot "
            "where format = 'binary'",
            "update int_hotel_answer set published_shown_slot = 9 where is_valid",
        ],
        "every_price_is_in_one_decile_of_each_block": [
            "update int_hotel_choice set price_decile = null where format = 'ternary'",
            "update int_hotel_choice "
            "set pooled_price_decile = 11 - pooled_price_decile",
            "update int_hotel_choice set format = 'fiveopt'",
        ],
        "the_deciles_of_a_bank_hold_all_its_prices": [
            "delete from int_hotel_price_decile where decile = 3",
            "update int_hotel_price_decile set price_count = price_count + 1",
        ],
        "every_chain_and_area_has_a_term_or_is_a_reference": [
            "update int_hotel_option set chain = 'Motel' where task_id = 1",
            "update int_hotel_option set area = 'Bronx' where task_id = 1",
        ],
        "exactly_one_option_is_chosen_as_published_valid": [
            "update int_hotel_choice set chosen_as_published_valid = null "
            "where answer_key = ANSWER(is_valid and is_joined_as_published)",
        ],
        "every_task_has_the_options_of_its_format": [
            "delete from int_hotel_option where task_id = 1 and option = 'B'",
        ],
        "every_answer_of_a_kept_run_is_here_once": [
            "delete from int_hotel_answer where answer_key = ANSWER(true)",
            "update int_hotel_answer set answer_key = 'unknown' "
            "where answer_key = ANSWER(true)",
        ],
        "a_slot_is_shown_where_a_choice_was_read": [
            "update int_hotel_answer set shown_slot = 9 "
            "where answer_key = ANSWER(is_valid)",
        ],
        "every_answer_has_all_options_in_slots_of_their_own": [
            "delete from int_hotel_choice "
            "where option = 'A' and answer_key = ANSWER(true)",
        ],
        "exactly_one_option_is_chosen_as_published": [
            "update int_hotel_choice set chosen_as_published = true "
            "where answer_key = ANSWER(is_valid)",
        ],
        "exactly_one_option_is_chosen_audited": [
            "update int_hotel_choice set chosen_audited = null "
            "where answer_key = ANSWER(is_audited)",
            "update int_hotel_choice set chosen_audited = (option = 'A') "
            "where answer_key = ANSWER(not is_audited)",
        ],
        "every_answer_is_counted_in_one_class": [
            "update int_hotel_slot_count set answers = answers + 1",
        ],
        "slot_picks_add_to_n": [
            "update int_hotel_slot_count set slot1_count = slot1_count + 1",
        ],
        "every_answer_is_of_the_current_fingerprint": [
            "update int_hotel_study_model set input_fingerprint = 'old'",
        ],
        "every_run_has_a_model_and_adds_up": [
            "update int_hotel_run set failed_calls = calls + 1",
        ],
    },
    "estimates": {
        **BOOTSTRAP,
        "every_figure_is_a_number_or_null": [
            "update est_hotel_design set expected_std_error = 'nan' "
            "where term = 'stars'",
        ],
        "every_row_has_a_value": [
            "update est_hotel_wtp set status = null where attribute = 'stars'",
        ],
        "expect_column_values_to_be_in_set": [
            "update est_hotel_logit set status = 'fine'",
        ],
        "every_list_has_one_entry_per_term": [
            "update est_hotel_logit set estimate = estimate[:3]",
        ],
        "an_ok_fit_is_defined_and_no_number_is_infinite": [
            "update est_hotel_logit set aic = null where AN_OK_FIT",
            "update est_hotel_logit set aic = 'nan' where AN_OK_FIT",
        ],
        "every_term_has_a_status_and_numbers_in_range": [
            "update est_hotel_logit set p_value = [1.5 for p in p_value] "
            "where AN_OK_FIT",
            "update est_hotel_logit set std_error = [-1.0 for e in std_error] "
            "where AN_OK_FIT",
        ],
        "an_ok_term_has_estimate_error_and_interval": [
            "update est_hotel_logit set cluster_std_error = [null::double for e in "
            "cluster_std_error] where AN_OK_FIT",
        ],
        "every_model_has_every_fit_and_no_other": [
            "delete from est_hotel_logit where design = 'audited'",
            "update est_hotel_logit set variant = 'json' "
            "where specification = 'brand_area'",
        ],
        "every_row_of_est_hotel_logit_is_of_current_answers": [
            "update est_hotel_logit set input_fingerprint = 'old'",
        ],
        "every_row_of_est_hotel_wtp_is_of_current_answers": [
            "update est_hotel_wtp set input_fingerprint = 'old'",
        ],
        "every_row_of_est_hotel_slot_test_is_of_current_answers": [
            "update est_hotel_slot_test set input_fingerprint = 'old'",
        ],
        "an_ok_value_is_defined_and_inside_its_intervals": [
            "update est_hotel_wtp set wtp_usd = null where status = 'ok'",
        ],
        "every_pooled_fit_is_tested": [
            "delete from est_hotel_pooling_test where reading = 'audited'",
        ],
        "every_variant_with_base_answers_to_its_tasks_has_its_base": [
            "update int_hotel_choice set variant = 'json' where ordering = 'swapped'",
        ],
        "every_row_of_est_hotel_variant_base_is_of_current_answers": [
            "insert into est_hotel_variant_base by name "
            "(select * replace ('old' as input_fingerprint) from est_hotel_logit)",
        ],
        "every_contrast_of_every_model_is_estimated_on_its_audited_answers": [
            "delete from est_hotel_amce where contrast = 'cancel'",
            "update est_hotel_amce set n = n + 1",
        ],
        "every_row_of_est_hotel_amce_is_of_current_answers": [
            "update est_hotel_amce set input_fingerprint = 'old'",
        ],
        "every_counted_format_is_tested": [
            "delete from est_hotel_slot_test where format = 'binary'",
        ],
        "every_key_is_whole_and_stands_once": [
            "insert into est_hotel_design from est_hotel_design limit 1",
            "update est_hotel_design set term = null where term = 'stars'",
        ],
        "every_block_of_every_bank_has_its_design_and_no_other": [
            "delete from est_hotel_design where term = 'stars'",
            "delete from int_hotel_option where format = 'ternary'",
            "delete from int_hotel_option where task_id = 1",
        ],
        "an_ok_term_of_a_design_is_defined_and_in_range": [
            "update est_hotel_design set expected_std_error = null",
            "update est_hotel_design set variance_inflation = 0.5",
            "update est_hotel_design set status = 'fine'",
        ],
        "every_model_has_both_mixed_logits_or_the_build_has_none": [
            MIXED,
            f"{MIXED}; update est_hotel_mixed_logit set model_id = 'nobody/at-all'",
        ],
        "a_mixed_logit_contains_the_conditional_one": [
            f"{MIXED}; update est_hotel_mixed_logit set log_likelihood = "
            "conditional_log_likelihood - 1",
            f"{MIXED}; update est_hotel_mixed_logit set log_likelihood = -1, "
            "conditional_log_likelihood = -2",
        ],
        "an_ok_taste_is_defined_and_in_range": [
            f"{MIXED}; update est_hotel_mixed_logit set estimate = null",
            f"{MIXED}; update est_hotel_mixed_logit set estimate = 'nan'",
            f"{MIXED}; update est_hotel_mixed_logit set term = 'sd_slot', "
            "estimate = -1, ci_lo = -1",
        ],
        "every_row_of_est_hotel_mixed_logit_is_of_current_answers": [
            f"{MIXED}; update est_hotel_mixed_logit set input_fingerprint = 'old'",
        ],
    },
    "marts": {
        "every_row_has_a_value": [
            "update hotel_price_shape set bump_status = null",
        ],
        "every_figure_is_a_number_or_null": [
            "update hotel_board set log_price = 'nan' where reading = 'audited'",
            "update hotel_coefficient set ci_lo = '-inf' where term = 'review_score'",
        ],
        **COMPARISON,
        "every_key_is_whole_and_stands_once": [
            "insert into hotel_wtp from hotel_wtp limit 1",
            "update hotel_fit set variant = null",
        ],
        "every_reading_is_known": [
            "update hotel_fit set reading = 'ours' where reading = 'audited'",
        ],
        "every_status_is_known": [
            "update hotel_price_lever set status = 'fine'",
            "update hotel_coefficient set status = null",
        ],
        "expect_column_values_to_be_in_set": [
            "update hotel_decile_curve set block = 'quaternary'",
        ],
        "both_readings_stand_side_by_side": [
            "delete from hotel_wtp where reading = 'as_published'",
        ],
        "slot_picks_add_to_n": [
            "update hotel_first_shown set slot2_count = slot2_count + 1",
        ],
        "every_answer_is_counted_in_one_class": [
            "update hotel_first_shown set answers = answers + 1",
        ],
        "a_share_of_nothing_is_null": [
            "update hotel_first_shown set first_shown_rate = null",
        ],
        "expect_column_values_to_be_between": [
            "update hotel_first_shown set slot1_share = 1.5 where format = 'binary'",
        ],
        "answers_add_up": [
            "update hotel_booking_outcome set left_out_count = left_out_count + 1",
        ],
        "chain_shares_add_to_one": [
            "update hotel_booking_outcome set ihg_share = ihg_share + 0.1",
        ],
        "difference_is_audited_minus_as_published": [
            "update hotel_reading_difference set difference = difference + 1",
        ],
        "every_fit_has_its_terms": [
            "delete from hotel_coefficient where term = 'stars'",
        ],
        "every_decile_fit_has_ten_points_on_rising_prices": [
            "delete from hotel_decile_curve where decile = 4",
            "update hotel_decile_curve set lower_usd = 0 where decile = 2",
        ],
        "answers_of_both_formats_are_pooled": [
            "update hotel_pooling_test set pooled_n = pooled_n + 1",
        ],
        "well_identified_models_are_valued_and_no_other": [
            "delete from hotel_reference_price",
            "update hotel_wtp set well_identified = false",
        ],
        "the_board_shows_the_marts": [
            "update hotel_board set value = value + 1",
        ],
        "every_model_with_answers_has_a_row": [
            "delete from hotel_board where reading = 'audited'",
        ],
        "every_row_is_of_a_known_run_and_model": [
            "update int_hotel_run set is_excluded = true",
        ],
        "p_is_the_share_of_permuted_gaps_that_reach_the_observed_one": [
            "update hotel_brand_similarity set permutations = permutations - 1",
        ],
        "every_pair_of_models_is_within_across_or_skipped": [
            "update hotel_brand_similarity set within_pairs = within_pairs + 1",
        ],
        "an_adjusted_p_is_no_smaller_than_the_raw_one": [
            "update hotel_multiplicity set p_holm = p_raw / 2 where p_raw > 0",
        ],
        "every_model_that_takes_part_has_its_tests": [
            "delete from hotel_multiplicity where term = 'stars'",
            "update hotel_multiplicity set family_tests = family_tests + 1",
        ],
        "a_correlation_is_over_scored_models_and_adjusted_upwards": [
            "update hotel_capability_correlation set n = scored_models + 1",
        ],
        "a_difference_is_variant_minus_base_inside_its_interval": [
            "insert into hotel_variant_effect by name select study_id, "
            "model_id, reading, 'json' as variant, 'log_price' as statistic, 2 "
            "as estimate, 1 as base_estimate, 3 as difference from hotel_board "
            "limit 1",
        ],
        "the_variant_side_is_the_coefficient_of_the_variant": [
            "insert into hotel_variant_effect by name select study_id, "
            "model_id, reading, 'json' as variant, 'log_price' as statistic, 2 "
            "as estimate from hotel_board limit 1",
        ],
        "no_more_answers_count_than_were_given": [
            "insert into hotel_temperature_effect by name select study_id, "
            "model_id, reading, 9 as answers, 10 as n, 0.5 as first_shown_rate "
            "from hotel_board limit 1",
        ],
        "every_model_asked_about_five_options_is_predicted_on_all_its_answers": [
            "insert into hotel_five_option_prediction by name select study_id, "
            "model_id, reading, 10 as n from hotel_board limit 1",
        ],
        "scores_are_of_a_ranking": [
            "insert into hotel_five_option_prediction by name select study_id, "
            "model_id, reading, 0.5 as log_score from hotel_board limit 1",
        ],
        "a_value_lies_in_its_intervals": [
            "update hotel_slot_value set ci_lo = ci_hi + 1, ci_hi = ci_hi + 2",
            "update hotel_wtp set fieller_hi = wtp_usd - 1",
        ],
        "a_score_lies_in_its_interval": [
            "insert into hotel_five_option_prediction by name select study_id, "
            "model_id, reading, 2 as mean_rank, 3 as mean_rank_ci_lo, "
            "4 as mean_rank_ci_hi from hotel_board limit 1",
        ],
        "an_effect_lies_in_its_interval": [
            "update hotel_amce set estimate_pp = ci_hi_pp + 1",
        ],
        "every_audited_slot_has_its_value": [
            "update hotel_slot_value set value_usd = -value_usd",
            "delete from hotel_slot_value where specification = 'log'",
        ],
        "every_price_fit_has_every_lever_at_every_price": [
            "delete from hotel_price_lever where price_usd = 250",
        ],
        "an_ok_bump_is_defined_and_inside_its_interval": [
            "update hotel_price_shape set bump_ci_lo = bump + 1",
        ],
        "an_ok_drop_is_defined_and_inside_its_interval": [
            "update hotel_price_shape set drop_utility = 'nan'",
        ],
        "a_bump_stands_on_its_decile_and_a_drop_on_an_edge": [
            "update hotel_price_shape set bump = bump + 1",
            "update hotel_price_shape set threshold_usd = threshold_usd + 0.5",
        ],
        "attributes_have_a_worth_and_a_difference_that_shows": [
            "update hotel_design set wtp_usd = 1 where term = 'log_price'",
            "update hotel_design set wtp_detectable_difference_usd = 1",
        ],
        "every_bank_that_was_answered_has_a_design": [
            "delete from hotel_design",
        ],
        "a_mixed_logit_is_of_the_answers_of_the_audited_fit": [
            "insert into hotel_mixed_logit by name select study_id, model_id, "
            "specification, reading, 'slot' as term, n + 1 as n, clusters as pairs "
            "from hotel_fit where reading = 'audited' and specification = 'log' "
            "and variant = 'base' and block = 'binary' limit 1",
        ],
        "an_ok_value_is_defined": [
            "update hotel_coefficient set estimate = null where status = 'ok'",
        ],
        "nothing_that_is_not_ok_is_ranked": [
            "update hotel_board set status = 'weak', rank_lo = 1",
        ],
    },
}
