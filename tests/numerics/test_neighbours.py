"""Nearest rows over inverted lists, beside all products."""

import numpy as np
import pytest
from scipy import sparse

from taxocom.numerics.neighbours import nearest_rows


def rows_of_length_one(n_rows, n_columns, density=0.1, random_state=0):
    rng = np.random.default_rng(random_state)
    dense = rng.random((n_rows, n_columns)) * (rng.random((n_rows, n_columns)) < density)
    lengths = np.linalg.norm(dense, axis=1, keepdims=True)
    return sparse.csr_array((dense / np.maximum(lengths, 1e-12)).astype(np.float32))


@pytest.mark.parametrize("random_state", range(3))
def test_the_nearest_are_those_of_all_products(random_state):
    matrix = rows_of_length_one(300, 80, random_state=random_state)
    products = (matrix @ matrix.T).toarray()
    np.fill_diagonal(products, -1.0)
    wanted = -np.sort(-products, axis=1)[:, :7]
    near = nearest_rows(matrix, 7)
    np.testing.assert_allclose(near.cosines, np.maximum(wanted, 0.0), atol=1e-5)
    found = near.rows >= 0
    np.testing.assert_allclose(
        np.take_along_axis(products, np.maximum(near.rows, 0), axis=1)[found], near.cosines[found], atol=1e-5
    )


def test_only_the_rows_asked_for_are_found_and_never_the_row_itself():
    matrix = rows_of_length_one(200, 40, density=0.3)
    among = np.arange(0, 200, 3, dtype=np.int32)
    near = nearest_rows(matrix, 5, among=among)
    assert set(near.rows[near.rows >= 0].tolist()) <= set(among.tolist())
    assert not (near.rows == np.arange(200)[:, None]).any()
    products = (matrix @ matrix[among].T).toarray()
    products[among, np.arange(len(among))] = -1.0
    np.testing.assert_allclose(near.cosines, -np.sort(-products, axis=1)[:, :5], atol=1e-5)


def test_a_row_with_nothing_in_common_has_no_neighbours():
    matrix = sparse.csr_array(np.array([[1, 0, 0], [0.6, 0.8, 0], [0, 0, 1], [0, 0, 0]], dtype=np.float32))
    near = nearest_rows(matrix, 2)
    assert near.rows.tolist() == [[1, -1], [0, -1], [-1, -1], [-1, -1]]
    assert near.cosines[0, 0] == pytest.approx(0.6)


def test_threads_change_nothing():
    matrix = rows_of_length_one(3_000, 200, density=0.05)
    one, two = (nearest_rows(matrix, 10, threads=threads) for threads in (1, 2))
    assert one.rows.tobytes() == two.rows.tobytes()
    assert one.cosines.tobytes() == two.cosines.tobytes()
