"""A permutation test: do models of one provider share tastes for brands.

Axes: m models, b brands, p pairs of models, q permutations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from models import status
from models.columns import Columns, families, read_rows
from models.ordering import Bools, Floats, Ints
from models.tables import Row, build_table

PERMUTATIONS = 2000
SEED = 42
# published: a vector that hardly varies has no correlation with another
SMALLEST_SPREAD = 1e-9
# a permutation that keeps the partition ties with the observed gap, but sums in another
# order
ROUNDING = 1e-12

Generator = Literal["as_published", "audited"]

_KEYS = ("study_id", "reading", "specification", "display_name")
SIMILARITY_INPUT = pa.schema(
    [
        pa.field("study_id", pa.string(), nullable=False),
        pa.field("reading", pa.string(), nullable=False),
        pa.field("specification", pa.string(), nullable=False),
        pa.field("display_name", pa.string(), nullable=False),
        pa.field("provider", pa.string(), nullable=False),
        pa.field("brand", pa.string(), nullable=False),
        pa.field("estimate", pa.float64()),
    ]
)
_NUMBER = pa.float64()
SIMILARITY_SCHEMA = pa.schema(
    [
        pa.field("study_id", pa.string(), nullable=False),
        pa.field("reading", pa.string(), nullable=False),
        pa.field("specification", pa.string(), nullable=False),
        pa.field("models", pa.int64(), nullable=False),
        pa.field("models_left_out", pa.int64(), nullable=False),
        pa.field("all_brands_positive_models", pa.int64(), nullable=False),
        pa.field("within_pairs", pa.int64(), nullable=False),
        pa.field("across_pairs", pa.int64(), nullable=False),
        pa.field("skipped_pairs", pa.int64(), nullable=False),
        pa.field("within_r", _NUMBER),
        pa.field("across_r", _NUMBER),
        pa.field("gap", _NUMBER),
        pa.field("permutations", pa.int64(), nullable=False),
        pa.field("at_least_as_large", pa.int64()),
        pa.field("p_value", _NUMBER),
        pa.field("null_sd", _NUMBER),
        pa.field("null_p05", _NUMBER),
        pa.field("null_p50", _NUMBER),
        pa.field("null_p95", _NUMBER),
        pa.field("status", pa.string(), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True)
class SimilarityTest:
    """Outcome of the permutation test.

    Attributes
    ----------
    within, across, gap
        Mean correlation of pairs of one provider, of two providers, and the first minus
        the second; NaN where a side has no pair.
    within_pairs, across_pairs, skipped_pairs
        Pairs on either side, and pairs without a correlation.
    permuted
        Shape (q,), gaps under permuted providers, in the order drawn.
    at_least_as_large
        Permuted gaps not below the observed one.
    p_value
        One-sided; NaN where the gap is undefined.
    status
        ``ok``; ``too_few`` when a side has no pair; ``no_variation`` when that is only
        because every correlation of the side is undefined.
    """

    within: float
    across: float
    gap: float
    within_pairs: int
    across_pairs: int
    skipped_pairs: int
    permuted: Floats
    at_least_as_large: int
    p_value: float
    status: str


def pair_correlations(vectors: Floats) -> Floats:
    """Correlate the vectors of all pairs of models.

    Parameters
    ----------
    vectors
        Shape (m, b), finite.

    Returns
    -------
    numpy.ndarray
        Shape (m, m), Pearson r in [-1, 1]. NaN where either vector has a standard
        deviation below 1e-9, as in Kireyev (2026), section 5.4. Empty for m = 0.
    """
    centred = vectors - vectors.mean(axis=1, keepdims=True)
    length = np.sqrt((centred**2).sum(axis=1))
    flat = length / np.sqrt(max(vectors.shape[1], 1)) < SMALLEST_SPREAD
    unit = centred / np.where(flat, np.nan, length)[:, None]
    r: Floats = np.clip(unit @ unit.T, -1.0, 1.0)
    return r


def similarity_test(
    vectors: Floats,
    providers: Sequence[str],
    *,
    generator: Generator,
    permutations: int = PERMUTATIONS,
    seed: int = SEED,
) -> SimilarityTest:
    """Test whether models of one provider have more similar brand coefficients.

    Kireyev (2026), section 5.4: the gap is the mean Pearson correlation of pairs within
    a provider minus that of pairs across; providers are permuted over models.

    Parameters
    ----------
    vectors
        Shape (m, b), finite brand coefficients. The order of the models decides which
        permutation is which: give them in alphabetical order.
    providers
        Length m.
    generator
        ``as_published``: the old Mersenne Twister, shuffled in place, p is the share of
        permuted gaps not below the observed one. ``audited``: PCG64, and the observed
        assignment counts as one permutation, (1 + k) / (1 + q), so that p is valid and
        never 0 (Phipson and Smyth 2010).
    permutations
        q, at least 1.
    seed
        At least 0.

    Returns
    -------
    SimilarityTest
        Undefined with status ``too_few`` for fewer than two providers or no pair within
        one, which includes no model at all.

    Raises
    ------
    ValueError
        Other than one provider for each model.
    """
    if len(providers) != len(vectors):
        raise ValueError(
            f"providers: one for each of {len(vectors)} models, got {len(providers)}"
        )
    names = sorted(set(providers))
    codes = np.array([names.index(name) for name in providers], dtype=np.int64)
    first, second = np.triu_indices(len(codes), k=1)
    r = pair_correlations(vectors)[first, second]
    made = np.isfinite(r)
    same = codes[first] == codes[second]
    within, across = _means(same[None, :], r, made)
    gap = float(within[0] - across[0])
    permuted = np.full(permutations, np.nan)
    count, extra = 0, 0 if generator == "as_published" else 1
    if np.isfinite(gap):
        shuffled = _shuffles(codes, generator, permutations, seed)
        inside = shuffled[:, first] == shuffled[:, second]
        permuted = np.subtract(*_means(inside, r, made))
        count = int((permuted >= gap - ROUNDING).sum())
    p = (count + extra) / (permutations + extra) if np.isfinite(gap) else np.nan
    return SimilarityTest(
        within=float(within[0]),
        across=float(across[0]),
        gap=gap,
        within_pairs=int((same & made).sum()),
        across_pairs=int((~same & made).sum()),
        skipped_pairs=int((~made).sum()),
        permuted=permuted,
        at_least_as_large=count,
        p_value=p,
        status=_label(gap, same),
    )


def _label(gap: float, same: Bools) -> str:
    if np.isfinite(gap):
        return status.OK
    return status.NO_VARIATION if same.any() and not same.all() else status.TOO_FEW


def _means(inside: Bools, r: Floats, made: Bools) -> tuple[Floats, Floats]:
    """Mean correlation inside and outside, for each row of ``inside`` (q, p)."""
    known = np.where(made, r, 0.0)
    inner = inside & made
    count = inner.sum(axis=1)
    total = np.where(inner, known, 0.0).sum(axis=1)
    rest = np.where(~inside & made, known, 0.0).sum(axis=1)
    outer = made.sum() - count
    return (
        total / np.where(count > 0, count, np.nan),
        rest / np.where(outer > 0, outer, np.nan),
    )


def _shuffles(codes: Ints, generator: Generator, q: int, seed: int) -> Ints:
    shuffled = np.empty((q, len(codes)), dtype=np.int64)
    if generator == "as_published":
        # the published draws come from the old generator
        legacy = np.random.RandomState(seed)
        for row in shuffled:
            row[:] = codes
            legacy.shuffle(row)
        return shuffled
    modern = np.random.default_rng(seed)
    for row in shuffled:
        row[:] = modern.permutation(codes)
    return shuffled


def similarity_table(columns: Columns) -> pa.Table:
    """Test brand similarity within providers, study by study.

    Parameters
    ----------
    columns
        ``SIMILARITY_INPUT``, one row for each model and brand: coefficients of the
        models that belong to the reading (as published: engaged ones). The reading is
        ``as_published`` or ``audited`` and sets the generator. Models stand in
        alphabetical order of ``display_name`` for the permutations.

    Returns
    -------
    pyarrow.Table
        ``SIMILARITY_SCHEMA``, one row for each study, reading and specification.
        ``models_left_out`` lack a brand's coefficient. ``all_brands_positive_models``
        have every coefficient above 0. The percentiles are those of the permuted gaps:
        an observed gap below ``null_p95`` could not have been called similar, which
        says how little a test of so few models can show. An empty input gives an
        empty table.

    Raises
    ------
    ValueError
        Input that breaks the schema, an unknown reading, or a model with two providers;
        the message names it.
    """
    rows = read_rows(
        columns, SIMILARITY_INPUT, (*_KEYS, "brand"), what="brand coefficients"
    )
    return build_table(
        [_row(family) for family in families(rows, _KEYS[:3])], SIMILARITY_SCHEMA
    )


def _row(family: list[Row]) -> Row:
    reading = family[0]["reading"]
    if reading not in ("as_published", "audited"):
        raise ValueError(f"brand coefficients: unknown reading {reading!r}")
    matrix, providers, left_out = _vectors(family)
    test = similarity_test(matrix, providers, generator=reading)
    made = np.isfinite(test.gap)
    cuts = np.percentile(test.permuted, [5, 50, 95]) if made else [np.nan] * 3
    return {
        **{key: family[0][key] for key in _KEYS[:3]},
        "models": len(matrix),
        "models_left_out": left_out,
        "all_brands_positive_models": int((matrix > 0).all(axis=1).sum()),
        "within_pairs": test.within_pairs,
        "across_pairs": test.across_pairs,
        "skipped_pairs": test.skipped_pairs,
        "within_r": test.within,
        "across_r": test.across,
        "gap": test.gap,
        "permutations": PERMUTATIONS,
        "at_least_as_large": test.at_least_as_large if made else None,
        "p_value": test.p_value,
        "null_sd": float(test.permuted.std()),
        **dict(zip(("null_p05", "null_p50", "null_p95"), cuts, strict=True)),
        "status": test.status,
    }


def _vectors(family: list[Row]) -> tuple[Floats, list[str], int]:
    """Return complete vectors, their providers, and the number of incomplete ones."""
    brands = {row["brand"] for row in family}
    vectors: list[list[float]] = []
    providers: list[str] = []
    left_out = 0
    for model in families(family, _KEYS):
        names = sorted({row["provider"] for row in model})
        if len(names) > 1:
            name = model[0]["display_name"]
            raise ValueError(f"brand coefficients: {name} has providers {names}")
        values = [row["estimate"] for row in model]
        if len(values) < len(brands) or None in values:
            left_out += 1
            continue
        vectors.append(values)
        providers += names
    matrix = np.array(vectors, dtype=np.float64).reshape(-1, len(brands))
    return matrix, providers, left_out
