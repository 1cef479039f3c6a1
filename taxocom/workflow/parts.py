"""Which documents go with the parts of a topic that is split: those that use more of a part's terms than others'."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from taxocom.numerics.arrays import Floats1d
from taxocom.store import Project
from taxocom.store.projects.document_places import document_places, project_witnesses
from taxocom.taxonomy.decisions import Decision, MoveDocuments, SplitTopic
from taxocom.taxonomy.tree import TopicNode
from taxocom.text.terms.vocabulary import normal_term


def with_documents_of_parts(project: Project, decisions: Sequence[Decision]) -> list[Decision]:
    """Return the decisions, each split followed by what of the topic's documents goes to which new part."""
    found: list[Decision] = []
    for decision in decisions:
        found.append(decision)
        if isinstance(decision, SplitTopic) and project.has_corpus:
            found += _moves(project, decision)
    return found


def _moves(project: Project, split: SplitTopic) -> list[MoveDocuments]:
    places = document_places(project)
    # Documents of sub-topics go where these go.
    own = places.node_ids.index(split.node_id) if split.node_id in places.node_ids else -1
    rows = np.flatnonzero(places.numbers == own)
    use = np.stack([_use(project, part)[rows] for part in split.parts], axis=1)
    best = use.argmax(axis=1)
    ids = project.corpus().document_ids
    moves = []
    for number, part in enumerate(split.parts):
        members = rows[(best == number) & (use[:, number] > 0)]
        # What the part that keeps the topic's id has stays where it is.
        if part.node_id != split.node_id and len(members):
            moves.append(MoveDocuments(tuple(ids[int(row)] for row in members), part.node_id))
    return moves


def _use(project: Project, part: TopicNode) -> Floats1d:
    """Return how much every document uses the terms of a part."""
    own = [part.center_term, normal_term(part.label), *map(normal_term, part.keywords), *(a.term for a in part.anchors)]
    ids = np.unique(project.corpus().vocabulary.ids_of(own))
    return np.asarray(project_witnesses(project).damped[:, ids].sum(axis=1), dtype=np.float32).ravel()
