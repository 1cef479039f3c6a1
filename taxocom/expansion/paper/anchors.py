"""Which terms of a cluster stand for it: relevance in the embedding times representativeness in its documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from taxocom.numerics.arrays import Bools1d, Doubles, Floats1d, Floats2d, Ints1d
from taxocom.numerics.blas import one_blas_thread
from taxocom.numerics.sphere import cosines

SATURATION = 1.2
"""BM25's k1: how soon more occurrences of a term stop counting."""
LENGTH_INFLUENCE = 0.5
"""BM25's b: how far a large sub-corpus discounts its counts."""
SHARPNESS = 3.0
"""CaseOLAP's factor on BM25, without which the softmax over siblings is nearly flat."""


@dataclass(frozen=True)
class ClusterStatistics:
    """How often each term occurs in the documents of each cluster.

    `occurrences` tf(t, D_s) and `document_frequencies` df(t, D_s) are (n_terms, n_clusters); `lengths` are all
    occurrences in a cluster's documents and `n_documents` their number, (n_clusters,). With soft membership all of
    them are weighted by it.
    """

    occurrences: Doubles
    document_frequencies: Doubles
    lengths: Doubles
    n_documents: Doubles


@dataclass(frozen=True)
class TermAnchorScores:
    """The scores of each term for one cluster of its own, all of shape (n_terms,)."""

    relevance: Floats1d
    distinctiveness: Floats1d
    popularity: Floats1d
    representativeness: Floats1d
    significance: Floats1d


@dataclass(frozen=True)
class AnchorScores:
    """The scores of every term for every cluster, (n_terms, n_clusters), and what follows for each term.

    `significance` is the largest of a term's `significances` and `best_cluster` where it is, both (n_terms,);
    `integrity` belongs to the term alone.
    """

    integrity: Floats1d
    relevance: Floats2d
    distinctiveness: Floats2d
    popularity: Floats2d
    representativeness: Floats2d
    significances: Floats2d
    significance: Floats1d
    best_cluster: Ints1d

    def own(self, term_clusters: Ints1d) -> TermAnchorScores:
        """Return each term's scores for the cluster it is in; a term in none is seen in its best cluster."""
        columns = np.where(term_clusters >= 0, term_clusters, self.best_cluster)[:, None]

        def pick(scores: Floats2d) -> Floats1d:
            if not scores.shape[1]:
                return np.zeros(len(scores), dtype=np.float32)
            return np.take_along_axis(scores, columns, axis=1)[:, 0]

        return TermAnchorScores(
            relevance=pick(self.relevance),
            distinctiveness=pick(self.distinctiveness),
            popularity=pick(self.popularity),
            representativeness=pick(self.representativeness),
            significance=pick(self.significances),
        )


def term_statistics(
    counts: sparse.csr_array, document_clusters: npt.NDArray[np.integer] | Doubles, n_clusters: int
) -> ClusterStatistics:
    """Count terms in the sub-corpus of each cluster.

    `counts` are documents × terms. `document_clusters` is either one cluster a document, (n_documents,), negative for
    none; or a membership matrix (n_documents, n_clusters) of weights in [0, 1].
    """
    if document_clusters.ndim == 2:
        return _soft_statistics(counts, np.asarray(document_clusters, dtype=np.float64))
    n_terms = counts.shape[1]
    clusters = np.asarray(document_clusters, dtype=np.int64)
    owners = np.repeat(clusters, np.diff(counts.indptr))
    kept = (owners >= 0) & (counts.data > 0)
    cells = counts.indices[kept].astype(np.int64) * n_clusters + owners[kept]
    n_cells = n_terms * n_clusters
    shape = (n_terms, n_clusters)
    tf = np.bincount(cells, weights=counts.data[kept], minlength=n_cells).reshape(shape)
    df = np.bincount(cells, minlength=n_cells).reshape(shape)
    n_documents = np.bincount(clusters[clusters >= 0], minlength=n_clusters).astype(np.float64)
    return ClusterStatistics(
        tf.astype(np.float64), df.astype(np.float64), tf.sum(axis=0, dtype=np.float64), n_documents
    )


def _soft_statistics(counts: sparse.csr_array, membership: Doubles) -> ClusterStatistics:
    occurs = counts.astype(np.float64)
    occurrences = np.asarray(occurs.T @ membership)
    occurs.data = (occurs.data > 0).astype(np.float64)
    frequencies = np.asarray(occurs.T @ membership)
    return ClusterStatistics(occurrences, frequencies, occurrences.sum(axis=0), membership.sum(axis=0))


def bm25(
    statistics: ClusterStatistics,
    *,
    saturation: float = SATURATION,
    length_influence: float = LENGTH_INFLUENCE,
    sharpness: float = SHARPNESS,
) -> Floats2d:
    """Return the relevance of each term to each sub-corpus as CaseOLAP has it, (n_terms, n_clusters).

    BM25(t, D) = sharpness · tf (k1 + 1) / (tf + k1 (1 - b + b |D| / mean |D|)) · log(1 + df) / log(1 + max df), with tf
    and df counted in D, |D| its length in terms, the mean over all clusters, the maximum over all terms in D.
    A sub-corpus stands in the place of a document, so a term spread over many of its documents counts for more: the
    factor in df takes the place of the usual idf. It lies in [0, sharpness (k1 + 1)], and is 0 where t does not occur.
    """
    tf = statistics.occurrences.astype(np.float32)
    mean_length = float(statistics.lengths.sum()) / max(len(statistics.lengths), 1) or 1.0
    norms = saturation * (1.0 - length_influence + length_influence * statistics.lengths / mean_length)
    # A cluster without text has no norm to speak of; its counts are 0 whatever it is.
    scores = tf / (tf + np.maximum(norms, 1e-6).astype(np.float32))
    spread = np.log1p(statistics.document_frequencies.astype(np.float32))
    most = spread.max(axis=0, initial=0.0)
    factors = np.divide(sharpness * (saturation + 1.0), most, out=np.zeros_like(most), where=most > 0.0)
    return np.asarray(scores * spread * factors, dtype=np.float32)


def distinctiveness(relevances: Floats2d) -> Floats2d:
    """Return exp(BM25) / (1 + Σ exp(BM25)) over the clusters, (n_terms, n_clusters).

    The greatest exponent is taken out first, so no relevance is too large.
    """
    top = np.maximum(relevances.max(axis=1, initial=0.0), 0.0)[:, None]
    weights = np.exp(relevances - top)
    return np.asarray(weights / (np.exp(-top) + weights.sum(axis=1, keepdims=True)), dtype=np.float32)


def popularity(statistics: ClusterStatistics) -> Floats2d:
    """Return log(tf(t, D_s) + 1) / log Σ_t' tf(t', D_s), (n_terms, n_clusters), at most 1.

    A sub-corpus of at most one occurrence makes nothing popular: 0.
    """
    totals = np.log(np.maximum(statistics.lengths, 1.0))
    scale = np.divide(1.0, totals, out=np.zeros_like(totals), where=totals > 0.0).astype(np.float32)
    return np.minimum(np.log1p(statistics.occurrences.astype(np.float32)) * scale, np.float32(1.0))


def representativeness(
    integrity: npt.NDArray[np.floating], distinctive: npt.NDArray[np.floating], popular: npt.NDArray[np.floating]
) -> Floats2d:
    """Return (int · dis · pop)^(1/3); `integrity` (n_terms,) goes with every cluster."""
    product = np.asarray(integrity, dtype=np.float32)[:, None] * distinctive
    product *= popular
    return np.cbrt(product)


def relevance(vectors: Floats2d, directions: Floats2d) -> Floats2d:
    """Return rel(t, s): the cosine of each term with each cluster's direction, (n_terms, n_clusters)."""
    with one_blas_thread():
        return cosines(vectors, directions)


def score_anchors(
    statistics: ClusterStatistics,
    relevances: Floats2d,
    integrity: npt.NDArray[np.floating],
    *,
    saturation: float = SATURATION,
    length_influence: float = LENGTH_INFLUENCE,
    sharpness: float = SHARPNESS,
) -> AnchorScores:
    """Score every term for every cluster (Eqs. sigscore, relrepscore).

    `relevances` are rel(t, s), (n_terms, n_clusters): cosines, or the best of several where a topic has several
    directions. `integrity` is (n_terms,).
    """
    weights = bm25(statistics, saturation=saturation, length_influence=length_influence, sharpness=sharpness)
    distinctive = distinctiveness(weights)
    popular = popularity(statistics)
    representative = representativeness(integrity, distinctive, popular)
    significances = np.asarray(relevances, dtype=np.float32) * representative
    # A node may have no cluster at all: none is known, and none was found.
    has_clusters = bool(significances.shape[1])
    best = significances.argmax(axis=1) if has_clusters else np.zeros(len(significances), dtype=np.int32)
    return AnchorScores(
        integrity=np.asarray(integrity, dtype=np.float32),
        relevance=np.asarray(relevances, dtype=np.float32),
        distinctiveness=distinctive,
        popularity=popular,
        representativeness=representative,
        significances=significances,
        significance=significances.max(axis=1, initial=-np.inf if has_clusters else 0.0),
        best_cluster=best.astype(np.int32),
    )


def select_anchors(scores: AnchorScores, term_clusters: Ints1d, *, significance_threshold: float) -> Bools1d:
    """Return which terms are anchors of the cluster they are in, (n_terms,) (Eq. termassign).

    As in the paper, a term is kept if it is significant for *some* cluster; `AnchorScores.own` tells whether for its
    own.
    """
    return np.asarray((term_clusters >= 0) & (scores.significance >= np.float32(significance_threshold)))
