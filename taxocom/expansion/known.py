"""What a node already knows: its sub-topics as terms, broad ones as the several directions of their sub-tree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from taxocom.numerics.arrays import Ints1d
from taxocom.taxonomy.tree import Taxonomy, TopicNode
from taxocom.text.vocabulary import Vocabulary, normal_term

_ANCHORS_KEPT = 10


@dataclass(frozen=True)
class KnownTopic:
    """A known sub-topic: its own terms, every keyword of its sub-tree, and its directions, one for each leaf below.

    The name of a broad topic ("science", "vehicle") is often used of something else; its leaves say better what it is
    about, so a topic that has sub-topics gets no direction from its own name.
    """

    node_id: str
    own: Ints1d
    keywords: Ints1d
    directions: tuple[Ints1d, ...]
    is_leaf: bool


def known_topics(taxonomy: Taxonomy, node_id: str, vocabulary: Vocabulary, *, subtree: bool = True) -> list[KnownTopic]:
    """Return the sub-topics of a node in order; without `subtree` each has the one direction of all its keywords."""
    found = []
    for child in taxonomy.children_of(node_id):
        below = list(taxonomy.subtree_of(child.node_id))
        keywords = _ids(vocabulary, (term for topic in below for term in terms_of(topic)))
        leaves = [topic for topic in below if not taxonomy.children_of(topic.node_id)]
        directions = [_ids(vocabulary, terms_of(topic)) for topic in leaves] if subtree else [keywords]
        occurring = tuple(ids for ids in directions if len(ids)) or (keywords,)
        own = _ids(vocabulary, terms_of(child))
        found.append(KnownTopic(child.node_id, own, keywords, occurring, is_leaf=len(below) == 1))
    return found


def terms_of(topic: TopicNode) -> list[str]:
    """Return the terms that stand for a topic: its center term, its keywords, and what it was accepted for."""
    own = [topic.center_term or normal_term(topic.label), *(normal_term(keyword) for keyword in topic.keywords)]
    if topic.origin == "novel":
        own += [anchor.term for anchor in topic.anchors[:_ANCHORS_KEPT]]
    return own


def _ids(vocabulary: Vocabulary, terms: Iterable[str]) -> Ints1d:
    return np.unique(vocabulary.ids_of(terms)).astype(np.int32)
