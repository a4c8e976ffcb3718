# grain: one row, the last green run; history: quality.gate_results
# rules: expectations.search_staging
def model(dbt, session):
    dbt.config(materialized="table", schema="quality", tags=["gate"])
    from expectations.gate import run_gate

    relations = {
        "stg_search_run": dbt.ref("stg_search_run"),
        "stg_search_artifact": dbt.ref("stg_search_artifact"),
        "stg_search_cell": dbt.ref("stg_search_cell"),
        "stg_search_source_event": dbt.ref("stg_search_source_event"),
        "stg_search_source_item": dbt.ref("stg_search_source_item"),
        "stg_search_task": dbt.ref("stg_search_task"),
        "stg_search_agent": dbt.ref("stg_search_agent"),
        "stg_search_call": dbt.ref("stg_search_call"),
        "stg_search_listing": dbt.ref("stg_search_listing"),
        "stg_search_candidate": dbt.ref("stg_search_candidate"),
        "stg_search_judge": dbt.ref("stg_search_judge"),
        "stg_search_vote": dbt.ref("stg_search_vote"),
        "stg_search_verdict": dbt.ref("stg_search_verdict"),
        "stg_search_audit": dbt.ref("stg_search_audit"),
        "stg_search_audit_check": dbt.ref("stg_search_audit_check"),
        "stg_search_label": dbt.ref("stg_search_label"),
        "stg_search_ref_label": dbt.ref("stg_search_ref_label"),
        "stg_search_label_change": dbt.ref("stg_search_label_change"),
        "stg_search_shipping_policy": dbt.ref("stg_search_shipping_policy"),
        "stg_search_evidence": dbt.ref("stg_search_evidence"),
        "excluded_run": dbt.source("quality", "excluded_run").filter(
            "instrument = 'search'"
        ),
        "raw_run": dbt.source("raw_search", "run"),
        "raw_artifact": dbt.source("raw_search", "artifact"),
        "raw_cell": dbt.source("raw_search", "cell"),
        "raw_source_event": dbt.source("raw_search", "source_event"),
        "raw_source_item": dbt.source("raw_search", "source_item"),
        "raw_task": dbt.source("raw_search", "task"),
        "raw_agent": dbt.source("raw_search", "agent"),
        "raw_call": dbt.source("raw_search", "call"),
        "raw_listing": dbt.source("raw_search", "listing"),
        "raw_candidate": dbt.source("raw_search", "candidate"),
        "raw_judge": dbt.source("raw_search", "judge"),
        "raw_vote": dbt.source("raw_search", "vote"),
        "raw_verdict": dbt.source("raw_search", "verdict"),
        "raw_audit": dbt.source("raw_search", "audit"),
        "raw_audit_check": dbt.source("raw_search", "audit_check"),
        "raw_label": dbt.source("raw_search", "label"),
        "raw_ref_label": dbt.source("raw_search", "ref_label"),
        "raw_label_change": dbt.source("raw_search", "label_change"),
        "raw_shipping_policy": dbt.source("raw_search", "shipping_policy"),
        "raw_evidence": dbt.source("raw_search", "evidence"),
        "raw_finding": dbt.source("raw_search", "finding"),
        "raw_selection": dbt.source("raw_search", "selection"),
    }
    return run_gate(session, gate="search_staging", relations=relations)
