"""Shape of every table a loader writes: raw tables as Arrow schemas, quality as DDL.

This is the one home of raw column names and types. dlt freezes them; staging renames
nothing that is not named here. Those of search stand in ``ingest.search.schemas``.
"""

from __future__ import annotations

from pathlib import Path
from string import Template

import pyarrow as pa

from ingest.search.schemas import RAW_SEARCH
from ingest.table_schema import PRICE_TYPE
from ingest.table_schema import table_schema as _table

OPTION_LETTERS = ("A", "B", "C", "D", "E")
OPTION_COUNT = {"binary": 2, "ternary": 3, "fiveopt": 5}

OPTION_FIELDS: tuple[tuple[str, pa.DataType], ...] = (
    ("hotel_id", pa.int64()),
    ("name", pa.string()),
    ("stars", pa.float64()),
    ("neighborhood", pa.string()),
    ("review_score", pa.float64()),
    ("review_count", pa.int64()),
    ("room_type", pa.string()),
    ("cancellation_free", pa.int64()),
    ("breakfast_included", pa.int64()),
    ("amenities", pa.string()),
    ("price", PRICE_TYPE),
)


def _task() -> pa.Schema:
    head = [
        ("bank_sha256", pa.string(), False),
        ("task_id", pa.int64(), False),
        ("task_type", pa.string(), False),
        ("group_id", pa.int64(), False),
        ("rep", pa.int64(), False),
    ]
    options = [
        (f"{letter.lower()}_{name}", kind, True)
        for letter in OPTION_LETTERS
        for name, kind in OPTION_FIELDS
    ]
    return _table(*head, *options)


# what a call tells beside its reply; all null for a source that stored answers alone
_CALL: tuple[tuple[str, pa.DataType, bool], ...] = (
    ("error", pa.string(), True),
    ("provider", pa.string(), True),
    ("model_id_served", pa.string(), True),
    ("finish", pa.string(), True),
    ("prompt_tokens", pa.int64(), True),
    ("completion_tokens", pa.int64(), True),
    ("reasoning_tokens", pa.int64(), True),
    ("cost_usd", pa.decimal128(18, 12), True),
    ("secs", pa.float64(), True),
)

RAW_HOTEL: dict[str, pa.Schema] = {
    # one row per task of a bank; a bank is one task file, named by its sha256
    "task": _task(),
    # one row per answer as it stands in its file, repeated and offset rows included
    "response": _table(
        ("bank_sha256", pa.string(), False),
        ("run_id", pa.string(), False),
        ("source", pa.string(), False),
        ("ordering", pa.string(), False),  # 'original' or 'swapped'
        ("repeat", pa.int64(), False),
        ("task_id", pa.int64(), False),  # as in the file
        ("id_offset", pa.int64(), False),  # 0, 1000 or 10000
        ("bank_task_id", pa.int64(), False),  # task_id - id_offset
        ("choice", pa.string(), True),  # option id in the task frame; null = none read
        # as the published reader takes the reply; of a release, the choice it stored
        ("published_choice", pa.string(), True),
        ("raw_output", pa.string(), True),
        ("reply_state", pa.string(), True),  # null where the source stored none
        *_CALL,
        ("first_tokens", pa.string(), True),  # JSON object: token -> log-probability
    ),
    # one row per run
    "run": _table(
        ("run_id", pa.string(), False),
        ("bank_sha256", pa.string(), False),
        ("source", pa.string(), False),
        ("model_tag", pa.string(), False),  # file tag of a release, else model id asked
        ("model_id_served", pa.string(), True),
        ("variant", pa.string(), False),
        ("prompt_sha256", pa.string(), True),  # null: the release stored none
        ("protocol", pa.string(), False),
        ("settings", pa.string(), False),  # JSON object
        ("providers_served", pa.string(), True),
        ("run_date", pa.date32(), True),  # null: the release stored none
        ("cost_usd", pa.decimal128(18, 9), True),
    ),
    # one row per hotel of a pool
    "hotel": _table(
        ("pool_sha256", pa.string(), False),
        ("hotel_id", pa.int64(), False),
        ("name", pa.string(), False),
        ("stars", pa.float64(), False),
        ("neighborhood", pa.string(), False),
        ("review_score_base", pa.float64(), False),
        ("review_count_base", pa.int64(), False),
        ("price_min", PRICE_TYPE, False),
        ("price_max", PRICE_TYPE, False),
        ("room_types", pa.string(), False),  # JSON array
        ("cancellation_free_prob", pa.float64(), False),
        ("breakfast_prob", pa.float64(), False),
        ("amenities", pa.string(), False),  # JSON array
    ),
    # one row per model of a capability table
    "capability_score": _table(
        ("model_name", pa.string(), False),
        ("score_aa", pa.float64(), True),
        ("score_arena", pa.float64(), True),
        ("score_mmlu", pa.float64(), True),
        ("source_aa", pa.string(), True),
        ("source_arena", pa.string(), True),
        ("source_mmlu", pa.string(), True),
        ("retrieved", pa.string(), True),
    ),
    # one row per taste of a simulated shopper: what the estimates should find
    "simulated_taste": _table(
        ("run_id", pa.string(), False),
        ("term", pa.string(), False),
        ("value", pa.float64(), False),
    ),
}

RAW_PURCHASE: dict[str, pa.Schema] = {
    # one row per scenario of a bank, which is named by the hash of its published form
    "scenario": _table(
        ("bank_sha256", pa.string(), False),
        ("scenario_id", pa.string(), False),
        ("value_usd", pa.float64(), False),  # doubles, as published
        *[
            field
            for name in ("free", "document", "teaser", "certificate")
            for field in (
                (f"p_{name}", pa.float64(), False),
                (f"{name}_right", pa.int64(), False),
                (f"{name}_cases", pa.int64(), False),
            )
        ],
        ("document_price_usd", pa.float64(), False),
        ("certificate_price_usd", pa.float64(), False),
        ("document_unit", pa.string(), False),  # JSON object
        ("certificate_unit", pa.string(), False),  # JSON object
        ("optimal", pa.string(), False),
        ("optimal_bonded", pa.string(), False),
        ("topic", pa.int64(), False),
        ("order_seed", pa.int64(), False),
    ),
    # one row per decision as it stands in its file, superseded ones included
    "response": _table(
        ("bank_sha256", pa.string(), False),
        ("run_id", pa.string(), False),
        ("source", pa.string(), False),
        ("scenario_id", pa.string(), False),
        ("label", pa.string(), False),  # none, A, D or B
        ("repeat", pa.int64(), False),
        ("choice", pa.string(), True),  # null: none read, or the call failed
        ("raw_output", pa.string(), True),  # the reply, or what is stored of it
        ("reply_state", pa.string(), True),  # null where the source stored none
        *_CALL,
        # scores as the source states them; ours are computed from the scenario
        ("stated_regret_share", pa.float64(), True),
        ("stated_is_optimal", pa.bool_(), True),
        ("stated_bought", pa.bool_(), True),
        ("stated_buy_optimal", pa.bool_(), True),
    ),
    # one row per run
    "run": RAW_HOTEL["run"],
}

RAW: dict[str, dict[str, pa.Schema]] = {
    "raw_hotel": RAW_HOTEL,
    "raw_purchase": RAW_PURCHASE,
    "raw_search": RAW_SEARCH,
}


QUALITY_FILES = ("quality.sql", "quality_gates.sql")


def quality_ddl() -> str:
    """Return the SQL that makes schema ``quality``, idempotent.

    Returns
    -------
    str
        The statements of `QUALITY_FILES` in order, placeholders filled in.
    """
    counts = [
        f"select '{schema.removeprefix('raw_')}' as instrument, "
        f"'{table}:' || count(*) as entry, count(*) as row_count, false as is_file "
        f"from {schema}.{table}"
        for schema, tables in RAW.items()
        for table in tables
    ]
    files = [
        f"select '{schema.removeprefix('raw_')}' as instrument, _source_file as "
        f"source_file, _source_sha256 as source_sha256, bank_sha256, run_id "
        f"from {schema}.{table}"
        for schema, tables in RAW.items()
        for table, columns in tables.items()
        if {"run_id", "bank_sha256"} <= set(columns.names)
    ]
    here = Path(__file__)
    template = Template(
        "\n".join(here.with_name(name).read_text() for name in QUALITY_FILES)
    )
    together = "\n    union all\n    ".join
    return template.substitute(raw_counts=together(counts), run_files=together(files))
