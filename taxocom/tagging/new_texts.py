"""Texts that are in no corpus, as the tagger of a corpus sees them: its terms, main directions and lexicon."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice

import numpy as np
from scipy import sparse

from taxocom.numerics.arrays import Floats1d, Floats2d
from taxocom.numerics.blas import one_blas_thread
from taxocom.numerics.sphere import unit_rows
from taxocom.tagging.lexicon import MAX_CHARACTERS, Lexicon, LexiconDocuments
from taxocom.tagging.witnesses import MainDirections, Witnesses, damp
from taxocom.text.terms.segmenting import Segmenter

_MOST_WORDS = 200_000
"""Words that are remembered with their pieces; then all are forgotten, so that memory is flat."""


class _Words(dict[str, int]):
    """Word → its number, in the order in which words are met."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number


class LexiconReader:
    """Places new texts in the lexicon as the documents of a corpus are placed (`lexicon.document_vectors`).

    `idf` (n_pieces,) and `center` (dim,) are those of the corpus. Most words were met before, and are not cut again.
    """

    def __init__(self, lexicon: Lexicon, idf: Floats1d, center: Floats1d) -> None:
        self.lexicon = lexicon
        self._idf, self._center = idf, center
        self._weighted: Floats2d = np.asarray(lexicon.vectors * idf[:, None], dtype=np.float32)
        self._forget()

    def _forget(self) -> None:
        self._words = _Words()
        self._pieces = np.empty(0, dtype=np.int32)
        self._starts = np.zeros(1, dtype=np.int64)

    def read(self, texts: Sequence[str]) -> LexiconDocuments:
        """Return where texts lie."""
        if len(self._words) > _MOST_WORDS:
            self._forget()
        words = [list(map(self._words.__getitem__, text[:MAX_CHARACTERS].split())) for text in texts]
        self._cut_new_words()
        n_words = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
        running = np.fromiter(chain.from_iterable(words), dtype=np.int64, count=int(n_words.sum()))
        sizes = np.diff(self._starts)[running]
        ends = np.cumsum(sizes)
        ids = self._pieces[np.arange(sizes.sum()) + np.repeat(self._starts[running] - (ends - sizes), sizes)]
        starts = np.concatenate([[0], ends])[np.concatenate([[0], np.cumsum(n_words)])].astype(np.int32)
        # Adding up what occurs twice writes to `starts`.
        lengths = np.diff(starts)
        counts = sparse.csr_array(
            (np.ones(len(ids), dtype=np.float32), ids, starts), shape=(len(texts), len(self._weighted))
        )
        counts.sum_duplicates()
        rows = counts @ self._weighted / np.maximum(lengths, 1)[:, None].astype(np.float32) - self._center
        rows[lengths == 0] = 0.0
        vectors = unit_rows(np.asarray(rows, dtype=np.float32)).astype(np.float16)
        return LexiconDocuments(vectors, self._idf, self._center)

    def _cut_new_words(self) -> None:
        new = list(islice(self._words, len(self._starts) - 1, None))
        if new:
            pieces, starts = self.lexicon.cut(new)
            self._starts = np.concatenate([self._starts, self._starts[-1] + starts[1:]])
            self._pieces = np.concatenate([self._pieces, pieces])


class TextReader:
    """Makes the tagger's witnesses of new texts; `directions` (n_terms, n_directions) are the corpus's main ones."""

    def __init__(self, segmenter: Segmenter, directions: Floats2d, lexicon: LexiconReader | None) -> None:
        self._segmenter, self._directions, self._lexicon = segmenter, directions, lexicon

    def read(self, texts: Sequence[str], titles: Sequence[str] = ()) -> Witnesses:
        """Return what is known of texts; titles are read with them, as when a corpus is indexed."""
        whole = texts
        if any(titles):
            whole = [f"{title}\n\n{text}" if title else text for title, text in zip(titles, texts, strict=True)]
        damped = damp(self._segmenter.counts(whole))
        lengths: Floats1d = np.asarray(damped.sum(axis=1), dtype=np.float32).ravel()
        with one_blas_thread():
            documents = unit_rows(np.asarray(damped @ self._directions, dtype=np.float32))
        return Witnesses(
            damped=damped,
            lengths=lengths,
            directions=MainDirections(documents, self._directions),
            lexicon=self._lexicon.lexicon if self._lexicon else None,
            meanings=self._lexicon.read(texts) if self._lexicon else None,
        )
