"""Willingness to pay from fit rows, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from models.hotel_logit import FIT_SCHEMA
from models.hotel_terms import CONTROLS
from models.hotel_wtp import WTP_SCHEMA, wtp_table
from models.inference import normal_interval, z_test
from models.tables import build_table

Row = dict[str, Any]
Z = 1.959963984540054


def fit_row(
    form: str,
    design: str,
    *,
    review: float = 2.0,
    price: float = -4.0,
    errors: tuple[float, float] = (0.2, 0.3),
    shared: float = 0.01,
    status: dict[str, str] | None = None,
) -> Row:
    """A fit in which only the review and the price term matter."""
    terms = ["slot", *CONTROLS, "log_price" if form == "log" else "price"]
    estimate = np.full(8, 1.0)
    std_error = np.full(8, 0.1)
    estimate[[5, 7]] = review, price
    std_error[[5, 7]] = errors
    covariance = np.diag(std_error**2)
    covariance[5, 7] = covariance[7, 5] = shared
    labels = [(status or {}).get(term, "ok") for term in terms]
    unknown = [label in ("separated", "no_variation") for label in labels]
    estimate[unknown] = np.nan
    std_error[unknown] = np.nan
    covariance[unknown] = np.nan
    covariance[:, unknown] = np.nan
    lo, hi = normal_interval(estimate, std_error)
    return {
        "study_id": "s",
        "model_id": "m/m",
        "variant": "base",
        "input_fingerprint": "f",
        "block": "binary",
        "specification": form,
        "design": design,
        "n": 100,
        "clusters": 50,
        "log_likelihood": -10.0,
        "null_log_likelihood": -20.0,
        "pseudo_r2": 0.5,
        "aic": 36.0,
        "status": "ok",
        "iterations": 5,
        "term": terms,
        "estimate": estimate,
        "std_error": std_error,
        "cluster_std_error": std_error,
        "twoway_std_error": std_error,
        "p_value": z_test(estimate, std_error),
        "ci_lo": lo,
        "ci_hi": hi,
        "term_status": labels,
        "covariance": covariance.ravel(),
        "cluster_covariance": covariance.ravel(),
        "cluster_id": [],
        "cluster_influence": np.zeros(0),
    }


def review_worth(row: Row) -> Row:
    table = wtp_table(build_table([row], FIT_SCHEMA))
    (found,) = [r for r in table.to_pylist() if r["attribute"] == "review_score"]
    return found


def test_published_log_form_by_hand() -> None:
    row = review_worth(fit_row("log", "as_published"))
    # 2 / |-4| x 250 = 125; 125 x sqrt((0.2/2)^2 + (0.3/4)^2) = 125 x 0.125 = 15.625
    assert row["wtp_usd"] == pytest.approx(125.0, rel=1e-14)
    assert row["std_error"] == pytest.approx(15.625, rel=1e-14)
    assert (row["ci_lo"], row["ci_hi"]) == pytest.approx(
        (125 - Z * 15.625, 125 + Z * 15.625), rel=1e-14
    )
    assert (row["fieller_lo"], row["fieller_hi"]) == (None, None)
    assert (row["reference_price_usd"], row["p_identified"]) == (250.0, True)
    assert row["status"] == "ok"


def test_published_log_form_loses_the_sign_of_the_price() -> None:
    dearer = review_worth(fit_row("log", "as_published", price=4.0))
    assert dearer["wtp_usd"] == pytest.approx(125.0, rel=1e-14)


def test_audited_log_form_keeps_the_sign_of_the_price() -> None:
    dearer = review_worth(fit_row("log", "audited", price=4.0))
    assert dearer["wtp_usd"] == pytest.approx(-125.0, rel=1e-14)


def test_published_linear_form_has_no_error() -> None:
    row = review_worth(fit_row("linear", "as_published", price=-0.02))
    # -2 / -0.02 dollars at any rate
    assert row["wtp_usd"] == pytest.approx(100.0, rel=1e-14)
    assert row["std_error"] is None
    assert (row["ci_lo"], row["ci_hi"], row["fieller_lo"]) == (None, None, None)
    assert row["reference_price_usd"] is None


def test_audited_log_form_by_hand() -> None:
    row = review_worth(fit_row("log", "audited"))
    # relative variance 0.01 - 2 x 0.01 / (2 x -4) + 0.005625 = 0.018125
    error = 125 * np.sqrt(0.018125)
    assert row["wtp_usd"] == pytest.approx(125.0, rel=1e-14)
    assert row["std_error"] == pytest.approx(error, rel=1e-13)
    assert row["ci_hi"] == pytest.approx(125 + Z * error, rel=1e-13)
    # both ends solve (2 - 4 r)^2 = z^2 (0.04 + 2 r 0.01 + r^2 0.09), r = wtp / 250
    for end in (row["fieller_lo"], row["fieller_hi"]):
        r = end / 250
        assert (2 - 4 * r) ** 2 == pytest.approx(
            Z**2 * (0.04 + 0.02 * r + 0.09 * r * r), rel=1e-9
        )
    assert row["fieller_lo"] < 125 < row["fieller_hi"]


def test_audited_linear_form_by_hand() -> None:
    row = review_worth(
        fit_row("linear", "audited", price=-0.02, errors=(0.2, 0.002), shared=0.0)
    )
    # 100 x sqrt((0.2/2)^2 + (0.002/0.02)^2) = 100 x sqrt(0.02)
    assert row["wtp_usd"] == pytest.approx(100.0, rel=1e-14)
    assert row["std_error"] == pytest.approx(100 * np.sqrt(0.02), rel=1e-13)
    assert row["reference_price_usd"] is None
    assert row["fieller_lo"] < row["wtp_usd"] < row["fieller_hi"]


def test_audited_value_is_weak_when_the_price_may_be_nothing() -> None:
    row = review_worth(fit_row("log", "audited", price=-0.5, errors=(0.2, 0.3)))
    # -0.5 + 1.96 x 0.3 > 0
    assert row["status"] == "weak"
    assert (row["fieller_lo"], row["fieller_hi"]) == (None, None)
    assert row["wtp_usd"] == pytest.approx(1000.0)
    assert row["p_identified"] is False
    published = review_worth(fit_row("log", "as_published", price=-0.5))
    assert published["status"] == "ok"


@pytest.mark.parametrize("form", ["log", "linear"])
def test_published_value_is_left_out_when_the_price_coefficient_is_nothing(
    form: str,
) -> None:
    for price, known in ((1e-6, False), (-1e-6, False), (1.1e-6, True)):
        row = review_worth(fit_row(form, "as_published", price=price))
        assert (row["wtp_usd"] is not None) == known
        assert row["status"] == ("ok" if known else "weak")


@pytest.mark.parametrize("design", ["as_published", "audited"])
@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"review_score": "weak"}, "weak"),
        ({"log_price": "too_few", "review_score": "weak"}, "too_few"),
        ({"log_price": "separated"}, "separated"),
        ({"review_score": "no_variation", "log_price": "weak"}, "no_variation"),
        ({"stars": "separated"}, "ok"),
    ],
)
def test_status_is_the_worse_of_the_two_terms(
    design: str, status: dict[str, str], expected: str
) -> None:
    row = review_worth(fit_row("log", design, status=status))
    assert row["status"] == expected
    if expected in ("separated", "no_variation"):
        for name in ("wtp_usd", "std_error", "ci_lo", "fieller_hi", "p_identified"):
            assert row[name] is None


def test_screen_needs_both_p_values() -> None:
    # z = 2 / 0.7 = 2.9, p = 0.004
    row = review_worth(fit_row("log", "as_published", errors=(0.7, 0.3)))
    assert row["p_identified"] is False


def test_attributes_and_the_slot_in_the_order_of_keys() -> None:
    rows = [
        fit_row(form, design)
        for form in ("log", "linear")
        for design in ("as_published", "audited", "published_on_audited")
    ]
    table = wtp_table(build_table(rows, FIT_SCHEMA))
    assert table.schema == WTP_SCHEMA
    keys = table.select(["specification", "design", "attribute"]).to_pylist()
    listed = [tuple(key.values()) for key in keys]
    assert listed == sorted(listed)
    # four attributes and the slot that these fits have, in two forms and three designs
    assert len(listed) == 5 * 2 * 3
    turned = wtp_table(build_table(rows[::-1], FIT_SCHEMA))
    assert turned.equals(table)


def test_published_rule_holds_for_published_terms_on_audited_answers() -> None:
    row = review_worth(fit_row("log", "published_on_audited", price=4.0))
    assert row["wtp_usd"] == pytest.approx(125.0, rel=1e-14)
    assert row["design"] == "published_on_audited"


def test_empty_input_gives_an_empty_table() -> None:
    table = wtp_table(FIT_SCHEMA.empty_table())
    assert (table.schema, table.num_rows) == (WTP_SCHEMA, 0)
    assert isinstance(table, pa.Table)
