"""Scripted judges: verdicts on pairs of listings, by what the catalogue knows."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from ingest.sources import SIMULATED_PREFIX
from ingest.world.catalogue import Item, Listing, catalogue
from ingest.world.truth import is_valid

# how the task of the other track differs
_EQUIVALENT = "does the same job"


class Pair(NamedTuple):
    """What a judge is asked about; None for a title that the catalogue has not."""

    reference: tuple[Item, Listing] | None
    candidate: tuple[Item, Listing] | None
    track: str

    @property
    def is_of_one_product(self) -> bool:
        """Return whether both belong to one product, whatever they are."""
        if self.reference is None or self.candidate is None:
            return False
        return self.reference[0] is self.candidate[0]

    @property
    def is_valid(self) -> bool:
        """Return what is true."""
        if self.candidate is None or not self.is_of_one_product:
            return False
        return is_valid(*self.candidate, self.track)


def _truthful(pair: Pair) -> str:
    return _verdict(pair.is_valid)


def _lenient(pair: Pair) -> str:
    return _verdict(pair.is_of_one_product)


def _strict(pair: Pair) -> str:
    same = pair.candidate is not None and pair.candidate[1].offer.relation == "same"
    return _verdict(pair.is_valid and same)


def _verdict(is_good: bool) -> str:
    verdict = "valid" if is_good else "invalid"
    reason = "of the same kind" if is_good else "not what was asked for"
    return json.dumps({"verdict": verdict, "reason": reason})


# three seats that know the truth; one that lets anything of a product pass, one that
# lets no other brand pass, one that gives no verdict
JUDGES: Mapping[str, Callable[[Pair], str]] = MappingProxyType(
    {
        f"{SIMULATED_PREFIX}judge-{name}": how
        for name, how in (
            ("north", _truthful),
            ("south", _truthful),
            ("west", _truthful),
            ("lenient", _lenient),
            ("strict", _strict),
            ("silent", lambda _: "Both look fine, I could not say."),
        )
    }
)

# the seats that know the truth, each of a lab of its own
PANEL = ",".join(
    f"{name.title()}={SIMULATED_PREFIX}judge-{name}"
    for name in ("north", "south", "west")
)


def judge(model: str, system: str, question: str) -> str | None:
    """Return what a judge replies.

    Parameters
    ----------
    model
        One of ``JUDGES``.
    system, question
        As ``ingest.search.judges.prompt`` writes them.

    Returns
    -------
    str or None
        None: it is another question.
    """
    track = "equiv" if _EQUIVALENT in system else "exact"
    shown = [json.loads(line) for line in question.splitlines() if line[:1] == "{"]
    if len(shown) != 2:
        return None
    reference, candidate = (_titles().get(one.get("title", "")) for one in shown)
    return JUDGES[model](Pair(reference, candidate, track))


@cache
def _titles() -> Mapping[str, tuple[Item, Listing]]:
    """Return what is sold by title: pages with one title sell the same."""
    return {
        listing.title: (item, listing)
        for item in catalogue()
        for listing in item.listings
    }
