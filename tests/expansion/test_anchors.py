from __future__ import annotations

import math

import numpy as np
import pytest
import reference
from scipy import sparse

from taxocom.expansion.paper.anchors import (
    ClusterStatistics,
    bm25,
    distinctiveness,
    popularity,
    relevance,
    representativeness,
    score_anchors,
    select_anchors,
    term_statistics,
)
from taxocom.expansion.paper.clusters import assign_documents, inverse_document_frequency
from taxocom.numerics.arrays import UNASSIGNED

N_CLUSTERS = 4


@pytest.fixture(scope="module")
def corpus():
    return reference.planted()


@pytest.fixture(scope="module")
def term_clusters(corpus):
    return np.array([UNASSIGNED if topic is None else topic for topic in corpus.term_topics], dtype=np.int32)


@pytest.fixture(scope="module")
def document_clusters(corpus, term_clusters):
    idf = inverse_document_frequency(corpus.counts)
    return assign_documents(corpus.counts, term_clusters, N_CLUSTERS, idf=idf).cluster


@pytest.fixture(scope="module")
def sub_corpora(corpus, document_clusters):
    return [
        [document for document, own in zip(corpus.documents, document_clusters, strict=True) if own == s]
        for s in range(N_CLUSTERS)
    ]


@pytest.fixture(scope="module")
def scores(corpus, document_clusters):
    statistics = term_statistics(corpus.counts, document_clusters, N_CLUSTERS)
    return score_anchors(statistics, relevance(corpus.vectors, corpus.directions), corpus.integrity)


def table(function, corpus, *arguments):
    return [[function(term, s, *arguments) for s in range(N_CLUSTERS)] for term in corpus.terms]


def statistics_of(occurrences, frequencies=None):
    tf = np.array(occurrences, dtype=float)
    df = tf if frequencies is None else np.array(frequencies, dtype=float)
    return ClusterStatistics(tf, df, tf.sum(axis=0), df.max(axis=0))


def test_statistics_by_hand():
    counts = sparse.csr_array(np.array([[2, 0, 1], [1, 1, 0], [0, 3, 0], [7, 7, 7]]))
    found = term_statistics(counts, np.array([0, 0, 1, -1]), 2)
    assert found.occurrences.tolist() == [[3, 0], [1, 3], [1, 0]]
    assert found.document_frequencies.tolist() == [[2, 0], [1, 1], [1, 0]]
    assert found.lengths.tolist() == [5, 3]
    assert found.n_documents.tolist() == [2, 1]


def test_statistics_agree_with_plain_counting(corpus, document_clusters, sub_corpora):
    found = term_statistics(corpus.counts, document_clusters, N_CLUSTERS)
    assert found.occurrences.tolist() == [[reference.tf(t, docs) for docs in sub_corpora] for t in corpus.terms]
    assert found.document_frequencies.tolist() == [
        [reference.df(t, docs) for docs in sub_corpora] for t in corpus.terms
    ]
    assert found.n_documents.tolist() == [len(docs) for docs in sub_corpora]


def test_hard_and_soft_membership_agree_where_membership_is_whole(corpus, document_clusters):
    membership = (document_clusters[:, None] == np.arange(N_CLUSTERS)).astype(float)
    hard = term_statistics(corpus.counts, document_clusters, N_CLUSTERS)
    soft = term_statistics(corpus.counts, membership, N_CLUSTERS)
    for name in ("occurrences", "document_frequencies", "lengths", "n_documents"):
        np.testing.assert_allclose(getattr(soft, name), getattr(hard, name))


def test_half_a_member_counts_half():
    counts = sparse.csr_array(np.array([[4, 0], [0, 2]]))
    found = term_statistics(counts, np.array([[0.5, 0.5], [1.0, 0.0]]), 2)
    assert found.occurrences.tolist() == [[2, 2], [2, 0]]
    assert found.document_frequencies.tolist() == [[0.5, 0.5], [1, 0]]
    assert found.n_documents.tolist() == [1.5, 0.5]


def test_bm25_by_hand():
    # Lengths 4 and 2, mean 3: the norms are 1.2 (0.5 + 0.5 · 4/3) = 1.4 and 1.2 (0.5 + 0.5 · 2/3) = 1.0.
    found = bm25(statistics_of([[3, 0], [1, 2]], [[3, 0], [1, 1]]), sharpness=1.0)
    expected = [[3 * 2.2 / 4.4, 0.0], [2.2 / 2.4 * math.log(2) / math.log(4), 2 * 2.2 / 3.0]]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_bm25_agrees_with_the_reference(corpus, document_clusters, sub_corpora):
    found = bm25(term_statistics(corpus.counts, document_clusters, N_CLUSTERS))
    np.testing.assert_allclose(found, table(reference.bm25, corpus, sub_corpora, corpus.terms), rtol=1e-5)


def test_distinctiveness_by_hand():
    found = distinctiveness(np.array([[math.log(3), math.log(2)], [0.0, 0.0]], dtype=np.float32))
    np.testing.assert_allclose(found, [[3 / 6, 2 / 6], [1 / 3, 1 / 3]], rtol=1e-6)


def test_a_huge_relevance_is_wholly_distinctive_and_does_not_overflow():
    with np.errstate(over="raise", invalid="raise"):
        found = distinctiveness(np.array([[5000.0, 0.0], [5000.0, 5000.0]], dtype=np.float32))
    np.testing.assert_allclose(found, [[1, 0], [0.5, 0.5]], atol=1e-6)


def test_popularity_by_hand():
    found = popularity(statistics_of([[3, 0], [7, 4]]))
    np.testing.assert_allclose(found, [[math.log(4) / math.log(10), 0], [math.log(8) / math.log(10), 1.0]], rtol=1e-6)


@pytest.mark.parametrize("occurrences", [[[0, 5], [0, 5]], [[1, 5], [0, 5]]])
def test_an_empty_sub_corpus_has_neither_popular_nor_representative_terms(occurrences):
    statistics = statistics_of(occurrences)
    assert popularity(statistics)[:, 0].tolist() == [0.0, 0.0]
    scores = score_anchors(statistics, np.ones((2, 2), dtype=np.float32), np.ones(2))
    assert scores.representativeness[:, 0].tolist() == [0.0, 0.0]
    assert np.isfinite(scores.significances).all()


def test_clusters_without_any_document_give_zeros_not_nan():
    scores = score_anchors(statistics_of([[0, 0], [0, 0]]), np.ones((2, 2), dtype=np.float32), np.ones(2))
    assert scores.significance.tolist() == [0.0, 0.0]


def test_representativeness_is_the_geometric_mean():
    found = representativeness(np.array([0.5]), np.array([[0.25, 0.0]]), np.array([[1.0, 1.0]]))
    np.testing.assert_allclose(found, [[0.5, 0.0]])


def test_every_part_agrees_with_the_paper_term_by_term(corpus, sub_corpora, scores):
    arguments = (sub_corpora, corpus.terms)
    np.testing.assert_allclose(
        scores.distinctiveness, table(reference.distinctiveness, corpus, *arguments), rtol=1e-4, atol=1e-6
    )
    np.testing.assert_allclose(scores.popularity, table(reference.popularity, corpus, *arguments), rtol=1e-5)
    np.testing.assert_allclose(
        scores.representativeness, table(reference.representativeness, corpus, *arguments, corpus.integrity), rtol=1e-4
    )
    significances = [
        reference.significance(term, corpus.vectors[term], corpus.directions, *arguments, corpus.integrity)
        for term in corpus.terms
    ]
    np.testing.assert_allclose(scores.significance, significances, rtol=1e-4)


def test_anchors_agree_with_the_paper(corpus, sub_corpora, scores, term_clusters):
    significances = [
        reference.significance(
            term, corpus.vectors[term], corpus.directions, sub_corpora, corpus.terms, corpus.integrity
        )
        for term in corpus.terms
    ]
    threshold = float(np.median(significances)) + 1e-4
    kept = select_anchors(scores, term_clusters, significance_threshold=threshold)
    assert 0 < kept.sum() < len(kept)
    for s in range(N_CLUSTERS):
        expected = reference.anchors(s, corpus.term_topics, significances, threshold)
        assert set(np.flatnonzero(kept & (term_clusters == s)).tolist()) == expected


def test_a_term_of_no_cluster_is_no_anchor(scores, term_clusters):
    kept = select_anchors(scores, term_clusters, significance_threshold=-1.0)
    assert kept.tolist() == (term_clusters >= 0).tolist()


def test_own_scores_are_those_of_the_own_cluster_and_multiply_to_the_significance(scores, term_clusters):
    own = scores.own(term_clusters)
    for term, cluster in enumerate(term_clusters):
        column = cluster if cluster >= 0 else scores.best_cluster[term]
        assert own.relevance[term] == scores.relevance[term, column]
        assert own.significance[term] == scores.significances[term, column]
    product = own.relevance * np.cbrt(scores.integrity * own.distinctiveness * own.popularity)
    np.testing.assert_allclose(own.significance, product, rtol=1e-5)
    np.testing.assert_allclose(own.significance, own.relevance * own.representativeness, rtol=1e-5)


def test_significance_is_the_greatest_over_clusters(scores):
    np.testing.assert_array_equal(scores.significance, scores.significances.max(axis=1))
    rows = np.arange(len(scores.significance))
    np.testing.assert_array_equal(scores.significances[rows, scores.best_cluster], scores.significance)


def test_scores_follow_a_permutation_of_terms_and_clusters(corpus, document_clusters, scores):
    order = np.random.default_rng(1).permutation(len(corpus.vectors))
    renumbered = np.array([2, 0, 3, 1])
    inverse = np.argsort(renumbered)
    moved = np.where(document_clusters >= 0, renumbered[document_clusters], -1)
    statistics = term_statistics(sparse.csr_array(corpus.counts[:, order]), moved, N_CLUSTERS)
    relevances = relevance(corpus.vectors[order], corpus.directions[inverse])
    after = score_anchors(statistics, relevances, corpus.integrity[order])
    np.testing.assert_allclose(after.significances, scores.significances[order][:, inverse], rtol=1e-5)
    np.testing.assert_allclose(after.significance, scores.significance[order], rtol=1e-5)


def test_significance_is_unchanged_by_rotation(corpus, document_clusters, scores):
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(8, 8)))[0].astype(np.float32)
    statistics = term_statistics(corpus.counts, document_clusters, N_CLUSTERS)
    relevances = relevance(corpus.vectors @ rotation, corpus.directions @ rotation)
    after = score_anchors(statistics, relevances, corpus.integrity)
    np.testing.assert_allclose(after.significances, scores.significances, atol=1e-5)


def test_one_more_occurrence_raises_popularity_and_relevance_to_the_sub_corpus():
    before, after = statistics_of([[4, 4], [9, 9]]), statistics_of([[5, 4], [9, 9]])
    assert popularity(after)[0, 0] > popularity(before)[0, 0]
    assert bm25(after)[0, 0] > bm25(before)[0, 0]
    assert distinctiveness(bm25(after))[0, 0] > distinctiveness(bm25(before))[0, 0]
