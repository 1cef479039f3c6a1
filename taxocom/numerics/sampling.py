"""Random draws of the training kernels: one small generator, the negative distribution, sub-sampling.

A stream is one 64-bit counter: each draw adds a constant and scrambles the sum (splitmix64). A stream belongs to one
document in one epoch, so what is drawn does not depend on which thread or shard trains the document, and a plain
transcription can follow the compiled code draw by draw.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from taxocom.numerics.arrays import Ints1d

Thresholds = npt.NDArray[np.uint32]

STREAM_STEP = np.uint64(0x9E3779B97F4A7C15)
NEGATIVE_POWER = 0.75
_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
_SHIFT_A = np.uint64(30)
_SHIFT_B = np.uint64(27)
_SHIFT_C = np.uint64(31)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_FULL = 2**32 - 1


def _scramble(counter: Any) -> Any:
    """Return 64 well-mixed bits from a 64-bit counter."""
    mixed = (counter ^ (counter >> _SHIFT_A)) * _MIX_A
    mixed = (mixed ^ (mixed >> _SHIFT_B)) * _MIX_B
    return mixed ^ (mixed >> _SHIFT_C)


scramble = numba.njit(cache=True, nogil=True)(_scramble)


def _below(bits: Any, size: Any) -> Any:
    """Return an integer below `size` (at most 2**32) from the upper half of `bits`, without a division."""
    return np.int64(((bits >> _HALF) * np.uint64(size)) >> _HALF)


below = numba.njit(cache=True, nogil=True)(_below)


def _draw_term(bits: Any, thresholds: Any, aliases: Any) -> Any:
    """Return a term id for 32 random bits: their product with the table's size holds the cell and the side of it."""
    product = bits * np.uint64(aliases.shape[0])
    cell = np.int64(product >> _HALF)
    if (product & _LOW) < np.uint64(thresholds[cell]):
        return cell
    return np.int64(aliases[cell])


draw_term = numba.njit(cache=True, nogil=True)(_draw_term)


def _fill_alias_table(scaled: Any, thresholds: Any, aliases: Any) -> None:
    """Pair every cell that is short of 1 with one that has more; `scaled` has mean 1 and is used up."""
    n = scaled.shape[0]
    small = np.empty(n, np.int64)
    large = np.empty(n, np.int64)
    n_small = 0
    n_large = 0
    for cell in range(n):
        aliases[cell] = cell
        thresholds[cell] = 1.0
        if scaled[cell] < 1.0:
            small[n_small] = cell
            n_small += 1
        else:
            large[n_large] = cell
            n_large += 1
    while n_small > 0 and n_large > 0:
        n_small -= 1
        short = small[n_small]
        donor = large[n_large - 1]
        thresholds[short] = scaled[short]
        aliases[short] = donor
        scaled[donor] -= 1.0 - scaled[short]
        if scaled[donor] < 1.0:
            n_large -= 1
            small[n_small] = donor
            n_small += 1


fill_alias_table = numba.njit(cache=True, nogil=True)(_fill_alias_table)


class AliasTable:
    """Draws a term id in constant time with probability proportional to count ** power.

    `thresholds` (n_terms,) and `aliases` (n_terms,) are the two columns of Walker's method. A table of cells would be
    simpler, but at the size that renders rare terms fairly it does not fit the cache.
    """

    def __init__(self, counts: npt.NDArray[np.integer], power: float = NEGATIVE_POWER) -> None:
        weights = np.asarray(counts, dtype=np.float64).clip(min=0.0)
        weights = np.where(weights > 0.0, weights**power, 0.0)
        total = float(weights.sum())
        if total <= 0.0:
            raise ValueError("no term has a positive count, so there is nothing to draw negatives from")
        shares = np.empty(len(weights), dtype=np.float64)
        self.aliases: Ints1d = np.empty(len(weights), dtype=np.int32)
        fill_alias_table(weights * (len(weights) / total), shares, self.aliases)
        self.thresholds: Thresholds = np.round(shares * _FULL).astype(np.uint32)
        # Rounding leaves cells of weight zero whole; they must never be drawn.
        heaviest = np.int32(np.argmax(weights))
        empty = (weights == 0.0) & (self.aliases == np.arange(len(weights), dtype=np.int32))
        self.aliases[empty] = heaviest
        self.thresholds[weights == 0.0] = 0


def keep_thresholds(counts: npt.NDArray[np.integer], sample: float) -> Thresholds:
    """Return, for each term, the 32-bit number below which a draw keeps an occurrence of it, shape (n_terms,).

    word2vec's rule: a term of relative frequency f is kept with probability sqrt(sample / f) + sample / f, at most 1;
    `sample` 0 keeps all. Terms with a count of zero are never kept: that is how terms are left out of training.
    """
    occurrences = np.asarray(counts, dtype=np.float64)
    keep = np.ones(len(occurrences))
    if sample > 0.0:
        ratio = sample * occurrences.sum() / np.maximum(occurrences, 1.0)
        keep = np.minimum(np.sqrt(ratio) + ratio, 1.0)
    return np.asarray(np.round(np.where(occurrences > 0.0, keep, 0.0) * _FULL), dtype=np.uint32)
