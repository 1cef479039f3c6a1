"""The proposals that can be judged, what of each still waits, and what a verdict on it is as a decision."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from taxocom.expansion.proposals.accepting import accept, fitting_parent
from taxocom.expansion.proposals.proposal import LeftOutGroup, NodeExpansion, TopicCluster
from taxocom.store import Project, ProposalRecord
from taxocom.store.projects.document_places import document_places
from taxocom.store.projects.topic_timeline import periods_if_any
from taxocom.taxonomy.curation import Curation, NamedCluster, kept_name
from taxocom.taxonomy.decisions import (
    AcceptTopic,
    AddTopic,
    EditKeywords,
    LoggedDecision,
    MergeTopics,
    MoveTopic,
    RemoveTopic,
    SetStatus,
    SplitTopic,
    judged_clusters,
)
from taxocom.taxonomy.tree import Taxonomy
from taxocom.workflow.node_picture import with_counts

Loader = Callable[[Project, int], NodeExpansion]


@dataclass(frozen=True)
class OpenProposal:
    """The open proposal of a node: what of it still waits, and whether the tree under the node changed since."""

    record: ProposalRecord
    expansion: NodeExpansion
    waiting: tuple[TopicCluster, ...]
    settled: frozenset[str]
    is_stale: bool

    @property
    def node_id(self) -> str:
        """The topic that was expanded."""
        return self.record.node_id

    @property
    def left_out(self) -> list[LeftOutGroup]:
        """The groups that were looked at and not proposed, without those that were judged all the same."""
        return [group for group in self.expansion.left_out if group.cluster_id not in self.settled]


@dataclass(frozen=True)
class WaitingCluster:
    """A cluster that waits, the node it was proposed for, and where it would go."""

    node_id: str
    parent_id: str
    proposal_id: int
    cluster: TopicCluster
    was_deferred: bool

    @property
    def label(self) -> str:
        """The name it has by now."""
        return self.cluster.label

    def accepted(self, *, label: str = "", parent_id: str = "") -> AcceptTopic:
        """Return the decision that it is a topic: under its own name and where it fits, unless told otherwise."""
        return accept(self.cluster, self.node_id, label=label, parent_id=parent_id or self.parent_id)


@dataclass(frozen=True)
class OpenProposals:
    """The open proposals by node, in the order of the tree.

    `outdated` are the nodes whose last proposal can no longer be judged: the texts or the seed have changed since.
    `expanded` are all nodes that were ever expanded.
    """

    by_node: Mapping[str, OpenProposal]
    outdated: frozenset[str]
    expanded: frozenset[str]


def load_expansion(project: Project, proposal_id: int) -> NodeExpansion:
    """Read a proposal from the project."""
    stored = project.load_proposal(proposal_id)
    return NodeExpansion.from_parts(stored.metadata, stored.arrays)


def open_proposals(project: Project, load: Loader = load_expansion) -> OpenProposals:
    """Return what can be judged; `load` opens a proposal (the pages keep them in memory).

    A cluster that a person named carries that name, even if it was named after the proposal was made; and every
    cluster says how many documents it holds, or would hold, now.
    """
    in_force, tree, curation = project.standing().in_force, project.taxonomy(), project.curation()
    settled = judged_clusters(in_force)
    records = [record for record in project.proposals() if record.node_id in tree]
    texts = project.corpus().fingerprint if project.has_corpus else ""
    loaded = {
        record.node_id: (record, load(project, record.proposal_id)) for record in records if record.status == "open"
    }
    order = {node.node_id: place for place, node in enumerate(tree.subtree_of(tree.root.node_id))}
    of_these_texts = [each for each in loaded if loaded[each][1].corpus_fingerprint == texts]
    proposals, periods = {}, periods_if_any(project) if of_these_texts else None
    for node_id in sorted(of_these_texts, key=order.__getitem__):
        record, expansion = loaded[node_id]
        counted = with_counts(expansion, document_places(project), periods)
        proposals[node_id] = _open_proposal(record, counted, in_force, settled, curation)
    newest = {record.node_id: record for record in reversed(records)}
    withdrawn = {node_id for node_id, record in newest.items() if record.status == "superseded"}
    outdated = frozenset((withdrawn | loaded.keys()) - proposals.keys())
    return OpenProposals(proposals, outdated, frozenset(record.node_id for record in records))


def waiting_clusters(
    proposals: Mapping[str, OpenProposal], tree: Taxonomy, curation: Curation | None = None
) -> list[WaitingCluster]:
    """Return what waits, from the top of the tree down; with `curation` what was put off comes last."""
    found: list[WaitingCluster] = []
    for node_id, proposal in proposals.items():
        deferred = curation.deferred.get(node_id, ()) if curation else ()
        found += [
            WaitingCluster(
                node_id,
                fitting_parent(cluster, node_id, tree),
                proposal.record.proposal_id,
                cluster,
                cluster.cluster_id in deferred,
            )
            for cluster in proposal.waiting
        ]
    return sorted(found, key=lambda waiting: waiting.was_deferred)


def holds_something(cluster: TopicCluster) -> bool:
    """Tell whether anything is left of a cluster; one whose terms were all moved elsewhere needs no verdict."""
    return cluster.n_terms > 0 or cluster.n_documents > 0


def _open_proposal(
    record: ProposalRecord,
    expansion: NodeExpansion,
    in_force: Sequence[LoggedDecision],
    settled: frozenset[str],
    curation: Curation,
) -> OpenProposal:
    expansion = _with_names(expansion, curation.names.get(record.node_id, ()))
    since = (entry.decision for entry in in_force if entry.sequence > record.sequence)
    waiting = tuple(c for c in expansion.novel if c.cluster_id not in settled and holds_something(c))
    own = {cluster.cluster_id for cluster in expansion.clusters}
    return OpenProposal(record, expansion, waiting, settled, any(_touches(d, record.node_id, own) for d in since))


def _with_names(expansion: NodeExpansion, names: Sequence[NamedCluster]) -> NodeExpansion:
    if not names:
        return expansion

    def named(cluster: TopicCluster) -> TopicCluster:
        given = kept_name(names, cluster.center_term, [anchor.term for anchor in cluster.anchors])
        return replace(cluster, label=given) if given and cluster.kind == "novel" else cluster

    return replace(expansion, clusters=tuple(map(named, expansion.clusters)))


def _touches(decision: object, node_id: str, clusters: Collection[str]) -> bool:
    """Tell whether a decision changes what an expansion of the node starts from (its own verdicts do not)."""
    match decision:
        case AcceptTopic(parent_id) if parent_id == node_id:
            return decision.cluster_id not in clusters
        case AddTopic(parent_id):
            return parent_id == node_id
        case MoveTopic(moved_id, parent_id):
            return parent_id == node_id or moved_id in clusters
        case EditKeywords(touched) | RemoveTopic(touched) | SplitTopic(touched) | SetStatus(touched):
            return touched in clusters or touched == node_id
        case MergeTopics(into_id, merged_ids):
            return bool({into_id, *merged_ids} & set(clusters))
        case _:
            return False
