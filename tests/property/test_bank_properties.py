"""What holds for any bank and any shopper."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.hotel.bank import Tasks, draw_bank, draw_quintets, reflect
from ingest.hotel.pool import make_pool
from ingest.hotel.shoppers import PRICE_TERMS, TASTE_TERMS, Shopper, answers
from ingest.schemas import OPTION_LETTERS

POOL = make_pool()
_shares = st.floats(0, 1)
_tastes = st.dictionaries(
    st.sampled_from([term for term in TASTE_TERMS if term != PRICE_TERMS[1]]),
    st.floats(-5, 5),
)


@st.composite
def banks(draw: st.DrawFn) -> Tasks:
    hotels = draw(st.integers(5, 30))
    seed = draw(st.integers(0, 2**32))
    if draw(st.booleans()):
        return draw_quintets(POOL[:hotels], quintets=draw(st.integers(0, 1)), seed=seed)
    return draw_bank(
        POOL[:hotels],
        pairs=draw(st.integers(0, 10)),
        pair_reps=draw(st.integers(1, 4)),
        triples=draw(st.integers(0, 10)),
        triple_reps=draw(st.integers(1, 4)),
        seed=seed,
    )


@given(
    options=st.integers(2, 5),
    ordering=st.sampled_from(["original", "swapped"]),
    data=st.data(),
)
def test_reflection_is_its_own_inverse(
    options: int, ordering: str, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, options - 1))
    slot = reflect(place, options, ordering)
    assert 0 <= slot < options
    assert reflect(slot, options, ordering) == place


@settings(max_examples=50, deadline=None)
@given(bank=banks())
def test_groups_are_distinct_and_options_rise(bank: Tasks) -> None:
    hotels = {
        task.group_id: tuple(option.hotel_id for option in task.options)
        for task in bank
    }
    assert len(set(hotels.values())) == len(hotels)
    assert [task.task_id for task in bank] == list(range(1, len(bank) + 1))
    for task in bank:
        ids = [option.hotel_id for option in task.options]
        assert ids == sorted(set(ids))
        assert tuple(ids) == hotels[task.group_id]


@settings(max_examples=50, deadline=None)
@given(
    bank=banks(),
    tastes=_tastes,
    lock=_shares,
    invalid=_shares,
    failed=_shares,
    seed=st.integers(0, 2**32),
)
def test_states_and_frames_hold_together(
    bank: Tasks,
    tastes: dict[str, float],
    lock: float,
    invalid: float,
    failed: float,
    seed: int,
) -> None:
    shopper = Shopper(
        "a/b", tastes, lock_share=lock, invalid_share=invalid, failed_share=failed
    )
    said = answers(bank, shopper, np.random.default_rng(seed))
    assert len(said) == 2 * len(bank)
    sizes = {task.task_id: len(task.options) for task in bank}
    for answer in said:
        readable = answer.reply_state == "letter"
        assert (answer.choice is not None) == readable
        assert (answer.raw_output is None) == (answer.reply_state == "failed")
        if answer.choice is not None and answer.raw_output is not None:
            size = sizes[answer.task_id]
            slot = reflect(OPTION_LETTERS.index(answer.choice), size, answer.ordering)
            assert answer.raw_output == OPTION_LETTERS[slot]
            assert slot < size
