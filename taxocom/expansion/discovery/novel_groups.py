"""What one reading of a node finds: the groups of facets that no known topic explains, and how each of them stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from taxocom.expansion.discovery.admission import Standing, gate_at, told_apart
from taxocom.expansion.discovery.facets import FREE
from taxocom.expansion.discovery.grouping import (
    LEANING,
    Grain,
    Group,
    Grouping,
    group_facets,
    join_pieces,
    links_to_children,
    measure_grain,
)
from taxocom.expansion.discovery.kinship import PART, measure_kinship, spread
from taxocom.expansion.discovery.node_evidence import NodeEvidence
from taxocom.numerics.arrays import Bools1d, Ints1d
from taxocom.tagging.explanation import Explanation
from taxocom.taxonomy.tree import ROOT_ID

_DEFAULT_THRESHOLD = 0.5
_LARGEST_PART = 2.0
_LEAD = 0.05
_LARGEST_BODY = 1.5
_LEFT_OF_A_TOPIC = 0.4
"""A known topic keeps at least this share of a typical one's documents, or it counts as emptied."""

_SAID_BY_PEOPLE = 0.25
_UNKNOWN_SIBLINGS = 8


@dataclass(frozen=True)
class NovelGroups:
    """The facets of a node at one threshold: those of every known child and the groups of those that no child explains.

    `tied[k]` are the facets that child k explains by itself, `known[k]` those and what joined them, `free` those tied
    to none; `novel` is largest first. `typical_size` is the number of documents of a typical known topic.
    """

    tied: tuple[Group, ...]
    free: Group
    grain: Grain
    known: tuple[Group, ...]
    novel: tuple[Group, ...]
    typical_size: float


def find_novel_groups(evidence: NodeEvidence, novelty_threshold: float) -> NovelGroups:
    """Group the facets of a node by what its known children explain, and by their grain."""
    gate = gate_at(novelty_threshold)
    owners = explained_owners(evidence, gate)
    parts = evidence.parts(owners)
    grain = measure_grain(evidence.affinity, parts)
    tied = tuple(tuple(facet for part in child for facet in part) for child in parts)
    free = tuple(int(facet) for facet in np.flatnonzero(owners == FREE))
    unexplained = _clearly_unexplained(evidence, gate)
    grouping = group_facets(
        evidence.affinity,
        tied,
        free,
        grain=grain,
        novelty_threshold=_DEFAULT_THRESHOLD if evidence.node_id == ROOT_ID else novelty_threshold,
        unexplained=unexplained,
    )
    grouping = join_pieces(evidence.affinity, evidence.facets.labels, parts, grouping)
    grouping = _settle_below(evidence, _without_bodies(evidence, grouping), tied, grain)
    return NovelGroups(tied, free, grain, grouping.known, grouping.novel, _typical_size(evidence, grouping))


def explained_owners(evidence: NodeEvidence, gate: float) -> Ints1d:
    """Return the class that owns each facet, `FREE` for those that no known topic explains well enough.

    A facet whose documents are explained, on average, belongs to the class that has most of them. One that was tied to
    a name and is not explained is let go, as long as that name has another. Below the root names say too little to
    tell which facets are whose, and facets stay tied to the names they were found by.
    """
    owners = evidence.facets.owners.copy()
    explanation = evidence.explanation
    if explanation is None or not len(explanation.branches) or evidence.node_id != ROOT_ID:
        return owners
    labels, n_facets = evidence.facets.labels, len(evidence.facets)
    sizes = np.maximum(np.bincount(labels, minlength=n_facets), 1)
    explained = np.bincount(labels, weights=explanation.explained, minlength=n_facets) / sizes
    members = np.equal.outer(np.arange(n_facets), labels).astype(np.float32)
    classes = (members @ explanation.shares).argmax(axis=1)
    if len(evidence.direction_child) == evidence.n_known:
        # Every child has one direction, whatever lies below it.
        classes = explanation.branches[classes]
    occupied = np.bincount(labels, minlength=n_facets) > 0
    known = occupied & (explained >= gate)
    owners[known] = classes[known]
    for facet in np.flatnonzero(occupied & ~known):
        if owners[facet] != FREE and (occupied & (owners == owners[facet])).sum() > 1:
            owners[facet] = FREE
    return owners


def _clearly_unexplained(evidence: NodeEvidence, gate: float) -> frozenset[int]:
    """Return the facets explained less than half as well as a new topic may be."""
    if evidence.explanation is None or evidence.node_id != ROOT_ID:
        return frozenset()
    labels, n_facets = evidence.facets.labels, len(evidence.facets)
    sizes = np.bincount(labels, minlength=n_facets)
    fit = np.bincount(labels, weights=evidence.explanation.fit, minlength=n_facets) / np.maximum(sizes, 1)
    return frozenset(np.flatnonzero((sizes > 0) & (fit < gate / 2)).tolist())


def _without_bodies(evidence: NodeEvidence, grouping: Grouping) -> Grouping:
    """Give back to a known leaf every group that is its body: without it the leaf would be left with next to nothing.

    The name of a topic may say little of its documents ("athlete" of footballers). If most of a group was given to one
    leaf, hardly anything else was, and that little is kin to the group, the group is what that name means here. So it
    is if people put a good part of it there. A topic with sub-topics has their documents, and is not left empty.
    """
    explanation = evidence.explanation
    if explanation is None or len(explanation.branches) < 2:
        return grouping
    best = explanation.best()
    sizes = np.bincount(best, minlength=len(explanation.branches))
    typical = float(np.median(sizes[sizes > 0]))
    facets = tuple(facet for group in grouping.novel for facet in group)
    parents = {child for child, is_leaf in zip(evidence.children, evidence.is_leaf, strict=True) if not is_leaf}
    known, novel = list(grouping.known), []
    for group in grouping.novel:
        members = np.isin(evidence.facets.labels, group)
        taken = np.bincount(best[members], minlength=len(sizes))
        main = int(taken.argmax())
        is_most = taken[main] > taken.sum() / 2 and sizes[main] - taken[main] < _LEFT_OF_A_TOPIC * typical
        of_a_leaf = explanation.node_ids[main] not in parents and taken.sum() <= _LARGEST_BODY * typical
        said = (explanation.told[members] == main).mean() >= _SAID_BY_PEOPLE
        if said or (
            is_most and of_a_leaf and measure_kinship(evidence, explanation, facets, group).closeness[main] >= PART
        ):
            known[explanation.branches[main]] += group
        else:
            novel.append(group)
    return Grouping(tuple(known), tuple(novel))


def _is_a_branch(explanation: Explanation, leaf: int, size_ratio: float) -> bool:
    """Tell whether a group is too large for the body of a known leaf that has siblings: then it is a branch of its own.

    The words of a leaf's name may be words of a whole missing branch (*mechanism design* and physics).
    """
    has_siblings = int((explanation.branches == explanation.branches[leaf]).sum()) > 1
    return has_siblings and size_ratio > _LARGEST_PART


def weigh_group(evidence: NodeEvidence, groups: NovelGroups, group: Group) -> Standing:
    """Measure how a group stands, one of the novel ones or one made by hand, and what the other readings say of it."""
    members = np.isin(evidence.facets.labels, group)
    n_documents = int(members.sum())
    own = Standing(
        n_documents=n_documents,
        size_ratio=n_documents / max(groups.typical_size, 1.0),
        own_explained=_explained(evidence, members),
        distinctness=told_apart(evidence.affinity, members, group, groups.tied),
        below_root=evidence.node_id != ROOT_ID,
    )
    explanation = evidence.explanation
    if explanation is not None and len(explanation.branches) > 1 and n_documents:
        novel = tuple(facet for other in groups.novel for facet in other)
        kinship = measure_kinship(evidence, explanation, novel, group)
        leaf = kinship.part_of(n_documents)
        own = replace(
            own,
            part_of=None if leaf is None else explanation.node_ids[leaf],
            spread=spread(explanation, members),
            says=float("-inf") if _is_a_branch(explanation, kinship.loudest, own.size_ratio) else kinship.says,
            name_of=explanation.node_ids[kinship.loudest],
        )
    if evidence.others is None:
        return own
    return replace(own, others=evidence.others.explained_of(members))


def draw_to_chosen(evidence: NodeEvidence, groups: NovelGroups, chosen: Sequence[Group]) -> list[Group]:
    """Add to each chosen group the facets that are clearly nearer to it than to whatever says a known name.

    They were taken for explained while nothing better was there. Left behind, they would come back as wrong sub-topics
    of the topics they went to. At the root alone, where a name decides what is explained.
    """
    grown = [list(group) for group in chosen]
    if evidence.node_id != ROOT_ID or not chosen:
        return [tuple(group) for group in grown]
    links, named = evidence.affinity.links, np.flatnonzero(evidence.facets.owners != FREE)
    taken = {facet for group in groups.novel for facet in group} | set(named.tolist())
    for facet in range(len(evidence.facets)):
        if facet in taken or evidence.affinity.sizes[facet] == 0:
            continue
        nearest = [links[facet, list(group)].max() for group in chosen]
        best = int(np.argmax(nearest))
        to_named = links[facet, named].max() if len(named) else -np.inf
        if nearest[best] >= max(groups.grain.threshold(_DEFAULT_THRESHOLD), to_named + _LEAD, 0.0):
            grown[best].append(facet)
    return [tuple(group) for group in grown]


def _explained(evidence: NodeEvidence, members: Bools1d) -> float:
    """Return how well the known sub-topics explain the members, on average.

    A single one could not be hidden for practice, so its name is held against nobody.
    """
    if evidence.explanation is None or evidence.n_known < 2 or not members.any():
        return 0.0
    return float(evidence.explanation.fit[members].mean())


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
    """Return the documents of a typical known topic, as the tagger has them; without any, an even share of the node.

    Leaves are counted and not the children above them: what is missing may be as small as a leaf. Documents of novel
    groups are left out: as long as these are not in the tree, they swell the topics that they were given to.
    """
    explanation = evidence.explanation
    if explanation is not None and len(explanation.branches):
        outside = ~np.isin(evidence.facets.labels, [facet for group in grouping.novel for facet in group])
        sizes = np.bincount(explanation.best()[outside], minlength=len(explanation.branches))
        if sizes.any():
            return float(np.median(sizes[sizes > 0]))
    known = [int(evidence.affinity.sizes[list(group)].sum()) for group in grouping.known if group]
    return float(np.median(known)) if known else len(evidence.documents) / _UNKNOWN_SIBLINGS
