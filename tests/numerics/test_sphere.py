"""Directions, resultants and their invariants."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from taxocom.numerics import sphere

VECTORS = arrays(np.float32, st.tuples(st.integers(1, 6), st.integers(2, 5)), elements=st.floats(-50, 50, width=32))


@given(VECTORS)
def test_unit_rows_have_length_one_or_zero(vectors):
    lengths = np.linalg.norm(sphere.unit_rows(vectors), axis=1)
    before = np.linalg.norm(vectors.astype(float), axis=1)
    np.testing.assert_allclose(lengths[before > 1e-10], 1.0, atol=1e-5)
    np.testing.assert_allclose(lengths[before < 1e-14], 0.0)


@given(VECTORS)
def test_cosines_lie_within_one_and_are_symmetric(vectors):
    cosines = sphere.cosines(vectors, vectors)
    assert np.abs(cosines).max() <= 1.0
    np.testing.assert_allclose(cosines, cosines.T, atol=1e-6)
    np.testing.assert_allclose(np.diag(cosines), sphere.row_cosines(vectors, vectors), atol=1e-5)


def test_mean_direction_by_hand():
    vectors = np.array([[1, 0], [0, 1]], np.float32)
    np.testing.assert_allclose(sphere.mean_direction(vectors), [np.sqrt(0.5)] * 2, atol=1e-6)
    np.testing.assert_allclose(sphere.mean_direction(vectors, np.array([3.0, 4.0])), [0.6, 0.8], atol=1e-6)
    assert sphere.mean_resultant_length(vectors) == pytest.approx(np.sqrt(0.5))


def test_opposite_vectors_have_no_mean_direction():
    assert sphere.mean_direction(np.array([[1, 0], [-1, 0]], np.float32)) is None


def test_nothing_has_no_resultant_length():
    assert sphere.mean_resultant_length(np.empty((0, 3), np.float32)) is None


def test_weights_count_like_copies():
    vectors = sphere.unit_rows(np.random.default_rng(0).standard_normal((3, 4)))
    copies = vectors[[0, 0, 1, 2, 2, 2]]
    weighted = sphere.mean_resultant_length(vectors, np.array([2.0, 1.0, 3.0]))
    assert weighted == pytest.approx(sphere.mean_resultant_length(copies))


def test_unbiased_lengths_do_not_depend_on_group_size():
    """Of uniform directions, small groups look as spread as large ones; the plain length would be 1/sqrt(n)."""
    rng = np.random.default_rng(1)
    sizes = np.repeat([2, 5, 50], 400)
    sums = np.array([sphere.unit_rows(rng.standard_normal((n, 20))).sum(axis=0) for n in sizes])
    squares = np.einsum("ij,ij->i", sums, sums)
    for size in (2, 5, 50):
        group = sizes == size
        expected = (squares[group] - size) / (size * (size - 1))
        assert abs(expected.mean()) < 0.02
        lengths = sphere.unbiased_resultant_lengths(sums[group], sizes[group])
        np.testing.assert_allclose(lengths, np.sqrt(expected.clip(0, 1)), atol=1e-5)


def test_unbiased_length_of_one_member_is_zero_and_of_copies_one():
    one = np.array([[0.6, 0.8]])
    lengths = sphere.unbiased_resultant_lengths(np.concatenate([one, 5 * one]), np.array([1, 5]))
    np.testing.assert_allclose(lengths, [0.0, 1.0], atol=1e-6)
