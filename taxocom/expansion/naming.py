"""What a cluster may be called: a few different ideas, best first.

The term nearest a cluster's mean is a poor name, for it is as narrow as any other. A good name is significant for the
cluster, covers many of its documents and few others; and where it is a phrase, its words do so too.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from taxocom.numerics.arrays import Bools1d, Doubles, Floats1d, Floats2d, Ints1d
from taxocom.numerics.sphere import unit_rows
from taxocom.text.stems import stems_of
from taxocom.text.vocabulary import Vocabulary

MOST_SUGGESTIONS = 5
# How many of the best terms are weighed against one another.
_SHORT_LIST = 60
# A phrase in this share of the documents of one of its words is what the word stands for.
_MOST_OF_A_WORD = 0.5
# So many phrases of a cluster must end in a word for the word to be what they share.
_SHARED_BY = 3


@dataclass(frozen=True)
class NameWeights:
    """The exponents of what makes a name.

    Coverage counts by its root: a name is rarer in its own texts than the words that everyone there uses. `words` is
    how far a phrase borrows from the coverage of its words; `nearness` what share of its score a term can lose to an
    earlier suggestion that points the same way.
    """

    significance: float = 1.0
    coverage: float = 0.5
    specificity: float = 1.0
    integrity: float = 0.5
    words: float = 0.3
    nearness: float = 0.25


@dataclass(frozen=True)
class NameEvidence:
    """What is known of terms with a view to naming one cluster, a row each.

    `inside` and `outside` are the numbers of documents that contain the term among the `n_inside` documents of the
    cluster and the `n_outside` other documents of the node. `is_member` marks the terms that may name the cluster: all,
    if it is None. Best give all terms of the node and mark the anchors, for the others tell how common the words of a
    phrase are. `vectors` (n_terms, dim), if given, keep suggestions apart.
    """

    term_ids: Ints1d
    significance: Floats1d
    inside: npt.NDArray[Any]
    outside: npt.NDArray[Any]
    n_inside: float
    n_outside: float
    is_member: Bools1d | None = None
    vectors: Floats2d | None = None


@dataclass(frozen=True)
class TermWords:
    """The words of terms, up to their endings.

    Terms with the same `stems` are variants of one another. `contains` is a matrix of stems × terms with a 1 where the
    term contains the stem; `stem_ids` tells whose row is which.
    """

    stems: tuple[tuple[str, ...], ...]
    stem_ids: dict[str, int]
    contains: sparse.csr_array


@lru_cache(maxsize=4)
def term_words(terms: tuple[str, ...]) -> TermWords:
    """Split the terms of a vocabulary into stems; remembered, since every cluster of it asks."""
    stems = tuple(stems_of(term) for term in terms)
    stem_ids: dict[str, int] = {}
    rows = [stem_ids.setdefault(stem, len(stem_ids)) for words in stems for stem in set(words)]
    columns = np.repeat(np.arange(len(terms)), [len(set(words)) for words in stems])
    contains = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(stem_ids), len(terms)))
    return TermWords(stems, stem_ids, contains)


@dataclass(frozen=True)
class _Rates:
    """How common something is inside and outside the cluster, as shares of the documents."""

    inside: Doubles
    outside: Doubles

    def specificity(self) -> Doubles:
        total = self.inside + self.outside
        return np.divide(self.inside, total, out=np.zeros_like(total), where=total > 0.0)


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

    `taken` are the names of siblings and ancestors, `rejected` those that the curator refused for it; neither they nor
    their variants are suggested. A word gives way to a phrase that it mostly occurs in.
    """
    weights = weights or NameWeights()
    words = term_words(vocabulary.terms)
    scores = name_scores(evidence, vocabulary, weights=weights)
    used = {stems_of(name) for name in (*taken, *rejected)}
    order = [int(row) for row in np.argsort(-scores, kind="stable") if scores[row] > 0.0]
    order = [row for row in order if words.stems[evidence.term_ids[row]] not in used][:_SHORT_LIST]
    stems = [words.stems[term_id] for term_id in evidence.term_ids[order]]
    left = scores[order]
    for place in _inside_phrases(order, stems, evidence, words):
        left[place] = 0.0
    directions = None if evidence.vectors is None else unit_rows(evidence.vectors[order])
    chosen: list[str] = []
    while len(chosen) < limit and len(left) and left.max() > 0.0:
        best = int(left.argmax())
        chosen.append(vocabulary.terms[evidence.term_ids[order[best]]])
        left[[place for place, other in enumerate(stems) if other == stems[best]]] = 0.0
        if directions is not None:
            left *= 1.0 - weights.nearness * np.clip(directions @ directions[best], 0.0, 1.0) ** 2
    return tuple(chosen)


def name_scores(evidence: NameEvidence, vocabulary: Vocabulary, *, weights: NameWeights) -> Doubles:
    """Score each term as a name, (n_terms,): 0 for one that is no member or may not name a topic."""
    ids = evidence.term_ids
    rates = _Rates(
        evidence.inside / max(float(evidence.n_inside), 1.0), evidence.outside / max(float(evidence.n_outside), 1.0)
    )
    significance = np.maximum(evidence.significance, 0.0).astype(np.float64)
    scores = (
        significance**weights.significance
        * rates.inside**weights.coverage
        * rates.specificity() ** weights.specificity
        * vocabulary.integrity[ids].astype(np.float64) ** weights.integrity
        * _borrowed(evidence, rates, vocabulary, weights)
    )
    members = np.ones(len(ids), dtype=bool) if evidence.is_member is None else evidence.is_member
    return np.where(members & vocabulary.may_name[ids], scores, 0.0)


def _borrowed(evidence: NameEvidence, rates: _Rates, vocabulary: Vocabulary, weights: NameWeights) -> Doubles:
    """Return the factor by which a phrase gains from its words, 1 for a word.

    A phrase is rarer than its words however well it names a cluster: people shorten it. If its words are common in
    the cluster and not elsewhere, that speaks for it.
    """
    words = term_words(vocabulary.terms)
    common = _word_rates(evidence, rates, words)
    worth = np.log(np.maximum(common.inside * common.specificity(), 1e-4))
    columns = words.contains[:, evidence.term_ids]
    n_words = np.asarray(columns.sum(axis=0))
    mean_worth = np.asarray(columns.T @ worth) / np.maximum(n_words, 1.0)
    gain = weights.words * (mean_worth - np.log(np.maximum(rates.inside, 1e-4)))
    return np.where(n_words > 1.0, np.exp(gain), 1.0)


def _word_rates(evidence: NameEvidence, rates: _Rates, words: TermWords) -> _Rates:
    """Return how common each stem is by itself or in phrases, taking its terms to occur independently."""
    columns = words.contains[:, evidence.term_ids]
    inside, outside = (
        -np.expm1(columns @ np.log1p(-np.minimum(rate, 1.0 - 1e-9))) for rate in (rates.inside, rates.outside)
    )
    return _Rates(inside, outside)


def _inside_phrases(order, stems, evidence, words):
    return []
