"""Large and small sites of the long tail (search.md 2.6)."""

from __future__ import annotations

from ingest.search.grid.quotas import largest_remainder
from ingest.search.read_bank import STRATA

LARGE, SMALL = STRATA
# two large sites for each small one
_WEIGHTS = {LARGE: 2, SMALL: 1}


def strata(cells: int) -> list[str]:
    """Return the stratum of each long-tail cell, the small ones spread evenly.

    Parameters
    ----------
    cells
        Long-tail cells of the grid, 0 or more.

    Returns
    -------
    list of str
        ``large`` or ``small``, for the cells in order of category and number.
    """
    small = largest_remainder(_WEIGHTS, cells)[SMALL]
    return [
        SMALL if (i + 1) * small // cells > i * small // cells else LARGE
        for i in range(cells)
    ]
