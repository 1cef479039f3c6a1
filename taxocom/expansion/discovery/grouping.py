"""From facets to topics: which facets a known topic explains, and which belong together as a new one.

The known topics set the grain. How strongly the parts of one known topic are confused with each other (`within`) and
with the parts of its siblings (`between`) says what "the same topic" and "another topic" mean at this node, so no
threshold has to be chosen for broad and narrow siblings alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from taxocom.expansion.discovery.affinity import Affinity, links_of_groups
from taxocom.numerics.arrays import Doubles, Ints1d

Group = tuple[int, ...]


@dataclass(frozen=True)
class Grain:
    """Typical links between parts of one topic and between parts of siblings, on the scale of `Affinity.links`."""

    within: float
    between: float

    def threshold(self, novelty_threshold: float) -> float:
        """Return the link above which a facet counts as explained: at 0.5, three tenths of the way to `within`."""
        return self.between + (0.8 - novelty_threshold) * (self.within - self.between)


PRIOR_GRAIN = Grain(within=0.6, between=0.3)
_PRIOR_TOPICS = 1.0

LEANING = 0.15
"""By how much a link must exceed the next for a group to lean clearly to one side."""


@dataclass(frozen=True)
class Grouping:
    """`known[k]` are the facets that known child k explains, `novel` the groups that no child does, strongest first."""

    known: tuple[Group, ...]
    novel: tuple[Group, ...]


def measure_grain(affinity: Affinity, children: Sequence[Sequence[Group]], prior: Grain = PRIOR_GRAIN) -> Grain:
    """Measure the grain from the known children, each given as its parts (sub-topics), each part as its facets.

    Links are measured as `group_facets` does. A child with one part is measured by that part's own facets. Few
    children say little, so both values are drawn towards `prior` as if it were one more part.
    """
    links, sizes = affinity.links, affinity.sizes
    within: list[float] = []
    between: list[float] = []
    for child, parts in enumerate(children):
        occupied = [part for part in parts if part]
        others = tuple(f for other, rest in enumerate(children) if other != child for part in rest for f in part)
        if len(occupied) > 1:
            for part in occupied:
                siblings = tuple(f for other in occupied if other is not part for f in other)
                within.append(_mean_strongest(links, sizes, part, siblings))
        elif occupied and len(occupied[0]) > 1:
            only = occupied[0]
            within.append(float(np.median([max(links[f, g] for g in only if g != f) for f in only])))
        if others:
            between.extend(_mean_strongest(links, sizes, part, others) for part in occupied)
    return Grain(_shrunk(within, prior.within), _shrunk(between, prior.between))


def _shrunk(values: Sequence[float], prior: float) -> float:
    finite = [value for value in values if np.isfinite(value)]
    if not finite:
        return prior
    return (len(finite) * float(np.median(finite)) + _PRIOR_TOPICS * prior) / (len(finite) + _PRIOR_TOPICS)


def group_facets(
    affinity: Affinity,
    children: Sequence[Group],
    free: Sequence[int],
    *,
    grain: Grain,
    novelty_threshold: float = 0.5,
    unexplained: frozenset[int] = frozenset(),
) -> Grouping:
    """Join free facets to known children and to each other, strongest link first, while the grain calls them the same.

    A group's link to a child is the mean over its facets of the strongest link to a facet *tied* to that child: what
    has joined a child does not draw others after it, or one doubtful facet would bring a whole missing topic along.
    Nor does a link below chance join anything to a child, however far apart the known ones are. Facets that are clearly
    `unexplained` join each other and never a child.
    """
    groups: list[Group] = [(facet,) for facet in free if affinity.sizes[facet] > 0]
    joined: list[Group] = [tuple(child) for child in children]
    state = _Links(affinity, groups, children, unexplained)
    threshold = grain.threshold(novelty_threshold)
    while groups:
        best_child, best_group = state.to_child.max(initial=-np.inf), state.to_group.max(initial=-np.inf)
        explained = best_child >= max(threshold, 0.0)
        if not explained and best_group < threshold:
            break
        if explained and best_child >= best_group:
            gone, child = (int(i) for i in np.unravel_index(state.to_child.argmax(), state.to_child.shape))
            joined[child] += groups[gone]
            state.drop(gone)
        else:
            state.join_nearest()
    return Grouping(tuple(joined), _largest_first(groups, affinity))


class _Links:
    """The links of groups to the children and to each other, kept up as groups are joined and dropped."""

    def __init__(
        self, affinity: Affinity, groups: list[Group], children: Sequence[Group], unexplained: frozenset[int]
    ) -> None:
        self._unexplained = unexplained
        self._links, self._sizes = affinity.links, affinity.sizes
        self._groups, self._children = groups, children
        self.to_child = np.array([self._child_links(group) for group in groups]).reshape(len(groups), len(children))
        # At first every group is one facet, and the mutual link of two facets is their link.
        alone = [group[0] for group in groups]
        self.to_group = self._links[np.ix_(alone, alone)]
        # For each facet in play its group, its size, and its strongest link to a facet of every group.
        self._member = np.arange(len(groups))
        self._mass = self._sizes[alone].astype(np.float64)
        self._strongest = self.to_group.copy()

    def join_nearest(self) -> None:
        """Join the two groups whose link is strongest."""
        one, gone = sorted(int(i) for i in np.unravel_index(self.to_group.argmax(), self.to_group.shape))
        self._groups[one] += self._groups[gone]
        self._member[self._member == gone] = one
        self._strongest[:, one] = np.maximum(self._strongest[:, one], self._strongest[:, gone])
        self.to_child[one] = self._child_links(self._groups[one])
        self.to_group[one] = self.to_group[:, one] = self._mutual(one)
        self.to_group[one, one] = -np.inf
        self._forget(gone)

    def drop(self, gone: int) -> None:
        """Forget a group and its facets."""
        stays = self._member != gone
        self._member, self._mass, self._strongest = self._member[stays], self._mass[stays], self._strongest[stays]
        self._forget(gone)

    def _forget(self, gone: int) -> None:
        self._groups.pop(gone)
        self._member[self._member > gone] -= 1
        self._strongest = np.delete(self._strongest, gone, axis=1)
        self.to_child = np.delete(self.to_child, gone, axis=0)
        self.to_group = np.delete(np.delete(self.to_group, gone, axis=0), gone, axis=1)

    def _child_links(self, group: Group) -> list[float]:
        if self._unexplained.intersection(group):
            return [-np.inf] * len(self._children)
        return [_mean_strongest(self._links, self._sizes, group, child) for child in self._children]

    def _mutual(self, one: int) -> Doubles:
        """Return a group's link to every group: the mean over the facets of both of their strongest link across."""
        mine, n_groups = self._member == one, len(self._groups)
        theirs = np.where(mine, 0.0, self._mass * self._strongest[:, one])
        inwards = np.bincount(self._member, weights=theirs, minlength=n_groups)
        outwards = self._mass[mine] @ np.where(np.arange(n_groups) == one, 0.0, self._strongest[mine])
        masses = np.bincount(self._member, weights=self._mass, minlength=n_groups)
        return np.asarray((inwards + outwards) / (masses + masses[one]))


def join_pieces(
    affinity: Affinity, facet_labels: Ints1d, parts: Sequence[Sequence[Group]], grouping: Grouping
) -> Grouping:
    """Join novel groups that are pieces of one missing topic, as the parts of the known topics show what a piece is.

    Two groups are joined when they are more to each other than to any known part, and at least half as near, between
    strangers and kin, as the parts of one known topic are. Without known topics of several parts nobody can tell.
    """
    owners = [child for child, own in enumerate(parts) for part in own if part]
    known = [part for own in parts for part in own if part]
    same = np.equal.outer(owners, owners) & ~np.eye(len(known), dtype=bool)
    strangers = np.not_equal.outer(owners, owners)
    novel = list(grouping.novel)
    while len(novel) > 1 and same.any() and strangers.any():
        links = links_of_groups(affinity, facet_labels, [*known, *novel])
        among_known = links[: len(known), : len(known)]
        kin = np.median([row[mask].max() for row, mask in zip(among_known, same, strict=True) if mask.any()])
        strange = np.median([row[mask].max() for row, mask in zip(among_known, strangers, strict=True) if mask.any()])
        to_known, to_novel = links[len(known) :, : len(known)], links[len(known) :, len(known) :]
        one, other = sorted(int(i) for i in np.unravel_index(to_novel.argmax(), to_novel.shape))
        nearest = to_novel[one, other]
        if nearest < (kin + max(strange, 0.0)) / 2 or nearest < to_known[[one, other]].max() or kin <= strange:
            break
        novel[one] += novel.pop(other)
    return Grouping(grouping.known, _largest_first(novel, affinity))


def _largest_first(groups: Sequence[Group], affinity: Affinity) -> tuple[Group, ...]:
    return tuple(sorted(groups, key=lambda group: (-int(affinity.sizes[list(group)].sum()), group)))


def _mean_strongest(links: Doubles, sizes: Ints1d, group: Group, others: Group) -> float:
    occupied = [facet for facet in group if sizes[facet] > 0]
    if not others or not occupied:
        return -np.inf
    return float(np.average(links[np.ix_(occupied, others)].max(axis=1), weights=sizes[occupied]))


def links_to_children(affinity: Affinity, group: Group, tied: Sequence[Group]) -> Doubles:
    """Return a group's link to each known child, as `group_facets` measures it."""
    return np.array([_mean_strongest(affinity.links, affinity.sizes, group, child) for child in tied])
