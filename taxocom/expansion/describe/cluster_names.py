"""The names that are offered for the novel clusters of one partition, by the texts and by the lexicon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from taxocom.expansion.describe.meaning_names import TopicTerms, names_by_meaning
from taxocom.expansion.describe.naming import (
    MOST_SUGGESTIONS,
    ClusterParts,
    NameEvidence,
    counted_for_nouns,
    suggest_names,
)
from taxocom.expansion.discovery.node_evidence import NodeEvidence
from taxocom.expansion.paper.anchors import AnchorScores, ClusterStatistics
from taxocom.expansion.partitions.split_result import Partition, use_by_group
from taxocom.numerics.arrays import Ints1d
from taxocom.tagging.lexicon import Lexicon
from taxocom.taxonomy.tree import Taxonomy
from taxocom.text.corpus import Corpus
from taxocom.text.language.stems import stems_of
from taxocom.text.terms.vocabulary import normal_term

_READ_OF_A_DOCUMENT = 1_500
_READ_FOR_NAMES = 400


@dataclass(frozen=True)
class OfferedNames:
    """Names for a cluster, best first, and those of them that the lexicon alone has put forward."""

    names: tuple[str, ...]
    by_meaning: tuple[str, ...] = ()

    @property
    def best(self) -> str:
        """The first name, empty if there is none."""
        return self.names[0] if self.names else ""


@dataclass(frozen=True)
class ClusterNaming:
    """What the names of the novel clusters of one partition are found in."""

    corpus: Corpus
    taxonomy: Taxonomy
    evidence: NodeEvidence
    partition: Partition
    scores: AnchorScores
    statistics: ClusterStatistics
    anchor_rows: Sequence[Ints1d]
    lexicon: Lexicon | None

    def offered(self, cluster: int, taken: Sequence[str], *, better_names: bool) -> OfferedNames:
        """Return names for a novel cluster: what is used as its siblings' names are; by the paper the nearest terms."""
        rows = self.anchor_rows[cluster]
        vocabulary = self.corpus.vocabulary
        if not better_names:
            nearest = rows[np.argsort(-self.scores.relevance[rows, cluster], kind="stable")][:5]
            return OfferedNames(tuple(vocabulary.select(self.evidence.term_ids[nearest])))
        found = counted_for_nouns(self._evidence_of(cluster), vocabulary)
        text = suggest_names(found, vocabulary, taken=taken)
        if self.lexicon is None:
            return OfferedNames(text)
        known = [self._terms(i, self.taxonomy[child].label) for i, child in enumerate(self.evidence.children)]
        used = [*taken, *text[:1]]
        return woven(text, names_by_meaning(found, vocabulary, self.lexicon, known, self._terms(cluster), taken=used))

    def _terms(self, cluster: int, name: str = "") -> TopicTerms:
        rows = self.anchor_rows[cluster]
        terms = self.corpus.vocabulary.select(self.evidence.term_ids[rows])
        return TopicTerms(name, terms, self.scores.significances[rows, cluster])

    def _evidence_of(self, cluster: int) -> NameEvidence:
        evidence, partition = self.evidence, self.partition
        inside = self.statistics.document_frequencies[:, cluster]
        everywhere = self.statistics.document_frequencies.sum(axis=1)
        n_inside = int((partition.documents.cluster == cluster).sum())
        is_member = np.zeros(len(evidence.term_ids), dtype=bool)
        is_member[self.anchor_rows[cluster]] = True
        names = self.corpus.vocabulary.ids_of(normal_term(self.taxonomy[child].label) for child in evidence.children)
        return NameEvidence(
            term_ids=evidence.term_ids,
            significance=self.scores.significances[:, cluster],
            inside=inside.astype(np.int32),
            outside=(everywhere - inside).astype(np.int32),
            n_inside=n_inside,
            n_outside=len(evidence.documents) - n_inside,
            is_member=is_member,
            vectors=evidence.vectors,
            siblings=np.flatnonzero(np.isin(evidence.term_ids, names)),
            parts=_parts(self.corpus, evidence, partition, cluster),
            texts=_openings(self.corpus, evidence, partition, cluster),
        )


def woven(text: Sequence[str], by_meaning: Sequence[str]) -> OfferedNames:
    """Return the best name by the texts first, then those by meaning, then what else the texts say."""
    said = {stems_of(name) for name in text}
    offered = list(dict.fromkeys((*text[:1], *by_meaning)))
    used = set(map(stems_of, offered))
    offered += [name for name in text if stems_of(name) not in used]
    meant = tuple(name for name in by_meaning if stems_of(name) not in said)
    return OfferedNames(tuple(offered[:MOST_SUGGESTIONS]), meant)


def _parts(corpus: Corpus, evidence: NodeEvidence, partition: Partition, cluster: int) -> ClusterParts:
    """Count in how many of a cluster's documents each term of the node occurs, facet by facet."""
    members = np.flatnonzero(partition.documents.cluster == cluster)
    _, part, sizes = np.unique(evidence.facets.labels[members], return_inverse=True, return_counts=True)
    use = use_by_group(corpus.counts[evidence.documents[members]], part.astype(np.int32), len(sizes))
    return ClusterParts(sizes.astype(np.float64), use[evidence.term_ids])


def _openings(corpus: Corpus, evidence: NodeEvidence, partition: Partition, cluster: int) -> list[str]:
    """Return how some of a cluster's documents begin, taken evenly from all of them: enough to tell a noun."""
    members = evidence.documents[partition.documents.cluster == cluster]
    some = np.linspace(0, len(members) - 1, min(len(members), _READ_FOR_NAMES)).astype(np.int64)
    return [corpus.texts[int(document)][:_READ_OF_A_DOCUMENT] for document in members[some]]
