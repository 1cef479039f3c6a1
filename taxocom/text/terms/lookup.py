"""Terms near a name: by spelling, and by the documents they occur in. For a name that the corpus does not have."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

import numpy as np
from scipy import sparse

from taxocom.numerics.arrays import Floats2d, Ints1d
from taxocom.numerics.rarity import term_rarity
from taxocom.text.language.languages import ENGLISH
from taxocom.text.language.tokens import words_of
from taxocom.text.terms.seed_phrases import phrase_forms
from taxocom.text.terms.vocabulary import PHRASE_JOINER, Vocabulary, join_words

# How many candidates that share the most letter triples are compared letter by letter.
_SHORT_LIST = 200
_SAMPLE_DOCUMENTS = 20_000
_ITERATIONS = 2


@dataclass(frozen=True)
class NearTerm:
    """A term near what was looked for: how near, 1 being the same, and in how many documents it occurs."""

    term: str
    similarity: float
    document_frequency: int


class SpellingIndex:
    """The terms of a vocabulary by their letter triples: made once, asked in milliseconds."""

    def __init__(self, terms: tuple[str, ...]) -> None:
        self._terms = terms
        self._sizes = np.zeros(len(terms), dtype=np.int32)
        postings: defaultdict[str, list[int]] = defaultdict(list)
        for term_id, term in enumerate(terms):
            triples = _triples(term)
            self._sizes[term_id] = len(triples)
            for triple in triples:
                postings[triple].append(term_id)
        self._postings = postings

    def nearest(self, name: str, n: int = 5, *, language: str = ENGLISH) -> dict[int, float]:
        """Return the ids of the terms spelled most like a name and how like they are, best first."""
        words = tuple(words_of(name))
        wanted = join_words(words)
        if not wanted or n < 1:
            return {}
        forms = {join_words(form) for form in phrase_forms(words, language)}
        shared = Counter(term_id for triple in _triples(wanted) for term_id in self._postings.get(triple, ()))
        overlap = ((2 * count / (len(wanted) + int(self._sizes[i]) + 2), i) for i, count in shared.items())
        short_list = sorted(overlap, key=lambda item: (-item[0], item[1]))[:_SHORT_LIST]
        scored = [(self._similarity(wanted, forms, term_id), term_id) for _, term_id in short_list]
        scored.sort(key=lambda item: (-item[0], item[1]))
        return {term_id: score for score, term_id in scored[:n]}

    def _similarity(self, wanted: str, forms: set[str], term_id: int) -> float:
        term = self._terms[term_id]
        if term in forms:
            return 1.0
        ratio = SequenceMatcher(None, wanted, term, autojunk=False).ratio()
        # "rings" and "commutative rings": a shared word says more than shared letters.
        parts, others = set(wanted.split(PHRASE_JOINER)), set(term.split(PHRASE_JOINER))
        return max(ratio, 0.9 * 2 * len(parts & others) / (len(parts) + len(others)))


def nearest_by_spelling(name: str, vocabulary: Vocabulary, n: int = 5) -> list[NearTerm]:
    """Return the terms spelled most like a name, best first; a form of it in another number counts as the same."""
    found = _spelling_index(vocabulary.terms).nearest(name, n, language=vocabulary.language)
    return [NearTerm(vocabulary.terms[i], score, int(vocabulary.document_frequencies[i])) for i, score in found.items()]


@lru_cache(maxsize=2)
def _spelling_index(terms: tuple[str, ...]) -> SpellingIndex:
    return SpellingIndex(terms)


def _triples(term: str) -> set[str]:
    padded = f" {term} "
    return {padded[i : i + 3] for i in range(len(padded) - 2)}


def quick_term_vectors(counts: sparse.csr_array, *, dim: int = 64, seed: int = 0) -> Floats2d:
    """Return unit vectors of terms, shape (n_terms, dim), near when the terms share documents.

    Latent semantic analysis of log-damped counts weighted by rarity, by subspace iteration on a sample of the
    documents: a second or two where training takes a minute, good enough to suggest, not to split topics by. A term
    that the sample lacks gets the mean of its documents; one of no document has a zero vector.
    """
    rng = np.random.default_rng(seed)
    weighted = _weighted(counts)
    n_documents, n_terms = weighted.shape
    sample = weighted
    if n_documents > _SAMPLE_DOCUMENTS:
        sample = weighted[np.sort(rng.choice(n_documents, _SAMPLE_DOCUMENTS, replace=False))]
    rank = min(dim, *sample.shape)
    documents = sample @ rng.standard_normal((n_terms, rank), dtype=np.float32)
    for _ in range(_ITERATIONS):
        documents = sample @ (sample.T @ _orthonormal(documents))
    vectors = np.zeros((n_terms, dim), dtype=np.float32)
    vectors[:, :rank] = _unit(sample.T @ _orthonormal(documents))
    unseen = np.flatnonzero(np.bincount(sample.indices, minlength=n_terms) == 0)
    if len(unseen) and sample is not weighted:
        columns = weighted[:, unseen]
        holding = np.flatnonzero(np.diff(columns.indptr))
        vectors[unseen] = _unit(columns[holding].T @ _unit(weighted[holding] @ vectors))
    return vectors


def _weighted(counts: sparse.csr_array) -> sparse.csr_array:
    n_documents, n_terms = counts.shape
    frequencies = np.bincount(counts.indices, minlength=n_terms)
    rarity = term_rarity(frequencies, n_documents)
    data = np.log1p(counts.data).astype(np.float32) * rarity[counts.indices]
    return sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)


def _orthonormal(columns: Floats2d) -> Floats2d:
    # By the small Gram matrix: many times quicker than a QR of tall columns, and near enough for suggestions.
    strengths, turn = np.linalg.eigh((columns.T @ columns).astype(np.float64))
    usable = strengths > 1e-7 * strengths[-1]
    scale = np.where(usable, 1.0 / np.sqrt(np.where(usable, strengths, 1.0)), 0.0)
    return np.asarray(columns @ (turn * scale).astype(np.float32))


def _unit(rows: Floats2d) -> Floats2d:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 1e-12, lengths, 1.0), dtype=np.float32)


def nearest_by_vector(
    ids: Sequence[int] | Ints1d, vectors: Floats2d, vocabulary: Vocabulary, n: int = 5
) -> list[NearTerm]:
    """Return the terms nearest the mean of some terms (the words of a name, say), those themselves left out."""
    own = np.asarray(ids, dtype=np.int64)
    if not len(own):
        return []
    center = vectors[own].sum(axis=0)
    similarities = vectors @ (center / max(float(np.linalg.norm(center)), 1e-12))
    similarities[own] = -np.inf
    best = np.argsort(-similarities, kind="stable")[:n]
    return [
        NearTerm(vocabulary.terms[i], float(similarities[i]), int(vocabulary.document_frequencies[i]))
        for i in best
        if np.isfinite(similarities[i])
    ]
