"""What a cluster may be called: a few different ideas, best first.

The term nearest a cluster's mean is a poor name, for it is as narrow as any other. A good name is significant for the
cluster, covers many of its documents and few others.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from taxocom.numerics.arrays import Doubles, Floats1d, Ints1d
from taxocom.text.stems import stems_of
from taxocom.text.vocabulary import Vocabulary

MOST_SUGGESTIONS = 5


@dataclass(frozen=True)
class NameWeights:
    """The exponents of what makes a name, each 1 by default."""

    significance: float = 1.0
    coverage: float = 1.0
    specificity: float = 1.0
    integrity: float = 0.5


@dataclass(frozen=True)
class NameEvidence:
    """What is known of the terms that may name one cluster, a row each.

    `inside` and `outside` are the numbers of documents that contain the term among the `n_inside` documents of the
    cluster and the `n_outside` other documents of the node.
    """

    term_ids: Ints1d
    significance: Floats1d
    inside: Ints1d
    outside: Ints1d
    n_inside: int
    n_outside: int


def suggest_names(
    evidence: NameEvidence,
    vocabulary: Vocabulary,
    *,
    taken: Collection[str] = (),
    rejected: Collection[str] = (),
    limit: int = MOST_SUGGESTIONS,
    weights: NameWeights | None = None,
) -> tuple[str, ...]:
    """Return up to `limit` terms that may name a cluster, best first, no two of them variants of one another.

    `taken` are the names of siblings and ancestors, `rejected` those that the curator refused for it.
    """
    scores = name_scores(evidence, vocabulary, weights=weights or NameWeights())
    used = {stems_of(name) for name in (*taken, *rejected)}
    suggested: list[str] = []
    for row in np.argsort(-scores, kind="stable"):
        term = vocabulary.terms[evidence.term_ids[row]]
        if scores[row] <= 0.0 or len(suggested) == limit:
            break
        if stems_of(term) not in used:
            used.add(stems_of(term))
            suggested.append(term)
    return tuple(suggested)


def name_scores(evidence: NameEvidence, vocabulary: Vocabulary, *, weights: NameWeights) -> Doubles:
    """Score each term as a name, (n_terms,); 0 for one that may not name a topic."""
    inside = evidence.inside.astype(np.float64)
    coverage = inside / max(evidence.n_inside, 1)
    elsewhere = evidence.outside / max(evidence.n_outside, 1)
    specificity = np.divide(coverage, coverage + elsewhere, out=np.zeros_like(coverage), where=coverage > 0.0)
    integrity = vocabulary.integrity[evidence.term_ids].astype(np.float64)
    scores = (
        np.maximum(evidence.significance, 0.0).astype(np.float64) ** weights.significance
        * coverage**weights.coverage
        * specificity**weights.specificity
        * integrity**weights.integrity
    )
    return np.where(vocabulary.may_name[evidence.term_ids], scores, 0.0)
