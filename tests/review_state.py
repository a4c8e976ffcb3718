"""A small review made by hand: one product, candidates whose titles are hostile."""

from __future__ import annotations

from typing import Any

HOSTILE = {
    "markup": '<script>window.hit = 1</script><img src=x onerror="window.hit = 2">',
    "closing": "</script><script>window.hit = 3</script><!-- <script>",
    "quotes": "\"double\" 'single' `back` &amp; &lt;b&gt; \\u003c ${window.hit = 4}",
    "direction": "\u202egnp.exe\u2066 \u05d0\u05d1\u05d2 \u061c\u2028\u2029\ud800 end",
    "long": "0123456789" * 1024,
}
_FIELDS = (
    *("price", "shipping", "fees", "pack_count", "availability", "condition"),
    *("currency", "final_url"),
)


def header(schema: str) -> dict[str, Any]:
    """Return what a label artifact begins with."""
    return {
        **{"schema": f"search-bench/{schema}/1", "run_id": "run <&> 1"},
        **{"protocol": {"version": "1.0", "sha256": "0" * 64}, "inputs": {}},
        **{"created_at": "2026-11-03T09:00:00Z", "updated_at": "2026-11-03T09:00:00Z"},
        **{"version": 0, "history": []},
    }


def candidate(title: str, verdict: str = "valid", **audited: Any) -> dict[str, Any]:
    """Return a candidate that costs 12.00 and is checked as verified."""
    page = {
        **{"price": "12.00", "shipping": "0.00", "fees": "0.00", "pack_count": 1},
        **{"availability": "in_stock", "condition": "new", "currency": "USD"},
        **{"final_url": "https://shop.example/p/1", "status": "verified"},
        **{"reason": None, "claimed_price": None, "price_mismatch": False},
        **audited,
    }
    check = {
        **{"kind": "price", "method": "json-ld", "outcome": "pass", "value": title},
        **{"at": "2026-11-02T17:00:00Z", "detail": "", "file": None},
    }
    costs = {"ref_cost": "20.0000", "cost": "12.0000", "saving": "8.0000"}
    return {
        **{"task_id": "t001", "title": title, "title_source": "page"},
        **{"url": "javascript:window.hit=5", "image": None, "image_missing": True},
        **{"audited": page, "in_force": {**page}, "evidence": [check]},
        "panel": {
            **{"verdict": verdict, "n_valid": 2, "n_invalid": 1, "n_missing": 0},
            "votes": [{"verdict": "valid", "reason": title}],
        },
        "comparison": {
            **{"basis": "total", **costs},
            **{f"prime_{name}": cost for name, cost in costs.items()},
        },
        **{"validity": verdict, "status": page["status"], "label": None},
        **{"sampled": False, "inclusion_probability": None},
    }


def small_state(**changes: Any) -> dict[str, Any]:
    """Return the state of a review in a file, with some parts changed."""
    candidates = {
        f"c_{name}": candidate(title, "no_majority" if name == "markup" else "valid")
        for name, title in HOSTILE.items()
    }
    # nothing but the address that an agent gave
    candidates["c_quotes"]["in_force"]["final_url"] = None
    amounts = {"price": "15.00", "shipping": "5.00", "fees": "0.00"}
    recorded = {**amounts, "pack_count": 1, "is_fashion": False}
    recorded["shipping_source"] = "page"
    reference = {
        **{"title": HOSTILE["markup"], "url": "data:text/html,<script>1</script>"},
        **{"image": "../../etc/passwd", "image_missing": False},
        **{"recorded": recorded, "in_force": {**recorded}, "landed": "20.00"},
        **{"basis": "total", "cost": "20.0000", "open": []},
    }
    codes = ("R01_DIFFERENT_PRODUCT", "R03_SIZE_DIFFERS", "R99_OTHER")
    labels, refs = header("verify_labels"), header("verify_labels_refs")
    return {
        **{"schema": "search-bench/review_state/1", "mode": "file"},
        **{"run_id": "run <&> 1", "track": "exact", "tracks": ["exact", "equiv"]},
        **{"phase": "candidates", "is_second": False, "protocol": "1.0"},
        "criteria": {
            "title": "Exact: the same product",
            "text": ["Brand is the same."],
        },
        "reason_codes": [
            {
                **{"code": code, "meaning": "why", "tracks": ["exact", "equiv"]},
                "note_required": code == "R99_OTHER",
            }
            for code in codes
        ],
        "choices": {"availability": ["in_stock", "out"], "condition": ["new", "used"]},
        **{"version": 0, "refs_version": 0, "queue": list(candidates)},
        **{"optional": [], "retry": [], "sample": [], "settled": []},
        **{"shared": ["c_quotes"], "open_references": []},
        "tasks": {
            "t001": {
                **{"position": 0, "category": "grocery", "label": None},
                "reference": reference,
            }
        },
        "candidates": candidates,
        "artifacts": {
            **{"labels": {**labels, "labels": {}}, "refs": {**refs, "refs": {}}},
            "other": {**labels, "labels": {}, "history": []},
        },
        **changes,
    }
