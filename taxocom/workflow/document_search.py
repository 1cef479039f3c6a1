"""Which documents say something."""

from __future__ import annotations

import numpy as np

from taxocom.numerics.arrays import Ints1d
from taxocom.text.corpus import Corpus
from taxocom.text.language.tokens import words_of
from taxocom.text.terms.vocabulary import normal_term

_SCANNED = 50_000
"""Documents that are read for words that are no terms; more would take seconds."""


def search(corpus: Corpus, query: str) -> Ints1d:
    """Return documents with every word of a query, most mentions first; a word that is no term is sought as text."""
    vocabulary = corpus.vocabulary
    phrase = vocabulary.id_of(normal_term(query))
    ids = [phrase] if phrase is not None else [vocabulary.id_of(word) for word in words_of(query)]
    known = [term_id for term_id in ids if term_id is not None]
    if known and len(known) == len(ids):
        columns = corpus.counts[:, known].toarray()
        hits = np.flatnonzero((columns > 0).all(axis=1))
        return hits[np.argsort(-columns[hits].sum(axis=1), kind="stable")].astype(np.int32)
    wanted = query.casefold().strip()
    scanned = range(min(corpus.n_documents, _SCANNED))
    return np.array([d for d in scanned if wanted in corpus.texts[d].casefold()], dtype=np.int32)
