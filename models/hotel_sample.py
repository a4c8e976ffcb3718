"""The answers behind one hotel choice model, as arrays of a common width.

Axes: n situations (answers), j options (of the largest format), k terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.clusters import Clusters, prepare_clusters
from models.covariance import ABSENT, TwoWay, prepare_twoway
from models.hotel_choices import HotelChoices
from models.hotel_plan import (
    AREA_COLUMN,
    CHAIN_COLUMN,
    DROPPED_COLUMN,
    SHOWN_SLOT_COLUMN,
    HotelFit,
    column_of,
)
from models.hotel_terms import DECILES, FORMAT_OPTIONS, INTERCEPT, Block
from models.ordering import Bools, Floats, Ints

_FORMAT_OF_SIZE = {len(options): name for name, options in FORMAT_OPTIONS.items()}
_DECILE = {term: place for place, term in enumerate(DECILES, start=2)}


@dataclass(frozen=True, slots=True)
class Sample:
    """The answers of one model that belong to one block and reading.

    Attributes
    ----------
    parts
        The answers to each format, and which of them are used.
    chosen
        Shape (n,), position of the chosen option.
    available
        Shape (n, j), whether the format has the option.
    clusters
        Division of the n situations by group of hotels.
    twoway
        By group and by hotel.
    """

    parts: tuple[tuple[HotelChoices, Bools], ...]
    chosen: Ints
    available: Bools
    clusters: Clusters
    twoway: TwoWay


def take_sample(
    answers: Sequence[HotelChoices], chosen_column: str, *, drops_listing: bool
) -> Sample:
    """Stack the answers to the formats of a block that belong to a reading.

    Parameters
    ----------
    answers
        Of one model, study and variant, one entry for each format it answered.
    chosen_column
        Says which option was chosen.
    drops_listing
        Leave out tasks that show a listing marked in ``dropped_listing``.

    Returns
    -------
    Sample
        With n = 0 where nothing belongs to the reading.
    """
    parts = []
    for choices in answers:
        used = choices.chosen[chosen_column] >= 0
        if drops_listing:
            used = used & ~(choices.numbers[DROPPED_COLUMN] > 0).any(axis=1)
        parts.append((choices, used))
    width = max(choices.hotel_ids.shape[1] for choices in answers)
    clusters = prepare_clusters(_group_keys(parts))
    hotels, available = _hotel_codes(parts, width)
    return Sample(
        parts=tuple(parts),
        chosen=np.concatenate([c.chosen[chosen_column][used] for c, used in parts]),
        available=available,
        clusters=clusters,
        twoway=prepare_twoway(clusters, hotels),
    )


def _group_keys(parts: Sequence[tuple[HotelChoices, Bools]]) -> Ints:
    """Return a key for each group; those of two formats never share one."""
    if len(parts) == 1:
        (choices, used) = parts[0]
        return choices.group_ids[used]
    keys = [
        choices.group_ids[used] * len(parts) + place
        for place, (choices, used) in enumerate(parts)
    ]
    return np.concatenate(keys)


def _hotel_codes(
    parts: Sequence[tuple[HotelChoices, Bools]], width: int
) -> tuple[Ints, Bools]:
    ids = [choices.hotel_ids[used] for choices, used in parts]
    n = sum(len(one) for one in ids)
    hotels = np.full((n, width), ABSENT, dtype=np.int64)
    available = np.zeros((n, width), dtype=bool)
    start = 0
    for one in ids:
        hotels[start : start + len(one), : one.shape[1]] = one
        available[start : start + len(one), : one.shape[1]] = True
        start += len(one)
    hotels[available] = prepare_clusters(hotels[available]).codes
    return hotels, available


def design_array(sample: Sample, fit: HotelFit) -> Floats:
    """Stack the terms of all options.

    Parameters
    ----------
    sample
        n situations.
    fit
        k terms.

    Returns
    -------
    numpy.ndarray
        Shape (n, j, k), 0 where an option is not available and for the slot terms of
        another format.
    """
    x = np.zeros((*sample.available.shape, len(fit.terms)))
    start = 0
    for choices, used in sample.parts:
        size = int(used.sum())
        width = choices.hotel_ids.shape[1]
        for place, term in enumerate(fit.terms):
            x[start : start + size, :width, place] = _values(
                choices, term, fit.block, used
            )
        start += size
    return x


def _values(choices: HotelChoices, term: str, block: Block, used: Bools) -> Floats:
    """Return one term for the options of the used answers, shape (n, options)."""
    shape = int(used.sum()), choices.hotel_ids.shape[1]
    if term == INTERCEPT:
        constant = np.zeros(shape)
        constant[:, 0] = 1.0
        return constant
    column = column_of(term, block, _FORMAT_OF_SIZE[shape[1]])
    if column is None:
        return np.zeros(shape)
    if column in (CHAIN_COLUMN, AREA_COLUMN):
        return _indicator(choices.labels[column][used] == term)
    numbers = choices.numbers[column][used]
    if column == SHOWN_SLOT_COLUMN:
        return _indicator(numbers == int(term[-1]))
    return _indicator(numbers == _DECILE[term]) if term in _DECILE else numbers


def _indicator(flags: Bools) -> Floats:
    ones: Floats = flags.astype(np.float64)
    return ones
