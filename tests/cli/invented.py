"""An invented proposal for the small project: what the engine would leave in the store, without the engine."""

import numpy as np

from taxocom.expansion.proposals.proposal import (
    Candidate,
    CoverageGap,
    DocumentScores,
    NodeExpansion,
    TermScores,
    TopicCluster,
)
from taxocom.store import Project
from taxocom.taxonomy.tree import ROOT_ID, AnchorTerm


def save_proposal(project: Project, node_id: str = ROOT_ID) -> int:
    """Keep a proposal with the node's children known and two novel clusters, `tennis` and `justice`; return its id."""
    corpus, tree = project.corpus(), project.taxonomy()
    vocabulary = corpus.vocabulary
    known = [(node.node_id, node.label) for node in tree.children_of(node_id)]
    clusters = [
        *(_cluster(key, "known", label, [label]) for key, label in known),
        _cluster("n1", "novel", "tennis", ["tennis", "match"]),
        _cluster("n2", "novel", "law and justice", ["law", "justice"], center="justice"),
    ]
    anchors = [{anchor.term for anchor in cluster.anchors} for cluster in clusters]
    owner = [next((i for i, terms in enumerate(anchors) if term in terms), -1) for term in vocabulary.terms]
    cluster = np.array(owner, dtype=np.int32)
    n = len(vocabulary)
    score = np.full(n, 0.5, dtype=np.float32)
    names = ("significance", "relevance", "representativeness", "integrity", "distinctiveness", "popularity")
    terms = TermScores(
        term_ids=np.arange(n, dtype=np.int32),
        novelty=np.where(cluster >= len(known), 0.9, 0.1).astype(np.float32),
        topicality=score,
        is_novel=cluster >= len(known),
        cluster=cluster,
        is_anchor=cluster >= 0,
        xy=np.zeros((n, 2), dtype=np.float32),
        **dict.fromkeys(names, score),
    )
    documents = np.arange(corpus.n_documents, dtype=np.int32)
    sure = np.full(corpus.n_documents, 0.75, dtype=np.float32)
    nowhere = np.zeros((corpus.n_documents, 2), dtype=np.float32)
    expansion = NodeExpansion(
        node_id=node_id,
        clusters=tuple(clusters),
        candidates=(Candidate(2, (1.0, 2.0), 0.5, 0.5, True, True, "the most even"),),
        terms=terms,
        documents=DocumentScores(documents, documents % len(clusters), sure, sure, nowhere),
        novelty_threshold=0.5,
        significance_threshold=0.2,
        gap_before=CoverageGap(0.4, 0.5),
        gap_after=CoverageGap(0.1, 0.05),
        settings={"discovery": "facets"},
        random_state=0,
        corpus_fingerprint=corpus.fingerprint,
        vocabulary_fingerprint=vocabulary.fingerprint,
        seconds={},
    )
    metadata, arrays = expansion.to_parts()
    record = project.save_proposal(
        node_id, metadata, arrays, sequence=project.sequence, settings=expansion.settings, random_state=0
    )
    return record.proposal_id


def _cluster(key: str, kind: str, label: str, terms: list[str], center: str = "") -> TopicCluster:
    return TopicCluster(
        cluster_id=key,
        kind=kind,  # type: ignore[arg-type]
        label=label,
        center_term=center or terms[0],
        # The second is no term of the texts: a lexicon would have thought of it.
        name_suggestions=(label, "racket sports") if label == "tennis" else (label,),
        names_by_meaning=("racket sports",) if label == "tennis" else (),
        anchors=tuple(AnchorTerm(term, 0.5) for term in terms),
        n_terms=len(terms),
        n_documents=18,
        concentration=3.0,
        warnings=("few documents",) if label == "tennis" else (),
    )
