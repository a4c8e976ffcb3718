"""Choice situations laid out by panel, repetitions of one choice set counted together.

A panel is the set of answers that share one draw of the random tastes. Axes: c panels,
t choice sets of a panel, r rivals of the reference option (the first one offered),
k terms; a = t x r.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from models.choice_data import ChoiceData
from models.clusters import Clusters
from models.ordering import Bools, Floats, Ints, canonical_order


@dataclass(frozen=True, slots=True)
class Panels:
    """Distinct choice sets of every panel, and how often each option was picked.

    Panels with fewer sets than the largest are filled up with sets that nobody was
    asked, which add nothing.

    Attributes
    ----------
    x
        Shape (c, t, r, k), rival minus reference; 0 where absent.
    absent
        Shape (c, t, r), rivals that were not offered.
    counts
        Shape (c, t, 1 + r), how often the reference and each rival was picked.
    """

    x: Floats
    absent: Bools
    counts: Floats

    @property
    def count(self) -> int:
        """Number of panels c."""
        return len(self.x)

    @property
    def picks(self) -> Floats:
        """Shape (c, t, r), how often each rival was picked."""
        return self.counts[:, :, 1:]

    @property
    def answers(self) -> Floats:
        """Shape (c, t), how often the set was answered; 0 where filled up."""
        total: Floats = self.counts.sum(axis=2)
        return total


def lay_out(data: ChoiceData, clusters: Clusters) -> Panels:
    """Sort situations into panels and count equal ones together.

    The likelihood depends on a choice set only through differences between its options
    and on its repetitions only through their number, so nothing is lost.

    Parameters
    ----------
    data
        n situations with j options and k terms; a weight says how often a situation
        counts within its panel.
    clusters
        The panel of each situation.

    Returns
    -------
    Panels
        Panels by ascending id, sets in an order given by their content: the order of
        the input changes nothing.
    """
    n, j, k = data.x.shape
    rows = np.arange(n)
    others = np.ones((n, j), dtype=bool)
    reference = np.argmax(data.available, axis=1) if j else rows
    others[rows, reference] = False
    r = max(j - 1, 0)
    offered = data.available[others].reshape(n, r)
    x = data.x[others].reshape(n, r, k) - data.x[rows, reference][:, None, :]
    x = np.where(offered[:, :, None], x, 0.0)
    # place of the pick among the rivals, -1 for the reference
    place = np.where(
        data.chosen == reference, -1, data.chosen - (data.chosen > reference)
    )
    order, set_of_row, slot_of_row = _sets(x, offered, data.weights, place, clusters)
    t = int(slot_of_row.max(initial=-1)) + 1
    codes, place = clusters.codes[order], place[order]
    weights = data.weights[order]
    first = np.flatnonzero(np.diff(set_of_row, prepend=-1))
    shape = (clusters.count, t)
    laid = np.zeros((*shape, r, k))
    absent = np.zeros((*shape, r), dtype=bool)
    laid[codes[first], slot_of_row[first]] = x[order][first]
    absent[codes[first], slot_of_row[first]] = ~offered[order][first]
    place_of_row = (codes * t + slot_of_row) * (r + 1) + place + 1
    counts = np.bincount(
        place_of_row, weights=weights, minlength=shape[0] * t * (r + 1)
    ).astype(np.float64)
    return Panels(laid, absent, counts.reshape(*shape, r + 1))


def _sets(
    x: Floats, offered: Bools, weights: Floats, place: Ints, clusters: Clusters
) -> tuple[Ints, Ints, Ints]:
    """Return an order by panel and content; in it, set and place within the panel."""
    n = len(x)
    content = np.column_stack([x.reshape(n, x.shape[1] * x.shape[2]), offered])
    order = canonical_order(np.column_stack([content, place, weights]))
    order = order[np.argsort(clusters.codes[order], kind="stable")]
    content, codes = content[order], clusters.codes[order]
    fresh_panel = np.diff(codes, prepend=-1) != 0
    fresh = fresh_panel.copy()
    fresh[1:] |= (content[1:] != content[:-1]).any(axis=1)
    set_of_row = np.cumsum(fresh) - 1
    starts = np.maximum.accumulate(np.where(fresh_panel, set_of_row, 0))
    return order, set_of_row, set_of_row - starts


def as_choices(panels: Panels) -> ChoiceData:
    """Return what was picked as choice situations, equal ones as one with a weight.

    Parameters
    ----------
    panels
        From ``lay_out``.

    Returns
    -------
    ChoiceData
        The reference option first; situations in an order set by their content. A
        conditional logit of them is one of the data laid out.
    """
    c, t, _, k = panels.x.shape
    panel, row, chosen = np.nonzero(panels.counts)
    x = np.concatenate([np.zeros((c, t, 1, k)), panels.x], axis=2)
    offered = np.concatenate([np.ones((c, t, 1), dtype=bool), ~panels.absent], axis=2)
    return ChoiceData(
        x=x[panel, row],
        available=offered[panel, row],
        chosen=chosen.astype(np.int64),
        weights=panels.counts[panel, row, chosen],
    )


def option_pairs(x: Floats) -> tuple[Floats, tuple[tuple[int, int], ...]]:
    """Return the differences between all options of each set, two by two.

    Parameters
    ----------
    x
        Shape (c, t, r, k), rival minus reference.

    Returns
    -------
    tuple
        Shape (c, q, t, k) with q = r (r + 1) / 2: first the r rivals against the
        reference, then rivals against each other; and the pairs of the second kind.
    """
    pairs = tuple(combinations(range(x.shape[2]), 2))
    among = [x[:, :, i] - x[:, :, j] for i, j in pairs]
    against = [x[:, :, i] for i in range(x.shape[2])]
    return np.stack([*against, *among], axis=1), pairs
