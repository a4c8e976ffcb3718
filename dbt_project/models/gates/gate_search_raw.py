# grain: one row, the last green run; history: quality.gate_results
# rules: expectations.search_raw
def model(dbt, session):
    dbt.config(materialized="table", schema="quality", tags=["gate"])
    from expectations.gate import run_gate

    relations = {
        "artifact": dbt.source("raw_search", "artifact"),
        "run": dbt.source("raw_search", "run"),
        "cell": dbt.source("raw_search", "cell"),
        "selection": dbt.source("raw_search", "selection"),
        "source_event": dbt.source("raw_search", "source_event"),
        "source_item": dbt.source("raw_search", "source_item"),
        "task": dbt.source("raw_search", "task"),
        "agent": dbt.source("raw_search", "agent"),
        "call": dbt.source("raw_search", "call"),
        "listing": dbt.source("raw_search", "listing"),
        "finding": dbt.source("raw_search", "finding"),
        "candidate": dbt.source("raw_search", "candidate"),
        "judge": dbt.source("raw_search", "judge"),
        "vote": dbt.source("raw_search", "vote"),
        "verdict": dbt.source("raw_search", "verdict"),
        "audit": dbt.source("raw_search", "audit"),
        "audit_check": dbt.source("raw_search", "audit_check"),
        "label": dbt.source("raw_search", "label"),
        "ref_label": dbt.source("raw_search", "ref_label"),
        "label_change": dbt.source("raw_search", "label_change"),
        "shipping_policy": dbt.source("raw_search", "shipping_policy"),
        "evidence": dbt.source("raw_search", "evidence"),
        "row_accounting": dbt.source("quality", "row_accounting").filter(
            "instrument = 'search'"
        ),
        "quarantine": dbt.source("quality", "quarantine").filter(
            "instrument = 'search'"
        ),
    }
    return run_gate(session, gate="search_raw", relations=relations)
