"""A random sample of candidates whose rulings tell how often a panel errs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

from pricebench.errors import CommandError

_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,4})?)\s*%")


def share_of(text: str) -> float:
    """Read a share such as ``5%``.

    Parameters
    ----------
    text
        As typed.

    Returns
    -------
    float
        In (0, 1].

    Raises
    ------
    CommandError
        If it is none.
    """
    match = _SHARE.fullmatch(text.strip())
    share = float(match[1]) / 100 if match else 0.0
    if not 0 < share <= 1:
        raise CommandError(f"--sample {text}: give a share above 0 % such as 5%")
    return share


def draw(
    verdicts: Mapping[str, str], share: float, seed: int, track: str
) -> dict[str, float]:
    """Draw candidates at random, as many of each panel verdict as tell something.

    Parameters
    ----------
    verdicts
        Candidate -> panel verdict.
    share
        Of each verdict, in (0, 1].
    seed
        The same one draws the same candidates.
    track
        Tracks are drawn apart.

    Returns
    -------
    dict
        Candidate -> chance with which it was drawn: drawn over all of its verdict.
        Where the share comes to fewer than a panel's errors can be told from
        (``models.search_terms.FEWEST_SAMPLED``), so many are drawn, or all there are.
    """
    from models.search_terms import FEWEST_SAMPLED

    chances = {}
    for verdict in sorted(set(verdicts.values())):
        stratum = sorted(one for one, own in verdicts.items() if own == verdict)
        wanted = max(math.ceil(share * len(stratum)), FEWEST_SAMPLED)
        size = min(wanted, len(stratum))
        random = Random(f"{seed}|{track}|{verdict}")
        for one in random.sample(stratum, size):
            chances[one] = size / len(stratum)
    return chances


def stored(body: Mapping[str, Any]) -> Mapping[str, float]:
    """Return the draw that a label file holds: candidate -> chance.

    Parameters
    ----------
    body
        The file's object.

    Returns
    -------
    Mapping
        Empty where none was drawn. Labels that say they were drawn count too.
    """
    drawn = body.get("sample")
    found = dict(drawn["chances"]) if isinstance(drawn, dict) else {}
    for one_id, label in body["labels"].items():
        if label.get("sampled"):
            found[one_id] = label["inclusion_probability"]
    return found


def marked(
    label: Mapping[str, Any], one_id: str, chances: Mapping[str, float]
) -> dict[str, Any]:
    """Return a label that says whether, and with what chance, it was drawn."""
    if one_id not in chances:
        return dict(label)
    return {**label, "sampled": True, "inclusion_probability": chances[one_id]}


def waiting(
    chances: Iterable[str], labels: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    """Return the drawn candidates whose validity nobody has ruled on, in order of id.

    The order says nothing about the panel's verdict.
    """
    return [
        one
        for one in sorted(chances)
        if one not in labels or labels[one]["ruling"]["validity"] is None
    ]
