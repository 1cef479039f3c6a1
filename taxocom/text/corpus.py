"""A corpus as the engine sees it: documents as runs of term ids, read from memory-mapped files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from taxocom.numerics.arrays import Ints1d, Offsets
from taxocom.text.vocabulary import Vocabulary


@dataclass(frozen=True)
class Corpus:
    """Documents in CSR form: document `d` is `tokens[offsets[d]:offsets[d + 1]]`, ids into `vocabulary`.

    `counts` is the document-term matrix of shape (n_documents, n_terms). `texts[d]` is the raw text and `labels[d]` the
    path of topic names a labelled corpus gives (empty without labels). Large arrays are memory-mapped and read-only.
    """

    document_ids: Sequence[str]
    offsets: Offsets
    tokens: Ints1d
    counts: sparse.csr_array
    vocabulary: Vocabulary
    fingerprint: str
    texts: Sequence[str] = field(repr=False)
    titles: Sequence[str] = field(default=(), repr=False)
    labels: Sequence[tuple[str, ...]] = field(default=(), repr=False)
    dates: Sequence[str] = field(default=(), repr=False)

    @property
    def n_documents(self) -> int:
        """The number of documents kept."""
        return len(self.offsets) - 1

    @property
    def n_tokens(self) -> int:
        """The number of terms in running text."""
        return int(self.offsets[-1])

    def terms_of(self, document: int) -> Ints1d:
        """Return the term ids of one document, in reading order."""
        return np.asarray(self.tokens[self.offsets[document] : self.offsets[document + 1]])
