"""What is planted to break each rule of the purchase gates, layer by layer."""

from __future__ import annotations

PLANTED_IN: dict[str, dict[str, list[str]]] = {
    "raw": {
        "every_row_has_a_value": [
            "alter table raw_purchase.response alter label drop not null; "
            "update raw_purchase.response set label = null where repeat = 2",
        ],
        "columns_have_their_types": [
            "alter table raw_purchase.scenario alter value_usd type varchar",
        ],
        "expect_compound_columns_to_be_unique": [
            "insert into raw_purchase.scenario from raw_purchase.scenario limit 1",
        ],
        "expect_column_values_to_be_in_set": [
            "update raw_purchase.response set label = 'Z' where repeat = 2",
        ],
        "expect_column_values_to_be_between": [
            "update raw_purchase.response set cost_usd = -1 where repeat = 2",
        ],
        "every_amount_is_above_zero": [
            "update raw_purchase.scenario set document_price_usd = 0 "
            "where scenario_id like '%-007'",
            "update raw_purchase.scenario set value_usd = 'inf'::double "
            "where scenario_id like '%-007'",
        ],
        "every_chance_is_that_of_its_record": [
            "update raw_purchase.scenario set teaser_right = teaser_right - 1",
        ],
        "every_decision_has_a_run": [
            "delete from raw_purchase.run where run_id like '%noisy'",
        ],
        "every_decision_has_a_scenario": [
            "delete from raw_purchase.scenario where scenario_id = 'O8-8008-003'",
        ],
        "reply_state_agrees_with_choice": [
            "update raw_purchase.response set choice = null where repeat = 1",
            "update raw_purchase.response set choice = 'skip' "
            "where reply_state = 'failed'",
        ],
        "every_run_has_a_bank": [
            "update raw_purchase.run set bank_sha256 = 'other'",
        ],
        "every_setting_is_a_json_object": [
            "update raw_purchase.run set settings = 'low'",
        ],
        "read_is_accepted_quarantined_or_superseded": [
            "update quality.row_accounting set rows_read = rows_read + 1",
        ],
        "accepted_rows_are_the_raw_rows": [
            "delete from raw_purchase.response where repeat = 2 and label = 'A'",
        ],
        "quarantined_rows_are_the_rows_in_quarantine": [
            "update quality.row_accounting set rows_quarantined = 1, "
            "rows_read = rows_read + 1",
        ],
    },
    "staging": {
        "every_row_has_a_value": [
            "update stg_purchase_response set category = null where repeat = 2",
        ],
        "columns_have_their_types": [
            "alter table stg_purchase_run alter run_date type varchar",
        ],
        "expect_column_values_to_be_unique": [
            "update stg_purchase_response set answer_key = 'same'",
        ],
        "expect_column_values_to_be_in_set": [
            "update stg_purchase_response set category = 'unsure'",
        ],
        "every_decision_has_a_run": [
            "update stg_purchase_run set bank_sha256 = 'other'",
        ],
        "every_decision_has_a_scenario": [
            "update stg_purchase_response set scenario_id = 'X' where repeat = 1",
        ],
        "the_last_row_of_a_question_and_no_other_counts": [
            "update stg_purchase_response set is_superseded = false",
            "update stg_purchase_response set is_superseded = not is_superseded "
            "where run_id like '%resumed'",
        ],
        "a_study_is_one_bank_prompt_protocol_and_source": [
            "update stg_purchase_run set protocol = 'other' where run_id like '%noisy'",
        ],
        "every_model_id_has_a_provider": [
            "update stg_purchase_run set model_id = 'nobody'",
        ],
        "every_raw_row_is_staged_once": [
            "delete from stg_purchase_scenario where scenario_id like '%-001'",
        ],
        "every_exclusion_is_marked": [
            "insert into excluded_run select 'purchase', min(run_id), 'why', now() "
            "from stg_purchase_run",
        ],
    },
    "intermediate": {
        "every_row_has_a_value": [
            "update int_purchase_decision set regret_share = null where repeat = 2",
        ],
        "columns_have_their_types": [
            "alter table int_purchase_option alter gap_usd type varchar",
            "alter table int_purchase_decision alter is_optimal type varchar",
        ],
        "expect_compound_columns_to_be_unique": [
            "insert into int_purchase_option from int_purchase_option limit 1",
        ],
        "expect_column_values_to_be_between": [
            "update int_purchase_option set gap_usd = -1 where option_number = 2",
        ],
        "every_scenario_has_both_menus_whole_with_one_best_option": [
            "delete from int_purchase_option where option = 'teaser' "
            "and scenario_id = 'O8-8008-005'",
            "update int_purchase_option set is_optimal = true where option = 'buy_one'",
        ],
        "the_best_option_is_worth_most_and_loses_nothing": [
            "update int_purchase_option set expected_value_usd = 1e9 "
            "where option = 'buy_one' and menu = 'bonded'",
            "update int_purchase_option set regret_share = 0.1 where is_optimal",
        ],
        "the_best_option_is_the_one_that_the_bank_states": [
            "update stg_purchase_scenario set stated_optimal_bonded = 'buy_one' "
            "where scenario_id = 'O8-8008-005'",
        ],
        "a_bond_changes_the_certificate_alone": [
            "update int_purchase_option set expected_value_usd = 0 "
            "where option = 'buy_one' and menu = 'bonded'",
        ],
        "every_decision_of_a_kept_run_that_counts_is_here_once": [
            "delete from int_purchase_decision where repeat = 2",
            "update stg_purchase_run set is_excluded = true where run_id like '%noisy'",
        ],
        "an_unread_reply_acts_as_a_skip_and_is_never_best": [
            "update int_purchase_decision set is_optimal = true where choice is null",
            "update int_purchase_decision set action = 'teaser' where choice is null",
        ],
        "a_decision_is_scored_under_the_menu_shown": [
            "update int_purchase_decision set optimal = optimal_ordinary",
        ],
        "stated_scores_are_ours": [
            "update int_purchase_decision set stated_regret_share = 0.5",
            "update int_purchase_decision set stated_bought = not stated_bought",
        ],
        "every_run_has_a_model_and_adds_up": [
            "update int_purchase_run set model_id = 'x/y'",
            "update int_purchase_run set failed_calls = calls + 1",
        ],
    },
    "estimates": {
        "every_row_has_a_value": [
            "update est_purchase_metric set n = null where metric = 'flip_rate'",
        ],
        "expect_column_values_to_be_in_set": [
            "update est_purchase_metric set metric = 'luck' where metric = 'flip_rate'",
        ],
        "an_ok_figure_is_defined_and_any_other_is_blank": [
            "update est_purchase_metric set value = null where metric = 'flip_rate'",
            "update est_purchase_metric set value = 0 where status = 'too_few'",
            "update est_purchase_metric set ci_lo = ci_hi + 1 where status = 'ok'",
        ],
        "shares_and_percentages_keep_their_range": [
            "update est_purchase_metric set value = 1.5 where metric = 'flip_rate'",
            "update est_purchase_metric set value = 101 where metric = 'optimal_pct'",
            "update est_purchase_metric set value = -1 where metric = 'regret_pct_V'",
        ],
        "every_model_with_decisions_has_every_metric_and_no_other": [
            "delete from est_purchase_metric where metric = 'bond_shift'",
            "update est_purchase_metric set model_id = 'x/y' "
            "where model_id = 'acme/noisy'",
        ],
        "an_audited_figure_has_an_influence_for_each_of_its_scenarios": [
            "update est_purchase_metric set influence = [1.0] "
            "where reading = 'audited' and metric = 'optimal_pct'",
            "update est_purchase_metric set cluster_id = ['a'], influence = [0.0] "
            "where reading = 'as_published'",
        ],
        "every_ok_headline_and_no_other_is_ranked": [
            "delete from est_purchase_rank where model_id = 'acme/noisy'",
            "update est_purchase_rank set rank_lo = null",
            "update est_purchase_rank set rank_lo = 1, rank_hi = 1 "
            "where status <> 'ok'",
        ],
        "a_difference_is_that_of_the_two_figures": [
            "update est_purchase_comparison set difference = difference + 1",
        ],
    },
    "marts": {
        "every_figure_is_a_number_or_null": [
            "update purchase_board set regret_pct_v = 'nan'",
        ],
        "every_key_is_whole_and_stands_once": [
            "insert into purchase_cell from purchase_cell limit 1",
            "update purchase_cost set model_id = null where model_id = 'acme/noisy'",
        ],
        "every_reading_is_known": [
            "update purchase_metric set reading = 'guessed' where metric = 'flip_rate'",
        ],
        "both_readings_stand_side_by_side": [
            "delete from purchase_board where reading = 'audited'",
        ],
        "every_decision_is_counted_in_one_class": [
            "update purchase_cell set valid = valid + 1",
        ],
        "a_share_of_no_replies_is_null": [
            "update purchase_cell set certificate_share = 0 where rows = failed",
        ],
        "a_cell_without_enough_replies_says_so": [
            "update purchase_cell set status = 'ok'",
            "update purchase_cell set status = null where label = 'D'",
        ],
        "every_model_has_every_cell_and_every_decision_is_in_one": [
            "delete from purchase_cell where label = 'D'",
            "delete from int_purchase_decision where repeat = 2",
        ],
        "choices_of_a_cell_add_up_to_its_rows": [
            "update purchase_choice_mix set n = n + 1",
        ],
        "shares_of_cells_give_the_published_effects": [
            "update purchase_cell set certificate_share_as_published = 0.5 "
            "where label = 'D'",
        ],
        "every_decision_that_counts_is_paid_for_once": [
            "update purchase_cost set usd_total = usd_total * 2",
            "delete from purchase_cost where model_id = 'acme/noisy'",
        ],
        "difference_is_audited_minus_as_published": [
            "update purchase_reading_difference set difference = 9",
            "update purchase_reading_difference set reason_count = null",
            "update purchase_reading_difference set difference = 1e-17 "
            "where difference = 0",
        ],
        "failed_calls_are_those_of_the_cells_of_the_metric": [
            "update purchase_reading_difference set failed_in_cells = 1 "
            "where metric = 'bond_rational'",
        ],
        "every_figure_is_that_of_its_metric": [
            "update purchase_board set value = 1 where status = 'ok'",
            "update purchase_board set n = 1 where status = 'ok'",
            "update purchase_board set bond_shift_status = 'ok'",
            "update purchase_board set regret_pct_v = 1 "
            "where regret_pct_v_status = 'ok'",
        ],
        "every_observed_model_has_a_row_and_no_derived_one": [
            "delete from purchase_board where model_id = 'acme/noisy'",
            "update purchase_board set model_id = 'acme/implied' "
            "where model_id = 'acme/noisy'",
        ],
        "every_status_is_known": [
            "update purchase_metric set status = 'fine'",
        ],
        "an_ok_value_is_defined": [
            "update purchase_metric set value = null",
        ],
        "nothing_that_is_not_ok_is_ranked": [
            "update purchase_board set rank_lo = 1 where status <> 'ok'",
        ],
    },
}
