"""Training transcribed to plain numpy in float64, draw by draw and step by step, as the kernels must behave."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MASK = 2**64 - 1
STREAM_STEP = 0x9E3779B97F4A7C15


def unit(vector):
    return vector / np.linalg.norm(vector)


def tangent(point, vector):
    """The part of `vector` that does not point along `point`."""
    return vector - (point @ vector) * point


def hinge(hub, positive, negative, margin):
    return max(0.0, hub @ negative - hub @ positive + margin)


def pairs_loss(hub, pairs, margin):
    """The loss of one hub: `pairs` holds (positive, its negatives)."""
    return sum(hinge(hub, positive, negative, margin) for positive, negatives in pairs for negative in negatives)


def hub_gradient(hub, pairs, margin):
    """The Riemannian gradient of `pairs_loss` in the hub."""
    total = np.zeros_like(hub)
    for positive, negatives in pairs:
        for negative in negatives:
            if hinge(hub, positive, negative, margin) > 0.0:
                total += negative - positive
    return tangent(hub, total)


def positive_gradient(hub, positive, negatives, margin):
    active = sum(hinge(hub, positive, negative, margin) > 0.0 for negative in negatives)
    return tangent(positive, -active * hub)


def negative_gradient(hub, positive, negative, margin):
    active = hinge(hub, positive, negative, margin) > 0.0
    return tangent(negative, active * hub)


def pull_loss(terms, topic, weight, margin):
    """What `pull_keywords` lowers for one topic; at a keyword at the margin it is continuous but has a kink."""
    return weight / len(terms) * sum(max(0.0, margin - term @ topic) for term in terms)


def pull_gradients(term, topic, n_keywords, weight, margin):
    """The Riemannian gradients of `pull_loss` in one keyword and, by that keyword, in the topic."""
    if term @ topic >= margin:
        return np.zeros_like(term), np.zeros_like(topic)
    share = weight / n_keywords
    return tangent(term, -share * topic), tangent(topic, -share * term)


def push_loss(topics, margin):
    n_topics = len(topics)
    pairs = [(a, b) for a in range(n_topics) for b in range(a + 1, n_topics)]
    return sum(max(0.0, topics[a] @ topics[b] - margin) for a, b in pairs) / n_topics


def push_gradients(topic, other, n_topics, margin):
    """The Riemannian gradients of one pair's part of `push_loss`, in both topics."""
    if topic @ other <= margin:
        return np.zeros_like(topic), np.zeros_like(other)
    return tangent(topic, other) / n_topics, tangent(other, topic) / n_topics


def scramble(counter):
    counter &= MASK
    mixed = ((counter ^ (counter >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
    return mixed ^ (mixed >> 31)


@dataclass
class Stream:
    counter: int

    def draw(self):
        self.counter = (self.counter + STREAM_STEP) & MASK
        return scramble(self.counter)


def draw_term(bits, thresholds, aliases):
    product = bits * len(aliases)
    cell = product >> 32
    return cell if (product & 0xFFFFFFFF) < int(thresholds[cell]) else int(aliases[cell])


def train_hub(hubs, hub, spokes, pairs, center, margin, step, scaled):
    """One hub and its pairs: (positive, [[negative, other], ...]) rows of `spokes`; return the loss."""
    loss = 0.0
    gradient = np.zeros(hubs.shape[1])
    h = hubs[hub].copy()
    for positive, couples in pairs:
        for couple in couples:
            p = spokes[positive].copy()
            f = h @ p
            total_step = 0.0
            changed = {}
            for k, negative in enumerate(couple):
                if negative in (center, positive) or negative in couple[:k]:
                    continue
                n = spokes[negative].copy()
                g = h @ n
                lost = margin - f + g
                if lost <= 0.0:
                    continue
                loss += lost
                total_step += step
                own_step = step * 2.0 * g if scaled else step
                hub_step = step * (1.0 - f + g) if scaled else step
                gradient += hub_step * tangent(h, p - n)
                changed[negative] = unit(n - own_step * tangent(n, h))
            if total_step > 0.0:
                own_step = total_step * (1.0 - f) if scaled else total_step
                changed[positive] = unit(p + own_step * tangent(p, h))
            for row, vector in changed.items():
                spokes[row] = vector
    hubs[hub] = unit(h + gradient)
    return loss


def train_document(text, tables, rules, document, step, seed):
    """Everything that training does with one document but topics; tables are float64 and change in place."""
    stream = Stream(scramble((seed + STREAM_STEP * (document + 1)) & MASK))
    tokens = text.tokens[text.offsets[document] : text.offsets[document + 1]]
    kept = [int(term) for term in tokens if (stream.draw() >> 32) < int(text.keep[term])]
    loss = 0.0
    for position, center in enumerate(kept):
        reach = 1 + (((stream.draw() >> 32) * rules.window) >> 32)
        places = [p for p in range(max(0, position - reach), min(len(kept), position + reach + 1)) if p != position]
        couples = [_draw_couples(stream, text, rules.negatives) for _ in range(len(places) + 1)]
        pairs = [(kept[place], couples[i]) for i, place in enumerate(places)]
        loss += train_hub(tables.hubs, center, tables.spokes, pairs, center, rules.margin, step, rules.scaled_steps)
        pairs = [(center, couples[-1])]
        weighted = step * rules.document_weight
        loss += train_hub(
            tables.documents, document, tables.terms, pairs, center, rules.margin, weighted, rules.scaled_steps
        )
    return loss


def _draw_couples(stream, text, negatives):
    couples = []
    for k in range(0, negatives, 2):
        bits = stream.draw()
        couple = [draw_term(bits >> 32, text.thresholds, text.aliases)]
        if k + 1 < negatives:
            couple.append(draw_term(bits & 0xFFFFFFFF, text.thresholds, text.aliases))
        couples.append(couple)
    return couples


def train_topics(terms, topics, keywords, rules, step):
    """One push of the topics and one pull of their keywords, in the kernels' order."""
    n_topics = len(topics)
    for a in range(n_topics):
        for b in range(a + 1, n_topics):
            down_a, down_b = push_gradients(topics[a], topics[b], n_topics, rules.push_margin)
            size = step * rules.push_weight
            topics[a], topics[b] = unit(topics[a] - size * down_a), unit(topics[b] - size * down_b)
    for topic in range(n_topics):
        ids = keywords.ids[keywords.offsets[topic] : keywords.offsets[topic + 1]]
        for term in ids:
            down_term, down_topic = pull_gradients(
                terms[term], topics[topic], len(ids), keywords.weights[topic], rules.topic_margin
            )
            terms[term], topics[topic] = unit(terms[term] - step * down_term), unit(topics[topic] - step * down_topic)
