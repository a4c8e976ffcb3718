"""What a warehouse holds of the purchase instrument."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ingest.accounts import FileKey
from ingest.warehouse import open_database

Run = tuple[str, str]  # run_id, bank_sha256

_KEYS = {
    "sid": "scenario_id",
    "V": "value_usd",
    "P": "document_price_usd",
    "c": "certificate_price_usd",
    "optimal": "optimal",
    "optimal_bonded": "optimal_bonded",
    "topic": "topic",
    "order_seed": "order_seed",
}
_RECORDS = {"b": "free", "q": "document", "at": "teaser", "ac": "certificate"}


def stored_scenarios(copy: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the scenarios of every bank under their published keys.

    Parameters
    ----------
    copy
        A complete warehouse or working copy.

    Returns
    -------
    dict
        Hash of a bank -> its scenarios in bank order; in order of hash.
    """
    with open_database(copy, read_only=True) as connection:
        table = connection.execute(
            "from raw_purchase.scenario order by bank_sha256, _source_row"
        ).to_arrow_table()
    banks: dict[str, list[dict[str, Any]]] = {}
    for row in table.to_pylist():
        item = {key: row[column] for key, column in _KEYS.items()}
        for key, name in _RECORDS.items():
            item[key] = row[f"p_{name}"]
            item[f"{key}_k"] = row[f"{name}_right"]
            item[f"{key}_n"] = row[f"{name}_cases"]
        item["doc_unit"] = json.loads(row["document_unit"])
        item["cert_unit"] = json.loads(row["certificate_unit"])
        banks.setdefault(row["bank_sha256"], []).append(item)
    return banks


def stored_runs(copy: Path) -> dict[Run, FileKey]:
    """Return where the decisions of every run come from.

    Parameters
    ----------
    copy
        A complete warehouse or working copy.

    Returns
    -------
    dict
        Run and bank -> the file whose rows they are.
    """
    with open_database(copy, read_only=True) as connection:
        rows = connection.execute(
            "select run_id, bank_sha256, _source_file, _source_sha256 "
            "from raw_purchase.run order by all"
        ).fetchall()
    return {
        (run_id, bank): FileKey("response", file, sha256, bank)
        for run_id, bank, file, sha256 in rows
    }
