"""Bootstrap intervals and ranks of the two-option hotel logits, model by model.

Axes: b replicates, m models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from models import status
from models.bootstrap import Replicates, bootstrap
from models.bootstrap_draws import REPLICATES, draw_counts
from models.bootstrap_summary import percentile_interval
from models.clusters import Clusters, carrying_clusters, prepare_clusters
from models.hotel_bootstrap_ranks import (
    STABILITY_SCHEMA,
    Statistic,
    add_ranks,
    stability_row,
)
from models.hotel_choices import OPTIONS, HotelChoices, read_choices
from models.hotel_logit import FEWEST_CARRYING_CLUSTERS, FEWEST_CLUSTERS
from models.hotel_terms import (
    ATTRIBUTES,
    DESIGNS,
    INTERCEPT,
    SLOT,
    SPECIFICATIONS,
    Design,
    Specification,
    terms,
)
from models.hotel_wtp import IDENTIFIED_P, SMALLEST_PRICE_COEFFICIENT
from models.inference import Interval, contains_zero, z_test
from models.ordering import Floats, Ints
from models.tables import Row, build_table

VARIANT = "base"
ATTRIBUTE = "review_score"
VERDICT_COLUMNS = ("study_id", "model_id", "engaged", "locked")
_TEXT, _NUMBER, _COUNT = pa.string(), pa.float64(), pa.int64()
BOOTSTRAP_SCHEMA = pa.schema(
    [
        pa.field("study_id", _TEXT, nullable=False),
        pa.field("model_id", _TEXT, nullable=False),
        pa.field("statistic", _TEXT, nullable=False),
        pa.field("specification", _TEXT, nullable=False),
        pa.field("reading", _TEXT, nullable=False),
        pa.field("point", _NUMBER),
        pa.field("ci_lo", _NUMBER),
        pa.field("ci_hi", _NUMBER),
        pa.field("replicates", _COUNT, nullable=False),
        pa.field("failed_replicates", _COUNT, nullable=False),
        pa.field("separated_replicates", _COUNT, nullable=False),
        pa.field("rank", _NUMBER),
        pa.field("rank_lo", _NUMBER),
        pa.field("rank_hi", _NUMBER),
        pa.field("first_share", _NUMBER),
        pa.field("bottom_two_share", _NUMBER),
        pa.field("bottom_three_share", _NUMBER),
        pa.field("status", _TEXT, nullable=False),
    ]
)


@dataclass(frozen=True, slots=True)
class BootstrapTables:
    """Intervals by model, and how stable the order of models is.

    Attributes
    ----------
    statistics
        ``BOOTSTRAP_SCHEMA``.
    stability
        ``STABILITY_SCHEMA``.
    """

    statistics: pa.Table
    stability: pa.Table


@dataclass(frozen=True, slots=True)
class _Verdict:
    engaged: bool
    locked: bool


def bootstrap_tables(
    columns: pa.Table | Mapping[str, npt.ArrayLike],
    verdicts: pa.Table | Mapping[str, npt.ArrayLike],
) -> BootstrapTables:
    """Bootstrap the base answers of all models of a study by pair of hotels.

    As published (Kireyev 2026): 500 replicates of the log form; price and review
    coefficient, and review over the absolute price coefficient times $250; models that
    are engaged ranked by absolute price coefficient, and by willingness to pay where
    both full-sample p-values are below 0.001. Audited: 2,000 replicates of both forms,
    which all models share; willingness to pay keeps its sign; every model whose status
    is ``ok`` is ranked, price coefficients from the most negative.

    Parameters
    ----------
    columns
        Long table of answers as for ``hotel_choices.read_choices``: whole studies,
        since draws and ranks are those of a study. Variants other than base are left
        out.
    verdicts
        Arrow table, or arrays by name: ``study_id``, ``model_id``, ``engaged`` (the
        published verdict lets the model take part), ``locked`` (the audited verdict on
        two options is a locked slot). One row for each model with base answers.

    Returns
    -------
    BootstrapTables
        Rows by study (ascending), reading, specification, statistic (each in a fixed
        order) and model (ascending). A replicate that has no ordinary maximum is
        counted in ``failed_replicates`` and stays in: a separated one stands at the end
        to which it runs, any other at whichever end widens the interval. With 2.5 % of
        them at one end the interval is null and the status says why. Audited:
        ``too_few`` below 30 pairs, ``weak`` for a term carried by fewer than 10 pairs
        and for a willingness to pay whose price interval contains 0 or is undefined,
        ``locked`` for a locked model and an interval that contains 0. Ranks are null
        for a model that is not ranked. Input order changes nothing. No answers give
        empty tables.

    Raises
    ------
    ValueError
        Input that breaks the contract of ``read_choices``, a missing column, a verdict
        that stands twice, or none for a model.
    """
    known = _read_verdicts(verdicts)
    base = (part for part in read_choices(columns) if part.variant == VARIANT)
    rows: list[Row] = []
    stability: list[Row] = []
    for study, parts in groupby(base, key=lambda part: part.study_id):
        for statistics in _study(study, list(parts), known):
            ranked = add_ranks(statistics)
            rows.extend(ranked.rows)
            stability.append(stability_row(statistics, ranked.ranks))
    return BootstrapTables(
        build_table(rows, BOOTSTRAP_SCHEMA), build_table(stability, STABILITY_SCHEMA)
    )


def _read_verdicts(
    verdicts: pa.Table | Mapping[str, npt.ArrayLike],
) -> dict[tuple[str, str], _Verdict]:
    names = verdicts.column_names if isinstance(verdicts, pa.Table) else list(verdicts)
    for name in VERDICT_COLUMNS:
        if name not in names:
            raise ValueError(f"verdicts: no column {name!r}; add it to the input")
    table = (
        verdicts.select(VERDICT_COLUMNS)
        if isinstance(verdicts, pa.Table)
        else pa.table({n: pa.array(verdicts[n]) for n in VERDICT_COLUMNS})
    )
    known: dict[tuple[str, str], _Verdict] = {}
    for row in table.to_pylist():
        key = (row["study_id"], row["model_id"])
        if key in known:
            raise ValueError(f"verdicts: {' '.join(key)} stands twice")
        known[key] = _Verdict(bool(row["engaged"]), bool(row["locked"]))
    return known


def _study(
    study: str, parts: list[HotelChoices], known: dict[tuple[str, str], _Verdict]
) -> Iterator[list[Statistic]]:
    """Yield, for each statistic of each reading, its rows for all models."""
    for part in parts:
        if (study, part.model_id) not in known:
            raise ValueError(
                f"verdicts: none for {study} {part.model_id}; give each model one row"
            )
    pairs = np.unique(np.concatenate([part.group_ids for part in parts]))
    for design in DESIGNS:
        if design.name not in REPLICATES:
            continue
        counts = draw_counts(REPLICATES[design.name], len(pairs))
        for specification in SPECIFICATIONS:
            if design.name == "as_published" and specification.name != "log":
                continue
            by_model = [
                _statistics(
                    _Fit(part, design, specification, pairs),
                    counts,
                    known[study, part.model_id],
                )
                for part in parts
            ]
            for same in zip(*by_model, strict=True):
                yield list(same)


class _Fit:
    """The answers of a model that belong to a reading, laid out for one fit."""

    def __init__(
        self,
        choices: HotelChoices,
        design: Design,
        specification: Specification,
        pairs: Ints,
    ) -> None:
        chosen = choices.chosen[design.chosen_column]
        used = chosen >= 0
        self.choices, self.design, self.specification = choices, design, specification
        self.terms = terms(design, specification)
        self.chosen = chosen[used]
        self.codes = np.searchsorted(pairs, choices.group_ids[used])
        self.clusters: Clusters = prepare_clusters(choices.group_ids[used])
        self.x = np.zeros((int(used.sum()), len(OPTIONS), len(self.terms)))
        columns = {
            SLOT: "slot_sign",
            specification.price_term: specification.price_column,
        }
        for place, term in enumerate(self.terms):
            if term == INTERCEPT:
                self.x[:, 0, place] = 1.0
            else:
                self.x[:, :, place] = choices.numbers[columns.get(term, term)][used]

    def term_status(self, replicates: Replicates) -> dict[str, str]:
        """Return the status of each term, lowered where it rests on too few pairs."""
        found = dict(zip(self.terms, replicates.point.term_status, strict=True))
        if self.design.inference != "clustered":
            return found
        carrying = carrying_clusters(self.x[:, 0] != self.x[:, 1], self.clusters)
        few = [status.TOO_FEW] * (self.clusters.count < FEWEST_CLUSTERS)
        return {
            term: status.worst(
                (label, *few, *[status.WEAK] * bool(carried < FEWEST_CARRYING_CLUSTERS))
            )
            for (term, label), carried in zip(found.items(), carrying, strict=True)
        }


def _statistics(
    fit: _Fit, counts: npt.NDArray[np.uint16], verdict: _Verdict
) -> list[Statistic]:
    """Refit one model and derive its statistics, always the same ones in one order."""
    replicates = bootstrap(fit.x, fit.chosen, fit.codes, counts, order_terms=1)
    price = fit.specification.price_term
    audited = fit.design.inference == "clustered"
    labels = fit.term_status(replicates)
    draws = dict(zip(fit.terms, replicates.estimate.T, strict=True))
    point = dict(zip(fit.terms, replicates.point.estimate.tolist(), strict=True))
    p_values = z_test(replicates.point.estimate, replicates.point.std_error)
    p_value = dict(zip(fit.terms, p_values.tolist(), strict=True))
    form = "" if fit.specification.name == "log" else f"_{fit.specification.name}"
    price_interval = percentile_interval(draws[price])
    # a price response of unknown sign makes every ratio to it doubtful
    doubt = [status.WEAK] * bool(
        audited and (np.isnan(price_interval.lo) or contains_zero(price_interval))
    )
    identified = all(p_value[term] < IDENTIFIED_P for term in (price, ATTRIBUTE))
    maker = _Maker(fit, replicates, verdict)
    found = [
        maker.price(price, _Values(point[price], draws[price], labels[price])),
        maker.other(
            f"{ATTRIBUTE}{form}",
            _Values(point[ATTRIBUTE], draws[ATTRIBUTE], labels[ATTRIBUTE]),
            ranked=audited,
        ),
    ]
    for attribute in ATTRIBUTES if audited else (ATTRIBUTE,):
        label = status.worst((labels[price], labels[attribute], *doubt))
        own = _worth(fit, np.array([point[attribute]]), np.array([point[price]]))
        values = _worth(fit, draws[attribute], draws[price])
        found.append(
            maker.other(
                f"wtp_{attribute}{form}_usd",
                _Values(float(own[0]), values, label),
                ranked=audited or identified,
            )
        )
    return found


def _worth(fit: _Fit, attribute: Floats, price: Floats) -> Floats:
    """Return dollars a night by the rule of the reading, NaN where there is none."""
    scale = fit.specification.reference_price_usd or 1.0
    with np.errstate(all="ignore"):
        if fit.design.inference == "clustered":
            worth = -attribute / price * scale
        else:
            worth = attribute / np.abs(price) * scale
            worth[np.abs(price) <= SMALLEST_PRICE_COEFFICIENT] = np.nan
    worth[price == 0] = np.nan
    return worth


class _Values(NamedTuple):
    """A statistic in the full sample and in each replicate, and what it rests on."""

    point: float
    draws: Floats
    status: str


@dataclass(frozen=True, slots=True)
class _Maker:
    """Turns the values of one fit into statistics with rows."""

    fit: _Fit
    replicates: Replicates
    verdict: _Verdict

    def price(self, name: str, values: _Values) -> Statistic:
        """Rank by absolute value as published, else from the most negative."""
        both = np.concatenate([[values.point], values.draws])
        audited = self.fit.design.inference == "clustered"
        return self._make(name, values, -both if audited else np.abs(both))

    def other(self, name: str, values: _Values, *, ranked: bool) -> Statistic:
        """Rank from the largest value, or not at all."""
        both = np.concatenate([[values.point], values.draws])
        return self._make(name, values, both if ranked else None)

    def _make(self, name: str, values: _Values, order: Floats | None) -> Statistic:
        fit, replicates = self.fit, self.replicates
        interval = percentile_interval(values.draws)
        label = self._status(values, interval)
        audited = fit.design.inference == "clustered"
        ranked = label == status.OK and (audited or self.verdict.engaged)
        row = {
            "study_id": fit.choices.study_id,
            "model_id": fit.choices.model_id,
            "statistic": name,
            "specification": fit.specification.name,
            "reading": fit.design.name,
            "point": values.point,
            "ci_lo": interval.lo,
            "ci_hi": interval.hi,
            "replicates": len(values.draws),
            "failed_replicates": replicates.failed,
            "separated_replicates": replicates.status.count(status.SEPARATED),
            "status": label,
        }
        return Statistic(row, values.draws, order if ranked else None)

    def _status(self, values: _Values, interval: Interval) -> str:
        reasons = [values.status]
        if not np.isfinite(values.point):
            reasons.append(status.WEAK)
        elif np.isnan(interval.lo):
            reasons.append(status.worst((status.WEAK, *self.replicates.status)))
        audited = self.fit.design.inference == "clustered"
        if audited and self.verdict.locked and contains_zero(interval):
            reasons.append(status.LOCKED)
        return status.worst(reasons)
