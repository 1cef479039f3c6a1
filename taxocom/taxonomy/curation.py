"""What a curator has settled and the next run must respect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from taxocom.taxonomy import kinds
from taxocom.taxonomy.changes import carry_out
from taxocom.taxonomy.decision_base import Decision
from taxocom.taxonomy.decisions import LoggedDecision, effective
from taxocom.taxonomy.mutable_tree import Draft
from taxocom.taxonomy.tree import Taxonomy, TopicNode, accepted_id

Item = TypeVar("Item")


_SHARED = 0.5
"""Two clusters are the same from this share on of the terms of the smaller one that are the other's too."""


def same_cluster(center_term: str, terms: Sequence[str], other: RejectedCluster | NamedCluster) -> bool:
    """Tell whether a cluster is one that a person spoke of earlier: it has its center term, or half of its terms.

    Another run or split finds the same documents by slightly other terms. An empty center term is not compared.
    """
    if center_term and center_term == other.center_term:
        return True
    smaller = min(len(set(terms)), len(set(other.terms)))
    return smaller > 0 and len(set(terms) & set(other.terms)) / smaller >= _SHARED


def kept_name(names: Sequence[NamedCluster], center_term: str, terms: Sequence[str]) -> str:
    """Return the name that a person gave to a cluster last, in this run or an earlier one; nothing if nobody did."""
    return next((named.label for named in reversed(names) if same_cluster(center_term, terms, named)), "")


@dataclass(frozen=True)
class RejectedCluster:
    """A cluster that must not be proposed again."""

    cluster_id: str
    center_term: str
    terms: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True)
class NamedCluster:
    """A name that a person gave; it belongs to any later cluster that is the same."""

    label: str
    center_term: str
    terms: tuple[str, ...]


@dataclass(frozen=True)
class Curation:
    """Pins, rejections, names, documents and deferrals in force; all but `documents` by the id of the node expanded.

    `pins[node][term]` is a topic's id, or `known`, `novel` or `general`. `documents` maps a document to its topic.
    """

    pins: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    rejected: Mapping[str, tuple[RejectedCluster, ...]] = field(default_factory=dict)
    names: Mapping[str, tuple[NamedCluster, ...]] = field(default_factory=dict)
    documents: Mapping[str, str] = field(default_factory=dict)
    deferred: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def derive_curation(seed: Taxonomy, log: Iterable[LoggedDecision]) -> Curation:
    """Collect what the decisions in force say about the next run.

    What was said of a topic follows it through merges and splits; what was said of a removed topic goes with it. A
    novel topic that was removed counts as rejected, and accepting a cluster takes its rejection back.
    """
    collector = CurationCollector(seed)
    for logged in effective(log):
        collector.follow(logged.decision)
    return collector.result()


class CurationCollector:
    """Listens to the decisions in force, one after the other."""

    def __init__(self, seed: Taxonomy) -> None:
        self.draft = Draft(seed)
        self._pins: list[tuple[str, str, str]] = []
        self._rejected: list[tuple[str, RejectedCluster]] = []
        self._named: list[tuple[str, NamedCluster]] = []
        self._documents: dict[str, str] = {}
        self._deferred: list[tuple[str, str]] = []
        self._asked_of: dict[str, str] = {}

    def follow(self, decision: Decision) -> None:
        """Take in the next decision."""
        self._note(decision)
        carry_out(self.draft, decision)

    def _note(self, decision: Decision) -> None:
        match decision:
            case kinds.AcceptTopic(parent_id, node):
                asked = self._node_expanded(decision)
                self._asked_of[node.node_id] = asked
                for node_id in {asked, parent_id}:
                    self._settle(node_id, {decision.cluster_id, node.node_id}, node.center_term, _terms(node))
            case kinds.AddTopic(parent_id, node):
                # A keyword or two in common do not make a topic that a person thought of a rejected cluster.
                self._settle(parent_id, {node.node_id}, node.center_term, ())
            case kinds.RejectTopic(parent_id, cluster_id, center_term, terms, reason):
                self._settle(parent_id, {cluster_id}, center_term, terms)
                self._rejected.append((parent_id, RejectedCluster(cluster_id, center_term, terms, reason)))
            case kinds.Defer(parent_id, cluster_id):
                self._deferred.append((parent_id, cluster_id))
            case kinds.NameCluster(parent_id, _, center_term, terms, label):
                self._named.append((parent_id, NamedCluster(label, center_term, terms)))
            case kinds.RenameTopic(node_id, label) if node_id in self.draft.nodes:
                self._note_rename(node_id, label)
            case kinds.MoveTerms(parent_id, terms, to):
                self._pins.extend((parent_id, term, to) for term in terms)
            case kinds.MoveDocument(document_id, node_id):
                self._documents[document_id] = node_id
            case kinds.MoveDocuments(documents, node_id):
                self._documents.update(dict.fromkeys(documents, node_id))
            case kinds.JudgeDocuments(_, _, placed):
                self._documents.update(placed)
            case kinds.RemoveTopic(node_id) if node_id in self.draft.nodes:
                self._note_removal(node_id)
            case _:
                return

    def result(self) -> Curation:
        """Return what the decisions so far say about the next run."""
        pins: dict[str, dict[str, str]] = {}
        for parent_id, term, to in self._pins:
            node_id = self.draft.successor(parent_id)
            place = to if to in kinds.PIN_PLACES else self.draft.successor(to)
            if node_id is not None:
                # A later pin of the same term overrides; one whose topic is gone leaves the term free.
                pins.setdefault(node_id, {}).pop(term, None)
                if place is not None:
                    pins[node_id][term] = place
        documents = {document: self.draft.successor(topic) for document, topic in self._documents.items()}
        return Curation(
            {node_id: terms for node_id, terms in pins.items() if terms},
            self._by_node(self._rejected),
            self._by_node(self._named),
            {document: topic for document, topic in documents.items() if topic is not None},
            {node_id: tuple(dict.fromkeys(waiting)) for node_id, waiting in self._by_node(self._deferred).items()},
        )

    def _settle(self, parent_id: str, cluster_ids: set[str], center_term: str, terms: Sequence[str]) -> None:
        """Forget the rejection and the deferral of a cluster that has now been judged."""
        self._rejected = [
            (node_id, cluster)
            for node_id, cluster in self._rejected
            if node_id != parent_id
            or not (cluster.cluster_id in cluster_ids or same_cluster(center_term, terms, cluster))
        ]
        self._deferred = [
            (node_id, waiting)
            for node_id, waiting in self._deferred
            if node_id != parent_id or waiting not in cluster_ids
        ]

    def _node_expanded(self, decision: kinds.AcceptTopic) -> str:
        """Return the topic whose expansion proposed a cluster: it may have been accepted under a sub-topic of that."""
        above: str | None = decision.parent_id
        while above is not None:
            if decision.node.node_id == accepted_id(above, decision.cluster_id):
                return above
            above = self.draft.parents.get(above)
        return decision.parent_id

    def _note_rename(self, node_id: str, label: str) -> None:
        node = self.draft.node(node_id)
        if node.center_term and node_id in self.draft.parents:
            self._named.append((self._asked(node_id), NamedCluster(label, node.center_term, _terms(node))))

    def _note_removal(self, node_id: str) -> None:
        node = self.draft.node(node_id)
        if node.origin == "novel" and node_id in self.draft.parents:
            rejected = RejectedCluster(node_id, node.center_term or node.label, _terms(node), "removed from the tree")
            self._rejected.append((self._asked(node_id), rejected))

    def _asked(self, node_id: str) -> str:
        """Return the topic whose next expansion may find this one again: not always the one that it is under."""
        asked = self._asked_of.get(node_id)
        known = None if asked is None else self.draft.successor(asked)
        return known or self.draft.parents[node_id]

    def _by_node(self, pairs: list[tuple[str, Item]]) -> dict[str, tuple[Item, ...]]:
        grouped: dict[str, list[Item]] = {}
        for parent_id, item in pairs:
            node_id = self.draft.successor(parent_id)
            if node_id is not None:
                grouped.setdefault(node_id, []).append(item)
        return {node_id: tuple(items) for node_id, items in grouped.items()}


def _terms(node: TopicNode) -> tuple[str, ...]:
    # The command line is not to load numpy, which vocabularies need, before a command asks for it.
    from taxocom.text.terms.vocabulary import normal_term

    return tuple(anchor.term for anchor in node.anchors) or tuple(normal_term(word) for word in node.keywords)
