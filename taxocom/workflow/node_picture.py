"""What the map and the cards show of a node: its topics as they are now, what waits beside them, and who holds what."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from taxocom.expansion.proposals.accepting import fitting_parent, topic_of
from taxocom.expansion.proposals.colours import give_slots, slots_in_tree
from taxocom.expansion.proposals.proposal import Kind, NodeExpansion, TopicCluster
from taxocom.numerics.arrays import UNASSIGNED, Ints1d
from taxocom.store.projects.document_places import DocumentPlaces
from taxocom.store.projects.topic_timeline import Periods, since_when

NOWHERE = UNASSIGNED
"""The number of no group: it is also what a proposal gives to terms and documents of no cluster."""


@dataclass(frozen=True)
class Group:
    """A sub-topic of the node as it is in the tree, or a cluster that waits; `slot` is its place in the palette."""

    group_id: str
    kind: Kind
    label: str
    n_documents: int
    slot: int


@dataclass(frozen=True, eq=False)
class NodePicture:
    """The groups of a node, and for its documents and terms, row by row of the proposal, the group each is in.

    `below` numbers the topic under its group that a document is in, by `names_below`. `NOWHERE` is for none.
    """

    groups: tuple[Group, ...]
    documents: Ints1d
    terms: Ints1d
    below: Ints1d
    names_below: tuple[str, ...]

    def slots(self) -> dict[str, int]:
        """Return the place in the palette of every group."""
        return {group.group_id: group.slot for group in self.groups}

    def leaving(self) -> dict[str, int]:
        """Return of how many documents of each topic the map says that they would go to what waits."""
        drawn = np.bincount(self.documents[self.documents >= 0], minlength=len(self.groups)).tolist()
        known = [(group, n) for group, n in zip(self.groups, drawn, strict=True) if group.kind == "known"]
        return {group.group_id: max(group.n_documents - n, 0) for group, n in known}


def with_counts(expansion: NodeExpansion, places: DocumentPlaces, periods: Periods | None = None) -> NodeExpansion:
    """Return a proposal whose clusters say how many documents a topic holds now, or would hold once accepted.

    With the `periods` of the project's documents the new ones also say since when. These are the numbers that the
    tree, the Documents page and every export have, before and after a commit.
    """
    counts = places.counts()

    def counted(number: int, cluster: TopicCluster) -> TopicCluster:
        if cluster.kind == "known":
            return replace(cluster, n_documents=counts.get(cluster.cluster_id, 0))
        rows = arriving(expansion, number, places)
        since = since_when(periods, rows) if periods else None
        return replace(cluster, n_documents=len(rows), since=since.said() if since else "")

    return replace(expansion, clusters=tuple(counted(n, cluster) for n, cluster in enumerate(expansion.clusters)))


def arriving(expansion: NodeExpansion, number: int, places: DocumentPlaces) -> Ints1d:
    """Return the documents, as rows of the corpus, that would go along if a proposed cluster were accepted."""
    cluster = expansion.clusters[number]
    rows = expansion.documents.documents[expansion.documents.cluster == number]
    parent = fitting_parent(cluster, expansion.node_id, places.tree)
    return np.asarray(rows[places.may_go_to(parent)[rows]], dtype=np.int32)


def node_picture(
    expansion: NodeExpansion,
    places: DocumentPlaces,
    *,
    settled: Collection[str],
    names: Mapping[str, str],
    slots: Mapping[str, int],
) -> NodePicture:
    """Put a proposal and what was decided since together.

    `settled` are the clusters that were judged, `names` those that a draft has, by cluster; `slots` are the places in
    the palette that clusters have already; proposals kept before there were any have those of their order.
    """
    tree, node_id = places.tree, expansion.node_id
    waiting = {c.cluster_id for c in expansion.novel if c.cluster_id not in settled}
    held_by: dict[str, int] = {}
    groups: list[Group] = []
    children = [each for each in tree.children_of(node_id) if each.status != "rejected"]
    standing = {each.node_id for each in children}
    slots = slots or give_slots([cluster.cluster_id for cluster in expansion.clusters], {})
    in_tree = slots_in_tree(node_id, slots, [each.node_id for each in children])
    own_slots = in_tree | give_slots([*in_tree, *(cluster.cluster_id for cluster in expansion.clusters)], in_tree)
    counts = places.counts()
    of_cluster = np.full(len(expansion.clusters) + 1, NOWHERE, dtype=np.int32)
    for number, cluster in enumerate(expansion.clusters):
        each = cluster.cluster_id
        topic = topic_of(each, node_id, tree)
        if each in waiting:
            held_by[each] = of_cluster[number] = len(groups)
            n_arriving = len(arriving(expansion, number, places))
            groups.append(Group(each, "novel", names.get(each, cluster.label), n_arriving, own_slots[each]))
        elif topic in standing:
            held_by[topic] = of_cluster[number] = len(groups)
            label = names.get(each, tree[topic].label)
            groups.append(Group(topic, "known", label, counts.get(topic, 0), own_slots[topic]))
    for child in children:
        if child.node_id not in held_by:
            held_by[child.node_id] = len(groups)
            n_held = counts.get(child.node_id, 0)
            groups.append(Group(child.node_id, "known", child.label, n_held, own_slots[child.node_id]))
    documents, below, names_below = _documents(expansion, places, held_by)
    for number, cluster in enumerate(expansion.clusters):
        if cluster.cluster_id in waiting:
            coming = np.isin(expansion.documents.documents, arriving(expansion, number, places))
            documents[coming], below[coming] = held_by[cluster.cluster_id], NOWHERE
    # A term of a cluster that was rejected is of no topic again; the last entry is for terms that never were.
    return NodePicture(tuple(groups), documents, of_cluster[expansion.terms.cluster], below, names_below)


def _documents(
    expansion: NodeExpansion, places: DocumentPlaces, held_by: Mapping[str, int]
) -> tuple[Ints1d, Ints1d, tuple[str, ...]]:
    """Return the group of the topic that holds each document of the node, and the topic itself if it is below."""
    tree = places.tree
    group = np.full(len(places.node_ids), NOWHERE, dtype=np.int32)
    topic = np.full(len(places.node_ids), NOWHERE, dtype=np.int32)
    names: list[str] = []
    for number, node_id in enumerate(places.node_ids):
        above = next((each for each in (node_id, *reversed(tree.ancestors_of(node_id))) if each in held_by), None)
        if above is None:
            continue
        group[number] = held_by[above]
        if node_id != above:
            topic[number] = len(names)
            names.append(tree[node_id].label)
    numbers = places.numbers[expansion.documents.documents]
    return group[numbers], topic[numbers], tuple(names)
