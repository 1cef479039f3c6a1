"""What every way of splitting a node comes to: terms and documents in known and novel clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from taxocom.expansion.discovery.admission import Standing
from taxocom.expansion.discovery.node_evidence import NodeEvidence
from taxocom.expansion.paper.clusters import DocumentAssignment
from taxocom.expansion.proposals.proposal import Candidate, LeftOutGroup, Overrides
from taxocom.numerics.arrays import UNASSIGNED, Bools1d, Doubles, Floats1d, Floats2d, Ints1d
from taxocom.settings import ExpansionSettings
from taxocom.taxonomy.curation import RejectedCluster
from taxocom.text.terms.vocabulary import Vocabulary


@dataclass(frozen=True)
class Request:
    """What a split is asked to respect: settings, what the curator overrides now, and what was settled before.

    `labels` are the names of the topics by their ids, for what is said of them.
    """

    settings: ExpansionSettings
    overrides: Overrides = field(default_factory=Overrides)
    pins: Mapping[str, str] | None = None
    rejected: Sequence[RejectedCluster] = ()
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def pinned(self) -> dict[str, str]:
        """Every pinned term and where it goes; what is asked now wins over what was settled before."""
        return {**(self.pins or {}), **self.overrides.pins}

    @property
    def threshold(self) -> float:
        """The novelty threshold of a split by facets."""
        return self.settings.novelty_threshold if self.overrides.threshold is None else self.overrides.threshold


@dataclass(frozen=True)
class Partition:
    """Known clusters first, then novel ones; rows of the term arrays are those of `NodeEvidence.term_ids`.

    `cluster_ids` names every cluster: a topic's id, or an id made from what a novel cluster consists of. `directions`
    (n_clusters, dim) are those that terms are relevant to, where they are not the means of the clusters' terms.
    """

    cluster_ids: tuple[str, ...]
    n_known: int
    novelty: Floats1d
    novelty_threshold: float
    is_novel: Bools1d
    term_cluster: Ints1d
    documents: DocumentAssignment
    candidates: tuple[Candidate, ...]
    standings: Mapping[str, Standing]
    notes: Mapping[str, tuple[str, ...]]
    fits_under: Mapping[str, str]
    directions: Floats2d | None = None
    left_out: tuple[LeftOutGroup, ...] = ()

    @property
    def n_clusters(self) -> int:
        """The number of known and novel clusters."""
        return len(self.cluster_ids)


def pin_terms(
    term_cluster: Ints1d,
    is_novel: Bools1d,
    pinned: Mapping[str, str],
    cluster_ids: Sequence[str],
    evidence: NodeEvidence,
    vocabulary: Vocabulary,
    fallback: Mapping[bool, Ints1d],
) -> None:
    """Put pinned terms where the curator put them, in place.

    `fallback[False]` and `fallback[True]` give each term its best known and its best novel cluster, for those pinned
    only as `known` or `novel`.
    """
    if not pinned:
        return
    rows = {int(term): row for row, term in enumerate(evidence.term_ids)}
    place = {cluster: index for index, cluster in enumerate(cluster_ids)}
    for term, target in pinned.items():
        term_id = vocabulary.id_of(term)
        row = None if term_id is None else rows.get(term_id)
        if row is None:
            continue
        if target == "general":
            term_cluster[row], is_novel[row] = UNASSIGNED, False
        elif target in ("known", "novel"):
            is_novel[row] = target == "novel"
            term_cluster[row] = fallback[target == "novel"][row]
        elif target in place:
            term_cluster[row] = place[target]
            is_novel[row] = place[target] >= evidence.n_known


def best_of(scores: np.ndarray[tuple[int, int], np.dtype[np.floating]], columns: range) -> Ints1d:
    """Return the best of some columns for each row, `UNASSIGNED` if there are none."""
    if len(columns) == 0:
        return np.full(len(scores), UNASSIGNED, dtype=np.int32)
    return np.asarray(scores[:, columns.start : columns.stop].argmax(axis=1) + columns.start, dtype=np.int32)


def use_by_group(counts: sparse.csr_array, groups: Ints1d, n_groups: int) -> Doubles:
    """Count in how many documents of each group (a number from 0 a document) each term occurs."""
    n_terms = counts.shape[1]
    # Group by group in memory: whoever reads it adds up the columns of some groups.
    cells = counts.indices + np.repeat(groups.astype(np.int64) * n_terms, np.diff(counts.indptr))
    found = np.bincount(cells, minlength=n_terms * n_groups)
    return found.reshape(n_groups, n_terms).astype(np.float64).T
