"""Parts of a build that are left out unless asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum

from pricebench.errors import CommandError

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

    Raises
    ------
    CommandError
        If the environment names something that is no extra.
    """
    before = os.environ.get(EXTRAS_VARIABLE)
    asked = [one.strip() for one in (before or "").split(",") if one.strip()]
    unknown = sorted(set(asked) - set(Extra))
    if unknown:
        raise CommandError(
            f"{EXTRAS_VARIABLE} names {unknown[0]!r}, which is no part of a build: "
            f"one of {', '.join(Extra)}, or unset it"
        )
    named = asked + [extra.value for extra in extras]
    # one spelling, so that dbt reads its project anew only where the request changes
    os.environ[EXTRAS_VARIABLE] = ",".join(sorted(set(named)))
    try:
        yield
    finally:
        if before is None:
            del os.environ[EXTRAS_VARIABLE]
        else:
            os.environ[EXTRAS_VARIABLE] = before
