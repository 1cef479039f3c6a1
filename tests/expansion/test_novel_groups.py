"""Which facets known topics explain, and what is left as novel: nodes made by hand, and what the tagger says of them.

Two children, arts (parts 0 and 1) and sciences (parts 2 and 3), each part with a facet of its own number.
"""

from dataclasses import replace

import numpy as np
import pytest

from taxocom.expansion.discovery.admission import gate_at
from taxocom.expansion.discovery.facets import FREE
from taxocom.expansion.discovery.novel_groups import draw_to_chosen, explained_owners, find_novel_groups
from tests.expansion.hand_made import explained_as, node_evidence, novel_groups

GATE = gate_at(0.5)
ARTS, SCIENCES = 0, 1


# --- who owns a facet ---


def owners(explained, best, *, gate=GATE, free_sizes=(10,), **said):
    """Return the owners of the facets; the free ones come after the four parts."""
    return explained_owners(explained_as(node_evidence(free_sizes, {}), explained, best, **said), gate).tolist()


def test_a_facet_that_is_explained_belongs_to_the_class_that_has_most_of_it():
    assert owners([1, 1, 1, 1, 0.9], best=[0, 1, 2, 3, 2]) == [0, 1, 2, 3, 2]
    assert owners([1, 1, 1, 1, 0.9], best=[0, 1, 2, 3, 1]) == [0, 1, 2, 3, 1]


def test_most_of_a_facet_is_counted_over_its_documents():
    evidence = explained_as(node_evidence([10], {}), [1, 1, 1, 1, 0.9], best=[0, 1, 2, 3, 3])
    scores = evidence.explanation.scores
    # Of ten documents four go to part 3, and the rest to part 1: the last ones, so that no first one decides.
    scores[-6:] = 0.0
    scores[-6:, 1] = 9.0
    assert explained_owners(evidence, GATE).tolist() == [0, 1, 2, 3, 1]


def test_explained_is_what_all_its_documents_are_on_average():
    evidence = explained_as(node_evidence([10], {}), [1, 1, 1, 1, 0.0], best=[0, 1, 2, 3, 2])
    evidence.explanation.explained[-6:] = 1.0
    assert explained_owners(evidence, 0.59).tolist()[-1] == 2
    assert explained_owners(evidence, 0.61).tolist()[-1] == FREE


def test_a_facet_tied_to_one_name_may_be_explained_by_another():
    assert owners([1, 1, 1, 1, 0], best=[0, 0, 2, 3, 0]) == [0, 0, 2, 3, FREE]


def test_a_free_facet_that_is_not_explained_stays_free_whoever_has_it():
    assert owners([1, 1, 1, 1, GATE - 0.01], best=[0, 1, 2, 3, 2])[-1] == FREE
    assert owners([1, 1, 1, 1, GATE + 0.01], best=[0, 1, 2, 3, 2])[-1] == 2


def test_a_facet_that_is_not_explained_is_let_go_while_its_name_has_another():
    # Facet 4 is explained by part 0, so the facet that was tied to the name is not needed to stand for it.
    evidence = explained_as(node_evidence([10], {}), [0.1, 1, 1, 1, 1], best=[0, 1, 2, 3, 0])
    evidence.facets.owners[4] = 0
    assert explained_owners(evidence, GATE).tolist() == [FREE, 1, 2, 3, 0]


def test_the_only_facet_of_a_name_stays_with_it_however_little_is_explained():
    assert owners([0.1, 1, 1, 1, 0.1], best=[0, 1, 2, 3, 0]) == [0, 1, 2, 3, FREE]


def test_what_people_put_somewhere_belongs_there_whatever_the_tagger_would_say():
    assert owners([1, 1, 1, 1, 1], best=[0, 1, 2, 3, 2], told={4: 1})[-1] == 1


def test_a_facet_without_documents_is_left_as_it_was():
    assert owners([1, 1, 1, 1, 1, 0.1], best=[0, 1, 2, 3, 2, 0], free_sizes=(0, 10)) == [0, 1, 2, 3, FREE, FREE]


def test_without_a_tagger_facets_are_those_of_the_names():
    assert explained_owners(node_evidence([10], {}), GATE).tolist() == [0, 1, 2, 3, FREE]


def test_below_the_root_facets_are_those_of_the_names():
    evidence = explained_as(node_evidence([10], {}), [0.1, 1, 1, 1, 1], best=[0, 0, 2, 3, 2])
    assert explained_owners(replace(evidence, node_id="below"), GATE).tolist() == [0, 1, 2, 3, FREE]


def test_owners_are_found_anew_for_each_gate():
    evidence = explained_as(node_evidence([10], {}), [1, 1, 1, 1, 0.5], best=[0, 1, 2, 3, 2])
    found = [explained_owners(evidence, gate)[-1] for gate in (0.7, 0.4, 0.7)]
    assert found == [FREE, 2, FREE]


# --- what joins a known child ---


def groups_of(links, explained, best, *, free_sizes=(10,), threshold=0.5, leaves=(True, True), **said):
    evidence = explained_as(node_evidence(free_sizes, links, leaves=leaves), explained, best, **said)
    return find_novel_groups(evidence, threshold)


@pytest.mark.parametrize("fit", [0.0, 0.34])
def test_what_is_clearly_unexplained_never_joins_a_known_child(fit):
    near_arts = {(4, 0): 0.9, (4, 1): 0.9}
    doubtful = groups_of(near_arts, [1, 1, 1, 1, 0.5], best=[0, 1, 2, 3, 0], fit=[1, 1, 1, 1, 0.36])
    assert doubtful.known == ((0, 1, 4), (2, 3))
    assert doubtful.novel == ()
    clear = groups_of(near_arts, [1, 1, 1, 1, 0.5], best=[0, 1, 2, 3, 0], fit=[1, 1, 1, 1, fit])
    assert clear.known == ((0, 1), (2, 3))
    assert clear.novel == ((4,),)


def test_what_counts_as_clear_moves_with_the_threshold():
    asked = {"links": {(4, 0): 0.9, (4, 1): 0.9}, "explained": [2, 2, 2, 2, 0.3], "best": [0, 1, 2, 3, 0]}
    assert groups_of(**asked, threshold=0.5).novel == ((4,),)
    assert groups_of(**asked, threshold=0.7).novel == ()


def test_what_is_clearly_unexplained_joins_its_like():
    links = {(4, 5): 0.9, (4, 0): 0.9, (4, 1): 0.9}
    found = groups_of(links, [1, 1, 1, 1, 0.1, 0.1], best=[0, 1, 2, 3, 0, 0], free_sizes=(10, 10))
    assert found.known == ((0, 1), (2, 3))
    assert found.novel == ((4, 5),)


def test_every_facet_with_documents_is_known_or_novel_and_none_is_both():
    rng = np.random.default_rng(3)
    for _ in range(30):
        sizes = tuple(int(size) for size in rng.integers(0, 25, size=6))
        links = {(one, other): rng.uniform(-0.5, 1) for other in range(10) for one in range(other)}
        found = groups_of(
            links, rng.uniform(0, 1.2, 10), rng.integers(0, 4, 10), free_sizes=sizes, leaves=(False, True)
        )
        placed = sorted(facet for group in (*found.known, *found.novel) for facet in group)
        assert len(set(placed)) == len(placed)
        assert {facet for facet in range(10) if facet < 4 or sizes[facet - 4]} <= set(placed)


# --- the body of a known topic ---

LIES_APART = np.eye(5)[[0, 1, 2, 3, 4, 0, 1, 2]]
LIES_WITH_PART_3 = np.eye(5)[[0, 1, 2, 3, 3, 0, 1, 2]]


def body(*, places=LIES_WITH_PART_3, n_group=40, n_others=30, given=40, n_told=0, parent=False):
    """Find the groups where nothing links facet 4 to a child, and no name explains it.

    Part 3 has that facet (`given` documents of it) and the ten that say its name; the other parts have `n_others` more.
    It is a leaf, or, as a `parent`, the sciences themselves with what lies between their sub-topics.
    """
    evidence = node_evidence([n_group, n_others, n_others, n_others], {}, leaves=(True, not parent))
    evidence = explained_as(evidence, [1, 1, 1, 1, 0.5, 1, 1, 1], best=[0, 1, 2, 3, 3, 0, 1, 2], places=places)
    scores, rows = evidence.explanation.scores, np.flatnonzero(evidence.facets.labels == 4)
    for number, row in enumerate(rows[given:]):
        # To the three others in turn, so that none of them has more of it than part 3.
        scores[row] = 0.0
        scores[row, number % 3] = 9.0
    evidence.explanation.told[rows[:n_told]] = 3
    if parent:
        node_ids = (*evidence.explanation.node_ids[:3], evidence.children[SCIENCES])
        evidence = replace(evidence, explanation=replace(evidence.explanation, node_ids=node_ids))
    return find_novel_groups(evidence, 0.5)


def test_a_group_without_which_a_topic_would_have_next_to_nothing_goes_back_to_it():
    found = body()
    assert found.novel == ()
    assert 4 in found.known[SCIENCES]
    assert 4 not in found.known[ARTS]


def test_a_group_is_never_the_body_of_a_topic_with_sub_topics():
    assert body(parent=True).novel == ((4,),)


def test_a_group_does_not_go_back_to_what_it_is_no_kin_to():
    assert body(places=LIES_APART).novel == ((4,),)


def test_a_group_goes_back_to_the_topic_that_people_put_a_quarter_of_it_in_whatever_it_is_like():
    assert body(places=LIES_APART, n_told=10).novel == ()
    assert body(places=LIES_APART, n_told=9).novel == ((4,),)


def test_a_group_does_not_go_back_to_a_topic_that_keeps_enough_without_it():
    # Ten documents are left to part 3: next to nothing where others have forty, enough where they have twenty.
    assert body(n_others=30).novel == ()
    assert body(n_group=20, n_others=10, given=20).novel == ((4,),)


def test_what_is_larger_than_any_topic_is_the_body_of_none():
    assert body(n_group=60, given=60).novel == ()
    assert body(n_group=70, given=70).novel == ((4,),)


def test_a_group_goes_back_only_to_a_class_that_has_most_of_it():
    assert body(given=24).novel == ()
    assert body(given=16).novel == ((4,),)


# --- the size of a typical topic ---


def test_a_typical_topic_is_as_large_as_the_leaves_that_the_tagger_fills():
    # Parts of 10, 10, 10 and 40 documents; the children above them have 20 and 50.
    assert groups_of({}, [1, 1, 1, 1, 1], best=[0, 1, 2, 3, 3], free_sizes=(30,)).typical_size == 10.0
    assert groups_of({}, [1, 1, 1, 1, 1], best=[0, 0, 2, 2, 3], free_sizes=(30,)).typical_size == 20.0


def test_what_is_not_in_the_tree_yet_makes_no_known_topic_larger():
    found = groups_of({}, [1, 1, 1, 1, 0.1], best=[0, 0, 2, 2, 2], free_sizes=(90,))
    assert found.novel == ((4,),)
    assert found.typical_size == 20.0


def test_without_a_tagger_a_typical_topic_is_a_typical_child():
    found = find_novel_groups(node_evidence([30], {(4, 0): 0.9, (4, 1): 0.9}), 0.5)
    assert found.known == ((0, 1, 4), (2, 3))
    assert found.typical_size == 35.0


# --- what is drawn to a group once it is chosen ---


def drawn(links, node_id="root"):
    """Facet 4 is explained, 5 is the group that was chosen; return what the group is then."""
    evidence = explained_as(node_evidence([10, 10], links), [1, 1, 1, 1, 1, 0], best=[0, 1, 2, 3, 0, 0])
    return draw_to_chosen(replace(evidence, node_id=node_id), novel_groups((4, 5), [(5,)]), [(5,)])


def test_an_explained_facet_goes_to_a_chosen_group_that_is_clearly_nearer_than_any_name():
    assert drawn({(4, 5): 0.9, (4, 0): 0.5}) == [(5, 4)]


def test_it_stays_where_a_name_is_as_near_or_where_the_two_are_strangers():
    assert drawn({(4, 5): 0.9, (4, 0): 0.89}) == [(5,)]
    assert drawn({(4, 5): 0.1}) == [(5,)]


def test_a_facet_that_says_a_known_name_is_never_drawn_away():
    assert drawn({(0, 5): 0.9}) == [(5,)]


def test_below_the_root_nothing_is_drawn():
    assert drawn({(4, 5): 0.9, (4, 0): 0.5}, node_id="below") == [(5,)]
