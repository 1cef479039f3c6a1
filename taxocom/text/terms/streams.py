"""The words of a whole corpus as one int32 array on disk, shortened in place as phrases are merged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from taxocom.numerics.arrays import Ints1d, Offsets
from taxocom.progress import Progress

# Tokens a kernel sees at once: a fraction of a second of work, so that progress moves and a cancel is heard.
_CHUNK_TOKENS = 4_000_000


@dataclass(frozen=True)
class Chunk:
    """Documents `first … last - 1`."""

    first: int
    last: int


class TermStream:
    """Term ids of all documents, memory-mapped for writing; document `d` is `ids[offsets[d]:offsets[d + 1]]`."""

    def __init__(self, path: Path, offsets: Offsets) -> None:
        self._mapped = np.memmap(path, dtype=np.int32, mode="r+", shape=(int(offsets[-1]),))
        self._ids: Ints1d = np.asarray(self._mapped)
        self.offsets = offsets

    @property
    def ids(self) -> Ints1d:
        """The ids in use: the array on disk stays as long as it was, the stream in it gets shorter."""
        return self._ids[: int(self.offsets[-1])]

    @property
    def n_documents(self) -> int:
        """The number of documents."""
        return len(self.offsets) - 1

    def chunks(self, progress: Progress, stage: str) -> Iterator[Chunk]:
        """Yield runs of whole documents of a few million tokens, reporting progress before each."""
        total = max(1, int(self.offsets[-1]))
        marks = self.offsets.copy()
        first = 0
        while first < self.n_documents:
            progress.report(stage, float(marks[first] / total))
            last = int(np.searchsorted(marks, marks[first] + _CHUNK_TOKENS, side="right")) - 1
            last = min(max(last, first + 1), self.n_documents)
            yield Chunk(first, last)
            first = last

    def ids_in(self, chunk: Chunk) -> Ints1d:
        """Return the ids of a chunk."""
        return self._ids[self.offsets[chunk.first] : self.offsets[chunk.last]]

    def map_ids(self, new_ids: Ints1d, progress: Progress, stage: str) -> None:
        """Replace every id `i` by `new_ids[i]`, in place."""
        for chunk in self.chunks(progress, stage):
            ids = self.ids_in(chunk)
            ids[:] = new_ids[ids]

    def shorten(self, rewrite: Callable[[Ints1d, Chunk, int, Offsets], int], progress: Progress, stage: str) -> None:
        """Rewrite documents in place with a kernel that never writes beyond what it has read.

        `rewrite(ids, chunk, write, new_offsets)` returns where the chunk's last document ends now.
        """
        new_offsets = np.zeros_like(self.offsets)
        write = 0
        for chunk in self.chunks(progress, stage):
            write = int(rewrite(self._ids, chunk, write, new_offsets))
        self.offsets = new_offsets

    def counts(self, n_ids: int, progress: Progress, stage: str) -> Offsets:
        """Count each id."""
        total = np.zeros(n_ids, dtype=np.int64)
        for chunk in self.chunks(progress, stage):
            total += np.bincount(self.ids_in(chunk), minlength=n_ids)
        return total
