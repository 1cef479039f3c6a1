"""Merging of private copies (experimental)."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

_compiled = numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")


def _merge_rows(base: Any, copies: Any, rows: Any, power: Any) -> None:
    width = base.shape[1]
    n_shards = copies.shape[0]
    total = np.empty(width, np.float32)
    for row in rows:
        moved = 0
        for j in range(width):
            total[j] = np.float32(0.0)
        for s in range(n_shards):
            change = np.float32(0.0)
            for j in range(width):
                d = copies[s, row, j] - base[row, j]
                total[j] += d
                change += d * d
            if change > np.float32(0.0):
                moved += 1
        if moved == 0:
            continue
        scale = np.float32(moved) ** (-power)
        square = np.float32(0.0)
        for j in range(width):
            v = base[row, j] + scale * total[j]
            total[j] = v
            square += v * v
        scale = np.float32(1.0) / np.sqrt(square)
        for j in range(width):
            base[row, j] = scale * total[j]
        for s in range(n_shards):
            for j in range(width):
                copies[s, row, j] = base[row, j]


merge_rows = _compiled(_merge_rows)


def _normalise_rows(table: Any, rows: Any) -> None:
    for row in rows:
        square = np.float32(0.0)
        for j in range(table.shape[1]):
            square += table[row, j] * table[row, j]
        if square > np.float32(0.0):
            scale = np.float32(1.0) / np.sqrt(square)
            for j in range(table.shape[1]):
                table[row, j] *= scale


normalise_rows = _compiled(_normalise_rows)
