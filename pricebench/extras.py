"""Parts of a build that are left out unless asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum

# read by the YAML beside the estimates, so that `dbt build` in the project can ask too
EXTRAS_VARIABLE = "PRICEBENCH_WITH"


class Extra(StrEnum):
    """A part of a build that takes long and that few readers want."""

    mixed_logit = "mixed_logit"


@contextmanager
def asked_for(extras: Sequence[Extra]) -> Iterator[None]:
    """Ask for extras in every build inside the block.

    Parameters
    ----------
    extras : sequence of Extra
        Those of the command line; what the environment asks for is asked for as well.

    Yields
    ------
    None
        The environment is as it was afterwards.
    """
    before = os.environ.get(EXTRAS_VARIABLE)
    named = (before or "").split(",") + [extra.value for extra in extras]
    # one spelling, so that dbt reads its project anew only where the request changes
    os.environ[EXTRAS_VARIABLE] = ",".join(sorted({one for one in named if one}))
    try:
        yield
    finally:
        if before is None:
            del os.environ[EXTRAS_VARIABLE]
        else:
            os.environ[EXTRAS_VARIABLE] = before
