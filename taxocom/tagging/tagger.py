"""The one answer to "where does this document belong?": which topics of a tree, and how surely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from taxocom.numerics.arrays import UNASSIGNED, Doubles, Floats2d, Ints1d
from taxocom.progress import SILENT, Progress, Span
from taxocom.settings import TaggingSettings
from taxocom.tagging.model import Labels, learn, softmax
from taxocom.tagging.names import TopicClass, classes_under, name_evidence
from taxocom.tagging.witnesses import Witnesses
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.text.terms.vocabulary import Vocabulary

SURENESS = 0.3
"""Scores are this much too sharp to be log-odds. Fitted to labels, each corpus of EVALUATION.md would have a value
between 0.26 and 0.37; one for all leaves nine in ten of the documents tagged with 0.9 right, give or take a tenth."""

_BY_A_PERSON = 5.0
"""How many accepted documents one counts for that a person put where it is."""


@dataclass(frozen=True)
class Teaching:
    """What people said of documents, by row: `placed` one by one, `accepted` as part of a cluster."""

    placed: Mapping[int, str]
    accepted: Mapping[int, str]

    @classmethod
    def none(cls) -> Teaching:
        """Return the teaching of nobody."""
        return cls({}, {})

    def topics(self) -> frozenset[str]:
        """Return the topics that documents were given to."""
        return frozenset(self.placed.values()) | frozenset(self.accepted.values())

    def among(self, documents: Ints1d) -> Teaching:
        """Return what was said of some documents, by their place among these."""
        if not (self.placed or self.accepted):
            return self
        row_of = {document: row for row, document in enumerate(documents.tolist())}
        placed = {row_of[document]: topic for document, topic in self.placed.items() if document in row_of}
        accepted = {row_of[document]: topic for document, topic in self.accepted.items() if document in row_of}
        return Teaching(placed, accepted)


@dataclass(frozen=True, eq=False)
class Tags:
    """What the tagger says of every document of a node.

    `classes` are the answers it can give, the last axis of `evidence` (what the names say) and `scores` (all of it).
    `labels` is what it was told.
    """

    tree: Taxonomy
    node_id: str
    classes: tuple[TopicClass, ...]
    evidence: Floats2d
    scores: Floats2d
    labels: Labels

    @property
    def branches(self) -> Ints1d:
        """The child of the node that each class lies in."""
        return np.array([each.branch for each in self.classes], dtype=np.int32)

    def probabilities(self) -> Floats2d:
        """Return how surely each document belongs to each class, told or not, shape (n_documents, n_classes)."""
        return softmax(np.float32(SURENESS) * self.scores)

    def best(self) -> Ints1d:
        """Return the likeliest class of every document; where a person said it, that one."""
        guessed = self.scores.argmax(axis=1).astype(np.int32)
        return np.where(self.labels.topics >= 0, self.labels.topics, guessed).astype(np.int32)

    def topics_of(self, document: int, *, least: float = 0.2) -> list[tuple[str, float]]:
        """Return the topics that a document belongs to with at least this probability, the likeliest first.

        A topic with sub-topics has the sum of theirs, and is named only where none of them is sure enough.
        """
        shares = softmax(np.float32(SURENESS) * self.scores[document : document + 1])[0]
        totals: dict[str, float] = {}
        for each, share in zip(self.classes, shares.tolist(), strict=True):
            for node_id in (*self.tree.ancestors_of(each.node_id), each.node_id):
                totals[node_id] = totals.get(node_id, 0.0) + share
        sure = {node_id for node_id, total in totals.items() if total >= least and node_id != ROOT_ID}
        inner = {above for node_id in sure for above in self.tree.ancestors_of(node_id)}
        return sorted(((node_id, totals[node_id]) for node_id in sure - inner), key=lambda pair: -pair[1])


def tag(
    witnesses: Witnesses,
    vocabulary: Vocabulary,
    tree: Taxonomy,
    *,
    node_id: str = ROOT_ID,
    teaching: Teaching | None = None,
    with_documents: frozenset[str] = frozenset(),
    settings: TaggingSettings | None = None,
    progress: Progress = SILENT,
) -> Tags:
    """Fit the sub-topics of a node to its documents (`witnesses`), and say where each of them belongs."""
    teaching = teaching or Teaching.none()
    classes = tuple(classes_under(tree, node_id, with_documents | teaching.topics()))
    progress.report("Looking for the names of the topics", 0.0)
    evidence = name_evidence(witnesses, vocabulary, tree, [each.node_id for each in classes], settings)
    labels = labels_from(teaching, classes, tree, witnesses.n_documents)
    branches = np.array([each.branch for each in classes], dtype=np.int32)
    scores = evidence
    if len(classes) > 1:
        scores = learn(witnesses, evidence, branches, labels=labels, progress=Span(progress, 0.1, 1.0))
    progress.report("Learning the topics", 1.0)
    return Tags(tree, node_id, classes, evidence, scores, labels)


def branch_shares(shares: Floats2d | Doubles, branches: Ints1d, n_branches: int) -> Floats2d:
    """Add up the shares of the classes of each branch, shape (n_documents, n_branches)."""
    members = np.equal.outer(branches, np.arange(n_branches)).astype(np.float32)
    return np.asarray(shares @ members, dtype=np.float32)


def labels_from(teaching: Teaching, classes: Sequence[TopicClass], tree: Taxonomy, n_documents: int) -> Labels:
    """Return what people said as labels of the classes; a person's word on one document counts more."""
    number_of = {each.node_id: number for number, each in enumerate(classes)}
    labels = Labels.none(n_documents)
    for said, weight in ((teaching.accepted, 1.0), (teaching.placed, _BY_A_PERSON)):
        for row, node_id in said.items():
            if node_id in tree:
                labels.topics[row] = number_of.get(node_id, UNASSIGNED)
                labels.weights[row] = weight
    return labels
