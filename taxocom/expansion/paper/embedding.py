"""Directions for terms and documents: pre-trained once a project, then tuned to a node (Sec. 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from taxocom.numerics.arrays import Bools1d, Floats2d, Ints1d, read_only
from taxocom.numerics.blas import one_blas_thread
from taxocom.numerics.rarity import term_rarity
from taxocom.numerics.singular_vectors import largest_singular_vectors
from taxocom.numerics.sphere import unit_rows
from taxocom.numerics.training import (
    EmbeddingState,
    TrainingSettings,
    initial_state,
    topic_supervision,
    train,
)
from taxocom.progress import SILENT, Progress, Span
from taxocom.settings import EmbeddingSettings
from taxocom.text.corpus import Corpus

_POWER_ITERATIONS = 4
_WHITENING = 0.8


@dataclass(frozen=True)
class TermEmbedding:
    """Unit float32 vectors: `terms` and `contexts` (n_terms, dim), `documents` (n_documents, dim) of the whole corpus.

    `topics` (n_known, dim) are the directions of the known sub-topics that a local embedding was tuned to; a
    pre-trained one has none.
    """

    terms: Floats2d
    contexts: Floats2d
    documents: Floats2d
    vocabulary_fingerprint: str
    topics: Floats2d | None = None

    def __post_init__(self) -> None:
        for array in (self.terms, self.contexts, self.documents):
            read_only(array)

    @property
    def state(self) -> EmbeddingState:
        """The same vectors as the kernels take them."""
        return EmbeddingState(self.terms, self.contexts, self.documents)


def pretrain(
    corpus: Corpus,
    settings: EmbeddingSettings | None = None,
    *,
    random_state: int = 0,
    threads: int = 1,
    progress: Progress = SILENT,
) -> TermEmbedding:
    """Train term, context and document vectors on the whole corpus, once for all nodes."""
    settings = settings or EmbeddingSettings()
    n_terms = len(corpus.vocabulary)
    if settings.spectral_start:
        state = spectral_state(corpus.counts, settings.dim, random_state, progress=Span(progress, 0.0, 0.3))
        progress = Span(progress, 0.3, 1.0)
    else:
        state = initial_state(n_terms, corpus.n_documents, settings.dim, random_state)
    if settings.epochs > 0:
        state = train(
            corpus.tokens,
            corpus.offsets,
            state,
            counts=corpus.vocabulary.counts,
            settings=_training(settings, settings.epochs),
            random_state=random_state,
            threads=threads,
            reproducible=settings.reproducible,
            progress=progress,
        ).state
    return TermEmbedding(state.terms, state.contexts, state.documents, corpus.vocabulary.fingerprint)


def train_local(
    corpus: Corpus,
    embedding: TermEmbedding,
    documents: Ints1d,
    keywords: Sequence[Ints1d],
    settings: EmbeddingSettings,
    *,
    random_state: int = 0,
    threads: int = 1,
    progress: Progress = SILENT,
) -> TermEmbedding:
    """Tune `embedding` to a node: train on its local documents, pulling each known sub-topic's keywords together."""
    supervision = topic_supervision(list(keywords), embedding.terms)
    if settings.local_epochs == 0 or len(documents) == 0:
        return TermEmbedding(
            embedding.terms,
            embedding.contexts,
            embedding.documents,
            embedding.vocabulary_fingerprint,
            supervision.vectors,
        )
    tokens, offsets = _gather(corpus, documents)
    present = np.zeros(len(corpus.vocabulary), dtype=np.int64)
    np.add.at(present, tokens, 1)
    result = train(
        tokens,
        offsets,
        EmbeddingState(embedding.terms, embedding.contexts, embedding.documents[documents]),
        counts=present,
        settings=_training(settings, settings.local_epochs),
        random_state=random_state,
        topics=supervision if settings.discriminative and keywords else None,
        active_terms=present > 0,
        threads=threads,
        reproducible=settings.reproducible,
        progress=progress,
    )
    vectors = embedding.documents.copy()
    vectors[documents] = result.state.documents
    topics = result.topic_vectors if settings.discriminative and keywords else supervision.vectors
    return TermEmbedding(result.state.terms, result.state.contexts, vectors, embedding.vocabulary_fingerprint, topics)


def _gather(corpus: Corpus, documents: Ints1d) -> tuple[Ints1d, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Copy the tokens of some documents out of the memory-mapped corpus, in CSR form."""
    starts, stops = corpus.offsets[documents], corpus.offsets[documents + 1]
    offsets = np.concatenate([[0], np.cumsum(stops - starts)]).astype(np.int64)
    tokens = np.empty(int(offsets[-1]), dtype=np.int32)
    for row, (start, stop) in enumerate(zip(starts, stops, strict=True)):
        tokens[offsets[row] : offsets[row + 1]] = corpus.tokens[start:stop]
    return tokens, offsets


def _training(settings: EmbeddingSettings, epochs: int) -> TrainingSettings:
    training = TrainingSettings(
        epochs=epochs,
        window=settings.window,
        negatives=settings.negatives,
        margin=settings.margin,
        step=settings.step,
        keywords_grown=settings.keywords_grown,
    )
    return training.to_the_letter() if settings.paper_objective else training


def tf_idf(counts: sparse.csr_array) -> sparse.csr_array:
    """Weigh a document-term matrix by (1 + ln tf) · ln((1 + n) / (1 + df)), rows of unit length."""
    n_documents, n_terms = counts.shape
    document_frequencies = np.bincount(counts.indices, minlength=n_terms)
    inverse = term_rarity(document_frequencies, n_documents)
    data = (1.0 + np.log(counts.data.astype(np.float32))) * inverse[counts.indices]
    lengths = np.sqrt(np.add.reduceat(np.append(data**2, 0.0), np.minimum(counts.indptr[:-1], len(data))))
    lengths[np.diff(counts.indptr) == 0] = 1.0
    data /= np.repeat(np.maximum(lengths, 1e-12), np.diff(counts.indptr)).astype(np.float32)
    return sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)


def spectral_state(
    counts: sparse.csr_array, dim: int, random_state: int, *, progress: Progress = SILENT
) -> EmbeddingState:
    """Start at the singular vectors of the tf-idf matrix, the first (what all documents share) left out.

    Rows that the decomposition says nothing about get a random direction, since a vector on the sphere cannot be zero.
    """
    weighted = tf_idf(counts)
    rank = min(dim + 1, min(weighted.shape) - 1)
    found = largest_singular_vectors(
        weighted, rank, power_iterations=_POWER_ITERATIONS, random_state=random_state, progress=progress
    )
    scale = np.sqrt(found.values[1:])
    rng = np.random.default_rng(random_state)
    tables = [_without_zeros(rows * scale, dim, rng) for rows in (found.right[1:].T, found.left[:, 1:])]
    return EmbeddingState(tables[0], tables[0].copy(), tables[1])


def _without_zeros(
    rows: np.ndarray[tuple[int, ...], np.dtype[np.floating]], dim: int, rng: np.random.Generator
) -> Floats2d:
    table = np.zeros((rows.shape[0], dim), dtype=np.float32)
    table[:, : rows.shape[1]] = rows
    empty = np.linalg.norm(table, axis=1) < 1e-6
    table[empty] = rng.standard_normal((int(empty.sum()), dim), dtype=np.float32)
    return unit_rows(table)


@dataclass(frozen=True)
class DocumentDirections:
    """Unit directions of documents, made from their terms, in a space centred and evened out over them.

    `project` brings term vectors into the same space. Without the evening-out a few directions that all terms share
    decide every cosine: on 20 Newsgroups it lifts the purity of forty document clusters from 0.51 to 0.67.
    """

    vectors: Floats2d
    mean: Floats2d
    transform: Floats2d

    def project(self, vectors: Floats2d) -> Floats2d:
        """Return the unit directions of term vectors in this space."""
        with one_blas_thread():
            return unit_rows((vectors - self.mean) @ self.transform)


def document_directions(counts: sparse.csr_array, terms: Floats2d) -> DocumentDirections:
    """Give every document the tf-idf mean of its terms' vectors, centred and whitened over these documents."""
    with one_blas_thread():
        means = np.asarray(tf_idf(counts) @ terms, dtype=np.float32)
        center = means.mean(axis=0, dtype=np.float64).astype(np.float32)
        rows = means - center
        values, axes = np.linalg.eigh((rows.T @ rows).astype(np.float64) / max(len(rows), 1))
        keep = values > values.max(initial=0.0) * 1e-7
        scales = np.zeros_like(values)
        scales[keep] = values[keep] ** (-_WHITENING / 2.0)
        transform = (axes * scales).astype(np.float32)
        return DocumentDirections(unit_rows(rows @ transform), center, transform)


def rows_with_terms(counts: sparse.csr_array) -> Bools1d:
    """Tell which documents have any term at all."""
    return np.diff(counts.indptr) > 0
