"""The tree of topics: immutable, ordered, with opaque ids."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

from taxocom.errors import DecisionError

Origin = Literal["seed", "novel", "manual"]
Status = Literal["approved", "proposed", "rejected", "suggested", "draft"]
"""`proposed` by the engine and `suggested` by a person wait to be judged; a `draft` waits for a second person."""

ROOT_ID = "root"


@dataclass(frozen=True)
class AnchorTerm:
    """A term that stands for a topic, with its significance and the parts that it was made from."""

    term: str
    significance: float
    relevance: float = 0.0
    integrity: float = 0.0
    distinctiveness: float = 0.0
    popularity: float = 0.0


@dataclass(frozen=True)
class TopicNode:
    """One topic.

    `label` is what people read, `center_term` the term that the machine knows it by. `properties` are statements that
    came in from outside and that we carry along without interpreting them, as (name, value) pairs.
    """

    node_id: str
    label: str
    center_term: str = ""
    keywords: tuple[str, ...] = ()
    anchors: tuple[AnchorTerm, ...] = ()
    origin: Origin = "seed"
    status: Status = "approved"
    alt_labels: tuple[str, ...] = ()
    definition: str = ""
    scope_note: str = ""
    notation: str = ""
    notes: tuple[str, ...] = ()
    n_documents: int | None = None
    concentration: float | None = None
    properties: tuple[tuple[str, str], ...] = ()

    def but(self, **changes: Any) -> TopicNode:
        """Return this topic with some fields changed, as `dataclasses.replace` does.

        Replaying a log and counting documents do little else, and a frozen dataclass sets every field the slow way.
        """
        if not changes.keys() <= self.__dict__.keys():
            raise TypeError(f"A topic has no {min(changes.keys() - self.__dict__.keys())!r}.")
        changed = object.__new__(TopicNode)
        changed.__dict__.update(self.__dict__)
        changed.__dict__.update(changes)
        return changed


@dataclass(frozen=True)
class Taxonomy:
    """A rooted, ordered tree of topics. Every change returns a new tree and leaves this one as it was.

    The root is a topic like any other, with the id `ROOT_ID`; its label is the title of the taxonomy.
    """

    nodes: Mapping[str, TopicNode]
    children: Mapping[str, tuple[str, ...]]
    language: str = field(default="en")

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", MappingProxyType(dict(self.nodes)))
        kept = {parent: tuple(children) for parent, children in self.children.items() if children}
        object.__setattr__(self, "children", MappingProxyType(kept))

    def __reduce__(self) -> tuple[type[Taxonomy], tuple[dict[str, TopicNode], dict[str, tuple[str, ...]], str]]:
        return Taxonomy, (dict(self.nodes), dict(self.children), self.language)

    @classmethod
    def empty(cls, title: str = "Topics", language: str = "en") -> Taxonomy:
        """Return a tree of a root alone."""
        return cls({ROOT_ID: TopicNode(ROOT_ID, title)}, {}, language)

    def __len__(self) -> int:
        """The number of topics, the root not counted."""
        return len(self.nodes) - 1

    def __contains__(self, node_id: str) -> bool:
        return node_id in self.nodes

    def __getitem__(self, node_id: str) -> TopicNode:
        try:
            return self.nodes[node_id]
        except KeyError:
            raise DecisionError(f"There is no topic with the id {node_id!r} in this tree.") from None

    @property
    def root(self) -> TopicNode:
        """The root topic."""
        return self.nodes[ROOT_ID]

    @cached_property
    def parents(self) -> Mapping[str, str]:
        """The parent's id for every topic but the root."""
        return MappingProxyType({child: parent for parent, children in self.children.items() for child in children})

    def children_of(self, node_id: str) -> list[TopicNode]:
        """Return the topics directly under one, in order."""
        return [self.nodes[child] for child in self.children.get(node_id, ())]

    def parent_of(self, node_id: str) -> str | None:
        """Return the id of the topic above one, None for the root."""
        return self.parents.get(node_id)

    def ancestors_of(self, node_id: str) -> list[str]:
        """Return the ids from the root down to the parent of a topic."""
        above: list[str] = []
        current = self.parent_of(node_id)
        while current is not None:
            above.append(current)
            current = self.parent_of(current)
        return above[::-1]

    def path_of(self, node_id: str) -> tuple[str, ...]:
        """Return the labels from below the root down to a topic, its own included."""
        return tuple(self.nodes[above].label for above in [*self.ancestors_of(node_id), node_id] if above != ROOT_ID)

    def depth_of(self, node_id: str) -> int:
        """Return how many steps below the root a topic is."""
        return len(self.ancestors_of(node_id))

    def subtree_of(self, node_id: str) -> Iterator[TopicNode]:
        """Yield a topic and all below it, parents before children, in order."""
        pending = [node_id]
        while pending:
            current = pending.pop()
            yield self.nodes[current]
            pending.extend(reversed(self.children.get(current, ())))

    def walk(self) -> Iterator[TopicNode]:
        """Yield every topic but the root, parents before children, in order."""
        nodes = self.subtree_of(ROOT_ID)
        next(nodes)
        return nodes

    def find(self, path: Iterable[str]) -> TopicNode | None:
        """Return the topic at a path of labels (case does not matter), or None."""
        current = self.root
        for label in path:
            wanted = label.casefold()
            match = next((c for c in self.children_of(current.node_id) if c.label.casefold() == wanted), None)
            if match is None:
                return None
            current = match
        return current

    def with_topic(self, node: TopicNode, parent_id: str, position: int | None = None) -> Taxonomy:
        """Insert a topic under a parent, last or at a position among its siblings."""
        if node.node_id in self.nodes:
            raise DecisionError(f"The topic id {node.node_id!r} is taken by {self.nodes[node.node_id].label!r}.")
        self[parent_id]
        siblings = list(self.children.get(parent_id, ()))
        siblings.insert(len(siblings) if position is None else position, node.node_id)
        nodes = {**self.nodes, node.node_id: node}
        return Taxonomy(nodes, {**self.children, parent_id: tuple(siblings)}, self.language)

    def with_changed(self, node: TopicNode) -> Taxonomy:
        """Put `node` in the place of the topic that has its id."""
        self[node.node_id]
        return Taxonomy({**self.nodes, node.node_id: node}, self.children, self.language)

    def with_moved(self, node_id: str, parent_id: str, position: int | None = None) -> Taxonomy:
        """Move a topic, with all below it, under another parent or to another position."""
        node = self[node_id]
        parent = self[parent_id]
        if node_id == ROOT_ID:
            raise DecisionError("The root cannot be moved.")
        if node_id == parent_id or node_id in self.ancestors_of(parent_id):
            raise DecisionError(f"{node.label!r} cannot be moved below itself (under {parent.label!r}).")
        children = dict(self.children)
        old_parent = self.parents[node_id]
        children[old_parent] = tuple(child for child in children[old_parent] if child != node_id)
        siblings = list(children.get(parent_id, ()))
        siblings.insert(len(siblings) if position is None else position, node_id)
        children[parent_id] = tuple(siblings)
        return Taxonomy(self.nodes, children, self.language)

    def without(self, node_id: str) -> Taxonomy:
        """Remove a topic and all below it."""
        if node_id == ROOT_ID:
            raise DecisionError("The root cannot be removed.")
        self[node_id]
        gone = {node.node_id for node in self.subtree_of(node_id)}
        nodes = {key: node for key, node in self.nodes.items() if key not in gone}
        children = {
            parent: tuple(child for child in below if child not in gone)
            for parent, below in self.children.items()
            if parent not in gone
        }
        return Taxonomy(nodes, children, self.language)

    def with_counts(self, n_documents: Mapping[str, int]) -> Taxonomy:
        """Return the same tree in which every topic has its number of documents, 0 if none is given."""
        nodes = {key: node.but(n_documents=n_documents.get(key, 0)) for key, node in self.nodes.items()}
        return Taxonomy(nodes, self.children, self.language)

    def titled(self, title: str) -> Taxonomy:
        """Return the same tree under another title."""
        return self.with_changed(replace(self.root, label=title))


def topic_id(*parts: str) -> str:
    """Make an opaque id from what a topic came from: the same parts give the same id on every machine."""
    return "t" + hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:12]


def accepted_id(node_id: str, cluster_id: str) -> str:
    """Return the id that a cluster proposed for a node has once it is a topic.

    A cluster's id comes from what it consists of, so the same cluster of a later split or run is the same topic.
    """
    return topic_id("novel", node_id, cluster_id)
