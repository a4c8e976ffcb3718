"""What the board of each instrument holds: its figures and the order of its models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Scorecard:
    """The board of one instrument, as data.

    Attributes
    ----------
    metrics
        Figure on the board -> its metric in ``reading_difference``.
    words
        Figures that are a word, so have no difference.
    shared
        Columns that belong to the model in its study, not to a reading, beside those
        that every board has.
    best_first
        Audited figures that order the models of a table, and whether the largest comes
        first; models that are not ``ok`` come last. Without any, models stand in order
        of their names, since no value of the headline is better than another.
    scopes
        The parts of a study that are a table each, in order.
    facts
        Columns of the board that set tables apart, beside those of every board.
    """

    metrics: Mapping[str, str]
    words: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    best_first: tuple[tuple[str, bool], ...] = ()
    scopes: tuple[str, ...] = ("base",)
    facts: tuple[str, ...] = ()

    @property
    def numbers(self) -> tuple[str, ...]:
        """Return the figures that are numbers, in order."""
        return tuple(name for name in self.metrics if name not in self.words)


HOTEL = Scorecard(
    metrics=MappingProxyType(
        {
            "first_shown_rate": "first_shown_rate",
            "verdict": "verdict",
            "log_price": "log_price",
            "review_score": "review_score",
            "pseudo_r2": "pseudo_r2",
            "value": "wtp_review_score_usd",
        }
    ),
    words=("verdict",),
)
PURCHASE = Scorecard(
    metrics=MappingProxyType(
        {
            "value": "optimal_pct",
            "regret_pct_v": "regret_pct_V",
            "flip_rate": "flip_rate",
            "discrimination": "discrimination",
            "badge_effect": "badge_effect",
            "verified_minus_badge": "verified_minus_badge",
            "bond_shift": "bond_shift",
            "bond_rational": "bond_rational",
            "bond_responsiveness": "bond_responsiveness",
            "bond_regret_pct_v": "bond_regret_pct_V",
        }
    ),
    shared=(
        "usd_per_1000_decisions",
        "usd_per_1000_answers",
        "failed_share",
        "answers",
        "invalid_count",
        "failed_count",
        "scenarios",
        "bank_scenarios",
    ),
    best_first=(("value", True), ("regret_pct_v", False)),
)
SEARCH = Scorecard(
    metrics=MappingProxyType(
        {
            "value": "savings_capture",
            "savings_found": "savings_found",
            "success_rate": "success_rate",
            "best_price_recall": "best_price_recall",
        }
    ),
    shared=(
        *("run_id", "agent", "prompt_sha256", "products"),
        *("answers", "invalid_count", "failed_count", "failed_share"),
        *("unjudged_pages", "unverifiable_candidates", "unverifiable_share"),
        *("usd_per_100_products", "median_latency_s"),
    ),
    best_first=(("value", True), ("savings_found", True)),
    scopes=("exact/base", "equiv/base"),
    # agents of another run, so of another pool, are measured by another yardstick
    facts=("scope", "run_id"),
)

SCORECARDS: Mapping[str, Scorecard] = MappingProxyType(
    {"hotel": HOTEL, "purchase": PURCHASE, "search": SEARCH}
)
INSTRUMENTS = tuple(SCORECARDS)
