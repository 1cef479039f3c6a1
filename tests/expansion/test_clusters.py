from __future__ import annotations

import math

import numpy as np
import pytest
import reference
from scipy import sparse

from taxocom.expansion.paper.clusters import (
    assign_documents,
    assign_known,
    cluster_novel,
    document_weights,
    inverse_document_frequency,
)
from taxocom.numerics.arrays import UNASSIGNED
from taxocom.numerics.sphere import cosines, unit_rows


def as_clusters(topics):
    return np.array([UNASSIGNED if topic is None else topic for topic in topics], dtype=np.int32)


def test_known_terms_go_to_the_nearest_topic_and_ties_to_the_first():
    similarities = np.array([[0.1, 0.9], [0.4, 0.4], [-0.2, -0.5]], dtype=np.float32)
    assert assign_known(similarities).tolist() == [1, 0, 0]


def test_known_assignment_agrees_with_the_paper():
    corpus = reference.planted()
    expected = [reference.known_cluster(vector, corpus.directions) for vector in corpus.vectors]
    assert assign_known(cosines(corpus.vectors, corpus.directions)).tolist() == expected


def test_planted_novel_terms_are_clustered_by_topic():
    corpus = reference.planted(n_topics=3, terms_per_topic=12, n_general=0)
    found = cluster_novel(corpus.vectors, 3, random_state=0)
    pairs = set(zip(corpus.term_topics, found.labels.tolist(), strict=True))
    assert len(pairs) == 3


def test_clustering_is_decided_by_the_random_state():
    rng = np.random.default_rng(2)
    vectors = unit_rows(rng.normal(size=(200, 6)))
    first, again = (cluster_novel(vectors, 4, random_state=7) for _ in range(2))
    np.testing.assert_array_equal(first.labels, again.labels)
    assert first.centers.tobytes() == again.centers.tobytes()


def test_idf_by_hand():
    counts = sparse.csr_array(np.array([[1, 0, 0], [2, 1, 0], [1, 0, 0], [5, 0, 0]]))
    np.testing.assert_allclose(inverse_document_frequency(counts), [math.log(2), math.log(5), 0.0])


def test_documents_by_hand():
    counts = sparse.csr_array(np.array([[3, 1, 0, 9], [1, 1, 0, 0], [0, 0, 2, 0], [0, 0, 0, 4], [0, 0, 0, 0]]))
    clusters = np.array([0, 1, 1, UNASSIGNED], dtype=np.int32)
    found = assign_documents(counts, clusters, 2, idf=np.array([1.0, 1.0, 0.5, 2.0]))
    assert found.cluster.tolist() == [0, 0, 1, UNASSIGNED, UNASSIGNED]
    np.testing.assert_allclose(found.score, [0.75, 0.5, 1.0, 0.0, 0.0])
    np.testing.assert_allclose(found.margin, [0.5, 0.0, 1.0, 0.0, 0.0])


def test_documents_agree_with_the_paper_one_by_one():
    corpus = reference.planted()
    idf = inverse_document_frequency(corpus.counts)
    found = assign_documents(corpus.counts, as_clusters(corpus.term_topics), 4, idf=idf)
    expected = [
        reference.document_cluster(document, corpus.documents, corpus.term_topics, 4) for document in corpus.documents
    ]
    assert found.cluster.tolist() == as_clusters(expected).tolist()


def test_weights_are_those_of_a_dense_product():
    corpus = reference.planted(seed=3)
    idf = inverse_document_frequency(corpus.counts)
    selector = np.array([[topic == s for s in range(4)] for topic in corpus.term_topics], dtype=float)
    expected = (corpus.counts.toarray() * idf) @ selector
    weights = document_weights(corpus.counts, as_clusters(corpus.term_topics), 4, idf=idf)
    np.testing.assert_allclose(weights, expected)


def test_renumbering_clusters_and_reordering_terms_changes_nothing_else():
    corpus = reference.planted(seed=4)
    idf = inverse_document_frequency(corpus.counts)
    clusters = as_clusters(corpus.term_topics)
    before = assign_documents(corpus.counts, clusters, 4, idf=idf)
    renumbered = np.array([2, 0, 3, 1], dtype=np.int32)
    order = np.random.default_rng(0).permutation(len(clusters))
    moved = np.where(clusters >= 0, renumbered[clusters], UNASSIGNED)[order]
    after = assign_documents(sparse.csr_array(corpus.counts[:, order]), moved, 4, idf=idf[order])
    # A document torn evenly between two clusters goes to the lower number, whichever that is.
    clear = before.margin > 1e-6
    assert clear.sum() > 50
    np.testing.assert_array_equal(after.cluster[clear], renumbered[before.cluster[clear]])
    np.testing.assert_allclose(after.score, before.score, atol=1e-6)
    np.testing.assert_allclose(after.margin, before.margin, atol=1e-6)


def test_the_counts_are_left_as_they_were():
    corpus = reference.planted()
    before = corpus.counts.copy()
    corpus.counts.data.setflags(write=False)
    assign_documents(corpus.counts, as_clusters(corpus.term_topics), 4, idf=np.ones(len(corpus.vectors)))
    assert (before != corpus.counts).nnz == 0


def test_without_clusters_every_document_stays_unassigned():
    corpus = reference.planted()
    nowhere = np.full(len(corpus.vectors), UNASSIGNED, dtype=np.int32)
    found = assign_documents(corpus.counts, nowhere, 0, idf=np.ones(len(nowhere)))
    assert set(found.cluster.tolist()) == {UNASSIGNED}
    assert found.score.max() == found.margin.max() == 0.0


def test_no_vectors_cannot_be_clustered():
    with pytest.raises(ValueError, match="no vectors"):
        cluster_novel(np.empty((0, 5), dtype=np.float32), 2, random_state=0)
