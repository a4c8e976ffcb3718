"""Run folders of the search instrument, small enough to know every row."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

AT = "2026-11-02T10:00:00Z"
TRACKS = ("exact", "equiv")
POLICY_COLUMNS = (
    *("row_id", "retailer", "domain", "seller_scope", "threshold", "below_fee"),
    *("at_or_above_fee", "min_order", "surcharge_pct", "zip_scope", "category_scope"),
    *("effective_from", "effective_to", "source_url", "checked_at", "checked_by"),
    "note",
)
_TERMS = {
    **{"version": "1.0", "buyer_zip": "10001", "currency": "USD", "max_listings": 10},
    **{"judges_needed": 2, "match_tolerance": "0.01", "memberships": "none"},
}
PROTOCOL = {
    **_TERMS,
    "sha256": sha256(
        json.dumps(_TERMS, sort_keys=True, separators=(",", ":")).encode()
    ).hexdigest(),
}
_VERDICTS = {"V": "valid", "I": "invalid", "-": None}


class SearchRun:
    """A run that is written down listing by listing.

    Everything that is not given is what makes a listing count: the panel accepts it,
    its page is read, in stock, new, in dollars, with shipping known.
    """

    def __init__(self, run_id: str, agents: Sequence[str] = ("a", "b")) -> None:
        self.run_id = run_id
        self.agents = tuple(agents)
        self.tasks: list[dict[str, Any]] = []
        self.entries: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
        self.candidates: dict[str, dict[str, dict[str, Any]]] = {}
        self.grades: dict[str, dict[str, dict[str, Any]]] = {}
        self.audits: dict[str, dict[str, dict[str, Any]]] = {}
        self.labels: dict[str, dict[str, dict[str, Any]]] = {}
        self.refs: dict[str, dict[str, Any]] = {}
        self.policy: list[dict[str, str]] = []
        self.judges = 3
        self.unasked: set[tuple[str, str, str]] = set()

    def task(
        self,
        price: str,
        shipping: str | None = "0.00",
        pack: int | None = None,
        **changes: Any,
    ) -> str:
        """Add a product and return its id."""
        number = len(self.tasks) + 1
        task_id = f"t{number:03}"
        url = changes.pop("url", f"https://ref{number}.example/p/{number}")
        fees = changes.pop("fees", "0.00")
        landed = None if shipping is None else _sum(price, shipping, fees)
        settled = {"amount": shipping, "fees": fees, "source": "page", "at": AT}
        self.tasks.append(
            {
                **{"task_id": task_id, "label": f"{task_id}-thing", "position": number},
                **{"cell_id": f"longtail.grocery.{number:02}", "retailer": "longtail"},
                **{"category": "grocery", "title": f"Thing {number}", "brand": "Acme"},
                **{"url": url, "url_canonical": url},
                "image": {"sha256": None, "width": 0, "height": 0, "source_url": None},
                **{"price": price, "currency": "USD", "list_price": None},
                "pack": {
                    **{"count": pack, "unit_size": None, "unit": None},
                    **{"contents": None, "ambiguous": False, "evidence": None},
                    "source": "parser",
                },
                **{"is_fashion": False, "condition": "new", "availability": "in_stock"},
                **{"gtin": None, "mpn": None, "sku": None},
                "variant": {"size": None, "color": None},
                "extraction": {
                    **{"source": "json-ld", "evidence": None, "at": AT},
                    "warnings": [],
                },
                "shipping": {
                    **settled,
                    "policy_row": changes.pop("policy_row", None),
                    "note": None,
                },
                "landed": landed,
                "basis": "per_unit" if (pack or 0) > 1 else "total",
                **changes,
            }
        )
        return task_id

    def listing(
        self,
        agent: str,
        task_id: str,
        price: str | None,
        shipping: str | None = "0.00",
        pack: int | None = None,
        *,
        votes: str = "VVV",
        track: str = "exact",
        url: str | None = None,
        claim: dict[str, Any] | None = None,
        page: dict[str, Any] | None = None,
        **audit: Any,
    ) -> str:
        """Add a listing with its candidate, votes and audit; return the candidate id.

        ``audit`` and ``page`` override fields of the audit record, ``claim`` those of
        the listing.
        """
        entry = self._entry(agent, track, task_id)
        rank = len(entry["listings"]) + 1
        listing_id = f"{agent}.{track}.{task_id}.{rank:02}"
        url = url or f"https://shop-{agent}{rank}.example/{task_id}"
        entry["status"] = "ok"
        entry["listings"].append(
            {
                **{"listing_id": listing_id, "rank": rank, "url": url},
                **{"url_canonical": url, "title": "Thing", "retailer": "Shop"},
                **{"seller": None, "item_price": price, "shipping_price": shipping},
                "landed_price": _sum(price, shipping),
                **{"currency": "USD", "pack_count": pack, "condition": "new"},
                **{"in_stock": True, "image_url": None, "note": None, "warnings": []},
                **(claim or {}),
            }
        )
        candidate_id = candidate_of(task_id, url)
        known = self.candidates.setdefault(track, {})
        reference = next(one for one in self.tasks if one["task_id"] == task_id)
        if candidate_id in known:
            known[candidate_id]["found_by"].append(listing_id)
            return candidate_id
        is_self = url == reference["url_canonical"]
        known[candidate_id] = {
            **{"task_id": task_id, "url_canonical": url, "found_by": [listing_id]},
            **{"self_match": is_self, "title": "Thing", "title_source": "page"},
            **{"image_sha256": None, "image_missing": True},
        }
        if not is_self:
            self.grades.setdefault(track, {})[candidate_id] = _grade(votes, self.judges)
        self.audits.setdefault(track, {})[candidate_id] = {
            "checks": [
                {
                    **{"kind": "price", "method": "json-ld", "outcome": "pass"},
                    **{"value": price, "evidence": None, "at": AT, "detail": ""},
                }
            ],
            **{"http_status": 200, "final_url": url, "availability": "in_stock"},
            **{"condition": "new", "price": price, "currency": "USD"},
            **{"shipping": shipping, "fees": None, "landed": _sum(price, shipping)},
            **{"shipping_source": "page", "seller_scope": None, "pack_count": pack},
            **{"claimed_price": price, "price_mismatch": False},
            **{"status": "verified", "reason": None},
            **audit,
            **(page or {}),
        }
        return candidate_id

    def call(self, agent: str, task_id: str, status: str, track: str = "exact") -> None:
        """Set what became of a call."""
        self._entry(agent, track, task_id)["status"] = status

    def rule(
        self,
        candidate_id: str,
        validity: str | None = None,
        status: str | None = None,
        *,
        track: str = "exact",
        **changes: Any,
    ) -> None:
        """Add a human ruling; ``changes`` are corrected fields or label parts."""
        names = (
            *("price", "shipping", "fees", "pack_count", "availability", "condition"),
            *("final_url", "currency"),
        )
        fields = {name: changes.pop(name, None) for name in names}
        panel = self.grades.get(track, {}).get(candidate_id, {}).get("verdict")
        overturns = panel in ("valid", "invalid") and validity not in (None, panel)
        self.labels.setdefault(track, {})[candidate_id] = {
            "ruling": {"validity": validity, "status": status},
            "fields": fields,
            "overturns_panel": overturns,
            "reason_code": "R11_SAME_PRODUCT" if overturns else None,
            **{"note": None, "reviewer": "Reviewer", "at": AT},
            **changes,
        }

    def correct(self, task_id: str, **changes: Any) -> None:
        """Add a human correction of a reference."""
        names = ("price", "shipping", "fees", "pack_count", "is_fashion")
        void = changes.pop("void", False)
        self.refs[task_id] = {
            "fields": {name: changes.get(name) for name in names},
            **{"void": void, "void_reason": "gone" if void else None},
            **{"note": None, "reviewer": "Reviewer", "at": AT},
        }

    def policy_row(self, row_id: str, domain: str, **changes: str) -> None:
        """Add a row of the shipping policy."""
        self.policy.append(
            {
                **dict.fromkeys(POLICY_COLUMNS, ""),
                **{"row_id": row_id, "retailer": row_id, "domain": domain},
                **{"seller_scope": "any", "checked_at": "2026-10-01"},
                **changes,
            }
        )

    def answered(self, agent: str, track: str) -> dict[str, dict[str, Any]]:
        """Return the entries of one answer file: every product unless left out."""
        return {
            task["task_id"]: self.entries.get((agent, track), {}).get(
                task["task_id"], _empty()
            )
            for task in self.tasks
            if (agent, track, task["task_id"]) not in self.unasked
        }

    def tracks(self) -> tuple[str, ...]:
        """Return the tracks that anything was listed or asked in; exact if none."""
        used = {track for _, track in self.entries} or {"exact"}
        return tuple(track for track in TRACKS if track in used)

    def files(self) -> dict[str, dict[str, Any]]:
        """Return every JSON artifact by its name, header included."""
        cells = [_cell(task) for task in self.tasks]
        tasks = self._artifact("tasks", {"tasks": self.tasks}, {})
        made = {"tasks.json": hash_of(tasks)}
        out = {
            "cells.json": self._artifact("cells", _grid(cells), {}),
            "tasks.json": tasks,
        }
        for track in self.tracks():
            found = self.candidates.get(track, {})
            parts = {
                "candidates": {"candidates": found},
                "grades": {
                    "judges": [
                        {
                            "slot": slot,
                            "lab": f"Lab {slot}",
                            "model": f"lab-{slot}/judge",
                        }
                        for slot in "abcde"[: self.judges]
                    ],
                    "prompt_sha256": dict.fromkeys(TRACKS, "0" * 64),
                    "grades": self.grades.get(track, {}),
                    "agreement": {},
                },
                "audit": {"audits": self.audits.get(track, {})},
            }
            if self.labels.get(track):
                parts["verify_labels"] = {
                    **{"version": 1, "history": []},
                    "labels": self.labels[track],
                }
            for kind, body in parts.items():
                out[f"{kind}_{track}.json"] = self._artifact(kind, body, made)
            for agent in self.agents:
                body = {
                    **{"agent": agent, "track": track},
                    "config": {
                        **{"adapter": "generic_http", "model": f"acme/{agent}"},
                        **{"tools": [], "params": {}, "prompt_sha256": "1" * 64},
                    },
                    "entries": self.answered(agent, track),
                }
                name = f"raw_{agent}_{track}.json"
                out[name] = self._artifact("raw", body, made)
        if self.refs:
            body = {"version": 1, "refs": self.refs, "history": []}
            name = "verify_labels_refs"
            out[f"{name}.json"] = self._artifact(name, body, made)
        return out

    def write(self, folder: Path) -> Path:
        """Write the run folder and return it."""
        target = folder / self.run_id
        target.mkdir(parents=True, exist_ok=True)
        for name, artifact in self.files().items():
            (target / name).write_text(text_of(artifact), encoding="utf-8")
        with (target / "shipping_policy.csv").open("w", newline="") as stream:
            writer = csv.DictWriter(stream, POLICY_COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.policy)
        return target

    def _entry(self, agent: str, track: str, task_id: str) -> dict[str, Any]:
        own = self.entries.setdefault((agent, track), {})
        return own.setdefault(task_id, _empty())

    def _artifact(
        self, kind: str, body: dict[str, Any], inputs: dict[str, str]
    ) -> dict[str, Any]:
        return {
            "schema": f"search-bench/{kind}/1",
            "run_id": self.run_id,
            **{"created_at": AT, "updated_at": AT},
            "protocol": PROTOCOL,
            "inputs": inputs,
            "tool_version": "test",
            **body,
        }


def candidate_of(task_id: str, url: str) -> str:
    """Return the id of a candidate."""
    return "c_" + sha256(f"{task_id}|{url}".encode()).hexdigest()[:16]


def text_of(artifact: dict[str, Any]) -> str:
    """Return an artifact as it stands in its file."""
    return json.dumps(artifact, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def hash_of(artifact: dict[str, Any]) -> str:
    """Return the hash of an artifact's file."""
    return sha256(text_of(artifact).encode()).hexdigest()


def _grade(votes: str, judges: int) -> dict[str, Any]:
    given = [
        {
            **{"judge": slot, "verdict": _VERDICTS[vote], "reason": None, "raw": None},
            "error": None if vote != "-" else "no verdict",
            **{"repaired": False, "attempts": 1, "at": AT, "usage": {}},
        }
        for slot, vote in zip("abcde", votes, strict=False)
    ]
    n_valid, n_invalid = votes.count("V"), votes.count("I")
    needed = judges // 2 + 1
    verdict = "valid" if n_valid >= needed else "no_majority"
    return {
        "votes": given,
        **{"n_valid": n_valid, "n_invalid": n_invalid},
        "n_missing": judges - n_valid - n_invalid,
        "verdict": "invalid" if n_invalid >= needed else verdict,
    }


def _empty() -> dict[str, Any]:
    return {
        "status": "empty",
        "attempts": [
            {
                **{"n": 1, "started_at": AT, "ended_at": AT, "http_status": 200},
                **{"error": None, "retry_after_s": None},
            }
        ],
        "continuations": 0,
        "request": {"sha256": None, "image_sha256": None},
        **{"response": None, "answer_text": None, "resolved_model": None},
        **{"listings": [], "listings_dropped": 0, "citations": []},
        "usage": {
            **{"input_tokens": 100, "output_tokens": 20, "searches": 1},
            **{"cost_usd": "0.0100", "cost_source": "test"},
        },
        **{"latency_s": 40.0, "latency_comparable": True},
        "batch": {"batch_id": None, "custom_id": None},
    }


def _cell(task: dict[str, Any]) -> dict[str, Any]:
    return {
        **{"cell_id": task["cell_id"], "position": task["position"]},
        **{"retailer": task["retailer"], "kind": "longtail"},
        **{"category": task["category"], "subcategory": None},
        "stratum": "small" if task["position"] % 3 == 0 else "large",
        **{"source_list": {"name": "best sellers", "url": None}, "status": "filled"},
    }


def _grid(cells: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        **{"n": len(cells), "seed": "7", "grid_method": "interleaved"},
        "quotas": {
            "retailer": {"longtail": len(cells)},
            "category": {"grocery": len(cells)},
        },
        "cells": cells,
    }


def _sum(*amounts: str | None) -> str | None:
    from decimal import Decimal

    if any(amount is None for amount in amounts):
        return None
    return str(sum((Decimal(str(amount)) for amount in amounts), Decimal("0.00")))
