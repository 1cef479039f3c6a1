"""Our own phrase mining: passes of a significance test on adjacent terms, over integer arrays.

Each pass counts the adjacent pairs of terms, keeps those that stand together more often than chance would have it, and
merges them; a merged pair is one term to the next pass. No phrase crosses punctuation or has a stop word at an edge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from taxocom.numerics.arrays import Floats1d, Offsets
from taxocom.numerics.phrase_kernels import (
    CONNECTOR_BITS,
    TERM_BITS,
    count_pairs,
    fill_table,
    merge_pairs,
    sketch_pairs,
)
from taxocom.progress import Progress
from taxocom.text.inventory import TermInventory
from taxocom.text.streams import TermStream

# Standard errors a count is lowered by before it is judged: five joint occurrences prove less than five hundred.
_CAUTION = 1.0
# A phrase around a connecting word ("law and order") must be that much more significant than one without.
_CONNECTOR_MARGIN = 0.15

_SMALLEST_SKETCH, _LARGEST_SKETCH = 2**16, 2**27


@dataclass(frozen=True)
class PairCounts:
    """Adjacent pairs of terms and how often each occurs; `keys` packs connecting words, left and right term."""

    keys: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]

    @property
    def left(self) -> npt.NDArray[np.int64]:
        """The left terms."""
        return (self.keys >> TERM_BITS) & (2**TERM_BITS - 1)

    @property
    def right(self) -> npt.NDArray[np.int64]:
        """The right terms."""
        return self.keys & (2**TERM_BITS - 1)

    @property
    def connectors(self) -> npt.NDArray[np.int64]:
        """The packed connecting words, 0 for none."""
        return self.keys >> (2 * TERM_BITS)

    def select(self, wanted: npt.NDArray[np.bool_]) -> PairCounts:
        """Return some of the pairs."""
        return PairCounts(self.keys[wanted], self.counts[wanted])


def mine_phrases(
    stream: TermStream,
    inventory: TermInventory,
    *,
    min_count: int,
    max_words: int,
    threshold: float,
    progress: Progress,
) -> None:
    """Find phrases of up to `max_words` words, merging them in `stream` and entering them in `inventory`."""
    n_passes = max_words - 1
    for number in range(n_passes):
        stage = f"Finding phrases, pass {number + 1} of {n_passes}"
        counts = stream.counts(len(inventory), progress, stage)
        pairs = count_adjacent(
            stream, inventory, min_count=min_count, max_words=max_words, progress=progress, stage=stage
        )
        scores = significance(pairs, counts, total=int(counts[inventory.n_barred + 1 :].sum()))
        floor = np.where(pairs.connectors > 0, threshold + _CONNECTOR_MARGIN, threshold)
        kept = scores >= floor
        if not kept.any():
            return
        _merge(stream, inventory, pairs.select(kept), scores[kept], progress, stage)


def significance(pairs: PairCounts, counts: npt.NDArray[np.int64], *, total: int) -> npt.NDArray[np.float64]:
    """Score how much more often than by chance two terms stand together, at most 1.

    Normalised pointwise mutual information of a count lowered by its standard error: it rewards both a strong bond and
    the evidence for it, so one threshold serves frequent and rare pairs alike.
    """
    joint = np.maximum(pairs.counts - _CAUTION * np.sqrt(pairs.counts), 1e-3)
    expected = counts[pairs.left].astype(np.float64) * counts[pairs.right] / total
    surprise = np.log(total / joint)
    return np.log(joint / expected) / np.maximum(surprise, 1e-12)


def count_adjacent(
    stream: TermStream, inventory: TermInventory, *, min_count: int, max_words: int, progress: Progress, stage: str
) -> PairCounts:
    """Count the pairs of adjacent terms that occur `min_count` times or more and are no longer than `max_words`.

    A sketch of a fixed size keeps rare pairs out of the table, so memory is bounded by the pairs that matter.
    """
    lengths, limit = inventory.length_array(), 2 * max_words
    barriers = inventory.n_connectors, inventory.n_barred
    sketch = np.zeros(_sketch_size(int(stream.offsets[-1])), dtype=np.uint8)
    for chunk in stream.chunks(progress, stage):
        sketch_pairs(stream.ids_in(chunk), *barriers, lengths, limit, sketch)
    keys, values = _empty_table(2**16, np.dtype(np.int64))
    filled = 0
    for chunk in stream.chunks(progress, stage):
        ids, start = stream.ids_in(chunk), 0
        while start < len(ids):
            start, filled = count_pairs(
                ids, start, *barriers, lengths, limit, sketch, min(min_count, 255), keys, values, filled
            )
            if start < len(ids):
                used = keys >= 0
                old_keys, old_values = keys[used], values[used]
                keys, values = _empty_table(2 * len(keys), values.dtype)
                fill_table(old_keys, old_values, keys, values)
    enough = (keys >= 0) & (values >= min_count)
    order = np.argsort(keys[enough])
    return PairCounts(keys[enough][order], values[enough][order])


def _merge(
    stream: TermStream,
    inventory: TermInventory,
    pairs: PairCounts,
    scores: npt.NDArray[np.float64],
    progress: Progress,
    stage: str,
) -> None:
    merged = np.empty(len(pairs.keys), dtype=np.int32)
    columns = zip(
        pairs.left.tolist(), pairs.connectors.tolist(), pairs.right.tolist(), pairs.counts.tolist(), scores.tolist(),
        strict=True,
    )  # fmt: skip
    for index, (left, connectors, right, count, score) in enumerate(columns):
        merged[index] = inventory.add_mined(left, _unpacked(connectors), right, count, score)
    size = 2 ** int(np.ceil(np.log2(2 * len(merged) + 2)))
    keys, merged_ids = _empty_table(size, np.dtype(np.int32))
    strengths: Floats1d = np.zeros(size, dtype=np.float32)
    fill_table(pairs.keys, merged, keys, merged_ids)
    fill_table(pairs.keys, scores.astype(np.float32), np.full(size, -1, dtype=np.int64), strengths)

    def rewrite(ids: npt.NDArray[np.int32], chunk: object, write: int, new_offsets: Offsets) -> int:
        return int(
            merge_pairs(
                ids, stream.offsets, chunk.first, chunk.last, write, new_offsets, inventory.n_connectors,
                inventory.n_barred, keys, merged_ids, strengths,
            )
        )  # fmt: skip

    stream.shorten(rewrite, progress, stage)


def _unpacked(connectors: int) -> list[int]:
    high, low = divmod(connectors, 2**CONNECTOR_BITS)
    return [word for word in (high, low) if word]


def _empty_table(size: int, dtype: np.dtype[np.generic]) -> tuple[npt.NDArray[np.int64], npt.NDArray]:
    return np.full(size, -1, dtype=np.int64), np.zeros(size, dtype=dtype)


def _sketch_size(n_tokens: int) -> int:
    wanted = 2 ** int(np.ceil(np.log2(max(1, 4 * n_tokens))))
    return min(max(wanted, _SMALLEST_SKETCH), _LARGEST_SKETCH)
