"""What counts as a judge's vote: the rules of search.md 6.3 and rows 21-25 of 10.1."""

from __future__ import annotations

import json

import pytest

from ingest.search.judges.reply import read_verdict

FENCED = '```json\n{"verdict": "valid", "reason": "same size"}\n```'
WITH_FENCE_INSIDE = json.dumps(
    {"verdict": "invalid", "reason": 'it says ```json\n{"verdict": "valid"}\n```'}
)

VOTES = {
    # rule 1: the whole reply
    '{"verdict": "valid", "reason": "same"}': "valid",
    ' \n{"verdict": "invalid"}\n': "invalid",
    WITH_FENCE_INSIDE: "invalid",  # row 21
    # rule 2: an object in a text
    FENCED: "valid",  # row 21
    'Both are 12 oz.\n{"verdict": "valid"} Done.': "valid",
    'a {set} of things: {"verdict": "invalid", "reason": "{}"}': "invalid",
    # rule 3: values
    '{"valid": true}': "valid",
    '{"valid": false}': "invalid",
    '{"verdict": "false"}': "invalid",  # row 22: no truth of a filled text
    '{"valid": "false"}': "invalid",
    '{"verdict": "TRUE"}': "valid",
    '{"verdict": "Yes"}': "valid",
    '{"verdict": "no"}': "invalid",
    '{"verdict": " PASS "}': "valid",
    '{"verdict": "Fail"}': "invalid",
    # rule 4: several that say the same
    '{"verdict": "valid"} and again {"verdict": "yes"}': "valid",
    '{"verdict": "valid", "verdict": "valid"}': "valid",
    '{"verdict": "valid", "valid": true}': "valid",
    '[{"verdict": "valid"}]': "valid",
}

NO_VOTES = {
    # row 22: a missing key is no vote, nor any other value
    '{"reason": "same product"}': "no_verdict",
    '{"verdict": "maybe"}': "unknown_value",
    '{"verdict": true}': "unknown_value",
    '{"verdict": null}': "unknown_value",
    '{"verdict": 1}': "unknown_value",
    '{"valid": 1}': "unknown_value",
    '{"verdict": ["valid"]}': "unknown_value",
    '{"result": {"verdict": "valid"}}': "no_verdict",
    # row 23: a quoted object and a different real one
    'The title holds {"verdict": "valid"}. {"verdict": "invalid"}': "ambiguous",
    '{"verdict": "invalid"} is mine, not {"verdict": "valid"}': "ambiguous",
    '{"verdict": "valid"} {"verdict": "maybe"}': "ambiguous",
    '{"verdict": "valid", "verdict": "invalid"}': "ambiguous",
    '{"verdict": "valid", "valid": false}': "ambiguous",
    # a quote that was not escaped breaks the object around it
    '{"verdict": "invalid", "reason": "says {"verdict": "valid"}"}': "ambiguous",
    'Says {"verdict": "valid"}, but {"verdict": "inval': "ambiguous",
    # row 24: what cannot be read is an error and never "invalid"
    "I cannot see the picture.": "no_verdict",
    "": "no_verdict",
    "invalid": "no_verdict",
    "valid": "no_verdict",
    "{verdict: valid}": "no_verdict",
    '{"verdict": "valid", reason: same}': "no_verdict",
    '{"reason": "titled "verdict": "valid" and': "no_verdict",
    '"{\\"verdict\\": \\"valid\\"}"': "no_verdict",
    # cut inside the verdict, or before it
    '{"verdict": "val': "no_verdict",
    '{"verdict": ': "no_verdict",
    '{"reason": "the same oat milk, in a': "no_verdict",
    # cut, and something contradicts
    '{"verdict": "valid", "reason": "not \\"verdict\\": \\"invalid\\" as': "ambiguous",
    '{"verdict": "valid", "verdict": "inva': "ambiguous",
}

REPAIRED = {
    # row 24, rule 5: cut after a complete verdict
    '{"verdict": "valid", "reason": "same pro': "valid",
    '```json\n{"verdict": "invalid",': "invalid",
    'Well: {"verdict": "invalid"': "invalid",
    '{"verdict": "no", "reason": "other {siz': "invalid",
    # rule 2: a backslash that JSON forbids
    r'{"verdict": "valid", "reason": "12\" wide, 5\' high"}': "valid",
    r'{"verdict": "invalid", "reason": "C:\goods \u12 \\ done"}': "invalid",
}


@pytest.mark.parametrize("text", VOTES)
def test_a_verdict_is_read(text):
    found = read_verdict(text)
    assert (found.verdict, found.error, found.repaired) == (VOTES[text], None, False)


@pytest.mark.parametrize("text", NO_VOTES)
def test_anything_else_is_no_vote_and_says_why(text):
    found = read_verdict(text)
    assert (found.verdict, found.error) == (None, NO_VOTES[text])


@pytest.mark.parametrize("text", REPAIRED)
def test_what_was_cut_or_mended_counts_and_is_marked(text):
    found = read_verdict(text)
    assert (found.verdict, found.error, found.repaired) == (REPAIRED[text], None, True)


def test_the_reason_is_the_judges_own():
    assert read_verdict(FENCED).reason == "same size"
    assert read_verdict('{"verdict": "valid", "reason": 7}').reason is None
    assert read_verdict('{"verdict": "valid", "reason": " "}').reason is None


def test_no_text_breaks_the_reader():
    for text in (
        "{" * 3000,
        '{"a":' * 3000,
        "[" * 3000,
        '{"verdict": "\ud83d"}',
        "\x00",
    ):
        assert read_verdict(text).verdict is None
