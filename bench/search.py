"""Landed-cost oracle and savings capture of 100,000 tasks: what scoring them costs.

Five agents, ten listings each, three votes on each. Ours reads one row per listing with
a judge mask and runs what int_search_outcome runs, the macros of its best and oracle;
the derivation of those rows from the votes is timed and shown apart, since it happens
once. pandas reads the long votes, loading included. Each side has a process and one
thread of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

TASKS, AGENTS, LISTINGS, JUDGES = 100_000, 5, 10, 3
RATIO_TARGET, GIGABYTES_AT_MOST = 3.0, 1.0
ROUNDS = 3
SEED = 20260101
_MACROS = Path(__file__).parents[1] / "dbt_project" / "macros"
_MAXRSS_BYTES = 1 if sys.platform == "darwin" else 1024

# the layout of int_search_listing and int_search_task
_DERIVE = """
create table task as
select 'bench' as run_id, * from '{folder}/task.parquet';
create table int_search_listing as
with votes as (
    select candidate_id, sum((2 ** judge)::bigint) filter (where is_valid) as valid_mask
    from '{folder}/vote.parquet' group by candidate_id
)
select 'bench' as run_id, 'exact' as track, agent, task_id, candidate_id, valid_mask,
    bit_count(valid_mask) > {judges} // 2 and is_verified as is_accepted,
    landed_cents as cost_num,
    case when task.cost_den > 1 then pack_count else 1 end as cost_den
from '{folder}/listing.parquet'
join task using (task_id)
left join votes using (candidate_id)
order by run_id, track, task_id
"""
# its core stands in macros, which int_search_outcome is made of too
_SCORE = """
with {{ cheaper_listings({'base': ''}, ['is_accepted']) }},
{{ best_of_cheaper() }},
pooled as (
    select *, {{ oracle_of_pool() }} as oracle from best_by_agent
),
priced as (
    select pooled.*, task.cost_num as ref_num, task.cost_den as ref_den
    from pooled join task using (run_id, task_id)
)
select agent,
    sum({{ share_of_opportunity('best', 'oracle') }})
    / (select count(distinct task_id) from best_by_agent) as capture
from priced group by agent order by agent
"""


def run(threads: tuple[str, ...]) -> dict[str, Any]:
    """Measure both ways on the same files.

    Parameters
    ----------
    threads
        Environment variables that hold libraries to one thread.

    Returns
    -------
    dict
        Best CPU seconds of each, of the derivation too, their ratio, largest memory of
        ours, the largest difference of a capture, and whether the targets were kept.
    """
    environment = {**os.environ, **dict.fromkeys(threads, "1")}
    with tempfile.TemporaryDirectory() as folder:
        # in a process of its own, since what a child holds is counted from its parent's
        _child("market", folder, environment)
        found: dict[str, list[dict[str, Any]]] = {"ours": [], "pandas": []}
        for _ in range(ROUNDS):
            for side, measured in found.items():
                print(f"bench: search, {side}", file=sys.stderr)
                measured.append(_child(side, folder, environment))
    ours, pandas = (
        min(measured, key=lambda one: one["cpu_seconds"]) for measured in found.values()
    )
    ratio = pandas["cpu_seconds"] / ours["cpu_seconds"]
    gap = float(np.abs(np.subtract(ours["capture"], pandas["capture"])).max())
    return {
        "tasks": TASKS,
        "votes": TASKS * AGENTS * LISTINGS * JUDGES,
        "derive_cpu_seconds": ours["derive_cpu_seconds"],
        "ours_cpu_seconds": ours["cpu_seconds"],
        "pandas_cpu_seconds": pandas["cpu_seconds"],
        "ratio": round(ratio, 1),
        "ratio_target": RATIO_TARGET,
        "peak_gigabytes": ours["peak_gigabytes"],
        "pandas_peak_gigabytes": pandas["peak_gigabytes"],
        "gigabytes_target": GIGABYTES_AT_MOST,
        "largest_difference": gap,
        "met": ratio >= RATIO_TARGET and ours["peak_gigabytes"] < GIGABYTES_AT_MOST,
    }


def is_sound(result: dict[str, Any]) -> bool:
    """Say whether half the target was kept, within its memory, with equal captures."""
    return bool(
        result["ratio"] >= result["ratio_target"] / 2
        and result["peak_gigabytes"] < result["gigabytes_target"]
        and result["largest_difference"] < 1e-9
    )


def write_market(folder: Path, tasks: int = TASKS) -> None:
    """Write tasks, listings and votes as Parquet.

    Parameters
    ----------
    folder
        Where.
    tasks
        How many.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(SEED)
    size = tasks * AGENTS * LISTINGS
    ref_den = random.choice([1, 1, 1, 4, 6, 12], tasks)
    unit = random.integers(500, 20_000, tasks)
    names = np.char.mod("t%06d", np.arange(tasks))
    agents = np.char.mod("agent_%d", np.arange(AGENTS))
    task = np.repeat(np.arange(tasks), AGENTS * LISTINGS)
    pack = random.choice([1, 2, 3, 6, 12], size)
    packed = np.where(ref_den[task] > 1, pack, 1)
    landed = (unit[task] * packed * random.uniform(0.7, 1.4, size)).astype(np.int64)
    page = np.char.add("c_", np.arange(size).astype(str))
    columns = {
        "task": {"task_id": names, "cost_num": unit * ref_den, "cost_den": ref_den},
        "listing": {
            "candidate_id": page,
            "task_id": names[task],
            "agent": np.tile(np.repeat(agents, LISTINGS), tasks),
            "landed_cents": landed,
            "pack_count": pack,
            "is_verified": random.random(size) < 0.8,
        },
        "vote": {
            "candidate_id": np.repeat(page, JUDGES),
            "judge": np.tile(np.arange(JUDGES), size),
            "is_valid": random.random(size * JUDGES) < 0.7,
        },
    }
    for name, table in columns.items():
        pq.write_table(pa.table(table), folder / f"{name}.parquet")


def by_mask(folder: Path) -> dict[str, Any]:
    """Derive one row per listing, then score all tasks in one pass over them."""
    import duckdb

    warehouse = folder / "bench.duckdb"
    warehouse.unlink(missing_ok=True)
    limits = {"memory_limit": "600MB", "threads": 1}
    begun = time.process_time()
    with duckdb.connect(str(warehouse), config=limits) as connection:
        connection.execute(_DERIVE.format(folder=folder, judges=JUDGES))
    derived = time.process_time()
    with duckdb.connect(str(warehouse), config=limits) as connection:
        started = time.process_time()
        rows = connection.execute(score_sql()).fetchall()
        ended = time.process_time()
    return {
        "derive_cpu_seconds": round(derived - begun, 2),
        "cpu_seconds": round(ended - started, 3),
        "capture": [capture for _, capture in rows],
    }


@cache
def score_sql() -> str:
    """Return the query, written by the macros of the dbt project."""
    from jinja2 import Environment

    files = ("engine.sql", "engine_search.sql", "search_scoring.sql", "search_best.sql")
    macros = "".join((_MACROS / name).read_text() for name in files)

    class Adapter:
        def dispatch(self, name: str, _: str) -> Any:
            return getattr(module, f"default__{name}")

    environment = Environment(extensions=["jinja2.ext.do"])
    environment.globals |= {"adapter": Adapter(), "return": lambda value: value}
    module: Any = environment.from_string(macros).module
    return environment.from_string(macros + _SCORE).render()


def by_long_votes(folder: Path) -> dict[str, Any]:
    """Score all tasks with pandas from the long votes, loading included."""
    import pandas as pd

    begun = time.process_time()
    vote = pd.read_parquet(folder / "vote.parquet")
    listing = pd.read_parquet(folder / "listing.parquet")
    task = pd.read_parquet(folder / "task.parquet").set_index("task_id")
    valid = vote.groupby("candidate_id", sort=False)["is_valid"].sum()
    listing = listing[listing["is_verified"]].join(valid, on="candidate_id")
    listing = listing[listing["is_valid"] > JUDGES // 2].join(task, on="task_id")
    units = listing["pack_count"].where(listing["cost_den"] > 1, 1)
    listing["cost"] = listing["landed_cents"] / units
    listing["ref"] = listing["cost_num"] / listing["cost_den"]
    cheaper = listing[listing["cost"] < listing["ref"]]
    best = cheaper.groupby(["task_id", "agent"])[["cost", "ref"]].min()
    oracle = best.groupby("task_id")["cost"].transform("min")
    capture = (best["ref"] - best["cost"]) / (best["ref"] - oracle)
    chances = best.index.get_level_values("task_id").nunique()
    means = capture.groupby("agent").sum() / chances
    return {
        "cpu_seconds": round(time.process_time() - begun, 3),
        "capture": means.tolist(),
    }


def _child(side: str, folder: str, environment: dict[str, str]) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.search", side, folder]
    child = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    said = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"bench: search, {side} failed")
    measured: dict[str, Any] = json.loads(said) or {}
    peak = used.ru_maxrss * _MAXRSS_BYTES / 1e9
    return {**measured, "peak_gigabytes": round(peak, 2)}


if __name__ == "__main__":
    sides = {"market": write_market, "ours": by_mask, "pandas": by_long_votes}
    print(json.dumps(sides[sys.argv[1]](Path(sys.argv[2]))))
