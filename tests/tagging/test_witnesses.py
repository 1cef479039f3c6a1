"""What is known of documents whatever the tree: damped counts, main directions, and parts of both."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_limits

from taxocom.tagging import witnesses as witnesses_module
from taxocom.tagging.lexicon import Lexicon, document_vectors
from taxocom.tagging.witnesses import (
    MAIN_DIRECTIONS,
    MainDirections,
    damp,
    drawn_rows,
    follow_directions,
    main_directions,
    read_witnesses,
)
from tests.expansion.planted import Planted, plant


@pytest.fixture(scope="module")
def planted() -> Planted:
    return plant(n_parents=3, n_children=2, n_documents=50)


def test_counts_are_damped_to_the_logarithm_of_one_more() -> None:
    counts = sparse.csr_array(np.array([[0, 1, 3], [9, 0, 0]], dtype=np.int32))
    np.testing.assert_allclose(damp(counts).toarray(), np.log([[1, 2, 4], [10, 1, 1]]), rtol=1e-6)
    assert counts.data.tolist() == [1, 3, 9]


def test_the_length_of_a_document_is_the_sum_of_its_damped_counts(planted: Planted) -> None:
    found = read_witnesses(planted.corpus)
    counts = planted.corpus.counts.toarray()
    np.testing.assert_allclose(found.lengths, np.log1p(counts).sum(axis=1), rtol=1e-5)
    assert found.n_documents == planted.corpus.n_documents


def test_directions_are_those_of_the_tf_idf_rows(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against plain numpy: the same lines through the rows, whichever way each of them points."""
    monkeypatch.setattr(witnesses_module, "MAIN_DIRECTIONS", 4)
    damped = damp(planted.corpus.counts)
    dense = damped.toarray().astype(np.float64)
    rarity = np.log(len(dense) / np.maximum((dense > 0).sum(axis=0), 1))
    rows = dense * rarity
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)
    exact = rows @ np.linalg.svd(rows, full_matrices=False)[2][:4].T
    exact /= np.linalg.norm(exact, axis=1, keepdims=True)
    found = main_directions(damped).documents.astype(np.float64)
    agreement = np.einsum("ij,ij->i", found @ found.T, exact @ exact.T)
    agreement /= np.linalg.norm(found @ found.T, axis=1) * np.linalg.norm(exact @ exact.T, axis=1)
    assert agreement.min() > 0.97


def test_documents_lie_on_the_sphere_where_their_terms_put_them(planted: Planted) -> None:
    found = read_witnesses(planted.corpus)
    places = found.directions
    assert places.documents.shape == (planted.corpus.n_documents, MAIN_DIRECTIONS)
    np.testing.assert_allclose(np.linalg.norm(places.documents, axis=1), 1.0, rtol=1e-5)
    # What a term adds is what its column of a tf-idf row adds.
    sums = found.damped @ places.terms
    np.testing.assert_allclose(
        sums / np.linalg.norm(sums, axis=1, keepdims=True), places.documents, rtol=1e-3, atol=1e-4
    )


def test_documents_of_a_planted_topic_lie_together(planted: Planted) -> None:
    rows = read_witnesses(planted.corpus).directions.documents
    likeness = rows @ rows.T
    np.fill_diagonal(likeness, -1.0)
    nearest = likeness.argmax(axis=1)
    assert np.mean([planted.paths[row] == planted.paths[other] for row, other in enumerate(nearest)]) > 0.9


def test_the_same_bytes_on_one_thread_and_two_and_when_asked_twice(planted: Planted) -> None:
    damped = damp(planted.corpus.counts)
    found = []
    for threads in (1, 2, 2):
        with threadpool_limits(threads, user_api="blas"):
            places = main_directions(damped)
            found.append(places.documents.tobytes() + places.terms.tobytes())
    assert found[0] == found[1] == found[2]


def test_in_a_large_corpus_the_directions_of_a_sample_stand_for_all(
    planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(witnesses_module, "MAIN_DIRECTIONS", 6)
    damped = damp(planted.corpus.counts)
    whole = main_directions(damped).documents
    monkeypatch.setattr(witnesses_module, "_SAMPLE", 150)
    part = main_directions(damped).documents
    assert part.shape == whole.shape
    assert not np.array_equal(np.abs(part), np.abs(whole))
    likeness = np.corrcoef((part @ part.T).ravel(), (whole @ whole.T).ravel())[0, 1]
    assert likeness > 0.8


def test_directions_that_follow_a_corpus_span_what_is_found_in_all_of_it(
    planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(witnesses_module, "MAIN_DIRECTIONS", 6)
    damped = damp(planted.corpus.counts)
    n_documents, n_terms = damped.shape
    rows = np.random.default_rng(1).permutation(n_documents)
    # The last terms are new, the last documents too.
    before = main_directions(damped[np.sort(rows[: n_documents * 4 // 5])][:, : n_terms - 20]).terms
    whole = main_directions(damped).documents
    followed = follow_directions(damped, before)
    assert followed.terms.shape == (n_terms, 6)
    stayed = damped[:, : n_terms - 20] @ before
    stayed /= np.maximum(np.linalg.norm(stayed, axis=1, keepdims=True), 1e-9)

    def likeness(places: np.ndarray) -> float:
        return float(np.corrcoef((places @ places.T).ravel(), (whole @ whole.T).ravel())[0, 1])

    assert likeness(followed.documents) > 0.97
    assert likeness(followed.documents) > likeness(stayed)


def test_most_of_what_was_drawn_is_drawn_again_when_there_is_more() -> None:
    before, after = set(drawn_rows(900, 300).tolist()), set(drawn_rows(1000, 300).tolist())
    assert len(before) == len(after) == 300
    assert len(before & after) > 0.8 * 300


@pytest.mark.parametrize("counts", [[[1]], [[1, 2, 3]], [[1], [2], [0]], [[0, 0], [0, 0]], [[1, 1], [1, 1]]])
def test_the_smallest_corpora_have_directions_that_are_numbers(counts: list[list[int]]) -> None:
    found = main_directions(damp(sparse.csr_array(np.array(counts, dtype=np.int32))))
    assert found.documents.shape[0] == len(counts)
    assert found.terms.shape == (len(counts[0]), found.documents.shape[1])
    assert np.isfinite(found.documents).all()
    assert np.isfinite(found.terms).all()


def test_directions_that_are_given_are_not_sought(planted: Planted) -> None:
    given = MainDirections(
        np.zeros((planted.corpus.n_documents, 2), np.float32), np.zeros((len(planted.corpus.vocabulary), 2), np.float32)
    )
    assert read_witnesses(planted.corpus, directions=given).directions is given


@pytest.mark.parametrize("rows", [[4], [0, 1, 7], [9, 2, 5], []])
def test_some_documents_are_those_rows_of_everything(planted: Planted, tiny: Lexicon, rows: list[int]) -> None:
    heard = ["goal match", "vote law law", "sport", "politics vote", "goal law"]
    meanings = document_vectors(tiny, [heard[row % 5] for row in range(planted.corpus.n_documents)])
    whole = read_witnesses(planted.corpus, lexicon=tiny, meanings=meanings)
    part = whole.of(np.array(rows, dtype=np.int32))
    assert part.n_documents == len(rows)
    np.testing.assert_array_equal(part.damped.toarray(), whole.damped.toarray()[rows])
    np.testing.assert_array_equal(part.lengths, whole.lengths[rows])
    np.testing.assert_array_equal(part.directions.documents, whole.directions.documents[rows])
    assert part.meanings is not None
    np.testing.assert_array_equal(part.meanings.vectors, meanings.vectors[rows])
    assert part.lexicon is tiny


def test_all_documents_in_another_order_are_in_that_order(planted: Planted) -> None:
    whole = read_witnesses(planted.corpus)
    rows = np.arange(whole.n_documents, dtype=np.int32)[::-1]
    np.testing.assert_array_equal(whole.of(rows).lengths, whole.lengths[rows])
    assert whole.of(rows[::-1]).n_documents == whole.n_documents
