"""Where a cluster of a sub-topic's size goes: under the child the tagger gives it to, or nowhere below."""

import numpy as np
import pytest

from taxocom.expansion.discovery.admission import Standing
from taxocom.expansion.partitions.facet_partition import _fitting_parents, _Found
from tests.expansion.hand_made import explained_as, node_evidence, novel_groups

LEAVES = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


def placed(to_arts: int, *, place=(0, 0, 0, 0), n_documents=10, leaves=(False, False)) -> dict[str, str]:
    """Return where facet 4 goes, a novel cluster; the tagger gives so many documents of it to part 0, the rest to 2."""
    evidence = explained_as(
        node_evidence([n_documents], {}, leaves=leaves), [1, 1, 1, 1, 0.1], [0, 1, 2, 3, 2], places=[*LEAVES, place]
    )
    rows = np.flatnonzero(evidence.facets.labels == 4)[:to_arts]
    evidence.explanation.scores[rows] = 0.0
    evidence.explanation.scores[rows, 0] = 9.0
    standing = Standing(n_documents, size_ratio=0.5, own_explained=0.1, distinctness=0.9)
    return _fitting_parents(evidence, novel_groups((4,), [(4,)]), [_Found((4,), "novel", (), standing, ())])


def test_a_small_cluster_goes_under_the_child_that_most_of_its_documents_are_given_to():
    assert placed(9) == {"novel": "arts"}
    assert placed(1) == {"novel": "sciences"}


def test_of_two_children_with_about_as_much_of_it_the_nearer_one_is_its_parent():
    assert placed(5, place=[1, 0, 0, 0]) == {"novel": "arts"}
    assert placed(5, place=[0, 0, 1, 0]) == {"novel": "sciences"}
    assert placed(6, place=[0, 0, 1, 0]) == {"novel": "sciences"}


def test_nearness_alone_makes_no_parent():
    assert placed(1, place=[1, 0, 0, 0]) == {}


def test_a_cluster_of_a_childs_own_size_is_its_sibling():
    assert placed(9, n_documents=20) == {}


@pytest.mark.parametrize("leaves", [(True, True), (True, False)])
def test_nothing_goes_under_a_child_without_sub_topics(leaves):
    assert placed(9, leaves=leaves).get("novel") != "arts"


def test_without_a_tagger_nothing_is_placed_below():
    standing = Standing(10, size_ratio=0.5, own_explained=0.1, distinctness=0.9)
    found = [_Found((4,), "novel", (), standing, ())]
    assert _fitting_parents(node_evidence([10], {}), novel_groups((4,), [(4,)]), found) == {}
