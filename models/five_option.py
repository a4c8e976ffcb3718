"""Do tastes estimated on two options predict choices among five.

Axes: n answers, j options, k terms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from scipy.special import log_softmax

from models import status
from models.clusters import Clusters, prepare_clusters
from models.columns import Columns, families, read_rows
from models.hotel_logit import FEWEST_CLUSTERS
from models.hotel_terms import CONTROLS
from models.inference import Interval, normal_interval
from models.influence import cluster_variance, mean_influence
from models.ordering import Floats, Ints
from models.tables import Row, build_table

TERMS = (*CONTROLS, "log_price")

_NUMBER = pa.float64()
_KEYS = ("study_id", "model_id", "reading")
ANSWER_INPUT = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        pa.field("answer_key", pa.string(), nullable=False),
        pa.field("option", pa.string(), nullable=False),
        pa.field("group_id", pa.int64(), nullable=False),
        *(pa.field(term, _NUMBER, nullable=False) for term in TERMS),
        pa.field("chosen", pa.bool_(), nullable=False),
    ]
)
TASTE_INPUT = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        pa.field("term", pa.string(), nullable=False),
        pa.field("estimate", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
    ]
)
_SCORES = ("hit_rate", "top_two_rate", "mean_rank", "log_score")
PREDICTION_SCHEMA = pa.schema(
    [
        *(pa.field(key, pa.string(), nullable=False) for key in _KEYS),
        pa.field("n", pa.int64(), nullable=False),
        pa.field("clusters", pa.int64(), nullable=False),
        *(
            field
            for score in _SCORES
            for field in (
                pa.field(score, _NUMBER),
                pa.field(f"{score}_ci_lo", _NUMBER),
                pa.field(f"{score}_ci_hi", _NUMBER),
                pa.field(f"{score}_chance", _NUMBER),
            )
        ),
        pa.field("cheapest_hit_rate", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
    ]
)


class Scores(NamedTuple):
    """How each answer was predicted; each array of shape (n,).

    ``rank`` is the predicted rank of the chosen option, 1 to j; ``log_probability`` its
    log choice probability, at most 0.
    """

    rank: Ints
    log_probability: Floats


def score_predictions(utility: Floats, chosen: Ints) -> Scores:
    """Compare predicted utilities with choices.

    Kireyev (2026), section 6: options are ranked by utility, and of equal ones the
    earlier stands first.

    Parameters
    ----------
    utility
        Shape (n, j), finite.
    chosen
        Shape (n,), position of the chosen option, 0 to j - 1.

    Returns
    -------
    Scores
        Empty for n = 0. Probabilities are those of the logit with these utilities.
    """
    rows = np.arange(len(chosen))
    own = utility[rows, chosen][:, None]
    earlier = np.arange(utility.shape[1]) < chosen[:, None]
    ahead = (utility > own) | ((utility == own) & earlier)
    logs = log_softmax(utility, axis=1) if len(chosen) else utility
    return Scores(ahead.sum(axis=1) + 1, logs[rows, chosen])


def five_option_table(answers: Columns, tastes: Columns) -> pa.Table:
    """Predict choices among five options from tastes estimated on two.

    Parameters
    ----------
    answers
        ``ANSWER_INPUT``, one row for each option of each answer that belongs to the
        reading; ``group_id`` is the set of hotels. Options stand in the order of their
        ids, all answers having the same number of them.
    tastes
        ``TASTE_INPUT``: coefficients of the log form of the two-option block, keyed by
        the study of the answers they are to predict; terms other than the six controls
        and ``log_price`` (an intercept, a slot) are ignored, since neither says
        anything about five slots.

    Returns
    -------
    pyarrow.Table
        ``PREDICTION_SCHEMA``, one row for each study, model and reading of the answers.
        ``hit_rate`` and ``top_two_rate`` are shares in [0, 1] of answers whose choice
        was ranked first, or in the first two; ``mean_rank`` is 1 at best;
        ``log_score`` is the mean log probability of the choice. ``_chance`` columns
        hold what a random ranking gives, ``cheapest_hit_rate`` what always naming the
        cheapest (of equal ones the earlier) would hit. Intervals are audited only:
        normal, by set of hotels, as both orders of a task share a prediction. Null with
        the status of the tastes where one is missing, which is ``too_few`` where there
        are none; ``too_few`` below 30 sets, with one set also null intervals. An empty
        input gives an empty table.

    Raises
    ------
    ValueError
        Input that breaks a schema; an answer without exactly one chosen option or with
        another number of options than the first; the message names it.
    """
    keys = (*_KEYS, "answer_key", "option")
    rows = read_rows(answers, ANSWER_INPUT, keys, what="five-option answers")
    known = read_rows(tastes, TASTE_INPUT, (*_KEYS, "term"), what="tastes")
    by_model = {
        tuple(family[0][key] for key in _KEYS): {row["term"]: row for row in family}
        for family in families(known, _KEYS)
    }
    found = []
    for family in families(rows, _KEYS):
        model = tuple(family[0][key] for key in _KEYS)
        found.append(_row(family, by_model.get(model, {})))
    return build_table(found, PREDICTION_SCHEMA)


class _Answers(NamedTuple):
    x: Floats
    chosen: Ints
    clusters: Clusters


def _arranged(family: list[Row]) -> _Answers:
    answers = list(families(family, (*_KEYS, "answer_key")))
    size = len(answers[0])
    for answer in answers:
        picks = sum(row["chosen"] for row in answer)
        if len(answer) != size or picks != 1:
            name = " ".join(answer[0][key] for key in (*_KEYS, "answer_key"))
            raise ValueError(
                f"five-option answers: {name} has {len(answer)} options and {picks} "
                f"choices; {size} options and one choice needed"
            )
    values = [[[row[term] for term in TERMS] for row in answer] for answer in answers]
    picked = [[row["chosen"] for row in answer] for answer in answers]
    return _Answers(
        np.array(values, dtype=np.float64),
        np.argmax(np.array(picked), axis=1),
        prepare_clusters([answer[0]["group_id"] for answer in answers]),
    )


def _row(family: list[Row], tastes: dict[str, Row]) -> Row:
    answers = _arranged(family)
    n, j, _ = answers.x.shape
    price = answers.x[:, :, TERMS.index("log_price")]
    few = [status.TOO_FEW] * (answers.clusters.count < FEWEST_CLUSTERS)
    labels = [
        tastes[term]["status"] if term in tastes else status.TOO_FEW for term in TERMS
    ]
    values = [tastes[term]["estimate"] if term in tastes else None for term in TERMS]
    row: Row = {
        **{key: family[0][key] for key in _KEYS},
        "n": n,
        "clusters": answers.clusters.count,
        "cheapest_hit_rate": float((price.argmin(axis=1) == answers.chosen).mean()),
        "status": status.worst((*labels, *few)),
        "hit_rate_chance": 1 / j,
        "top_two_rate_chance": min(2 / j, 1.0),
        "mean_rank_chance": (j + 1) / 2,
        "log_score_chance": -float(np.log(j)),
    }
    if None in values:
        unknown = [f"{s}{end}" for s in _SCORES for end in ("", "_ci_lo", "_ci_hi")]
        return row | dict.fromkeys(unknown)
    utility = np.einsum("njk,k->nj", answers.x, np.array(values, dtype=np.float64))
    scores = score_predictions(utility, answers.chosen)
    return row | _means(scores, answers.clusters, audited=row["reading"] == "audited")


def _means(scores: Scores, clusters: Clusters, *, audited: bool) -> Row:
    figures = (scores.rank == 1, scores.rank <= 2, scores.rank, scores.log_probability)
    means: Row = {}
    for name, figure in zip(_SCORES, figures, strict=True):
        values = figure.astype(np.float64)
        interval = _interval(values, clusters)
        means[name] = float(values.mean())
        means[f"{name}_ci_lo"] = interval.lo if audited else None
        means[f"{name}_ci_hi"] = interval.hi if audited else None
    return means


def _interval(figure: Floats, clusters: Clusters) -> Interval:
    error = np.sqrt(cluster_variance(mean_influence(figure, clusters)))
    lo, hi = normal_interval(figure.mean(), error)
    return Interval(float(lo), float(hi))
