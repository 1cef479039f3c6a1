"""Where every document is in the tree, as far as the proposals so far and the curator say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from taxocom.expansion.accepting import accepted_id
from taxocom.numerics.arrays import Floats1d, Ints1d
from taxocom.store.project import Project
from taxocom.taxonomy.curation import derive_curation
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy


@dataclass(frozen=True)
class DocumentPlaces:
    """Document d is in topic `node_ids[numbers[d]]`; `scores[d]` is how surely, not a number if a person said so."""

    tree: Taxonomy
    node_ids: Sequence[str]
    numbers: Ints1d
    scores: Floats1d

    def documents_of(self, node_id: str) -> Ints1d:
        """Return the documents of a topic and of all below it."""
        below = {node.node_id for node in self.tree.subtree_of(node_id)}
        wanted = [number for number, each in enumerate(self.node_ids) if each in below]
        return np.flatnonzero(np.isin(self.numbers, wanted)).astype(np.int32)

    def node_of(self, document: int) -> str:
        """Return the deepest topic that a document is in."""
        return self.node_ids[int(self.numbers[document])]


def document_places(
    project: Project, tree: Taxonomy | None = None, moved: Mapping[str, str] | None = None
) -> DocumentPlaces:
    """Follow the documents from the root down through the newest proposal of each topic.

    A cluster that was not accepted leaves its documents where they were. A document that a person `moved` goes there.
    """
    tree = tree or project.taxonomy()
    corpus = project.corpus()
    newest: dict[str, int] = {}
    for record in project.proposals():
        newest.setdefault(record.node_id, record.proposal_id)
    number_of = {ROOT_ID: 0}
    numbers = np.zeros(corpus.n_documents, dtype=np.int32)
    scores = np.full(corpus.n_documents, np.nan, dtype=np.float32)
    for node in tree.subtree_of(ROOT_ID):
        if node.node_id not in newest or node.node_id not in number_of:
            continue
        stored = project.load_proposal(newest[node.node_id])
        if stored.metadata["corpus_fingerprint"] != corpus.fingerprint:
            continue
        rows, clusters = stored.arrays["documents.documents"], stored.arrays["documents.cluster"]
        for index, cluster in enumerate(stored.metadata["clusters"]):
            topic = topic_of(str(cluster["cluster_id"]), node.node_id, tree)
            if topic is None:
                continue
            chosen = (clusters == index) & (numbers[rows] == number_of[node.node_id])
            numbers[rows[chosen]] = number_of.setdefault(topic, len(number_of))
            scores[rows[chosen]] = stored.arrays["documents.score"][chosen]
    if moved is None:
        moved = derive_curation(project.seed(), project.log()).documents
    if moved:
        row_of = {document_id: row for row, document_id in enumerate(corpus.document_ids)}
        for document_id, node_id in moved.items():
            if document_id in row_of and node_id in tree:
                numbers[row_of[document_id]] = number_of.setdefault(node_id, len(number_of))
                scores[row_of[document_id]] = np.nan
    return DocumentPlaces(tree, tuple(number_of), numbers, scores)


def topic_of(cluster_id: str, node_id: str, tree: Taxonomy) -> str | None:
    """Return the topic that a cluster of a proposal is in the tree: its own if known, the accepted one if novel."""
    return next((each for each in (cluster_id, accepted_id(node_id, cluster_id)) if each in tree), None)
