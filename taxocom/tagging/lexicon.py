"""The lexicon: fixed vectors of word pieces, so that "everyday life" reaches documents that never say it.

It knows a language where the corpus knows only itself. The vectors are static, one a piece whatever stands around it;
no model is run. `taxocom.store.projects.lexicon_files` says where they come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse

from taxocom.numerics.arrays import Floats1d, Floats2d, Ints1d, Offsets, read_only
from taxocom.numerics.blas import one_blas_thread
from taxocom.numerics.rarity import term_rarity
from taxocom.numerics.sphere import unit_rows
from taxocom.progress import SILENT, Progress

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Halves2d = npt.NDArray[np.float16]

MAX_CHARACTERS = 3000
"""What a document is about is said by then, and one long document takes no longer than others."""
BATCH = 2000
_LINE = 200
_CENTRED_NAMES = 3


@dataclass(frozen=True, eq=False)
class Lexicon:
    """A vector for each word piece, `vectors` (n_pieces, dim), and the tokenizer that cuts words into these pieces.

    `language` is the one it knows well. Words of other languages are cut into short pieces and even bytes;
    nothing breaks, but how much their vectors say was not measured. `fingerprint` names the content.
    """

    vectors: Floats2d
    tokenizer: Tokenizer
    fingerprint: str
    language: str = "en"

    @classmethod
    def from_bytes(cls, weights: bytes, tokenizer: bytes, *, fingerprint: str) -> Lexicon:
        """Read the one table of a safetensors file, and a tokenizer as the tokenizers library writes it."""
        # Both are loaded for those who use a lexicon, and for nobody else.
        from safetensors.numpy import load
        from tokenizers import Tokenizer

        (table,) = load(weights).values()
        cutter = Tokenizer.from_str(tokenizer.decode())
        cutter.no_truncation()
        cutter.no_padding()
        # "<s>" in a document is what its author wrote and not the start of a text.
        cutter.encode_special_tokens = True
        return cls(read_only(table.astype(np.float32)), cutter, fingerprint)

    @cached_property
    def origin(self) -> Floats1d:
        """The mean of all pieces: what they share says nothing of one."""
        return read_only(self.vectors.mean(axis=0))

    def encode(self, texts: Iterable[str]) -> list[Ints1d]:
        """Return the ids of each text's pieces in reading order, of its first `MAX_CHARACTERS` characters.

        White space separates words, whatever its kind and width, and no piece crosses it.
        """
        return list(chain.from_iterable(self.encode_batches(texts)))

    def encode_batches(self, texts: Iterable[str]) -> Iterator[list[Ints1d]]:
        """Yield what `encode` returns in parts of `BATCH` texts, so that not all of it is held at once."""
        rest = iter(texts)
        while batch := list(islice(rest, BATCH)):
            words = [text[:MAX_CHARACTERS].split() for text in batch]
            running = list(chain.from_iterable(words))
            numbers = {word: number for number, word in enumerate(dict.fromkeys(running))}
            pieces, starts = self.cut(list(numbers))
            order = np.fromiter(map(numbers.__getitem__, running), dtype=np.int64, count=len(running))
            lengths = np.diff(starts)[order]
            ends = np.cumsum(lengths)
            found = pieces[np.arange(lengths.sum()) + np.repeat(starts[order] - (ends - lengths), lengths)]
            cuts = np.concatenate([[0], ends])[np.cumsum([0, *map(len, words)])]
            yield [found[start:stop] for start, stop in pairwise(cuts)]

    def cut(self, words: Sequence[str]) -> tuple[Ints1d, Offsets]:
        """Return the pieces of distinct words one after the other, and where those of each word start.

        Cutting every word of a batch once takes half the time of cutting the texts. The words are handed over in lines,
        for a call costs as much as a word; where a piece stands in its line tells which word it is of.
        """
        lines = [words[start : start + _LINE] for start in range(0, len(words), _LINE)]
        found = self.tokenizer.encode_batch([" ".join(line) for line in lines], add_special_tokens=False)
        n_pieces = [np.zeros(1, dtype=np.int64)]
        for line, cut in zip(lines, found, strict=True):
            # A piece that begins a word may take the blank before it along, so a word starts at its blank.
            blanks = np.cumsum([-1, *(len(word) + 1 for word in line[:-1])])
            places = [start for start, _ in cut.offsets]
            n_pieces.append(np.bincount(np.searchsorted(blanks, places, side="right") - 1, minlength=len(line)))
        pieces = np.fromiter(chain.from_iterable(cut.ids for cut in found), dtype=np.int32)
        return pieces, np.cumsum(np.concatenate(n_pieces))

    def embed(self, texts: Iterable[str]) -> Floats2d:
        """Return the plain mean of the piece vectors of each short text, zeros where it has no piece."""
        counts, lengths = _piece_counts(self.encode(texts), len(self.vectors))
        return np.asarray(counts @ self.vectors / np.maximum(lengths, 1.0)[:, None], dtype=np.float32)


@dataclass(frozen=True, eq=False)
class LexiconDocuments:
    """The documents of a corpus as the lexicon sees them.

    `vectors` (n_documents, dim) are centred on the corpus and of length 1, zeros where a document has no piece; halves,
    since there are many and a cosine needs three digits. `idf` (n_pieces,) is the weight of each piece here, `center`
    (dim,) what was taken off: what all of the corpus is about says nothing of one document.
    """

    vectors: Halves2d
    idf: Floats1d
    center: Floats1d

    def cosines(self, names: Floats2d) -> Floats2d:
        """Return the cosine of every document with every name (`name_vectors`), shape (n_documents, n_names)."""
        found = np.empty((len(self.vectors), len(names)), dtype=np.float32)
        with one_blas_thread():
            for start in range(0, len(found), BATCH):
                rows = self.vectors[start : start + BATCH].astype(np.float32)
                np.matmul(rows, names.T, out=found[start : start + BATCH])
        return found


def document_vectors(lexicon: Lexicon, texts: Sequence[str], progress: Progress = SILENT) -> LexiconDocuments:
    """Return the documents' vectors: the sum of idf times piece vector over all pieces, over their number; centred.

    idf is log((n + 1) / (df + 1)) over these texts. Dividing by the number of pieces and not by their weights leaves a
    document of common words near the origin. Piece counts are kept between the two passes, six bytes for each
    distinct piece of a document, and never the vectors of the pieces.
    """
    n_pieces = len(lexicon.vectors)
    kept: list[tuple[sparse.csr_array, Floats1d]] = []
    frequencies = np.zeros(n_pieces, dtype=np.int64)
    shares = np.zeros(n_pieces, dtype=np.float64)
    for pieces in lexicon.encode_batches(texts):
        progress.report("Looking words up in the lexicon", 0.9 * len(kept) * BATCH / len(texts))
        counts, lengths = _piece_counts(pieces, n_pieces)
        frequencies += np.bincount(counts.indices, minlength=n_pieces)
        shares += counts.T @ (1.0 / np.maximum(lengths, 1.0))
        kept.append((counts, lengths))
    idf = term_rarity(frequencies, len(texts))
    weighted = lexicon.vectors * idf[:, None]
    n_spoken = sum(int(np.count_nonzero(lengths)) for _, lengths in kept)
    with one_blas_thread():
        center = np.asarray(shares.astype(np.float32) @ weighted / max(n_spoken, 1), dtype=np.float32)
    vectors = np.zeros((len(texts), weighted.shape[1]), dtype=np.float16)
    for number, (counts, lengths) in enumerate(kept):
        progress.report("Placing the documents in the lexicon", 0.9 + 0.1 * number / len(kept))
        rows = counts @ weighted / np.maximum(lengths, 1.0)[:, None] - center
        rows[lengths == 0] = 0.0
        vectors[number * BATCH :][: len(rows)] = unit_rows(rows)
    return LexiconDocuments(read_only(vectors), read_only(idf), read_only(center))


def name_vectors(lexicon: Lexicon, names: Sequence[str]) -> Floats2d:
    """Return a unit vector for each name, zeros where it has no piece.

    Three names or more are centred on their mean: what all of them share tells none from another. The mean of two
    would make them opposites.
    """
    vectors = lexicon.embed(names)
    known = vectors.any(axis=1)
    if np.count_nonzero(known) >= _CENTRED_NAMES:
        vectors[known] -= vectors[known].mean(axis=0)
    return unit_rows(vectors)


def _piece_counts(pieces: Sequence[Ints1d], n_pieces: int) -> tuple[sparse.csr_array, Floats1d]:
    """Return how often each text has each piece, and how many it has."""
    lengths = np.fromiter(map(len, pieces), dtype=np.int32, count=len(pieces))
    ids = np.concatenate([np.empty(0, dtype=np.int32), *pieces])
    rows = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    # Sixteen bits are enough: a text is cut to fewer characters, each of four bytes at most.
    counts = sparse.csr_array((np.ones(len(ids), dtype=np.uint16), ids, rows), shape=(len(pieces), n_pieces))
    counts.sum_duplicates()
    # What became free by that is given back by a copy alone.
    return counts.copy(), lengths.astype(np.float32)
