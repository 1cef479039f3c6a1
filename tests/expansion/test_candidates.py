from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxocom.expansion.paper.candidates import (
    choose_by_spread,
    concentration_spread,
    concentrations,
    estimate_clusters,
    undefined_reason,
)
from taxocom.expansion.proposals.proposal import Candidate
from taxocom.numerics.sphere import unit_rows
from taxocom.numerics.vmf import estimate_vmf


def candidate(n_novel, values, *, eligible=True, reason=""):
    return Candidate(
        n_novel=n_novel,
        concentrations=tuple(values),
        concentration_spread=concentration_spread(values),
        score=None,
        eligible=eligible,
        chosen=False,
        reason=reason,
    )


@pytest.fixture
def clusters():
    rng = np.random.default_rng(3)
    vectors = unit_rows(
        np.concatenate([np.eye(3, 6)[[0] * 20] * 3, np.eye(3, 6)[[1] * 20] * 9]) + rng.normal(size=(40, 6))
    )
    return vectors, np.repeat(np.array([0, 1], dtype=np.int32), 20), np.ones(40, dtype=bool)


def test_concentrations_are_those_of_each_clusters_anchors_alone(clusters):
    vectors, term_clusters, is_anchor = clusters
    is_anchor[:5] = False
    found = concentrations(vectors, term_clusters, is_anchor, 2)
    assert found[0] == estimate_vmf(vectors[5:20]).concentration
    assert found[1] == estimate_vmf(vectors[20:]).concentration
    assert found[1] > found[0]


def test_concentrations_are_unchanged_by_rotation(clusters):
    vectors, term_clusters, is_anchor = clusters
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))[0].astype(np.float32)
    turned = concentrations(unit_rows(vectors @ rotation), term_clusters, is_anchor, 2)
    assert turned == pytest.approx(concentrations(vectors, term_clusters, is_anchor, 2), rel=1e-4)


def test_a_cluster_of_fewer_than_two_anchors_has_no_concentration_and_says_why(clusters):
    vectors, term_clusters, is_anchor = clusters
    is_anchor[1:20] = False
    assert concentrations(vectors, term_clusters, is_anchor, 3)[0] is None
    estimates = estimate_clusters(vectors, term_clusters, is_anchor, 3)
    assert [estimate.reason for estimate in estimates] == ["the cluster has one member", "", "the cluster is empty"]


def test_spread_by_hand():
    assert concentration_spread((2.0, 4.0, 6.0)) == pytest.approx(math.sqrt(8 / 3))
    assert concentration_spread((5.0, 5.0)) == 0.0


@pytest.mark.parametrize("values", [(), (7.0,), (None,), (3.0, None, 4.0)])
def test_an_undefined_concentration_leaves_no_spread_and_has_a_reason(values):
    assert concentration_spread(values) is None
    assert undefined_reason(values)


def test_the_reason_names_the_clusters_at_fault():
    assert undefined_reason((1.0, None), ("sports", "novel 1")) == (
        "No concentration: novel 1 has fewer than two different anchors."
    )
    assert "cluster 1, cluster 3 have" in undefined_reason((None, 2.0, None))
    assert undefined_reason((1.0, 2.0)) == ""


def test_the_least_spread_is_chosen_and_everyone_has_a_reason():
    chosen = choose_by_spread([candidate(1, (10, 30)), candidate(2, (10, 12, 11)), candidate(3, (10, None))])
    assert [c.chosen for c in chosen] == [False, True, False]
    assert [c.eligible for c in chosen] == [True, True, False]
    assert chosen[0].reason == "Spread of concentrations 10; 2 novel has 0.816."
    assert chosen[1].reason == "The least spread of concentrations: 0.816."
    assert chosen[2].reason == "No concentration: cluster 2 has fewer than two different anchors."


def test_an_ineligible_candidate_is_not_chosen_and_keeps_its_reason():
    chosen = choose_by_spread([candidate(1, (5, 5), eligible=False, reason="spurious"), candidate(2, (1, 9))])
    assert [(c.chosen, c.eligible) for c in chosen] == [(False, False), (True, True)]
    assert chosen[0].reason == "spurious"


def test_without_an_eligible_candidate_none_is_chosen():
    assert not any(c.chosen for c in choose_by_spread([candidate(1, (None, 2.0)), candidate(0, (4.0,))]))
    assert choose_by_spread([]) == ()


def test_an_earlier_choice_is_forgotten():
    once = choose_by_spread([candidate(1, (1, 2)), candidate(2, (1, 9))])
    better = [*once, candidate(3, (4, 4))]
    assert [c.chosen for c in choose_by_spread(better)] == [False, False, True]


@given(st.permutations([(1, (3.0, 5.0)), (2, (3.0, 5.0)), (3, (2.0, 9.0)), (4, (2.0, None))]))
def test_the_choice_does_not_depend_on_the_order_and_the_fewest_clusters_win_a_tie(specs):
    chosen = choose_by_spread([candidate(n_novel, values) for n_novel, values in specs])
    assert [c.n_novel for c in chosen] == [n_novel for n_novel, _ in specs]
    assert [c.n_novel for c in chosen if c.chosen] == [1]
