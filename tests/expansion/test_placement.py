"""Where a cluster of a sub-topic's size goes: under the child it is taken for, or nowhere below."""

import numpy as np
import pytest

from taxocom.expansion.admission import Standing
from taxocom.expansion.facet_partition import _fitting_parents, _Found
from tests.expansion.hand_made import node_evidence, novel_groups


def placed(
    to_arts: float, to_sciences: float, *, said=(4, 4), elsewhere=5, n_documents=10, leaves=(False, False)
) -> dict[str, str]:
    """Return where facet 4 goes, a novel cluster of its own."""
    mentions = np.zeros((2, 5), np.int32)
    mentions[:, 0] = elsewhere
    mentions[:, 4] = said
    links = {(4, 0): to_arts, (4, 1): to_arts, (4, 2): to_sciences, (4, 3): to_sciences}
    evidence = node_evidence([n_documents], links, leaves=leaves, child_mentions=mentions)
    standing = Standing(n_documents, size_ratio=0.5, own_explained=0.1, distinctness=0.9)
    return _fitting_parents(evidence, novel_groups((4,), [(4,)]), [_Found((4,), "novel", (), standing, ())])


def test_a_small_cluster_goes_under_the_child_it_is_taken_for():
    assert placed(0.4, 0.1) == {"novel": "arts"}
    assert placed(0.1, 0.4) == {"novel": "sciences"}


def test_above_chance_a_small_lead_is_enough():
    assert placed(0.30, 0.25) == {"novel": "arts"}


def test_the_name_it_says_may_outweigh_a_slightly_stronger_link():
    assert placed(0.30, 0.25, said=(0, 8)) == {"novel": "sciences"}


def test_a_cluster_that_nothing_speaks_for_stays_where_it_was_found():
    assert placed(-0.30, -0.35) == {}


def test_a_clear_lead_speaks_for_a_child_even_below_chance():
    assert placed(-0.3, -0.7) == {"novel": "arts"}
    # Both are confused with it less than by chance would have it, but one of them is named in it.
    assert placed(-0.30, -0.35, said=(0, 8)) == {"novel": "sciences"}


def test_a_cluster_does_not_go_under_a_child_whose_name_it_shuns():
    # Of the other documents every second one says the name, of these none, though a classifier takes them for its own.
    assert placed(0.4, 0.1, elsewhere=20, said=(0, 0)) == {}
    assert placed(0.4, 0.1, elsewhere=20, said=(8, 0)) == {"novel": "arts"}


def test_one_document_that_says_a_rare_name_is_no_evidence():
    assert placed(0.4, 0.1, elsewhere=4, said=(1, 1)) == {}


def test_a_name_that_nobody_says_tells_nothing():
    assert placed(0.4, 0.1, elsewhere=0, said=(0, 0)) == {"novel": "arts"}


def test_a_cluster_of_a_childs_own_size_is_its_sibling():
    assert placed(0.4, 0.1, n_documents=20) == {}


@pytest.mark.parametrize("leaves", [(True, True), (True, False)])
def test_nothing_goes_under_a_child_without_sub_topics(leaves):
    assert placed(0.4, 0.1, leaves=leaves).get("novel") != "arts"
