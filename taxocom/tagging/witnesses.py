"""What is known of the documents of a corpus whatever the tree: read once, asked again after every decision."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg, sparse

from taxocom.numerics.arrays import Floats1d, Floats2d, Ints1d, read_only
from taxocom.numerics.blas import one_blas_thread
from taxocom.numerics.singular_vectors import largest_singular_vectors
from taxocom.numerics.sphere import unit_rows
from taxocom.progress import SILENT, Progress
from taxocom.tagging.lexicon import Lexicon, LexiconDocuments
from taxocom.text.corpus import Corpus

MAIN_DIRECTIONS = 100
"""With 60 or 150 the four corpora of EVALUATION.md stay within 0.01."""

_SAMPLE = 20_000
_POWER_ITERATIONS = 2
_LEAST_RARITY = 0.01


@dataclass(frozen=True, eq=False)
class MainDirections:
    """The documents in the main directions of the corpus.

    `documents` (n_documents, n_directions) are unit rows, `terms` (n_terms, n_directions) what a term adds to a row.
    """

    documents: Floats2d
    terms: Floats2d


@dataclass(frozen=True, eq=False)
class Witnesses:
    """The texts as three witnesses see them: their terms, their main directions, and the lexicon if there is one.

    `damped` (n_documents, n_terms) are the logarithmic term counts, `lengths` their sums.
    """

    damped: sparse.csr_array
    lengths: Floats1d
    directions: MainDirections
    lexicon: Lexicon | None = None
    meanings: LexiconDocuments | None = None

    @property
    def n_documents(self) -> int:
        """The number of documents."""
        return len(self.lengths)

    def of(self, documents: Ints1d) -> Witnesses:
        """Return the same for some rows of the corpus."""
        if np.array_equal(documents, np.arange(self.n_documents)):
            return self
        meanings = self.meanings and replace(self.meanings, vectors=self.meanings.vectors[documents])
        rows = self.directions.documents[documents]
        return replace(
            self,
            damped=self.damped[documents],
            lengths=self.lengths[documents],
            directions=MainDirections(rows, self.directions.terms),
            meanings=meanings,
        )


def read_witnesses(
    corpus: Corpus,
    *,
    directions: MainDirections | None = None,
    lexicon: Lexicon | None = None,
    meanings: LexiconDocuments | None = None,
    progress: Progress = SILENT,
) -> Witnesses:
    """Put the witnesses of a corpus together; `directions` are found if they are not given."""
    damped = damp(corpus.counts)
    lengths = np.asarray(damped.sum(axis=1), dtype=np.float32).ravel()
    directions = directions or main_directions(damped, progress=progress)
    return Witnesses(damped, lengths, directions, lexicon, meanings)


def damp(counts: sparse.csr_array) -> sparse.csr_array:
    """Damp term frequencies to ln(1 + tf): the tenth mention says less than the first."""
    return sparse.csr_array(
        (np.log1p(counts.data, dtype=np.float32), counts.indices, counts.indptr), shape=counts.shape
    )


def drawn_rows(n_rows: int, n_drawn: int) -> Ints1d:
    """Draw rows, in order. Where a corpus grew by a tenth nine in ten of them are drawn again.

    Every row has a random number of its own, whatever the number of rows, and the smallest are drawn.
    """
    numbers = np.random.default_rng(0).random(n_rows)
    return np.sort(np.argpartition(numbers, n_drawn - 1)[:n_drawn]).astype(np.int32)


def main_directions(damped: sparse.csr_array, *, random_state: int = 0, progress: Progress = SILENT) -> MainDirections:
    """Find the main directions of the tf-idf rows; in a large corpus those of a sample stand for all."""
    (n_documents, n_terms), (rows, rarity) = damped.shape, _tf_idf(damped)
    sample = rows[drawn_rows(n_documents, _SAMPLE)] if n_documents > _SAMPLE else rows
    rank = min(MAIN_DIRECTIONS, min(sample.shape) - 1)
    if rank < 1:
        return MainDirections(np.zeros((n_documents, 1), np.float32), np.zeros((n_terms, 1), np.float32))
    found = largest_singular_vectors(
        sample, rank, power_iterations=_POWER_ITERATIONS, random_state=random_state, progress=progress
    )
    return _placed(rows, rarity, np.ascontiguousarray(found.right.T, dtype=np.float32))


def follow_directions(damped: sparse.csr_array, before: Floats2d) -> MainDirections:
    """Return the main directions of a corpus that grew, from those that its terms had (`before`).

    New terms stand behind the old ones. One step of subspace iteration: of all directions only what they span together
    is used, and that changes little when a corpus grows a little.
    """
    (n_documents, n_terms), (rows, rarity) = damped.shape, _tf_idf(damped)
    sample = rows[drawn_rows(n_documents, _SAMPLE)] if n_documents > _SAMPLE else rows
    start = np.zeros((n_terms, before.shape[1]), dtype=np.float32)
    start[: len(before)] = before / np.maximum(rarity[: len(before), None], _LEAST_RARITY)
    with one_blas_thread():
        terms, _ = linalg.qr(sample.T @ (sample @ start), mode="economic", check_finite=False)
    return _placed(rows, rarity, np.ascontiguousarray(terms, dtype=np.float32))


def _tf_idf(damped: sparse.csr_array) -> tuple[sparse.csr_array, Floats1d]:
    """Return the unit tf-idf rows of documents, and the rarity of each term in them."""
    n_documents, n_terms = damped.shape
    frequencies = np.bincount(damped.indices, minlength=n_terms)
    rarity = np.log(n_documents / np.maximum(frequencies, 1)).astype(np.float32)
    weights = damped.data * rarity[damped.indices]
    document = np.repeat(np.arange(n_documents), np.diff(damped.indptr))
    squares = np.bincount(document, weights=weights.astype(np.float64) ** 2, minlength=n_documents)
    weights /= np.sqrt(np.maximum(squares, 1e-12)).astype(np.float32)[document]
    return sparse.csr_array((weights, damped.indices, damped.indptr), shape=damped.shape), rarity


def _placed(rows: sparse.csr_array, rarity: Floats1d, terms: Floats2d) -> MainDirections:
    with one_blas_thread():
        documents = unit_rows(np.asarray(rows @ terms, dtype=np.float32))
    # A name is looked up among the terms as they stand in a tf-idf row.
    return MainDirections(read_only(documents), read_only(terms * rarity[:, None]))
