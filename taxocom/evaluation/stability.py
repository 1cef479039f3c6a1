"""How alike the novel topics of several random states are."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.optimize import linear_sum_assignment

from taxocom.evaluation.coherence import N_TOP_TERMS, TopTerms
from taxocom.evaluation.matching import novel_nodes
from taxocom.taxonomy.tree import Taxonomy


@dataclass(frozen=True)
class Outcome:
    """What one random state came to: the tree, the node of each document, the top terms of each node."""

    taxonomy: Taxonomy
    assigned: Sequence[str]
    top_terms: TopTerms


@dataclass(frozen=True)
class StabilityScores:
    """The mean matched Jaccard of novel topics over all pairs of random states, by top terms and by documents."""

    by_terms: float
    by_documents: float
    n_pairs: int


def matched_jaccard(first: Sequence[AbstractSet[object]], second: Sequence[AbstractSet[object]]) -> float:
    """Match the sets of two families one to one so that the sum of their Jaccard overlaps is greatest.

    The sum is divided by the number of sets in the larger family, so a set without a partner counts 0. Two empty
    families are alike: 1.
    """
    if not first and not second:
        return 1.0
    overlap = np.array([[_jaccard(a, b) for b in second] for a in first]).reshape(len(first), len(second))
    rows, columns = linear_sum_assignment(overlap, maximize=True)
    return float(overlap[rows, columns].sum() / max(len(first), len(second)))


def _jaccard(first: AbstractSet[object], second: AbstractSet[object]) -> float:
    either = len(first | second)
    return len(first & second) / either if either else 0.0


def score_stability(outcomes: Sequence[Outcome]) -> StabilityScores:
    """Compare the novel topics of every two outcomes: the sets of their first ten terms, and of their documents.

    Known topics are left out, because their names are the same by construction. One outcome alone is stable: 1.
    """
    terms = [_term_sets(outcome) for outcome in outcomes]
    documents = [_document_sets(outcome) for outcome in outcomes]
    pairs = list(combinations(range(len(outcomes)), 2))
    if not pairs:
        return StabilityScores(1.0, 1.0, 0)
    return StabilityScores(
        by_terms=float(np.mean([matched_jaccard(terms[i], terms[j]) for i, j in pairs])),
        by_documents=float(np.mean([matched_jaccard(documents[i], documents[j]) for i, j in pairs])),
        n_pairs=len(pairs),
    )


def _term_sets(outcome: Outcome) -> list[frozenset[str]]:
    novel = novel_nodes(outcome.taxonomy)
    return [frozenset(outcome.top_terms.get(node_id, ())[:N_TOP_TERMS]) for node_id in novel]


def _document_sets(outcome: Outcome) -> list[frozenset[int]]:
    members: dict[str, set[int]] = {node_id: set() for node_id in novel_nodes(outcome.taxonomy)}
    lineages = {n: [*outcome.taxonomy.ancestors_of(n), n] for n in set(outcome.assigned)}
    for row, node_id in enumerate(outcome.assigned):
        for above in lineages[node_id]:
            if above in members:
                members[above].add(row)
    return [frozenset(rows) for rows in members.values()]
