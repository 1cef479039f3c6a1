"""Our own phrase mining: passes of a significance test on adjacent terms, over integer arrays.

Each pass counts the adjacent pairs of terms, keeps those that stand together more often than chance would have it, and
merges them; a merged pair is one term to the next pass. No phrase crosses punctuation or has a stop word at an edge.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from taxocom.numerics.arrays import Bools1d, Doubles, Ints1d, Offsets
from taxocom.numerics.phrase_kernels import (
    CONNECTOR_BITS,
    TERM_BITS,
    PairTable,
    count_pairs,
    fill_table,
    merge_pairs,
    sketch_pairs,
)
from taxocom.progress import Progress, Span
from taxocom.text.terms.inventory import Parts, TermInventory
from taxocom.text.terms.seed_phrases import Words
from taxocom.text.terms.streams import Chunk, TermStream

# Standard errors a count is lowered by before it is judged: five joint occurrences prove less than five hundred.
_CAUTION = 1.0
# A phrase around a connecting word ("law and order"), or one that a letter or a small word opens ("x ray", "first
# order"), must be that much more significant than one of plain words.
_CONNECTOR_MARGIN, _OPENER_MARGIN = 0.15, 0.05
# In scripts without spaces: for each of the two that is a stop word by itself.
_PART_MARGIN = 0.05

_SMALLEST_SKETCH, _LARGEST_SKETCH = 2**16, 2**27
_SMALLEST_TABLE = 2**16


@dataclass(frozen=True)
class PairCounts:
    """Adjacent pairs of terms and how often each occurs; `keys` packs connecting words, left and right term."""

    keys: Offsets
    counts: Offsets

    @property
    def left(self) -> Offsets:
        """The left terms."""
        return np.asarray((self.keys >> TERM_BITS) & (2**TERM_BITS - 1))

    @property
    def right(self) -> Offsets:
        """The right terms."""
        return np.asarray(self.keys & (2**TERM_BITS - 1))

    @property
    def connectors(self) -> Offsets:
        """The packed connecting words, 0 for none."""
        return np.asarray(self.keys >> (2 * TERM_BITS))

    def select(self, wanted: Bools1d) -> PairCounts:
        """Return some of the pairs."""
        return PairCounts(self.keys[wanted], self.counts[wanted])


def mine_phrases(
    stream: TermStream,
    inventory: TermInventory,
    *,
    min_count: int,
    max_words: int,
    threshold: float,
    dropped: frozenset[Words] = frozenset(),
    progress: Progress,
) -> None:
    """Find phrases of up to `max_words` words, merging them in `stream` and entering them in `inventory`.

    What is in `dropped` is never merged, however it could be put together.
    """
    n_passes = max_words - 1
    for number in range(n_passes):
        stage = f"Finding phrases, pass {number + 1} of {n_passes}"
        part = Span(progress, number / n_passes, (number + 1) / n_passes)
        counts = stream.counts(len(inventory), Span(part, 0.0, 0.1), stage)
        pairs = count_adjacent(
            stream, inventory, min_count=min_count, max_words=max_words, progress=Span(part, 0.1, 0.7), stage=stage
        )
        scores = significance(pairs, counts, total=int(counts[inventory.n_barred + 1 :].sum()))
        kept = scores >= threshold + _margins(pairs, inventory)
        if dropped:
            kept[kept] = [words not in dropped for words in _words_of_pairs(pairs.select(kept), inventory)]
        if not kept.any():
            return
        _merge(stream, inventory, pairs.select(kept), scores[kept], Span(part, 0.7, 1.0), stage)


def significance(pairs: PairCounts, counts: Offsets, *, total: int) -> Doubles:
    """Score how much more often than by chance two terms stand together, at most 1.

    Normalised pointwise mutual information of a count lowered by its standard error: it rewards both a strong bond and
    the evidence for it, so one threshold serves frequent and rare pairs alike.
    """
    joint = np.maximum(pairs.counts - _CAUTION * np.sqrt(pairs.counts), 1e-3)
    expected = counts[pairs.left].astype(np.float64) * counts[pairs.right] / total
    return np.asarray(np.log(joint / expected) / np.maximum(np.log(total / joint), 1e-12))


def _words_of_pairs(pairs: PairCounts, inventory: TermInventory) -> Iterator[Words]:
    for left, packed, right in zip(pairs.left.tolist(), pairs.connectors.tolist(), pairs.right.tolist(), strict=True):
        yield inventory.joined(Parts(left, right), _unpacked(packed))


def _margins(pairs: PairCounts, inventory: TermInventory) -> Doubles:
    """Return how much more than the threshold each pair must reach; infinity for what is never a phrase."""
    openers, parts = inventory.openers(), inventory.single_parts()
    connected = pairs.connectors > 0
    margins = np.where(connected, _CONNECTOR_MARGIN, np.where(openers[pairs.left], _OPENER_MARGIN, 0.0))
    margins += _PART_MARGIN * (parts[pairs.left].astype(np.float64) + parts[pairs.right])
    single_articles = np.isin(pairs.connectors, list(inventory.articles))
    opening_articles = np.isin(pairs.connectors >> CONNECTOR_BITS, list(inventory.articles))
    never = openers[pairs.right] | (connected & openers[pairs.left]) | single_articles | opening_articles
    margins[never] = np.inf
    return margins


def count_adjacent(
    stream: TermStream, inventory: TermInventory, *, min_count: int, max_words: int, progress: Progress, stage: str
) -> PairCounts:
    """Count the pairs of adjacent terms that occur `min_count` times or more and are no longer than `max_words`.

    A sketch of a fixed size keeps rare pairs out of the table, so memory is bounded by the pairs that matter.
    """
    lengths, limit = inventory.length_array(), 2 * max_words
    barriers = inventory.n_connectors, inventory.n_barred
    sketch = np.zeros(_sketch_size(int(stream.offsets[-1])), dtype=np.uint8)
    for chunk in stream.chunks(Span(progress, 0.0, 0.5), stage):
        sketch_pairs(stream.ids_in(chunk), *barriers, lengths, limit, sketch)
    floor = min(min_count, 255)
    keys, values = _empty_keys(_SMALLEST_TABLE), np.zeros(_SMALLEST_TABLE, dtype=np.int64)
    filled = 0
    for chunk in stream.chunks(Span(progress, 0.5, 1.0), stage):
        ids, start = stream.ids_in(chunk), 0
        while start < len(ids):
            start, filled = count_pairs(ids, start, *barriers, lengths, limit, sketch, floor, keys, values, filled)
            if start < len(ids):
                used = keys >= 0
                old_keys, old_values = keys[used], values[used]
                keys, values = _empty_keys(2 * len(keys)), np.zeros(2 * len(keys), dtype=np.int64)
                fill_table(old_keys, old_values, keys, values)
    enough = (keys >= 0) & (values >= min_count)
    order = np.argsort(keys[enough])
    return PairCounts(keys[enough][order], values[enough][order])


def _merge(
    stream: TermStream, inventory: TermInventory, pairs: PairCounts, scores: Doubles, progress: Progress, stage: str
) -> None:
    # Strongest first, so that a phrase which two pairs make keeps the score of the better.
    order = np.lexsort((pairs.keys, -scores)).tolist()
    lefts, rights, counts = pairs.left.tolist(), pairs.right.tolist(), pairs.counts.tolist()
    packed, strengths = pairs.connectors.tolist(), scores.tolist()
    merged = np.empty(len(order), dtype=np.int32)
    for i in order:
        parts = Parts(lefts[i], rights[i])
        merged[i] = inventory.add_mined(parts, _unpacked(packed[i]), counts[i], strengths[i])
    size = _power_of_two(2 * len(merged) + 2)
    keys, merged_ids = _empty_keys(size), np.zeros(size, dtype=np.int32)
    fill_table(pairs.keys, merged, keys, merged_ids)
    table_scores = np.zeros(size, dtype=np.float32)
    fill_table(pairs.keys, scores.astype(np.float32), _empty_keys(size), table_scores)
    table = PairTable(keys, merged_ids, table_scores)

    def rewrite(ids: Ints1d, chunk: Chunk, write: int, new_offsets: Offsets) -> int:
        barriers = inventory.n_connectors, inventory.n_barred
        return int(merge_pairs(ids, stream.offsets, chunk.first, chunk.last, write, new_offsets, *barriers, table))

    stream.shorten(rewrite, progress, stage)


def _unpacked(connectors: int) -> list[int]:
    return [word for word in divmod(connectors, 2**CONNECTOR_BITS) if word]


def _empty_keys(size: int) -> npt.NDArray[np.int64]:
    return np.full(size, -1, dtype=np.int64)


def _sketch_size(n_tokens: int) -> int:
    return min(max(_power_of_two(4 * n_tokens), _SMALLEST_SKETCH), _LARGEST_SKETCH)


def _power_of_two(least: int) -> int:
    return 1 << max(0, least - 1).bit_length()
