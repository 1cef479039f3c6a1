"""The inner loops of training on the sphere, over padded float32 tables; compiled, and free of the interpreter's lock.

All rows are unit vectors. One update sees a *hub* row h, a positive *spoke* p and a negative spoke n and lowers
[h·n - h·p + margin]_+ by one Riemannian step of each row: the gradient's part tangent to the sphere, then back to length
1. The lengths after a step follow from the three cosines (f = h·p, g = h·n, c = p·n), so nothing is measured twice:
|p'|² = 1 + a²(1 - f²), |n'|² = 1 + b²(1 - g²), |h'|² = 1 + s²(2 - 2c - (f - g)²). Rounding lets lengths drift all the
same, hence an explicit normalisation of the rows in use now and then; without it training ends in NaN.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from taxocom.numerics.arrays import Floats2d, Ints1d, Offsets
from taxocom.numerics.sampling import STREAM_STEP, Thresholds, below, draw_term, scramble

_compiled = numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_TWO = np.float32(2.0)
_RENORMALISE_MASK = 7


class Tables(NamedTuple):
    """The rows under training, padded; `hubs` and `spokes` are `terms` and contexts, in the order the rule asks for."""

    hubs: Floats2d
    spokes: Floats2d
    terms: Floats2d
    documents: Floats2d
    topics: Floats2d


class Running(NamedTuple):
    """The text under training and how it is thinned: token ids in CSR form, keep thresholds, the negatives' table."""

    tokens: Ints1d
    offsets: Offsets
    keep: Thresholds
    thresholds: Thresholds
    aliases: Ints1d


class Keywords(NamedTuple):
    """The keywords of each known topic in CSR form and how strongly each topic pulls."""

    offsets: Offsets
    ids: Ints1d
    weights: Floats2d


class Rules(NamedTuple):
    """The settings a kernel reads, already in the kernel's types."""

    window: int
    negatives: int
    margin: np.float32
    scaled_steps: bool
    document_weight: np.float32
    topic_period: int
    topic_margin: np.float32
    push_margin: np.float32
    push_weight: np.float32


def _train_triple(hubs, spokes, hub, positive, negative, margin, step, scaled):  # type: ignore[no-untyped-def]
    """Step the three rows down the hinge loss of one triple and return the loss before the step."""
    width = hubs.shape[1]
    f = _ZERO
    g = _ZERO
    c = _ZERO
    for j in range(width):
        h = hubs[hub, j]
        p = spokes[positive, j]
        n = spokes[negative, j]
        f += h * p
        g += h * n
        c += p * n
    gap = f - g
    if gap >= margin:
        return _ZERO
    step_p = step
    step_n = step
    step_h = step
    if scaled:
        step_p = step * (_ONE - f)
        step_n = step * _TWO * g
        step_h = step * (_ONE - gap)
    norm_p = _ONE / np.sqrt(_ONE + step_p * step_p * max(_ONE - f * f, _ZERO))
    norm_n = _ONE / np.sqrt(_ONE + step_n * step_n * max(_ONE - g * g, _ZERO))
    norm_h = _ONE / np.sqrt(_ONE + step_h * step_h * max(_TWO - _TWO * c - gap * gap, _ZERO))
    own_p = (_ONE - step_p * f) * norm_p
    own_n = (_ONE + step_n * g) * norm_n
    own_h = (_ONE - step_h * gap) * norm_h
    pull_p = step_p * norm_p
    pull_n = step_n * norm_n
    pull_h = step_h * norm_h
    for j in range(width):
        h = hubs[hub, j]
        p = spokes[positive, j]
        n = spokes[negative, j]
        hubs[hub, j] = own_h * h + pull_h * (p - n)
        spokes[positive, j] = own_p * p + pull_p * h
        spokes[negative, j] = own_n * n - pull_n * h
    return margin - gap


train_triple = _compiled(_train_triple)


def _normalise(table, row):  # type: ignore[no-untyped-def]
    """Bring one row back to length 1."""
    width = table.shape[1]
    square = _ZERO
    for j in range(width):
        square += table[row, j] * table[row, j]
    scale = _ONE / np.sqrt(square)
    for j in range(width):
        table[row, j] *= scale


normalise = _compiled(_normalise)


def _dot(table, row, others, other):  # type: ignore[no-untyped-def]
    """Return the dot product of two rows."""
    total = _ZERO
    for j in range(table.shape[1]):
        total += table[row, j] * others[other, j]
    return total


dot = _compiled(_dot)


def _pull_keywords(terms, topics, keywords, margin, step):  # type: ignore[no-untyped-def]
    """Step keywords and their topic towards each other where their cosine is below `margin`; return the loss.

    The loss is -weight · t·s summed over such keywords and divided by their number: the vMF likelihood without the
    part that no row can change, its concentration relative to the other topics' in `weight`.
    """
    loss = _ZERO
    width = terms.shape[1]
    for topic in range(topics.shape[0]):
        first = keywords.offsets[topic]
        last = keywords.offsets[topic + 1]
        if first == last:
            continue
        size = step * keywords.weights[topic] / np.float32(last - first)
        for k in range(first, last):
            term = keywords.ids[k]
            cosine = dot(terms, term, topics, topic)
            if cosine >= margin:
                continue
            loss += keywords.weights[topic] * (margin - cosine) / np.float32(last - first)
            norm = _ONE / np.sqrt(_ONE + size * size * max(_ONE - cosine * cosine, _ZERO))
            own = (_ONE - size * cosine) * norm
            pull = size * norm
            for j in range(width):
                t = terms[term, j]
                s = topics[topic, j]
                terms[term, j] = own * t + pull * s
                topics[topic, j] = own * s + pull * t
            normalise(terms, term)
        normalise(topics, topic)
    return loss


pull_keywords = _compiled(_pull_keywords)


def _push_topics(topics, margin, step):  # type: ignore[no-untyped-def]
    """Step every pair of topics apart where their cosine exceeds `margin`; return the mean hinge loss."""
    loss = _ZERO
    n_topics, width = topics.shape
    size = step / np.float32(max(n_topics, 1))
    for a in range(n_topics):
        for b in range(a + 1, n_topics):
            cosine = dot(topics, a, topics, b)
            if cosine <= margin:
                continue
            loss += (cosine - margin) / np.float32(n_topics)
            norm = _ONE / np.sqrt(_ONE + size * size * max(_ONE - cosine * cosine, _ZERO))
            own = (_ONE + size * cosine) * norm
            push = size * norm
            for j in range(width):
                s = topics[a, j]
                t = topics[b, j]
                topics[a, j] = own * s - push * t
                topics[b, j] = own * t - push * s
    for a in range(n_topics):
        normalise(topics, a)
    return loss


push_topics = _compiled(_push_topics)


def _train_documents(running, tables, keywords, rules, first, last, steps, seed):  # type: ignore[no-untyped-def]
    """Train on the documents `first` to `last`, the step falling from `steps[0]` to `steps[1]`; return the loss."""
    longest = 0
    for document in range(first, last):
        longest = max(longest, running.offsets[document + 1] - running.offsets[document])
    kept = np.empty(longest, np.int64)
    n_words = running.offsets[last] - running.offsets[first]
    loss = 0.0
    due = 0
    for document in range(first, last):
        start = running.offsets[document]
        stop = running.offsets[document + 1]
        share = np.float32(start - running.offsets[first]) / np.float32(max(n_words, 1))
        step = np.float32(steps[0] + (steps[1] - steps[0]) * share)
        stream = scramble(seed + STREAM_STEP * np.uint64(document + 1))
        n_kept = 0
        for position in range(start, stop):
            term = running.tokens[position]
            stream += STREAM_STEP
            if (scramble(stream) >> np.uint64(32)) < np.uint64(running.keep[term]):
                kept[n_kept] = term
                n_kept += 1
        for position in range(n_kept):
            center = kept[position]
            stream += STREAM_STEP
            reach = 1 + below(scramble(stream), rules.window)
            for other in range(max(0, position - reach), min(n_kept, position + reach + 1)):
                if other == position:
                    continue
                spoke = kept[other]
                for _ in range(rules.negatives):
                    stream += STREAM_STEP
                    negative = draw_term(scramble(stream), running.thresholds, running.aliases)
                    if negative != center and negative != spoke:
                        loss += train_triple(
                            tables.hubs, tables.spokes, center, spoke, negative, rules.margin, step, rules.scaled_steps
                        )
            if rules.document_weight > _ZERO:
                for _ in range(rules.negatives):
                    stream += STREAM_STEP
                    negative = draw_term(scramble(stream), running.thresholds, running.aliases)
                    if negative != center:
                        loss += train_triple(
                            tables.documents,
                            tables.terms,
                            document,
                            center,
                            negative,
                            rules.margin,
                            step * rules.document_weight,
                            rules.scaled_steps,
                        )
            if position & _RENORMALISE_MASK == 0:
                normalise(tables.hubs, center)
                normalise(tables.spokes, center)
        normalise(tables.documents, document)
        if tables.topics.shape[0] > 0:
            due += stop - start
            while due >= rules.topic_period:
                due -= rules.topic_period
                push_topics(tables.topics, rules.push_margin, step * rules.push_weight)
                pull_keywords(tables.terms, tables.topics, keywords, rules.topic_margin, step)
    return loss


train_documents = _compiled(_train_documents)
