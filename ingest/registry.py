"""The registries that loaders and the dbt project share: seeds, read as data."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ingest.errors import LoadError

SEEDS = Path(__file__).resolve().parent.parent / "dbt_project" / "seeds"


@dataclass(frozen=True, slots=True)
class Variant:
    """One prompt variant of the hotel instrument.

    Attributes
    ----------
    name
        As in the marts.
    file_suffix
        What follows the tag in a file name; empty for the base run.
    temperature, top_p
        Sampling temperature, 0 or more, and the share of tokens drawn from.
    max_tokens
        Limit of a reply in tokens.
    description
        One line.
    """

    name: str
    file_suffix: str
    temperature: float
    top_p: float
    max_tokens: int
    description: str


@cache
def hotel_variants() -> dict[str, Variant]:
    """Return the variants of the hotel instrument by name.

    Returns
    -------
    dict
        Rows of the seed ``hotel_variant``, in its order.

    Raises
    ------
    FileNotFoundError
        Where the package stands without the dbt project beside it.
    """
    with (SEEDS / "hotel_variant.csv").open(encoding="utf-8", newline="") as file:
        return {
            row["variant"]: Variant(
                name=row["variant"],
                file_suffix=row["file_suffix"],
                temperature=float(row["temperature"]),
                top_p=float(row["top_p"]),
                max_tokens=int(row["max_tokens"]),
                description=row["description"],
            )
            for row in csv.DictReader(file)
        }


def hotel_variant(name: str) -> Variant:
    """Return a variant of the hotel instrument.

    Parameters
    ----------
    name
        As in the registry.

    Returns
    -------
    Variant
        Its row.

    Raises
    ------
    LoadError
        Where there is none of this name.
    """
    known = hotel_variants()
    if name not in known:
        raise LoadError(f"variant: no {name!r}; one of {', '.join(known)}")
    return known[name]
