"""What must hold of the search staging views: nothing lost, keys, types, amounts."""

from __future__ import annotations

from expectations.rules import EmptyRule, Rule, Suite, typed
from expectations.run_rules import staging_rules
from expectations.search_raw import KEYS as RAW_KEYS
from expectations.search_rules import breaks, closed_sets, keyed, referred
from expectations.vocabulary import OBSERVED_SOURCES, SEARCH_BASES

# columns of the listing and of the cell
_JOINED = ("finding", "selection")
TABLES = tuple(table for table in RAW_KEYS if table not in _JOINED)
KEYS = {
    f"stg_search_{table}": tuple(
        {"_source_file": "source_file"}.get(column, column)
        for column in RAW_KEYS[table]
    )
    for table in TABLES
}
_FILE = "source_file, source_row"


_TYPES = [
    *typed(
        "stg_search_run",
        {"study_id": "VARCHAR", "run_date": "DATE", "grid_size": "BIGINT"}
        | dict.fromkeys(("has_mixed_protocol", "is_excluded"), "BOOLEAN")
        | {"match_tolerance_usd": "DECIMAL(12,2)"},
    ),
    *typed(
        "stg_search_task",
        dict.fromkeys(
            ("price_usd", "shipping_usd", "fees_usd", "landed_usd"), "DECIMAL(12,2)"
        )
        | {"pack_count": "BIGINT", "basis": "VARCHAR"},
    ),
    *typed(
        "stg_search_audit",
        dict.fromkeys(("price", "shipping", "fees"), "DECIMAL(12,2)"),
    ),
    *typed("stg_search_listing", {"candidate_id": "VARCHAR"}),
]

_CLOSURE: list[Rule] = [
    *staging_rules("search", TABLES, models="agent"),
    EmptyRule(
        "stg_search_listing",
        "every_finding_is_staged_with_its_listing",
        """
        select raw_finding.run_id, raw_finding.listing_id, raw_finding.candidate_id
        from raw_finding
        anti join stg_search_listing using (run_id, track, listing_id, candidate_id)
        """,
    ),
    EmptyRule(
        "stg_search_cell",
        "every_choice_is_staged_with_its_cell",
        """
        select raw_selection.run_id, raw_selection.cell_id
        from raw_selection
        left join stg_search_cell using (run_id, cell_id)
        where raw_selection.selected_url is distinct from stg_search_cell.selected_url
        """,
    ),
    referred(
        *("every_answer_has_an_agent", "stg_search_call", "stg_search_agent"),
        *(KEYS["stg_search_agent"], _FILE),
    ),
]

_AMOUNTS: list[Rule] = [
    breaks(
        "stg_search_listing",
        "no_claim_is_negative",
        "least(item_price, shipping_price, landed_price) < 0",
        "run_id, listing_id",
        shown=_FILE,
    ),
    breaks(
        "stg_search_audit",
        "no_amount_is_negative",
        "least(price, shipping, fees) < 0",
        "run_id, track, candidate_id",
        shown=_FILE,
    ),
    breaks(
        "stg_search_task",
        "item_shipping_and_fees_add_up_to_landed",
        "landed_usd is distinct from price_usd + shipping_usd + fees_usd",
        "run_id, task_id, landed_usd",
        shown=_FILE,
    ),
    breaks(
        "stg_search_task",
        "landed_cost_and_basis_are_as_stated",
        "stated_landed_usd != landed_usd or stated_basis != basis",
        "run_id, task_id, landed_usd, stated_landed_usd, basis, stated_basis",
        "warn",
        _FILE,
    ),
    breaks(
        "stg_search_candidate",
        "every_candidate_has_a_host",
        "host is null",
        "run_id, track, candidate_id, url_canonical",
        shown=_FILE,
    ),
    EmptyRule(
        "stg_search_vote",
        "a_page_that_is_the_reference_gets_no_votes",
        """
        select run_id, track, candidate_id, judge
        from stg_search_vote
        join (select * from stg_search_candidate where is_self_match) as own
            using (run_id, track, candidate_id)
        """,
        "warn",
    ),
]

SUITE = Suite(
    keys=KEYS,
    rules=(
        *_TYPES,
        *keyed(KEYS),
        *closed_sets(
            KEYS,
            {"stg_search_run": {"source": OBSERVED_SOURCES}},
            "source_file",
        ),
        *closed_sets(KEYS, {"stg_search_task": {"basis": SEARCH_BASES}}, _FILE),
        *_CLOSURE,
        *_AMOUNTS,
    ),
)
