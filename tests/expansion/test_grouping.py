"""From facets to groups: small affinities made by hand, where the right answer can be read off."""

import numpy as np

from taxocom.expansion.discovery.affinity import Affinity, links_of_groups
from taxocom.expansion.discovery.grouping import Grain, Grouping, group_facets, join_pieces


def affinity_of(links, sizes=None, evidence=None):
    links = np.array(links, dtype=float)
    np.fill_diagonal(links, -np.inf)
    n = len(links)
    sizes = np.full(n, 10) if sizes is None else np.array(sizes)
    evidence = np.zeros((int(sizes.sum()), n)) if evidence is None else evidence
    return Affinity(links, evidence.astype(np.float32), sizes.astype(np.int32))


def test_a_free_facet_joins_the_child_that_explains_it_and_the_rest_is_novel():
    affinity = affinity_of([[0, 0.7, 0.0], [0.7, 0, 0.1], [0.0, 0.1, 0]])
    found = group_facets(affinity, [(0,)], [1, 2], grain=Grain(within=0.6, between=0.2))
    assert found == Grouping(known=((0, 1),), novel=((2,),))


def test_no_link_below_chance_joins_a_child_but_free_facets_may_still_join_each_other():
    affinity = affinity_of([[0, -0.2, -0.2], [-0.2, 0, -0.1], [-0.2, -0.1, 0]])
    found = group_facets(affinity, [(0,)], [1, 2], grain=Grain(within=-0.2, between=-1.0))
    assert found == Grouping(known=((0,),), novel=((1, 2),))


# Facets 1 and 2 are near to the child 0 and nearer still to each other.
DRAWN = [[0, 0.7, 0.7], [0.7, 0, 0.8], [0.7, 0.8, 0]]


def test_facets_that_are_clearly_unexplained_join_each_other_and_never_a_child():
    affinity, grain = affinity_of(DRAWN), Grain(within=0.6, between=0.2)
    assert group_facets(affinity, [(0,)], [1, 2], grain=grain) == Grouping(known=((0, 1, 2),), novel=())
    found = group_facets(affinity, [(0,)], [1, 2], grain=grain, unexplained=frozenset({1, 2}))
    assert found == Grouping(known=((0,),), novel=((1, 2),))


def test_one_unexplained_facet_keeps_its_whole_group_from_a_child():
    affinity, grain = affinity_of(DRAWN), Grain(within=0.6, between=0.2)
    found = group_facets(affinity, [(0,)], [1, 2], grain=grain, unexplained=frozenset({2}))
    assert found == Grouping(known=((0,),), novel=((1, 2),))


def spoken_of(neighbours, sizes):
    """Make evidence in which every document of a facet finds itself there, and next in the facets given, in order."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    evidence = np.full((len(labels), len(sizes)), -9.0)
    for facet, nearest in enumerate(neighbours):
        for rank, other in enumerate(nearest):
            evidence[labels == facet, other] = 4.0 - 3.0 * rank
        evidence[labels == facet, facet] = 6.0
    return labels.astype(np.int32), evidence


# Two known topics of two parts each (0 1, 2 3); 4 and 5 are pieces of one missing topic, 6 is another.
NEIGHBOURS = [(1, 2), (0, 3), (3, 0), (2, 1), (5, 0), (4, 2), (0, 2)]
PARTS = [[(0,), (1,)], [(2,), (3,)]]


def test_pieces_that_are_most_to_each_other_become_one_topic():
    labels, evidence = spoken_of(NEIGHBOURS, [20] * 7)
    affinity = affinity_of(np.zeros((7, 7)), [20] * 7, evidence)
    found = join_pieces(affinity, labels, PARTS, Grouping(((0, 1), (2, 3)), ((4,), (5,), (6,))))
    assert found == Grouping(((0, 1), (2, 3)), ((4, 5), (6,)))


def test_without_known_topics_of_several_parts_nothing_is_joined():
    labels, evidence = spoken_of(NEIGHBOURS, [20] * 7)
    affinity = affinity_of(np.zeros((7, 7)), [20] * 7, evidence)
    alone = [[(0, 1)], [(2, 3)]]
    grouping = Grouping(((0, 1), (2, 3)), ((4,), (5,), (6,)))
    assert join_pieces(affinity, labels, alone, grouping) == grouping


def test_taken_as_one_a_group_shows_its_neighbours():
    labels, evidence = spoken_of(NEIGHBOURS, [20] * 7)
    affinity = affinity_of(np.zeros((7, 7)), [20] * 7, evidence)
    apart = links_of_groups(affinity, labels, [(0,), (1,), (2,), (3,)])
    assert apart[0].argmax() == 1
    as_one = links_of_groups(affinity, labels, [(0, 1), (2,), (3,)])
    assert as_one[0, 1] > apart[0, 2]
    np.testing.assert_allclose(as_one, as_one.T)
