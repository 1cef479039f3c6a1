"""The paper's rule through the whole pipeline, term by term against its equations as they stand on the page."""

from __future__ import annotations

import random
from dataclasses import fields, replace

import numpy as np
import pytest
import reference

from taxocom.expansion.completion import Completion, complete
from taxocom.expansion.paper.embedding import pretrain
from taxocom.expansion.pipeline import expand_node, propose
from taxocom.expansion.proposals.proposal import Overrides
from taxocom.settings import ExpansionSettings
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode, topic_id
from taxocom.text.corpus import Corpus
from taxocom.text.input.documents import Document
from tests.expansion.planted import plant

TOPICS = {
    "football": "goalkeeper penalty striker league referee stadium",
    "cooking": "recipe oven butter flour garlic skillet",
    "astronomy": "galaxy telescope orbit comet nebula planet",
    "medicine": "patient surgery vaccine nurse clinic symptom",
}
COMMON = ["today", "people", "story", "water", "number", "letter", "window"]
PAPER = ExpansionSettings.paper()
# So small a corpus trains longer, and a large exponent leaves enough terms novel to tell counts of clusters apart.
SETTINGS = replace(
    PAPER,
    embedding=replace(PAPER.embedding, dim=10, local_epochs=10),
    threshold_exponent=4.0,
    lower_threshold_exponent=5.0,
    max_novel=3,
)


def write_documents() -> list[Document]:
    draw = random.Random(7)
    made = []
    for i in range(72):
        topic = list(TOPICS)[i % len(TOPICS)]
        own = [topic, *TOPICS[topic].split()]
        strangers = [word for words in TOPICS.values() for word in words.split()]
        words = draw.choices(own, k=9) + draw.choices(COMMON, k=6) + draw.choices(strangers, k=2)
        draw.shuffle(words)
        made.append(Document(str(i), " ".join(words)))
    return made


def seed_of(*names: str) -> Taxonomy:
    tree = Taxonomy.empty("All")
    for name in names:
        tree = tree.with_topic(TopicNode(topic_id(name), name, center_term=name), ROOT_ID)
    return tree


class Expanded:
    """A node expanded by the paper's rule, and the same worked out from its vectors by plain loops."""

    def __init__(self, settings: ExpansionSettings) -> None:
        known = ("football", "cooking", "medicine")
        corpus = Corpus.from_documents(write_documents(), seed_phrases=known)
        embedding = pretrain(corpus, settings.embedding)
        self.corpus, self.seed = corpus, seed_of(*known)
        expansion = expand_node(corpus, self.seed, ROOT_ID, embedding, settings=settings, draw_map=False)
        self.proposal, self.evidence = expansion.proposal, expansion.evidence
        self.scores = self.proposal.terms
        row_of = {int(term): row for row, term in enumerate(self.evidence.term_ids)}
        self.documents = [
            [row_of[token] for token in corpus.tokens[corpus.offsets[d] : corpus.offsets[d + 1]] if token in row_of]
            for d in self.evidence.documents
        ]
        self.terms = range(len(self.evidence.term_ids))
        self.vectors = self.evidence.vectors
        self.integrity = corpus.vocabulary.integrity[self.evidence.term_ids]
        self.term_clusters = [None if z < 0 else int(z) for z in self.scores.cluster]
        self.n_clusters = len(self.proposal.clusters)
        novel = [
            np.mean([self.vectors[t] for t in self.terms if self.term_clusters[t] == s], axis=0)
            for s in range(self.evidence.n_known, self.n_clusters)
        ]
        self.directions = [*self.evidence.topics, *novel]
        self.document_clusters = [
            reference.document_cluster(document, self.documents, self.term_clusters, self.n_clusters)
            for document in self.documents
        ]
        self.sub_corpora = [
            [document for document, z in zip(self.documents, self.document_clusters, strict=True) if z == s]
            for s in range(self.n_clusters)
        ]


@pytest.fixture(scope="module")
def expanded() -> Expanded:
    return Expanded(SETTINGS)


def test_there_is_something_to_compare(expanded):
    assert len(expanded.terms) > 30
    assert len(expanded.proposal.novel) >= 1
    assert 0 < expanded.scores.is_novel.sum() < len(expanded.terms)
    assert 0 < expanded.scores.is_anchor.sum() < len(expanded.terms)
    assert all(len(documents) > 3 for documents in expanded.sub_corpora)


def test_novelty_and_its_threshold(expanded):
    topics = expanded.evidence.topics
    scores = [reference.novelty(vector, topics, SETTINGS.temperature) for vector in expanded.vectors]
    np.testing.assert_allclose(expanded.scores.novelty, scores, atol=1e-5)
    threshold = (1 - 1 / 3) ** 4.0
    assert expanded.proposal.novelty_threshold == pytest.approx(threshold)
    assert expanded.scores.is_novel.tolist() == [score >= threshold for score in scores]


def test_below_the_root_the_threshold_has_an_exponent_of_its_own(expanded):
    lower = replace(expanded.evidence, node_id="football")
    proposal = propose(expanded.corpus, expanded.seed, lower, settings=SETTINGS)
    assert proposal.novelty_threshold == pytest.approx((1 - 1 / 3) ** 5.0)
    same = propose(expanded.corpus, expanded.seed, lower, settings=replace(SETTINGS, lower_threshold_exponent=None))
    assert same.novelty_threshold == expanded.proposal.novelty_threshold


def test_known_terms_go_to_the_nearest_topic_and_novel_ones_to_the_nearest_centre(expanded):
    n_known = expanded.evidence.n_known
    for term in expanded.terms:
        cluster = expanded.term_clusters[term]
        if expanded.scores.is_novel[term]:
            nearest = reference.known_cluster(expanded.vectors[term], expanded.directions[n_known:])
            assert cluster == n_known + nearest
        else:
            assert cluster == reference.known_cluster(expanded.vectors[term], expanded.evidence.topics)


def test_documents_follow_their_terms(expanded):
    found = [None if z < 0 else int(z) for z in expanded.proposal.documents.cluster]
    assert found == expanded.document_clusters


def test_relevance_and_representativeness(expanded):
    scores, corpora, terms = expanded.scores, expanded.sub_corpora, expanded.terms
    for term in terms:
        own = expanded.term_clusters[term]
        expected = {
            "relevance": reference.cosine(expanded.vectors[term], expanded.directions[own]),
            "integrity": expanded.integrity[term],
            "distinctiveness": reference.distinctiveness(term, own, corpora, terms),
            "popularity": reference.popularity(term, own, corpora, terms),
            "representativeness": reference.representativeness(term, own, corpora, terms, expanded.integrity),
        }
        for name, value in expected.items():
            assert getattr(scores, name)[term] == pytest.approx(value, rel=1e-4, abs=1e-5), (term, name)
        product = expected["relevance"] * expected["representativeness"]
        assert scores.significance[term] == pytest.approx(product, rel=1e-4, abs=1e-5)


def test_anchors_are_the_significant_terms_of_their_cluster(expanded):
    significances = [
        reference.significance(
            term,
            expanded.vectors[term],
            expanded.directions,
            expanded.sub_corpora,
            expanded.terms,
            expanded.integrity,
        )
        for term in expanded.terms
    ]
    # Float32 may differ from the plain sum in the last digits; no score may lie that near the threshold.
    assert min(abs(score - SETTINGS.significance_threshold) for score in significances) > 1e-5
    for s in range(expanded.n_clusters):
        kept = reference.anchors(s, expanded.term_clusters, significances, SETTINGS.significance_threshold)
        mine = {t for t in expanded.terms if expanded.scores.is_anchor[t] and expanded.term_clusters[t] == s}
        assert mine == kept


def test_the_count_of_least_spread_wins_and_is_what_is_proposed(expanded):
    spreads = {
        candidate.n_novel: np.std(candidate.concentrations)
        for candidate in expanded.proposal.candidates
        if None not in candidate.concentrations
    }
    (chosen,) = (candidate for candidate in expanded.proposal.candidates if candidate.chosen)
    assert len(spreads) >= 2
    assert chosen.n_novel == min(spreads, key=spreads.get) == len(expanded.proposal.novel)
    shown = [cluster.concentration for cluster in expanded.proposal.clusters]
    assert shown == pytest.approx(list(chosen.concentrations), rel=1e-5)


def test_where_no_count_has_a_spread_nothing_is_proposed(expanded):
    strict = replace(SETTINGS, significance_threshold=1.0)
    proposal = propose(expanded.corpus, expanded.seed, expanded.evidence, settings=strict)
    assert proposal.novel == ()
    chosen = [candidate for candidate in proposal.candidates if candidate.chosen]
    assert [candidate.n_novel for candidate in chosen] == [0]
    assert all("fewer than two different anchors" in candidate.reason for candidate in proposal.candidates)
    by_hand = propose(
        expanded.corpus, expanded.seed, expanded.evidence, settings=strict, overrides=Overrides(n_novel=2)
    )
    assert len(by_hand.novel) == 2


@pytest.fixture(scope="module")
def walked() -> tuple[Corpus, Completion]:
    """A walk over two levels, by the paper's rule and to where it says yes to fewer terms at each."""
    planted = plant(n_parents=3, n_children=3, n_documents=25)
    settings = replace(PAPER, embedding=replace(PAPER.embedding, dim=30, epochs=4), significance_threshold=0.1)
    return planted.corpus, complete(planted.corpus, planted.gold, settings=settings)


def test_a_topic_hands_down_its_anchor_terms_and_no_others(walked):
    # Algorithm 1: q.push((s, V_s, D_s)), where V_s are the anchor terms of s.
    corpus, found = walked
    root, *below = found.proposals
    assert len(root.terms) > 200
    assert len(below) >= 2
    for proposal in below:
        handed = set(root.anchors_of(proposal.node_id).tolist())
        names = {corpus.vocabulary.id_of(cluster.center_term) for cluster in proposal.known}
        clustered = set(proposal.terms.term_ids.tolist())
        assert 0 < len(handed & clustered) < len(root.terms)
        assert clustered <= handed | names
        assert names <= clustered


def test_without_the_setting_a_topic_has_all_terms_of_its_documents(walked):
    corpus, found = walked
    root, below, *_ = found.proposals
    settings = replace(PAPER, hand_down_terms=False, embedding=replace(PAPER.embedding, local_epochs=1))
    again = expand_node(
        corpus,
        found.taxonomy,
        below.node_id,
        found.embedding,
        settings=settings,
        documents=below.documents.documents,
        draw_map=False,
    )
    assert not set(again.proposal.terms.term_ids.tolist()) <= set(root.anchors_of(below.node_id).tolist())


def test_the_papers_values():
    assert PAPER.embedding.margin == 0.3
    assert PAPER.embedding.negatives == 2
    assert PAPER.n_retrieval_terms == 100
    assert (PAPER.exponent(below_root=False), PAPER.exponent(below_root=True)) == (1.5, 3.0)
    assert PAPER.significance_threshold == 0.3


def test_every_departure_is_off():
    off = {
        "discovery": "terms",
        "subtree_directions": False,
        "allow_none": False,
        "hand_down_terms": True,
        "topical_terms_only": False,
        "better_names": False,
        "local_embedding": True,
    }
    assert {name: getattr(PAPER, name) for name in off} == off
    assert PAPER.n_neighbours == 0
    assert PAPER.n_readings == 1
    embedding = {"spectral_start": False, "paper_objective": True, "discriminative": True, "keywords_grown": 0}
    assert {name: getattr(PAPER.embedding, name) for name in embedding} == embedding
    # A switch that is new must be set here too, by its other value or by a reason why there is none.
    switches = {field.name for field in fields(ExpansionSettings) if isinstance(getattr(PAPER, field.name), bool | str)}
    assert switches == set(off)
    inner = {name for name in vars(PAPER.embedding) if isinstance(getattr(PAPER.embedding, name), bool)}
    assert inner - {"reproducible"} == set(embedding) - {"keywords_grown"}
