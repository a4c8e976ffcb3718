"""A stored summary that `report search --check` cannot compare."""

from __future__ import annotations

import pytest

from pricebench.errors import CommandError
from pricebench.report import refuse_other


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "holds no JSON object"),
        ("null", "holds no JSON object"),
        ("{", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
    ],
    ids=["list", "null", "cut", "deep"],
)
def test_what_is_no_summary_is_refused_in_one_line(tmp_path, text, words):
    path = tmp_path / "summary_exact.json"
    path.write_text(text)
    with pytest.raises(CommandError, match=words) as refused:
        refuse_other(path, {"track": "exact"})
    assert "\n" not in str(refused.value)
