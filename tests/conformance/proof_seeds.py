"""Seeds of the proof by simulation, written down before its first run.

They are never changed to make a test pass: a figure outside its band is a fault to be
found, not a draw to be repeated.
"""

BANK = 20261
MODELS = 20262
NULLS = 20263
LOCKED = 20264
