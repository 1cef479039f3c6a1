"""What the names of topics say of documents: mentions in the words of the text, and likeness in meaning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from taxocom.numerics.arrays import Bools1d, Floats2d, Ints1d
from taxocom.numerics.blas import one_blas_thread
from taxocom.numerics.sphere import unit_rows
from taxocom.settings import TaggingSettings
from taxocom.tagging.lexicon import name_vectors
from taxocom.tagging.witnesses import Witnesses
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.text.language.tokens import words_of
from taxocom.text.terms.seed_phrases import phrase_forms
from taxocom.text.terms.vocabulary import Vocabulary, join_words

_OF_THE_TOPIC_ABOVE = 0.3
"""How much saying the name of the topic above counts for a topic: "science" is said of space and of medicine."""


@dataclass(frozen=True)
class TopicClass:
    """One answer that the tagger can give: a topic, and the child of the node asked about that it lies in or is."""

    node_id: str
    branch: int


def classes_under(tree: Taxonomy, node_id: str, with_documents: frozenset[str] = frozenset()) -> list[TopicClass]:
    """Return the answers to "where does this document belong?" at a node, in the order of the tree.

    These are the leaves. A topic with sub-topics is an answer of its own only where it must be: if it has a single
    sub-topic, or if a person left documents at it (`with_documents`); otherwise it would draw what its sub-topics
    share (dbpedia: 0.88 of the documents at the right leaf without, 0.76 with such answers for all).
    """
    found = []
    for branch, child in enumerate(tree.children_of(node_id)):
        for topic in tree.subtree_of(child.node_id):
            below = tree.children_of(topic.node_id)
            if len(below) < 2 or topic.node_id in with_documents:
                found.append(TopicClass(topic.node_id, branch))
    return found


def names_of(topic: TopicNode) -> list[str]:
    """Return what a person calls a topic: its name, other names and keywords."""
    return [topic.label, *topic.alt_labels, *topic.keywords]


@dataclass(frozen=True, eq=False)
class TopicNames:
    """What is looked for in a document as a sign of each topic's names.

    `weights` (n_terms, n_topics) is what a mention of a term counts, `places` (n_topics, n_directions) where the names
    lie in the main directions, `vectors` (n_topics, dim) where they lie in the lexicon, None without one.
    """

    weights: sparse.csr_array
    places: Floats2d
    vectors: Floats2d | None
    lexicon_weight: float

    def evidence(self, witnesses: Witnesses) -> Floats2d:
        """Return how much the names of each topic speak for each document, shape (n_documents, n_topics).

        That is log(1 + mentions), the cosine with the name in the main directions of the corpus, and
        `lexicon_weight` times the cosine in the lexicon.
        """
        damped = witnesses.damped
        counts = sparse.csr_array((np.expm1(damped.data), damped.indices, damped.indptr), shape=damped.shape)
        evidence = np.log1p((counts @ self.weights).toarray()).astype(np.float32)
        if len(self.places):
            with one_blas_thread():
                evidence += witnesses.directions.documents @ self.places.T
        if self.vectors is not None and witnesses.meanings is not None:
            evidence += self.lexicon_weight * witnesses.meanings.cosines(self.vectors)
        return np.asarray(evidence, dtype=np.float32)


def topic_names(
    witnesses: Witnesses,
    vocabulary: Vocabulary,
    tree: Taxonomy,
    topics: Sequence[str],
    settings: TaggingSettings | None = None,
) -> TopicNames:
    """Look the names of topics up among the terms of a corpus, in its main directions and in the lexicon."""
    settings = settings or TaggingSettings()
    own = [name_terms(vocabulary, names_of(tree[topic])) for topic in topics]
    above = [name_terms(vocabulary, [tree[each].label for each in _above(tree, topic)]) for topic in topics]
    directions = witnesses.directions.terms
    places = np.zeros((0, directions.shape[1]), dtype=np.float32)
    if topics:
        places = unit_rows(np.stack([directions[ids].sum(axis=0) for ids in own]))
    vectors = None
    if settings.lexicon and witnesses.lexicon is not None and witnesses.meanings is not None:
        vectors = name_vectors(witnesses.lexicon, [_as_text(tree, topic) for topic in topics])
    return TopicNames(_weights(own, above, len(vocabulary)), places, vectors, settings.lexicon_weight)


def name_evidence(
    witnesses: Witnesses,
    vocabulary: Vocabulary,
    tree: Taxonomy,
    topics: Sequence[str],
    settings: TaggingSettings | None = None,
) -> Floats2d:
    """Return how much the names of each topic speak for each document, shape (n_documents, n_topics)."""
    return topic_names(witnesses, vocabulary, tree, topics, settings).evidence(witnesses)


def says_a_name(witnesses: Witnesses, vocabulary: Vocabulary, names: Iterable[str]) -> Bools1d:
    """Tell for every document whether it says one of the names."""
    ids = name_terms(vocabulary, names)
    return np.asarray(witnesses.damped[:, ids].sum(axis=1) > 0).ravel()


def name_terms(vocabulary: Vocabulary, names: Iterable[str]) -> Ints1d:
    """Return the terms that are one of the names, or a phrase around it, in singular and plural."""
    language = vocabulary.language
    forms = (join_words(form) for name in names for form in phrase_forms(tuple(words_of(name)), language) if form)
    return np.array(sorted({term for form in forms for term in vocabulary.containing(form)}), dtype=np.int32)


def _above(tree: Taxonomy, node_id: str) -> list[str]:
    return [above for above in tree.ancestors_of(node_id) if above != ROOT_ID]


def _as_text(tree: Taxonomy, node_id: str) -> str:
    """Return a topic as a short text for the lexicon: "mercury" alone is a metal, a planet and a singer."""
    return " ".join([*names_of(tree[node_id]), *(tree[above].label for above in _above(tree, node_id))])


def _weights(own: Sequence[Ints1d], above: Sequence[Ints1d], n_terms: int) -> sparse.csr_array:
    """Return what a mention of each term counts for each topic, shape (n_terms, n_topics)."""
    terms, topics = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    values = [np.zeros(0, np.float32)]
    for topic, (names, names_above) in enumerate(zip(own, above, strict=True)):
        others = np.setdiff1d(names_above, names)
        terms += [others, names]
        topics.append(np.full(len(others) + len(names), topic, dtype=np.int32))
        values.append(np.repeat(np.array([_OF_THE_TOPIC_ABOVE, 1.0], np.float32), [len(others), len(names)]))
    places = np.concatenate(terms), np.concatenate(topics)
    return sparse.coo_array((np.concatenate(values), places), shape=(n_terms, len(own))).tocsr()
