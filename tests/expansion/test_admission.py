"""How novel groups are judged: each measure by hand, and that it counts in the right direction."""

from dataclasses import replace

import numpy as np
import pytest

from taxocom.expansion.admission import NOT_FOUND, TOLD_APART, Standing, gate_at
from taxocom.expansion.novel_groups import weigh_group
from taxocom.taxonomy.tree import ROOT_ID
from tests.expansion.hand_made import TIED, explained_as, node_evidence, novel_groups

ASKED = {"size_floor": 0.4, "gate": 0.7}
SOUND = Standing(n_documents=200, size_ratio=0.8, own_explained=0.2, distinctness=0.95)

FREE_SIZES = (10, 10, 10)
"""Two facets, 4 and 5, that are the group, and one more; the four before them are tied to known topics."""


def weighed(*, taken_for=None, group=(4, 5), fit=(0.1, 0.4), node_id=ROOT_ID, mentions=None, tied=TIED):
    """Weigh a group in a node made by hand; `taken_for[facet]` is what each document of it is taken for, in turn."""
    evidence = node_evidence(FREE_SIZES, {})
    labels = evidence.facets.labels
    likelihood = np.zeros(evidence.affinity.evidence.shape, np.float32)
    likelihood[np.arange(len(labels)), labels] = 1.0
    for facet, others in (taken_for or {}).items():
        for document, other in zip(np.flatnonzero(labels == facet), others, strict=False):
            likelihood[document, other] = 2.0
    evidence = replace(evidence, affinity=replace(evidence.affinity, evidence=likelihood), node_id=node_id)
    if mentions is not None:
        evidence = replace(evidence, mentions=np.array(mentions, np.int32))
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
        ({"own_explained": 0.83}, "known topics explain it by 83% (less than 70% is asked)"),
        ({"own_explained": 1.3}, "known topics explain it by 100% (less than 70% is asked)"),
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


# --- below the root, where names say too little ---

NAMED = [[8, 0, 0, 0, 0, 0, 0], [0, 8, 0, 0, 0, 0, 0], [0, 0, 8, 0, 0, 0, 0], [0, 0, 0, 8, 0, 0, 0]]


def below(*, said=0, otherwise=8, **options):
    """Weigh the group where so many of its documents say the name of part 0, and so many others do."""
    mentions = [list(row) for row in NAMED]
    mentions[0][0], mentions[0][4] = otherwise, said
    return weighed(node_id="below", mentions=mentions, **options)


def test_below_the_root_a_group_counts_as_explained_by_what_it_is_taken_for_and_whose_name_it_says():
    alone = below().own_explained
    assert below(taken_for={4: [0] * 5}).own_explained > alone
    assert below(said=4).own_explained > alone
    assert below(said=8).own_explained > below(said=4).own_explained


def test_below_the_root_what_was_joined_from_several_facets_is_less_of_an_accident():
    assert below(group=(4,)).own_explained > below(group=(4, 5)).own_explained


def test_below_the_root_what_the_names_explain_is_explained_there_too():
    alone = below().own_explained
    assert below(fit=(alone - 0.1, alone - 0.1)).own_explained == alone
    assert below(fit=(alone + 0.1, alone + 0.1)).own_explained == pytest.approx(alone + 0.1)


def test_a_name_mentioned_once_or_twice_tells_nothing():
    assert below(said=2, otherwise=0).own_explained == below().own_explained
    assert below(said=3, otherwise=0).own_explained > below().own_explained


# --- a part of one known leaf ---


def part_of(n_left, *, best=(3, 3), sizes=(10, 10), novel=((4, 5),)):
    """Weigh the first of the novel groups; facets 4 and 5 were given to `best`, and `n_left` more to part 3."""
    evidence = node_evidence([*sizes, n_left], {})
    evidence = explained_as(evidence, [1, 1, 1, 1, 0.1, 0.1, 1], [0, 1, 2, 2, *best, 3])
    standing = weigh_group(evidence, novel_groups((4, 5, 6), novel), novel[0])
    return replace(standing, size_ratio=1.0, distinctness=1.0).shortcomings(**ASKED)


def test_a_small_part_of_one_known_leaf_is_refused_with_the_remedy():
    (reason,) = part_of(n_left=100)
    assert "part of one known topic" in reason
    assert "expand that topic" in reason


def test_what_leaves_a_leaf_with_less_than_it_takes_is_no_part_of_it():
    assert part_of(n_left=15) == []


def test_what_comes_from_several_leaves_is_no_part_of_one():
    assert part_of(n_left=100, best=(3, 0)) == []


def test_pieces_of_one_missing_topic_are_no_parts_of_the_leaf_that_swallowed_them():
    assert part_of(n_left=100, sizes=(20, 20), novel=((4,), (5,))) != []
    assert part_of(n_left=100, sizes=(20, 90), novel=((4,), (5,))) == []
