"""Part of a corpus as a corpus of its own, with the same term ids."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from scipy import sparse

from taxocom.numerics.arrays import Offsets
from taxocom.text.corpus import Corpus
from taxocom.text.terms.vocabulary import Vocabulary

_Item = TypeVar("_Item")


def take_documents(corpus: Corpus, rows: Offsets) -> Corpus:
    """Return the corpus of these documents, in the order given.

    The vocabulary keeps every term and its id, so that vectors and counts of several samples can be compared; its
    frequencies are those of the sample and may be 0.
    """
    rows = np.asarray(rows, dtype=np.int64)
    lengths = np.diff(corpus.offsets)[rows]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.repeat(np.asarray(corpus.offsets)[rows] - offsets[:-1], lengths) + np.arange(offsets[-1])
    counts = sparse.csr_array(corpus.counts[rows])
    whole = corpus.vocabulary
    vocabulary = Vocabulary(
        whole.terms,
        np.asarray(counts.sum(axis=0)).ravel().astype(np.int32),
        np.bincount(counts.indices, minlength=len(whole)).astype(np.int32),
        whole.integrity,
        whole.may_name,
        language=whole.language,
    )
    digest = hashlib.sha256(corpus.fingerprint.encode() + rows.tobytes()).hexdigest()[:16]
    return Corpus(
        document_ids=_taken(corpus.document_ids, rows),
        offsets=offsets,
        tokens=np.asarray(corpus.tokens)[places],
        counts=counts,
        vocabulary=vocabulary,
        fingerprint=digest,
        texts=_taken(corpus.texts, rows),
        titles=_taken(corpus.titles, rows),
        labels=_taken(corpus.labels, rows),
        dates=_taken(corpus.dates, rows),
        language_report=corpus.language_report,
    )


def content_digest(corpus: Corpus) -> str:
    """Return a digest of what a system sees of a corpus: its terms and where they occur.

    Unlike the corpus's own fingerprint, which says what it was made from, it stays the same when the code that made it
    changes and the outcome does not.
    """
    digest = hashlib.sha256("\n".join(corpus.vocabulary.terms).encode())
    for values in (corpus.offsets, corpus.tokens, corpus.vocabulary.may_name, corpus.vocabulary.integrity):
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()[:16]


def _taken(items: Sequence[_Item], rows: Offsets) -> tuple[_Item, ...]:
    return tuple(items[int(row)] for row in rows) if len(items) > 0 else ()
