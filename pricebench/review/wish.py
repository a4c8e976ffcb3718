"""What can be asked of a review, apart from what carries it out."""

from __future__ import annotations

from dataclasses import dataclass

ADDRESS, DEFAULT_PORT = "127.0.0.1", 8799
# of the random sample
DEFAULT_SEED = 20260101


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of a review.

    Attributes
    ----------
    references
        Settle references before agents are asked.
    write
        Write the pages as files and serve nothing.
    sample, seed
        Draw this share of the candidates at random first.
    second
        Review as a second reviewer.
    port
        Where to serve.
    """

    references: bool = False
    write: bool = False
    sample: str | None = None
    seed: int = DEFAULT_SEED
    second: bool = False
    port: int = DEFAULT_PORT
