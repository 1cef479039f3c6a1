"""Integer kernels for phrase mining: match given phrases, count adjacent pairs, merge them, write what is left.

All work on a *stream*: int32 term ids of all documents, one after another, 0 for the end of a phrase (punctuation,
the end of a document). Ids come in ranges: `1 … n_connectors` may stand inside a phrase, others up to `n_barred` end
one, larger ones are the terms that pairs are made of. A pair is packed into one int64: the connecting words, the left
term and the right term.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from taxocom.numerics.arrays import Bools1d, Floats1d, Ints1d, Offsets

Bytes1d = npt.NDArray[np.uint8]

TERM_BITS = 24
CONNECTOR_BITS = 7
_TERM_BITS = np.int64(TERM_BITS)
_CONNECTOR_BITS = np.int64(CONNECTOR_BITS)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)

_compiled = numba.njit(cache=True, nogil=True)
_inlined = numba.njit(inline="always")


class PairTable(NamedTuple):
    """An open-addressing table of pairs (`keys`, -1 where empty): the term each becomes and how significant it is."""

    keys: Offsets
    merged_ids: Ints1d
    scores: Floats1d


@_inlined
def _slot(key: int, bits: int) -> Any:
    """Return a slot in [0, 2**bits) for a key (multiplicative hashing)."""
    return np.int64((np.uint64(key) * _MULTIPLIER) >> np.uint64(64 - bits))


@_inlined
def _bits_of(size: int) -> int:
    bits = 0
    while (1 << bits) < size:
        bits += 1
    return bits


@_inlined
def _right_of(stream: Ints1d, left: int, stop: int, n_connectors: int, n_barred: int) -> int:
    """Return where the next term of a possible phrase stands, -1 if the phrase ends: at most two connectors between."""
    right = left + 1
    while right < stop and right <= left + 2 and 0 < stream[right] <= n_connectors:
        right += 1
    if right < stop and stream[right] > n_barred:
        return right
    return -1


@_inlined
def _pair_key(stream: Ints1d, left: int, right: int) -> Any:
    code = np.int64(0)
    for between in range(left + 1, right):
        code = (code << _CONNECTOR_BITS) | np.int64(stream[between])
    return (((code << _TERM_BITS) | np.int64(stream[left])) << _TERM_BITS) | np.int64(stream[right])


@_inlined
def _find(keys: Offsets, key: int, bits: int) -> Any:
    """Return the slot that holds `key`, or the empty one where it belongs; keys are -1 where empty."""
    mask = np.int64(keys.shape[0] - 1)
    slot = _slot(key, bits)
    while keys[slot] != key and keys[slot] != -1:
        slot = (slot + 1) & mask
    return slot


@_compiled
def sketch_pairs(
    stream: Ints1d, n_connectors: int, n_barred: int, lengths: Bytes1d, limit: int, sketch: Bytes1d
) -> None:
    """Count pairs into a sketch (uint8, a power of two cells), so that rare ones need no place in a table.

    A cell is never below the count of any pair that falls into it, up to 255.
    """
    bits = _bits_of(sketch.shape[0])
    for left in range(stream.shape[0]):
        if stream[left] > n_barred:
            right = _right_of(stream, left, stream.shape[0], n_connectors, n_barred)
            if right > 0 and lengths[stream[left]] + lengths[stream[right]] + 2 * (right - left - 1) <= limit:
                slot = _slot(_pair_key(stream, left, right), bits)
                if sketch[slot] < 255:
                    sketch[slot] += 1


@_compiled
def count_pairs(
    stream: Ints1d,
    start: int,
    n_connectors: int,
    n_barred: int,
    lengths: Bytes1d,
    limit: int,
    sketch: Bytes1d,
    floor: int,
    keys: Offsets,
    counts: Offsets,
    filled: int,
) -> tuple[int, int]:
    """Count the pairs whose sketch reaches `floor` exactly, in an open-addressing table of `keys` and `counts`.

    Returns the position to go on from and how many slots are filled; it stops early when the table is 60 % full.
    """
    sketch_bits = _bits_of(sketch.shape[0])
    bits = _bits_of(keys.shape[0])
    most = keys.shape[0] * 6 // 10
    for left in range(start, stream.shape[0]):
        if stream[left] <= n_barred:
            continue
        right = _right_of(stream, left, stream.shape[0], n_connectors, n_barred)
        if right < 0 or lengths[stream[left]] + lengths[stream[right]] + 2 * (right - left - 1) > limit:
            continue
        key = _pair_key(stream, left, right)
        if sketch[_slot(key, sketch_bits)] < floor:
            continue
        slot = _find(keys, key, bits)
        if keys[slot] == -1:
            if filled >= most:
                return left, filled
            keys[slot] = key
            filled += 1
        counts[slot] += 1
    return stream.shape[0], filled


@_compiled
def fill_table(new_keys: Offsets, new_values: npt.NDArray[Any], keys: Offsets, values: npt.NDArray[Any]) -> None:
    """Put keys and their values into an empty open-addressing table (keys -1), twice as large at least."""
    bits = _bits_of(keys.shape[0])
    for index in range(new_keys.shape[0]):
        slot = _find(keys, new_keys[index], bits)
        keys[slot] = new_keys[index]
        values[slot] = new_values[index]


@_compiled
def merge_pairs(
    stream: Ints1d,
    offsets: Offsets,
    first: int,
    last: int,
    write: int,
    new_offsets: Offsets,
    n_connectors: int,
    n_barred: int,
    table: PairTable,
) -> int:
    """Merge the best pairs of documents `first … last - 1` in place and return where the stream now ends.

    Of overlapping pairs the stronger goes first: a pair is merged where it beats both neighbours, then whatever is
    still free from left to right. `table` holds the significant pairs and what they become.
    """
    bits = _bits_of(table.keys.shape[0])
    longest = 1
    for document in range(first, last):
        longest = max(longest, offsets[document + 1] - offsets[document])
    positions = np.empty(longest + 1, np.int64)
    strength = np.empty(longest + 1, np.float32)
    becomes = np.empty(longest + 1, np.int32)
    taken = np.empty(longest + 2, np.bool_)
    for document in range(first, last):
        start, stop = offsets[document], offsets[document + 1]
        new_offsets[document] = write
        n_terms = 0
        for position in range(start, stop):
            if stream[position] > n_barred:
                positions[n_terms] = position
                becomes[n_terms] = 0
                strength[n_terms] = -1.0
                right = _right_of(stream, position, stop, n_connectors, n_barred)
                if right > 0:
                    slot = _find(table.keys, _pair_key(stream, position, right), bits)
                    if table.keys[slot] != -1:
                        becomes[n_terms] = table.merged_ids[slot]
                        strength[n_terms] = table.scores[slot]
                n_terms += 1
        for index in range(n_terms + 1):
            taken[index] = False
        for sweep in range(2):
            for index in range(n_terms - 1):
                if becomes[index] > 0 and not taken[index] and not taken[index + 1]:
                    before = index > 0 and becomes[index - 1] > 0 and strength[index - 1] >= strength[index]
                    after = becomes[index + 1] > 0 and strength[index + 1] > strength[index]
                    if sweep == 1 or not (before or after):
                        taken[index] = True
                        taken[index + 1] = True
                        becomes[index] = -becomes[index]
        read = start
        for index in range(n_terms):
            if becomes[index] < 0:
                while read < positions[index]:
                    stream[write] = stream[read]
                    write += 1
                    read += 1
                stream[write] = -becomes[index]
                write += 1
                read = positions[index + 1] + 1
        while read < stop:
            stream[write] = stream[read]
            write += 1
            read += 1
    new_offsets[last] = write
    return write


@_compiled
def match_phrases(
    stream: Ints1d,
    offsets: Offsets,
    first: int,
    last: int,
    write: int,
    new_offsets: Offsets,
    member: Bools1d,
    edges: Offsets,
    targets: Ints1d,
    ends: Ints1d,
) -> int:
    """Replace given phrases by their term in documents `first … last - 1`, in place, the longest match first.

    `member` tells which ids occur in any phrase. The phrases are a trie: `edges` holds sorted `node << 32 | id`,
    `targets` the node reached, `ends` the term that a node completes (0: none); 0 is the root.
    """
    for document in range(first, last):
        start, stop = offsets[document], offsets[document + 1]
        new_offsets[document] = write
        read = start
        while read < stop:
            found = 0
            found_stop = read
            node = np.int64(0)
            position = read
            while position < stop and member[stream[position]]:
                edge = (node << np.int64(32)) | np.int64(stream[position])
                index = np.searchsorted(edges, edge)
                if index == edges.shape[0] or edges[index] != edge:
                    break
                node = np.int64(targets[index])
                position += 1
                if ends[node] > 0:
                    found = ends[node]
                    found_stop = position
            if found > 0:
                stream[write] = found
                read = found_stop
            else:
                stream[write] = stream[read]
                read += 1
            write += 1
    new_offsets[last] = write
    return write


@_compiled
def write_terms(
    stream: Ints1d, offsets: Offsets, expansion_offsets: Offsets, expansions: Ints1d, out: Ints1d, out_offsets: Offsets
) -> None:
    """Write the final term ids of every document to `out`, where each ends to `out_offsets`.

    Stream id `i` becomes `expansions[expansion_offsets[i]:expansion_offsets[i + 1]]`, nothing for what is no term.
    """
    write = 0
    for document in range(offsets.shape[0] - 1):
        out_offsets[document] = write
        for position in range(offsets[document], offsets[document + 1]):
            term = stream[position]
            for index in range(expansion_offsets[term], expansion_offsets[term + 1]):
                out[write] = expansions[index]
                write += 1
    out_offsets[offsets.shape[0] - 1] = write


@_compiled
def count_terms(tokens: Ints1d, offsets: Offsets, columns: Ints1d, values: Ints1d, row_offsets: Offsets) -> int:
    """Count each document's terms into CSR `columns` (ascending), `values`, `row_offsets`; returns how many."""
    write = 0
    for document in range(offsets.shape[0] - 1):
        row_offsets[document] = write
        ordered = np.sort(tokens[offsets[document] : offsets[document + 1]])
        for index in range(ordered.shape[0]):
            if index > 0 and ordered[index] == ordered[index - 1]:
                values[write - 1] += 1
            else:
                columns[write] = ordered[index]
                values[write] = 1
                write += 1
    row_offsets[offsets.shape[0] - 1] = write
    return write
