"""Singular vectors: those of the dense decomposition, in one orientation, told of as they come."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils.extmath import randomized_svd

from taxocom.errors import CancelledError
from taxocom.numerics.singular_vectors import largest_singular_vectors


def low_rank(n_rows, n_columns, rank=6, noise=0.01):
    rng = np.random.default_rng(3)
    scales = 2.0 ** -np.arange(rank)
    dense = (rng.normal(size=(n_rows, rank)) * scales) @ rng.normal(size=(rank, n_columns))
    dense += noise * rng.normal(size=dense.shape)
    dense[rng.random(dense.shape) < 0.2] = 0.0
    return sparse.csr_array(dense.astype(np.float32))


@pytest.mark.parametrize("shape", [(120, 50), (50, 120)])
def test_they_are_those_of_the_dense_decomposition(shape):
    matrix = low_rank(*shape)
    found = largest_singular_vectors(matrix, 4, power_iterations=6, random_state=0)
    left, values, right = np.linalg.svd(matrix.toarray().astype(np.float64), full_matrices=False)
    np.testing.assert_allclose(found.values, values[:4], rtol=1e-3)
    for k in range(4):
        assert abs(found.left[:, k] @ left[:, k]) > 0.99
        assert abs(found.right[k] @ right[k]) > 0.99
        np.testing.assert_allclose(matrix @ found.right[k], found.values[k] * found.left[:, k], atol=0.05)


@pytest.mark.parametrize("shape", [(120, 50), (50, 120)])
def test_they_are_those_of_scikit_learn_with_their_signs(shape):
    matrix = low_rank(*shape)
    found = largest_singular_vectors(matrix, 5, power_iterations=4, random_state=7)
    left, values, right = randomized_svd(matrix, 5, n_iter=4, random_state=7, flip_sign=True)
    np.testing.assert_allclose(found.values, values, rtol=1e-5)
    np.testing.assert_allclose(found.left, left, atol=1e-4)
    np.testing.assert_allclose(found.right, right, atol=1e-4)
    assert (found.left[np.abs(found.left).argmax(axis=0), np.arange(5)] > 0).all()


def test_the_random_state_decides():
    matrix = low_rank(60, 40, noise=0.5)
    one, same, other = (
        largest_singular_vectors(matrix, 5, power_iterations=1, random_state=state) for state in (1, 1, 2)
    )
    np.testing.assert_array_equal(one.left, same.left)
    assert not np.array_equal(one.left, other.left)


def test_it_can_be_stopped_after_every_product():
    class Impatient:
        def __init__(self, patience):
            self.fractions, self.patience = [], patience

        def report(self, stage, fraction):
            self.fractions.append(fraction)
            if len(self.fractions) > self.patience:
                raise CancelledError("enough")

    patient = Impatient(100)
    largest_singular_vectors(low_rank(60, 40), 5, power_iterations=4, random_state=0, progress=patient)
    assert len(patient.fractions) == 11
    assert patient.fractions == sorted(set(patient.fractions))
    for patience in range(11):
        with pytest.raises(CancelledError):
            largest_singular_vectors(
                low_rank(60, 40), 5, power_iterations=4, random_state=0, progress=Impatient(patience)
            )
