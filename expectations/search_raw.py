"""What must hold of the search runs as they were loaded."""

from __future__ import annotations

from expectations.accounting_rules import accounting_rules
from expectations.rules import Suite

# Raw tables, and whether their rows belong to a bank.
RAW_TABLES = dict.fromkeys(
    (
        *("artifact", "run", "cell", "selection", "source_event", "source_item"),
        *(
            "task",
            "agent",
            "call",
            "listing",
            "finding",
            "candidate",
            "judge",
            "vote",
            "verdict",
        ),
        *("audit", "audit_check", "label", "ref_label", "label_change"),
        *("shipping_policy", "evidence"),
    ),
    True,
)

SUITE = Suite(keys={}, rules=(*accounting_rules(RAW_TABLES),))
