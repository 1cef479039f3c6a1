"""What goes out besides the tree: who, when, why, and the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from taxocom.errors import ExportError
from taxocom.expansion.proposals.proposal import Passage
from taxocom.interchange.base.timeline_data import Timeline
from taxocom.taxonomy.curation import Curation
from taxocom.taxonomy.decisions import LoggedDecision
from taxocom.taxonomy.statements import is_safe_iri
from taxocom.taxonomy.tree import ROOT_ID, AnchorTerm, Status, Taxonomy, TopicNode, topic_id
from taxocom.text.terms.vocabulary import display

DEFAULT_BASE = "https://example.org/taxonomy/"


@dataclass(frozen=True)
class TopicEvidence:
    """Why the machine proposed a topic: what the numbers were, and the passages that show it."""

    passages: tuple[Passage, ...] = ()
    novelty: float | None = None
    distinctness: float | None = None
    stability: float | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    random_state: int | None = None
    corpus_fingerprint: str = ""
    proposed_at: str = ""


@dataclass(frozen=True)
class DocumentAssignment:
    """A document and the topic it belongs to; `score` is how well it fits."""

    document_id: str
    node_id: str
    score: float | None = None
    title: str = ""


@dataclass(frozen=True)
class MapPoint:
    """A term on the map; `node_id` is the topic it belongs to, empty for none."""

    x: float
    y: float
    term: str
    node_id: str = ""


@dataclass(frozen=True)
class ExportContext:
    """What an export may say beyond the tree. Nothing here is looked up: the caller passes what it has.

    `statuses` are the topics that go out, approved ones alone by default; the others are marked as what they are.
    `generated` and the times in `log` are ISO 8601. `base_uri` is what URIs of topics start with.
    """

    statuses: frozenset[Status] = frozenset({"approved"})
    base_uri: str = DEFAULT_BASE
    author: str = ""
    generated: str = ""
    version: str = ""
    seed: Taxonomy | None = None
    log: Sequence[LoggedDecision] = ()
    evidence: Mapping[str, TopicEvidence] = field(default_factory=dict)
    documents: Sequence[DocumentAssignment] = ()
    map_points: Sequence[MapPoint] = ()
    timeline: Timeline | None = None

    def __post_init__(self) -> None:
        if not is_safe_iri(self.base_uri):
            raise ExportError(
                f"The base URI {self.base_uri!r} is not absolute or holds signs that a URI cannot. "
                f"Use something like {DEFAULT_BASE}."
            )


def selected(tree: Taxonomy, context: ExportContext) -> Taxonomy:
    """Return the topics that go out; a kept topic below one that is left out moves up to the nearest kept one."""
    if all(node.status in context.statuses for node in tree.walk()):
        return tree
    nodes = {ROOT_ID: tree.root}
    children: dict[str, list[str]] = {}
    pending = [(ROOT_ID, ROOT_ID)]
    while pending:
        node_id, kept_above = pending.pop()
        node = tree[node_id]
        if node_id != ROOT_ID and node.status in context.statuses:
            nodes[node_id] = node
            children.setdefault(kept_above, []).append(node_id)
            kept_above = node_id
        pending.extend((child, kept_above) for child in reversed(tree.children.get(node_id, ())))
    return Taxonomy(nodes, {parent: tuple(below) for parent, below in children.items()}, tree.language)


def with_proposed(tree: Taxonomy, parent_id: str, topics: Sequence[TopicNode]) -> Taxonomy:
    """Add topics that nobody has judged yet, marked as proposed, so that they can be exported on request."""
    for topic in topics:
        tree = tree.with_topic(replace(topic, status="proposed"), parent_id)
    return tree


def with_rejected(tree: Taxonomy, curation: Curation) -> Taxonomy:
    """Add the clusters that were rejected, marked as such, so that they can be exported on request."""
    for parent_id, clusters in curation.rejected.items():
        for cluster in clusters:
            node_id = topic_id("rejected", parent_id, cluster.cluster_id, cluster.center_term)
            if parent_id in tree and node_id not in tree:
                anchors = tuple(AnchorTerm(term, 0.0) for term in cluster.terms)
                notes = (f"Rejected: {cluster.reason}",) if cluster.reason else ()
                label = display(cluster.center_term) or cluster.cluster_id
                node = TopicNode(
                    node_id, label, cluster.center_term, anchors=anchors, origin="novel", status="rejected", notes=notes
                )
                tree = tree.with_topic(node, parent_id)
    return tree
