"""Questions worth a person's minute: the few decisions that would settle most, across the whole tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from taxocom.errors import InputError
from taxocom.numerics.arrays import Ints1d
from taxocom.store import Project
from taxocom.store.disk.memory import Memory
from taxocom.store.projects.document_places import PLACED
from taxocom.taxonomy.decisions import MoveDocuments
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.workflow.moves import suggested_moves
from taxocom.workflow.open_proposals import OpenProposals, open_proposals, waiting_clusters
from taxocom.workflow.tags import ProjectTags, project_tags, tags_key
from taxocom.workflow.weak_names import weak_names

Kind = Literal["proposal", "group", "move", "rivals", "name"]

_MAY_BE = 0.2
"""From this probability on a topic competes for a document: one such document in five is its own."""

_FEWEST = 5
"""What fewer documents hang on is not worth a minute."""

_SHOWN = 5

_RIVALS: Memory[list[Question]] = Memory(4)


@dataclass(frozen=True)
class Question:
    """One decision that is asked for.

    `n_documents` hang on it: they may be at the wrong place until it is answered. `node_id` is the topic that it is
    about (for a proposal or a group, the one that was expanded), `other_id` the one that competes or that documents
    would leave; `key` names it as long as nothing is decided. `documents` are a few of those concerned.
    """

    kind: Kind
    key: str
    node_id: str
    n_documents: int
    said: str
    documents: tuple[str, ...] = ()
    other_id: str | None = None


def questions(project: Project, limit: int | None = None, *, proposals: OpenProposals | None = None) -> list[Question]:
    """Return the questions, those first on which most documents hang; `proposals` if they are at hand."""
    found = _of_proposals(project, proposals or open_proposals(project))
    if project.has_corpus and len(project.taxonomy()):
        tags = project_tags(project)
        found += _moves(project, tags.tree)
        found += _RIVALS.get(tags_key(project, tags.places), lambda: _rivals(project, tags))
        found += _names(project)
    found.sort(key=lambda each: -each.n_documents)
    return found[:limit]


def settled(project: Project, question: Question, is_yes: bool) -> MoveDocuments:
    """Return the decision that answers a question of documents that might belong elsewhere."""
    for move in suggested_moves(project):
        if (move.from_id, move.to_id) == (question.other_id, question.node_id):
            return move.let_go() if is_yes else move.keep()
    raise InputError("This question is settled: none of these documents is where it was. Look at the list again.")


def _of_proposals(project: Project, proposals: OpenProposals) -> list[Question]:
    tree = project.taxonomy()
    found = []
    for waiting in waiting_clusters(proposals.by_node, tree, project.curation()):
        cluster = waiting.cluster
        at_top = waiting.parent_id == ROOT_ID
        place = "at the top of the tree" if at_top else f"under {_where(tree, waiting.parent_id)}"
        said = f"Is {waiting.label!r} a topic {place}?"
        shown = tuple(dict.fromkeys(each.document_id for each in cluster.passages))[:_SHOWN]
        key = f"proposal:{waiting.proposal_id}/{cluster.cluster_id}"
        found.append(Question("proposal", key, waiting.node_id, cluster.n_documents, said, shown))
    for node_id, proposal in proposals.by_node.items():
        for group in proposal.left_out:
            said = (
                f"A group of documents in {_where(tree, node_id)} fits nowhere. It says {', '.join(group.terms[:5])}. "
                "Is it a topic that is missing?"
            )
            key = f"group:{proposal.record.proposal_id}/{group.cluster_id}"
            found.append(Question("group", key, node_id, group.n_documents, said))
    return found


def _moves(project: Project, tree: Taxonomy) -> list[Question]:
    found = []
    for move in suggested_moves(project):
        if len(move.documents) >= _FEWEST:
            held, better = _where(tree, move.from_id), _where(tree, move.to_id)
            said = f"Documents of {held} look like those of {better}. Do they belong to {better}?"
            key = f"move:{move.from_id}>{move.to_id}"
            shown = move.documents[:_SHOWN]
            found.append(Question("move", key, move.to_id, len(move.documents), said, shown, move.from_id))
    return found


def _rivals(project: Project, tags: ProjectTags) -> list[Question]:
    """Find the pairs of topics that compete for the same documents."""
    node_ids, shares, tree = tags.node_ids, tags.shares, tags.tree
    if len(node_ids) < 2:
        return []
    order = np.argsort(-shares, axis=1, kind="stable")[:, :2]
    second = np.take_along_axis(shares, order[:, 1:], axis=1)[:, 0]
    rows = np.flatnonzero((second >= _MAY_BE) & (tags.places.reasons != PLACED)).astype(np.int32)
    pairs: dict[tuple[int, int], list[int]] = {}
    for row, (first, other) in zip(rows.tolist(), order[rows].tolist(), strict=True):
        pairs.setdefault((min(first, other), max(first, other)), []).append(row)
    counts = tags.places.counts()
    found = []
    for pair, members in pairs.items():
        if len(members) < _FEWEST:
            continue
        # The smaller one is judged: what is settled for it settles more of it.
        smaller, larger = sorted((node_ids[each] for each in pair), key=lambda each: (counts.get(each, 0), each))
        said = f"{_where(tree, smaller)} and {_where(tree, larger)} compete for the same documents. Which goes where?"
        shown = _most_doubtful(project, np.array(members, dtype=np.int32), second)
        found.append(Question("rivals", f"rivals:{smaller}:{larger}", smaller, len(members), said, shown, larger))
    return found


def _most_doubtful(project: Project, rows: Ints1d, second: Sequence[float] | np.ndarray) -> tuple[str, ...]:
    ids = project.corpus().document_ids
    return tuple(ids[int(row)] for row in rows[np.argsort(-np.asarray(second)[rows], kind="stable")][:_SHOWN])


def _names(project: Project) -> list[Question]:
    found = []
    for weak in weak_names(project):
        said = f"Few documents of {weak.label!r} say its name. {weak.said()}"
        n_silent = weak.n_documents - weak.n_saying
        found.append(Question("name", f"name:{weak.node_id}", weak.node_id, n_silent, said, weak.documents))
    return found


def _where(tree: Taxonomy, node_id: str) -> str:
    return "the whole tree" if node_id == ROOT_ID else repr("/".join(tree.path_of(node_id)))
