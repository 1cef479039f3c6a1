"""The nearest neighbours of sparse rows by cosine, exactly, over inverted lists."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from scipy import sparse

from taxocom.numerics.arrays import Floats2d, Ints1d, Ints2d

_BLOCK = 1024
_ZERO = np.float32(0.0)


@dataclass(frozen=True)
class Neighbours:
    """The nearest rows of every row (n, k), nearest first, -1 where there are no more, and their cosines."""

    rows: Ints2d
    cosines: Floats2d


def nearest_rows(matrix: sparse.csr_array, k: int, *, among: Ints1d | None = None, threads: int = 1) -> Neighbours:
    """Find for each row of a matrix, of non-negative rows of length 1, the `k` nearest others (of those `among`).

    The result is the same on any number of threads. Equally near rows come in the order of the terms they share.
    """
    n_rows = matrix.shape[0]
    chosen = np.arange(n_rows, dtype=np.int32) if among is None else np.asarray(among, dtype=np.int32)
    lists = matrix[chosen].tocsc()
    found = np.full((n_rows, k), -1, dtype=np.int32)
    cosines = np.zeros((n_rows, k), dtype=np.float32)

    def fill(first: int) -> None:
        _fill(
            (matrix.indptr, matrix.indices, matrix.data),
            (lists.indptr, lists.indices, lists.data),
            chosen,
            first,
            min(first + _BLOCK, n_rows),
            found,
            cosines,
        )

    with ThreadPoolExecutor(max_workers=threads, thread_name_prefix="neighbours") as pool:
        list(pool.map(fill, range(0, n_rows, _BLOCK)))
    return Neighbours(found, cosines)


def _fill_rows(by_row: Any, lists: Any, chosen: Any, first: Any, last: Any, found: Any, cosines: Any) -> None:
    """Fill the rows `first` to `last` of `found` and `cosines` (n, k) with the nearest of the `chosen` rows."""
    starts, columns, values = by_row
    list_starts, places, list_values = lists
    sums = np.zeros(len(chosen), np.float32)
    touched = np.empty(len(chosen), np.int32)
    k = found.shape[1]
    for row in range(first, last):
        n_touched = 0
        for at in range(starts[row], starts[row + 1]):
            value, column = values[at], columns[at]
            for entry in range(list_starts[column], list_starts[column + 1]):
                place = places[entry]
                if sums[place] == _ZERO:
                    touched[n_touched] = place
                    n_touched += 1
                sums[place] += value * list_values[entry]
        n_found = 0
        for place in touched[:n_touched]:
            cosine = sums[place]
            sums[place] = _ZERO
            if chosen[place] == row or (n_found == k and cosine <= cosines[row, k - 1]):
                continue
            rank = min(n_found, k - 1)
            while rank > 0 and cosines[row, rank - 1] < cosine:
                cosines[row, rank] = cosines[row, rank - 1]
                found[row, rank] = found[row, rank - 1]
                rank -= 1
            cosines[row, rank] = cosine
            found[row, rank] = chosen[place]
            n_found = min(n_found + 1, k)


_fill = numba.njit(cache=True, nogil=True, error_model="numpy")(_fill_rows)
