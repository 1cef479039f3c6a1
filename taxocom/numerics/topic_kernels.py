"""Steps of known topics: keywords pulled to their topic under the vMF likelihood, topics pushed apart.

These run once in a hundred words or so, hence rows are normalised outright and nothing is kept in registers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from taxocom.numerics.arrays import Floats1d, Ints1d, Offsets
from taxocom.numerics.vector_rows import dot_rows

_compiled = numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)


class Keywords(NamedTuple):
    """The keywords of each known topic in CSR form, and how strongly each topic pulls its own."""

    offsets: Offsets
    ids: Ints1d
    weights: Floats1d


def _normalise(table: Any, row: Any) -> None:
    """Bring one row back to length 1; a row of zeros stays."""
    square = _ZERO
    for j in range(table.shape[1]):
        square += table[row, j] * table[row, j]
    if square > _ZERO:
        scale = _ONE / np.sqrt(square)
        for j in range(table.shape[1]):
            table[row, j] *= scale


normalise = _compiled(_normalise)


def _pull_keywords(terms: Any, topics: Any, keywords: Any, margin: Any, step: Any, lanes: Any) -> Any:
    """Step keywords and their topic towards each other where their cosine is below `margin`; return the loss.

    The loss is the sum of weight · (margin - t·s) over such keywords, divided by the topic's number of keywords: minus
    the vMF log-likelihood up to what no row can change, with the concentration in `weight`.
    """
    loss = _ZERO
    for topic in range(topics.shape[0]):
        first = keywords.offsets[topic]
        last = keywords.offsets[topic + 1]
        if first == last:
            continue
        weight = keywords.weights[topic] / np.float32(last - first)
        size = step * weight
        for k in range(first, last):
            term = np.int64(keywords.ids[k])
            cosine = dot_rows(terms, term, topics, topic, lanes)
            if cosine >= margin:
                continue
            loss += weight * (margin - cosine)
            own = _ONE - size * cosine
            for j in range(terms.shape[1]):
                t = terms[term, j]
                s = topics[topic, j]
                terms[term, j] = own * t + size * s
                topics[topic, j] = own * s + size * t
            normalise(terms, term)
            normalise(topics, topic)
    return loss


pull_keywords = _compiled(_pull_keywords)


def _push_topics(topics: Any, margin: Any, step: Any, lanes: Any) -> Any:
    """Step every pair of topics apart where their cosine exceeds `margin`; return the loss.

    The loss is the sum of [s·t - margin]_+ over pairs, divided by the number of topics.
    """
    loss = _ZERO
    n_topics = topics.shape[0]
    size = step / np.float32(n_topics)
    for a in range(n_topics):
        for b in range(a + 1, n_topics):
            cosine = dot_rows(topics, a, topics, b, lanes)
            # A topic without keywords is a row of zeros: it has no direction that others could be pushed from.
            if cosine <= margin or cosine == _ZERO:
                continue
            loss += (cosine - margin) / np.float32(n_topics)
            own = _ONE + size * cosine
            for j in range(topics.shape[1]):
                s = topics[a, j]
                t = topics[b, j]
                topics[a, j] = own * s - size * t
                topics[b, j] = own * t - size * s
            normalise(topics, a)
            normalise(topics, b)
    return loss


push_topics = _compiled(_push_topics)
