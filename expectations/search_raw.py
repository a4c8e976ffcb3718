"""What must hold of the search runs as they were loaded."""

from __future__ import annotations

from expectations.accounting_rules import accounting_rules
from expectations.rules import EmptyRule, Rule, Suite, typed
from expectations.search_rules import FILE, breaks, closed_sets, keyed, referred
from expectations.vocabulary import (
    OBSERVED_SOURCES,
    SEARCH_ARTIFACTS,
    SEARCH_AUDIT_STATES,
    SEARCH_CALL_STATES,
    SEARCH_CELL_STATES,
    SEARCH_CHECK_KINDS,
    SEARCH_OUTCOMES,
    SEARCH_REASON_CODES,
    SEARCH_RULED_STATES,
    SEARCH_SCENARIOS,
    SEARCH_SELLER_SCOPES,
    SEARCH_TRACKS,
    SEARCH_VALIDITIES,
    SEARCH_VERDICTS,
)

_TRACKED = ("run_id", "track", "candidate_id")
_EVENT = ("run_id", "cell_id")
KEYS: dict[str, tuple[str, ...]] = {
    "run": ("run_id",),
    "artifact": ("run_id", "_source_file"),
    "cell": _EVENT,
    "selection": _EVENT,
    "source_event": (*_EVENT, "seq"),
    "source_item": (*_EVENT, "list_seq", "rank"),
    "task": ("run_id", "task_id"),
    "agent": ("run_id", "agent", "track"),
    "call": ("run_id", "agent", "track", "task_id"),
    "listing": ("run_id", "listing_id"),
    "finding": ("run_id", "listing_id"),
    "candidate": _TRACKED,
    "judge": ("run_id", "track", "judge"),
    "vote": (*_TRACKED, "judge"),
    "verdict": _TRACKED,
    "audit": _TRACKED,
    "audit_check": (*_TRACKED, "seq"),
    "label": _TRACKED,
    "ref_label": ("run_id", "task_id"),
    "label_change": ("run_id", "_source_file", "seq"),
    "shipping_policy": ("run_id", "row_id"),
    "evidence": ("run_id", "sha256", "kind"),
}
# Raw tables, and whether their rows belong to a bank.
RAW_TABLES = dict.fromkeys(KEYS, True)
_NO_ARTIFACT = ("artifact", "shipping_policy", "evidence")

_MONEY = "DECIMAL(12,2)"
_AMOUNTS = {
    "task": ("price", "list_price", "shipping", "fees", "landed"),
    "listing": ("item_price", "shipping_price", "landed_price"),
    "audit": ("price", "shipping", "fees", "landed"),
    "label": ("price", "shipping", "fees"),
    "ref_label": ("price", "shipping", "fees"),
    "shipping_policy": ("threshold", "below_fee", "at_or_above_fee", "min_order"),
}
_TRACK: dict[str, tuple[str, ...]] = {"track": SEARCH_TRACKS}
_SETS: dict[str, dict[str, tuple[str, ...]]] = {
    "run": {"source": OBSERVED_SOURCES},
    "artifact": {"kind": SEARCH_ARTIFACTS, **_TRACK, "scenario": SEARCH_SCENARIOS},
    "cell": {"status": SEARCH_CELL_STATES},
    "agent": _TRACK,
    "call": {**_TRACK, "status": SEARCH_CALL_STATES},
    "candidate": _TRACK,
    "judge": _TRACK,
    "vote": {"verdict": SEARCH_VALIDITIES},
    "verdict": {"verdict": SEARCH_VERDICTS},
    "audit": {"status": SEARCH_AUDIT_STATES, "seller_scope": SEARCH_SELLER_SCOPES},
    "audit_check": {"kind": SEARCH_CHECK_KINDS, "outcome": SEARCH_OUTCOMES},
    "label": {
        **{"validity": SEARCH_VALIDITIES, "status": SEARCH_RULED_STATES},
        "reason_code": SEARCH_REASON_CODES,
        **{"blind_validity": SEARCH_VALIDITIES, "blind_status": SEARCH_RULED_STATES},
    },
    "shipping_policy": {"seller_scope": SEARCH_SELLER_SCOPES},
}

_CLOSURE: list[Rule] = [
    referred("every_choice_is_of_a_cell", "selection", "cell", _EVENT),
    referred("every_event_is_of_a_cell", "source_event", "cell", _EVENT),
    EmptyRule(
        "source_item",
        "every_item_is_of_an_event",
        f"""
        select run_id, cell_id, list_seq, {FILE}
        from source_item
        anti join source_event
            on source_item.run_id = source_event.run_id
            and source_item.cell_id = source_event.cell_id
            and source_item.list_seq = source_event.seq
        """,
    ),
    referred("every_answer_has_an_agent", "call", "agent", KEYS["agent"]),
    referred("every_answer_has_a_product", "call", "task", KEYS["task"]),
    referred("every_listing_has_an_answer", "listing", "call", KEYS["call"]),
    referred("every_candidate_has_a_product", "candidate", "task", KEYS["task"]),
    referred("every_finding_has_a_candidate", "finding", "candidate", _TRACKED),
    EmptyRule(
        "finding",
        "every_finding_has_a_listing_of_its_product",
        f"""
        select finding.run_id, finding.listing_id, finding.candidate_id,
            {", ".join(f"finding.{column}" for column in FILE.split(", "))}
        from finding
        left join listing using (run_id, track, listing_id)
        left join candidate using (run_id, track, candidate_id)
        where listing.task_id is distinct from candidate.task_id
            or listing.task_id is null
        """,
    ),
    referred("every_verdict_has_a_candidate", "verdict", "candidate", _TRACKED),
    referred("every_vote_has_a_verdict", "vote", "verdict", _TRACKED),
    referred("every_vote_has_a_judge", "vote", "judge", KEYS["judge"]),
    referred("every_audit_has_a_candidate", "audit", "candidate", _TRACKED),
    referred("every_check_has_an_audit", "audit_check", "audit", _TRACKED),
    referred("every_ruling_has_a_candidate", "label", "candidate", _TRACKED),
    referred("every_correction_has_a_product", "ref_label", "task", KEYS["task"]),
    EmptyRule(
        "run",
        "every_row_is_of_a_run_and_its_bank",
        f"""
        select table_name, run_id, bank_sha256
        from ({
            " union all ".join(
                f"select distinct '{table}' as table_name, run_id, bank_sha256 "
                f"from {table}"
                for table in KEYS
            )
        }) as rows_of
        anti join run using (run_id, bank_sha256)
        """,
    ),
    EmptyRule(
        "artifact",
        "every_record_stands_in_an_artifact",
        f"""
        select table_name, run_id, _source_file, _source_sha256
        from ({
            " union all ".join(
                f"select distinct '{table}' as table_name, run_id, _source_file, "
                f"_source_sha256 from {table}"
                for table in KEYS
                if table not in _NO_ARTIFACT
            )
        }) as records
        anti join artifact using (run_id, _source_file, _source_sha256)
        """,
    ),
]

_CONTENT: list[Rule] = [
    breaks(
        "task",
        "every_reference_has_a_price_above_zero",
        "price <= 0 or least(shipping, fees) < 0",
        "run_id, task_id, price, shipping, fees",
    ),
    breaks(
        "run",
        "the_rules_are_those_of_their_hash",
        "not json_valid(protocol) or json_extract_string(protocol, '$.sha256') "
        "is distinct from protocol_sha256",
        "run_id, protocol_sha256",
    ),
    breaks(
        "label",
        "an_overturned_verdict_has_a_reason",
        "overturns_panel and (reason_code is null or validity is null)",
        "run_id, track, candidate_id, validity",
    ),
    breaks(
        "label",
        "a_chance_of_review_stands_beside_every_draw",
        "is_sampled != (inclusion_probability is not null) "
        "or inclusion_probability <= 0 or inclusion_probability > 1",
        "run_id, track, candidate_id, inclusion_probability",
    ),
    breaks(
        "ref_label",
        "a_void_product_has_a_reason",
        "is_void and void_reason is null",
        "run_id, task_id",
        "warn",
    ),
    EmptyRule(
        "call",
        "only_an_answer_has_listings",
        f"""
        select run_id, agent, track, task_id, status, listing_count, claims, {FILE}
        from call
        join (
            select run_id, agent, track, task_id, count(*) as claims
            from listing group by all
        ) as claimed using (run_id, agent, track, task_id)
        where status != 'ok' or claims > listing_count
        """,
    ),
    EmptyRule(
        "candidate",
        "a_candidate_is_one_page_of_one_product",
        """
        select run_id, candidate_id, count(distinct task_id || '|' || url_canonical)
            as pages
        from candidate group by run_id, candidate_id
        having count(distinct task_id || '|' || url_canonical) > 1
        """,
    ),
]

_TYPES = [
    rule
    for table, columns in _AMOUNTS.items()
    for rule in typed(table, dict.fromkeys(columns, _MONEY))
]

SUITE = Suite(
    keys={**KEYS, "row_accounting": ("table_name", "source_file")},
    rules=(
        *_TYPES,
        *keyed(KEYS),
        *closed_sets(KEYS, _SETS),
        *_CLOSURE,
        *_CONTENT,
        *accounting_rules(RAW_TABLES),
    ),
)
