from collections import Counter

import numpy as np
import pytest

from taxocom.expansion.completion import complete
from taxocom.expansion.describe import cluster_names
from taxocom.expansion.describe.naming import suggest_names
from taxocom.expansion.paper.embedding import pretrain
from taxocom.expansion.pipeline import expand_node, propose
from taxocom.expansion.proposals.proposal import NodeExpansion, Overrides
from taxocom.settings import EmbeddingSettings, ExpansionSettings
from taxocom.taxonomy.tree import ROOT_ID
from tests.expansion.planted import plant, without

SETTINGS = ExpansionSettings(embedding=EmbeddingSettings(dim=50))


@pytest.fixture(scope="module")
def planted():
    return plant()


def removed_one_at_each_level(planted):
    parents = [node.label for node in planted.gold.children_of(ROOT_ID)]
    whole, part_of = parents[-1], parents[0]
    child = planted.gold.children_of(planted.gold.find((part_of,)).node_id)[0].label
    return (whole,), (part_of, child)


@pytest.mark.slow
@pytest.mark.parametrize("random_state", range(10))
def test_a_topic_removed_at_each_level_is_put_back_exactly(planted, random_state):
    whole, part = removed_one_at_each_level(planted)
    seed = without(planted.gold, whole, part)
    found = complete(planted.corpus, seed, settings=SETTINGS, random_state=random_state)
    novel = [node for node in found.taxonomy.walk() if node.origin == "novel"]
    at = {found.taxonomy.parent_of(node.node_id): node for node in novel}
    parent_of_part = seed.find(part[:1]).node_id
    assert len(novel) == 2
    assert set(at) == {ROOT_ID, parent_of_part}
    for node, path in ((at[ROOT_ID], whole), (at[parent_of_part], part)):
        inside = {d for d, where in enumerate(found.document_nodes) if where == node.node_id}
        wanted = {d for d, labels in enumerate(planted.paths) if labels[: len(path)] == path}
        assert len(inside & wanted) >= 0.95 * len(inside | wanted)


def test_a_complete_seed_stays_as_it_is(planted):
    found = complete(planted.corpus, planted.gold, settings=SETTINGS)
    assert {node.node_id for node in found.taxonomy.walk()} == {node.node_id for node in planted.gold.walk()}


def test_the_number_of_threads_changes_nothing(planted):
    whole, part = removed_one_at_each_level(planted)
    seed = without(planted.gold, whole, part)
    one, two = (complete(planted.corpus, seed, settings=SETTINGS, threads=threads) for threads in (1, 2))
    assert one.taxonomy == two.taxonomy
    assert one.document_nodes == two.document_nodes
    assert one.document_scores.tobytes() == two.document_scores.tobytes()


@pytest.fixture(scope="module")
def root(planted):
    whole, _ = removed_one_at_each_level(planted)
    seed = without(planted.gold, whole)
    embedding = pretrain(planted.corpus, SETTINGS.embedding)
    return seed, expand_node(planted.corpus, seed, ROOT_ID, embedding, settings=SETTINGS, draw_map=False)


def test_a_proposal_survives_the_way_to_the_store_and_back(root):
    _, expansion = root
    again = NodeExpansion.from_parts(*expansion.proposal.to_parts())
    assert again.to_parts()[0] == expansion.proposal.to_parts()[0]
    assert np.array_equal(again.terms.novelty, expansion.proposal.terms.novelty)


def test_every_cluster_shows_its_evidence(planted, root):
    _, expansion = root
    (novel,) = expansion.proposal.novel
    assert novel.anchors
    assert novel.passages
    assert novel.name_suggestions
    for passage in novel.passages:
        for start, stop in passage.highlights:
            assert passage.text[start:stop].strip()
    for anchor in novel.anchors:
        product = anchor.relevance * (anchor.integrity * anchor.distinctiveness * anchor.popularity) ** (1 / 3)
        assert anchor.significance == pytest.approx(product, abs=1e-4)


def test_the_gap_closes_when_the_missing_topic_is_found(root):
    _, expansion = root
    assert expansion.proposal.gap_after.documents < expansion.proposal.gap_before.documents


def propose_again(planted, root, **asked):
    seed, expansion = root
    return propose(planted.corpus, seed, expansion.evidence, settings=SETTINGS, overrides=Overrides(**asked))


def test_a_split_without_overrides_is_the_proposal_itself(planted, root):
    again = propose_again(planted, root)
    assert [c.cluster_id for c in again.clusters] == [c.cluster_id for c in root[1].proposal.clusters]
    assert np.array_equal(again.terms.cluster, root[1].proposal.terms.cluster)


def test_a_name_is_weighed_against_the_known_siblings_and_by_the_parts_of_its_cluster(planted, root, monkeypatch):
    asked = []

    def listen(evidence, vocabulary, **options):
        asked.append(evidence)
        return suggest_names(evidence, vocabulary, **options)

    monkeypatch.setattr(cluster_names, "suggest_names", listen)
    seed, _ = root
    (novel,) = propose_again(planted, root).novel
    (evidence,) = asked
    known = {node.center_term for node in seed.children_of(ROOT_ID)}
    assert set(planted.corpus.vocabulary.select(evidence.term_ids[evidence.siblings])) == known
    assert len(evidence.parts.sizes) > 1
    assert evidence.parts.sizes.sum() == novel.n_documents
    np.testing.assert_array_equal(evidence.parts.counts.sum(axis=1), evidence.inside)


def test_asking_for_no_novel_topic_gives_none(planted, root):
    assert propose_again(planted, root, n_novel=0).novel == ()


def test_a_lower_threshold_never_makes_less_novel(planted, root):
    counts = [
        sum(cluster.n_documents for cluster in propose_again(planted, root, threshold=threshold).novel)
        for threshold in (0.1, 0.5, 0.9)
    ]
    assert counts[0] >= counts[1] - 5
    assert counts[1] >= counts[2] - 5


def test_a_pinned_term_stays_where_it_was_put(planted, root):
    _, expansion = root
    proposal = expansion.proposal
    (novel,) = proposal.novel
    term = planted.corpus.vocabulary.terms[int(proposal.terms.term_ids[proposal.terms.cluster == 0][0])]
    row = list(proposal.terms.term_ids).index(planted.corpus.vocabulary.id_of(term))
    moved = propose_again(planted, root, pins={term: novel.cluster_id})
    assert moved.clusters[moved.terms.cluster[row]].cluster_id == novel.cluster_id
    general = propose_again(planted, root, pins={term: "general"})
    assert general.terms.cluster[row] == -1


def test_a_split_cluster_falls_in_two_and_merges_again(planted, root):
    (novel,) = root[1].proposal.novel
    apart = propose_again(planted, root, split=(novel.cluster_id,), n_novel=2)
    assert len(apart.novel) == 2
    assert sum(c.n_documents for c in apart.novel) == pytest.approx(novel.n_documents, rel=0.05)


def test_the_paper_rule_runs_and_marks_every_choice(planted, root):
    seed, expansion = root
    paper = ExpansionSettings.paper()
    proposal = propose(planted.corpus, seed, expansion.evidence, settings=paper)
    assert Counter(candidate.chosen for candidate in proposal.candidates)[True] == 1
    assert len(proposal.novel) >= 1
