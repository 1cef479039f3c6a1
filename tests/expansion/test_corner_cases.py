"""Corner cases of an expansion: lassos, one direction a topic, nothing known and nothing new, what was rejected."""

from dataclasses import replace

import numpy as np

from taxocom.expansion.discovery.admission import NOT_FOUND, Standing
from taxocom.expansion.discovery.novel_groups import explained_owners, find_novel_groups
from taxocom.expansion.paper.embedding import pretrain
from taxocom.expansion.pipeline import expand_node, propose
from taxocom.expansion.proposals.proposal import Overrides
from taxocom.numerics.arrays import UNASSIGNED
from taxocom.taxonomy.curation import Curation, RejectedCluster
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from tests.expansion.hand_made import explained_as, node_evidence
from tests.expansion.planted import plant
from tests.expansion.test_placing_documents import (  # noqa: F401
    SETTINGS,
    clusters_of,
    expand,
    missing,
    planted,
    pretrained,
    seed,
    told,
    unknown,
)


def test_nor_does_a_lasso_around_its_terms(told, planted, seed):  # noqa: F811
    rows, expansion = told
    (novel,) = expansion.proposal.novel
    terms = expansion.proposal.terms
    own = planted.corpus.vocabulary.select(terms.term_ids[terms.cluster == len(expansion.proposal.known)])
    asked = Overrides(pins=dict.fromkeys(own, novel.cluster_id))
    proposal = propose(planted.corpus, seed, expansion.evidence, settings=SETTINGS, overrides=asked)
    assert clusters_of(proposal, rows) == {seed.children_of(ROOT_ID)[0].node_id}


def test_no_facet_is_lost_where_a_topic_is_one_direction(expand, seed):  # noqa: F811
    evidence = expand(seed, settings=replace(SETTINGS, subtree_directions=False)).evidence
    found = find_novel_groups(evidence, SETTINGS.novelty_threshold)
    placed = {facet for group in (*found.known, *found.novel) for facet in group}
    assert set(np.unique(evidence.facets.labels).tolist()) <= placed


def test_found_again_by_one_and_less_clear_there_is_not_called_not_found():
    group = Standing(n_documents=200, size_ratio=0.8, own_explained=0.3, distinctness=0.95, others=(NOT_FOUND, 0.9))
    (reason,) = group.shortcomings(size_floor=0.1, gate=0.7)
    assert reason == "it is less clear when the documents are grouped once more"


def test_without_known_topics_and_without_new_ones_everything_stays_at_the_node(planted, expand):  # noqa: F811
    empty = Taxonomy.empty("Planted")
    evidence = expand(empty).evidence
    nothing = propose(planted.corpus, empty, evidence, settings=SETTINGS, overrides=Overrides(n_novel=0))
    assert nothing.clusters == ()
    assert (nothing.documents.cluster == UNASSIGNED).all()


def test_a_name_is_not_left_without_a_facet_by_the_order_of_its_facets():
    evidence = node_evidence([10], {})
    evidence.facets.owners[4] = 0
    # Facets 0 and 4 are tied to part 0. The one is not explained; the other is, by part 2.
    owners = explained_owners(explained_as(evidence, [0.1, 1, 1, 1, 1], best=[0, 1, 2, 3, 2]), 0.7)
    assert owners.tolist() == [0, 1, 2, 3, 2]


def test_what_a_person_put_somewhere_is_no_gap(told):  # noqa: F811
    _, expansion = told
    assert expansion.proposal.gap_after.documents == 0.0


def test_the_very_cluster_that_was_rejected_does_not_come_back():
    small = plant(n_parents=4, n_children=2, n_documents=40)
    vectors = pretrain(small.corpus, SETTINGS.embedding)
    parent = small.gold.children_of(ROOT_ID)[0]
    leaf = small.gold.children_of(parent.node_id)[0]
    own = np.array([row for row, path in enumerate(small.paths) if path == (parent.label, leaf.label)])

    def proposed(*rejected):
        curation = Curation(rejected={leaf.node_id: rejected})
        asked = {"settings": SETTINGS, "documents": own, "draw_map": False, "curation": curation}
        return expand_node(small.corpus, small.gold, leaf.node_id, vectors, **asked).proposal.novel

    gone = [RejectedCluster(c.cluster_id, c.center_term, tuple(a.term for a in c.anchors)) for c in proposed()]
    assert gone[0].cluster_id not in {again.cluster_id for again in proposed(gone[0])}
