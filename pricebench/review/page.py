"""The review page: one HTML text that carries its state, its script and its style."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

# joined in this order into one script; they share one scope
_SCRIPTS = ("model.js", "saving.js", "view.js", "forms.js", "review.js")
# what could end the element that the state stands in; the rest of Unicode is escaped
# by the JSON itself
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}


def render(state: Mapping[str, Any]) -> str:
    """Return the page of a state.

    Parameters
    ----------
    state
        What is reviewed (``search-bench/review_state/1``); its texts come from
        strangers.

    Returns
    -------
    str
        One HTML text that needs nothing but its images; the same one is served and
        opened as a file.
    """
    title = f"Review of {state['run_id']}, {state['track']}"
    if state["phase"] == "references":
        title = f"Review of {state['run_id']}, references"
    text = json.dumps(state, sort_keys=True, allow_nan=False)
    return Template(_static("template.html")).substitute(
        policy=html.escape(_policy()),
        title=html.escape(title),
        style=_style(),
        script=_script(),
        state=text.translate(_ESCAPES),
    )


def content_policy() -> str:
    """Return the content security policy that the page is served with.

    Returns
    -------
    str
        Only the page's own script and style run, no text becomes markup, and no other
        page frames it.
    """
    return f"{_policy()}; frame-ancestors 'none'"


def _policy() -> str:
    """Return what a page can say of itself, which framing is not."""
    rules = (
        "default-src 'none'",
        f"script-src {_digest(_script())}",
        f"style-src {_digest(_style())}",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
    )
    return "; ".join(rules)


def _script() -> str:
    body = "\n".join(_static(name) for name in _SCRIPTS)
    return f'"use strict";\n(() => {{\n{body}}})();\n'


def _style() -> str:
    return _static("review.css")


@cache
def _static(name: str) -> str:
    folder = files("pricebench.review") / "static"
    return (folder / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    found = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(found).decode()}'"
