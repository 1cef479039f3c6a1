"""How rare each term is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from taxocom.numerics.arrays import Floats1d


def term_rarity(document_frequencies: npt.NDArray[np.integer], n_documents: int) -> Floats1d:
    """Return the inverse document frequency ln((1 + n) / (1 + df)) of each term; one that all documents have gets 0."""
    return np.asarray(np.log((1.0 + n_documents) / (1.0 + document_frequencies)), dtype=np.float32)
