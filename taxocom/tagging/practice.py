"""Practice on the user's own tree: each known sibling is hidden in turn, to see what a missing topic looks like here.

No label is needed. Where a topic is hidden, its documents fall to its siblings, and the names of those say little of
them; the documents of a known topic hear their own names. The two levels differ from corpus to corpus; between them
lies what tells a missing topic from the body of a known one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from taxocom.numerics.arrays import UNASSIGNED, Bools1d, Floats1d, Floats2d, Ints1d
from taxocom.tagging.model import Labels, learn, softmax
from taxocom.tagging.names import TopicClass
from taxocom.tagging.tagger import Tags, branch_shares
from taxocom.tagging.witnesses import Witnesses

GATE = 0.7
"""How well explained a group of documents may be, at most, to be a missing topic: 0 as those of hidden topics are, 1 as
those of known ones. Between 0.7 and 0.8 the mean F1 of removed topics over four corpora stays within 0.02."""

_MOST_HIDDEN = 8
_PRACTISED_ON = 4_000
_ROUNDS = 4


@dataclass(frozen=True, eq=False)
class Trial:
    """One hiding: the sub-topic `branch` was hidden, and `tags` is what the others say of the documents `rows`.

    `level` is what their names say, on average, of the documents of the hidden one.
    """

    branch: int
    rows: Ints1d
    tags: Tags
    level: float


@dataclass(frozen=True, eq=False)
class Practice:
    """What practice showed at a node.

    `known` (n_branches,) is how much the names of each known sub-topic say, on average, of its own documents; `hidden`
    what names say of the documents of a topic that is not in the tree. `trials` are the hidings that told it.
    """

    known: Floats1d
    hidden: float
    trials: tuple[Trial, ...] = ()

    def without(self, branch: int) -> Practice:
        """Return what it would be in a tree that lacks a sub-topic, which cannot be hidden there."""
        levels = [trial.level for trial in self.trials if trial.branch != branch]
        return Practice(np.delete(self.known, branch), float(np.mean(levels)) if levels else self.hidden)

    def explained(self, heard: Floats1d, branch: Ints1d) -> Floats1d:
        """Return how well each document is explained by the branch it went to: 0 as if hidden, 1 as if known.

        `heard` is what the names of that branch say of it. Few documents say little of a branch, so its level is drawn
        half way to that of all.
        """
        if not len(self.known):
            return np.zeros(len(heard), dtype=np.float32)
        levels = (self.known + self.known.mean()) / 2
        span = np.maximum(levels - self.hidden, 0.1)
        return np.asarray((heard - self.hidden) / span[branch], dtype=np.float32)

    def level(self, share: float) -> float:
        """Return the evidence at which documents are explained that well, on average over the branches."""
        return float(self.hidden + share * (self.known.mean() - self.hidden)) if len(self.known) else 0.0


def heard_by_branch(tags: Tags, n_branches: int) -> Floats2d:
    """Return what the best name of each branch says of every document, shape (n_documents, n_branches)."""
    branches = tags.branches
    found = np.full((len(tags.evidence), n_branches), -np.inf, dtype=np.float32)
    for branch in range(n_branches):
        members = np.flatnonzero(branches == branch)
        if len(members):
            found[:, branch] = tags.evidence[:, members].max(axis=1)
    return found


def practise(witnesses: Witnesses, tags: Tags, n_branches: int, hidden_level: float | None = None) -> Practice:
    """Hide the sub-topics of a node one at a time, some of them where there are many.

    Nothing is hidden if it is known what names say of the documents of hidden topics (`hidden_level`).
    """
    shares = branch_shares(softmax(tags.scores), tags.branches, n_branches)
    heard = heard_by_branch(tags, n_branches)
    branch = shares.argmax(axis=1)
    own = heard[np.arange(len(heard)), branch]
    overall = float(own.mean()) if len(own) else 0.0
    known = np.array([own[branch == each].mean() if (branch == each).any() else overall for each in range(n_branches)])
    if hidden_level is not None:
        return Practice(known.astype(np.float32), hidden_level)
    if n_branches < 2:
        return Practice(known.astype(np.float32), _without_siblings(own))
    rows = np.arange(len(heard), dtype=np.int32)
    if len(rows) > _PRACTISED_ON:
        rows = np.sort(np.random.default_rng(0).choice(len(rows), _PRACTISED_ON, replace=False)).astype(np.int32)
    part, some = witnesses.of(rows), _some(tags, rows)
    held = np.unique(branch[rows])
    hidden = held[np.unique(np.linspace(0, len(held) - 1, min(len(held), _MOST_HIDDEN)).round().astype(int))]
    trials = []
    for each in hidden.tolist():
        left = _hide(part, some, each)
        trials.append(Trial(each, rows, left, _level_when_hidden(left, branch[rows] == each, n_branches - 1)))
    return Practice(known.astype(np.float32), float(np.mean([trial.level for trial in trials])), tuple(trials))


def _some(tags: Tags, rows: Ints1d) -> Tags:
    labels = Labels(tags.labels.topics[rows], tags.labels.weights[rows])
    return Tags(tags.tree, tags.node_id, tags.classes, tags.evidence[rows], tags.scores[rows], labels)


def _hide(witnesses: Witnesses, tags: Tags, hidden: int) -> Tags:
    """Learn once more without a sub-topic, from what was known with it."""
    stay = np.flatnonzero(tags.branches != hidden)
    number = np.full(len(tags.classes), UNASSIGNED, dtype=np.int32)
    number[stay] = np.arange(len(stay))
    topics = np.where(tags.labels.topics >= 0, number[tags.labels.topics], UNASSIGNED).astype(np.int32)
    labels = Labels(topics, tags.labels.weights)
    classes = tuple(
        TopicClass(each.node_id, each.branch - (each.branch > hidden)) for each in tags.classes if each.branch != hidden
    )
    evidence = tags.evidence[:, stay]
    left = Tags(tags.tree, tags.node_id, classes, evidence, tags.scores[:, stay], labels)
    guess = softmax(left.scores)
    return replace(left, scores=learn(witnesses, evidence, left.branches, labels=labels, guess=guess, rounds=_ROUNDS))


def _level_when_hidden(left: Tags, own: Bools1d, n_branches: int) -> float:
    """Return what the other names say of the documents of the sub-topic that is not in the tree."""
    where = branch_shares(softmax(left.scores), left.branches, n_branches).argmax(axis=1)
    return float(heard_by_branch(left, n_branches)[np.arange(len(own)), where][own].mean())


def _without_siblings(heard: Floats1d) -> float:
    """Return the level of what is hidden where there is nothing to hide: that of the half that hears the name least."""
    return float(heard[heard <= np.median(heard)].mean()) if len(heard) else 0.0
