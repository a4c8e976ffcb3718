"""The rules that a run is bound to, and their hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

# stamped into every artifact of a new run
RULES: dict[str, Any] = {
    "version": "1.0",
    "buyer_zip": "10001",
    "currency": "USD",
    "max_listings": 10,
    "judges_needed": 2,
    "match_tolerance": "0.01",
    "memberships": "none",
}


def rules_sha256(rules: Mapping[str, Any]) -> str:
    """Return the hash of a dictionary of rules.

    Parameters
    ----------
    rules
        With or without its own ``sha256``, which is left out.

    Returns
    -------
    str
        SHA-256 of its JSON with sorted keys and the separators ``,`` and ``:``.
    """
    kept = {key: value for key, value in rules.items() if key != "sha256"}
    text = json.dumps(kept, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def stamped(rules: Mapping[str, Any] = RULES) -> dict[str, Any]:
    """Return rules with their hash, as they stand in a header."""
    return {**rules, "sha256": rules_sha256(rules)}
