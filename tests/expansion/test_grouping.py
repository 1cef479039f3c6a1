"""From facets to groups: small affinities made by hand, where the right answer can be read off."""

import numpy as np
import pytest

from taxocom.expansion.discovery.affinity import Affinity, links_of_groups
from taxocom.expansion.discovery.grouping import PRIOR_GRAIN, Grain, Grouping, group_facets, join_pieces, measure_grain


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


# Two children of two facets each: 0.8 within each, 0.2 from one to the other.
TWO_CHILDREN = [[0, 0.8, 0.2, 0.2], [0.8, 0, 0.2, 0.2], [0.2, 0.2, 0, 0.8], [0.2, 0.2, 0.8, 0]]


def test_the_grain_is_how_parts_of_a_topic_and_parts_of_siblings_are_linked():
    # Four parts within, four between, and the prior of 0.6 and 0.3 as one more each: (4 · 0.8 + 0.6) / 5 and so on.
    grain = measure_grain(affinity_of(TWO_CHILDREN), [[(0,), (1,)], [(2,), (3,)]])
    assert (grain.within, grain.between) == pytest.approx((0.76, 0.22))


def test_a_child_with_one_part_is_measured_by_the_facets_of_that_part():
    # One number for each of two children: (2 · 0.8 + 0.6) / 3 and (2 · 0.2 + 0.3) / 3.
    grain = measure_grain(affinity_of(TWO_CHILDREN), [[(0, 1)], [(2, 3)]])
    assert (grain.within, grain.between) == pytest.approx((2.2 / 3, 0.7 / 3))


def test_without_children_the_grain_is_what_it_usually_is():
    assert measure_grain(affinity_of(TWO_CHILDREN), []) == PRIOR_GRAIN
    only = measure_grain(affinity_of([[0, 0.9], [0.9, 0]]), [[(0, 1)]])
    assert (only.within, only.between) == pytest.approx(((2 * 0.0 + 0.9 + 0.6) / 2, PRIOR_GRAIN.between))


def test_the_larger_of_two_facets_counts_for_more():
    links = [[0, 0.8, 0.4, 0], [0.8, 0, 0, 0], [0.4, 0, 0, 0], [0, 0, 0, 0]]
    even = measure_grain(affinity_of(links), [[(0,)], [(1, 2)]])
    assert even.between > measure_grain(affinity_of(links, [10, 10, 10, 10]), [[(3,)], [(1, 2)]]).between


def test_the_threshold_goes_from_explained_to_unexplained_as_novelty_is_asked_for():
    grain = Grain(within=0.8, between=0.2)
    assert grain.threshold(0.5) == pytest.approx(0.2 + 0.3 * 0.6)
    assert grain.threshold(0.8) == pytest.approx(0.2)
    asked = [grain.threshold(novelty) for novelty in (0.0, 0.3, 0.6, 1.0)]
    assert asked == sorted(asked, reverse=True)
