"""Metrics that need no gold: coherency, intrusion, diversity of top terms, and what the topics cover."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from taxocom.evaluation.matching import novel_nodes
from taxocom.numerics.arrays import Doubles, Offsets
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.text.terms.vocabulary import Vocabulary

N_TOP_TERMS = 10
N_INTRUSION_TERMS = 5

TopTerms = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Cooccurrence:
    """How often terms occur in one document together.

    `joint` has shape (n_terms, n_terms) and counts documents; its diagonal is the document frequency.
    """

    terms: tuple[str, ...]
    joint: Doubles
    n_documents: int

    @cached_property
    def row_of(self) -> dict[str, int]:
        """The row of each term in `joint`."""
        return {term: row for row, term in enumerate(self.terms)}

    @cached_property
    def npmi(self) -> Doubles:
        """Normalised pointwise mutual information of every pair, in [-1, 1].

        `log(p12 / (p1 p2)) / -log p12` over documents. Terms that never meet have -1, terms that are together in every
        document 1: the limits of the formula where it is undefined.
        """
        p12 = self.joint / max(self.n_documents, 1)
        p = np.diag(p12)
        met, always = p12 > 0, p12 == 1
        defined = met & ~always
        ratio = np.divide(p12, np.outer(p, p), out=np.ones_like(p12), where=defined)
        scale = -np.log(p12, out=np.full_like(p12, -1.0), where=defined)
        return np.where(always, 1.0, np.where(met, np.log(ratio) / scale, -1.0))


def count_cooccurrence(top_terms: TopTerms, vocabulary: Vocabulary, counts: sparse.csr_array) -> Cooccurrence:
    """Count in how many documents each two of the top terms occur; terms outside the vocabulary are left out.

    `counts` is a document-term matrix of shape (n_documents, n_terms): all documents, or held-out ones.
    """
    terms = sorted({term for listed in top_terms.values() for term in listed if term in vocabulary})
    chosen = sparse.csr_array(sparse.csc_array(counts)[:, vocabulary.ids_of(terms)])
    present = sparse.csr_array((np.ones(chosen.nnz), chosen.indices, chosen.indptr), shape=chosen.shape)
    present.data[chosen.data <= 0] = 0.0
    return Cooccurrence(tuple(terms), np.asarray((present.T @ present).toarray()), counts.shape[0])


def hold_out(n_documents: int, *, share: float = 0.1, random_state: int = 0) -> Offsets:
    """Return the rows, ascending, of a random share of documents that no system shall see."""
    rng = np.random.default_rng(random_state)
    return np.sort(rng.choice(n_documents, size=round(share * n_documents), replace=False))


@dataclass(frozen=True)
class NodeMeans:
    """One number for each node that has one, and their mean (0 without any)."""

    by_node: Mapping[str, float]

    @property
    def mean(self) -> float:
        """The mean over the nodes."""
        return float(np.mean(list(self.by_node.values()))) if self.by_node else 0.0


def score_coherency(top_terms: TopTerms, cooccurrence: Cooccurrence) -> NodeMeans:
    """Score how often the first ten terms of a node occur together: the mean NPMI of all their pairs.

    Nodes with fewer than two terms in the vocabulary are left out.
    """
    scores = {}
    for node_id, listed in top_terms.items():
        rows = [cooccurrence.row_of[term] for term in listed[:N_TOP_TERMS] if term in cooccurrence.row_of]
        if len(rows) >= 2:
            pairs = cooccurrence.npmi[np.ix_(rows, rows)][np.triu_indices(len(rows), k=1)]
            scores[node_id] = float(pairs.mean())
    return NodeMeans(scores)


def score_intrusion(
    taxonomy: Taxonomy,
    top_terms: TopTerms,
    held_out: Cooccurrence,
    *,
    n_trials: int = 20,
    random_state: int = 0,
) -> NodeMeans:
    """Score how often a foreign term among a node's first five is spotted by co-occurrence in held-out documents.

    In each trial one of the top ten terms of a node that is neither above nor below this one, and that is not among
    this node's top ten, joins its first five. The term with the lowest mean NPMI to the other five is taken for the
    intruder; a tie counts as the chance of picking it. Guessing blindly scores 1/6.
    """
    rng = np.random.default_rng(random_state)
    listed = {
        node_id: [term for term in terms[:N_TOP_TERMS] if term in held_out.row_of]
        for node_id, terms in top_terms.items()
        if node_id in taxonomy and node_id != ROOT_ID
    }
    scores = {}
    for node_id, terms in listed.items():
        kin = {node_id, *taxonomy.ancestors_of(node_id), *(n.node_id for n in taxonomy.subtree_of(node_id))}
        strangers = sorted({t for other, theirs in listed.items() if other not in kin for t in theirs} - set(terms))
        own = terms[:N_INTRUSION_TERMS]
        if len(own) == N_INTRUSION_TERMS and strangers:
            drawn = rng.choice(strangers, size=n_trials)
            scores[node_id] = float(np.mean([_spotted([*own, str(term)], held_out) for term in drawn]))
    return NodeMeans(scores)


def _spotted(terms: Sequence[str], cooccurrence: Cooccurrence) -> float:
    """Return the chance that the last term is picked as the one that fits least."""
    rows = [cooccurrence.row_of[term] for term in terms]
    npmi = cooccurrence.npmi[np.ix_(rows, rows)].copy()
    np.fill_diagonal(npmi, 0.0)
    fit = npmi.sum(axis=1)
    lowest = np.isclose(fit, fit.min(), rtol=0.0, atol=1e-12)
    return float(lowest[-1] / lowest.sum())


def score_diversity(taxonomy: Taxonomy, top_terms: TopTerms) -> float:
    """Return the share of different terms among the first ten of all nodes of one depth, over all depths.

    1 means that no two nodes of one depth share a term. A parent may share terms with its child, as it should.
    """
    by_depth: dict[int, list[str]] = {}
    for node_id, listed in top_terms.items():
        if node_id != ROOT_ID:
            by_depth.setdefault(taxonomy.depth_of(node_id), []).extend(listed[:N_TOP_TERMS])
    total = sum(len(terms) for terms in by_depth.values())
    return sum(len(set(terms)) for terms in by_depth.values()) / total if total else 0.0


@dataclass(frozen=True)
class TopicCoverage:
    """How many documents are in a topic or below it, and how many of them stop at it."""

    node_id: str
    n_documents: int
    n_stopping: int
    share: float


@dataclass(frozen=True)
class CoverageScores:
    """How much of the corpus the topics explain.

    `gap_before` is the share of documents that no known topic holds (those at the root and those under a novel node at
    first level count), `gap_after` the share that stays at the root.
    """

    gap_before: float
    gap_after: float
    topics: tuple[TopicCoverage, ...]


def score_coverage(taxonomy: Taxonomy, assigned: Sequence[str]) -> CoverageScores:
    """Count what each topic holds and what none does; a document belongs to its node and to all above it."""
    at: dict[str, int] = {}
    for node_id in assigned:
        at[node_id] = at.get(node_id, 0) + 1
    held = {n.node_id: sum(at.get(b.node_id, 0) for b in taxonomy.subtree_of(n.node_id)) for n in taxonomy.walk()}
    whole = max(len(assigned), 1)
    novel = set(novel_nodes(taxonomy))
    by_known = sum(held[node_id] for node_id in taxonomy.children.get(ROOT_ID, ()) if node_id not in novel)
    return CoverageScores(
        gap_before=1.0 - by_known / whole if assigned else 0.0,
        gap_after=at.get(ROOT_ID, 0) / whole,
        topics=tuple(
            TopicCoverage(node_id, held[node_id], at.get(node_id, 0), held[node_id] / whole) for node_id in held
        ),
    )
