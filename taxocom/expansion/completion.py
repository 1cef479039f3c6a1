"""The whole walk (Algorithm 1): expand every node from the root down, and accept what the policy says."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from taxocom.expansion.paper.embedding import TermEmbedding, pretrain
from taxocom.expansion.pipeline import expand_node
from taxocom.expansion.proposals.proposal import NodeExpansion, TopicCluster
from taxocom.numerics.arrays import Floats1d, Ints1d
from taxocom.progress import SILENT, Progress, Span
from taxocom.settings import ExpansionSettings
from taxocom.tagging.lexicon import Lexicon, document_vectors
from taxocom.tagging.witnesses import read_witnesses
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.text.corpus import Corpus

_ANCHORS_KEPT = 20
_FEWEST_DOCUMENTS = 50


@dataclass(frozen=True)
class Completion:
    """A completed tree and where every document of the corpus went.

    `document_nodes[d]` is the id of document d's deepest topic, the root's if it fits none; `document_scores[d]` how
    surely, in [0, 1]. `suggestions` are the names offered for each novel topic.
    """

    taxonomy: Taxonomy
    document_nodes: tuple[str, ...]
    document_scores: Floats1d
    proposals: tuple[NodeExpansion, ...]
    suggestions: Mapping[str, tuple[str, ...]]
    embedding: TermEmbedding


def complete(
    corpus: Corpus,
    seed_taxonomy: Taxonomy,
    *,
    settings: ExpansionSettings | None = None,
    embedding: TermEmbedding | None = None,
    lexicon: Lexicon | None = None,
    max_depth: int = 2,
    expand_leaves: bool = False,
    random_state: int = 0,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Completion:
    """Complete a tree without a person: every novel cluster that is proposed is accepted, where it fits best.

    Nodes down to `max_depth` levels of children are expanded, the root being the first. A node without known
    sub-topics has no grain to match and stays a leaf, unless `expand_leaves`. With a `lexicon` the names of topics
    reach documents that do not say them (`taxocom.store.projects.lexicon_files.find_lexicon`).
    """
    settings = settings or ExpansionSettings()
    if embedding is None:
        embedding = pretrain(
            corpus,
            settings.embedding,
            random_state=random_state,
            threads=threads,
            progress=Span(progress, 0.0, 0.3),
        )
    progress.report("Reading the documents", 0.3)
    meanings = document_vectors(lexicon, corpus.texts) if lexicon is not None and settings.tagging.lexicon else None
    witnesses = read_witnesses(corpus, lexicon=lexicon, meanings=meanings)
    walk = _Walk(corpus, seed_taxonomy)
    pending = deque([ROOT_ID])
    n_nodes = 1 + sum(1 for node in seed_taxonomy.walk() if seed_taxonomy.children_of(node.node_id))
    while pending:
        node_id = pending.popleft()
        done = 0.3 + 0.7 * min(len(walk.proposals) / n_nodes, 1.0)
        expansion = expand_node(
            corpus,
            walk.taxonomy,
            node_id,
            embedding,
            settings=settings,
            documents=walk.documents_of(node_id),
            terms=walk.terms_of(node_id) if settings.hand_down_terms else None,
            places=walk.places(),
            witnesses=witnesses,
            random_state=random_state,
            threads=threads,
            draw_map=False,
            progress=Span(progress, done, min(done + 0.7 / n_nodes, 1.0)),
        )
        walk.accept(expansion.proposal)
        pending.extend(walk.worth_expanding(node_id, max_depth, expand_leaves=expand_leaves))
    progress.report("Done", 1.0)
    return walk.completed(embedding)


class _Walk:
    """The tree as it grows, and the place of every document in it."""

    def __init__(self, corpus: Corpus, taxonomy: Taxonomy) -> None:
        self.taxonomy = taxonomy
        self.proposals: list[NodeExpansion] = []
        self.suggestions: dict[str, tuple[str, ...]] = {}
        self.node_ids = [ROOT_ID]
        self.place = np.zeros(corpus.n_documents, dtype=np.int32)
        self.scores = np.zeros(corpus.n_documents, dtype=np.float32)

    def documents_of(self, node_id: str) -> Ints1d:
        """Return the documents placed at a topic itself; the walk has not gone below it yet."""
        if node_id not in self.node_ids:
            return np.empty(0, dtype=np.int32)
        return np.flatnonzero(self.place == self.node_ids.index(node_id)).astype(np.int32)

    def terms_of(self, node_id: str) -> Ints1d | None:
        """Return the anchor terms of a topic by the expansion that it was found or known in; None for the root."""
        found = (proposal.anchors_of(node_id) for proposal in reversed(self.proposals))
        return next((terms for terms in found if terms is not None), None)

    def places(self) -> Ints1d:
        """Return the place of every document, as numbers."""
        return self.place.copy()

    def worth_expanding(self, node_id: str, max_depth: int, *, expand_leaves: bool) -> list[str]:
        """Return the sub-topics of an expanded topic that are to be expanded too, in the order of the tree."""
        return [
            child.node_id
            for child in self.taxonomy.children_of(node_id)
            if self.taxonomy.depth_of(child.node_id) < max_depth
            and (expand_leaves or self.taxonomy.children_of(child.node_id))
            and len(self.documents_of(child.node_id)) >= _FEWEST_DOCUMENTS
        ]

    def accept(self, proposal: NodeExpansion) -> None:
        """Insert the novel clusters of a proposal and move the documents down into the clusters."""
        numbers = np.zeros(len(proposal.clusters), dtype=np.int32)
        for index, cluster in enumerate(proposal.clusters):
            if cluster.kind == "novel":
                node = accepted_topic(cluster)
                self.taxonomy = self.taxonomy.with_topic(node, cluster.fits_under or proposal.node_id)
                self.suggestions[node.node_id] = cluster.name_suggestions
            if cluster.cluster_id not in self.node_ids:
                self.node_ids.append(cluster.cluster_id)
            numbers[index] = self.node_ids.index(cluster.cluster_id)
        inside = proposal.documents.cluster >= 0
        rows = proposal.documents.documents[inside]
        self.place[rows] = numbers[proposal.documents.cluster[inside]]
        self.scores[rows] = proposal.documents.score[inside]
        self.proposals.append(proposal)

    def completed(self, embedding: TermEmbedding) -> Completion:
        """Return what the walk has come to."""
        return Completion(
            taxonomy=self.counted(),
            document_nodes=tuple(self.node_ids[place] for place in self.place),
            document_scores=self.scores,
            proposals=tuple(self.proposals),
            suggestions=self.suggestions,
            embedding=embedding,
        )

    def counted(self) -> Taxonomy:
        """Return the tree with what was found of each topic written to it."""
        direct = {node_id: int((self.place == number).sum()) for number, node_id in enumerate(self.node_ids)}
        found = {cluster.cluster_id: cluster for proposal in self.proposals for cluster in proposal.clusters}
        tree = self.taxonomy
        for node in [tree.root, *tree.walk()]:
            total = sum(direct.get(below.node_id, 0) for below in tree.subtree_of(node.node_id))
            cluster = found.get(node.node_id)
            changed = TopicNode(
                **{
                    **vars(node),
                    "n_documents": total,
                    "concentration": node.concentration if cluster is None else cluster.concentration,
                    "anchors": node.anchors if cluster is None else cluster.anchors[:_ANCHORS_KEPT],
                }
            )
            tree = tree.with_changed(changed)
        return tree


def accepted_topic(cluster: TopicCluster, label: str | None = None) -> TopicNode:
    """Make the topic that a novel cluster becomes when it is accepted, under its own id."""
    return TopicNode(
        node_id=cluster.cluster_id,
        label=label or cluster.label,
        center_term=cluster.center_term,
        anchors=cluster.anchors[:_ANCHORS_KEPT],
        origin="novel",
        n_documents=cluster.n_documents,
        concentration=cluster.concentration,
    )
