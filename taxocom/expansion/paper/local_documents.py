"""Which documents a node's embedding is tuned on (Sec. 4.2.1)."""

from __future__ import annotations

import numpy as np

from taxocom.expansion.paper.embedding import TermEmbedding
from taxocom.numerics.arrays import Ints1d
from taxocom.numerics.blas import one_blas_thread
from taxocom.text.corpus import Corpus


def select_local_documents(
    corpus: Corpus, embedding: TermEmbedding, documents: Ints1d, center: int | None, *, n_retrieval_terms: int
) -> Ints1d:
    """Return a node's own documents and all that contain one of the M terms nearest its center term.

    Lower topics have few documents of their own, too few to tune vectors on; the retrieved ones speak the same
    language. The root, which has no center term, has every document already.
    """
    if center is None or n_retrieval_terms == 0 or len(documents) == corpus.n_documents:
        return documents
    with one_blas_thread():
        nearness = embedding.terms @ embedding.terms[center]
    nearest = np.argsort(-nearness, kind="stable")[:n_retrieval_terms]
    wanted = np.zeros(len(corpus.vocabulary), dtype=bool)
    wanted[nearest] = True
    hits = np.add.reduceat(np.append(wanted[corpus.counts.indices], False), corpus.counts.indptr[:-1], dtype=np.int64)
    hits[np.diff(corpus.counts.indptr) == 0] = 0
    chosen = hits > 0
    chosen[documents] = True
    return np.flatnonzero(chosen).astype(np.int32)
