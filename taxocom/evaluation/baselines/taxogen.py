"""TaxoGen (Zhang et al. 2018): recursive clustering of terms in local skip-gram spaces, general terms pushed up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from taxocom.evaluation.baselines.common import (
    Growing,
    assign_by_weight,
    document_vectors,
    nameable,
    skip_gram,
    tf_idf,
)
from taxocom.evaluation.systems import SystemResult
from taxocom.numerics.arrays import Doubles, Floats2d, Ints1d, Offsets
from taxocom.numerics.spherical_kmeans import spherical_kmeans
from taxocom.progress import Progress, Span
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.text.corpus import Corpus


@dataclass(frozen=True)
class TermClusters:
    """Clusters of one node: term ids of each, best first; the cluster of each document, -1 for none; and centres."""

    terms: tuple[Ints1d, ...]
    documents: Ints1d
    centers: Floats2d


@dataclass(frozen=True)
class TaxoGen:
    """Unsupervised: the tree is built from the corpus alone.

    At each node its terms are clustered into five by spherical k-means; terms whose representativeness is below 0.25
    are pushed up and the rest clustered again, until none is. A cluster's own documents (and the nearest others, if
    they are fewer than `min_local`) train the skip-gram space in which it is split further. Terms are those that may
    name a topic, in the place of the paper's noun phrases.
    """

    n_children: int = 5
    levels: int = 2
    threshold: float = 0.25
    max_rounds: int = 10
    min_local: int = 500
    dim: int = 100
    name: str = "TaxoGen"
    note: str = "terms that may name a topic, in the place of noun phrases; five children at each node, as in its paper"

    def run(self, corpus: Corpus, seed: Taxonomy, *, random_state: int, progress: Progress) -> SystemResult:
        """Build the tree level by level; the seed is not used."""
        del seed
        progress.report("TaxoGen: skip-gram", 0.0)
        weights = tf_idf(corpus)
        vectors = skip_gram(corpus, random_state=random_state, dim=self.dim)
        growing = Growing.bare("taxogen")
        nodes = np.full(corpus.n_documents, ROOT_ID, dtype=object)
        everything = np.arange(corpus.n_documents, dtype=np.int64)
        self._split(
            _Node(ROOT_ID, nameable(corpus), everything, vectors, 1),
            _Run(corpus, weights, growing, nodes, random_state),
            Span(progress, 0.3, 1.0),
        )
        return SystemResult(growing.tree, list(nodes), growing.top_terms, growing.suggestions(), seeded=False)

    def _split(self, node: _Node, run: _Run, progress: Progress) -> None:
        """Cluster a node's terms, add a child for each cluster, and go down."""
        found = self._cluster(node, run)
        if found is None:
            return
        for k, terms in enumerate(found.terms):
            span = Span(progress, k / len(found.terms), (k + 1) / len(found.terms))
            span.report("TaxoGen: clustering", 0.0)
            rows = node.rows[found.documents == k]
            if len(terms) == 0 or len(rows) == 0:
                continue
            child = run.growing.add_novel(f"{node.node_id}/{k}", run.corpus.vocabulary.select(terms), node.node_id)
            run.nodes[rows] = child
            if node.level < self.levels:
                local = self._local_rows(run, node, rows, found.centers[k])
                vectors = skip_gram(run.corpus, random_state=run.random_state, rows=local, dim=self.dim)
                self._split(_Node(child, terms, rows, vectors, node.level + 1), run, span)

    def _local_rows(self, run: _Run, node: _Node, rows: Offsets, center: Floats2d) -> Offsets:
        """Return the cluster's documents, filled up with the nearest others of the node where they are few."""
        if len(rows) >= self.min_local or len(rows) == len(node.rows):
            return rows
        closeness = document_vectors(sparse.csr_array(run.weights[node.rows]), node.vectors) @ center
        nearest = node.rows[np.argsort(-closeness, kind="stable")]
        others = nearest[~np.isin(nearest, rows)][: self.min_local - len(rows)]
        return np.sort(np.concatenate([rows, others]))

    def _cluster(self, node: _Node, run: _Run) -> TermClusters | None:
        """Cluster adaptively: while some term is not representative of its cluster, push it up and start again."""
        weights = sparse.csr_array(run.weights[node.rows])
        counts = sparse.csr_array(run.corpus.counts[node.rows])
        present = np.asarray(counts.sum(axis=0)).ravel() > 0
        terms = node.terms[present[node.terms]]
        found = None
        for _ in range(self.max_rounds):
            if len(terms) <= self.n_children:
                return found
            clusters = spherical_kmeans(node.vectors[terms], self.n_children, random_state=run.random_state)
            groups = [terms[clusters.labels == k] for k in range(self.n_children)]
            documents = assign_by_weight(weights, groups)
            scores = representativeness(counts, documents, self.n_children)
            own = scores[clusters.labels, terms]
            order = np.argsort(-own, kind="stable")
            ranked = [terms[order][(clusters.labels == k)[order]] for k in range(self.n_children)]
            found = TermClusters(tuple(ranked), documents, clusters.centers)
            kept = terms[own >= self.threshold]
            if len(kept) == len(terms):
                break
            terms = kept
        return found


@dataclass(frozen=True)
class _Node:
    node_id: str
    terms: Ints1d
    rows: Offsets
    vectors: Floats2d
    level: int


@dataclass(frozen=True)
class _Run:
    corpus: Corpus
    weights: sparse.csr_array
    growing: Growing
    nodes: np.ndarray
    random_state: int


def representativeness(counts: sparse.csr_array, documents: Ints1d, n_clusters: int) -> Doubles:
    """Return TaxoGen's score of each term for each cluster of documents, shape (n_clusters, n_terms), in [0, 1].

    The geometric mean of popularity, `log(tf + 1) / log(words)` in the cluster, and concentration, the softmax of BM25
    over the clusters with 1 added to the sum. BM25 (k 1.2, b 0.5, three times, scaled by how widely the term occurs) is
    that of the authors' code.
    """
    kept = documents >= 0
    member = sparse.csr_array(
        (np.ones(int(kept.sum())), (documents[kept], np.flatnonzero(kept))), shape=(n_clusters, len(documents))
    )
    tf = np.asarray((member @ counts).toarray(), dtype=np.float64)
    df = np.asarray((member @ (counts > 0).astype(np.float64)).toarray(), dtype=np.float64)
    words = tf.sum(axis=1, keepdims=True)
    popularity = np.log1p(tf) / np.log(np.maximum(words, 2.0))
    length = 1.2 * (0.5 + 0.5 * words / max(words.mean(), 1.0))
    spread = np.log2(1.0 + df) / np.log2(1.0 + np.maximum(df.max(axis=1, keepdims=True), 1.0))
    relevance = np.exp(3.0 * spread * tf * 2.2 / (tf + length))
    return np.asarray(np.sqrt(popularity * relevance / (1.0 + relevance.sum(axis=0))))
