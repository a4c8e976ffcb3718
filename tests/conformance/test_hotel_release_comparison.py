"""Resampled, compared and described models as marts, on the published release."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.release

# statistic -> its name in the published table
BOOTSTRAPPED = {
    "log_price": "b_logp",
    "review_score": "b_review",
    "wtp_review_score_usd": "wtp",
}
# Gemma3 4B is one of the seven models of the published forensics: column there -> here,
# and what a unit there is here
FORENSICS = {
    "triage_first_rate": ("first_shown_rate", 1),
    "n_binary_orig": ("original_count", 1),
    "n_binary_swap": ("swapped_count", 1),
    "valid_rate_orig": ("original_valid_share", 1),
    "valid_rate_swap": ("swapped_valid_share", 1),
    "n_invalid_orig": ("original_invalid_count", 1),
    "n_invalid_swap": ("swapped_invalid_count", 1),
    "n_empty_orig": ("original_empty_count", 1),
    "n_empty_swap": ("swapped_empty_count", 1),
    "pct_bare": ("bare_share", 100),
    "pct_short_verbose": ("short_verbose_share", 100),
    "pct_long_verbose": ("long_verbose_share", 100),
    "pct_empty_other": ("empty_other_share", 100),
    "pct_bare_orig": ("original_bare_share", 100),
    "p_first_orig": ("original_first_share", 1),
    "p_first_swap": ("swapped_first_share", 1),
    "n_obs_logit": ("fit_n", 1),
    "b_logp": ("log_price", 1),
    "b_logp_se": ("std_error", 1),
    "b_logp_p": ("p_value", 1),
    "r2_log": ("pseudo_r2", 1),
    "n_coef_p05_of7": ("significant_slopes", 1),
}


def test_published_bootstrap_intervals(marts, models, published):
    table = published("rank_stability_cis").set_index("model")
    for name, model_id in models.items():
        rows = marts.execute(
            "select statistic, point, ci_lo, ci_hi, replicates, failed_replicates"
            " from marts.hotel_bootstrap"
            " where model_id = ? and reading = 'as_published'",
            [model_id],
        ).fetchall()
        assert {row[0] for row in rows} == set(BOOTSTRAPPED)
        for statistic, point, lo, hi, replicates, failed in rows:
            short = BOOTSTRAPPED[statistic]
            wanted = table.loc[name]
            assert point == pytest.approx(wanted[short], rel=1e-9)
            # the published refits stop at a tolerance, ours at the maximum
            assert lo == pytest.approx(wanted[f"{short}_ci_lo"], rel=1e-8)
            assert hi == pytest.approx(wanted[f"{short}_ci_hi"], rel=1e-8)
            assert (replicates, failed) == (500, wanted["n_boot_fail"])


def test_ranks_keep_the_published_order(marts, models, published):
    table = published("rank_stability_cis").set_index("model")
    for statistic, column in (
        ("log_price", "rank_absb_point"),
        ("wtp_review_score_usd", "rank_wtp_point"),
    ):
        rows = marts.execute(
            "select display_name, rank, rank_lo, rank_hi from marts.hotel_bootstrap"
            " join marts.model using (model_id)"
            " where statistic = ? and reading = 'as_published' and rank is not null",
            [statistic],
        ).fetchall()
        ranked = table[column].dropna().rank()
        assert {name: rank for name, rank, *_ in rows} == ranked.to_dict()
        for _, rank, lo, hi in rows:
            assert 1 <= lo <= rank <= hi <= len(rows)


def test_disjoint_intervals_are_counted_as_published(marts, models, published):
    table = published("rank_stability_cis")
    table = table[table["in_screen20"]]
    ends = list(zip(table["wtp_ci_lo"], table["wtp_ci_hi"], strict=True))
    pairs = [(a, b) for place, a in enumerate(ends) for b in ends[place + 1 :]]
    disjoint = sum(a[1] < b[0] or b[1] < a[0] for a, b in pairs)
    values = table["wtp"]
    ((n, all_pairs, apart, spread),) = marts.execute(
        "select models, interval_pairs, disjoint_interval_pairs, spread"
        " from marts.hotel_rank_stability"
        " where reading = 'as_published' and statistic = 'wtp_review_score_usd'"
    ).fetchall()
    assert (n, all_pairs, apart) == (len(table), len(pairs), disjoint)
    assert spread == pytest.approx(values.max() / values.min(), rel=1e-9)


def test_audited_intervals_agree_with_clustered_errors(marts):
    rows = marts.execute(
        "select resampled.ci_hi - resampled.ci_lo, cluster_std_error"
        " from marts.hotel_bootstrap as resampled"
        " join marts.hotel_coefficient as fitted"
        " on resampled.study_id = fitted.study_id"
        " and resampled.model_id = fitted.model_id"
        " and resampled.reading = fitted.reading"
        " and resampled.specification = fitted.specification"
        " and resampled.statistic = fitted.term"
        " where resampled.reading = 'audited' and variant = 'base'"
        " and block = 'binary' and resampled.statistic in ('log_price', 'price')"
    ).fetchall()
    assert len(rows) >= 2
    for width, error in rows:
        # 2,000 draws give a spread to about 2 %; the error is an approximation itself
        assert width / 2 / 1.959964 == pytest.approx(error, rel=0.12)


def test_a_comparison_is_paired_and_adjusted_by_holm(marts, models):
    rows = marts.execute(
        "select metric, std_error, error_a, error_b, p_value, p_adjusted, family_tests,"
        " n_paired, smallest_detectable from marts.comparison"
        " join (select model_id as model_a, std_error as error_a from marts.hotel_wtp"
        "  where attribute = 'review_score' and specification = 'log'"
        "  and reading = 'audited') using (model_a)"
        " join (select model_id as model_b, std_error as error_b from marts.hotel_wtp"
        "  where attribute = 'review_score' and specification = 'log'"
        "  and reading = 'audited') using (model_b)"
        " where metric = 'wtp_review_score_usd' and status = 'ok'"
        " order by p_value"
    ).fetchall()
    tests = len(models) * (len(models) - 1) // 2
    assert len(rows) == tests
    highest = 0.0
    for place, row in enumerate(rows):
        _, error, error_a, error_b, p, adjusted, family, paired, detectable = row
        assert (family, paired) == (tests, 450)
        # Holm: the k-th smallest of m times (m - k + 1), never below those before it
        highest = max(highest, min(1.0, (tests - place) * p))
        assert adjusted == pytest.approx(highest, rel=1e-12)
        # z(.975) + z(.8) errors
        assert detectable == pytest.approx(2.801585 * error, rel=1e-6)
        # tasks that are hard for one model are hard for the other, or the reverse: the
        # error of two independent samples is not that of the same tasks
        assert error != pytest.approx(np.hypot(error_a, error_b), rel=1e-3)


def test_ranks_with_intervals_follow_the_audited_values(marts, models):
    rows = marts.execute(
        "select wtp_usd, rank, rank_lo, rank_hi from marts.hotel_rank"
        " join marts.hotel_wtp using (study_id, model_id, reading)"
        " where metric = 'wtp_review_score_usd' and attribute = 'review_score'"
        " and specification = 'log' order by wtp_usd desc"
    ).fetchall()
    assert [row[1] for row in rows] == list(range(1, len(models) + 1))
    assert all(lo <= rank <= hi for _, rank, lo, hi in rows)


def test_published_forensics(marts, models, published_tables):
    table = published_tables["locked_forensics"]
    table = table[table["model"].isin(models)]
    assert len(table) >= 1
    for wanted in table.to_dict("records"):
        found = marts.execute(
            "select * from marts.hotel_locked_forensics"
            " where reading = 'as_published' and model_id = ?",
            [models[wanted["model"]]],
        )
        names = [column[0] for column in found.description]
        ((values),) = found.fetchall()
        row = dict(zip(names, values, strict=True))
        assert row["verdict"] == wanted["triage_verdict"]
        for theirs, (ours, unit) in FORENSICS.items():
            expected = wanted[theirs] / unit
            assert row[ours] == pytest.approx(expected, rel=1e-10), theirs
        assert row["slopes"] == 7
        assert row["reply_1_count"] + row["reply_2_count"] == row["answers"]


def test_what_a_coin_would_book(marts, models):
    # always the cheaper room 227.52, always the dearer 450.84, a coin 339.18 (median
    # 268): the published reference points, of all 1,800 pairs
    rows = marts.execute(
        "select n, cheapest_mean_price_usd, dearest_mean_price_usd,"
        " coin_flip_mean_price_usd, coin_flip_median_price_usd, mean_price_usd"
        " from marts.hotel_booking_outcome"
        " where variant = 'base' and reading = 'as_published'"
    ).fetchall()
    assert len(rows) == len(models)
    for n, cheapest, dearest, coin, median, mean in rows:
        assert n == 3600
        assert (round(cheapest, 2), round(dearest, 2)) == (227.52, 450.84)
        assert (round(coin, 2), median) == (339.18, 268)
        assert cheapest < mean < dearest


def test_the_human_range_is_below_most_models(marts):
    rows = marts.execute(
        "select low_usd, high_usd, is_per_point from marts.hotel_human_range order by 1"
    ).fetchall()
    assert rows == [(0, 0, True), (2, 22, True), (30, 61, True), (99, 99, False)]
