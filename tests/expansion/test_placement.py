"""Where a cluster of a sub-topic's size goes: under the child it is taken for, or nowhere below."""

import numpy as np
import pytest

from taxocom.expansion.affinity import Affinity
from taxocom.expansion.evidence import NodeEvidence
from taxocom.expansion.facet_partition import _fitting_parents, _Found
from taxocom.expansion.facets import Facets
from taxocom.expansion.grouping import PRIOR_GRAIN
from taxocom.expansion.novel_groups import NovelGroups
from taxocom.expansion.strength import Strength
from taxocom.taxonomy.tree import ROOT_ID

# Facets 0 and 1 are the sub-topics of the first child, 2 and 3 those of the second, 4 is free; ten documents each.
OWNERS = np.array([0, 1, 2, 3, -1], np.int32)
CHILDREN = ("arts", "sciences")


def placed(
    to_arts: float, to_sciences: float, *, said=(4, 4), elsewhere=5, n_documents=10, leaves=(False, False)
) -> dict[str, str]:
    sizes = np.array([10, 10, 10, 10, n_documents], np.int32)
    labels = np.repeat(np.arange(5), sizes).astype(np.int32)
    links = np.zeros((5, 5))
    links[4, :2] = links[:2, 4] = to_arts
    links[4, 2:4] = links[2:4, 4] = to_sciences
    np.fill_diagonal(links, -np.inf)
    mentions = np.zeros((2, 5), np.int32)
    mentions[:, 0] = elsewhere
    mentions[:, 4] = said
    blank = np.zeros((0, 2), np.float32)
    evidence = NodeEvidence(
        node_id=ROOT_ID,
        children=CHILDREN,
        documents=np.arange(len(labels), dtype=np.int32),
        term_ids=np.zeros(0, np.int32),
        vectors=blank,
        topics=np.eye(2, dtype=np.float32),
        directions=np.zeros((4, 2), np.float32),
        direction_child=np.array([0, 0, 1, 1], np.int32),
        is_leaf=np.array(leaves),
        topicality=np.zeros(0, np.float32),
        xy=blank,
        facets=Facets(labels, OWNERS, np.zeros((5, 2), np.float32)),
        mentions=np.zeros((4, 5), np.int32),
        child_mentions=mentions,
        affinity=Affinity(links, np.zeros((len(labels), 5), np.float32), sizes),
    )
    known = ((0, 1), (2, 3))
    groups = NovelGroups(known, (4,), PRIOR_GRAIN, known, ((4,),), 20.0)
    strength = Strength(n_documents, 0.5, 0.9, 0.0, 1, 0.0, below_root=False)
    return _fitting_parents(evidence, groups, [_Found((4,), "novel", strength, ())])


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
