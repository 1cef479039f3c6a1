"""From a draft to decisions: what a commit will record, and how to say it in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from taxocom.expansion.proposals import accepting
from taxocom.expansion.proposals.accepting import KEYWORDS_KEPT, fitting_parent
from taxocom.expansion.proposals.proposal import NodeExpansion, TopicCluster
from taxocom.taxonomy.decisions import (
    NOVEL,
    AcceptTopic,
    AddNote,
    Decision,
    Defer,
    MergeTopics,
    MoveDocuments,
    MoveTerms,
    MoveTopic,
    NameCluster,
    RejectTopic,
    RenameTopic,
    SetStatus,
    SplitTopic,
    apply,
)
from taxocom.taxonomy.kinds import PIN_PLACES
from taxocom.taxonomy.tree import Taxonomy, TopicNode, topic_id
from taxocom.text.terms.vocabulary import display, normal_term
from taxocom.ui.runtime.safe_text import count
from taxocom.ui.shared.proposal_draft import Draft, Part
from taxocom.workflow.open_proposals import holds_something


@dataclass(frozen=True)
class CommitPlan:
    """The decisions of a commit in order, and the novel clusters it leaves unjudged."""

    decisions: tuple[Decision, ...]
    n_left: int

    @property
    def summary(self) -> str:
        """Say what will change: "+2 topics, 1 renamed, 37 terms moved"."""
        kinds = Counter(type(decision) for decision in self.decisions)
        n_moved = sum(len(decision.terms) for decision in self.decisions if isinstance(decision, MoveTerms))
        said = [
            f"+{count(kinds[AcceptTopic], 'topic')}" if kinds[AcceptTopic] else "",
            f"{kinds[RejectTopic]} rejected" if kinds[RejectTopic] else "",
            f"{kinds[Defer]} for later" if kinds[Defer] else "",
            f"{kinds[RenameTopic] + kinds[NameCluster]} renamed" if kinds[RenameTopic] + kinds[NameCluster] else "",
            f"{n_merged} merged" if (n_merged := kinds[MergeTopics] + kinds[MoveDocuments]) else "",
            f"{kinds[SplitTopic]} split" if kinds[SplitTopic] else "",
            f"{kinds[MoveTopic]} moved" if kinds[MoveTopic] else "",
            f"{kinds[SetStatus]} removed" if kinds[SetStatus] else "",
            f"{count(n_moved, 'term')} moved" if n_moved else "",
        ]
        return ", ".join(filter(None, said)) or "nothing yet"


def plan_commit(expansion: NodeExpansion, draft: Draft, tree: Taxonomy, settled: Iterable[str] = ()) -> CommitPlan:
    """Turn a draft on `expansion` (as re-split by the draft) into decisions that `tree` can carry out.

    `settled` are the clusters that were judged in earlier commits of the same proposal.
    """
    planned = _Planner(expansion, draft, tree)
    done = set(settled)
    for cluster in expansion.known:
        planned.known(cluster)
    for cluster in expansion.novel:
        if cluster.cluster_id not in done:
            planned.novel(cluster)
    planned.terms()
    judged = {key for key, judgement in draft.judgements.items() if judgement.verdict in ("accept", "reject")}
    judged |= set(draft.joined)
    n_left = sum(c.cluster_id not in done | judged and holds_something(c) for c in expansion.novel)
    return CommitPlan(tuple(planned.decisions), n_left)


class _Planner:
    def __init__(self, expansion: NodeExpansion, draft: Draft, tree: Taxonomy) -> None:
        self.expansion = expansion
        self.draft = draft
        self.tree = tree
        self.decisions: list[Decision] = []
        self.accepted: dict[str, str] = {}

    def known(self, cluster: TopicCluster) -> None:
        """Rename, split, move, merge or remove a topic that is already in the tree."""
        node_id = cluster.cluster_id
        if node_id not in self.tree:
            return
        if node_id in self.draft.names:
            self.decisions.append(RenameTopic(node_id, self.draft.names[node_id]))
        if node_id in self.draft.parted:
            self.decisions.append(self._split(cluster, self.draft.parted[node_id]))
        if node_id in self.draft.joined:
            self.decisions.append(MergeTopics(self._end(node_id), (node_id,)))
        elif node_id in self.draft.judgements:
            if reason := self.draft.judgements[node_id].reason:
                self.decisions.append(AddNote(node_id, reason))
            self.decisions.append(SetStatus(node_id, "rejected"))
        elif node_id in self.draft.parents:
            self.decisions.append(MoveTopic(node_id, self.draft.parents[node_id]))

    def _split(self, cluster: TopicCluster, part: Part) -> SplitTopic:
        """Let a part stand beside the topic, which keeps its id, its children and the terms that do not leave it."""
        node_id = cluster.cluster_id
        node = self.tree[node_id]
        if node_id in self.draft.names:
            node = apply(self.tree, RenameTopic(node_id, self.draft.names[node_id]))[node_id]
        leaving = set(part.terms)
        left = replace(
            node,
            keywords=tuple(word for word in node.keywords if normal_term(word) not in leaving),
            anchors=tuple(anchor for anchor in node.anchors if anchor.term not in leaving),
        )
        taken = tuple(anchor for anchor in cluster.anchors if anchor.term in leaving)
        beside = TopicNode(
            topic_id("part", node_id, *sorted(leaving)),
            part.label,
            center_term=taken[0].term if taken else "",
            keywords=tuple(display(anchor.term) for anchor in taken[:KEYWORDS_KEPT]),
            anchors=taken,
            origin="manual",
        )
        return SplitTopic(node_id, (left, beside))

    def novel(self, cluster: TopicCluster) -> None:
        """Accept, reject, put off or only name a proposed cluster."""
        draft, node_id = self.draft, self.expansion.node_id
        label = draft.names.get(cluster.cluster_id)
        judgement = draft.judgements.get(cluster.cluster_id)
        if cluster.cluster_id in draft.joined:
            self.decisions.append(accepting.join(cluster, self._end(cluster.cluster_id)))
        elif judgement is None or judgement.verdict == "later":
            if label:
                self.decisions.append(accepting.name(cluster, node_id, label))
            if judgement is not None:
                self.decisions.append(accepting.defer(cluster, node_id))
        elif judgement.verdict == "accept":
            parent_id = draft.parents.get(cluster.cluster_id) or fitting_parent(cluster, node_id, self.tree)
            decision = accepting.accept(cluster, node_id, label=label or "", parent_id=self._end(parent_id))
            self.accepted[cluster.cluster_id] = decision.node.node_id
            self.decisions.append(decision)
        else:
            self.decisions.append(accepting.reject(cluster, node_id, judgement.reason))

    def terms(self) -> None:
        """Pin the terms that were put by hand; a cluster that is no topic yet can only be named as novel."""
        by_place: dict[str, list[str]] = {}
        for term, to in self.draft.pins.items():
            end = self._end(to)
            place = end if end in PIN_PLACES or end in self.tree else self.accepted.get(end, NOVEL)
            by_place.setdefault(place, []).append(term)
        node_id = self.expansion.node_id
        self.decisions += [MoveTerms(node_id, tuple(terms), to) for to, terms in by_place.items()]

    def _end(self, topic_id: str) -> str:
        """Return where a topic or a cluster is after all merges: the one that it goes into may go into another."""
        seen = {topic_id}
        while (into := self.draft.joined.get(topic_id)) is not None and into not in seen:
            topic_id = into
            seen.add(into)
        return topic_id
