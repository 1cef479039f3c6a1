"""Section 4.3 of the paper as it stands on the page: plain loops over documents and terms, slow and easy to check.

A corpus is a list of documents, a document a list of term ids. Nothing here is shared with the package.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import numpy as np
from scipy import sparse


def cosine(first, second):
    dot = sum(float(a) * float(b) for a, b in zip(first, second, strict=True))
    lengths = math.sqrt(sum(float(a) ** 2 for a in first)) * math.sqrt(sum(float(b) ** 2 for b in second))
    return dot / lengths


def novelty(term_vector, topic_vectors, temperature):
    """Eq. novscore."""
    exponentials = [math.exp(cosine(term_vector, topic) / temperature) for topic in topic_vectors]
    return 1.0 - max(exponentials) / sum(exponentials)


def known_cluster(term_vector, topic_vectors):
    similarities = [cosine(term_vector, topic) for topic in topic_vectors]
    return similarities.index(max(similarities))


def tf(term, documents):
    return sum(document.count(term) for document in documents)


def df(term, documents):
    return sum(term in document for document in documents)


def idf(term, documents):
    return math.log(1.0 + len(documents) / df(term, documents))


def document_cluster(document, documents, term_clusters, n_clusters):
    """Eq. docassign; None for a document without any clustered term."""
    weights = [0.0] * n_clusters
    for term in sorted(set(document)):
        if term_clusters[term] is not None:
            weights[term_clusters[term]] += document.count(term) * idf(term, documents)
    return weights.index(max(weights)) if sum(weights) > 0.0 else None


def bm25(term, s, sub_corpora, terms):
    """CaseOLAP's relevance of a term to a sub-corpus, with k1 = 1.2, b = 0.5 and its factor of 3."""
    occurrences = tf(term, sub_corpora[s])
    if occurrences == 0:
        return 0.0
    lengths = [sum(tf(other, documents) for other in terms) for documents in sub_corpora]
    norm = 1.2 * (1.0 - 0.5 + 0.5 * lengths[s] / (sum(lengths) / len(lengths)))
    most = max(df(other, sub_corpora[s]) for other in terms)
    df_factor = math.log(1 + df(term, sub_corpora[s])) / math.log(1 + most)
    return 3.0 * occurrences * (1.2 + 1.0) / (occurrences + norm) * df_factor


def distinctiveness(term, s, sub_corpora, terms):
    scores = [bm25(term, other, sub_corpora, terms) for other in range(len(sub_corpora))]
    return math.exp(scores[s]) / (1.0 + sum(math.exp(score) for score in scores))


def popularity(term, s, sub_corpora, terms):
    return math.log(tf(term, sub_corpora[s]) + 1) / math.log(sum(tf(other, sub_corpora[s]) for other in terms))


def representativeness(term, s, sub_corpora, terms, integrity):
    """Eq. relrepscore, the second line."""
    product = integrity[term] * distinctiveness(term, s, sub_corpora, terms) * popularity(term, s, sub_corpora, terms)
    return product ** (1.0 / 3.0)


def significance(term, term_vector, directions, sub_corpora, terms, integrity):
    """Eq. sigscore."""
    return max(
        cosine(term_vector, directions[s]) * representativeness(term, s, sub_corpora, terms, integrity)
        for s in range(len(sub_corpora))
    )


def anchors(s, term_clusters, significances, threshold):
    """Eq. termassign: the terms kept for cluster `s`."""
    return {term for term, score in enumerate(significances) if term_clusters[term] == s and score >= threshold}


@dataclass(frozen=True)
class Planted:
    """A corpus with known topics: the terms of topic k lie around direction k and occur in its documents."""

    documents: list[list[int]]
    counts: sparse.csr_array
    vectors: np.ndarray
    directions: np.ndarray
    integrity: np.ndarray
    term_topics: list[int | None]

    @property
    def terms(self):
        return range(len(self.vectors))


def planted(*, n_topics=4, terms_per_topic=6, n_general=5, n_documents=60, dim=8, seed=0):
    """Plant topics whose terms gather around orthogonal directions, with general terms in every document."""
    draw = random.Random(seed)
    rng = np.random.default_rng(seed)
    n_terms = n_topics * terms_per_topic + n_general
    topics = [term // terms_per_topic if term < n_topics * terms_per_topic else None for term in range(n_terms)]
    directions = np.linalg.qr(rng.normal(size=(dim, dim)))[0][:n_topics].astype(np.float32)
    noise = rng.normal(size=(n_terms, dim)) / math.sqrt(dim)
    vectors = np.array(
        [noise[t] if topic is None else directions[topic] + 0.5 * noise[t] for t, topic in enumerate(topics)]
    )
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    documents = []
    for _ in range(n_documents):
        topic = draw.randrange(n_topics)
        own = [term for term in range(n_terms) if topics[term] == topic]
        weights = [8.0 if term in own else 2.0 if topics[term] is None else 0.5 for term in range(n_terms)]
        documents.append(draw.choices(range(n_terms), weights=weights, k=draw.randrange(5, 20)))
    counts = np.array([[document.count(term) for term in range(n_terms)] for document in documents], dtype=np.int32)
    return Planted(
        documents=documents,
        counts=sparse.csr_array(counts),
        vectors=vectors,
        directions=directions,
        integrity=rng.uniform(0.3, 1.0, n_terms).astype(np.float32),
        term_topics=topics,
    )
