"""What one reading of a node finds: the groups of facets that no known topic explains, and how each of them stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from taxocom.expansion.evidence import NodeEvidence
from taxocom.expansion.grouping import (
    LEANING,
    Grain,
    Group,
    Grouping,
    group_facets,
    join_pieces,
    links_to_children,
    measure_grain,
)
from taxocom.expansion.strength import Strength, measure_strength
from taxocom.taxonomy.tree import ROOT_ID

_LARGEST_PART = 2.0
_UNKNOWN_SIBLINGS = 8


@dataclass(frozen=True)
class NovelGroups:
    """The facets of a node at one threshold: those of every known child and the groups of those that no child explains.

    `tied[k]` are the facets that belong to child k by its names, `known[k]` all that it explains, `free` those tied to
    none; `novel` is largest first. `typical_size` is the number of documents of a typical known child.
    """

    tied: tuple[Group, ...]
    free: Group
    grain: Grain
    known: tuple[Group, ...]
    novel: tuple[Group, ...]
    typical_size: float


def find_novel_groups(evidence: NodeEvidence, novelty_threshold: float) -> NovelGroups:
    """Group the facets of a node by the grain of its known children."""
    parts = evidence.parts()
    grain = measure_grain(evidence.affinity, parts)
    tied = tuple(tuple(facet for part in child for facet in part) for child in parts)
    free = tuple(int(facet) for facet in np.flatnonzero(evidence.facets.owners < 0))
    grouping = group_facets(evidence.affinity, tied, free, grain=grain, novelty_threshold=novelty_threshold)
    grouping = join_pieces(evidence.affinity, evidence.facets.labels, parts, grouping)
    grouping = _settle_below(evidence, grouping, tied, grain)
    return NovelGroups(tied, free, grain, grouping.known, grouping.novel, _typical_size(evidence, grouping))


def weigh_group(evidence: NodeEvidence, groups: NovelGroups, group: Group) -> Strength:
    """Measure how a group stands, one of the novel ones or one made by hand, and what the other readings say of it."""
    own = measure_strength(
        evidence.affinity,
        evidence.facets.labels,
        group,
        groups.tied,
        mentions=evidence.mentions,
        typical_size=groups.typical_size,
        below_root=evidence.node_id != ROOT_ID,
    )
    if evidence.others is None:
        return own
    return replace(own, others=evidence.others.log_odds_of(np.isin(evidence.facets.labels, group)))


def _settle_below(evidence: NodeEvidence, grouping: Grouping, tied: Sequence[Group], grain: Grain) -> Grouping:
    """Give to a child with sub-topics every group that leans clearly to that one child and to no other.

    A missing sibling is about as far from all known ones; what leans to one of them, and is no larger than its
    sub-topics are, is a part of it, to be found when that child is expanded.
    """
    if len(tied) < 2:
        return grouping
    known = list(grouping.known)
    n_parts = np.bincount(evidence.direction_child, minlength=len(tied))
    novel = []
    for group in grouping.novel:
        links = links_to_children(evidence.affinity, group, tied)
        first, second = np.argsort(-links, kind="stable")[:2]
        leans = links[first] - links[second] >= LEANING and links[first] >= grain.between
        own = evidence.affinity.sizes[list(grouping.known[first])].sum() / max(n_parts[first], 1)
        of_its_grain = evidence.affinity.sizes[list(group)].sum() <= _LARGEST_PART * own
        if leans and of_its_grain and not evidence.is_leaf[first]:
            known[first] += group
        else:
            novel.append(group)
    return Grouping(tuple(known), tuple(novel))


def _typical_size(evidence: NodeEvidence, grouping: Grouping) -> float:
    """Return the documents of a typical known child; without any, an even share of the node."""
    sizes = [int(evidence.affinity.sizes[list(group)].sum()) for group in grouping.known if group]
    return float(np.median(sizes)) if sizes else len(evidence.documents) / _UNKNOWN_SIBLINGS
