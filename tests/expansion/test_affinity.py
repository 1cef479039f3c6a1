"""What counts as kin: groups that a classifier confuses, measured on documents that it was not taught with."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

from taxocom.expansion.discovery.affinity import add_up_outside, measure_affinity

# Groups 0 and 1 share half of their words, 2 and 3 the other half; each has words of its own besides.
N, LENGTH = 120, 30


def written(groups: np.ndarray, seed: int = 0) -> sparse.csr_array:
    rng = np.random.default_rng(seed)
    counts = np.zeros((len(groups), 60), np.float32)
    for row, group in enumerate(groups):
        own = 5 * group + rng.integers(5, size=LENGTH // 3)
        shared = 20 + 10 * (group // 2) + rng.integers(10, size=LENGTH // 3)
        common = 40 + rng.integers(20, size=LENGTH // 3)
        np.add.at(counts[row], np.concatenate([own, shared, common]), 1)
    return sparse.csr_array(np.log1p(counts))


GROUPS = np.repeat(np.arange(4), N).astype(np.int32)


def test_groups_that_share_words_are_kin_and_others_are_less_so_than_by_chance() -> None:
    links = measure_affinity(written(GROUPS), GROUPS, 4).links
    assert links[0, 1] > 0.5
    assert links[2, 3] > 0.5
    assert max(links[0, 2], links[0, 3], links[1, 2], links[1, 3]) < 0


def test_links_go_both_ways_and_no_group_is_kin_to_itself() -> None:
    links = measure_affinity(written(GROUPS), GROUPS, 4).links
    assert np.array_equal(links, links.T)
    assert np.all(np.diag(links) == -np.inf)


def test_always_the_second_choice_of_each_other_is_the_log_lift_counted_by_hand() -> None:
    # Two pairs without a word in common: the partner is always second, so its share of second choices is 1. By chance
    # it would be a quarter; the lift is log 4, and so is the unit, which never falls below 1.
    links = measure_affinity(written(GROUPS), GROUPS, 4).links
    assert links[0, 1] == pytest.approx((math.log(1.0 / 0.25)) / max(math.log(4), 1.0), abs=0.1)


def test_words_at_random_make_nothing_kin() -> None:
    shuffled = np.random.default_rng(1).permutation(GROUPS).astype(np.int32)
    links = measure_affinity(written(np.zeros(len(GROUPS), np.int32)), shuffled, 4).links
    assert np.abs(links[~np.eye(4, dtype=bool)]).max() < 0.45


def test_the_other_numbers_of_the_groups_are_the_other_numbers_of_the_links() -> None:
    order = np.array([2, 0, 3, 1], np.int32)
    damped = written(GROUPS)
    one, other = measure_affinity(damped, GROUPS, 4), measure_affinity(damped, order[GROUPS], 4)
    assert other.links[np.ix_(order, order)] == pytest.approx(one.links, abs=1e-6)
    assert other.evidence[:, order] == pytest.approx(one.evidence, abs=1e-5)


def test_an_empty_group_is_kin_to_nobody() -> None:
    links = measure_affinity(written(GROUPS), GROUPS, 5).links
    assert np.all(links[4] == -np.inf)
    assert np.all(links[:, 4] == -np.inf)


def test_a_document_is_judged_by_those_it_does_not_belong_to() -> None:
    # Documents that all differ teach nothing of each other: taught and asked alike they would be certain of their own.
    alone = sparse.csr_array(np.eye(40, dtype=np.float32))
    groups = (np.arange(40) % 2).astype(np.int32)
    evidence = measure_affinity(alone, groups, 2).evidence
    assert evidence == pytest.approx(np.zeros((40, 2)))


def test_documents_outside_the_node_keep_its_links_on_the_scale_of_the_whole() -> None:
    damped = written(GROUPS)
    inside = np.flatnonzero(GROUPS < 2)
    outside = add_up_outside(damped[np.flatnonzero(GROUPS >= 2)], GROUPS[GROUPS >= 2] - 2)
    assert outside.sizes.tolist() == [N, N]
    here = measure_affinity(damped[inside], GROUPS[inside], 2, outside=outside)
    alone = measure_affinity(damped[inside], GROUPS[inside], 2)
    whole = measure_affinity(damped, GROUPS, 4)
    # Alone, two groups are each other's only choice, which is no more than chance says.
    assert here.links[0, 1] == pytest.approx(whole.links[0, 1], abs=0.1)
    assert here.links[0, 1] > alone.links[0, 1]
    assert here.links.shape == (2, 2)
