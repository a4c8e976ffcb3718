"""Where answers come from: the closed set that ``source`` holds everywhere."""

from __future__ import annotations

# files that somebody published; answers that we asked for; answers of scripts
RELEASE, COLLECTED, SIMULATED = "release", "collected", "simulated"
# implied by a published figure: nobody gave them, so they stand on no board
DERIVED = "derived"
OBSERVED = (RELEASE, COLLECTED, SIMULATED)
SOURCES = (*OBSERVED, DERIVED)
# what the id of a model begins with that is a script, whatever serves it
SIMULATED_PREFIX = f"{SIMULATED}/"
