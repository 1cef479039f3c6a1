"""Near terms: by spelling and by shared documents."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from taxocom.text.terms.lookup import nearest_by_spelling, nearest_by_vector, quick_term_vectors
from taxocom.text.terms.vocabulary import Vocabulary


def vocabulary_of(*terms: str) -> Vocabulary:
    n = len(terms)
    return Vocabulary(
        terms, np.arange(n, 0, -1, dtype=np.int32), np.ones(n, np.int32), np.ones(n, np.float32), np.ones(n, np.bool_)
    )


TERMS = vocabulary_of("finite_groups", "machine_learning", "robotics", "hockey", "group_theory", "learning_rate")


@pytest.mark.parametrize(
    ("name", "term"),
    [
        ("Finite group", "finite_groups"),
        ("machine lerning", "machine_learning"),
        ("robot", "robotics"),
        ("hocky", "hockey"),
    ],
)
def test_the_nearest_spelling_comes_first(name: str, term: str) -> None:
    assert nearest_by_spelling(name, TERMS)[0].term == term


def test_another_number_is_the_same_word() -> None:
    found = nearest_by_spelling("finite group", TERMS, 1)
    assert found[0].similarity == 1.0
    assert found[0].document_frequency == 1


def test_similarities_fall_and_at_most_n_come() -> None:
    found = nearest_by_spelling("learning theory", TERMS, 3)
    assert len(found) == 3
    assert [near.similarity for near in found] == sorted((near.similarity for near in found), reverse=True)


def test_nothing_is_near_nothing() -> None:
    assert nearest_by_spelling("?!", TERMS) == []
    assert nearest_by_spelling("zzzz", TERMS) == []


@pytest.fixture
def two_subjects() -> sparse.csr_array:
    """Documents of two subjects: terms 0–4 in the one, 5–9 in the other, term 10 in none."""
    rng = np.random.default_rng(0)
    counts = np.zeros((200, 11), dtype=np.int32)
    counts[:100, :5] = rng.poisson(1.0, (100, 5))
    counts[100:, 5:10] = rng.poisson(1.0, (100, 5))
    return sparse.csr_array(counts)


def test_terms_that_share_documents_are_near(two_subjects: sparse.csr_array) -> None:
    vectors = quick_term_vectors(two_subjects, dim=2)
    similarities = vectors @ vectors.T
    assert similarities[:5, :5].min() > 0.9
    assert np.abs(similarities[:5, 5:10]).max() < 0.1
    assert np.linalg.norm(vectors[:10], axis=1) == pytest.approx(1.0, abs=1e-5)
    assert not vectors[10].any()


def test_vectors_are_the_same_for_the_same_seed(two_subjects: sparse.csr_array) -> None:
    first = quick_term_vectors(two_subjects, dim=4, seed=3)
    assert np.array_equal(first, quick_term_vectors(two_subjects, dim=4, seed=3))


def test_a_term_that_the_sample_lacks_is_still_placed(
    two_subjects: sparse.csr_array, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("taxocom.text.terms.lookup._SAMPLE_DOCUMENTS", 60)
    counts = two_subjects.toarray()
    sampled = np.sort(np.random.default_rng(0).choice(200, 60, replace=False))
    outside = next(d for d in range(100) if d not in sampled and counts[d].any())
    counts[outside, 10] = 1
    vectors = quick_term_vectors(sparse.csr_array(counts), dim=2, seed=0)
    assert (vectors[10] @ vectors[:5].T).min() > 0.9


def test_the_nearest_by_vector_leave_out_what_was_asked_for(two_subjects: sparse.csr_array) -> None:
    vocabulary = vocabulary_of(*(f"term{chr(97 + i)}" for i in range(11)))
    vectors = quick_term_vectors(two_subjects, dim=2)
    near = nearest_by_vector([0, 1], vectors, vocabulary, 3)
    assert {term.term for term in near} == {"termc", "termd", "terme"}
    assert nearest_by_vector([], vectors, vocabulary) == []
