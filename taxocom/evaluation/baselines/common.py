"""What several baselines share: lazy imports, skip-gram vectors, weights of terms, trees of novel nodes."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from taxocom.errors import InputError
from taxocom.evaluation.coherence import N_TOP_TERMS
from taxocom.numerics.arrays import Doubles, Floats2d, Ints1d, Offsets, read_only
from taxocom.numerics.sphere import unit_rows
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode, topic_id
from taxocom.text.corpus import Corpus
from taxocom.text.language.word_forms import number_forms
from taxocom.text.terms.vocabulary import display, normal_term

N_SUGGESTIONS = 5


def library(name: str) -> Any:
    """Import a library of the evaluation, or say how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(
            f"This system needs the library {name.split('.')[0]!r}, which is not installed ({error}). Install "
            "what requirements-eval.lock names: pip install --require-hashes --no-deps -r requirements-eval.lock"
        ) from error


@dataclass(frozen=True)
class Sentences:
    """The documents of a corpus, or some of them, as lists of terms; may be read again and again."""

    corpus: Corpus
    rows: Offsets | None = None

    def __iter__(self) -> Iterator[list[str]]:
        rows = range(self.corpus.n_documents) if self.rows is None else self.rows
        for row in rows:
            yield self.corpus.vocabulary.select(self.corpus.terms_of(int(row)))


_WORDS_TO_TRAIN = 3_000_000
_KEPT_SPACES = 2
_spaces: dict[tuple[str, int, int], Floats2d] = {}


def skip_gram(
    corpus: Corpus, *, random_state: int, rows: Offsets | None = None, dim: int = 100, reuse: bool = False
) -> Floats2d:
    """Train gensim's skip-gram and return a unit vector for each term, zeros for terms that do not occur.

    Two negatives for each pair, as the paper sets for every embedding; 5 to 15 epochs, more for less text; one worker,
    so that the random state decides. The spaces of whole corpora last trained are kept for those who may `reuse` them:
    the downstream classifier, whose time is not measured. A system trains its own, so that its seconds are its own.
    """
    key = (corpus.fingerprint, dim, random_state)
    if reuse and rows is None and key in _spaces:
        return _spaces[key]
    n_words = int(corpus.n_tokens if rows is None else np.diff(corpus.offsets)[rows].sum())
    model = library("gensim.models").Word2Vec(
        sentences=Sentences(corpus, rows),
        vector_size=dim,
        window=5,
        sg=1,
        negative=2,
        min_count=1,
        epochs=int(np.clip(_WORDS_TO_TRAIN // max(n_words, 1), 5, 15)),
        seed=random_state,
        workers=1,
    )
    vectors = np.zeros((len(corpus.vocabulary), dim), dtype=np.float32)
    ids = corpus.vocabulary.ids_of(model.wv.index_to_key)
    vectors[ids] = model.wv.vectors
    space = read_only(unit_rows(vectors))
    if rows is None:
        _spaces.pop(key, None)
        while len(_spaces) >= _KEPT_SPACES:
            del _spaces[next(iter(_spaces))]
        _spaces[key] = space
    return space


def tf_idf(corpus: Corpus) -> sparse.csr_array:
    """Return tf · log(N / df) with rows of length 1, shape (n_documents, n_terms)."""
    frequency = np.maximum(np.asarray(corpus.vocabulary.document_frequencies, dtype=np.float64), 1.0)
    weights = np.log(max(corpus.n_documents, 1) / frequency)
    weighted = sparse.csr_array(corpus.counts.astype(np.float64).multiply(weights[None, :]))
    lengths = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return sparse.csr_array(weighted.multiply(scale[:, None]))


def document_vectors(weights: sparse.csr_array, vectors: Floats2d) -> Floats2d:
    """Return each document as the direction of its weighted terms, shape (n_documents, dim)."""
    return unit_rows(np.asarray(weights @ vectors, dtype=np.float32))


def name_ids(corpus: Corpus, node: TopicNode) -> Ints1d:
    """Return the ids of the terms that a topic of the seed is known by.

    Its center term, its name (in singular or plural) and its keywords; only if none of these is in the vocabulary, the
    single words of its name.
    """
    vocabulary = corpus.vocabulary
    name = normal_term(node.label)
    head, _, last = name.rpartition("_")
    forms = [f"{head}_{form}" if head else form for form in number_forms(last, vocabulary.language)]
    listed = [node.center_term, name, *forms, *(normal_term(keyword) for keyword in node.keywords)]
    found = vocabulary.ids_of(term for term in listed if term)
    ids = found if len(found) > 0 else vocabulary.ids_of(name.split("_"))
    # Two spellings may be one term of the vocabulary.
    return np.array(list(dict.fromkeys(ids.tolist())), dtype=np.int32)


def nameable(corpus: Corpus, *, min_documents: int = 5, limit: int = 10_000) -> Ints1d:
    """Return the ids of the most frequent terms that may name a topic, at most `limit`."""
    vocabulary = corpus.vocabulary
    allowed = vocabulary.may_name & (vocabulary.document_frequencies >= min_documents)
    return np.flatnonzero(allowed)[:limit].astype(np.int32)


def assign_by_weight(weights: sparse.csr_array, groups: Sequence[Ints1d]) -> Ints1d:
    """Return, for each document, the group of terms that it gives most weight to, -1 if none of them occurs."""
    mass = np.stack([np.asarray(weights[:, group].sum(axis=1)).ravel() for group in groups], axis=1)
    return np.where(mass.max(axis=1) > 0, mass.argmax(axis=1), -1).astype(np.int32)


@dataclass
class Growing:
    """A tree under construction, with the terms of each node; what a baseline's result is made from."""

    system: str
    tree: Taxonomy
    top_terms: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def bare(cls, system: str) -> Growing:
        """Start from a root alone."""
        return cls(system, Taxonomy.empty())

    def add_novel(self, key: str, terms: Sequence[str], parent: str = ROOT_ID, *, label: str | None = None) -> str:
        """Add a novel topic with these terms, best first, and return its id; the first term names it."""
        node_id = topic_id(self.system, key)
        name = label or (display(terms[0]) if terms else key)
        center = terms[0] if terms else ""
        self.tree = self.tree.with_topic(TopicNode(node_id, name, center_term=center, origin="novel"), parent)
        self.top_terms[node_id] = list(terms[:N_TOP_TERMS])
        return node_id

    def suggestions(self) -> Mapping[str, Sequence[str]]:
        """Return the first terms of every node as its suggested names."""
        return {node_id: [display(term) for term in terms[:N_SUGGESTIONS]] for node_id, terms in self.top_terms.items()}


def class_terms(counts: sparse.csr_array, groups: Ints1d, n_groups: int) -> Doubles:
    """Return BERTopic's c-TF-IDF, shape (n_groups, n_terms): how typical a term is of the documents of a group."""
    member = sparse.csr_array(
        (np.ones(int((groups >= 0).sum())), (groups[groups >= 0], np.flatnonzero(groups >= 0))),
        shape=(n_groups, len(groups)),
    )
    frequency = np.asarray((member @ counts).toarray(), dtype=np.float64)
    words = frequency.sum(axis=1, keepdims=True)
    total = frequency.sum(axis=0)
    rarity = np.log1p(np.divide(words.mean(), total, out=np.zeros_like(total), where=total > 0))
    return np.asarray(np.divide(frequency, words, out=np.zeros_like(frequency), where=words > 0) * rarity)
