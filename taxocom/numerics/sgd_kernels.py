"""The inner loops of training on the sphere, over padded float32 tables; compiled, and free of the interpreter's lock.

All rows are unit vectors. A *hub* row h meets *spokes*: positives p, each with its own negatives n, and lowers the sum
of [h·n - h·p + margin]_+ over them. The hub of a running word is its row in one of the two term tables, its spokes are
rows of the other; the hub of a document is the document, its spokes are terms. Every row takes a Riemannian step: the
part of the gradient tangent to the sphere, then back to length 1. For a spoke that length follows from its cosine with
the hub, |p + a(h - f p)|² = 1 + a²(1 - f²) with f = h·p, so it is not measured. Spokes move at once; the hub moves
once, after its last pair, so that pairs need not wait for each other. (Moving the hub after every pair gave vectors as
good by every measure we have, and took 15% longer.)

The analytic length lets rounding errors grow in rows that are often negatives. So rows are normalised outright now and
then, here those of every sixteenth word and its negatives, and after every round all; without it training ends in NaN.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from taxocom.numerics.arrays import Floats2d, Ints1d, Offsets
from taxocom.numerics.sampling import STREAM_STEP, Thresholds, below, draw_term, scramble
from taxocom.numerics.topic_kernels import normalise, pull_keywords, push_topics
from taxocom.numerics.vector_rows import hub_products, prefetch_row, step_hub, step_spokes

_compiled = numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
# A call passes each table as seven numbers on the stack, as dear as the work inside: these go into their caller.
_inlined = numba.njit(nogil=True, fastmath=True, error_model="numpy", inline="always")

# A digest of the files compiled into these kernels. Numba's cache notices changes in this file alone, so this line has
# to change with them; a test says how.
BUILT_ON = "747373857ef6baac"

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_TWO = np.float32(2.0)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_NORMALISE_EVERY = 16


class Tables(NamedTuple):
    """The rows under training, padded; `hubs` and `spokes` are terms and contexts, in the order the rule asks for."""

    hubs: Floats2d
    spokes: Floats2d
    terms: Floats2d
    documents: Floats2d
    topics: Floats2d


class Text(NamedTuple):
    """The running text as token ids in CSR form, how it is thinned, and what negatives are drawn from."""

    tokens: Ints1d
    offsets: Offsets
    keep: Thresholds
    thresholds: Thresholds
    aliases: Ints1d


class Rules(NamedTuple):
    """The settings a kernel reads, in the kernel's types."""

    window: int
    negatives: int
    margin: np.float32
    scaled_steps: bool
    document_weight: np.float32
    topic_period: int
    topic_margin: np.float32
    push_margin: np.float32
    push_weight: np.float32


def _shrink(square: Any) -> Any:
    """Return 1 / sqrt(1 + square), which brings a row that stepped off the sphere by sqrt(square) back to it."""
    return _ONE / np.sqrt(_ONE + square)


shrink = _inlined(_shrink)


def _train_pair(
    hubs: Any,
    hub: Any,
    spokes: Any,
    positive: Any,
    negative: Any,
    other: Any,
    center: Any,
    margin: Any,
    step: Any,
    scaled: Any,
    gradient: Any,
    lanes: Any,
) -> Any:
    """Step one positive and two negative spokes of a hub, and add to the hub's gradient.

    Return the loss before the step and what the gradient takes from the hub itself. Negatives that are the running word
    or the positive are left out, and so is the second of two alike. With `scaled` each row's step grows with its error:
    1 - f for positives, 2 g for negatives, 1 - (f - g) for the hub, as the reference code of the spherical embedding
    has it; otherwise the step is the gradient's.
    """
    f, g, q = hub_products(hubs, hub, spokes, positive, negative, other, lanes)
    loss_n = _ZERO
    loss_o = _ZERO
    if negative != center and negative != positive:
        loss_n = max(margin - f + g, _ZERO)
    if other != center and other != positive and other != negative:
        loss_o = max(margin - f + q, _ZERO)
    own = _ZERO
    if loss_n + loss_o > _ZERO:
        step_n = step if loss_n > _ZERO else _ZERO
        step_o = step if loss_o > _ZERO else _ZERO
        step_p = step_n + step_o
        weight_n = step_n
        weight_o = step_o
        if scaled:
            weight_n *= _ONE - f + g
            weight_o *= _ONE - f + q
            step_n *= _TWO * g
            step_o *= _TWO * q
            step_p *= _ONE - f
        shrink_p = shrink(step_p * step_p * (_ONE - f * f))
        shrink_n = shrink(step_n * step_n * (_ONE - g * g))
        shrink_o = shrink(step_o * step_o * (_ONE - q * q))
        changes = (
            (_ONE - step_p * f) * shrink_p,
            step_p * shrink_p,
            weight_n + weight_o,
            (_ONE + step_n * g) * shrink_n,
            -step_n * shrink_n,
            -weight_n,
            (_ONE + step_o * q) * shrink_o,
            -step_o * shrink_o,
            -weight_o,
        )
        step_spokes(hubs, hub, spokes, positive, negative, other, changes, gradient, lanes)
        own = -weight_n * (f - g) - weight_o * (f - q)
    return loss_n + loss_o, own


train_pair = _inlined(_train_pair)


def _thin(text: Any, document: Any, stream: Any, kept: Any) -> Any:
    """Copy the tokens of a document that survive sub-sampling to `kept`, one draw each; return how many."""
    n_kept = 0
    for position in range(text.offsets[document], text.offsets[document + 1]):
        term = text.tokens[position]
        stream += STREAM_STEP
        if (scramble(stream) >> _HALF) < np.uint64(text.keep[term]):
            kept[n_kept] = term
            n_kept += 1
    return n_kept


thin = _inlined(_thin)


def _draw_negatives(
    text: Any, spokes: Any, negatives: Any, n_pairs: Any, stream: Any, drawn: Any, write: Any, lanes: Any
) -> Any:
    """Draw the negatives of some pairs into `drawn` from `write` on and fetch their rows; return the stream.

    A draw gives two. Where a pair has an odd number, the last is written twice, and training leaves out the second.
    """
    for _ in range(n_pairs):
        for k in range(0, negatives, 2):
            stream += STREAM_STEP
            bits = scramble(stream)
            first = draw_term(bits >> _HALF, text.thresholds, text.aliases)
            second = first
            if k + 1 < negatives:
                second = draw_term(bits & _LOW, text.thresholds, text.aliases)
            prefetch_row(spokes, first, lanes)
            prefetch_row(spokes, second, lanes)
            drawn[write] = first
            drawn[write + 1] = second
            write += 2
    return stream


draw_negatives = _inlined(_draw_negatives)


def _train_documents(
    text: Any, tables: Any, keywords: Any, rules: Any, order: Any, steps: Any, seed: Any, lanes: Any
) -> Any:
    """Train on the documents of `order` in turn, the step falling from `steps[0]` to `steps[1]`; return the loss.

    While one running word is trained, the negatives of the next are drawn and their rows fetched. What is drawn depends
    on `seed` and the document alone.
    """
    longest = 0
    n_words = 0
    for document in order:
        length = text.offsets[document + 1] - text.offsets[document]
        longest = max(longest, length)
        n_words += length
    kept = np.empty(longest, np.int64)
    slots = 2 * ((rules.negatives + 1) // 2)
    room = slots * (2 * rules.window + 1)
    drawn = np.empty(2 * room, np.int64)
    gradient = np.zeros((1, tables.hubs.shape[1]), np.float32)
    loss = 0.0
    seen = 0
    due = 0
    for document in order:
        start = text.offsets[document]
        stop = text.offsets[document + 1]
        step = steps[0] + (steps[1] - steps[0]) * (np.float32(seen) / np.float32(n_words))
        seen += stop - start
        stream = scramble(seed + STREAM_STEP * np.uint64(document + 1))
        n_kept = thin(text, document, stream, kept)
        stream += STREAM_STEP * np.uint64(stop - start)
        reach = 0
        for position in range(-1, n_kept):
            next_reach = 0
            if position + 1 < n_kept:
                stream += STREAM_STEP
                next_reach = 1 + below(scramble(stream), rules.window)
                n_pairs = min(n_kept - 1, position + 1 + next_reach) - max(0, position + 1 - next_reach)
                write = room * ((position + 1) & 1)
                stream = draw_negatives(text, tables.spokes, rules.negatives, n_pairs + 1, stream, drawn, write, lanes)
                prefetch_row(tables.hubs, kept[position + 1], lanes)
            if position >= 0:
                center = kept[position]
                read = room * (position & 1)
                own = _ONE
                for place in range(max(0, position - reach), min(n_kept, position + reach + 1)):
                    if place != position:
                        for k in range(0, slots, 2):
                            pair_loss, pair_own = train_pair(
                                tables.hubs,
                                center,
                                tables.spokes,
                                kept[place],
                                drawn[read + k],
                                drawn[read + k + 1],
                                center,
                                rules.margin,
                                step,
                                rules.scaled_steps,
                                gradient,
                                lanes,
                            )
                            loss += pair_loss
                            own += pair_own
                        read += slots
                step_hub(tables.hubs, center, own, gradient, lanes)
                if rules.document_weight > _ZERO:
                    own = _ONE
                    for k in range(0, slots, 2):
                        pair_loss, pair_own = train_pair(
                            tables.documents,
                            document,
                            tables.terms,
                            center,
                            drawn[read + k],
                            drawn[read + k + 1],
                            center,
                            rules.margin,
                            step * rules.document_weight,
                            rules.scaled_steps,
                            gradient,
                            lanes,
                        )
                        loss += pair_loss
                        own += pair_own
                    step_hub(tables.documents, document, own, gradient, lanes)
                if position % _NORMALISE_EVERY == 0:
                    normalise(tables.spokes, center)
                    for k in range(room * (position & 1), read + slots):
                        normalise(tables.spokes, drawn[k])
            reach = next_reach
        due += stop - start
        while tables.topics.shape[0] > 0 and due >= rules.topic_period:
            due -= rules.topic_period
            push_topics(tables.topics, rules.push_margin, step * rules.push_weight, lanes)
            pull_keywords(tables.terms, tables.topics, keywords, rules.topic_margin, step, lanes)
    return loss


train_documents = _compiled(_train_documents)
