"""Product search: artifacts of a run folder, loading them, and an example run."""
