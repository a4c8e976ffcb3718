"""What the first build would else spend its time on: run once by ``make setup``."""

from __future__ import annotations

import sys

from models.workers import start_aside
from pricebench.build import read_project


def compile_bootstrap(_nothing: None = None) -> None:
    """Compile the sweeps of the bootstrap, where numba is there, into its cache."""
    import numpy as np

    from models.bootstrap import bootstrap
    from models.bootstrap_draws import draw_counts

    rng = np.random.default_rng(0)
    pairs = np.repeat(np.arange(30), 4)
    offers = rng.normal(size=(len(pairs), 2, 2))
    # tastes so strong that some replicates need every sweep there is
    value = offers @ np.array([2.0, 4.0]) + rng.gumbel(size=(len(pairs), 2))
    slot = np.tile([[[1.0], [0.0]], [[-1.0], [0.0]]], (len(pairs) // 2, 1, 1))
    x = np.concatenate([slot, offers], axis=2)
    bootstrap(x, value.argmax(axis=1), pairs, draw_counts(60, 30), order_terms=1)


def main() -> int:
    """Read the dbt project and compile the bootstrap; return the exit code."""
    compiled = start_aside(compile_bootstrap, None)
    read_project()
    compiled()
    return 0


if __name__ == "__main__":
    sys.exit(main())
