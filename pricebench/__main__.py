"""``python -m pricebench``: the same as the command ``pricebench``."""

from pricebench.cli import main

main()
