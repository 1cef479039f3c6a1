"""Where the documents of a node go once it is split, and that nobody's word about a document is overruled by it."""

from dataclasses import replace

import numpy as np
import pytest

from taxocom.errors import SettingsError
from taxocom.expansion.discovery.node_evidence import NodeEvidence
from taxocom.expansion.discovery.novel_groups import find_novel_groups
from taxocom.expansion.paper.embedding import pretrain
from taxocom.expansion.pipeline import expand_node, propose
from taxocom.expansion.proposals.proposal import Overrides
from taxocom.numerics.arrays import UNASSIGNED
from taxocom.settings import EmbeddingSettings, ExpansionSettings
from taxocom.tagging.explanation import POOR_FIT
from taxocom.tagging.tagger import Teaching
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from tests.expansion.planted import plant, without

SETTINGS = ExpansionSettings(embedding=EmbeddingSettings(dim=50), n_readings=1)
SOME, FEW = 20, 5


@pytest.fixture(scope="module")
def planted():
    return plant(n_parents=4, n_children=3, n_documents=40)


@pytest.fixture(scope="module")
def missing(planted):
    """The path of a parent that is not in the seed."""
    return (planted.gold.children_of(ROOT_ID)[-1].label,)


@pytest.fixture(scope="module")
def seed(planted, missing):
    return without(planted.gold, missing)


@pytest.fixture(scope="module")
def unknown(planted, missing):
    """The documents of the missing parent."""
    return np.array([row for row, path in enumerate(planted.paths) if path[:1] == missing])


@pytest.fixture(scope="module")
def pretrained(planted):
    return pretrain(planted.corpus, SETTINGS.embedding)


@pytest.fixture(scope="module")
def expand(planted, pretrained):
    def expand_root(tree, teaching=None, **options):
        asked = {"settings": SETTINGS, "draw_map": False, "teaching": teaching, **options}
        return expand_node(planted.corpus, tree, ROOT_ID, pretrained, **asked)

    return expand_root


@pytest.fixture(scope="module")
def expansion(expand, seed):
    return expand(seed)


# --- what nobody was told about ---


def test_each_document_goes_to_the_topic_it_was_written_for(planted, expansion, seed, unknown):
    cluster = expansion.proposal.documents.cluster
    known = [node.label for node in seed.children_of(ROOT_ID)]
    wanted = [known.index(path[0]) if path[0] in known else len(known) for path in planted.paths]
    assert (cluster == wanted).mean() >= 0.95
    assert (cluster[unknown] == len(known)).mean() >= 0.95


def test_the_place_of_a_document_is_not_that_of_its_facet(planted, expansion, seed):
    """A document that was cut into the facet of others finds its way back, to a new topic as to a known one."""
    evidence = expansion.evidence
    groups = find_novel_groups(evidence, SETTINGS.novelty_threshold)
    labels = evidence.facets.labels.copy()
    new = np.flatnonzero(np.isin(labels, groups.novel[0]))[:FEW]
    old = np.flatnonzero(np.isin(labels, groups.known[0]))[:FEW]
    labels[new], labels[old] = groups.known[0][0], groups.novel[0][0]
    mixed = replace(evidence, facets=replace(evidence.facets, labels=labels))
    cluster = propose(planted.corpus, seed, mixed, settings=SETTINGS).documents.cluster
    assert cluster[new].tolist() == [len(evidence.children)] * FEW
    assert cluster[old].tolist() == [0] * FEW


def test_what_was_refused_goes_to_the_known_topics(planted, expansion, seed, unknown):
    evidence = expansion.evidence
    refused = propose(planted.corpus, seed, evidence, settings=SETTINGS, overrides=Overrides(n_novel=0))
    cluster = refused.documents.cluster
    branches = evidence.explanation.branches[evidence.explanation.best()]
    assert np.array_equal(cluster, branches)
    others = np.setdiff1d(np.arange(len(cluster)), unknown)
    assert np.array_equal(cluster[others], expansion.proposal.documents.cluster[others])


def test_scores_are_shares_and_the_margin_is_the_lead(expansion):
    documents = expansion.proposal.documents
    n_clusters = len(expansion.proposal.clusters)
    assert (documents.score >= 1 / n_clusters - 1e-6).all()
    assert (documents.score <= 1 + 1e-6).all()
    # What the best has not is left to the others, so the lead over the second is at least what remains.
    assert (documents.margin >= 2 * documents.score - 1 - 1e-5).all()
    assert (documents.margin <= documents.score + 1e-6).all()


def test_without_known_topics_what_is_in_no_group_stays_at_the_node(planted, expand):
    empty = Taxonomy.empty("Planted")
    found = expand(empty)
    assert found.proposal.known == ()
    chosen = propose(planted.corpus, empty, found.evidence, settings=SETTINGS, overrides=Overrides(n_novel=2))
    groups = find_novel_groups(found.evidence, SETTINGS.novelty_threshold).novel
    home = np.full(len(found.evidence.facets), UNASSIGNED)
    home[list(groups[0])], home[list(groups[1])] = 0, 1
    assert len(groups) > 2
    assert np.array_equal(chosen.documents.cluster, home[found.evidence.facets.labels])


def test_evidence_of_older_times_is_refused_with_the_remedy(planted, expansion, seed):
    older = replace(expansion.evidence, explanation=None)
    with pytest.raises(SettingsError, match="Expand the topic again"):
        propose(planted.corpus, seed, older, settings=SETTINGS)


# --- what people said ---


@pytest.fixture(scope="module")
def told(expand, seed, unknown):
    """Twenty documents of the missing topic that a person put in a known sub-topic, and the expansion then."""
    home = seed.children_of(seed.children_of(ROOT_ID)[0].node_id)[1]
    rows = unknown[:SOME]
    return rows, expand(seed, Teaching({int(row): home.node_id for row in rows}, {}))


def clusters_of(proposal, rows):
    return {proposal.clusters[cluster].cluster_id for cluster in proposal.documents.cluster[rows]}


def test_what_a_person_put_somewhere_is_never_given_to_a_new_topic(told, seed, unknown):
    rows, expansion = told
    proposal = expansion.proposal
    assert clusters_of(proposal, rows) == {seed.children_of(ROOT_ID)[0].node_id}
    assert (proposal.documents.score[rows] == 1.0).all()
    # The others are found all the same, and are a topic as they were.
    (novel,) = proposal.novel
    assert clusters_of(proposal, np.setdiff1d(unknown, rows)) == {novel.cluster_id}
    assert novel.n_documents == len(unknown) - len(rows)


@pytest.mark.parametrize("threshold", [0.1, 0.4, 0.6])
def test_no_slider_takes_it_away(told, planted, seed, threshold):
    rows, expansion = told
    asked = Overrides(threshold=threshold, n_novel=1)
    proposal = propose(planted.corpus, seed, expansion.evidence, settings=SETTINGS, overrides=asked)
    assert len(proposal.novel) == 1
    assert clusters_of(proposal, rows) == {seed.children_of(ROOT_ID)[0].node_id}


def test_nor_does_the_way_to_the_store_and_back(told, planted, seed):
    rows, expansion = told
    evidence = expansion.evidence
    kept = NodeEvidence.from_arrays(evidence.node_id, evidence.children, evidence.to_arrays())
    proposal = propose(planted.corpus, seed, kept, settings=SETTINGS)
    assert len(proposal.novel) == 1
    assert clusters_of(proposal, rows) == {seed.children_of(ROOT_ID)[0].node_id}


def test_nor_does_a_split_by_hand(told, planted, seed):
    rows, expansion = told
    (novel,) = expansion.proposal.novel
    asked = Overrides(split=(novel.cluster_id,), n_novel=2)
    proposal = propose(planted.corpus, seed, expansion.evidence, settings=SETTINGS, overrides=asked)
    assert len(proposal.novel) == 2
    assert clusters_of(proposal, rows) == {seed.children_of(ROOT_ID)[0].node_id}


@pytest.fixture(scope="module")
def accepted(seed):
    """The seed with a topic that was accepted under a name which no document says, and without keywords."""
    return seed.with_topic(TopicNode("accepted", "qwertyu", center_term="qwertyu", origin="novel"), ROOT_ID)


def test_the_documents_of_an_accepted_topic_are_explained_by_it_whatever_its_name(expand, accepted, unknown):
    silent = expand(accepted)
    assert len(silent.proposal.novel) == 1
    assert clusters_of(silent.proposal, unknown) == {silent.proposal.novel[0].cluster_id}
    taught = expand(accepted, Teaching({}, {int(row): "accepted" for row in unknown}))
    assert taught.proposal.novel == ()
    assert clusters_of(taught.proposal, unknown) == {"accepted"}
    said = taught.evidence.explanation
    assert (said.explained[unknown] >= 1.0).all()
    # Its documents fit it as those of the topics of the seed fit theirs, so no gap is left.
    assert said.fit[unknown].mean() > 0.9
    assert taught.proposal.gap_before.documents < 0.05 < silent.proposal.gap_before.documents


def test_the_gap_is_of_documents_that_fit_no_known_topic_as_every_page_counts_it(planted, expand, seed):
    evidence = expand(seed).evidence
    fit = evidence.explanation.fit.copy()
    fit[::7] = 1.0
    evidence = replace(evidence, explanation=replace(evidence.explanation, fit=fit))
    found = propose(planted.corpus, seed, evidence, settings=SETTINGS)
    placed = found.documents.cluster >= len(found.known)
    assert (placed & (fit >= POOR_FIT)).any()
    assert found.gap_before.documents == pytest.approx((fit < POOR_FIT).mean())
    assert found.gap_after.documents == pytest.approx(((fit < POOR_FIT) & ~placed).mean())


def test_an_accepted_topic_draws_what_is_like_its_documents(expand, accepted, unknown):
    half = unknown[::2]
    taught = expand(accepted, Teaching({}, {int(row): "accepted" for row in half}))
    assert taught.proposal.novel == ()
    (cluster,) = (cluster for cluster in taught.proposal.known if cluster.cluster_id == "accepted")
    assert cluster.n_documents >= 0.95 * len(unknown)


def test_a_document_left_at_a_topic_with_sub_topics_is_told_to_that_topic(expand, seed, unknown):
    parent = seed.children_of(ROOT_ID)[1]
    rows = unknown[:SOME]
    found = expand(seed, Teaching({int(row): parent.node_id for row in rows}, {}))
    assert parent.node_id in found.evidence.explanation.node_ids
    assert clusters_of(found.proposal, rows) == {parent.node_id}
    # The names that facets are tied to are the tagger's classes, one by one: owners are compared with them by number.
    assert np.array_equal(found.evidence.direction_child, found.evidence.explanation.branches)


def test_below_the_root_an_accepted_topic_keeps_its_documents_too(planted, pretrained):
    parent = planted.gold.children_of(ROOT_ID)[0]
    path = (parent.label, planted.gold.children_of(parent.node_id)[0].label)
    named = without(planted.gold, path).with_topic(
        TopicNode("accepted", "qwertyu", center_term="qwertyu", origin="novel"), parent.node_id
    )
    inside = [row for row, labels in enumerate(planted.paths) if labels == path]
    own = np.array([row for row, labels in enumerate(planted.paths) if labels[0] == parent.label])

    def expanded(said):
        teaching = Teaching({}, dict.fromkeys(said, "accepted"))
        return expand_node(
            planted.corpus,
            named,
            parent.node_id,
            pretrained,
            settings=SETTINGS,
            documents=own,
            teaching=teaching,
            draw_map=False,
        ).proposal

    rows = np.flatnonzero(np.isin(own, inside))
    silent, taught = expanded([]), expanded(inside)
    assert clusters_of(silent, rows) == {cluster.cluster_id for cluster in silent.novel}
    assert taught.novel == ()
    assert clusters_of(taught, rows) == {"accepted"}


def test_what_was_said_of_other_documents_is_not_heard_here(planted, expand, seed, unknown):
    """`teaching` goes by rows of the corpus, of which a node has some."""
    own = np.arange(planted.corpus.n_documents)[planted.corpus.n_documents // 4 :]
    home = seed.children_of(seed.children_of(ROOT_ID)[0].node_id)[1]
    inside, outside = unknown[unknown >= own[0]][:SOME], unknown[unknown < own[0]]
    teaching = Teaching({int(row): home.node_id for row in (*inside, *outside)}, {})
    found = expand(seed, teaching, documents=own)
    told = found.evidence.documents[found.evidence.explanation.told >= 0]
    assert np.array_equal(np.sort(told), np.sort(inside))


def test_teaching_changes_no_byte_with_the_number_of_threads(expand, accepted, unknown):
    teaching = Teaching({int(unknown[0]): "accepted"}, {int(row): "accepted" for row in unknown[::2]})
    one, two = (
        expand(accepted, teaching, settings=replace(SETTINGS, n_readings=3), threads=threads) for threads in (1, 2)
    )
    for name, array in one.evidence.to_arrays().items():
        assert array.tobytes() == two.evidence.to_arrays()[name].tobytes(), name
    assert one.proposal.documents.score.tobytes() == two.proposal.documents.score.tobytes()
