"""What a person sees of a cluster: names, anchors, typical documents, the sentences that show it, and warnings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from taxocom.expansion.describe.cluster_names import ClusterNaming, OfferedNames
from taxocom.expansion.discovery.node_evidence import NodeEvidence
from taxocom.expansion.paper.anchors import AnchorScores, ClusterStatistics
from taxocom.expansion.partitions.split_result import Partition
from taxocom.expansion.proposals.proposal import Passage, TopicCluster
from taxocom.numerics.arrays import Bools1d, Floats1d, Ints1d
from taxocom.tagging.lexicon import Lexicon
from taxocom.taxonomy.curation import NamedCluster, kept_name
from taxocom.taxonomy.tree import AnchorTerm, Taxonomy
from taxocom.text.corpus import Corpus
from taxocom.text.terms.passages import passages
from taxocom.text.terms.vocabulary import display

_ANCHORS_SHOWN = 30
_TYPICAL_DOCUMENTS = 8
_PASSAGES = 5
_PASSAGE_TERMS = 12
_READ_OF_A_DOCUMENT = 1_500
_FEW_ANCHORS = 5
_ANCHORS_JUDGED = 10
_LOW_TOPICALITY = 0.75
_UNSTABLE = 0.6
_CLOSE = 0.5


def describe_clusters(
    corpus: Corpus,
    taxonomy: Taxonomy,
    evidence: NodeEvidence,
    counts: sparse.csr_array,
    partition: Partition,
    scores: AnchorScores,
    statistics: ClusterStatistics,
    is_anchor: Bools1d,
    concentrations: Sequence[float | None],
    *,
    better_names: bool,
    names: Sequence[NamedCluster] = (),
    lexicon: Lexicon | None = None,
) -> tuple[TopicCluster, ...]:
    """Describe every cluster of a partition, known ones first; `counts` are the node's documents by its terms."""
    taken = [node.label for node in (taxonomy.root, *taxonomy.walk())]
    described: list[TopicCluster] = []
    anchor_rows = [
        _anchor_rows(partition.term_cluster, is_anchor, scores, cluster) for cluster in range(partition.n_clusters)
    ]
    naming = ClusterNaming(corpus, taxonomy, evidence, partition, scores, statistics, anchor_rows, lexicon)
    typicality = _typicality(counts, partition, scores, anchor_rows)
    pointed = [_median_topicality(evidence, rows) for rows in anchor_rows]
    general = _LOW_TOPICALITY * float(np.median(pointed[: partition.n_known])) if partition.n_known else 0.0
    for cluster, cluster_id in enumerate(partition.cluster_ids):
        rows = anchor_rows[cluster]
        anchors = tuple(_anchor(corpus, evidence, scores, int(row), cluster) for row in rows[:_ANCHORS_SHOWN])
        typical = _typical_documents(partition, typicality, cluster)
        standing = partition.standings.get(cluster_id)
        if cluster < partition.n_known:
            node = taxonomy[cluster_id]
            label, center = node.label, node.center_term
            offered = OfferedNames((node.label,))
        else:
            offered = naming.offered(cluster, taken, better_names=better_names)
            center = offered.best.replace(" ", "_") if offered.best else (anchors[0].term if anchors else "")
            label = kept_name(names, center, [anchor.term for anchor in anchors]) or display(center)
            taken.append(label)
        described.append(
            TopicCluster(
                cluster_id=cluster_id,
                kind="known" if cluster < partition.n_known else "novel",
                label=label,
                center_term=center,
                name_suggestions=tuple(map(display, offered.names)),
                anchors=anchors,
                n_terms=int((partition.term_cluster == cluster).sum()),
                n_documents=int((partition.documents.cluster == cluster).sum()),
                concentration=concentrations[cluster],
                distinctness=None if standing is None else standing.distinctness,
                stability=_stability(evidence, partition, cluster),
                fits_under=partition.fits_under.get(cluster_id),
                warnings=_warnings(evidence, partition, len(rows), cluster, taxonomy, pointed[cluster] < general),
                passages=_passages(corpus, evidence, typical, [anchor.term for anchor in anchors[:_PASSAGE_TERMS]]),
                typical_documents=tuple(corpus.document_ids[int(evidence.documents[row])] for row in typical),
                names_by_meaning=tuple(map(display, offered.by_meaning)),
            )
        )
    return tuple(described)


def _anchor_rows(term_cluster: Ints1d, is_anchor: Bools1d, scores: AnchorScores, cluster: int) -> Ints1d:
    """Return the anchors of a cluster, most significant first; its most significant terms, if it has none."""
    members = np.flatnonzero((term_cluster == cluster) & is_anchor)
    if len(members) == 0:
        members = np.flatnonzero(term_cluster == cluster)
    order = np.argsort(-scores.significances[members, cluster], kind="stable")
    return members[order].astype(np.int32)


def _anchor(corpus: Corpus, evidence: NodeEvidence, scores: AnchorScores, row: int, cluster: int) -> AnchorTerm:
    return AnchorTerm(
        term=corpus.vocabulary.terms[evidence.term_ids[row]],
        significance=round(float(scores.significances[row, cluster]), 6),
        relevance=round(float(scores.relevance[row, cluster]), 6),
        integrity=round(float(scores.integrity[row]), 6),
        distinctiveness=round(float(scores.distinctiveness[row, cluster]), 6),
        popularity=round(float(scores.popularity[row, cluster]), 6),
    )


def _typicality(
    counts: sparse.csr_array, partition: Partition, scores: AnchorScores, anchor_rows: Sequence[Ints1d]
) -> Floats1d:
    """Return how well every document shows the cluster it is in: how surely it is there, times its use of the anchors.

    The classifier is sure of many documents of which a person would not be; one that uses most of the terms that the
    cluster is shown by needs no explanation.
    """
    weights = np.zeros((counts.shape[1], partition.n_clusters + 1), dtype=np.float32)
    for cluster, rows in enumerate(anchor_rows):
        weights[rows[:_ANCHORS_SHOWN], cluster] = scores.significances[rows[:_ANCHORS_SHOWN], cluster]
    # The last column is that of the documents in no cluster.
    own = weights[counts.indices, np.repeat(partition.documents.cluster, np.diff(counts.indptr))]
    sums = np.concatenate([[0.0], np.cumsum(own, dtype=np.float64)])
    n_terms = np.maximum(np.diff(counts.indptr), 1)
    use = (sums[counts.indptr[1:]] - sums[counts.indptr[:-1]]) / np.sqrt(n_terms)
    return np.asarray(partition.documents.score * use, dtype=np.float32)


def _typical_documents(partition: Partition, typicality: Floats1d, cluster: int) -> Ints1d:
    members = np.flatnonzero(partition.documents.cluster == cluster)
    order = np.lexsort((-partition.documents.margin[members], -typicality[members]))
    return members[order][:_TYPICAL_DOCUMENTS].astype(np.int32)


def _stability(evidence: NodeEvidence, partition: Partition, cluster: int) -> float | None:
    """Return the share of a cluster's documents that a classifier taught on the other half gives back to it."""
    members = np.flatnonzero(partition.documents.cluster == cluster)
    if len(members) == 0:
        return None
    guessed = evidence.affinity.evidence[members].argmax(axis=1)
    home = _facet_homes(evidence, partition)
    return round(float((home[guessed] == cluster).mean()), 4)


def _facet_homes(evidence: NodeEvidence, partition: Partition) -> Ints1d:
    """Return the cluster that most documents of each facet are in."""
    n_clusters = partition.n_clusters
    cells = evidence.facets.labels.astype(np.int64) * (n_clusters + 1) + (partition.documents.cluster + 1)
    table = np.bincount(cells, minlength=len(evidence.facets) * (n_clusters + 1)).reshape(-1, n_clusters + 1)
    return np.asarray(table.argmax(axis=1) - 1, dtype=np.int32)


def _median_topicality(evidence: NodeEvidence, rows: Ints1d) -> float:
    """Return how topical the first anchors are; those of the known clusters say what is general at this node."""
    return float(np.median(evidence.topicality[rows[:_ANCHORS_JUDGED]])) if len(rows) else 0.0


def _warnings(
    evidence: NodeEvidence, partition: Partition, n_anchors: int, cluster: int, taxonomy: Taxonomy, general: bool
) -> tuple[str, ...]:
    found = []
    n_documents = int((partition.documents.cluster == cluster).sum())
    if n_documents == 0:
        found.append("No document is about it: check the spelling, or add keywords.")
        return tuple(found)
    if n_anchors < _FEW_ANCHORS:
        found.append(f"Few terms set it apart ({n_anchors}): give it a name that its documents use, or keywords.")
    elif general:
        found.append("Its words are general ones: read some of its documents before you accept it.")
    stability = _stability(evidence, partition, cluster)
    if stability is not None and stability < _UNSTABLE:
        found.append(
            f"It may be a mixture: judged by half of the texts, only {stability:.0%} of its documents would be here."
        )
    cluster_id = partition.cluster_ids[cluster]
    standing = partition.standings.get(cluster_id)
    # Where it fits elsewhere it will not stand beside that sibling.
    fits_elsewhere = partition.fits_under.get(cluster_id) is not None
    if not fits_elsewhere and standing is not None and standing.explained > _CLOSE and evidence.children:
        sibling = taxonomy[_nearest_child(evidence, partition, cluster)].label
        found.append(f"Close to {sibling!r}: much of it could stand there. If the two are one topic, merge them.")
    found += [f"You asked for it. The program had left it out: {note}." for note in partition.notes.get(cluster_id, ())]
    return tuple(found)


def _nearest_child(evidence: NodeEvidence, partition: Partition, cluster: int) -> str:
    home = _facet_homes(evidence, partition)
    own = np.flatnonzero(home == cluster)
    links = [
        float(evidence.affinity.links[np.ix_(own, np.flatnonzero(home == child))].max(initial=-np.inf))
        for child in range(partition.n_known)
    ]
    return evidence.children[int(np.argmax(links))]


def _passages(corpus: Corpus, evidence: NodeEvidence, typical: Ints1d, terms: Sequence[str]) -> tuple[Passage, ...]:
    """Return a telling sentence from each of the most typical documents."""
    found: list[Passage] = []
    for row in typical:
        document = int(evidence.documents[row])
        # A slider waits for this: the opening of a document is enough to find one telling sentence in.
        for passage in passages([corpus.texts[document][:_READ_OF_A_DOCUMENT]], 0, terms, 1, language=corpus.language):
            highlights = tuple((mark.start, mark.stop) for mark in passage.highlights)
            found.append(Passage(corpus.document_ids[document], passage.text, highlights))
        if len(found) == _PASSAGES:
            break
    return tuple(found)
