"""Where every facet goes once it is decided which novel groups are topics.

Facets are grouped before any of that is known: each has joined a known child, or a group that no child explains. Then
some of these groups are chosen and others refused, and for the facets outside the chosen ones the question is
another: a missing topic that was found is as good a home as a known one, and what was refused here may be a sub-topic
that is missing below.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from taxocom.expansion.evidence import NodeEvidence
from taxocom.expansion.grouping import Group, explained_by_known, links_to_children
from taxocom.expansion.novel_groups import NovelGroups
from taxocom.expansion.proposal import GENERAL
from taxocom.numerics.arrays import Ints1d

_LEAD = 0.05
_OF_A_SIBLING = 0.5


def settle_facets(
    evidence: NodeEvidence,
    groups: NovelGroups,
    chosen: Sequence[Group],
    refused: Sequence[Group],
    *,
    novelty_threshold: float,
) -> Ints1d:
    """Return the cluster of every facet: the number of a known child, one of the `chosen` groups', or `GENERAL`."""
    clusters = np.full(len(evidence.facets), GENERAL, dtype=np.int32)
    for number, group in enumerate([*groups.known, *chosen]):
        clusters[list(group)] = number
    _draw_to_chosen(clusters, evidence, groups, chosen, max(groups.grain.threshold(novelty_threshold), 0.0))
    for group in refused:
        below = _child_to_look_in(evidence, groups, group)
        if below is not None:
            clusters[list(group)] = below
    return clusters


def _child_to_look_in(evidence: NodeEvidence, groups: NovelGroups, group: Group) -> int | None:
    """Return the nearest child, if it has sub-topics and is nearer than chance: there the group is weighed again.

    Left at the node itself its documents would be seen by no expansion any more, and a missing sub-topic among them be
    lost on both levels.
    """
    links = links_to_children(evidence.affinity, group, groups.tied)
    if links.max(initial=-np.inf) <= 0.0:
        return None
    nearest = int(links.argmax())
    return None if evidence.is_leaf[nearest] else nearest


def _draw_to_chosen(
    clusters: Ints1d, evidence: NodeEvidence, groups: NovelGroups, chosen: Sequence[Group], threshold: float
) -> None:
    """Move, in place, what is clearly nearer to a missing sibling than to any known child out of children to expand.

    What is left of a missing sibling among the documents of a child with sub-topics comes back as a wrong one of those.
    A group much smaller than the children is of their sub-topics' grain and leaves nothing of the kind behind.
    """
    links, sizes = evidence.affinity.links, evidence.affinity.sizes
    known = explained_by_known(evidence.affinity, groups.tied, groups.free)
    siblings = {
        evidence.n_known + number: list(group)
        for number, group in enumerate(chosen)
        if sizes[list(group)].sum() >= _OF_A_SIBLING * groups.typical_size
    }
    expandable = np.flatnonzero(~evidence.is_leaf)
    for facet in np.intersect1d(groups.free, np.flatnonzero(np.isin(clusters, expandable))):
        link, cluster = max(
            ((links[facet, group].max(), number) for number, group in siblings.items()), default=(-np.inf, 0)
        )
        if link >= max(threshold, known[facet] + _LEAD):
            clusters[facet] = cluster
