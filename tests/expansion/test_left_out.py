"""Groups that are looked at and not proposed, and what a person joins and takes apart by hand, again and again."""

from dataclasses import replace

import numpy as np
import pytest

from taxocom.expansion.paper.embedding import pretrain
from taxocom.expansion.pipeline import expand_node, propose
from taxocom.expansion.proposals.proposal import NodeExpansion, Overrides
from taxocom.settings import EmbeddingSettings, ExpansionSettings
from taxocom.taxonomy.curation import Curation, RejectedCluster
from taxocom.taxonomy.tree import ROOT_ID
from tests.expansion.planted import plant, without

SETTINGS = ExpansionSettings(embedding=EmbeddingSettings(dim=50), n_readings=1)
# No group is ten times as large as a typical known topic; which groups there are does not depend on it.
STRICT = replace(SETTINGS, size_floor=10.0)


@pytest.fixture(scope="module")
def expanded():
    """A planted corpus, its tree without three of the parents, and the evidence of its root."""
    planted = plant(n_parents=6)
    seed = without(planted.gold, *((node.label,) for node in planted.gold.children_of(ROOT_ID)[-3:]))
    embedding = pretrain(planted.corpus, SETTINGS.embedding)
    expansion = expand_node(planted.corpus, seed, ROOT_ID, embedding, settings=SETTINGS, draw_map=False)
    return planted.corpus, seed, expansion


def split(expanded, settings=SETTINGS, **overrides) -> NodeExpansion:
    corpus, seed, expansion = expanded
    return propose(corpus, seed, expansion.evidence, settings=settings, overrides=Overrides(**overrides))


def test_what_is_not_proposed_is_told_of_with_its_terms_and_the_reason(expanded):
    proposed, refused = split(expanded), split(expanded, STRICT)
    assert len(proposed.novel) == 3
    assert refused.novel == ()
    by_id = {group.cluster_id: group for group in refused.left_out}
    assert {cluster.cluster_id for cluster in proposed.novel} <= by_id.keys()
    for cluster in proposed.novel:
        group = by_id[cluster.cluster_id]
        assert group.reason
        assert group.n_documents > 0
        assert set(group.terms) & {anchor.term for anchor in cluster.anchors}
    sizes = [group.n_documents for group in refused.left_out]
    assert sizes == sorted(sizes, reverse=True)


def test_a_proposed_cluster_is_not_among_those_left_out(expanded):
    proposed = split(expanded)
    assert not {c.cluster_id for c in proposed.novel} & {g.cluster_id for g in proposed.left_out}


def test_one_of_them_can_be_had_alone_and_says_what_it_lacks(expanded):
    second = split(expanded, STRICT).left_out[1]
    shown = split(expanded, STRICT, included=(second.cluster_id,))
    (cluster,) = shown.novel
    assert cluster.cluster_id == second.cluster_id
    assert any(warning.startswith("You asked for it.") for warning in cluster.warnings)
    assert second not in shown.left_out
    assert (shown.documents.cluster == len(shown.known)).sum() == cluster.n_documents > 0


def test_with_fewer_topics_asked_for_that_is_the_reason(expanded):
    left = split(expanded, n_novel=1).left_out[0]
    assert left.reason == "fewer new topics were asked for"


def test_what_was_rejected_is_not_proposed_again_and_the_reason_is_kept(expanded):
    corpus, seed, expansion = expanded
    gone, *others = split(expanded).novel
    rejected = RejectedCluster(gone.cluster_id, gone.center_term, tuple(a.term for a in gone.anchors), "not ours")
    curation = Curation(rejected={ROOT_ID: (rejected,)})
    again = propose(corpus, seed, expansion.evidence, settings=SETTINGS, curation=curation)
    assert {cluster.cluster_id for cluster in again.novel} == {cluster.cluster_id for cluster in others}
    (left,) = (group for group in again.left_out if group.cluster_id == gone.cluster_id)
    assert left.reason == "it was rejected before: not ours"


def test_an_id_that_no_group_has_changes_nothing(expanded):
    plain, asked = split(expanded), split(expanded, included=("nobody",))
    assert asked.clusters == plain.clusters
    assert np.array_equal(asked.documents.cluster, plain.documents.cluster)


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_two_that_are_joined_by_hand_are_proposed_as_one_whichever_comes_first(expanded, order):
    groups = split(expanded, STRICT).left_out
    ids = tuple(groups[place].cluster_id for place in order)
    joined = split(expanded, STRICT, included=ids, merged=(ids,))
    assert [cluster.cluster_id for cluster in joined.novel] == [ids[0]]


def test_they_are_kept_with_the_proposal(expanded):
    refused = split(expanded, STRICT)
    again = NodeExpansion.from_parts(*refused.to_parts())
    assert again.left_out == refused.left_out
    metadata, arrays = refused.to_parts()
    del metadata["left_out"]
    assert NodeExpansion.from_parts(metadata, arrays).left_out == ()


def documents_of(proposal, cluster):
    number = [each.cluster_id for each in proposal.clusters].index(cluster.cluster_id)
    return proposal.documents.documents[proposal.documents.cluster == number]


def test_what_was_joined_can_be_taken_apart_and_joined_again(expanded):
    one, two, three = (cluster.cluster_id for cluster in split(expanded).novel)
    joined = split(expanded, merged=((one, two),), n_novel=2)
    (whole,) = (c for c in joined.novel if c.cluster_id == one)
    apart = split(expanded, merged=((one, two),), split=(one,), n_novel=3)
    halves = [cluster.cluster_id for cluster in apart.novel if cluster.cluster_id != three]
    assert len(halves) == 2
    again = split(expanded, merged=((one, two), tuple(halves)), split=(one,), n_novel=2)
    (same,) = (c for c in again.novel if c.cluster_id == halves[0])
    assert set(documents_of(again, same)) == set(documents_of(joined, whole))
    # And once more: the halves of what was joined from halves.
    more = split(expanded, merged=((one, two), tuple(halves)), split=(one, halves[0]), n_novel=3)
    assert len(more.novel) == 3
    assert three in {cluster.cluster_id for cluster in more.novel}


def test_a_set_of_which_one_cluster_is_gone_is_joined_all_the_same(expanded):
    one, two, _ = (cluster.cluster_id for cluster in split(expanded).novel)
    joined = split(expanded, merged=((one, "gone", two),), n_novel=2)
    assert {one} == {c.cluster_id for c in joined.novel} & {one, two}
