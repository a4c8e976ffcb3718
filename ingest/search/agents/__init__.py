"""Search agents: how each is asked and how its answers become listings."""
