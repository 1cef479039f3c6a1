"""What one expansion found, whole: a proposal with the evidence for every number in it. It never changes a tree."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from taxocom.numerics.arrays import Bools1d, Floats1d, Floats2d, Ints1d, read_only
from taxocom.taxonomy.tree import AnchorTerm


@dataclass(frozen=True)
class Overrides:
    """Changes to a split; None leaves what the proposal chose.

    `pins` put terms by hand: a cluster's id, or `known`, `novel` or `general`. `merged` are groups of novel clusters
    that become one, under the id of the first of each group; `split` are novel clusters to be taken apart; `included`
    are groups that were left out, to be proposed all the same.
    """

    threshold: float | None = None
    significance_threshold: float | None = None
    n_novel: int | None = None
    pins: Mapping[str, str] = field(default_factory=dict)
    merged: tuple[tuple[str, ...], ...] = ()
    split: tuple[str, ...] = ()
    included: tuple[str, ...] = ()


Kind = Literal["known", "novel"]


@dataclass(frozen=True)
class Passage:
    """A sentence of a document that shows a topic; `highlights` are (start, stop) positions of its terms."""

    document_id: str
    text: str
    highlights: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class TopicCluster:
    """A set of terms and documents before a person has judged it.

    `cluster_id` is the topic's id for a known cluster and an id of its own for a novel one. `distinctness` is the share
    of its documents that a classifier which has not read them gives to it and not to a known topic; `stability` the
    share that comes back to it when half of the documents are hidden. Both are None where they do not apply.
    `fits_under` is the id of the topic that the cluster would sit under best, if that is not the node expanded. `since`
    says since when its documents come more often than texts do; it is found out when the proposal is looked at.
    `names_by_meaning` are those of the suggestions that the lexicon has put forward: few of its documents say them.
    """

    cluster_id: str
    kind: Kind
    label: str
    center_term: str
    name_suggestions: tuple[str, ...]
    anchors: tuple[AnchorTerm, ...]
    n_terms: int
    n_documents: int
    concentration: float | None
    distinctness: float | None = None
    stability: float | None = None
    fits_under: str | None = None
    warnings: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()
    typical_documents: tuple[str, ...] = ()
    since: str = ""
    names_by_meaning: tuple[str, ...] = ()


@dataclass(frozen=True)
class Candidate:
    """One count of novel clusters that was tried, and why it won or lost."""

    n_novel: int
    concentrations: tuple[float | None, ...]
    concentration_spread: float | None
    score: float | None
    eligible: bool
    chosen: bool
    reason: str


@dataclass(frozen=True)
class LeftOutGroup:
    """A group of documents that no known topic explains and that was not proposed: its telling terms, and why not."""

    cluster_id: str
    n_documents: int
    terms: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class HiddenTopic:
    """What became of a known sub-topic that was hidden for practice: it was looked for as one that is missing is.

    `f1` compares the documents of all topics then proposed with those the tagger gives it; `n_others` counts the
    topics proposed beside it.
    """

    node_id: str
    f1: float
    is_found: bool
    n_others: int


@dataclass(frozen=True)
class TermScores:
    """Every term of the node, a row each; `cluster` indexes `NodeExpansion.clusters` or is `UNASSIGNED` where the term
    stays with the node itself.

    `significance` = `relevance` × (`integrity` × `distinctiveness` × `popularity`)^(1/3). `is_anchor` marks the terms
    kept by the significance threshold. `xy` are map coordinates, shape (n_terms, 2).
    """

    term_ids: Ints1d
    novelty: Floats1d
    topicality: Floats1d
    is_novel: Bools1d
    cluster: Ints1d
    is_anchor: Bools1d
    significance: Floats1d
    relevance: Floats1d
    representativeness: Floats1d
    integrity: Floats1d
    distinctiveness: Floats1d
    popularity: Floats1d
    xy: Floats2d

    def __len__(self) -> int:
        return len(self.term_ids)


@dataclass(frozen=True)
class DocumentScores:
    """Every document of the node, a row each; `margin` is how far its cluster leads the next, in [0, 1].

    `xy` are map coordinates, shape (n_documents, 2), in the plane of those of the terms.
    """

    documents: Ints1d
    cluster: Ints1d
    score: Floats1d
    margin: Floats1d
    xy: Floats2d

    def __len__(self) -> int:
        return len(self.documents)


@dataclass(frozen=True)
class CoverageGap:
    """The share of the node's topical terms and of its documents that no cluster explains."""

    terms: float
    documents: float


@dataclass(frozen=True)
class NodeExpansion:
    """A proposal for one node: known clusters first, then novel ones, in `clusters`.

    `left_out` are the groups that were looked at and not proposed, largest first; a person may want one all the same
    (`Overrides.included`). `practice` says how far to trust the proposal; it is empty where too little can be hidden.
    `map_to_come` names the map that is drawn after the proposal was kept; it is empty once every `xy` is a place on it.
    """

    node_id: str
    clusters: tuple[TopicCluster, ...]
    candidates: tuple[Candidate, ...]
    terms: TermScores
    documents: DocumentScores
    novelty_threshold: float
    significance_threshold: float
    gap_before: CoverageGap
    gap_after: CoverageGap
    settings: Mapping[str, Any]
    random_state: int
    corpus_fingerprint: str
    vocabulary_fingerprint: str
    seconds: Mapping[str, float]
    left_out: tuple[LeftOutGroup, ...] = ()
    practice: tuple[HiddenTopic, ...] = ()
    map_to_come: str = ""

    @property
    def known(self) -> tuple[TopicCluster, ...]:
        """The clusters of the node's known sub-topics."""
        return tuple(cluster for cluster in self.clusters if cluster.kind == "known")

    @property
    def novel(self) -> tuple[TopicCluster, ...]:
        """The clusters proposed as new sub-topics."""
        return tuple(cluster for cluster in self.clusters if cluster.kind == "novel")

    def anchors_of(self, cluster_id: str) -> Ints1d | None:
        """Return the ids of all anchor terms of a cluster; None, if there is no such cluster."""
        ids = [cluster.cluster_id for cluster in self.clusters]
        if cluster_id not in ids:
            return None
        own: Bools1d = self.terms.is_anchor & (self.terms.cluster == ids.index(cluster_id))
        return self.terms.term_ids[own]

    def to_parts(self) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
        """Return the proposal as JSON-able metadata and named arrays, for the store."""
        metadata = {
            name: _plain(getattr(self, name))
            for name in (field.name for field in dataclasses.fields(self))
            if name not in ("terms", "documents")
        }
        arrays = {
            f"{group}.{field.name}": getattr(table, field.name)
            for group, table in (("terms", self.terms), ("documents", self.documents))
            for field in dataclasses.fields(table)
        }
        return metadata, arrays

    @classmethod
    def from_parts(cls, metadata: Mapping[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]) -> NodeExpansion:
        """Rebuild a proposal from what `to_parts` returned."""

        def table(group: str) -> dict[str, Any]:
            return {key.split(".", 1)[1]: read_only(array) for key, array in arrays.items() if key.startswith(group)}

        values = {field.name: metadata[field.name] for field in dataclasses.fields(cls) if field.name in metadata}
        values["clusters"] = tuple(_cluster(raw) for raw in metadata["clusters"])
        values["candidates"] = tuple(
            Candidate(**{**raw, "concentrations": tuple(raw["concentrations"])}) for raw in metadata["candidates"]
        )
        values["left_out"] = tuple(
            LeftOutGroup(**{**raw, "terms": tuple(raw["terms"])}) for raw in metadata.get("left_out", ())
        )
        values["practice"] = hidden_topics(metadata)
        values["gap_before"] = CoverageGap(**metadata["gap_before"])
        values["gap_after"] = CoverageGap(**metadata["gap_after"])
        documents = table("documents.")
        # Proposals kept before documents had places have none: all lie at the origin, and the map shows terms alone.
        documents.setdefault("xy", read_only(np.zeros((len(documents["documents"]), 2), dtype=np.float32)))
        return cls(terms=TermScores(**table("terms.")), documents=DocumentScores(**documents), **values)


def hidden_topics(metadata: Mapping[str, Any]) -> tuple[HiddenTopic, ...]:
    """Return what practice showed, from the metadata of a stored proposal; older ones have none."""
    return tuple(HiddenTopic(**raw) for raw in metadata.get("practice", ()))


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, np.generic):
        return value.item()
    return value


def _cluster(raw: Mapping[str, Any]) -> TopicCluster:
    values = dict(raw)
    values["anchors"] = tuple(AnchorTerm(**anchor) for anchor in raw["anchors"])
    values["passages"] = tuple(
        Passage(p["document_id"], p["text"], tuple((int(a), int(b)) for a, b in p["highlights"]))
        for p in raw["passages"]
    )
    for name in ("name_suggestions", "warnings", "typical_documents"):
        values[name] = tuple(raw[name])
    # Proposals kept before the lexicon had a say in names have none.
    values["names_by_meaning"] = tuple(raw.get("names_by_meaning", ()))
    return TopicCluster(**values)
