"""Summaries of a search run, as its artifacts hold them, from the marts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from models.inference import CONFIDENCE
from models.search_terms import REPLICATES, SEED
from pricebench.errors import CommandError

if TYPE_CHECKING:
    import duckdb

Row = Mapping[str, Any]
Rows = Sequence[Row]

_MEANS = {"savings_capture": "savings_capture", "savings_found": "savings_found"}
_SHARES = ("success_rate", "best_price_recall")
_ERRORS = ("transport_error", "refused", "unparsable", "truncated", "empty")
_AGREEMENT = (
    *("n", "raw_agreement", "pairwise_agreement", "fleiss_kappa", "kappa_degenerate"),
    *("krippendorff_alpha", "alpha_degenerate"),
)
# what the audit adds: name in a summary -> metric
_LEFT_OUT = {
    "median": "capture_leave_one_out_median",
    "ratio_of_sums": "capture_leave_one_out_ratio_of_sums",
    "only_this_agent": "only_this_agent_count",
}


def summarise(
    connection: duckdb.DuckDBPyConnection, run_id: str, track: str, scenario: str
) -> dict[str, Any]:
    """Return the body of a summary.

    Parameters
    ----------
    connection
        A warehouse whose search marts are built.
    run_id, track, scenario
        Which summary.

    Returns
    -------
    dict
        What a summary holds beside its header: whole doubles for means and intervals,
        costs as text with four places, captures with six, rounded half up from exact
        fractions.

    Raises
    ------
    CommandError
        An agent of the track was not asked about every product.
    """

    def read(mart: str, **where: str) -> Rows:
        condition = " and ".join(f"{column} = ?" for column in where)
        found = connection.execute(
            f"select * from marts.{mart} where {condition} order by all",
            list(where.values()),
        )
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    place = {"run_id": run_id, "track": track}
    coverage = read("search_coverage", **place)
    _require_whole(coverage, track)
    outcomes = read("search_outcome", **place, scenario=scenario)
    metrics = read("search_metric", **place, scenario=scenario)
    costs = {row["agent"]: row for row in read("search_cost", **place)}
    panel = next(iter(read("search_agreement", **place)), {})
    chances = {row["task_id"]: row for row in outcomes if row["opportunity"] > 0}
    first = coverage[0] if coverage else {}
    return {
        "track": track,
        "scenario": scenario,
        "pool": [row["agent"] for row in coverage],
        "n_tasks": first.get("tasks", 0),
        "n_void": first.get("void_tasks", 0),
        "n_unpriced": first.get("unpriced_tasks", 0),
        "n_opportunity": len(chances),
        "n_tiny_opportunity": sum(
            row["is_tiny_opportunity"] for row in chances.values()
        ),
        "bootstrap": {
            "resamples": REPLICATES,
            "seed": SEED,
            "method": "percentile",
            "level": CONFIDENCE,
        },
        "agents": {
            row["agent"]: _agent(row, _of(metrics, row["agent"]), costs[row["agent"]])
            for row in coverage
        },
        "tasks": {task: _task(_rows(outcomes, task)) for task in _tasks(outcomes)},
        "judge_agreement": {name: panel.get(name) for name in _AGREEMENT},
        "human": {
            "rulings": panel.get("ruled_count", 0),
            "overturned": panel.get("overturned_count", 0),
        },
    }


def first_difference(stored: Any, made: Any, path: str = "") -> str | None:
    """Return where two summaries part first, or None.

    Parameters
    ----------
    stored, made
        Bodies of summaries; figures are compared to the last bit.
    path
        Where both stand in a whole.

    Returns
    -------
    str or None
        ``tasks.t001.ref_cost: stored 1.00, recomputed 2.00``; figures are looked at
        before hashes of files.
    """
    if isinstance(stored, dict) and isinstance(made, dict):
        for name in sorted({*stored, *made}, key=lambda one: (one == "inputs", one)):
            below = f"{path}.{name}" if path else name
            if name not in stored or name not in made:
                where = "recomputed" if name not in stored else "stored"
                return f"{below}: only in the {where} summary"
            found = first_difference(stored[name], made[name], below)
            if found:
                return found
        return None
    if type(stored) is type(made) and stored == made:
        return None
    return f"{path}: stored {stored}, recomputed {made}"


def _require_whole(coverage: Rows, track: str) -> None:
    for row in coverage:
        if row["unasked_tasks"]:
            raise CommandError(
                f"raw_{row['agent']}_{track}.json lacks {row['unasked_tasks']} "
                "products that other agents were asked about: finish it with "
                "`pricebench run search agents`"
            )


def _of(metrics: Rows, agent: str) -> dict[tuple[str, str], Row]:
    return {
        (row["metric"], row["reading"]): row for row in metrics if row["agent"] == agent
    }


def _agent(
    coverage: Row, metrics: Mapping[tuple[str, str], Row], cost: Row
) -> dict[str, Any]:
    def published(metric: str, name: str) -> dict[str, Any]:
        row = metrics[metric, "as_published"]
        return {name: row["value"], "ci": _ends(row), "n": row["n"]}

    sums = metrics["capture_ratio_of_sums", "audited"]
    everything = metrics["best_price_recall_all", "as_published"]
    total = cost["cost_usd"]
    return {
        **{name: published(name, "mean") for name in _MEANS},
        **{name: published(name, "value") for name in _SHARES},
        "best_price_recall_all": {
            "value": everything["value"],
            "ci": _ends(everything),
            "n": everything["n"],
        },
        "capture_ratio_of_sums": {"value": sums["value"], "ci": _ends(sums)},
        "capture_leave_one_out": {
            name: metrics[metric, "audited"]["value"]
            for name, metric in _LEFT_OUT.items()
        },
        "capture_bounds": [
            metrics[f"capture_bound_{end}", "audited"]["value"] for end in ("lo", "hi")
        ],
        "errors": {name: coverage[f"{name}_count"] for name in _ERRORS},
        "unverifiable_candidates": coverage["unverifiable_candidates"],
        "latency_s": {
            "median": cost["median_latency_s"],
            "source": "interactive" if cost["timed_calls"] else "batch_na",
        },
        "cost_usd": {
            "total": None if total is None else places_of(Fraction(total), 2),
            "per_task": None
            if total is None
            else places_of(Fraction(total) / cost["priced_calls"], 4),
        },
    }


def _ends(row: Row) -> list[float] | None:
    return None if row["ci_lo"] is None else [row["ci_lo"], row["ci_hi"]]


def _tasks(outcomes: Rows) -> list[str]:
    return sorted({row["task_id"] for row in outcomes})


def _rows(outcomes: Rows, task: str) -> list[Row]:
    return [row for row in outcomes if row["task_id"] == task]


def _task(rows: Rows) -> dict[str, Any]:
    ref, oracle = _cost(rows[0], "ref"), _cost(rows[0], "oracle")
    gap = Fraction(0) if oracle is None else ref - oracle
    winners = {
        page
        for row in rows
        if oracle is not None and _cost(row, "best") == oracle
        for page in row["best_ties"].split("; ")
    }
    return {
        "basis": rows[0]["basis"],
        "ref_cost": places_of(ref, 4),
        "oracle_cost": None if oracle is None else places_of(oracle, 4),
        "opportunity": places_of(gap, 4),
        "oracle_by": sorted(winners),
        "agents": {row["agent"]: _outcome(row, ref, gap) for row in rows},
    }


def _outcome(row: Row, ref: Fraction, gap: Fraction) -> dict[str, Any]:
    best = _cost(row, "best")
    saved = Fraction(0) if best is None else ref - best
    return {
        "best": row["best_candidate_id"],
        "best_ties": row["best_ties"].split("; ") if row["best_ties"] else [],
        "best_cost": None if best is None else places_of(best, 4),
        "savings": places_of(saved, 4),
        "capture": places_of(saved / gap, 6) if gap else None,
        "found": places_of(saved / ref, 6),
        "success": row["success"],
        "recall": row["recall"],
    }


def _cost(row: Row, name: str) -> Any:
    num, den = row[f"{name}_cost_num"], row[f"{name}_cost_den"]
    return None if num is None else Fraction(num, den * 100)


def places_of(value: Fraction, places: int) -> str:
    """Return a fraction with so many places, half up.

    Parameters
    ----------
    value
        Exact.
    places
        0 or more.

    Returns
    -------
    str
        A decimal; halves go up, also below 0.
    """
    scaled = Decimal((2 * value * 10**places + 1) // 2)
    unit = Decimal(1).scaleb(-places)
    return str((scaled * unit).quantize(unit, ROUND_HALF_UP))
