"""Human review of a search run: what a person has to settle, and where it is kept."""
