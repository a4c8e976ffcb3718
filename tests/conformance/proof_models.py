"""Models whose tastes are known and vary by pair of hotels, fitted at speed.

A model values option A over option B at

    sum_k (taste_k + sd_k z_gk) d_k + noise,    z standard normal, noise logistic,

with ``d`` the differences in the eight audited terms, the slot among them, and one draw
of ``z`` for each pair of hotels ``g``, which all answers to the pair share. Answers go
in as the long table that the estimates read, and fits come out of ``fit_table``: no
warehouse, no dbt. Axes: m models, n answers, g pairs, k terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from scipy.special import expit

from ingest.hotel.bank import draw_bank
from ingest.hotel.covariates import COVARIATES
from ingest.hotel.pool import make_pool
from models.hotel_logit import fit_table
from models.hotel_plan import HotelFit
from models.hotel_terms import AUDITED, BINARY, LOG
from models.ordering import Bools, Floats, Ints

# as many pairs as the published bank has
PAIRS, REPS = 450, 3
PLAN = (HotelFit(BINARY, LOG, AUDITED, keeps_influence=True),)
TERMS = PLAN[0].terms
# around these every model draws its own; in utility, in the order of the terms
MEANS = {
    "slot": 0.0,
    "stars": 0.8,
    "bed_rank": 0.2,
    "cancel": 0.5,
    "breakfast": 0.4,
    "review_score": 1.5,
    "review_count_100": 0.01,
    "log_price": -3.0,
}
# deviation of a taste over pairs as a share of its mean: mixed logits of the published
# answers find a third to six tenths
SPREAD = 0.5
SLOT_SPREAD = 0.25
# A bank has its own bias, of which all its models partake: one bank for all would make
# them dependent, and the bands are for independent ones.
MODELS_PER_BANK = 20
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(40)


class Tastes(NamedTuple):
    """Mean and deviation over pairs of every term, each of shape (k,)."""

    mean: Floats
    sd: Floats


class Bank:
    """The two-option answers to a bank, in both orders.

    Attributes
    ----------
    x
        Shape (n, 2, k), what both options offer.
    pair, hotel_ids
        Shape (n,) and (n, 2).
    """

    def __init__(self, seed: int) -> None:
        tasks = draw_bank(
            make_pool(),
            pairs=PAIRS,
            pair_reps=REPS,
            triples=0,
            triple_reps=1,
            seed=seed,
        )
        offers = np.array(
            [
                [[COVARIATES[term](option) for term in TERMS[1:]] for option in options]
                for options in (task.options for task in tasks)
            ],
            dtype=np.float64,
        )
        self.x: Floats = np.zeros((2 * len(tasks), 2, len(TERMS)))
        self.x[:, 0, 0] = np.tile([1.0, -1.0], len(tasks))
        self.x[:, :, 1:] = np.repeat(offers, 2, axis=0)
        self.pair: Ints = np.repeat([task.group_id - 1 for task in tasks], 2)
        ids = [[option.hotel_id for option in task.options] for task in tasks]
        self.hotel_ids: Ints = np.repeat(ids, 2, axis=0)

    @property
    def differences(self) -> Floats:
        """Shape (n, k), option A minus option B."""
        return self.x[:, 0] - self.x[:, 1]

    def answer(
        self, tastes: Tastes, rng: np.random.Generator, shared: Floats | None = None
    ) -> Bools:
        """Return whether option A is chosen, shape (n,).

        ``shared``, shape (g, k), makes half of the variance of every taste: what models
        that answer the same bank have in common.
        """
        z = rng.standard_normal((PAIRS, len(TERMS)))
        if shared is not None:
            z = np.sqrt(0.5) * (z + shared)
        own = tastes.mean + tastes.sd * z
        gain = np.einsum("nk,nk->n", self.differences, own[self.pair])
        chosen: Bools = gain + rng.logistic(size=len(gain)) > 0
        return chosen

    def aim(self, tastes: Tastes) -> Floats:
        """Return what endless answers to this bank would give, shape (k,).

        A logit without random tastes aims at mean tastes that are shrunk a little: at
        the maximum of its likelihood when each option is weighted by the chance of its
        choice. The taste draws add one normal to the difference of a pair; quadrature.
        Newton's method of its own, since the truth should not rest on what is proved.
        """
        d = self.differences
        spread = np.sqrt(d**2 @ tastes.sd**2)
        gain = (d @ tastes.mean)[:, None] + spread[:, None] * _NODES
        chance = expit(gain) @ _WEIGHTS / _WEIGHTS.sum()
        found = tastes.mean.copy()
        for _ in range(20):
            fitted = expit(d @ found)
            information = d.T @ (d * (fitted * (1 - fitted))[:, None])
            found += np.linalg.solve(information, d.T @ (chance - fitted))
        assert np.abs(d.T @ (chance - expit(d @ found))).max() < 1e-8
        return found

    def long_table(self, chosen: Bools, keys: Sequence[tuple[str, str]]) -> pa.Table:
        """Return the answers of m models, shape (m, n), a row for each option."""
        m, n = chosen.shape
        studies, names = zip(*keys, strict=True)
        offers = {term: self.x[:, :, place] for place, term in enumerate(TERMS)}
        numbers = {
            "slot_sign": offers.pop("slot"),
            **offers,
            "group_id": np.repeat(self.pair[:, None], 2, axis=1),
            "hotel_id": self.hotel_ids,
        }
        texts = {
            "answer_key": np.repeat([f"{answer:06d}" for answer in range(n)], 2),
            "option": np.tile(["A", "B"], n),
        }
        return pa.table(
            {
                "study_id": np.repeat(studies, 2 * n),
                "model_id": np.repeat(names, 2 * n),
                "variant": np.full(2 * n * m, "base"),
                "input_fingerprint": np.full(2 * n * m, "none"),
                **{name: np.tile(values, m) for name, values in texts.items()},
                **{name: np.tile(v.ravel(), m) for name, v in numbers.items()},
                "chosen_audited": np.stack([chosen, ~chosen], axis=2).ravel(),
            }
        )


def draw_tastes(
    rng: np.random.Generator, slot: tuple[float, float] = (-1.0, 1.0)
) -> Tastes:
    """Draw one model: half to one and a half times the means, a slot from a range."""
    mean = np.array(list(MEANS.values())) * rng.uniform(0.5, 1.5, len(MEANS))
    mean[0] = rng.uniform(*slot)
    sd = SPREAD * np.abs(list(MEANS.values()))
    sd[0] = SLOT_SPREAD
    return Tastes(mean, sd)


class Model(NamedTuple):
    """One simulated model: its keys, what its fit aims at, and what it answers."""

    study_id: str
    model_id: str
    aim: Floats
    chosen: Bools


def draw_banks(seeds: tuple[int, ...], models: int) -> Iterator[tuple[Bank, range]]:
    """Yield the banks of a study and the numbers of the models that each is put to."""
    for first in range(0, models, MODELS_PER_BANK):
        stream = np.random.SeedSequence([*seeds, first]).generate_state(1)
        last = min(first + MODELS_PER_BANK, models)
        yield Bank(int(stream[0])), range(first, last)


def fit_models(bank: Bank, models: Sequence[Model]) -> list[dict[str, Any]]:
    """Return the audited log fit of each of some models, in ascending order of keys."""
    keys = [(model.study_id, model.model_id) for model in models]
    chosen = np.stack([model.chosen for model in models])
    return fit_table(bank.long_table(chosen, keys), PLAN).to_pylist()
