"""The pooling test of the hotel fits: whether one taste answers pairs and triples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from scipy.special import chdtrc

from models import status
from models.covariance import is_positive
from models.hotel_terms import (
    AS_PUBLISHED,
    AUDITED,
    BINARY,
    CONTROLS,
    LOG,
    POOLED,
    PUBLISHED_WITHOUT_INTERCEPT,
    TERNARY,
)
from models.ordering import Floats
from models.pooling import pooling_table
from models.tables import Row, build_table

_NUMBER = pa.float64()
_PARTS = (BINARY.name, TERNARY.name, POOLED.name)
HOTEL_POOLING_SCHEMA = pa.schema(
    [
        pa.field("study_id", pa.string(), nullable=False),
        pa.field("model_id", pa.string(), nullable=False),
        pa.field("reading", pa.string(), nullable=False),
        *(pa.field(f"{part}_n", pa.int64(), nullable=False) for part in _PARTS),
        *(pa.field(f"{part}_log_price", _NUMBER) for part in _PARTS),
        *(pa.field(f"{part}_std_error", _NUMBER) for part in _PARTS),
        *(pa.field(f"{part}_log_likelihood", _NUMBER) for part in _PARTS),
        pa.field("lr_chi2", _NUMBER),
        pa.field("lr_df", pa.int64()),
        pa.field("lr_p_value", _NUMBER),
        pa.field("wald_chi2", _NUMBER),
        pa.field("wald_df", pa.int64()),
        pa.field("wald_p_value", _NUMBER),
        pa.field("std_error_ratio", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
    ]
)
# fits of a reading, by block; the published two-option fit drops the intercept here
_DESIGNS = {
    AS_PUBLISHED.name: {
        BINARY.name: PUBLISHED_WITHOUT_INTERCEPT.name,
        TERNARY.name: AS_PUBLISHED.name,
        POOLED.name: AS_PUBLISHED.name,
    },
    AUDITED.name: dict.fromkeys(_PARTS, AUDITED.name),
}
_TASTES = (*CONTROLS, LOG.price_term)


class Wald(NamedTuple):
    """A chi-square statistic; undefined without two full sets of estimates."""

    chi2: float
    df: int | None
    p_value: float


def hotel_pooling_table(fits: pa.Table) -> pa.Table:
    """Test, model by model, whether the two formats share their seven slopes.

    As published (Kireyev 2026): likelihood-ratio test on answers that name an option,
    without constants. Audited: the same with slot terms of each format, and a Wald test
    from the covariances clustered by group, which allows for the dependence between
    answers to the same hotels that the likelihood ratio takes for independence. A slope
    that a format's tasks do not identify, as that of a price that never varies, is left
    out of the Wald test, as it is of the degrees of freedom of the other.

    Parameters
    ----------
    fits
        Rows of ``hotel_logit.FIT_SCHEMA``, in any order; only log-price fits of the
        base prompt are used.

    Returns
    -------
    pyarrow.Table
        ``HOTEL_POOLING_SCHEMA``, one row for each model with a pooled fit, two
        readings each, in ascending order of the keys. Standard errors are clustered in
        the audited reading. Without enough answers to a format, where one of the fits
        has no maximum, or without a slope that both formats identify, both tests are
        null with a status; ``weak`` where the clustered covariances alone do not allow
        the audited test. Empty for an empty table.
    """
    found: dict[tuple[str, str, str], dict[str, Row]] = {}
    for fit in fits.to_pylist():
        if fit["specification"] != LOG.name or fit["variant"] != "base":
            continue
        for reading, designs in _DESIGNS.items():
            if designs.get(fit["block"]) == fit["design"]:
                key = fit["study_id"], fit["model_id"], reading
                found.setdefault(key, {})[fit["block"]] = fit
    parts = {key: found[key] for key in sorted(found) if POOLED.name in found[key]}
    if not parts:
        return HOTEL_POOLING_SCHEMA.empty_table()
    ratios = pooling_table(pa.Table.from_pylist(_ratio_rows(parts))).to_pylist()
    rows = [
        _row(key, parts[key], ratio) for key, ratio in zip(parts, ratios, strict=True)
    ]
    return build_table(rows, HOTEL_POOLING_SCHEMA)


def _ratio_rows(parts: dict[tuple[str, str, str], dict[str, Row]]) -> list[Row]:
    rows = []
    for (study_id, model_id, reading), fits in parts.items():
        row: Row = {"study_id": study_id, "model_id": model_id, "reading": reading}
        for part in _PARTS:
            fit = _usable(fits.get(part))
            row[f"{part}_log_likelihood"] = fit["log_likelihood"] if fit else None
            row[f"{part}_terms"] = _fitted(fit) if fit else None
        for part in (BINARY.name, POOLED.name):
            row[f"{part}_price_std_error"] = _price(fits.get(part), reading)[1]
        row["status"] = _status(fits)
        rows.append(row)
    return rows


def _usable(fit: Row | None) -> Row | None:
    return fit if fit is not None and fit["status"] == status.OK else None


def _fitted(fit: Row) -> int:
    return sum(value is not None for value in fit["estimate"])


def _status(fits: dict[str, Row]) -> str:
    missing = [status.TOO_FEW] * (len(fits) < len(_PARTS))
    return status.worst([*(fit["status"] for fit in fits.values()), *missing])


def _price(fit: Row | None, reading: str) -> tuple[float | None, float | None]:
    """Return the price coefficient and its error in the reading."""
    if fit is None:
        return None, None
    place = fit["term"].index(LOG.price_term)
    column = "cluster_std_error" if reading == AUDITED.name else "std_error"
    return fit["estimate"][place], fit[column][place]


def _row(key: tuple[str, str, str], fits: dict[str, Row], ratio: Row) -> Row:
    study_id, model_id, reading = key
    row: Row = {"study_id": study_id, "model_id": model_id, "reading": reading}
    for part in _PARTS:
        fit = fits.get(part)
        row[f"{part}_n"] = 0 if fit is None else fit["n"]
        row[f"{part}_log_price"], row[f"{part}_std_error"] = _price(fit, reading)
        row[f"{part}_log_likelihood"] = None if fit is None else fit["log_likelihood"]
    wald = _wald(fits) if reading == AUDITED.name else Wald(np.nan, None, np.nan)
    return row | {
        "lr_chi2": ratio["lr_chi2"],
        "lr_df": ratio["lr_df"],
        "lr_p_value": ratio["p_value"],
        "wald_chi2": wald.chi2,
        "wald_df": wald.df,
        "wald_p_value": wald.p_value,
        "std_error_ratio": ratio["std_error_ratio"],
        "status": status.worst((ratio["status"], _wald_status(reading, wald))),
    }


def _wald_status(reading: str, wald: Wald) -> str:
    # the audited test is the Wald test, whatever the ratio beside it says
    untested = reading == AUDITED.name and wald.df is None
    return status.WEAK if untested else status.OK


def _wald(fits: dict[str, Row]) -> Wald:
    """Compare the slopes of the two formats; their groups share no answer."""
    sides = [_usable(fits.get(part)) for part in (BINARY.name, TERNARY.name)]
    tastes = [_tastes(fit) for fit in sides if fit]
    if len(tastes) < 2:
        return Wald(np.nan, None, np.nan)
    (first, first_spread), (second, second_spread) = tastes
    shared = np.isfinite(first - second)
    apart = (first - second)[shared]
    spread = (first_spread + second_spread)[np.ix_(shared, shared)]
    if not is_positive(spread):
        return Wald(np.nan, None, np.nan)
    chi2 = float(apart @ np.linalg.solve(spread, apart))
    return Wald(chi2, len(apart), float(chdtrc(len(apart), chi2)))


def _tastes(fit: Row) -> tuple[Floats, Floats]:
    places = [fit["term"].index(term) for term in _TASTES]
    k = len(fit["term"])
    estimate = np.array(fit["estimate"], dtype=np.float64)
    covariance = np.array(fit["cluster_covariance"], dtype=np.float64).reshape(k, k)
    return estimate[places], covariance[np.ix_(places, places)]
