"""How near a group is to the known leaves, by hand; what is general, and what is not."""

from dataclasses import replace

import numpy as np
import pytest

from taxocom.expansion.discovery.kinship import measure_kinship, spread
from tests.expansion.hand_made import explained_as, node_evidence

LEAVES = [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]]


def kinship(place, *, sizes=(10, 30), best=(0, 0)):
    """Measure facet 4, which lies at `place`; facet 5 is more of part 0, which lies where part 1 does."""
    evidence = node_evidence(list(sizes), {})
    evidence = explained_as(evidence, [1] * 6, [0, 1, 2, 3, *best], places=[*LEAVES, place, [1, 0, 0, 0]])
    return measure_kinship(evidence, evidence.explanation, (4,), (4,))


def test_the_scale_runs_from_strangers_to_parts_of_one_leaf():
    near, far = kinship([1, 0, 0, 0]), kinship([0, 1, 0, 0])
    assert near.nearest in (0, 1)
    assert far.nearest in (2, 3)
    assert near.closeness[0] == pytest.approx(1.0, abs=0.05)
    assert near.closeness[2] == pytest.approx(0.0, abs=0.05)


def test_closeness_falls_as_a_group_moves_away():
    found = [kinship([1 - step, 0, 0, step]).closeness[0] for step in (0.0, 0.3, 0.6, 1.0)]
    assert found == sorted(found, reverse=True)
    assert found[0] > found[-1]


def test_leaves_are_measured_without_the_documents_of_novel_groups():
    assert kinship([1, 0, 0, 0], best=(0, 0)).sizes.tolist() == kinship([1, 0, 0, 0], best=(2, 0)).sizes.tolist()


def test_a_leaf_of_a_handful_of_documents_is_kin_to_nobody():
    evidence = node_evidence([10, 3], {})
    evidence = explained_as(evidence, [1] * 6, [0, 0, 2, 3, 0, 1], places=[*LEAVES, [1, 0, 0, 0], [1, 0, 0, 0]])
    assert measure_kinship(evidence, evidence.explanation, (4,), (4,)).closeness[1] == -np.inf


def test_the_same_evidence_gives_the_same_answer_for_every_group():
    evidence = node_evidence([10, 10], {})
    evidence = explained_as(evidence, [1] * 6, [0, 1, 2, 3, 0, 2], places=[*LEAVES, [1, 0, 0, 1], [0, 1, 1, 0]])
    first = measure_kinship(evidence, evidence.explanation, (4, 5), (4,)).closeness
    measure_kinship(evidence, evidence.explanation, (4, 5), (5,))
    again = measure_kinship(replace(evidence), evidence.explanation, (4, 5), (4,)).closeness
    np.testing.assert_array_equal(first, again)


def spread_of(best, members):
    evidence = explained_as(node_evidence([], {}), [1, 1, 1, 1], best)
    return spread(evidence.explanation, np.isin(evidence.facets.labels, members))


def test_a_group_that_leans_as_all_others_do_is_spread_over_nothing_of_its_own():
    assert spread_of([0, 2, 0, 2], members=[0, 1]) == pytest.approx(0.0, abs=1e-6)
    assert spread_of([0, 0, 2, 2], members=[0, 1]) > 1.0
    assert spread_of([0, 0, 2, 2], members=[0, 2]) == pytest.approx(0.0, abs=1e-6)


def test_what_leans_wholly_to_a_class_is_not_general_however_large_that_class_is():
    assert spread_of([0, 0, 0, 2], members=[0]) == pytest.approx(0.5, abs=0.01)


def test_nothing_is_general_where_there_is_nothing_to_be_told_from():
    assert spread_of([0, 1, 2, 3], members=[]) == np.inf
    assert spread_of([0, 1, 2, 3], members=[0, 1, 2, 3]) == np.inf


def loudest(said, *, n_left=30):
    """Ask which name facet 4 says; `said` has by facet what is said of each of four. Facet 5 is the rest of part 1."""
    evidence = node_evidence([10, n_left], {})
    evidence = explained_as(evidence, [1] * 6, [0, 2, 2, 3, 0, 1], places=[[1.0]] * 6)
    labels = evidence.facets.labels
    explanation = replace(evidence.explanation, evidence=np.asarray(said, np.float32)[labels])
    kinship = measure_kinship(evidence, explanation, (4,), (4,))
    return kinship.loudest, kinship.says


def test_the_loudest_name_is_the_one_that_is_said_most_beyond_what_others_say():
    common, rare = [5, 5, 5, 5, 6, 5], [0, 0, 0, 0, 0.5, 0]
    silent = [0] * 6
    assert loudest(np.transpose([rare, silent, silent, silent]))[0] == 0
    # Said often, but by everybody: a tenth of what sets it apart counts as much as the whole of a rarer name.
    assert loudest(np.transpose([common, silent, silent, silent]))[1] == pytest.approx(
        loudest(np.transpose([rare, silent, silent, silent]))[1], rel=1e-4
    )


def test_what_is_said_of_a_name_is_counted_in_its_standard_deviations():
    heard = [0, 2, 0, 2, 3, 1]
    _, beyond = loudest(np.transpose([heard, [0] * 6, [0] * 6, [0] * 6]))
    labels = node_evidence([10, 30], {}).facets.labels
    each = np.array(heard)[labels]
    assert beyond == pytest.approx((3 - each[labels != 4].mean()) / each.std(), rel=1e-4)


def test_a_name_without_documents_of_its_own_is_a_word_of_anything():
    said = np.transpose([[0, 0, 0, 0, 0.1, 0], [0, 0, 0, 0, 1, 0], [0] * 6, [0, 0, 1, 0, 0.5, 0]])
    assert loudest(said)[0] == 1
    assert loudest(said, n_left=5)[0] != 1


def test_nothing_is_loud_in_everything():
    evidence = explained_as(node_evidence([10], {}), [1] * 5, [0, 1, 2, 3, 0], places=[[1.0]] * 5)
    assert measure_kinship(evidence, evidence.explanation, (), (0, 1, 2, 3, 4)).says == -np.inf
