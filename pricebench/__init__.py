"""The command line of the warehouse: wiring only."""

import os

# Dependencies read these at import, so they are set before anything else loads.
os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("RUNTIME__DLTHUB_TELEMETRY", "false")
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
