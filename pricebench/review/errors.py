"""Why a save was refused, as the server answers it."""

from __future__ import annotations

from typing import Any


class Refused(Exception):
    """A save that was not carried out; nothing has changed.

    Attributes
    ----------
    status
        Of the answer: 403, 409, 422 or 503.
    field
        What is wrong; None where it is no field.
    extra
        What else the answer holds.
    """

    def __init__(
        self,
        why: str,
        *,
        field: str | None = None,
        status: int = 422,
        **extra: Any,
    ) -> None:
        super().__init__(why)
        self.status = status
        self.field = field
        self.extra = extra

    def body(self) -> dict[str, Any]:
        """Return what the answer holds."""
        told = {} if self.field is None else {"field": self.field}
        return {"error": str(self), **told, **self.extra}
