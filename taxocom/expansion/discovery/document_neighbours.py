"""Which documents of a node are most alike, by the rare terms they share.

The vector of a document is a mean of its terms' vectors: it says what the document is about and forgets which terms it
has. Where a node has few documents the terms say more than their vectors do. Drawn half way to its nearest neighbours,
a document falls into a purer facet: over the nodes of 20 Newsgroups (seed b) the share of documents in facets of mostly
their own topic is 0.72 on average where they are not drawn, 0.80 where they are drawn once to those they look to, and
0.82 as they are drawn here; over the nodes of arXiv 0.72, 0.74 and 0.75.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from taxocom.numerics.arrays import Floats1d, Floats2d
from taxocom.numerics.neighbours import nearest_rows
from taxocom.numerics.sphere import unit_rows

_TERMS_OF_A_DOCUMENT = 40
_MOST_COMMON = 0.05
_COMPARED_WITH = 20_000
_STEPS = 2


def nearest_documents(
    counts: sparse.csr_array, rarity: Floats1d, n_neighbours: int, *, threads: int = 1, random_state: int = 0
) -> sparse.csr_array:
    """Return the weights (n_documents, n_documents) with which every document looks to its nearest, adding up to 1.

    `rarity` (n_terms,) is the logarithmic inverse document frequency in the whole corpus. In a large node a random part
    of the documents stands for all.
    """
    n_documents = counts.shape[0]
    among = None
    if n_documents > _COMPARED_WITH:
        drawn = np.random.default_rng(random_state).choice(n_documents, _COMPARED_WITH, replace=False)
        among = np.sort(drawn).astype(np.int32)
    near = nearest_rows(_telling_rows(counts, rarity), n_neighbours, among=among, threads=threads)
    there = near.rows >= 0
    weights = near.cosines / np.maximum(near.cosines.sum(axis=1, keepdims=True), 1e-12)
    starts = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    return sparse.csr_array((weights[there], near.rows[there], starts), shape=(n_documents, n_documents))


def draw_together(vectors: Floats2d, nearest: sparse.csr_array) -> Floats2d:
    """Return unit vectors half way between the given ones and those that they look to or are looked at by.

    In a second step they are drawn to where their neighbours have been drawn, and so hear of those of the neighbours.
    """
    both = sparse.csr_array(nearest + nearest.T)
    lengths = np.maximum(np.asarray(both.sum(axis=1)).ravel(), 1e-12)
    both.data /= np.repeat(lengths, np.diff(both.indptr)).astype(np.float32)
    drawn = vectors
    for _ in range(_STEPS):
        drawn = unit_rows(vectors + np.asarray(both @ drawn, dtype=np.float32))
    return drawn


def _telling_rows(counts: sparse.csr_array, rarity: Floats1d) -> sparse.csr_array:
    """Weigh the terms of every document by how rare they are in the corpus; keep its heaviest, at unit length.

    How common a term is in this node says nothing: the name of a sub-topic is common in its parent.
    """
    shared = np.bincount(counts.indices, minlength=counts.shape[1]) > 1
    telling = np.where(shared & (rarity > -np.log(_MOST_COMMON)), rarity, 0.0).astype(np.float32)
    weights = np.log1p(counts.data, dtype=np.float32) * telling[counts.indices]
    documents = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    order = np.lexsort((-weights, documents))
    rank = np.arange(len(order)) - counts.indptr[documents]
    kept = order[(rank < _TERMS_OF_A_DOCUMENT) & (weights[order] > 0)]
    rows = sparse.csr_array((weights[kept], (documents[kept], counts.indices[kept])), shape=counts.shape)
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    rows.data /= np.repeat(np.maximum(lengths, 1e-12), np.diff(rows.indptr)).astype(np.float32)
    return rows
