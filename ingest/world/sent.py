"""What the world sends in answer to a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Sent:
    """What a server sends.

    Attributes
    ----------
    content
        The body.
    status, headers
        Of the response.
    fault
        ``hang`` (nothing is ever sent) or ``half`` (half of the body, then the
        connection ends); None: all is well.
    """

    content: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: str | None = None
