from __future__ import annotations

import math

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from taxocom.expansion.paper.novelty import (
    _upper_of_three,
    novelty_scores,
    novelty_threshold,
    shape_threshold,
    split,
    topicality,
)
from taxocom.numerics.sphere import cosines, unit_rows

similarity_tables = hnp.arrays(
    np.float32,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=8),
    elements=st.floats(-1, 1, width=32),
)


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_novelty_of_a_term_by_hand():
    # exp(0.2/0.1) : exp(0.1/0.1) : exp(0) = e² : e : 1
    scores = novelty_scores(np.array([[0.2, 0.1, 0.0]], dtype=np.float32), temperature=0.1)
    assert scores[0] == pytest.approx(1 - math.e**2 / (math.e**2 + math.e + 1), abs=1e-6)


def test_an_exact_tie_is_as_novel_as_can_be_and_reaches_the_top_threshold():
    for n_known in range(2, 40):
        scores = novelty_scores(np.full((1, n_known), 0.3, dtype=np.float32), temperature=0.1)
        assert scores[0] == pytest.approx(1 - 1 / n_known)
        assert split(scores, novelty_threshold(n_known, threshold_exponent=1.0))[0]


def test_one_known_topic_makes_no_term_novel_by_score():
    assert (novelty_scores(np.array([[0.9], [-0.9]], dtype=np.float32), temperature=0.1) == 0.0).all()


def test_a_low_temperature_does_not_overflow():
    scores = novelty_scores(np.array([[1.0, -1.0]], dtype=np.float32), temperature=1e-4)
    assert scores[0] == 0.0


def test_novelty_agrees_with_the_paper_term_by_term():
    corpus = reference.planted()
    scores = novelty_scores(cosines(corpus.vectors, corpus.directions), temperature=0.1)
    expected = [reference.novelty(vector, corpus.directions, 0.1) for vector in corpus.vectors]
    np.testing.assert_allclose(scores, expected, atol=2e-6)


@given(similarity_tables, st.floats(0.05, 2.0))
def test_novelty_stays_in_its_range_and_does_not_depend_on_the_order_of_topics(similarities, temperature):
    scores = novelty_scores(similarities, temperature=temperature)
    assert (scores >= 0.0).all()
    assert (scores <= np.float32(1.0 - 1.0 / similarities.shape[1])).all()
    np.testing.assert_allclose(novelty_scores(similarities[:, ::-1], temperature=temperature), scores, atol=1e-6)


def test_novelty_is_unchanged_by_rotation(rng):
    corpus = reference.planted()
    rotation = np.linalg.qr(rng.normal(size=(8, 8)))[0].astype(np.float32)
    before = novelty_scores(cosines(corpus.vectors, corpus.directions), temperature=0.1)
    after = novelty_scores(cosines(corpus.vectors @ rotation, corpus.directions @ rotation), temperature=0.1)
    np.testing.assert_allclose(after, before, atol=1e-5)


@pytest.mark.parametrize("bad", [0.0, -0.1, math.nan])
def test_a_temperature_that_is_not_positive_is_refused(bad):
    with pytest.raises(ValueError, match="temperature"):
        novelty_scores(np.zeros((1, 2), dtype=np.float32), temperature=bad)


def test_novelty_without_known_topics_is_refused():
    with pytest.raises(ValueError, match="at least one known topic"):
        novelty_scores(np.zeros((3, 0), dtype=np.float32), temperature=0.1)


def test_no_terms_have_no_scores():
    assert novelty_scores(np.zeros((0, 3), dtype=np.float32), temperature=0.1).shape == (0,)


def test_threshold_by_hand():
    assert novelty_threshold(4, threshold_exponent=2.0) == pytest.approx(0.5625)
    assert novelty_threshold(1, threshold_exponent=2.0) == 0.0


def test_a_larger_exponent_makes_more_terms_novel():
    corpus = reference.planted()
    scores = novelty_scores(cosines(corpus.vectors, corpus.directions[:2]), temperature=0.1)
    novel = [split(scores, novelty_threshold(2, threshold_exponent=beta)).sum() for beta in (1.0, 1.5, 3.0, 8.0)]
    assert novel == sorted(novel)
    assert novel[0] < novel[-1]


def test_a_term_at_the_threshold_is_novel():
    assert split(np.array([0.5, 0.49], dtype=np.float32), 0.5).tolist() == [True, False]


# --- the threshold from the shape ---


def test_two_separate_humps_part_in_the_valley_between_them(rng):
    scores = np.concatenate([rng.normal(0.15, 0.04, 900), rng.normal(0.7, 0.05, 300)]).clip(0, 1)
    threshold = shape_threshold(scores)
    assert 0.28 < threshold < 0.56
    assert (scores[:900] < threshold).mean() > 0.995
    assert (scores[900:] >= threshold).mean() > 0.995


def test_the_valley_is_found_when_the_groups_are_of_very_different_size(rng):
    scores = np.concatenate([rng.normal(0.2, 0.05, 4000), rng.normal(0.7, 0.05, 250)]).clip(0, 1)
    assert 0.35 < shape_threshold(scores) < 0.6


def test_of_a_single_bell_about_the_upper_quarter_is_novel(rng):
    # Three parts of a normal distribution with least variance within part at ±0.612 standard deviations.
    threshold = shape_threshold(rng.normal(0.4, 0.05, 20_000))
    assert threshold == pytest.approx(0.4 + 0.612 * 0.05, abs=0.004)


def test_the_upper_cut_leaves_least_variance_in_three_parts(rng):
    scores = np.sort(rng.beta(2.0, 4.0, 60))

    def within(first, second):
        return sum(part.var() * len(part) for part in np.split(scores, [first, second]))

    cuts = [(within(i, j), j) for i in range(1, 59) for j in range(i + 1, 60)]
    best = min(cuts)[1]
    assert scores[best - 1] < _upper_of_three(scores) < scores[best]


def test_one_odd_score_parts_from_the_rest_half_way():
    assert shape_threshold(np.array([0.1] * 99 + [0.5])) == pytest.approx(0.3)


def test_two_values_part_about_half_way():
    assert shape_threshold(np.array([0.1, 0.1, 0.1, 0.5, 0.5])) == pytest.approx(0.3, abs=0.05)


@pytest.mark.parametrize("scores", [[], [0.4], [0.4, 0.4, 0.4], [0.0, 0.0]])
def test_scores_without_shape_make_nothing_novel(scores):
    novelty = np.array(scores, dtype=np.float32)
    assert not split(novelty, shape_threshold(novelty)).any()


@given(
    hnp.arrays(np.float64, st.integers(2, 60), elements=st.floats(0, 0.9)),
    st.floats(0.1, 1.0),
    st.randoms(use_true_random=False),
)
def test_the_shape_threshold_lies_within_the_scores_and_ignores_their_order(scores, factor, random):
    threshold = shape_threshold(scores)
    shuffled = scores.tolist()
    random.shuffle(shuffled)
    assert shape_threshold(np.array(shuffled)) == threshold
    if threshold < 1.0:
        assert scores.min() < threshold <= scores.max()


# --- topicality ---


def test_topicality_by_hand():
    # Term 0 in documents a, a: they agree wholly. Term 1 in a, b: cos 0. Term 2 in one document. Term 3 in a, -a.
    documents = np.array([[1, 0], [1, 0], [0, 1], [-1, 0]], dtype=np.float32)
    counts = sparse.csr_array(np.array([[1, 1, 0, 5], [3, 0, 0, 0], [0, 2, 1, 0], [0, 0, 0, 1]]))
    np.testing.assert_allclose(topicality(counts, documents), [1.0, 0.0, 0.0, 0.0], atol=1e-6)


def test_topicality_is_the_root_of_the_mean_cosine_of_pairs(rng):
    documents = unit_rows(rng.normal(size=(30, 5)) + np.array([1.0, 0, 0, 0, 0]))
    present = rng.random((30, 7)) < 0.5
    expected = []
    for term in range(7):
        rows = documents[present[:, term]]
        pairs = [float(rows[i] @ rows[j]) for i in range(len(rows)) for j in range(len(rows)) if i != j]
        expected.append(math.sqrt(max(0.0, sum(pairs) / len(pairs))))
    scores = topicality(sparse.csr_array(present.astype(np.int32)), documents)
    np.testing.assert_allclose(scores, expected, atol=1e-5)


def test_a_general_word_is_not_topical_and_a_term_of_one_topic_is(rng):
    centres = np.eye(4, 16)
    topics = rng.integers(0, 4, 2000)
    documents = unit_rows(centres[topics] * 4 + rng.normal(size=(2000, 16)) / 4)
    documents = unit_rows(documents - documents.mean(axis=0))
    general = rng.random(2000) < 0.3
    counts = sparse.csr_array(np.stack([general, topics == 2], axis=1).astype(np.int32))
    scores = topicality(counts, documents)
    assert scores[0] < 0.1
    assert scores[1] > 0.8


def test_a_document_without_direction_bears_no_witness():
    documents = np.array([[1, 0], [1, 0], [0, 0]], dtype=np.float32)
    counts = sparse.csr_array(np.ones((3, 1), dtype=np.int32))
    assert topicality(counts, documents)[0] == pytest.approx(1.0)


def test_a_stored_zero_is_no_occurrence():
    documents = np.array([[1, 0], [1, 0], [-1, 0]], dtype=np.float32)
    counts = sparse.csr_array((np.array([1, 1, 0]), np.array([0, 0, 0]), np.array([0, 1, 2, 3])), shape=(3, 1))
    assert topicality(counts, documents)[0] == pytest.approx(1.0)


def test_repeating_a_term_within_documents_does_not_make_it_topical():
    corpus = reference.planted()
    documents = unit_rows(corpus.counts.astype(np.float32) @ corpus.vectors)
    np.testing.assert_array_equal(topicality(corpus.counts, documents), topicality(3 * corpus.counts, documents))
