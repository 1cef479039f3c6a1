"""Splitting a topic: into how many parts, by what, and what each part would hold, before anything is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from taxocom.errors import InputError
from taxocom.numerics.arrays import Bools1d, Floats2d, Ints1d
from taxocom.numerics.sphere import unit_rows
from taxocom.numerics.spherical_kmeans import spherical_kmeans
from taxocom.store import Project
from taxocom.store.projects.document_places import document_places, project_witnesses
from taxocom.taxonomy.decisions import AcceptTopic, Decision, MoveDocuments, SplitTopic
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode, topic_id
from taxocom.text.terms.vocabulary import normal_term
from taxocom.workflow.weak_names import parting_terms

By = Literal["words", "meaning"]
FEWEST_PARTS, MOST_PARTS = 2, 6
_FEWEST_DOCUMENTS = 5
"""A part with fewer documents is no topic to look at."""


@dataclass(frozen=True)
class TopicPart:
    """A part that a topic may be split into: its name, the terms that set it apart, its documents by how typical."""

    label: str
    terms: tuple[str, ...]
    documents: tuple[str, ...]


def parts_of(project: Project, node_id: str, n_parts: int, by: By = "words") -> tuple[TopicPart, ...]:
    """Return what a topic would be split into, the largest part first. Nothing is changed.

    `by` says what tells its documents apart: the words that they use in this corpus, or what the lexicon says that
    these mean. Documents of sub-topics stay with these.
    """
    if not FEWEST_PARTS <= n_parts <= MOST_PARTS:
        raise InputError(f"A topic is split into {FEWEST_PARTS} to {MOST_PARTS} parts, not {n_parts}.")
    places = document_places(project)
    if node_id == ROOT_ID:
        raise InputError("The whole tree cannot be split. Choose one of its topics.")
    own = places.node_ids.index(node_id) if node_id in places.node_ids else -1
    rows = np.flatnonzero(places.numbers == own).astype(np.int32)
    label = places.tree[node_id].label
    if len(rows) < n_parts * _FEWEST_DOCUMENTS:
        raise InputError(
            f"{label!r} has {len(rows)} documents of its own, too few for {n_parts} parts: "
            f"a part has at least {_FEWEST_DOCUMENTS}. Ask for fewer parts."
        )
    vectors = _apart(project, rows, by)
    found = spherical_kmeans(vectors, n_parts, random_state=0).labels
    members = sorted((_typical_first(rows, vectors, found == part) for part in range(n_parts)), key=len, reverse=True)
    if min(map(len, members)) < _FEWEST_DOCUMENTS:
        raise InputError(f"{label!r} does not fall into {n_parts} parts: one would be almost empty. Ask for fewer.")
    return _named(project, places.tree, node_id, members)


def renamed(parts: Sequence[TopicPart], names: Sequence[str]) -> tuple[TopicPart, ...]:
    """Return the parts under names of a person's, in the order shown; without any they keep theirs."""
    if not names:
        return tuple(parts)
    if len(names) != len(parts):
        raise InputError(f"{len(names)} names were given for {len(parts)} parts. Give one for each, or none.")
    return tuple(replace(part, label=name) for part, name in zip(parts, names, strict=True))


def split(tree: Taxonomy, node_id: str, parts: Sequence[TopicPart], *, below: bool = False) -> list[Decision]:
    """Return the decisions that split a topic as shown: into topics in its place, or into sub-topics `below` it.

    No words move: a part has the terms that set it apart as keywords, and the documents that were shown.
    """
    nodes = [_node(node_id, part) for part in parts]
    if below:
        pairs = zip(nodes, parts, strict=True)
        return [AcceptTopic(node_id, node, documents=part.documents) for node, part in pairs]
    # The first part goes on as the topic: what was decided of it and what lies below it stays there.
    first = tree[node_id]
    nodes[0] = first.but(label=parts[0].label, alt_labels=(), center_term=nodes[0].center_term, keywords=parts[0].terms)
    moves = [MoveDocuments(part.documents, node.node_id) for node, part in zip(nodes[1:], parts[1:], strict=True)]
    return [SplitTopic(node_id, tuple(nodes)), *moves]


def _node(node_id: str, part: TopicPart) -> TopicNode:
    center = normal_term(part.label)
    return TopicNode(topic_id("part", node_id, part.label), part.label, center, part.terms, origin="manual")


def _apart(project: Project, rows: Ints1d, by: By) -> Floats2d:
    """Return the documents as directions from what all of them share."""
    witnesses = project_witnesses(project)
    vectors = witnesses.directions.documents[rows]
    if by == "meaning":
        if witnesses.meanings is None:
            raise InputError("There is no lexicon here, so nothing is known of meanings. Split by words.")
        vectors = witnesses.meanings.vectors[rows].astype(np.float32)
    return unit_rows(vectors - vectors.mean(axis=0))


def _typical_first(rows: Ints1d, vectors: Floats2d, chosen: Bools1d) -> Ints1d:
    own = vectors[chosen]
    return np.asarray(rows[chosen][np.argsort(-(own @ own.sum(axis=0)), kind="stable")], dtype=np.int32)


def _named(project: Project, tree: Taxonomy, node_id: str, members: Sequence[Ints1d]) -> tuple[TopicPart, ...]:
    ids = project.corpus().document_ids
    taken = {tree[node_id].label.casefold()}
    taken |= {node.label.casefold() for node in (*tree.children_of(node_id), *_beside(tree, node_id))}
    found = []
    for number, rows in enumerate(members, 1):
        terms = parting_terms(project, rows, np.concatenate(members))
        free = (term for term in terms if term.casefold() not in taken)
        label = next(free, f"{tree[node_id].label} {number}")
        taken.add(label.casefold())
        found.append(TopicPart(label, terms, tuple(ids[int(row)] for row in rows)))
    return tuple(found)


def _beside(tree: Taxonomy, node_id: str) -> Sequence[TopicNode]:
    return tree.children_of(tree.parent_of(node_id) or ROOT_ID)
