"""The closed sets of the purchase instrument, and which cells each metric rests on."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# canonical order of the menu
OPTIONS = ("skip", "buy_one", "buy_all", "teaser", "certificate")
SKIP, CERTIFICATE = "skip", "certificate"
NO_LABEL, VERIFIED, BADGE, BOND = "none", "A", "D", "B"
LABELS = (NO_LABEL, VERIFIED, BADGE, BOND)
# how a choice is counted that is none
INVALID, FAILED_CALL = "invalid", "failed"
CATEGORIES = (*OPTIONS, INVALID, FAILED_CALL)

# metric -> the cells that it rests on (Knipe 2026, metrics); without a cell: a property
# of the bank, or of all calls
PUBLISHED_METRICS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "optimal_pct": (NO_LABEL,),
        "regret_pct_V": (NO_LABEL,),
        "flip_rate": (NO_LABEL,),
        "discrimination": (NO_LABEL,),
        "badge_effect": (NO_LABEL, BADGE),
        "verified_minus_badge": (BADGE, VERIFIED),
        "bond_shift": (VERIFIED, BOND),
        "bond_rational": (),
        "bond_responsiveness": (VERIFIED, BOND),
        "bond_regret_pct_V": (BOND,),
    }
)
# further ones, audited only
AUDITED_METRICS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "underbuy_share": (NO_LABEL,),
        "overbuy_share": (NO_LABEL,),
        "failed_share": (),
        "invalid_share": (),
    }
)
METRICS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {**PUBLISHED_METRICS, **AUDITED_METRICS}
)
HEADLINE = "optimal_pct"
# what models can differ in: not a property of the bank, nor a count of calls
COMPARED_METRICS = tuple(
    name
    for name in METRICS
    if name not in ("bond_rational", "failed_share", "invalid_share")
)
