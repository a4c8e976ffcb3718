"""What compares models with one another, on the models whose answers are released."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

pytestmark = pytest.mark.release

# term -> column of the published table of two-option fits
P_VALUES = {
    ("log", "log_price"): "b_logp_p",
    ("linear", "price"): "b_linp_p",
    ("log", "stars"): "b_d_stars_p",
    ("log", "bed_rank"): "b_d_bed_p",
    ("log", "cancel"): "b_d_cancel_p",
    ("log", "breakfast"): "b_d_breakfast_p",
    ("log", "review_score"): "b_d_review_score_p",
    ("log", "review_count_100"): "b_d_review_count_100_p",
}


def test_the_family_of_tests_is_that_of_the_engaged_models(marts, models, published):
    table = published("personality").set_index("model")
    engaged = set(published("triage").query("verdict == 'engaged'")["model"])
    rows = marts.execute(
        "select display_name, specification, term, p_raw, p_bonferroni, family_tests"
        " from marts.hotel_multiplicity join marts.model using (model_id)"
        " where reading = 'as_published'"
    ).fetchall()
    assert {row[0] for row in rows} == engaged
    assert len(rows) == 8 * len(engaged)
    for name, specification, term, raw, bonferroni, tests in rows:
        wanted = table.loc[name, P_VALUES[specification, term]]
        assert raw == pytest.approx(wanted, rel=1e-7, abs=1e-300)
        assert tests == 8 * len(engaged)
        assert bonferroni == pytest.approx(min(1.0, raw * tests), rel=1e-12)


def test_brand_vectors_correlate_as_published(marts, published):
    matrix = published("brand_matrix").set_index("model")
    providers = published("triage").set_index("model")["provider"]
    names = sorted(matrix.index)
    ((n, within_pairs, across_pairs, within, across),) = marts.execute(
        "select models, within_pairs, across_pairs, within_r, across_r"
        " from marts.hotel_brand_similarity"
        " where reading = 'as_published' and specification = 'brand'"
    ).fetchall()
    assert n == len(names)
    groups: dict[bool, list[float]] = {True: [], False: []}
    for place, name in enumerate(names):
        for other in names[place + 1 :]:
            r = np.corrcoef(matrix.loc[name], matrix.loc[other])[0, 1]
            groups[providers[name] == providers[other]].append(r)
    assert (within_pairs, across_pairs) == (len(groups[True]), len(groups[False]))
    for ours, theirs in ((within, groups[True]), (across, groups[False])):
        if theirs:
            assert ours == pytest.approx(np.mean(theirs), abs=1e-9)
        else:
            assert ours is None


def test_what_the_slot_alone_explains_is_taken_off(marts, models):
    # one term for the slot: its shares are the fitted probabilities, so the
    # log likelihood is n1 ln(n1/n) + n2 ln(n2/n), and that of equal shares n ln(1/2)
    for model_id in models.values():
        ((one, two, r2),) = marts.execute(
            "select slot1_count, slot2_count, pseudo_r2 from marts.hotel_first_shown"
            " join marts.hotel_fit using (study_id, model_id, variant, reading)"
            " where model_id = ? and variant = 'base' and reading = 'audited'"
            " and format = 'binary' and block = 'binary' and specification = 'log'",
            [model_id],
        ).fetchall()
        n = one + two
        fitted = sum(count * np.log(count / n) for count in (one, two) if count)
        alone = 1 - fitted / (n * np.log(0.5))
        ((net,),) = marts.execute(
            "select net_pseudo_r2 from intermediate.int_hotel_taste"
            " where model_id = ? and reading = 'audited'",
            [model_id],
        ).fetchall()
        assert net == pytest.approx(r2 - alone, rel=1e-12)


def test_correlations_with_size_are_those_of_scipy(marts):
    pairs = marts.execute(
        "select score, abs(log_price) from intermediate.int_hotel_capability"
        " where axis = 'log10_parameters_b' and reading = 'audited'"
        " and score is not null"
    ).fetchall()
    ((r, rho, n, status),) = marts.execute(
        "select pearson_r, spearman_rho, n, status"
        " from marts.hotel_capability_correlation where reading = 'audited'"
        " and axis = 'log10_parameters_b' and measure = 'abs_log_price'"
        " and subset = 'all'"
    ).fetchall()
    assert n == len(pairs)
    if len(pairs) < 10:
        # published: an axis with fewer scored models is not correlated with anything
        assert (r, rho, status) == (None, None, "too_few")
    else:
        size, slope = zip(*pairs, strict=True)
        assert r == pytest.approx(pearsonr(size, slope)[0], abs=1e-12)
        assert rho == pytest.approx(spearmanr(size, slope)[0], abs=1e-12)
