"""Split a node by its terms, as the paper does (Sec. 4.3): novelty, spherical k-means, documents after their terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from taxocom.errors import SettingsError
from taxocom.expansion.discovery.node_evidence import NodeEvidence
from taxocom.expansion.paper.anchors import score_anchors, select_anchors, term_statistics
from taxocom.expansion.paper.candidates import (
    choose_by_spread,
    concentration_spread,
    concentrations,
    undefined_reason,
)
from taxocom.expansion.paper.clusters import (
    DocumentAssignment,
    assign_documents,
    assign_known,
    cluster_novel,
    inverse_document_frequency,
)
from taxocom.expansion.paper.novelty import novelty_scores, novelty_threshold, shape_threshold, split
from taxocom.expansion.partitions.split_result import Partition, Request, best_of, pin_terms
from taxocom.expansion.proposals.proposal import Candidate
from taxocom.numerics.arrays import UNASSIGNED, Bools1d, Floats1d, Floats2d, Ints1d
from taxocom.numerics.blas import one_blas_thread
from taxocom.taxonomy.tree import ROOT_ID, topic_id
from taxocom.text.terms.vocabulary import Vocabulary

_NAMING_TERMS = 5


@dataclass(frozen=True)
class _Trial:
    """The clusters that one count of novel topics leads to."""

    candidate: Candidate
    cluster_ids: tuple[str, ...]
    term_cluster: Ints1d
    is_novel: Bools1d
    documents: DocumentAssignment
    directions: Floats2d


def split_by_terms(
    evidence: NodeEvidence,
    counts: sparse.csr_array,
    vocabulary: Vocabulary,
    request: Request,
    *,
    random_state: int = 0,
) -> Partition:
    """Return the clusters of a node by the paper's rule; its departures are on as far as the settings say.

    `counts` are the node's documents by its terms.
    """
    settings, overrides = request.settings, request.overrides
    considered = np.ones(len(evidence.term_ids), dtype=bool)
    if settings.topical_terms_only:
        frequencies = np.bincount(counts.indices, minlength=counts.shape[1])
        considered &= evidence.topicality >= settings.min_topicality
        considered &= frequencies >= settings.min_document_frequency
    similarities = known_similarities(evidence, subtree=settings.subtree_directions)
    exponent = settings.exponent(below_root=evidence.node_id != ROOT_ID)
    novelty, threshold = _novelty(similarities, considered, request, exponent)
    is_novel = split(novelty, threshold) & considered
    idf = inverse_document_frequency(counts)
    by_hand = overrides.n_novel is not None
    trials = [
        _try(evidence, counts, idf, vocabulary, request, similarities, considered, is_novel, count, random_state)
        for count in _counts_to_try(request, int(is_novel.sum()))
    ]
    judged = list(choose_by_spread([trial.candidate for trial in trials]))
    if not by_hand and trials[0].candidate.n_novel and not any(candidate.chosen for candidate in judged):
        # The paper always inserts something, but of what has no concentrations nothing can be the most even.
        none = _try(evidence, counts, idf, vocabulary, request, similarities, considered, is_novel, 0, random_state)
        trials, judged = [none, *trials], [none.candidate, *judged]
    chosen = next((i for i, candidate in enumerate(judged) if candidate.chosen), 0)
    trial = trials[chosen]
    return Partition(
        cluster_ids=trial.cluster_ids,
        n_known=evidence.n_known,
        novelty=novelty,
        novelty_threshold=threshold,
        is_novel=trial.is_novel,
        term_cluster=trial.term_cluster,
        documents=trial.documents,
        candidates=tuple(replace(candidate, chosen=i == chosen) for i, candidate in enumerate(judged)),
        standings={},
        notes={},
        fits_under={},
        directions=trial.directions,
    )


def _counts_to_try(request: Request, n_novel_terms: int) -> list[int]:
    """Return the counts of novel clusters to try; there cannot be more clusters than novel terms."""
    asked = request.overrides.n_novel
    if asked is not None:
        if asked > n_novel_terms:
            raise SettingsError(
                f"{asked} novel topics were asked for, but only {n_novel_terms} terms are novel. Lower the threshold."
            )
        return [asked]
    least = 0 if request.settings.allow_none or n_novel_terms == 0 else 1
    return list(range(least, min(request.settings.max_novel, n_novel_terms) + 1))


def known_similarities(evidence: NodeEvidence, *, subtree: bool) -> Floats2d:
    """Return the cosine of each term with each known topic, or with the nearest direction of its sub-tree."""
    with one_blas_thread():
        if not subtree:
            return evidence.vectors @ evidence.topics.T
        each = evidence.vectors @ evidence.directions.T
    best = np.empty((len(each), evidence.n_known), dtype=np.float32)
    for child in range(evidence.n_known):
        best[:, child] = each[:, evidence.direction_child == child].max(axis=1)
    return best


def _novelty(
    similarities: Floats2d, considered: Bools1d, request: Request, exponent: float | None
) -> tuple[Floats1d, float]:
    settings = request.settings
    n_known = similarities.shape[1]
    if n_known == 0:
        novelty, threshold = np.ones(len(similarities), dtype=np.float32), 0.5
    elif n_known == 1 and exponent is None:
        # With one known topic the softmax is constant, so novelty is absolute here (ARCHITECTURE.md, departure 3).
        novelty = ((1.0 - similarities[:, 0]) / 2.0).astype(np.float32)
        threshold = shape_threshold(novelty[considered])
    else:
        novelty = novelty_scores(similarities, temperature=settings.temperature)
        threshold = (
            shape_threshold(novelty[considered])
            if exponent is None
            else novelty_threshold(n_known, threshold_exponent=exponent)
        )
    return novelty, threshold if request.overrides.threshold is None else request.overrides.threshold


def _try(
    evidence: NodeEvidence,
    counts: sparse.csr_array,
    idf: np.ndarray[tuple[int], np.dtype[np.float64]],
    vocabulary: Vocabulary,
    request: Request,
    similarities: Floats2d,
    considered: Bools1d,
    is_novel: Bools1d,
    n_novel: int,
    random_state: int,
) -> _Trial:
    """Cluster with a given number of novel topics, as far as the concentrations of the anchors."""
    n_known = evidence.n_known
    cluster = np.full(len(evidence.term_ids), UNASSIGNED, dtype=np.int32)
    known = considered & ~is_novel
    if n_known:
        cluster[known] = assign_known(similarities[known])
    directions = evidence.topics
    if n_novel:
        found = cluster_novel(evidence.vectors[is_novel], n_novel, random_state=random_state)
        cluster[is_novel] = n_known + found.labels
        directions = np.concatenate([evidence.topics, found.centers])
    novel = is_novel & (n_novel > 0)
    with one_blas_thread():
        relevances = evidence.vectors @ directions.T
    cluster_ids = (*evidence.children, *_novel_ids(evidence, vocabulary, relevances[:, n_known:]))
    fallback = {
        False: best_of(relevances, range(n_known)),
        True: best_of(relevances, range(n_known, len(directions))),
    }
    pin_terms(cluster, novel, request.pinned, cluster_ids, evidence, vocabulary, fallback)
    documents = assign_documents(counts, cluster, len(directions), idf=idf)
    scores = score_anchors(
        term_statistics(counts, documents.cluster, len(directions)),
        relevances,
        vocabulary.integrity[evidence.term_ids],
    )
    threshold = request.overrides.significance_threshold
    is_anchor = select_anchors(
        scores,
        cluster,
        significance_threshold=request.settings.significance_threshold if threshold is None else threshold,
    )
    values = concentrations(evidence.vectors, cluster, is_anchor, len(directions))
    spread = concentration_spread(values)
    candidate = Candidate(
        n_novel=n_novel,
        concentrations=values,
        concentration_spread=spread,
        score=None if spread is None else -spread,
        eligible=spread is not None,
        chosen=False,
        reason="" if spread is not None else undefined_reason(values),
    )
    return _Trial(candidate, cluster_ids, cluster, novel, documents, directions)


def _novel_ids(evidence: NodeEvidence, vocabulary: Vocabulary, nearness: Floats2d) -> Sequence[str]:
    """Name novel clusters after the terms nearest their centres, so that the same cluster has the same id again."""
    n_named = min(_NAMING_TERMS, len(nearness))
    nearest = np.argpartition(-nearness, n_named - 1, axis=0)[:n_named]
    return tuple(
        topic_id(evidence.node_id, *sorted(vocabulary.select(evidence.term_ids[nearest[:, column]])))
        for column in range(nearness.shape[1])
    )
