"""What the tagger would move: shown to a person, who lets it go or keeps it. Nothing moves unasked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from taxocom.errors import InputError
from taxocom.store import Project
from taxocom.store.projects.document_places import PLACED
from taxocom.taxonomy.decisions import MoveDocuments
from taxocom.taxonomy.tree import ROOT_ID
from taxocom.workflow.tags import project_tags

_SURE = 0.9
"""How surely a document must belong elsewhere to be offered: nine in ten of such tags are right (EVALUATION.md)."""

_FEWEST = 2
"""One document is looked at on the Documents page; a list of single ones is no offer."""


@dataclass(frozen=True)
class SuggestedMove:
    """Documents of one topic that the tagger would rather see in another; `from_id` may be the root (no topic)."""

    from_id: str
    to_id: str
    documents: tuple[str, ...]

    def let_go(self) -> MoveDocuments:
        """Return the decision that they move."""
        return MoveDocuments(self.documents, self.to_id)

    def keep(self) -> MoveDocuments:
        """Return the decision that they stay; it is not offered again."""
        return MoveDocuments(self.documents, self.from_id)


def suggested_moves(project: Project, node_id: str | None = None) -> list[SuggestedMove]:
    """Return what would move, most documents first, of the whole tree or to and from one topic and those below it.

    A document that a person placed is never offered.
    """
    tags = project_tags(project)
    node_ids, places, tree = tags.node_ids, tags.places, tags.tree
    if not node_ids:
        return []
    best = tags.best()
    wanted = np.flatnonzero((tags.shares.max(axis=1) >= _SURE) & (places.reasons != PLACED))
    flows: dict[tuple[str, str], list[int]] = {}
    for row in wanted.tolist():
        held, better = places.node_of(row), node_ids[best[row]]
        # A document at a topic and one at a sub-topic of it do not contradict each other.
        agrees = held in (better, *tree.ancestors_of(better)) or better in tree.ancestors_of(held)
        if held == ROOT_ID or not agrees:
            flows.setdefault((held, better), []).append(row)
    concerned = None if node_id is None else {node.node_id for node in tree.subtree_of(node_id)}
    ids = project.corpus().document_ids
    moves = [
        SuggestedMove(held, better, tuple(ids[row] for row in rows))
        for (held, better), rows in flows.items()
        if len(rows) >= _FEWEST and (concerned is None or concerned & {held, better})
    ]
    return sorted(moves, key=lambda move: (-len(move.documents), move.from_id, move.to_id))


def chosen_moves(moves: Sequence[SuggestedMove], numbers: Sequence[int]) -> list[SuggestedMove]:
    """Return the moves with these numbers, counted from 1 as they are listed."""
    for number in numbers:
        if not 1 <= number <= len(moves):
            raise InputError(f"There is no move {number}; {len(moves)} are offered. List them: taxocom moves PROJECT")
    return [moves[number - 1] for number in numbers]
