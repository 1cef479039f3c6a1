"""What a node already knows: its sub-topics as terms, broad ones as the several directions of their sub-tree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from taxocom.numerics.arrays import Ints1d
from taxocom.tagging.names import classes_under
from taxocom.taxonomy.tree import Taxonomy, TopicNode
from taxocom.text.terms.vocabulary import Vocabulary, normal_term

_ANCHORS_KEPT = 10


@dataclass(frozen=True)
class KnownTopic:
    """A known sub-topic: every keyword of its sub-tree, and its directions, one for each leaf below.

    The name of a broad topic ("science", "vehicle") is often used of something else; its leaves say better what it is
    about, so a topic that has sub-topics gets no direction from its own name.
    """

    node_id: str
    keywords: Ints1d
    directions: tuple[Ints1d, ...]
    is_leaf: bool


def known_topics(
    taxonomy: Taxonomy,
    node_id: str,
    vocabulary: Vocabulary,
    *,
    subtree: bool = True,
    with_documents: frozenset[str] = frozenset(),
) -> list[KnownTopic]:
    """Return the sub-topics of a node in order; without `subtree` each has the one direction of all its keywords.

    With it, directions are those of the tagger's classes (`classes_under`), in the same order.
    """
    classes = classes_under(taxonomy, node_id, with_documents)
    found = []
    for branch, child in enumerate(taxonomy.children_of(node_id)):
        below = list(taxonomy.subtree_of(child.node_id))
        keywords = _ids(vocabulary, (term for topic in below for term in terms_of(topic)))
        parts = [taxonomy[each.node_id] for each in classes if each.branch == branch]
        directions = tuple(_ids(vocabulary, terms_of(topic)) for topic in parts) if subtree else (keywords,)
        found.append(KnownTopic(child.node_id, keywords, directions, is_leaf=len(below) == 1))
    return found


def terms_of(topic: TopicNode) -> list[str]:
    """Return the terms that stand for a topic: its center term, its keywords, and what it was accepted for."""
    own = [topic.center_term or normal_term(topic.label), *(normal_term(keyword) for keyword in topic.keywords)]
    if topic.origin == "novel":
        own += [anchor.term for anchor in topic.anchors[:_ANCHORS_KEPT]]
    return own


def _ids(vocabulary: Vocabulary, terms: Iterable[str]) -> Ints1d:
    return np.unique(vocabulary.ids_of(terms)).astype(np.int32)
