"""Whether a novel group is proposed: one set of conditions at every node, each with its reason.

Unexplained by what is known, told apart from it, no part of a known leaf, saying no known name, not general, found
again, and not tiny.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from taxocom.expansion.discovery.affinity import Affinity
from taxocom.expansion.discovery.grouping import Group
from taxocom.numerics.arrays import Bools1d, Floats1d, Ints
from taxocom.tagging.practice import GATE

NOT_FOUND = 2.0
"""How well explained another reading calls a group that it does not find: better than any topic."""

TOLD_APART, TOLD_APART_BELOW = 0.65, 0.88
"""The least `Standing.distinctness`, at the root and below it. At roots 0.65 and 0.75 give bbc, dbpedia and arXiv the
same topics, and 20 Newsgroups a mean F1 of 0.82 and 0.71; at 0.85 it falls to 0.66. Siblings below the root are told
apart more easily, and so are wrong groups: over 36 removals of a second-level topic 0.8 admits 16 wrong groups, 0.85
nine, 0.88 four, and 0.9 as many, with two missing topics fewer."""

STRICTER_BELOW = 0.5
"""The share of the gate that a group below the root must stay under. Half of it is where single documents begin to fit
no topic (`explanation.POOR_FIT`): what a known leaf's name does not reach is explained a little by that leaf, what is
missing hardly at all."""

GENERAL_SPREAD = 0.25
"""The least `Standing.spread`. Of 140 groups that are told apart, all eight below it held no missing topic; the least
of one that did is 0.33."""

SAYS_A_NAME = 0.8
"""The most `Standing.says`; from 0.8 standard deviations on a difference is by convention called large. Over 630 groups
at the roots of seven corpora and of seven samples of four others that were admitted without it, 462 of them wrong, 0.7
leaves 166 wrong groups, 0.8 leaves 215 and 0.9 leaves 268; of 168 missing topics 126, 133 and 142."""

_IN_ITS_PLACE = 0.3
"""Groups of two readings are the same from this Jaccard overlap of their documents on."""


def gate_at(novelty_threshold: float) -> float:
    """Return how well explained a new topic's documents may be at most, for a threshold in [0, 1]; 0.5 is `GATE`."""
    return 2.0 * GATE * (1.0 - novelty_threshold)


@dataclass(frozen=True, eq=False)
class OtherReadings:
    """What the readings that were not kept say of a node's novel groups.

    `groups` (n_others, n_documents) has for each of them the novel group of every document, numbered on from one
    reading to the next, -1 where there is no group; `explained` (n_groups,) how well known topics explain these groups.
    """

    groups: Ints
    explained: Floats1d

    def explained_of(self, members: Bools1d) -> tuple[float, ...]:
        """Return for each reading how well the group in the place of `members`, a flag a document, is explained.

        That is the group with the largest share of common documents among those of either, if they are enough.
        """
        return tuple(self._in_its_place(groups, members) for groups in self.groups)

    def _in_its_place(self, groups: Ints, members: Bools1d) -> float:
        n_groups = len(self.explained)
        sizes = np.bincount(groups[groups >= 0], minlength=n_groups)
        common = np.bincount(groups[members & (groups >= 0)], minlength=n_groups)
        overlaps = common / np.maximum(sizes + members.sum() - common, 1)
        overlap, explained = max(zip(overlaps, -self.explained, strict=True), default=(0.0, -NOT_FOUND))
        return -float(explained) if overlap >= _IN_ITS_PLACE else NOT_FOUND


@dataclass(frozen=True)
class Standing:
    """How a novel group stands.

    `size_ratio` is its size beside a typical known leaf. `own_explained` is how well the known sub-topics explain its
    documents: 0 as those of topics that were hidden for practice, 1 as their own. `others` say the same of the groups
    in its place in the other readings. `distinctness` is the share of its documents that a classifier which has not
    seen them gives to the group rather than to any known child. `spread` tells its documents' known topics from those
    of all others (`kinship.spread`). `says` is how much more than others they say the known name they say most, and
    `name_of` the id of its topic (`kinship.Kinship`). `part_of` is the id of the known leaf that it is a part of,
    if it is one. More is asked of a group `below_root`, where siblings are alike.
    """

    n_documents: int
    size_ratio: float
    own_explained: float
    distinctness: float
    spread: float = float("inf")
    says: float = float("-inf")
    name_of: str | None = None
    part_of: str | None = None
    below_root: bool = False
    others: tuple[float, ...] = ()

    @property
    def explained(self) -> float:
        """What the readings of the node say together: what one of them finds alone may be an accident of its start."""
        return statistics.median((self.own_explained, *self.others))

    def shortcomings(self, *, size_floor: float, gate: float, labels: Mapping[str, str] | None = None) -> list[str]:
        """Say in plain words what the group lacks to be proposed; nothing, if it lacks nothing.

        `labels` are the names of the known topics by their ids.
        """
        if self.size_ratio < size_floor:
            return [
                f"it has {self.n_documents} documents, {self.size_ratio:.0%} of a typical known topic "
                f"(a new topic needs at least {size_floor:.0%})"
            ]
        if self.part_of is not None:
            return [f"it is a part of {(labels or {}).get(self.part_of, 'one known topic')}: look for it there"]
        if self.says > SAYS_A_NAME:
            return [f"its documents use the words of {(labels or {}).get(self.name_of or '', 'one known topic')}"]
        if self.distinctness < (TOLD_APART_BELOW if self.below_root else TOLD_APART):
            return [f"{1 - self.distinctness:.0%} of its documents are taken for those of a known topic"]
        if self.spread < GENERAL_SPREAD:
            return ["it is general: its documents are spread over the known topics as all others are"]
        if self.below_root:
            gate *= STRICTER_BELOW
        if self.explained < gate:
            return []
        if self.own_explained < gate:
            again = min(self.others) < NOT_FOUND
            return [f"it is {'less clear' if again else 'not found again'} when the documents are grouped once more"]
        covered = min(self.explained, 1.0)
        return [f"known topics cover {covered:.0%} of what it is about (a new topic may have less than {gate:.0%})"]


def told_apart(affinity: Affinity, members: Bools1d, group: Group, known: Sequence[Group]) -> float:
    """Return the share of the members, documents of `group`, that are given to it rather than to a known child."""
    tied = [facet for child in known for facet in child]
    evidence = affinity.evidence[members]
    own = evidence[:, list(group)].max(axis=1, initial=-np.inf)
    return float((own > evidence[:, tied].max(axis=1)).mean()) if tied and len(own) else 1.0
