"""Documents that share rare terms, and what being drawn to them does."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from taxocom.expansion.discovery import document_neighbours, gathering
from taxocom.expansion.discovery.document_neighbours import draw_together, nearest_documents
from taxocom.expansion.paper.embedding import pretrain
from taxocom.numerics.sphere import unit_rows
from taxocom.settings import EmbeddingSettings, ExpansionSettings
from taxocom.taxonomy.tree import ROOT_ID
from tests.expansion.planted import plant

RARE, COMMON = 5.0, 1.0


def near(rows, rarity, n_neighbours=2):
    counts = sparse.csr_array(np.array(rows, dtype=np.int32))
    return nearest_documents(counts, np.array(rarity, dtype=np.float32), n_neighbours).toarray()


def test_documents_look_to_those_they_share_rare_terms_with():
    weights = near([[1, 1, 0], [1, 0, 1], [0, 1, 0], [0, 0, 1]], [COMMON, RARE, RARE])
    assert (weights > 0).tolist() == [
        [False, False, True, False],
        [False, False, False, True],
        [True, False, False, False],
        [False, True, False, False],
    ]


def test_weights_add_up_to_one_and_a_document_alone_looks_nowhere():
    weights = near([[2, 1, 0], [1, 1, 0], [1, 0, 0], [0, 0, 3]], [RARE, RARE, RARE])
    assert weights.sum(axis=1) == pytest.approx([1, 1, 1, 0])
    assert np.diag(weights).tolist() == [0, 0, 0, 0]


def test_a_term_that_is_rare_in_the_corpus_counts_even_where_all_documents_of_the_node_have_it():
    weights = near([[1, 0], [1, 0], [1, 1]], [RARE, RARE])
    assert weights[0, 1] > 0


def test_only_the_heaviest_terms_of_a_document_are_compared(monkeypatch):
    monkeypatch.setattr(document_neighbours, "_TERMS_OF_A_DOCUMENT", 1)
    weights = near([[3, 1], [3, 0], [0, 1]], [RARE, RARE])
    assert (weights > 0).tolist() == [[False, True, False], [True, False, False], [False, False, False]]


def test_in_a_large_node_a_part_of_the_documents_stands_for_all(monkeypatch):
    monkeypatch.setattr(document_neighbours, "_COMPARED_WITH", 10)
    rng = np.random.default_rng(0)
    counts = sparse.csr_array((rng.random((60, 30)) < 0.3).astype(np.int32))
    weights = nearest_documents(counts, np.full(30, RARE, np.float32), 4).tocsr()
    assert len(np.unique(weights.indices)) <= 10
    assert np.asarray(weights.sum(axis=1)) == pytest.approx(np.ones(60), abs=1e-5)


def test_vectors_are_drawn_half_way_to_those_they_look_to_and_are_looked_at_by():
    vectors = np.eye(3, dtype=np.float32)
    nearest = sparse.csr_array(np.array([[0, 1, 0], [0, 0, 0], [0.5, 0.5, 0]], dtype=np.float32))
    both = np.array([[0, 2 / 3, 1 / 3], [2 / 3, 0, 1 / 3], [0.5, 0.5, 0]])
    once = unit_rows((vectors + both @ vectors).astype(np.float32))
    twice = unit_rows((vectors + both @ once).astype(np.float32))
    np.testing.assert_allclose(draw_together(vectors, nearest), twice, atol=1e-6)


def test_a_document_alone_stays_where_it_is():
    vectors = np.eye(3, dtype=np.float32)
    nearest = sparse.csr_array(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=np.float32))
    np.testing.assert_allclose(draw_together(vectors, nearest)[2], vectors[2], atol=1e-6)


def test_documents_of_one_topic_come_together_where_their_vectors_say_nothing():
    rng = np.random.default_rng(0)
    topic = np.repeat([0, 1], 50)
    counts = sparse.csr_array((rng.random((100, 40)) < np.where(topic[:, None] == np.arange(40) // 20, 0.3, 0.02)) * 1)
    vectors = unit_rows(rng.normal(size=(100, 30)).astype(np.float32))
    drawn = draw_together(vectors, nearest_documents(counts, np.full(40, RARE, np.float32), 10))
    same, apart = np.equal.outer(topic, topic) & ~np.eye(100, dtype=bool), np.not_equal.outer(topic, topic)

    def closer(directions):
        cosines = directions @ directions.T
        return cosines[same].mean() - cosines[apart].mean()

    assert closer(drawn) > 3 * abs(closer(vectors))


def test_without_neighbours_every_document_stays_where_its_terms_put_it(monkeypatch):
    planted = plant(n_documents=10)
    settings = ExpansionSettings(embedding=EmbeddingSettings(dim=20, epochs=1, local_epochs=1), n_readings=1)
    embedding = pretrain(planted.corpus, settings.embedding)
    asked = []
    monkeypatch.setattr(gathering, "nearest_documents", lambda *a, **k: asked.append(a) or nearest_documents(*a, **k))
    for n_neighbours in (0, 5):
        own = replace(settings, n_neighbours=n_neighbours)
        gathering.gather_readings(planted.corpus, planted.gold, ROOT_ID, embedding, settings=own)
    assert [n for *_, n in asked] == [5]
