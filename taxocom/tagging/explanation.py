"""How the known sub-topics of a node explain its documents, and where these go once new topics stand beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from taxocom.numerics.arrays import Floats1d, Floats2d, Ints1d
from taxocom.numerics.blas import one_blas_thread
from taxocom.numerics.spherical_kmeans import spherical_kmeans
from taxocom.settings import TaggingSettings
from taxocom.tagging.model import ROUNDS, Labels, learn, softmax
from taxocom.tagging.practice import GATE, Practice, heard_by_branch, practise
from taxocom.tagging.tagger import SURENESS, Tags, Teaching, branch_shares, tag
from taxocom.tagging.witnesses import MainDirections, Witnesses, damp
from taxocom.taxonomy.tree import Taxonomy
from taxocom.text.terms.vocabulary import Vocabulary

POOR_FIT = GATE / 2
"""Below it a document fits no topic well: it is nearer to those of hidden topics than the gate for a new topic is."""

_LEAST_TRUST = 0.05
_FEWEST_ROUNDS = 3
_DOCUMENTS_TAUGHT = 60_000
"""How many documents a placement may teach, over all rounds: a threshold that is dragged asks for one after another."""

_SMOOTHING = 1.0

_LEAVES_A_PART = 2.0
"""A new topic is learnt in parts as large as two typical known leaves. In one piece a missing "physics" of nine leaves
reached an F1 of 0.83 on arXiv, in such parts 0.88; in parts as large as one leaf the chatter of 20 Newsgroups grows."""

_MOST_PARTS = 20
_CUTTING_ROUNDS = 15


@dataclass(frozen=True, eq=False)
class Explanation:
    """What the tagger says of the documents of a node.

    `node_ids` (n_classes) are the topics it can answer with, `branches` (n_classes,) the known sub-topic that each of
    them lies in; `evidence` and `scores` (n_documents, n_classes) are those of `Tags`. `told` (n_documents,) is the
    class that people said, or -1. `explained` (n_documents,) is 0 for documents like those of hidden topics and 1 for
    those of known ones, less where the documents around it belong to several, `fit` the same with what those say.
    `new_level` is the evidence that a new topic, which has no name yet, is given for every document. `hidden` is what
    it would be if a sub-topic were missing, for each of those hidden in practice, and `hidden_level` what names said of
    documents of hidden topics, on average; the store keeps neither.
    """

    node_ids: tuple[str, ...]
    branches: Ints1d
    evidence: Floats2d
    scores: Floats2d
    told: Ints1d
    explained: Floats1d
    fit: Floats1d
    directions: Floats2d
    new_level: float
    hidden: tuple[Hidden, ...] = ()
    hidden_level: float = 0.0

    @property
    def shares(self) -> Floats2d:
        """How much of each document each class has, as the tagger learns by it."""
        shares = softmax(self.scores) if self.scores.shape[1] else self.scores
        known = self.told >= 0
        shares[known] = 0.0
        shares[known, self.told[known]] = 1.0
        return shares

    def probabilities(self) -> Floats2d:
        """Return how surely each document belongs to each class, whatever people said of it."""
        return softmax(np.float32(SURENESS) * self.scores)

    def best(self) -> Ints1d:
        """Return the likeliest class of every document; where a person said it, that one."""
        return np.where(self.told >= 0, self.told, self.scores.argmax(axis=1)).astype(np.int32)

    def to_arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return everything as named arrays, for the store."""
        return {
            "class_ids": np.array([node_id.encode() for node_id in self.node_ids], dtype=np.bytes_),
            "class_branches": self.branches,
            "name_evidence": self.evidence.astype(np.float16),
            "class_scores": self.scores.astype(np.float16),
            "told": self.told,
            "explained": self.explained,
            "fit": self.fit,
            "main_directions": self.directions.astype(np.float16),
            "new_level": np.array([self.new_level], dtype=np.float32),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray[Any, Any]]) -> Explanation:
        """Rebuild what `to_arrays` returned."""
        return cls(
            node_ids=tuple(each.decode() for each in arrays["class_ids"].tolist()),
            branches=arrays["class_branches"],
            evidence=arrays["name_evidence"].astype(np.float32),
            scores=arrays["class_scores"].astype(np.float32),
            told=arrays["told"],
            explained=arrays["explained"],
            fit=arrays["fit"],
            directions=arrays["main_directions"].astype(np.float32),
            new_level=float(arrays["new_level"][0]),
        )


@dataclass(frozen=True, eq=False)
class Hidden:
    """How the other sub-topics explain the documents `rows` of a node while the sub-topic `branch` is hidden."""

    branch: int
    rows: Ints1d
    explanation: Explanation


def explain(
    witnesses: Witnesses,
    vocabulary: Vocabulary,
    tree: Taxonomy,
    node_id: str,
    *,
    teaching: Teaching | None = None,
    with_documents: frozenset[str] = frozenset(),
    settings: TaggingSettings | None = None,
    hidden_level: float | None = None,
) -> Explanation:
    """Tag the documents of a node (`witnesses`), practise, and say how well each is explained.

    With the `hidden_level` of an earlier practice nothing is hidden again.
    """
    tags = tag(
        witnesses,
        vocabulary,
        tree,
        node_id=node_id,
        teaching=teaching,
        with_documents=with_documents,
        settings=settings,
    )
    n_branches = len(tree.children_of(node_id))
    if not n_branches:
        return _explained(tags, Practice(np.zeros(0, np.float32), 0.0), witnesses.directions.documents)
    practice = practise(witnesses, tags, n_branches, hidden_level)
    directions = witnesses.directions.documents
    return replace(
        _explained(tags, practice, directions),
        hidden=tuple(
            Hidden(
                trial.branch,
                trial.rows,
                _explained(trial.tags, practice.without(trial.branch), directions[trial.rows]),
            )
            for trial in practice.trials
        ),
    )


def _explained(tags: Tags, practice: Practice, directions: Floats2d) -> Explanation:
    """Say how well each document is explained, by the levels that practice showed."""
    n_documents, n_branches = len(tags.evidence), len(practice.known)
    explained = fit = np.zeros(n_documents, dtype=np.float32)
    if n_branches:
        branch = branch_shares(softmax(tags.scores), tags.branches, n_branches).argmax(axis=1).astype(np.int32)
        heard = heard_by_branch(tags, n_branches)[np.arange(n_documents), branch]
        surely = branch_shares(tags.probabilities(), tags.branches, n_branches)
        # What lies between two topics is explained by neither, however much is heard of both.
        agreement = np.clip(_smoothed(surely, directions).max(axis=1), 0.0, 1.0)
        alone = practice.explained(heard, branch)
        explained, fit = alone * agreement, _smoothed(alone[:, None], directions)[:, 0] * agreement
        # What a person put somewhere is explained, whatever it says.
        for values in (explained, fit):
            values[tags.labels.topics >= 0] = np.maximum(values[tags.labels.topics >= 0], 1.0)
    return Explanation(
        node_ids=tuple(each.node_id for each in tags.classes),
        branches=tags.branches,
        evidence=tags.evidence,
        scores=tags.scores,
        told=tags.labels.topics,
        explained=explained,
        fit=fit,
        directions=directions,
        new_level=practice.level(GATE),
        hidden_level=practice.hidden,
    )


def place_documents(
    explanation: Explanation, counts: sparse.csr_array, novel: Ints1d, n_branches: int, n_novel: int
) -> Floats2d:
    """Return how surely each document belongs to each known sub-topic and each new one beside them.

    `novel` (n_documents,) numbers the new topic that a document was found in, -1 for none; `counts` are the documents
    by the terms of the node. A new topic learns from its documents as known ones do, and a broad one in parts, as these
    learn in their leaves.
    """
    part, topic_of = _parts(explanation, novel, n_novel)
    n_parts = len(topic_of)
    damped = damp(counts)
    lengths = np.asarray(damped.sum(axis=1), dtype=np.float32).ravel()
    # The terms of a place are not needed: names were looked up before.
    places = MainDirections(explanation.directions, np.empty((0, explanation.directions.shape[1]), np.float32))
    witnesses = Witnesses(damped, lengths, places)
    n_documents, n_classes = explanation.evidence.shape
    level = np.full((n_documents, n_parts), explanation.new_level, dtype=np.float32)
    # Documents that are hardly explained went to known topics for want of a better one; they must not teach these.
    trust = np.clip((explanation.fit - POOR_FIT) / (1.0 - POOR_FIT), _LEAST_TRUST, 1.0)
    known = explanation.shares * np.where(explanation.told >= 0, 1.0, trust).astype(np.float32)[:, None]
    guess = np.hstack([known, np.zeros((n_documents, n_parts), dtype=np.float32)])
    found = np.flatnonzero((part >= 0) & (explanation.told < 0))
    guess[found] = 0.0
    guess[found, n_classes + part[found]] = 1.0
    branches = np.concatenate([explanation.branches, n_branches + topic_of]).astype(np.int32)
    evidence = np.hstack([explanation.evidence, level])
    labels = Labels(explanation.told, np.ones(n_documents, dtype=np.float32))
    scores: Floats2d
    if n_novel and n_classes:
        rounds = int(np.clip(_DOCUMENTS_TAUGHT // max(n_documents, 1), _FEWEST_ROUNDS, ROUNDS))
        scores = learn(witnesses, evidence, branches, labels=labels, guess=guess, rounds=rounds)
    elif n_novel:
        scores = np.asarray(np.log(np.maximum(guess, 1e-6)) / SURENESS, dtype=np.float32)
    else:
        scores = explanation.scores
    shares = branch_shares(softmax(np.float32(SURENESS) * scores), branches, n_branches + n_novel)
    told = np.flatnonzero(explanation.told >= 0)
    shares[told] = 0.0
    shares[told, explanation.branches[explanation.told[told]]] = 1.0
    return shares


def _parts(explanation: Explanation, novel: Ints1d, n_novel: int) -> tuple[Ints1d, Ints1d]:
    """Cut broad new topics into parts: return the part of every document (-1 for none) and the topic of every part."""
    known = explanation.best()[novel < 0] if len(explanation.branches) else np.empty(0, dtype=np.int32)
    typical = float(np.median(np.unique(known, return_counts=True)[1])) if len(known) else np.inf
    part = np.full(len(novel), -1, dtype=np.int32)
    topic_of: list[int] = []
    for topic in range(n_novel):
        members = np.flatnonzero(novel == topic)
        n_parts = int(np.clip(round(len(members) / (_LEAVES_A_PART * typical)), 1, _MOST_PARTS))
        labels = np.zeros(len(members), dtype=np.int32)
        if n_parts > 1:
            places = np.ascontiguousarray(explanation.directions[members])
            labels = spherical_kmeans(places, n_parts, n_starts=1, max_iterations=_CUTTING_ROUNDS).labels
        part[members] = len(topic_of) + labels
        topic_of += [topic] * n_parts
    return part, np.array(topic_of, dtype=np.int32)


def _smoothed(values: Floats2d, directions: Floats2d) -> Floats2d:
    """Return what a ridge regression over all other documents foretells of each; one document alone says little."""
    if not len(values):
        return values
    with one_blas_thread():
        rows = np.hstack([directions, np.ones((len(directions), 1), dtype=np.float32)])
        inverse = np.linalg.inv(rows.T @ rows + _SMOOTHING * np.eye(rows.shape[1])).astype(np.float32)
        leverage = np.minimum(np.einsum("ij,ij->i", rows @ inverse, rows), 0.9)[:, None]
        foretold = rows @ (inverse @ (rows.T @ values))
    return np.asarray((foretold - leverage * values) / (1.0 - leverage), dtype=np.float32)
