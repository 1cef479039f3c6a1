"""The largest singular vectors of a sparse matrix, by a random start and a few power iterations.

Algorithm 4.4 of Halko, Martinsson and Tropp (2011), step for step as scikit-learn has it, so that both give the same
bytes. It is written out here because one call would neither tell how far it is nor hear that it should stop, and on
160,000 documents it takes as long as an epoch of training.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import linalg, sparse

from taxocom.numerics.blas import one_blas_thread
from taxocom.progress import SILENT, Progress

_SPARE = 10
_STAGE = "Finding the main directions of the corpus"

Floating = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class SingularVectors:
    """`left` (n_rows, rank), `values` (rank,) from the largest down, `right` (rank, n_columns)."""

    left: Floating
    values: Floating
    right: Floating


def largest_singular_vectors(
    matrix: sparse.csr_array, rank: int, *, power_iterations: int, random_state: int, progress: Progress = SILENT
) -> SingularVectors:
    """Return the `rank` largest singular vectors; the same random state gives the same bytes on any number of cores.

    The entry of largest absolute value in each left vector is positive. `progress` is told after every product with
    the matrix.
    """
    transposed = matrix.shape[0] < matrix.shape[1]
    # The smaller side is the one that is factorised at the end.
    tall = matrix.T if transposed else matrix
    n_products = 2 * power_iterations + 2
    with one_blas_thread():
        basis: Floating = np.random.RandomState(random_state).normal(size=(tall.shape[1], rank + _SPARE))
        basis = basis.astype(matrix.dtype, copy=False)
        for product in range(2 * power_iterations):
            progress.report(_STAGE, product / n_products)
            side = tall if product % 2 == 0 else tall.T
            basis = linalg.lu(side @ basis, permute_l=True, check_finite=False)[0]
        progress.report(_STAGE, (n_products - 2) / n_products)
        basis = linalg.qr(tall @ basis, mode="economic", check_finite=False)[0]
        progress.report(_STAGE, (n_products - 1) / n_products)
        inner, values, right = linalg.svd(basis.T @ tall, full_matrices=False)
        left = basis @ inner
    ours = right.T if transposed else left
    largest = np.abs(ours).argmax(axis=0)
    signs = np.sign(ours[largest, np.arange(ours.shape[1])])
    left, right = left * signs, right * signs[:, None]
    progress.report(_STAGE, 1.0)
    if transposed:
        return SingularVectors(right[:rank].T, values[:rank], left[:, :rank].T)
    return SingularVectors(left[:, :rank], values[:rank], right[:rank])
