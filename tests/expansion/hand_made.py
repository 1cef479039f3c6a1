"""A node whose links are written by hand: two children, each with two tied facets, and free facets after those."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from taxocom.expansion.discovery.affinity import Affinity
from taxocom.expansion.discovery.facets import Facets
from taxocom.expansion.discovery.grouping import PRIOR_GRAIN, Group
from taxocom.expansion.discovery.node_evidence import NodeEvidence
from taxocom.expansion.discovery.novel_groups import NovelGroups
from taxocom.numerics.arrays import Floats1d, Ints1d
from taxocom.tagging.explanation import Explanation
from taxocom.taxonomy.tree import ROOT_ID

CHILDREN = ("arts", "sciences")
TIED: tuple[Group, Group] = ((0, 1), (2, 3))


def node_evidence(
    free_sizes: Sequence[int],
    links: Mapping[tuple[int, int], float],
    *,
    leaves: tuple[bool, bool] = (False, False),
) -> NodeEvidence:
    """Make the evidence of a node; tied facets have ten documents each, and a link that is not given is chance, 0."""
    sizes = np.array([10, 10, 10, 10, *free_sizes], np.int32)
    n_facets = len(sizes)
    labels = np.repeat(np.arange(n_facets), sizes).astype(np.int32)
    matrix = np.zeros((n_facets, n_facets))
    for (one, other), link in links.items():
        matrix[one, other] = matrix[other, one] = link
    np.fill_diagonal(matrix, -np.inf)
    blank = np.zeros((0, 2), np.float32)
    owners = np.array([0, 1, 2, 3] + [-1] * len(free_sizes), np.int32)
    return NodeEvidence(
        node_id=ROOT_ID,
        children=CHILDREN,
        documents=np.arange(len(labels), dtype=np.int32),
        term_ids=np.zeros(0, np.int32),
        vectors=blank,
        topics=np.eye(2, dtype=np.float32),
        directions=np.zeros((4, 2), np.float32),
        direction_child=np.array([0, 0, 1, 1], np.int32),
        is_leaf=np.array(leaves),
        topicality=np.zeros(0, np.float32),
        xy=blank,
        document_xy=blank,
        facets=Facets(labels, owners, np.zeros((n_facets, 2), np.float32)),
        affinity=Affinity(matrix, np.zeros((len(labels), n_facets), np.float32), sizes),
    )


def explained_as(
    evidence: NodeEvidence,
    explained: Sequence[float],
    best: Sequence[int],
    *,
    fit: Sequence[float] | None = None,
    told: Mapping[int, int] | None = None,
    places: Sequence[Sequence[float]] | None = None,
) -> NodeEvidence:
    """Let the tagger speak, facet by facet: how well its documents are explained (and fit, if not the same).

    The classes are the four parts of the two children. `best` is the class that the tagger gives a facet to, which is
    sure of it; `told` the class that people put all documents of a facet in. `places` are the main directions of the
    documents of each facet.
    """
    labels = evidence.facets.labels
    said = np.full(len(evidence.facets), -1, np.int32)
    for facet, topic in (told or {}).items():
        said[facet] = topic
    explanation = explanation_of(
        evidence.direction_child,
        np.asarray(best, np.int32)[labels],
        explained=np.asarray(explained, np.float32)[labels],
        fit=np.asarray(explained if fit is None else fit, np.float32)[labels],
        told=said[labels],
    )
    if places is not None:
        explanation = replace(explanation, directions=np.asarray(places, np.float32)[labels])
    return replace(evidence, explanation=explanation)


def explanation_of(
    branches: Ints1d, best: Ints1d, *, explained: Floats1d, fit: Floats1d, told: Ints1d | None = None
) -> Explanation:
    """Make what the tagger says of documents, which is sure of the class `best` of each; no document says a name."""
    n_documents, n_classes = len(best), len(branches)
    scores = np.zeros((n_documents, n_classes), np.float32)
    scores[np.arange(n_documents), best] = 9.0
    return Explanation(
        node_ids=tuple(f"part {number}" for number in range(n_classes)),
        branches=branches,
        evidence=np.zeros_like(scores),
        scores=scores,
        told=np.full(n_documents, -1, np.int32) if told is None else told,
        explained=explained,
        fit=fit,
        directions=np.zeros((n_documents, 1), np.float32),
        new_level=0.0,
    )


def novel_groups(free: Group, novel: Sequence[Group], known: tuple[Group, Group] = TIED) -> NovelGroups:
    """Make the groups that were found in it, at the grain of nobody in particular."""
    return NovelGroups(TIED, free, PRIOR_GRAIN, known, tuple(novel), 20.0)
