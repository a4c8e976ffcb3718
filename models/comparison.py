"""Paired comparison of models on the same tasks, and their ranks with intervals."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from models import status
from models.columns import Columns, families, read_rows
from models.correlation import tied_ranks
from models.hotel_logit import FEWEST_CLUSTERS
from models.inference import holm
from models.ordering import Floats, Ints
from models.paired import Differences, Figures, align, differences, rank_intervals
from models.tables import Row, build_table

# beyond this many models all pairs would drown the few comparisons that matter
MOST_MODELS_IN_ALL_PAIRS = 60

_NUMBER = pa.float64()
_KEYS = ("study_id", "reading", "metric", "model_id")
COMPARISON_INPUT = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        pa.field("estimate", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
        pa.field("cluster_id", pa.list_(pa.string())),
        pa.field("influence", pa.list_(_NUMBER)),
    ]
)
COMPARISON_SCHEMA = pa.schema(
    [
        pa.field("study_id", pa.string(), nullable=False),
        pa.field("reading", pa.string(), nullable=False),
        pa.field("metric", pa.string(), nullable=False),
        pa.field("model_a", pa.string(), nullable=False),
        pa.field("model_b", pa.string(), nullable=False),
        pa.field("difference", _NUMBER),
        pa.field("std_error", _NUMBER),
        pa.field("ci_lo", _NUMBER),
        pa.field("ci_hi", _NUMBER),
        pa.field("p_value", _NUMBER),
        pa.field("p_adjusted", _NUMBER),
        pa.field("family_tests", pa.int64(), nullable=False),
        pa.field("n_paired", pa.int64(), nullable=False),
        pa.field("clusters", pa.int64(), nullable=False),
        pa.field("smallest_detectable", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
    ]
)
RANK_SCHEMA = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        pa.field("estimate", _NUMBER),
        pa.field("rank", pa.int64()),
        pa.field("rank_lo", pa.int64()),
        pa.field("rank_hi", pa.int64()),
        pa.field("ranked_models", pa.int64(), nullable=False),
        pa.field("smallest_detectable", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
    ]
)


def comparison_table(
    columns: Columns, listed: Collection[tuple[str, str]] = ()
) -> pa.Table:
    """Compare models in pairs on a figure, adjusted for the number of pairs.

    Parameters
    ----------
    columns
        ``COMPARISON_INPUT``, one row for each metric and model: the estimate, its
        status, and the influence of each cluster on it; null where there is none. A
        cluster is the same task material for all models of a study.
    listed
        Pairs of model ids that are compared in any case. Above 60 models with an
        estimate these and neighbours in rank are the family; up to 60, all pairs are.

    Returns
    -------
    pyarrow.Table
        ``COMPARISON_SCHEMA``, ``model_a`` < ``model_b``, in ascending order of the
        keys; the difference is a minus b. The status is the worse of the two,
        ``too_few`` below 30 shared clusters, ``no_variation`` for two models that gave
        the same answers. Holm's adjustment runs over the ``family_tests`` pairs whose
        status is ``ok``; other pairs keep their unadjusted figures. A model without an
        estimate stands in no pair. An empty input gives an empty table.

    Raises
    ------
    ValueError
        Input that breaks the schema, or an estimate without an influence for each of
        its clusters; the message names the model.
    """
    rows = read_rows(columns, COMPARISON_INPUT, _KEYS, what="figures to compare")
    wanted = {frozenset(pair) for pair in listed}
    found: list[Row] = []
    for family in families(rows, _KEYS[:3]):
        board = _board(family)
        first, second = _pairs(board, wanted)
        found += _compared(board, first, second)
    return build_table(found, COMPARISON_SCHEMA)


def rank_table(columns: Columns, smallest_first: Collection[str] = ()) -> pa.Table:
    """Rank models on a figure, with intervals that hold for all ranks at once.

    Parameters
    ----------
    columns
        As for ``comparison_table``.
    smallest_first
        Metrics whose smallest estimate has rank 1.

    Returns
    -------
    pyarrow.Table
        ``RANK_SCHEMA``, in ascending order of the keys. Rank 1 is the largest estimate
        (no judgement) or, where so listed, the smallest; equal estimates share the best
        rank; ``rank_lo`` to ``rank_hi`` are from ``rank_intervals`` over all pairs of
        ranked models, so that models which can't be told apart share ranks. Only ``ok``
        models are ranked; one alone has rank 1. ``smallest_detectable`` is the median
        of that of its pairs. An empty input gives an empty table.

    Raises
    ------
    ValueError
        As for ``comparison_table``.
    """
    rows = read_rows(columns, COMPARISON_INPUT, _KEYS, what="figures to rank")
    found: list[Row] = []
    for family in families(rows, _KEYS[:3]):
        found += _ranked(family, family[0]["metric"] in smallest_first)
    return build_table(found, RANK_SCHEMA)


@dataclass(frozen=True, slots=True)
class _Board:
    """The models of one metric that have an estimate, in ascending order of id."""

    rows: list[Row]
    figures: Figures

    @property
    def statuses(self) -> list[str]:
        return [row["status"] for row in self.rows]


def _board(family: list[Row]) -> _Board:
    rows = [row for row in family if row["estimate"] is not None]
    for row in rows:
        ids, values = row["cluster_id"], row["influence"]
        if ids is None or values is None or len(ids) != len(values) or None in values:
            name = " ".join(row[key] for key in _KEYS)
            raise ValueError(
                f"figures to compare: {name} has an estimate but not one influence for "
                "each of its clusters"
            )
    return _Board(
        rows,
        align(
            [row["estimate"] for row in rows],
            [row["cluster_id"] for row in rows],
            [row["influence"] for row in rows],
        ),
    )


def _pairs(board: _Board, listed: set[frozenset[str]]) -> tuple[Ints, Ints]:
    """Choose the pairs of one metric, in ascending order."""
    m = len(board.rows)
    first, second = np.triu_indices(m, k=1)
    if m > MOST_MODELS_IN_ALL_PAIRS:
        place = np.empty(m, dtype=np.int64)
        place[np.argsort(-board.figures.estimate, kind="stable")] = np.arange(m)
        keep = np.abs(place[first] - place[second]) == 1
        names = [row["model_id"] for row in board.rows]
        keep |= np.array(
            [
                frozenset((names[a], names[b])) in listed
                for a, b in zip(first.tolist(), second.tolist(), strict=True)
            ]
        )
        first, second = first[keep], second[keep]
    return first.astype(np.int64), second.astype(np.int64)


def _compared(board: _Board, first: Ints, second: Ints) -> list[Row]:
    result = differences(board.figures, first, second)
    labels = [
        _pair_status(board, result, pair, a, b)
        for pair, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True))
    ]
    member = np.array([label == status.OK for label in labels], dtype=bool)
    adjusted = holm(np.where(member, result.p_value, np.nan))
    return [
        {
            **{key: board.rows[a][key] for key in _KEYS[:3]},
            "model_a": board.rows[a]["model_id"],
            "model_b": board.rows[b]["model_id"],
            "difference": result.difference[pair],
            "std_error": result.std_error[pair],
            "ci_lo": result.ci_lo[pair],
            "ci_hi": result.ci_hi[pair],
            "p_value": result.p_value[pair],
            "p_adjusted": adjusted[pair],
            "family_tests": int(member.sum()),
            "n_paired": int(result.shared[pair]),
            "clusters": int(result.clusters[pair]),
            "smallest_detectable": result.smallest_detectable[pair],
            "status": labels[pair],
        }
        for pair, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True))
    ]


def _pair_status(board: _Board, result: Differences, pair: int, a: int, b: int) -> str:
    reasons = [board.statuses[a], board.statuses[b]]
    if result.shared[pair] < FEWEST_CLUSTERS:
        reasons.append(status.TOO_FEW)
    elif np.isnan(result.std_error[pair]):
        reasons.append(status.NO_VARIATION)
    return status.worst(reasons)


def _ranked(family: list[Row], smallest_first: bool) -> list[Row]:
    board = _board([row for row in family if row["status"] == status.OK])
    m = len(board.rows)
    first, second = (side.astype(np.int64) for side in np.triu_indices(m, k=1))
    result = differences(board.figures, first, second)
    estimate = board.figures.estimate * (-1.0 if smallest_first else 1.0)
    best, worst = rank_intervals(estimate, first, second, result.std_error)
    rank = tied_ranks(estimate, descending=True).astype(np.int64)
    detectable = _median_by_model(result.smallest_detectable, first, second, m)
    place = {row["model_id"]: index for index, row in enumerate(board.rows)}
    found: list[Row] = []
    for row in family:
        index = place.get(row["model_id"])
        ranks = (
            (None, None, None, np.nan)
            if index is None
            else (
                int(rank[index]),
                int(best[index]),
                int(worst[index]),
                detectable[index],
            )
        )
        names = ("rank", "rank_lo", "rank_hi", "smallest_detectable")
        found.append(
            {
                **{key: row[key] for key in (*_KEYS, "estimate", "status")},
                **dict(zip(names, ranks, strict=True)),
                "ranked_models": m,
            }
        )
    return found


def _median_by_model(values: Floats, first: Ints, second: Ints, m: int) -> list[float]:
    medians = []
    for model in range(m):
        own = values[(first == model) | (second == model)]
        own = own[np.isfinite(own)]
        medians.append(float(np.median(own)) if len(own) else float(np.nan))
    return medians
