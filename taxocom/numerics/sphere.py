"""Directions on the unit sphere: rows in float32, sums in float64 where rounding would show."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from taxocom.numerics.arrays import Doubles, Floats1d, Floats2d

_TINY = 1e-12


def unit_rows(vectors: npt.NDArray[np.floating]) -> Floats2d:
    """Return the rows scaled to length 1, shape unchanged; a row of zeros stays zero, for it has no direction."""
    rows = np.asarray(vectors, dtype=np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    scale = np.where(lengths > _TINY, 1.0 / np.maximum(lengths, _TINY), 0.0)
    return np.ascontiguousarray(rows * scale[:, None].astype(np.float32))


def cosines(vectors: npt.NDArray[np.floating], others: npt.NDArray[np.floating]) -> Floats2d:
    """Return the cosine of every row with every other row, shape (n_vectors, n_others), within [-1, 1]."""
    return np.asarray(np.clip(unit_rows(vectors) @ unit_rows(others).T, -1.0, 1.0))


def row_cosines(vectors: npt.NDArray[np.floating], others: npt.NDArray[np.floating]) -> Floats1d:
    """Return the cosine of each row with the row at the same place, shape (n,)."""
    products = np.einsum("ij,ij->i", unit_rows(vectors), unit_rows(others), dtype=np.float64)
    return np.asarray(np.clip(products, -1.0, 1.0), dtype=np.float32)


def resultant(vectors: npt.NDArray[np.floating], weights: npt.NDArray[np.floating] | None = None) -> Doubles:
    """Return the (weighted) sum of the rows in float64, shape (dim,): it carries both mean direction and spread."""
    if weights is None:
        return np.asarray(np.sum(vectors, axis=0, dtype=np.float64))
    return np.asarray(np.asarray(weights, dtype=np.float64) @ np.asarray(vectors, dtype=np.float64))


def mean_direction(
    vectors: npt.NDArray[np.floating], weights: npt.NDArray[np.floating] | None = None
) -> Floats1d | None:
    """Return the unit vector along the sum of the rows, or None where the rows cancel and no direction is meant."""
    total = resultant(vectors, weights)
    length = float(np.sqrt(total @ total))
    scale = float(len(vectors)) if weights is None else float(np.sum(np.abs(weights)))
    if length <= _TINY * max(scale, 1.0):
        return None
    return np.asarray(total / length, dtype=np.float32)


def mean_resultant_length(
    vectors: npt.NDArray[np.floating], weights: npt.NDArray[np.floating] | None = None
) -> float | None:
    """Return how much unit rows agree: 1 when all are one direction, near 0 when spread; None without any weight."""
    mass = float(len(vectors)) if weights is None else float(np.sum(weights, dtype=np.float64))
    if mass <= 0.0:
        return None
    total = resultant(vectors, weights)
    return min(float(np.sqrt(total @ total)) / mass, 1.0)


def unbiased_resultant_lengths(sums: npt.NDArray[np.floating], counts: npt.NDArray[np.integer]) -> Floats1d:
    """Return the resultant length of each group freed of its bias towards 1 in small groups.

    `sums` (n_groups, dim) are sums of `counts` unit vectors. The square of the expected agreement of two different
    members is (|sum|² - n) / (n (n - 1)); groups of fewer than two members agree on nothing and get 0.
    """
    squares = np.einsum("ij,ij->i", sums, sums, dtype=np.float64)
    n = np.asarray(counts, dtype=np.float64)
    pairs = n * (n - 1.0)
    agreement = np.divide(squares - n, pairs, out=np.zeros_like(pairs), where=pairs > 0)
    return np.asarray(np.sqrt(np.clip(agreement, 0.0, 1.0)), dtype=np.float32)
