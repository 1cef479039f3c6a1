"""Where to split a known topic: the engine takes novel clusters apart, a topic that is in the tree is split by hand.

What is offered to begin with is the line along which the documents themselves divide its anchors.
"""

from __future__ import annotations

import numpy as np

from taxocom.errors import SettingsError
from taxocom.expansion.proposals.proposal import NodeExpansion, TopicCluster
from taxocom.numerics.sphere import cosines
from taxocom.numerics.spherical_kmeans import spherical_kmeans
from taxocom.text.corpus import Corpus
from taxocom.text.terms.vocabulary import display, normal_term
from taxocom.ui.shared.proposal_draft import Part

ANCHORS_OFFERED = 24
_FEWEST = 2


def offered(cluster: TopicCluster) -> list[str]:
    """Return the terms that can go to one part or the other."""
    return [anchor.term for anchor in cluster.anchors[:ANCHORS_OFFERED]]


def suggested_part(expansion: NodeExpansion, cluster_id: str, corpus: Corpus) -> Part:
    """Return the half of a topic's anchors that its documents use apart from the half with its name.

    Terms are compared by the company they keep: few documents hold two rare terms, but many hold terms that are used
    with both. A topic of which no two such halves are seen is a SettingsError.
    """
    index = [cluster.cluster_id for cluster in expansion.clusters].index(cluster_id)
    cluster = expansion.clusters[index]
    terms = offered(cluster)
    rows = expansion.documents.documents[expansion.documents.cluster == index]
    held = (corpus.counts[rows][:, corpus.vocabulary.ids_of(terms)] > 0).toarray().astype(np.float32)
    if len(terms) < 2 * _FEWEST or len(rows) < 2 * _FEWEST:
        raise SettingsError(f"{cluster.label!r} has too few terms or documents to be split.")
    company = cosines(held.T, held.T)
    labels = spherical_kmeans(company - company.mean(axis=0), 2, random_state=0).labels
    names = [name for name in (normal_term(cluster.label), cluster.center_term) if name in terms]
    kept = labels[terms.index(names[0]) if names else 0]
    leaving = tuple(term for term, label in zip(terms, labels, strict=True) if label != kept)
    if not _FEWEST <= len(leaving) <= len(terms) - _FEWEST:
        raise SettingsError(f"{cluster.label!r} cannot be split: its documents use its terms together.")
    return Part(display(leaving[0]), leaving)
