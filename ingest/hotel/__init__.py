"""The hotel instrument: task banks, released answers and simulated shoppers."""
