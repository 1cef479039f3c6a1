"""How novel groups are judged: each measure by hand, and that it counts in the right direction."""

from dataclasses import replace

import numpy as np
import pytest

from taxocom.expansion.discovery.admission import (
    GENERAL_SPREAD,
    NOT_FOUND,
    SAYS_A_NAME,
    TOLD_APART,
    TOLD_APART_BELOW,
    Standing,
    gate_at,
)
from taxocom.expansion.discovery.novel_groups import weigh_group
from taxocom.taxonomy.tree import ROOT_ID
from tests.expansion.hand_made import TIED, explained_as, node_evidence, novel_groups

ASKED = {"size_floor": 0.4, "gate": 0.7}
SOUND = Standing(n_documents=200, size_ratio=0.8, own_explained=0.2, distinctness=0.95)

FREE_SIZES = (10, 10, 10)
"""Two facets, 4 and 5, that are the group, and one more; the four before them are tied to known topics."""


def weighed(*, taken_for=None, group=(4, 5), fit=(0.1, 0.4), node_id=ROOT_ID, tied=TIED):
    """Weigh a group in a node made by hand; `taken_for[facet]` is what each document of it is taken for, in turn."""
    evidence = node_evidence(FREE_SIZES, {})
    labels = evidence.facets.labels
    likelihood = np.zeros(evidence.affinity.evidence.shape, np.float32)
    likelihood[np.arange(len(labels)), labels] = 1.0
    for facet, others in (taken_for or {}).items():
        for document, other in zip(np.flatnonzero(labels == facet), others, strict=False):
            likelihood[document, other] = 2.0
    evidence = replace(evidence, affinity=replace(evidence.affinity, evidence=likelihood), node_id=node_id)
    evidence = explained_as(evidence, [1, 1, 1, 1, 0.9, 0.9, 0.9], [0, 1, 2, 3, 0, 2, 0], fit=[1, 1, 1, 1, *fit, 1])
    groups = replace(novel_groups((4, 5, 6), [group]), tied=tied, typical_size=40.0)
    return weigh_group(evidence, groups, group)


def test_every_measure_is_what_its_docstring_says():
    standing = weighed(taken_for={4: [0] * 5, 5: [6] * 10})
    assert standing.n_documents == 20
    assert standing.size_ratio == pytest.approx(20 / 40)
    # By what is said of its documents together with those around them, not of each alone.
    assert standing.own_explained == pytest.approx(0.25)
    # Five of twenty are taken for those of a known topic; ten for those of a facet that is not known either.
    assert standing.distinctness == pytest.approx(15 / 20)
    assert standing.others == ()


def test_a_document_taken_for_another_of_its_own_group_is_told_apart():
    assert weighed(taken_for={4: [5] * 10, 5: [4] * 10}).distinctness == 1.0


def test_without_known_topics_everything_is_told_apart():
    assert weighed(taken_for={4: [0] * 5}, tied=((), ())).distinctness == 1.0


def test_without_a_tagger_nothing_is_explained():
    assert weigh_group(node_evidence([30], {}), novel_groups((4,), [(4,)]), (4,)).own_explained == 0.0


@pytest.mark.parametrize(
    ("worse", "reason"),
    [
        ({"n_documents": 30, "size_ratio": 0.12}, "it has 30 documents, 12% of a typical known topic"),
        ({"distinctness": 0.55}, "45% of its documents are taken for those of a known topic"),
        ({"own_explained": 0.83}, "known topics cover 83% of what it is about (a new topic may have less than 70%)"),
        ({"own_explained": 1.3}, "known topics cover 100% of what it is about (a new topic may have less than 70%)"),
    ],
)
def test_a_group_that_lacks_one_thing_is_refused_for_it(worse, reason):
    assert SOUND.shortcomings(**ASKED) == []
    (said,) = replace(SOUND, **worse).shortcomings(**ASKED)
    assert said.startswith(reason)


def test_the_size_of_a_group_does_not_count_above_the_floor():
    assert replace(SOUND, n_documents=100, size_ratio=0.4).shortcomings(**ASKED) == []
    assert replace(SOUND, n_documents=99, size_ratio=0.399).shortcomings(**ASKED) != []


def test_a_group_may_be_as_mixed_as_is_said_and_must_be_explained_less_than_is_said():
    assert replace(SOUND, distinctness=TOLD_APART).shortcomings(**ASKED) == []
    assert replace(SOUND, own_explained=0.69).shortcomings(**ASKED) == []
    assert replace(SOUND, own_explained=0.7).shortcomings(**ASKED) != []


def test_a_small_group_is_refused_for_its_size_first():
    small = Standing(n_documents=5, size_ratio=0.05, own_explained=NOT_FOUND, distinctness=0.0)
    (reason,) = small.shortcomings(size_floor=0.25, gate=0.7)
    assert "5 documents, 5%" in reason


@pytest.mark.parametrize("explained", [0.1, 0.5, 0.9, 1.3])
def test_a_higher_threshold_asks_for_less_explained_documents(explained):
    group = replace(SOUND, own_explained=explained)
    refused = [bool(group.shortcomings(size_floor=0.4, gate=gate_at(threshold))) for threshold in np.linspace(0, 1, 21)]
    assert refused == sorted(refused)
    assert not refused[0]
    assert refused[-1]


# --- below the root, where siblings are alike ---

BELOW = replace(SOUND, below_root=True)


def test_below_the_root_more_documents_must_be_told_apart():
    between = (TOLD_APART + TOLD_APART_BELOW) / 2
    assert replace(SOUND, distinctness=between).shortcomings(**ASKED) == []
    assert replace(BELOW, distinctness=between).shortcomings(**ASKED) != []
    assert replace(BELOW, distinctness=TOLD_APART_BELOW).shortcomings(**ASKED) == []


def test_below_the_root_documents_must_be_explained_half_as_well_at_most():
    assert replace(BELOW, own_explained=0.34).shortcomings(**ASKED) == []
    (reason,) = replace(BELOW, own_explained=0.36).shortcomings(**ASKED)
    assert "36%" in reason
    assert "less than 35%" in reason


@pytest.mark.parametrize("standing", [SOUND, BELOW])
def test_most_readings_must_find_a_group(standing):
    assert replace(standing, others=(NOT_FOUND, 0.3)).shortcomings(**ASKED) == []
    assert replace(standing, others=(NOT_FOUND, NOT_FOUND)).shortcomings(**ASKED) != []


def test_what_is_below_the_root_is_known_by_its_node():
    assert not weighed().below_root
    assert weighed(node_id="below").below_root


def test_the_name_of_a_single_sub_topic_is_held_against_nobody():
    evidence = replace(explained_as(node_evidence([10], {}), [1, 1, 1, 1, 0.9], [0, 1, 2, 3, 0]), children=("arts",))
    assert weigh_group(evidence, novel_groups((4,), [(4,)]), (4,)).own_explained == 0.0


# --- a part of one known leaf, and what is general ---

APART = [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0]]
"""Every part of the two children lies in a direction of its own."""


def part_of(n_left, place, *, best=3, n_documents=20, labels=None):
    """Weigh facet 4, which was given to `best` and lies at `place`; facet 5, of `n_left` documents, is part 3 too."""
    evidence = node_evidence([n_documents, n_left], {})
    evidence = explained_as(
        evidence, [1, 1, 1, 1, 0.1, 1], [0, 1, 2, 3, best, 3], places=[*APART, place, [0, 0, 0, 1, 0]]
    )
    standing = weigh_group(evidence, novel_groups((4, 5), [(4,)]), (4,))
    return replace(standing, size_ratio=1.0, distinctness=1.0).shortcomings(**ASKED, labels=labels)


def test_a_group_that_lies_as_one_known_leaf_does_is_a_part_of_it():
    (reason,) = part_of(100, [0, 0, 0, 1, 0.2], labels={"part 3": "ship"})
    assert reason == "it is a part of ship: look for it there"
    assert part_of(100, [0, 0, 0, 0, 1]) == []


def test_which_leaf_swallowed_a_group_does_not_make_it_a_part():
    assert part_of(100, [0, 0, 0, 0, 1], best=3) == []
    (reason,) = part_of(100, [0, 0, 0, 1, 0.2], best=0)
    assert "part of" in reason


def test_the_larger_a_group_is_beside_a_leaf_the_nearer_it_must_be_to_be_a_part_of_it():
    def largest_part(slope):
        sizes = range(20, 600, 20)
        return max(n for n in sizes if part_of(100, [0, 0, 0, 1, slope], n_documents=n) != [])

    assert 110 < largest_part(0.25) < largest_part(0.2) < largest_part(0.15) < 580


def test_a_group_whose_documents_use_the_words_of_a_known_topic_is_not_new():
    assert replace(SOUND, says=SAYS_A_NAME).shortcomings(**ASKED) == []
    loud = replace(SOUND, says=SAYS_A_NAME + 0.01, name_of="n3")
    (reason,) = loud.shortcomings(**ASKED, labels={"n3": "chemistry"})
    assert reason == "its documents use the words of chemistry"


def test_which_known_name_a_group_says_is_measured():
    evidence = explained_as(node_evidence(FREE_SIZES, {}), [1] * 7, [0, 1, 2, 3, 0, 2, 0], places=[[1.0]] * 7)
    said = np.zeros((len(evidence.documents), 4), np.float32)
    said[np.isin(evidence.facets.labels, (2, 4, 5)), 2] = 1.0
    evidence = replace(evidence, explanation=replace(evidence.explanation, evidence=said))
    standing = weigh_group(evidence, novel_groups((4, 5, 6), [(4, 5)]), (4, 5))
    assert standing.name_of == "part 2"
    assert standing.says > SAYS_A_NAME


def test_a_group_much_larger_than_the_leaves_of_a_branch_may_use_the_words_of_one():
    evidence = explained_as(node_evidence(FREE_SIZES, {}), [1] * 7, [0, 1, 2, 3, 0, 2, 0], places=[[1.0]] * 7)
    said = np.zeros((len(evidence.documents), 4), np.float32)
    said[np.isin(evidence.facets.labels, (2, 4, 5)), 2] = 1.0
    evidence = replace(evidence, explanation=replace(evidence.explanation, evidence=said))
    n_documents = int(np.isin(evidence.facets.labels, (4, 5)).sum())

    def says(typical_size: float) -> float:
        groups = replace(novel_groups((4, 5, 6), [(4, 5)]), typical_size=typical_size)
        return weigh_group(evidence, groups, (4, 5)).says

    assert says(n_documents / 2) > SAYS_A_NAME
    assert says(n_documents / 2 - 0.1) == -np.inf
    # A topic without sub-topics has no leaf beside it, and may be large itself.
    alone = replace(evidence.explanation, branches=np.array([0, 0, 1, 2], np.int32))
    evidence = replace(evidence, explanation=alone)
    assert says(n_documents / 2 - 0.1) > SAYS_A_NAME


def test_what_is_spread_over_the_known_topics_as_everything_else_is_general():
    (reason,) = replace(SOUND, spread=GENERAL_SPREAD - 0.01).shortcomings(**ASKED)
    assert reason.startswith("it is general")
    assert replace(SOUND, spread=GENERAL_SPREAD).shortcomings(**ASKED) == []
