"""Whether a novel group is proposed: unexplained by what is known, told apart from it, found again, and not tiny."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from taxocom.expansion.affinity import Affinity
from taxocom.expansion.grouping import Group
from taxocom.numerics.arrays import Bools1d, Floats1d, Ints
from taxocom.tagging.practice import GATE

NOT_FOUND = 2.0
"""How well explained another reading calls a group that it does not find: better than any topic."""

TOLD_APART = 0.75
"""The least `Standing.distinctness`: three in four of its documents. Over 48 groups that held a removed topic and 130
that did not, all but four of the former pass and half of the latter; at 0.7 two thirds of the latter would."""

_LOG_ODDS_UNIT = 0.1
_IN_ITS_PLACE = 0.3
"""Groups of two readings are the same from this Jaccard overlap of their documents on."""


def gate_at(novelty_threshold: float) -> float:
    """Return how well explained a new topic's documents may be at most, for a threshold in [0, 1]; 0.5 is `GATE`."""
    return 2.0 * GATE * (1.0 - novelty_threshold)


@dataclass(frozen=True, eq=False)
class OtherReadings:
    """What the readings that were not kept say of a node's novel groups.

    `groups` (n_others, n_documents) has for each of them the novel group of every document, numbered on from one
    reading to the next, -1 where there is none; `explained` (n_groups,) how well known topics explain these groups.
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
    seen them gives to the group rather than to any known child. `is_part` tells that it is a part of one known leaf.
    """

    n_documents: int
    size_ratio: float
    own_explained: float
    distinctness: float
    is_part: bool = False
    others: tuple[float, ...] = ()

    @property
    def explained(self) -> float:
        """The median over all readings of the node: what one of them finds alone may be an accident of its start."""
        return statistics.median((self.own_explained, *self.others))

    def shortcomings(self, *, size_floor: float, gate: float) -> list[str]:
        """Say in plain words what the group lacks to be proposed; nothing, if it lacks nothing."""
        if self.size_ratio < size_floor:
            return [
                f"it has {self.n_documents} documents, {self.size_ratio:.0%} of a typical known topic "
                f"(at least {size_floor:.0%} is asked)"
            ]
        if self.is_part:
            return ["it is a small part of one known topic: expand that topic to see its parts"]
        if self.distinctness < TOLD_APART:
            return [f"{1 - self.distinctness:.0%} of its documents are taken for those of a known topic"]
        if self.explained < gate:
            return []
        if self.own_explained < gate:
            again = min(self.others) < NOT_FOUND
            return [f"it is {'less clear' if again else 'not found again'} when the documents are grouped once more"]
        return [f"known topics explain it by {min(self.explained, 1.0):.0%} (less than {gate:.0%} is asked)"]


def told_apart(affinity: Affinity, members: Bools1d, group: Group, known: Sequence[Group]) -> float:
    """Return the share of the members, documents of `group`, that are given to it rather than to a known child."""
    tied = [facet for child in known for facet in child]
    evidence = affinity.evidence[members]
    own = evidence[:, list(group)].max(axis=1, initial=-np.inf)
    return float((own > evidence[:, tied].max(axis=1)).mean()) if tied and len(own) else 1.0


def explained_below_root(distinctness: float, named: float, n_facets: int) -> float:
    """Return how well explained a group below the root counts as, by what else can be told of it there.

    Names say too little among the sub-topics of one topic: over 164 groups the area under the curve of what they
    explain is 0.55. What tells there, and was fitted to 3,090 groups of two labelled corpora, are log-odds of how well
    a group is told apart, of the largest share of a known name's mentions that it holds (`named`), and of how many
    facets it was joined from.
    """
    log_odds = -6.2 - 2.4 * np.log(1.04 - distinctness) - 6.6 * named + 1.1 * np.log(max(n_facets, 1))
    return float(GATE - _LOG_ODDS_UNIT * log_odds)
