"""Where facets go once it is decided which groups are topics."""

import numpy as np
import pytest

from taxocom.expansion.grouping import PRIOR_GRAIN
from taxocom.expansion.proposal import GENERAL
from taxocom.expansion.settling import settle_facets
from tests.expansion.hand_made import node_evidence, novel_groups

ARTS, SCIENCES, NOVEL = 0, 1, 2
SAME = PRIOR_GRAIN.threshold(0.5)


def home_of_refused(to_arts: float, to_sciences: float, *, leaves=(False, False)) -> int:
    """Return where facet 4 goes, a group of its own that was refused."""
    evidence = node_evidence([10], {(4, 0): to_arts, (4, 2): to_sciences}, leaves=leaves)
    groups = novel_groups((4,), [(4,)])
    return int(settle_facets(evidence, groups, [], [(4,)], novelty_threshold=0.5)[4])


def test_what_is_refused_is_looked_at_again_below_the_nearest_child():
    assert home_of_refused(0.2, 0.1) == ARTS
    assert home_of_refused(0.1, 0.2) == SCIENCES


def test_what_is_nearer_to_nothing_than_by_chance_stays_at_the_node():
    assert home_of_refused(-0.1, 0.0) == GENERAL


def test_a_child_without_sub_topics_gets_nothing_that_was_refused():
    # Nobody would look at it again, and it is no part of what the child is known for.
    assert home_of_refused(0.2, 0.1, leaves=(True, False)) == GENERAL


def test_a_refused_group_goes_as_one():
    evidence = node_evidence([30, 10], {(4, 0): 0.4, (5, 2): 0.4})
    groups = novel_groups((4, 5), [(4, 5)])
    clusters = settle_facets(evidence, groups, [], [(4, 5)], novelty_threshold=0.5)
    assert clusters[4:].tolist() == [ARTS, ARTS]


def home_of_joined(
    to_novel: float, to_arts: float, *, novelty_threshold=0.5, chosen=((4,),), leaves=(False, False), n_documents=10
) -> int:
    """Return where facet 5 goes, which had joined the first child before facet 4 was found to be a topic."""
    evidence = node_evidence([n_documents, 10], {(5, 4): to_novel, (5, 0): to_arts}, leaves=leaves)
    groups = novel_groups((4, 5), [(4,)], known=((0, 1, 5), (2, 3)))
    return int(settle_facets(evidence, groups, chosen, [], novelty_threshold=novelty_threshold)[5])


def test_a_facet_is_drawn_to_the_missing_topic_that_it_is_clearly_nearer_to():
    assert home_of_joined(0.7, 0.6) == NOVEL
    assert home_of_joined(0.62, 0.6) == ARTS
    assert home_of_joined(0.6, 0.7) == ARTS


def test_nothing_is_drawn_to_a_topic_that_the_grain_calls_another():
    assert home_of_joined(SAME + 0.01, 0.1) == NOVEL
    assert home_of_joined(SAME - 0.01, 0.1) == ARTS
    # With a higher threshold more counts as the same topic.
    assert home_of_joined(SAME - 0.01, 0.1, novelty_threshold=0.7) == NOVEL


def test_nothing_is_drawn_to_a_group_that_was_not_chosen():
    assert home_of_joined(0.7, 0.6, chosen=()) == ARTS


def test_nothing_is_drawn_from_a_child_without_sub_topics():
    assert home_of_joined(0.7, 0.6, leaves=(True, False)) == ARTS
    assert home_of_joined(0.7, 0.6, leaves=(False, True)) == NOVEL


def test_a_topic_much_smaller_than_the_known_ones_draws_nothing():
    # A typical child has twenty documents.
    assert home_of_joined(0.7, 0.6, n_documents=10) == NOVEL
    assert home_of_joined(0.7, 0.6, n_documents=9) == ARTS


@pytest.mark.parametrize("nearer", [4, 5])
def test_of_two_missing_topics_the_nearer_one_draws(nearer):
    evidence = node_evidence([10, 10, 10], {(6, 4): 0.6, (6, 5): 0.6, (6, nearer): 0.7, (4, 5): 0.9})
    groups = novel_groups((4, 5, 6), [(4,), (5,)], known=((0, 1, 6), (2, 3)))
    clusters = settle_facets(evidence, groups, [(4,), (5,)], [], novelty_threshold=0.5)
    assert clusters[6] == NOVEL + nearer - 4
    # The topics themselves stay what they were chosen as, however near they are to each other.
    assert clusters[4:6].tolist() == [NOVEL, NOVEL + 1]


def test_tied_facets_stay_with_their_child():
    evidence = node_evidence([10], {(4, 0): 0.9, (4, 2): 0.9})
    clusters = settle_facets(evidence, novel_groups((4,), [(4,)]), [(4,)], [], novelty_threshold=0.5)
    assert np.array_equal(clusters[:4], [ARTS, ARTS, SCIENCES, SCIENCES])


def test_what_was_refused_is_not_drawn():
    # It was judged beside the topic that was found, and is no part of it.
    evidence = node_evidence([10, 10], {(5, 4): 0.7, (5, 0): 0.1})
    clusters = settle_facets(evidence, novel_groups((4, 5), [(4,), (5,)]), [(4,)], [(5,)], novelty_threshold=0.5)
    assert clusters[4:].tolist() == [NOVEL, ARTS]
