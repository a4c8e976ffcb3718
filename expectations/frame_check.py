"""Asks Great Expectations about a frame, in a process of its own.

The library takes seconds to import and tens of milliseconds for each expectation, and
holds the interpreter's lock all the while; so a build goes on beside it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from models.workers import WorkerKilled, start_aside

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Question:
    """What to ask about one frame.

    Attributes
    ----------
    table
        The frame's rows, at least one.
    expectations
        Name of an expectation of the library and its arguments, one or more.
    named
        How many rows that break an expectation the answer names at most.
    """

    table: pa.Table
    expectations: Sequence[tuple[str, Mapping[str, object]]]
    named: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What the library found about one expectation.

    Attributes
    ----------
    raised
        What kept it from checking; null where it was checked, and only then do the
        others hold.
    holds
        Whether every row meets the expectation.
    rows, broken
        Rows checked and rows that break it.
    named
        Row numbers of the first that do, from 0.
    """

    raised: str | None
    holds: bool = False
    rows: int = 0
    broken: int = 0
    named: Sequence[int] = ()


def start_library() -> None:
    """Begin to import the library, so that the first question need not wait for it."""
    start_aside(_load, None)


def start_check(question: Question) -> Callable[[], list[Answer]]:
    """Begin to check the expectations on a frame.

    Parameters
    ----------
    question
        The frame and what to ask of it.

    Returns
    -------
    callable
        Waits for the answers and returns one for each expectation, in their order. A
        process that was killed is asked once more, since that says nothing about the
        data; ``WorkerKilled`` where it is killed again.
    """
    try:
        wait = start_aside(_check, question)
    except WorkerKilled:
        return start_aside(_check, question)

    def answers() -> list[Answer]:
        try:
            return wait()
        except WorkerKilled:
            return start_aside(_check, question)()

    return answers


def _load(_nothing: None) -> None:
    _frame_checker()


def _check(question: Question) -> list[Answer]:
    import duckdb

    # the engine's own conversion: what a rule sees does not depend on the way here
    frame = duckdb.from_arrow(question.table).df()
    return [
        _as_answer(result)
        for result in _frame_checker()(frame, question.expectations, question.named)
    ]


def _as_answer(result: Any) -> Answer:
    raised = _exception_message(result.exception_info)
    if raised is not None:
        return Answer(raised)
    found = result.result
    return Answer(
        raised=None,
        holds=result.success,
        rows=found["element_count"],
        broken=found["unexpected_count"],
        named=[int(row) for row in found["partial_unexpected_index_list"]],
    )


def _exception_message(info: Mapping[str, Any]) -> str | None:
    """Return what an expectation raised, from either shape the library reports."""
    entries = [info] if "raised_exception" in info else list(info.values())
    raised = [entry for entry in entries if entry.get("raised_exception")]
    return str(raised[0]["exception_message"]) if raised else None


_Wanted = Sequence[tuple[str, Mapping[str, object]]]


@cache
def _frame_checker() -> Callable[[pd.DataFrame, _Wanted, int], list[Any]]:
    """Return a function that validates expectations on a frame, one result for each."""
    import great_expectations as gx
    from great_expectations.data_context.types.base import (
        DataContextConfig,
        InMemoryStoreBackendDefaults,
        ProgressBarsConfig,
    )

    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    config = DataContextConfig(
        store_backend_defaults=InMemoryStoreBackendDefaults(),
        progress_bars=ProgressBarsConfig(globally=False),
    )
    context = gx.get_context(mode="ephemeral", project_config=config)
    source = context.data_sources.add_pandas("warehouse")
    batches = source.add_dataframe_asset("frame").add_batch_definition_whole_dataframe(
        "all"
    )

    def check(frame: pd.DataFrame, wanted: _Wanted, named: int) -> list[Any]:
        suite = gx.ExpectationSuite(
            name="rules",
            expectations=[
                getattr(gx.expectations, name)(**kwargs, meta={"number": number})
                for number, (name, kwargs) in enumerate(wanted)
            ],
        )
        # Row numbers, not `unexpected_index_column_names`: that option takes minutes
        # on a large frame in which most rows break a rule.
        result_format = {
            "result_format": "SUMMARY",
            "partial_unexpected_count": named,
        }
        batch = batches.get_batch({"dataframe": frame})
        results = batch.validate(suite, result_format=result_format).results
        by_number = {item.expectation_config.meta["number"]: item for item in results}
        return [by_number[number] for number in range(len(wanted))]

    return check
