"""The closed sets of the product-search instrument, and its bootstrap."""

from __future__ import annotations

HEADLINE = "savings_capture"
PUBLISHED_METRICS = (
    HEADLINE,
    *("savings_found", "success_rate", "best_price_recall", "best_price_recall_all"),
)
# further ones, audited only
AUDITED_METRICS = (
    *("capture_ratio_of_sums", "capture_bound_lo", "capture_bound_hi"),
    *("capture_leave_one_out_median", "capture_leave_one_out_ratio_of_sums"),
    "only_this_agent_count",
)
METRICS = (*PUBLISHED_METRICS, *AUDITED_METRICS)
# shares of tasks, which have a Wilson interval too
SHARES = ("success_rate", "best_price_recall", "best_price_recall_all")
COMPARED_METRICS = (*PUBLISHED_METRICS, "capture_ratio_of_sums")

SEED = 20260101
REPLICATES = 10_000
# below these an audited figure says too little: products, and retailers they come from
FEWEST_TASKS = 30
FEWEST_RETAILERS = 10
# of each panel verdict in the random sample, below which a panel's errors are unknown
FEWEST_SAMPLED = 30
