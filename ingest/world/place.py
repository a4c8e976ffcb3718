"""Where the offline world is served; apart, so that help loads nothing else."""

from __future__ import annotations

ADDRESS, DEFAULT_PORT = "127.0.0.1", 8797
