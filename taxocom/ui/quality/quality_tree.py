"""What can be measured of a tree without the right answer: do its topics belong together, and what do they hold?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from taxocom.evaluation.coherence import (
    N_TOP_TERMS,
    count_cooccurrence,
    score_coherency,
    score_coverage,
    score_diversity,
    score_intrusion,
)
from taxocom.expansion.proposals.accepting import topic_of
from taxocom.expansion.proposals.proposal import NodeExpansion
from taxocom.jobs.quality_tasks import approved
from taxocom.numerics.arrays import Bools1d
from taxocom.store import Project
from taxocom.store.projects.document_places import ACCEPTED, DocumentPlaces, document_places
from taxocom.tagging.explanation import POOR_FIT
from taxocom.taxonomy.tree import ROOT_ID, Origin, Taxonomy

SHARED_TERMS = 4
"""So many of their first ten terms in common, two topics of one depth may be one."""


@dataclass(frozen=True)
class TopicQuality:
    """One topic of the tree; `share` is of the whole corpus, a score is None where there is nothing to score.

    `is_broad` tells whether it has sub-topics, `is_placed` whether the topic above it was expanded, so that its
    documents are known.
    """

    node_id: str
    path: tuple[str, ...]
    origin: Origin
    n_documents: int
    share: float
    coherency: float | None
    intrusion: float | None
    top_terms: tuple[str, ...]
    is_broad: bool = False
    is_placed: bool = True

    @property
    def label(self) -> str:
        """The topic's own name."""
        return self.path[-1]


@dataclass(frozen=True)
class NodeGap:
    """The share of an expanded topic's documents that no sub-topic holds: those of the seed alone, and all of them."""

    node_id: str
    label: str
    n_documents: int
    before: float
    after: float


@dataclass(frozen=True)
class Alike:
    """Two topics of one depth and the first terms that they share."""

    first: str
    second: str
    parent_id: str
    terms: tuple[str, ...]


@dataclass(frozen=True)
class TreeQuality:
    """A tree as it is now: means over its topics, each topic, the gaps of expanded ones, and topics that are alike."""

    coherency: float | None
    intrusion: float | None
    diversity: float | None
    gap_before: float
    gap_after: float
    n_documents: int
    topics: tuple[TopicQuality, ...]
    gaps: tuple[NodeGap, ...]
    alike: tuple[Alike, ...]


def measure_tree(project: Project, load: Callable[[Project, int], NodeExpansion]) -> TreeQuality:
    """Measure the accepted topics with the documents that the store places in them.

    Terms are judged on the corpus itself, since no document was held out from the expansion.
    """
    corpus = project.corpus()
    tree = approved(project.taxonomy())
    expanded = newest_proposals(project, tree, load)
    terms = top_terms(tree, expanded)
    places = document_places(project).with_tree(tree)
    # What was in a topic that is gone fitted that one, whatever it is said to fit.
    nowhere = places.numbers == places.node_ids.index(ROOT_ID)
    poor = np.asarray((places.fit < POOR_FIT) | nowhere)
    coverage = score_coverage(tree, [places.node_ids[number] for number in places.numbers.tolist()])
    together = count_cooccurrence(terms, corpus.vocabulary, corpus.counts)
    coherency, intrusion = score_coherency(terms, together), score_intrusion(tree, terms, together)
    held = {topic.node_id: topic for topic in coverage.topics}
    topics = tuple(
        TopicQuality(
            node_id=node.node_id,
            path=tree.path_of(node.node_id),
            origin=node.origin,
            n_documents=held[node.node_id].n_documents,
            share=held[node.node_id].share,
            coherency=coherency.by_node.get(node.node_id),
            intrusion=intrusion.by_node.get(node.node_id),
            top_terms=tuple(terms.get(node.node_id, ())),
            is_broad=bool(tree.children_of(node.node_id)),
            is_placed=tree.parent_of(node.node_id) in expanded,
        )
        for node in tree.walk()
    )
    return TreeQuality(
        coherency=coherency.mean if coherency.by_node else None,
        intrusion=intrusion.mean if intrusion.by_node else None,
        diversity=score_diversity(tree, terms) if terms else None,
        gap_before=float((poor | (places.reasons == ACCEPTED)).mean()),
        gap_after=float(poor.mean()),
        n_documents=corpus.n_documents,
        topics=topics,
        gaps=node_gaps(tree, places, poor, list(expanded)),
        alike=alike_topics(tree, terms),
    )


def newest_proposals(
    project: Project, tree: Taxonomy, load: Callable[[Project, int], NodeExpansion]
) -> dict[str, NodeExpansion]:
    """Return the newest proposal of each topic that was expanded with the corpus as it is now."""
    newest: dict[str, int] = {}
    for record in project.proposals():
        newest.setdefault(record.node_id, record.proposal_id)
    found = {node_id: load(project, number) for node_id, number in newest.items() if node_id in tree}
    fingerprint = project.corpus().fingerprint
    return {node_id: each for node_id, each in found.items() if each.corpus_fingerprint == fingerprint}


def top_terms(tree: Taxonomy, expanded: Mapping[str, NodeExpansion]) -> dict[str, tuple[str, ...]]:
    """Return the first ten terms of each topic: as the newest expansion above it has them, or as it was accepted."""
    terms = {
        node.node_id: tuple(anchor.term for anchor in node.anchors[:N_TOP_TERMS])
        for node in tree.walk()
        if node.anchors
    }
    for node_id, expansion in expanded.items():
        for cluster in expansion.clusters:
            topic = topic_of(cluster.cluster_id, node_id, tree)
            if topic is not None and cluster.anchors:
                terms[topic] = tuple(anchor.term for anchor in cluster.anchors[:N_TOP_TERMS])
    return terms


def node_gaps(tree: Taxonomy, places: DocumentPlaces, poor: Bools1d, expanded: Sequence[str]) -> tuple[NodeGap, ...]:
    """Return for each expanded topic the share of its documents that fit nothing well, now and before.

    Before: without the topics that were found there. Topics without documents are left out.
    """
    found = places.reasons == ACCEPTED
    gaps = []
    for node_id in expanded:
        rows = places.documents_of(node_id)
        if len(rows):
            before, after = (poor | found)[rows].mean(), poor[rows].mean()
            gaps.append(NodeGap(node_id, tree[node_id].label, len(rows), float(before), float(after)))
    return tuple(sorted(gaps, key=lambda gap: -gap.after * gap.n_documents))


def alike_topics(tree: Taxonomy, terms: Mapping[str, Sequence[str]]) -> tuple[Alike, ...]:
    """Return the pairs of topics of one depth that share many of their first terms, most alike first."""
    found = []
    for first, second in combinations((node_id for node_id in terms if node_id != ROOT_ID), 2):
        shared = [term for term in terms[first] if term in terms[second]]
        if len(shared) >= SHARED_TERMS and tree.depth_of(first) == tree.depth_of(second):
            parent = tree.parent_of(first) or ROOT_ID
            found.append(Alike(tree[first].label, tree[second].label, parent, tuple(shared)))
    return tuple(sorted(found, key=lambda pair: -len(pair.terms)))
