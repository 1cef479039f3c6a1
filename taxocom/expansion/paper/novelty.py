"""Which terms fit none of the known topics: novelty, its threshold, and the topicality that general words lack."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import ndimage, sparse

from taxocom.numerics.arrays import Bools1d, Doubles, Floats1d, Floats2d
from taxocom.numerics.sphere import unbiased_resultant_lengths

NOTHING_NOVEL = 1.0
"""A threshold that no novelty reaches: novelty stays below 1."""

_GRID = 512
_CUT_BINS = 200
# A valley must lie this far below the lower of the two peaks beside it, or it is a ripple of the sample.
_VALLEY_DEPTH = 0.1
# Each side of a valley must hold this share of the terms, or it is the edge of the distribution.
_SIDE_SHARE = 0.03


def novelty_scores(similarities: Floats2d, *, temperature: float) -> Floats1d:
    """Score how poorly each term fits every known topic (Eq. novscore).

    `similarities` are cosines, shape (n_terms, n_known). Scores lie in [0, 1 - 1/n_known]; the top is an exact tie.
    With one known topic the softmax says nothing and every score is 0.
    """
    n_terms, n_known = similarities.shape
    if n_known == 0:
        raise ValueError("novelty needs at least one known topic")
    if not temperature > 0.0:
        raise ValueError(f"temperature is {temperature}; it must be positive")
    scaled = np.asarray(similarities, dtype=np.float64) / temperature
    scaled -= scaled.max(axis=1, keepdims=True) if n_terms else 0.0
    # The largest softmax value has exp(0) above it.
    novelty = 1.0 - 1.0 / np.exp(scaled).sum(axis=1)
    return np.asarray(np.clip(novelty, 0.0, 1.0 - 1.0 / n_known), dtype=np.float32)


def novelty_threshold(n_known: int, *, threshold_exponent: float) -> float:
    """Return the paper's threshold (1 - 1/n_known)^β: the larger the exponent, the more terms are novel."""
    if n_known < 1:
        raise ValueError(f"{n_known} known topics; the threshold needs at least one")
    return float((1.0 - 1.0 / n_known) ** threshold_exponent)


def split(novelty: Floats1d, threshold: float) -> Bools1d:
    """Return which terms are novel: those whose novelty reaches the threshold, shape (n_terms,)."""
    # In the precision of the scores, or an exact tie would miss a threshold at the very top by rounding.
    return np.asarray(novelty >= novelty.dtype.type(threshold))


def shape_threshold(novelty: npt.NDArray[np.floating]) -> float:
    """Return a threshold from the shape of the scores alone, so that it need not follow the number of known topics.

    Where the density has a valley between two peaks, known and novel terms part there: the deepest valley is taken.
    Real corpora seldom have one, for most terms are neither clearly known nor clearly novel. Then the scores are cut
    into three of least variance (Otsu's rule) and only the uppermost are novel: of a bell curve about a quarter. Fewer
    than two different scores say nothing: no term is novel.
    """
    values = np.sort(np.asarray(novelty, dtype=np.float64))
    if len(values) < 2 or values[-1] - values[0] < 1e-6:
        return NOTHING_NOVEL
    valley = _deepest_valley(values)
    return _upper_of_three(values) if valley is None else valley


def _deepest_valley(values: Doubles) -> float | None:
    """Return where the density of sorted `values` dips most below the lower peak beside it, or None without a dip."""
    low, high = values[0], values[-1]
    quarter, three_quarters = np.quantile(values, (0.25, 0.75))
    spread = min(float(values.std()), float(three_quarters - quarter) / 1.34) or float(values.std())
    bandwidth = 0.9 * spread * len(values) ** -0.2
    counts, edges = np.histogram(values, bins=_GRID, range=(low, high))
    # Scores are bounded: what the smoothing would push over the edge is folded back.
    sigma = max(bandwidth / (high - low) * _GRID, 1.0)
    density = ndimage.gaussian_filter1d(counts.astype(np.float64), sigma, mode="reflect")
    peaks = np.minimum(np.maximum.accumulate(density), np.maximum.accumulate(density[::-1])[::-1])
    depth = np.where(peaks > 0.0, 1.0 - density / np.maximum(peaks, 1e-12), 0.0)
    below = np.cumsum(counts) / len(values)
    depth[(below < _SIDE_SHARE) | (below > 1.0 - _SIDE_SHARE)] = 0.0
    deepest = depth.max()
    if deepest < _VALLEY_DEPTH:
        return None
    # An empty stretch is flat; its middle leaves equal room to both sides.
    flat = np.flatnonzero(depth >= deepest - 1e-9)
    middle = int(flat[len(flat) // 2])
    return float((edges[middle] + edges[middle + 1]) / 2.0)


def _upper_of_three(values: Doubles) -> float:
    """Return the upper of the two cuts through sorted `values` that leave least variance in the three parts."""
    low, high = values[0], values[-1]
    counts = np.histogram(values, bins=_CUT_BINS, range=(low, high))[0]
    n = np.cumsum(counts)[:-1].astype(np.float64)
    sums = np.concatenate([[0.0], np.cumsum(values)])[n.astype(np.int64)]
    total = float(values.sum())

    def part(sum_: Doubles, size: Doubles) -> Doubles:
        # The sum of squares about the mean is least where the squared sum over the size is most.
        return np.divide(sum_**2, size, out=np.full_like(size, -np.inf), where=size > 0.0)

    kept = part(sums, n)[:, None] + part(sums[None, :] - sums[:, None], n[None, :] - n[:, None])
    kept += part(total - sums, len(values) - n)[None, :]
    if not np.isfinite(kept).any():
        return float((low + high) / 2.0)
    upper = int(n[int(np.argmax(kept)) % len(n)])
    return float((values[upper - 1] + values[upper]) / 2.0)


def topicality(counts: sparse.csr_array, document_vectors: Floats2d) -> Floats1d:
    """Score in [0, 1] how much the documents that contain a term point the same way, shape (n_terms,).

    `counts` are documents × terms, `document_vectors` centred unit rows. General words occur in documents of every
    direction, so they score near 0 however little they fit a known topic; so do terms of fewer than two documents.
    A document without direction (a zero row) bears no witness.
    """
    directed = np.einsum("ij,ij->i", document_vectors, document_vectors) > 0.5
    vectors = np.asarray(document_vectors, dtype=np.float32)
    occurs = sparse.csr_array(
        (np.ones(counts.nnz, dtype=np.float32), counts.indices, counts.indptr), shape=counts.shape, copy=False
    )
    occurs.data[counts.data == 0] = 0.0
    sums = np.asarray(occurs.T @ vectors)
    frequencies = np.asarray(occurs.T @ directed.astype(np.float32))
    return unbiased_resultant_lengths(sums, np.rint(frequencies).astype(np.int64))
