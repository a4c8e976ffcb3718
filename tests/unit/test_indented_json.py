"""Indented JSON is what Python's own writer makes of the same value."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from ingest.indented_json import indented_json

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=()), max_size=8)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=25,
)


@given(VALUES)
def test_it_is_that_of_the_library(value):
    wanted = json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False)
    assert indented_json(value) == wanted


def test_marks_within_texts_are_left_alone():
    value = {"b": ['{"a": 1,\n  "b": 2}', {}, []], "a": {"c": [[1, 2], [3]]}}
    assert indented_json(value) == json.dumps(value, sort_keys=True, indent=2)
