"""Metrics of purchase decisions in both readings, with bootstrap intervals.

Axes: n decisions, s scenarios, b resamples.
"""

from __future__ import annotations

from functools import lru_cache
from random import Random

import numpy as np
import pyarrow as pa

from models import status
from models.bootstrap_draws import draw_counts
from models.bootstrap_summary import percentile_interval
from models.columns import Columns, families, read_rows
from models.inference import UNDEFINED, Interval
from models.ordering import Floats
from models.purchase_sample import (
    FEWEST_DECISIONS,
    FEWEST_SCENARIOS_SHARE,
    Figure,
    Sample,
    Total,
    audited_figures,
    published_figures,
    read_bank,
    read_sample,
    thin_cells,
)
from models.purchase_terms import METRICS
from models.tables import Row, build_table

SEED = 12
REPLICATES = 2000

_TEXT, _NUMBER, _COUNT = pa.string(), pa.float64(), pa.int64()
_KEYS = ("study_id", "model_id", "run_id", "scenario_id", "label", "repeat")
DECISION_INPUT = pa.schema(
    [
        *(pa.field(key, _TEXT, nullable=False) for key in _KEYS[:-1]),
        pa.field("repeat", _COUNT, nullable=False),
        pa.field("category", _TEXT, nullable=False),
        pa.field("is_optimal", pa.bool_(), nullable=False),
        pa.field("bought", pa.bool_(), nullable=False),
        pa.field("buy_optimal", pa.bool_(), nullable=False),
        pa.field("regret_share", _NUMBER, nullable=False),
        pa.field("optimal_ordinary", _TEXT, nullable=False),
        pa.field("optimal_bonded", _TEXT, nullable=False),
        pa.field("bank_sha256", _TEXT, nullable=False),
    ]
)
_BANK_KEYS = ("bank_sha256", "scenario_id")
SCENARIO_INPUT = pa.schema(
    [
        pa.field(name, _TEXT, nullable=False)
        for name in (*_BANK_KEYS, "optimal_ordinary", "optimal_bonded")
    ]
)
METRIC_SCHEMA = pa.schema(
    [
        *(
            pa.field(key, _TEXT, nullable=False)
            for key in ("study_id", "model_id", "reading", "metric")
        ),
        pa.field("value", _NUMBER),
        pa.field("ci_lo", _NUMBER),
        pa.field("ci_hi", _NUMBER),
        pa.field("n", _COUNT, nullable=False),
        pa.field("replicates", _COUNT, nullable=False),
        pa.field("undefined_replicates", _COUNT, nullable=False),
        pa.field("status", _TEXT, nullable=False),
        pa.field("cluster_id", pa.list_(_TEXT), nullable=False),
        pa.field("influence", pa.list_(_NUMBER), nullable=False),
    ]
)


def metric_table(decisions: Columns, scenarios: Columns) -> pa.Table:
    """Return every metric of every model in both readings.

    Parameters
    ----------
    decisions
        ``DECISION_INPUT``, one row for each question that was put: of repeated rows
        the last. ``category`` is the option chosen, ``invalid`` or ``failed``.
    scenarios
        ``SCENARIO_INPUT``, one row for each scenario of the banks, asked or not.

    Returns
    -------
    pyarrow.Table
        ``METRIC_SCHEMA``, unrounded, in ascending order of study and model, published
        reading first. As published every row counts and the interval is that of Knipe
        (2026, bootstrap intervals). Audited, failed calls count for nothing but
        ``failed_share``; a metric is ``too_few`` where a cell that it rests on is thin
        or its pairs are: fewer than 30, or on fewer than half of the scenarios.
        ``bond_rational`` is then a property of the whole bank, whatever was asked of
        it; as published it rests on the rows of the run.
        ``no_variation``: what was answered leaves nothing to divide by. Null with a
        status where there is no figure. ``influence`` holds
        what each scenario of ``cluster_id`` adds to the error of an audited figure;
        both are empty where there is no figure, and as published. An empty input gives
        an empty table.

    Raises
    ------
    ValueError
        Input that breaks the schema, or decisions whose bank is not given; the message
        names the column, the row or the bank.
    """
    rows = read_rows(decisions, DECISION_INPUT, _KEYS, what="purchase decisions")
    listed = read_rows(scenarios, SCENARIO_INPUT, _BANK_KEYS, what="purchase scenarios")
    banks = {
        family[0]["bank_sha256"]: read_bank(family)
        for family in families(listed, _BANK_KEYS[:1])
    }
    found: list[Row] = []
    for family in families(rows, _KEYS[:2]):
        key = {name: family[0][name] for name in _KEYS[:2]}
        bank = banks.get(family[0]["bank_sha256"])
        if bank is None:
            raise ValueError(
                f"purchase scenarios: none of bank {family[0]['bank_sha256']}; add "
                "them to the input"
            )
        found += [{**key, **row} for row in model_metrics(read_sample(family, bank))]
    return build_table(found, METRIC_SCHEMA)


def model_metrics(sample: Sample) -> list[Row]:
    """Return the metrics of one model in both readings.

    Parameters
    ----------
    sample
        Its decisions.

    Returns
    -------
    list of dict
        Rows of ``METRIC_SCHEMA`` without study and model.
    """
    s = len(sample.scenarios)
    published, audited = published_figures(sample), audited_figures(sample)
    thin = thin_cells(sample)
    rows = []
    for name, draws in evaluate(published, published_draws(s)).items():
        label = _published_status(published[name])
        interval = truncated_interval(draws)
        rows.append(_row("as_published", name, published[name], label, draws, interval))
    bank_size = len(sample.bank.scenarios)
    for name, figure in audited.items():
        # what the bond should move is the bank's, whatever was asked of it
        whole = name == "bond_rational"
        clusters = sample.bank.scenarios if whole else sample.scenarios
        # one resample has the same draws for every figure of so many scenarios
        draws = evaluate({name: figure}, audited_draws(len(clusters)))[name]
        label = _audited_status(name, figure, thin, bank_size)
        row = _row("audited", name, figure, label, draws, percentile_interval(draws))
        if row["value"] is not None:
            row["cluster_id"] = list(clusters)
            row["influence"] = influence(figure)
        rows.append(row)
    return rows


@lru_cache(maxsize=16)
def published_draws(scenarios: int) -> Floats:
    """Return how often each scenario came in each resample, as published.

    Parameters
    ----------
    scenarios
        Number of scenarios s, at least 1.

    Returns
    -------
    numpy.ndarray
        Shape (2000, s): a fresh generator for each model, seeded with 12, draws s of
        the ascending scenario ids one after another (Knipe 2026, bootstrap intervals).
    """
    random, places = Random(SEED), range(scenarios)
    drawn = [[random.choice(places) for _ in places] for _ in range(REPLICATES)]
    counts = np.zeros((REPLICATES, scenarios))
    np.add.at(counts, (np.arange(REPLICATES)[:, None], np.array(drawn)), 1.0)
    return counts


@lru_cache(maxsize=16)
def audited_draws(scenarios: int) -> Floats:
    """Return how often each scenario came in each resample, audited; as above."""
    return draw_counts(REPLICATES, scenarios, seed=SEED).astype(np.float64)


def evaluate(figures: dict[str, Figure], weights: Floats) -> dict[str, Floats]:
    """Return every metric for every resample, all of one resample together.

    Parameters
    ----------
    figures
        Metric -> figure over s scenarios.
    weights
        Shape (b, s), how often each scenario counts.

    Returns
    -------
    dict
        Metric -> shape (b,), NaN where there is nothing to divide by.
    """
    return {name: _value(figure, weights) for name, figure in figures.items()}


def influence(figure: Figure) -> Floats:
    """Return what each scenario adds to a figure's deviation from its expectation.

    Parameters
    ----------
    figure
        A figure that is defined.

    Returns
    -------
    numpy.ndarray
        Shape (s,), summing to 0: the derivative of the figure by the scenario's
        weight. The sum of squares is the clustered variance.
    """
    moved = _mean_influence(figure.plus)
    if figure.minus is not None:
        moved = moved - _mean_influence(figure.minus)
    moved = figure.scale * moved
    if figure.over is None:
        return moved
    below = _point(figure.over)
    quotient = _point(figure._replace(over=None)) / below
    out: Floats = (moved - quotient * influence(figure.over)) / below
    return out


def truncated_interval(draws: Floats) -> Interval:
    """Return the published interval: two order statistics, their places cut down.

    Parameters
    ----------
    draws
        Shape (b,), NaN for a resample without a value, which is left out.

    Returns
    -------
    Interval
        The values at ``int(0.025 (m - 1))`` and ``int(0.975 (m - 1))`` of m sorted ones
        (Knipe 2026, bootstrap intervals); undefined without values.
    """
    values = np.sort(draws[~np.isnan(draws)])
    last = len(values) - 1
    if last < 0:
        return UNDEFINED
    lo, hi = (float(values[int(share * last)]) for share in (0.025, 0.975))
    return Interval(lo, hi)


def _row(
    reading: str,
    metric: str,
    figure: Figure,
    label: str,
    draws: Floats,
    interval: Interval,
) -> Row:
    is_defined = label == status.OK
    return {
        "reading": reading,
        "metric": metric,
        "value": _point(figure) if is_defined else None,
        "ci_lo": interval.lo if is_defined else None,
        "ci_hi": interval.hi if is_defined else None,
        "n": figure.n,
        "replicates": len(draws),
        "undefined_replicates": int(np.isnan(draws).sum()),
        "status": label,
        "cluster_id": [],
        "influence": np.zeros(0),
    }


def _published_status(figure: Figure) -> str:
    if not np.isnan(_point(figure)):
        return status.OK
    has_rows = figure.plus.den.any() and (
        figure.minus is None or figure.minus.den.any()
    )
    return status.NO_VARIATION if has_rows else status.TOO_FEW


def _is_thin(paired: Figure, bank_scenarios: int) -> bool:
    # pairs are held to what a cell is held to
    covered = np.count_nonzero(paired.plus.den)
    return bool(
        paired.n < FEWEST_DECISIONS or covered < FEWEST_SCENARIOS_SHARE * bank_scenarios
    )


def _audited_status(
    metric: str, figure: Figure, thin: frozenset[str], bank_scenarios: int
) -> str:
    cells = METRICS[metric]
    if thin & set(cells) or (len(cells) > 1 and _is_thin(figure, bank_scenarios)):
        return status.TOO_FEW
    if not np.isnan(_point(figure)):
        return status.OK
    # repeats that are missing are too few decisions; a bank without a decision to skip,
    # or whose best options no bond moves, has nothing to compare
    return status.TOO_FEW if metric == "flip_rate" else status.NO_VARIATION


def _point(figure: Figure) -> float:
    return float(_value(figure, np.ones((1, len(figure.plus.num))))[0])


def _value(figure: Figure, weights: Floats) -> Floats:
    value = _mean(figure.plus, weights)
    if figure.minus is not None:
        value = value - _mean(figure.minus, weights)
    value = figure.scale * value
    if figure.over is None:
        return value
    return _divide(value, _value(figure.over, weights))


def _mean(total: Total, weights: Floats) -> Floats:
    return _divide(weights @ total.num, weights @ total.den)


def _mean_influence(total: Total) -> Floats:
    size = float(total.den.sum())
    mean = float(total.num.sum()) / size
    out: Floats = (total.num - mean * total.den) / size
    return out


def _divide(above: Floats, below: Floats) -> Floats:
    safe = np.where(below == 0, np.nan, below)
    out: Floats = above / safe
    return out
