"""Whether two people's decisions get in each other's way: as narrow as what was decided, not as wide as the tree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from taxocom.taxonomy import kinds
from taxocom.taxonomy.decision_base import Decision

_TOPIC_FIELDS = ("parent_id", "node_id", "into_id", "other_id", "replaced_by", "to")


@dataclass
class Touched:
    """What decisions did to a tree and relied on.

    `changed` are topics whose words or place changed, `come_or_gone` those that came into being or went; `needed` are
    the topics that the decisions name, and `others` the documents, clusters and terms. `families` are topics that
    got or lost a child, `swept` those whose children a decision looked through.
    """

    changed: set[str] = field(default_factory=set)
    come_or_gone: set[str] = field(default_factory=set)
    needed: set[str] = field(default_factory=set)
    others: set[tuple[str, ...]] = field(default_factory=set)
    families: set[str] = field(default_factory=set)
    swept: set[str] = field(default_factory=set)

    def add(self, other: Touched) -> None:
        """Take in what other decisions touched."""
        self.changed |= other.changed
        self.come_or_gone |= other.come_or_gone
        self.needed |= other.needed
        self.others |= other.others
        self.families |= other.families
        self.swept |= other.swept

    def name(self, decisions: Iterable[Decision]) -> None:
        """Take in what decisions name, whether or not it changed."""
        for decision in decisions:
            self.needed |= _topics(decision)
            self.others |= _others(decision)
            match decision:
                case kinds.MoveTerms(parent_id):
                    self.swept.add(parent_id)
                case kinds.MergeTopics(into_id, merged_ids):
                    self.swept |= {into_id, *merged_ids}
                case _:
                    pass

    def judge(self, clusters: Iterable[str]) -> None:
        """Take in verdicts on clusters that were meant, whatever became of them."""
        self.others |= {("cluster", cluster_id) for cluster_id in clusters}

    def clashes_with(self, other: Touched) -> bool:
        """Tell whether both changed the same thing, or one relies on a topic that the other made or took away."""
        return bool(
            self.changed & other.changed
            or self.needed & other.come_or_gone
            or self.come_or_gone & other.needed
            or self.others & other.others
            or self.families & other.swept
            or self.swept & other.families
        )


def _topics(decision: Decision) -> set[str]:
    named = {getattr(decision, name) for name in _TOPIC_FIELDS if hasattr(decision, name)}
    return {*named, *getattr(decision, "merged_ids", ())} - {"", *kinds.PIN_PLACES}


def _others(decision: Decision) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    if cluster_id := getattr(decision, "cluster_id", ""):
        found.add(("cluster", cluster_id))
    match decision:
        case kinds.AcceptTopic() | kinds.MoveDocuments():
            found.update(("document", document_id) for document_id in decision.documents)
        case kinds.JudgeDocuments(placed=placed):
            found.update(("document", document_id) for document_id, _ in placed)
        case kinds.MoveDocument(document_id):
            found.add(("document", document_id))
        case kinds.MoveTerms(parent_id, terms):
            found.update(("term", parent_id, term) for term in terms)
        case _:
            pass
    return found
