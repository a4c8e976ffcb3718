"""Which files of a source are hotel data: by the shape of their names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from ingest.registry import hotel_variants

TASKS = "conjoint_tasks.csv"
QUINTETS = "tasks_5opt.csv"
POOL = "hotel_pool.json"
CAPABILITY = "capability_scores.csv"
ANSWERS = "conjoint_results_<tag>[_<variant>][_swap].csv"

# kind of bank -> its task file
BANK_FILES = {"conjoint": TASKS, "fiveopt": QUINTETS}
BANK_TYPES = {"conjoint": ("binary", "ternary"), "fiveopt": ("fiveopt",)}

_ANSWERS = re.compile(r"conjoint_results_([A-Za-z0-9][A-Za-z0-9._-]*)\.csv")


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """What the name of an answer file says.

    Attributes
    ----------
    tag
        The model, as the release writes it.
    variant
        Name in the registry of variants.
    ordering
        ``original`` or ``swapped``.
    """

    tag: str
    variant: str
    ordering: str

    @property
    def run_id(self) -> str:
        """Return ``release/<tag>[/<variant>]``; both orderings are one run."""
        tail = "" if self.variant == "base" else f"/{self.variant}"
        return f"release/{self.tag}{tail}"

    @property
    def bank_kind(self) -> str:
        """Return which kind of bank its tasks stand in."""
        return "fiveopt" if self.variant == "fiveopt" else "conjoint"

    @property
    def settings(self) -> str:
        """Return the settings of the run as a JSON object."""
        variant = hotel_variants()[self.variant]
        return json.dumps(
            {"temperature": variant.temperature, "max_tokens": variant.max_tokens}
        )


def answer_file(name: str) -> AnswerFile | None:
    """Read the name of an answer file.

    Parameters
    ----------
    name
        File name, with or without folders before it.

    Returns
    -------
    AnswerFile or None
        None where it is none. A tag may itself hold ``_``, ``-`` and ``.``; the last
        part is a variant only if the registry knows it.
    """
    match = _ANSWERS.fullmatch(PurePosixPath(name).name)
    if match is None:
        return None
    stem = match[1].removesuffix("_swap")
    ordering = "original" if stem == match[1] else "swapped"
    for variant in hotel_variants().values():
        suffix = f"_{variant.file_suffix}"
        if variant.file_suffix and stem.endswith(suffix) and stem != suffix:
            return AnswerFile(stem.removesuffix(suffix), variant.name, ordering)
    return AnswerFile(stem, "base", ordering)


def is_hotel_data(name: str) -> bool:
    """Return whether a file name has one of the shapes that are loaded."""
    base = PurePosixPath(name).name
    known = (*BANK_FILES.values(), POOL, CAPABILITY)
    return base in known or answer_file(base) is not None


def by_basename(names: Iterable[str]) -> dict[str, list[str]]:
    """Group names by their last part.

    Parameters
    ----------
    names
        Relative names.

    Returns
    -------
    dict
        File name -> all places where it stands, both in order.
    """
    places: dict[str, list[str]] = {}
    for name in sorted(names):
        places.setdefault(PurePosixPath(name).name, []).append(name)
    return dict(sorted(places.items()))
