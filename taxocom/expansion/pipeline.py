"""One step, read from top to bottom: from a node of a partial tree to a proposal.

`expand_node` gathers evidence (trains, finds facets, measures), keeps the best of several readings of it and proposes;
`propose` alone splits evidence again in a fraction of a second, with another threshold, another count, or terms pinned
by hand.
"""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse

from taxocom.expansion.describe.description import describe_clusters
from taxocom.expansion.describe.node_map import NodeMap, lay_out
from taxocom.expansion.discovery.gathering import gather_readings, rows_of
from taxocom.expansion.discovery.node_evidence import NodeEvidence
from taxocom.expansion.discovery.readings import choose_reading
from taxocom.expansion.discovery.rehearsal import rehearse
from taxocom.expansion.paper.anchors import (
    AnchorScores,
    ClusterStatistics,
    score_anchors,
    select_anchors,
    term_statistics,
)
from taxocom.expansion.paper.candidates import concentrations
from taxocom.expansion.paper.embedding import TermEmbedding
from taxocom.expansion.partitions.facet_partition import facet_use, split_by_facets
from taxocom.expansion.partitions.split_result import Partition, Request
from taxocom.expansion.partitions.term_partition import split_by_terms
from taxocom.expansion.proposals.proposal import (
    CoverageGap,
    DocumentScores,
    HiddenTopic,
    NodeExpansion,
    Overrides,
    TermScores,
)
from taxocom.numerics.arrays import Bools1d, Doubles, Floats2d, Ints1d
from taxocom.numerics.blas import one_blas_thread
from taxocom.numerics.sphere import unit_rows
from taxocom.progress import SILENT, Progress, Span
from taxocom.settings import ExpansionSettings
from taxocom.tagging.explanation import POOR_FIT
from taxocom.tagging.lexicon import Lexicon
from taxocom.tagging.tagger import Teaching
from taxocom.tagging.witnesses import Witnesses
from taxocom.taxonomy.curation import Curation
from taxocom.taxonomy.tree import Taxonomy
from taxocom.text.corpus import Corpus


@dataclass(frozen=True)
class Expansion:
    """A proposal and the evidence it can be split from again."""

    proposal: NodeExpansion
    evidence: NodeEvidence


def expand_node(
    corpus: Corpus,
    taxonomy: Taxonomy,
    node_id: str,
    embedding: TermEmbedding,
    *,
    settings: ExpansionSettings | None = None,
    documents: Ints1d | None = None,
    terms: Ints1d | None = None,
    places: Ints1d | None = None,
    witnesses: Witnesses | None = None,
    teaching: Teaching | None = None,
    curation: Curation | None = None,
    random_state: int = 0,
    threads: int = 1,
    draw_map: bool = True,
    practise: bool = False,
    progress: Progress = SILENT,
) -> Expansion:
    """Propose sub-topics for a node; `documents` are the rows of the corpus that belong to it (all, by default).

    `terms` are the ids of those that are clustered, where not all are (`ExpansionSettings.hand_down_terms`).
    `witnesses` and `teaching` are what the tagger goes by, for the whole corpus. Without `draw_map` everything lies at
    the origin, which nobody minds who looks at no map. With `practise` known sub-topics are hidden in turn and looked
    for, which tells a person how far to trust the proposal.
    """
    settings = settings or ExpansionSettings()
    readings = gather_readings(
        corpus,
        taxonomy,
        node_id,
        embedding,
        settings=settings,
        documents=documents,
        terms=terms,
        places=places,
        witnesses=witnesses,
        teaching=teaching,
        random_state=random_state,
        threads=threads,
        progress=Span(progress, 0.0, 0.9),
    )
    progress.report("Weighing what was found", 0.9)
    start = time.perf_counter()
    evidence = choose_reading(readings, settings)
    choosing = time.perf_counter() - start
    lexicon = witnesses.lexicon if witnesses else None
    proposal = propose(
        corpus, taxonomy, evidence, settings=settings, curation=curation, lexicon=lexicon, random_state=random_state
    )
    seconds = {**proposal.seconds, "proposal": proposal.seconds["proposal"] + choosing}
    if draw_map:
        progress.report("Drawing the map", 0.92)
        start = time.perf_counter()
        proposal, evidence = _on_map(proposal, evidence, places_on_map(corpus, proposal, evidence))
        seconds["map"] = time.perf_counter() - start
    practice = _practice(evidence, settings, seconds, Span(progress, 0.96, 1.0)) if practise else ()
    progress.report("Done", 1.0)
    return Expansion(dataclasses.replace(proposal, seconds=seconds, practice=practice), evidence)


def _practice(
    evidence: NodeEvidence, settings: ExpansionSettings, seconds: dict[str, float], progress: Progress
) -> tuple[HiddenTopic, ...]:
    """Hide known sub-topics in turn and look for them; how long that took goes into `seconds`."""
    start = time.perf_counter()
    found = rehearse(evidence, settings, progress=progress)
    seconds["practice"] = time.perf_counter() - start
    return found


def places_on_map(corpus: Corpus, proposal: NodeExpansion, evidence: NodeEvidence) -> NodeMap:
    """Return where the documents and terms of a proposal lie on its map."""
    return lay_out(
        _counted(corpus, evidence).counts,
        evidence.vectors,
        proposal.documents.cluster,
        proposal.terms.cluster,
        random_state=proposal.random_state,
    )


def _on_map(proposal: NodeExpansion, evidence: NodeEvidence, places: NodeMap) -> tuple[NodeExpansion, NodeEvidence]:
    """Give the documents and terms of a proposal their places on the map; those of later splits stay where they are."""
    terms = dataclasses.replace(proposal.terms, xy=places.terms)
    documents = dataclasses.replace(proposal.documents, xy=places.documents)
    placed = dataclasses.replace(evidence, xy=places.terms, document_xy=places.documents)
    return dataclasses.replace(proposal, terms=terms, documents=documents), placed


def propose(
    corpus: Corpus,
    taxonomy: Taxonomy,
    evidence: NodeEvidence,
    *,
    settings: ExpansionSettings | None = None,
    overrides: Overrides | None = None,
    curation: Curation | None = None,
    lexicon: Lexicon | None = None,
    random_state: int = 0,
) -> NodeExpansion:
    """Split the evidence into clusters, keep their anchor terms, and describe all of it; a `lexicon` helps to name."""
    start = time.perf_counter()
    settings = settings or ExpansionSettings()
    curation = curation or Curation()
    request = Request(
        settings=settings,
        overrides=overrides or Overrides(),
        pins=curation.pins.get(evidence.node_id),
        rejected=curation.rejected.get(evidence.node_id, ()),
        labels={topic.node_id: topic.label for topic in taxonomy.walk()},
    )
    counted = _counted(corpus, evidence)
    partition = _split(corpus, evidence, counted, request, random_state)
    weighed = _weigh(corpus, evidence, counted.counts, partition, request)
    clusters = describe_clusters(
        corpus,
        taxonomy,
        evidence,
        counted.counts,
        partition,
        weighed.scores,
        weighed.statistics,
        weighed.is_anchor,
        concentrations(evidence.vectors, partition.term_cluster, weighed.is_anchor, partition.n_clusters),
        better_names=settings.better_names,
        names=curation.names.get(evidence.node_id, ()),
        lexicon=lexicon if settings.tagging.lexicon else None,
    )
    documents = partition.documents
    return NodeExpansion(
        node_id=evidence.node_id,
        clusters=clusters,
        candidates=partition.candidates,
        terms=_term_scores(evidence, partition, weighed),
        documents=DocumentScores(
            evidence.documents, documents.cluster, documents.score, documents.margin, evidence.document_xy
        ),
        novelty_threshold=partition.novelty_threshold,
        significance_threshold=weighed.threshold,
        gap_before=_gap(partition, evidence, settings, partition.n_known),
        gap_after=_gap(partition, evidence, settings, partition.n_clusters),
        settings=dataclasses.asdict(settings),
        random_state=random_state,
        corpus_fingerprint=corpus.fingerprint,
        vocabulary_fingerprint=corpus.vocabulary.fingerprint,
        seconds={**evidence.seconds, "proposal": time.perf_counter() - start},
        left_out=partition.left_out,
    )


def _split(corpus: Corpus, evidence: NodeEvidence, counted: _Counted, request: Request, random_state: int) -> Partition:
    """Split the node's terms and documents into clusters: by facets, or by the paper's rule."""
    if request.settings.discovery == "facets":
        return split_by_facets(evidence, counted.counts, counted.use, corpus.vocabulary, request)
    return split_by_terms(evidence, counted.counts, corpus.vocabulary, request, random_state=random_state)


@dataclass(frozen=True)
class _Weighed:
    """How significant every term is for every cluster, and which terms are anchors by the threshold."""

    statistics: ClusterStatistics
    scores: AnchorScores
    threshold: float
    is_anchor: Bools1d


def _weigh(
    corpus: Corpus, evidence: NodeEvidence, counts: sparse.csr_array, partition: Partition, request: Request
) -> _Weighed:
    statistics = term_statistics(counts, partition.documents.cluster, partition.n_clusters)
    with one_blas_thread():
        relevances = evidence.vectors @ cluster_directions(evidence, partition).T
    scores = score_anchors(statistics, relevances, corpus.vocabulary.integrity[evidence.term_ids])
    asked = request.overrides.significance_threshold
    threshold = request.settings.significance_threshold if asked is None else asked
    is_anchor = select_anchors(scores, partition.term_cluster, significance_threshold=threshold)
    return _Weighed(statistics, scores, threshold, is_anchor)


def _term_scores(evidence: NodeEvidence, partition: Partition, weighed: _Weighed) -> TermScores:
    own = weighed.scores.own(partition.term_cluster)
    return TermScores(
        term_ids=evidence.term_ids,
        novelty=partition.novelty,
        topicality=evidence.topicality,
        is_novel=partition.is_novel,
        cluster=partition.term_cluster,
        is_anchor=weighed.is_anchor,
        significance=own.significance,
        relevance=own.relevance,
        representativeness=own.representativeness,
        integrity=weighed.scores.integrity,
        distinctiveness=own.distinctiveness,
        popularity=own.popularity,
        xy=evidence.xy,
    )


@dataclass(frozen=True)
class _Counted:
    """A node's documents by its terms, and the terms by its facets."""

    counts: sparse.csr_array
    use: Doubles


# A slider asks for one split after another of the same evidence.
_COUNTED: WeakKeyDictionary[NodeEvidence, _Counted] = WeakKeyDictionary()


def _counted(corpus: Corpus, evidence: NodeEvidence) -> _Counted:
    found = _COUNTED.get(evidence)
    if found is None:
        counts = rows_of(corpus.counts, evidence.documents)[:, evidence.term_ids]
        found = _COUNTED.setdefault(evidence, _Counted(counts, facet_use(evidence, counts)))
    return found


def cluster_directions(evidence: NodeEvidence, partition: Partition) -> Floats2d:
    """Return a unit direction for each cluster: what the split was made by, or the mean of its terms.

    A known topic without any term keeps the direction it was trained to.
    """
    if partition.directions is not None:
        return partition.directions
    directions = np.zeros((partition.n_clusters, evidence.vectors.shape[1]), dtype=np.float32)
    for cluster in range(partition.n_clusters):
        members = partition.term_cluster == cluster
        if members.any():
            directions[cluster] = evidence.vectors[members].mean(axis=0)
        elif cluster < partition.n_known:
            directions[cluster] = evidence.topics[cluster]
    filled = np.linalg.norm(directions, axis=1) > 1e-6
    directions[filled] = unit_rows(directions[filled])
    return directions


def _gap(partition: Partition, evidence: NodeEvidence, settings: ExpansionSettings, n_clusters: int) -> CoverageGap:
    """Return the shares of topical terms and of documents that none of the first `n_clusters` clusters explains."""
    topical: Bools1d = evidence.topicality >= settings.min_topicality
    terms = partition.term_cluster[topical]
    documents = partition.documents.cluster
    unexplained = (documents < 0) | (documents >= n_clusters)
    if evidence.explanation is not None:
        # What fits a known topic is explained even where a new one would take it; every page counts it so.
        poor = evidence.explanation.fit < POOR_FIT
        unexplained = poor & (unexplained | (documents < partition.n_known))
    outside = (terms < 0) | (terms >= n_clusters)
    return CoverageGap(
        terms=float(outside.mean()) if len(terms) else 0.0,
        documents=float(unexplained.mean()) if len(documents) else 0.0,
    )
