"""``python -m pricebench``: the same as the command ``pricebench``."""

import sys

from pricebench.cli import main

sys.exit(main())
