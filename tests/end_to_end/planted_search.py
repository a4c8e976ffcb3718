"""What is planted to break each rule of the search gates, layer by layer."""

from __future__ import annotations


def _gone(table: str, condition: str = "true") -> list[str]:
    return [f"delete from raw_search.{table} where {condition}"]


PLANTED_IN: dict[str, dict[str, list[str]]] = {
    "raw": {
        "columns_have_their_types": [
            f"alter table raw_search.{table} alter {column} type double"
            for table, column in (
                *(("task", "price"), ("listing", "item_price"), ("audit", "shipping")),
                *(("label", "fees"), ("ref_label", "price")),
                ("shipping_policy", "threshold"),
            )
        ],
        "every_key_is_whole_and_stands_once": [
            "insert into raw_search.vote from raw_search.vote limit 1",
            "alter table raw_search.listing alter listing_id drop not null; "
            "update raw_search.listing set listing_id = null where rank = 3",
        ],
        "every_word_is_of_its_closed_set": [
            "update raw_search.audit set status = 'fine' where status = 'verified'",
            "update raw_search.call set status = 'late' where status = 'empty'",
            "update raw_search.vote set verdict = 'perhaps' where judge = 'c'",
        ],
        "every_choice_is_of_a_cell": _gone("cell", "status = 'filled'"),
        "every_event_is_of_a_cell": _gone("cell", "position = 3"),
        "every_item_is_of_an_event": _gone("source_event", "type = 'walk'"),
        "every_answer_has_an_agent": _gone("agent", "agent = 'hasty'"),
        "every_answer_has_a_product": _gone("task", "position = 4"),
        "every_listing_has_an_answer": _gone("call", "task_id = 't002'"),
        "every_candidate_has_a_product": _gone("task", "position = 4"),
        "every_finding_has_a_candidate": _gone("candidate", "task_id = 't003'"),
        "every_finding_has_a_listing_of_its_product": [
            *_gone("listing", "agent = 'bazaar'"),
            "update raw_search.listing set task_id = 't001' where task_id = 't002'",
        ],
        "every_verdict_has_a_candidate": _gone("candidate", "task_id = 't003'"),
        "every_vote_has_a_verdict": _gone("verdict", "verdict = 'no_majority'"),
        "every_vote_has_a_judge": _gone("judge", "judge = 'b' and track = 'equiv'"),
        "every_audit_has_a_candidate": _gone("candidate", "is_self_match"),
        "every_check_has_an_audit": _gone("audit", "status = 'needs_human'"),
        "every_ruling_has_a_candidate": _gone("candidate", "track = 'equiv'"),
        "every_correction_has_a_product": _gone("task", "title like '%Train%'"),
        "every_row_is_of_a_run_and_its_bank": [
            "update raw_search.task set bank_sha256 = 'other' where position = 0",
            *_gone("run"),
        ],
        "every_record_stands_in_an_artifact": _gone("artifact", "kind = 'audit'"),
        "every_reference_has_a_price_above_zero": [
            "update raw_search.task set price = 0 where position = 0",
            "update raw_search.task set shipping = -1 where position = 0",
        ],
        "the_rules_are_those_of_their_hash": [
            "update raw_search.run set protocol_sha256 = 'other'",
            "update raw_search.run set protocol = 'rules'",
        ],
        "an_overturned_verdict_has_a_reason": [
            "update raw_search.label set reason_code = null",
        ],
        "a_chance_of_review_stands_beside_every_draw": [
            "update raw_search.label set inclusion_probability = null",
            "update raw_search.label set inclusion_probability = 1.5 where is_sampled",
        ],
        "a_void_product_has_a_reason": [
            "update raw_search.ref_label set void_reason = null",
        ],
        "only_an_answer_has_listings": [
            "update raw_search.call set status = 'refused' where agent = 'frugal'",
            "update raw_search.call set listing_count = 1",
        ],
        "a_candidate_is_one_page_of_one_product": [
            "update raw_search.candidate set url_canonical = 'https://x.example/' "
            "where track = 'equiv'",
        ],
        "read_is_accepted_quarantined_or_superseded": [
            "update quality.row_accounting set rows_read = rows_read + 1",
        ],
        "accepted_rows_are_the_raw_rows": _gone("vote", "judge = 'a'"),
        "quarantined_rows_are_the_rows_in_quarantine": [
            "update quality.row_accounting set rows_quarantined = 1, "
            "rows_read = rows_read + 1",
        ],
    },
    "staging": {
        "columns_have_their_types": [
            "alter table stg_search_run alter grid_size type varchar",
            "alter table stg_search_task alter landed_usd type double",
            "alter table stg_search_audit alter price type double",
            "alter table stg_search_listing alter candidate_id type blob",
        ],
        "every_key_is_whole_and_stands_once": [
            "insert into stg_search_label from stg_search_label limit 1",
        ],
        "every_word_is_of_its_closed_set": [
            "update stg_search_run set source = 'derived'",
            "update stg_search_task set basis = 'each' where position = 0",
        ],
        "every_raw_row_is_staged_once": [
            "delete from stg_search_evidence where kind = 'html'",
            "insert into stg_search_listing select * replace ('x' as listing_id) "
            "from stg_search_listing limit 1",
        ],
        "every_finding_is_staged_with_its_listing": [
            "update stg_search_listing set candidate_id = null where rank = 2",
        ],
        "every_choice_is_staged_with_its_cell": [
            "update stg_search_cell set selected_url = null where position = 2",
        ],
        "every_answer_has_an_agent": [
            "delete from stg_search_agent where agent = 'scattered'",
        ],
        "a_study_is_one_bank_prompt_protocol_and_source": [
            "insert into stg_search_run select * replace ('b' as run_id, 'c' as "
            "bank_sha256) from stg_search_run",
        ],
        "every_model_id_has_a_provider": [
            "update stg_search_agent set model_id = 'nobody'",
        ],
        "every_exclusion_is_marked": [
            "insert into excluded_run select 'search', run_id, 'why', now() "
            "from stg_search_run",
        ],
        "no_claim_is_negative": [
            "update stg_search_listing set shipping_price = -1 where rank = 1",
        ],
        "no_amount_is_negative": [
            "update stg_search_audit set fees = -1 where status = 'verified'",
        ],
        "item_shipping_and_fees_add_up_to_landed": [
            "update stg_search_task set landed_usd = landed_usd + 1",
            "update stg_search_task set landed_usd = null where position = 0",
        ],
        "landed_cost_and_basis_are_as_stated": [
            "update stg_search_task set stated_landed_usd = 1 where position = 0",
            "update stg_search_task set stated_basis = 'total'",
        ],
        "every_candidate_has_a_host": [
            "update stg_search_candidate set host = null where track = 'exact'",
        ],
        "a_page_that_is_the_reference_gets_no_votes": [
            "update stg_search_candidate set is_self_match = true",
        ],
    },
}
