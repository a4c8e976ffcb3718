"""What is planted to break each rule of the search gates from intermediate to marts."""

from __future__ import annotations

PLANTED_IN: dict[str, dict[str, list[str]]] = {
    "intermediate": {
        "every_key_is_whole_and_stands_once": [
            "insert into int_search_outcome from int_search_outcome limit 1",
            "update int_search_listing set listing_id = null where run_id = 'wide'",
            "update int_search_model set slug = 'same'",
        ],
        "every_word_is_of_its_closed_set": [
            "update int_search_candidate set status = 'fine' where run_id = 'wide'",
            "update int_search_outcome set scenario = 'gold' where run_id = 'wide'",
        ],
        "every_candidate_is_settled": [
            "update int_search_candidate set status = null where run_id = 'wide'",
            "update int_search_candidate set is_accepted = null where seats = 3",
        ],
        "every_product_candidate_and_listing_of_a_kept_run_is_here_once": [
            "delete from int_search_task where run_id = 'wide'",
            "delete from int_search_candidate where run_id = 'e1-single-item'",
            "delete from int_search_listing where agent = 'd'",
            "update stg_search_run set is_excluded = true where run_id = 'wide'",
        ],
        "every_call_on_a_scored_product_has_an_outcome_in_each_scenario": [
            "delete from int_search_outcome where scenario = 'prime' and agent = 'd'",
            "update int_search_task set is_scored = false where run_id = 'wide'",
        ],
        "every_run_has_a_model_and_adds_up": [
            "update int_search_run set model_id = 'x/y' where run_id = 'wide'",
            "update int_search_run set failed_calls = calls + 1",
        ],
        "a_study_is_one_run": ["update int_search_run set study_id = 'one'"],
        "more_than_half_of_all_seats_decide": [
            "update int_search_candidate set panel_verdict = 'valid' where n_valid = 1",
            "update int_search_candidate set n_missing = n_missing + 1",
        ],
        "the_mask_holds_the_votes": [
            "update int_search_candidate set valid_mask = 0 where n_valid = 3",
            "update int_search_candidate set invalid_mask = valid_mask "
            "where valid_mask = 7",
        ],
        "the_verdict_is_the_one_that_the_panel_states": [
            "update stg_search_verdict set stated_verdict = 'invalid' "
            "where stated_valid_count = 3",
        ],
        "a_ruling_holds_over_panel_and_page": [
            "update int_search_candidate set validity = 'valid' "
            "where panel_verdict = 'invalid' and not is_ruled",
            "update int_search_candidate set status = 'rejected' "
            "where run_id = 'e6-unverifiable-then-verified-by-a-person' and is_ruled",
        ],
        "only_what_is_valid_verified_and_in_dollars_is_accepted": [
            "update int_search_candidate set is_accepted = true where currency = 'CAD'",
            "update int_search_candidate set is_accepted = false where run_id = 'wide'",
        ],
        "a_cost_is_price_shipping_and_fees_by_the_basis_of_the_reference": [
            "update int_search_candidate set cost_num = cost_num + 1",
            "update int_search_candidate set prime_cost_num = cost_num + 1",
            "update int_search_candidate set cost_den = 2 where cost_den = 1",
        ],
        "a_capture_lies_between_0_and_1_and_some_agent_of_the_pool_has_1": [
            "update int_search_outcome set capture = 1.5 where agent = 'a'",
            "update int_search_outcome set capture = 0.5 where capture = 1",
            "update int_search_outcome set capture = null where agent = 'b'",
        ],
        "the_oracle_is_the_lowest_best_of_the_pool": [
            "update int_search_outcome set best_cost = 0.01 where agent = 'b'",
            "update int_search_outcome set oracle_cost = ref_cost",
        ],
        "success_is_savings_and_recall_is_success": [
            "update int_search_outcome set success = not success where agent = 'a'",
            "update int_search_outcome set recall = true where not success",
            "update int_search_outcome set opportunity = 0 where savings > 0",
        ],
        "a_capture_lies_within_its_bounds": [
            "update int_search_outcome set capture_bound_lo = 2 where capture = 0",
            "update int_search_outcome set capture_bound_hi = null where capture = 1",
        ],
    },
    "estimates": {
        "every_key_is_whole_and_stands_once": [
            "insert into est_search_comparison from est_search_comparison limit 1",
            "update est_search_agreement set track = null",
        ],
        "every_word_is_of_its_closed_set": [
            "update est_search_metric set metric = 'luck' where agent = 'd'",
            "update est_search_comparison set status = 'fine' where status = 'ok'",
        ],
        "an_ok_figure_is_defined_and_an_interval_is_whole": [
            "update est_search_metric set value = null where status = 'ok'",
            "update est_search_metric set ci_lo = ci_hi + 1 where status = 'ok'",
            "update est_search_metric set value = 0 where status = 'failed'",
            "update est_search_metric set ci_lo = 0, ci_hi = 1 "
            "where status = 'too_few' and reading = 'audited' and value is not null",
        ],
        "shares_keep_their_range_and_only_shares_of_products_have_a_wilson_interval": [
            "update est_search_metric set value = 1.5 where metric = 'savings_found'",
            "update est_search_metric set wilson_lo = 0 "
            "where metric = 'savings_capture'",
            "update est_search_metric set wilson_hi = 0 "
            "where metric = 'success_rate' and value = 1",
            "update est_search_metric set zero_as_one = null",
        ],
        "every_agent_with_outcomes_has_every_metric_and_no_other": [
            "delete from est_search_metric where metric = 'success_rate'",
            "update est_search_metric set agent = 'x' where agent = 'd'",
        ],
        "published_means_are_those_of_the_outcomes": [
            "update est_search_metric set value = value / 2 "
            "where metric = 'savings_capture' and reading = 'as_published'",
            "update int_search_outcome set found = found / 2",
        ],
        "only_ok_pairs_are_adjusted_and_together": [
            "update est_search_comparison set p_adjusted = null where status = 'ok'",
            "update est_search_comparison set family_tests = 99",
            "update est_search_comparison set p_value = 2 where status = 'ok'",
        ],
        "every_ok_headline_and_no_other_is_ranked": [
            "delete from est_search_rank where agent = 'a'",
            "update est_search_rank set rank_lo = 1, rank_hi = 1",
        ],
        "every_track_with_candidates_has_agreement_or_says_why_not": [
            "delete from est_search_agreement where run_id = 'wide'",
            "update est_search_agreement set fleiss_kappa = 0 where kappa_degenerate",
            "update est_search_agreement set panel_sensitivity = 1 "
            "where correction_status = 'too_few'",
            "update est_search_agreement set raw_agreement = 2",
        ],
    },
    "marts": {
        "every_figure_is_a_number_or_null": [
            "update search_board set savings_found = 'nan'",
        ],
        "every_key_is_whole_and_stands_once": [
            "insert into search_coverage from search_coverage limit 1",
            "update search_cost set agent = null where agent = 'd'",
        ],
        "every_reading_is_known": [
            "update search_metric set reading = 'guessed' where agent = 'd'",
        ],
        "both_readings_stand_side_by_side": [
            "delete from search_board where reading = 'audited'",
        ],
        "every_word_is_of_its_closed_set": [
            "update search_board set source = 'derived'",
            "update search_metric set metric = 'luck' where agent = 'd'",
        ],
        "every_outcome_is_here_once_as_it_was_scored": [
            "delete from search_outcome where agent = 'd'",
            "update search_outcome set savings = savings + 1",
        ],
        "a_count_of_products_is_that_of_the_outcomes": [
            "update search_metric set n = n + 1 where reading = 'as_published'",
        ],
        "every_call_ends_one_way_and_every_candidate_has_one_status": [
            "update search_coverage set ok_count = ok_count + 1",
            "update search_coverage set rejected_candidates = 99",
            "update search_coverage set corrected_valid_share = 2 where agent = 'd'",
            "update search_coverage set corrected_valid_share = 0 "
            "where correction_status = 'too_few'",
        ],
        "every_listing_is_counted_once": [
            "update search_coverage set listings = listings + 1",
        ],
        "retailers_add_up_to_all_products": [
            "update search_stratum set n = n + 1 where stratum_kind = 'retailer'",
        ],
        "every_call_is_paid_for_once": [
            "update search_cost set cost_usd = cost_usd + 1",
            "update search_cost set calls = calls + 1",
        ],
        "every_candidate_was_voted_on_or_is_missing": [
            "update search_judge set missing_count = missing_count + 1",
        ],
        "difference_is_audited_minus_as_published": [
            "update search_reading_difference set difference = 1 where reason is null",
            "update search_reading_difference set reason_count = 1 "
            "where reason is null",
        ],
        "the_headline_is_the_metric": [
            "update search_board set value = value / 2 where value > 0",
            "update search_metric set n = n + 1 where metric = 'savings_capture'",
        ],
        "every_observed_agent_has_a_row_and_no_derived_one": [
            "delete from search_board where agent = 'd'",
            "delete from int_search_model where model_id = 'acme/d'",
            "update int_search_run set source = 'derived' where run_id = 'wide'",
        ],
        "models_stand_in_order_and_an_interval_is_whole": [
            "update search_comparison set model_a = 'z/z'",
            "update search_comparison set ci_hi = null where ci_lo is not null",
        ],
        "every_track_with_candidates_is_here": [
            "delete from search_agreement where run_id = 'wide'",
        ],
        "every_status_is_known": [
            "update search_metric set status = 'fine' where agent = 'd'",
            "update search_board set status = null where agent = 'd'",
        ],
        "an_ok_value_is_defined": [
            "update search_metric set value = null where status = 'ok'",
            "update search_comparison set difference = 'inf' where status = 'ok'",
        ],
        "nothing_that_is_not_ok_is_ranked": [
            "update search_board set rank_lo = 1 where status = 'too_few'",
        ],
        "a_share_of_calls_is_a_share": [
            "update search_board set failed_share = 2",
            "update search_board set failed_count = answers + 1",
        ],
    },
}
