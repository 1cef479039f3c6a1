"""What a cluster may be called: a few different ideas, best first.

The term nearest a cluster's mean is a poor name, for it is as narrow as any other. A good name is significant for the
cluster, covers many of its documents and few others; and where it is a phrase, its words do so too.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from taxocom.numerics.arrays import Bools1d, Doubles, Floats1d, Floats2d, Ints1d, Offsets
from taxocom.numerics.sphere import unit_rows
from taxocom.text.stems import stems_of
from taxocom.text.vocabulary import Vocabulary

MOST_SUGGESTIONS = 5
# How many of the best terms are weighed against one another.
_SHORT_LIST = 60
# A phrase in this share of the documents of one of its words is what the word stands for.
_MOST_OF_A_WORD = 0.5
# Below this share of the documents, how common a word is says nothing.
_LEAST_RATE = 1e-4


@dataclass(frozen=True)
class NameWeights:
    """The exponents of what makes a name.

    Coverage counts by its root: a name is rarer in its own texts than the words that everyone there uses. `words` is
    how far a phrase borrows from the coverage of its words; `nearness` what share of its score a term can lose to an
    earlier suggestion that points the same way.
    """

    significance: float = 2.0
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
    """The words of the terms of a vocabulary, up to their endings.

    Terms with the same `stems` are variants of one another. `contains` is a matrix of stems × terms with a 1 where the
    term contains the stem, `n_stems` counts these for each term, and `stem_ids` tells whose row is which.
    """

    stems: tuple[tuple[str, ...], ...]
    stem_ids: dict[str, int]
    contains: sparse.csr_array
    n_stems: Doubles


@lru_cache(maxsize=4)
def term_words(terms: tuple[str, ...]) -> TermWords:
    """Split the terms of a vocabulary into stems; remembered, since every cluster of it asks."""
    stems = tuple(stems_of(term) for term in terms)
    stem_ids: dict[str, int] = {}
    # In the order of the words, not of a set: sums must not depend on the seed of string hashes.
    distinct = [dict.fromkeys(words) for words in stems]
    rows = [stem_ids.setdefault(stem, len(stem_ids)) for words in distinct for stem in words]
    columns = np.repeat(np.arange(len(terms)), [len(words) for words in distinct])
    contains = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(stem_ids), len(terms)))
    return TermWords(stems, stem_ids, contains, np.array([len(words) for words in distinct], dtype=np.float64))


@dataclass(frozen=True)
class _Rates:
    """The share of the documents inside and outside a cluster in which something occurs."""

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
    their variants are suggested. A word that mostly occurs in one phrase gives its place to the phrase.
    """
    weights = weights or NameWeights()
    words = term_words(vocabulary.terms)
    scores = name_scores(evidence, vocabulary, weights=weights)
    used = {stems_of(name) for name in (*taken, *rejected)}
    ranked = np.argsort(-scores, kind="stable")[: np.count_nonzero(scores)].tolist()
    free = (row for row in ranked if words.stems[evidence.term_ids[row]] not in used)
    listed = np.fromiter(islice(free, _SHORT_LIST), dtype=np.int64)
    stems = [words.stems[term_id] for term_id in evidence.term_ids[listed]]
    left = scores[listed]
    for word, phrase in _shortened(evidence, words, listed, stems).items():
        left[phrase] = max(left[phrase], left[word])
        left[word] = 0.0
    directions = None if evidence.vectors is None else unit_rows(evidence.vectors[listed])
    chosen: list[str] = []
    while len(chosen) < limit and left.max(initial=0.0) > 0.0:
        best = int(left.argmax())
        chosen.append(vocabulary.terms[evidence.term_ids[listed[best]]])
        left[[other == stems[best] for other in stems]] = 0.0
        if directions is not None:
            left *= 1.0 - weights.nearness * np.clip(directions @ directions[best], 0.0, 1.0) ** 2
    return tuple(chosen)


def name_scores(evidence: NameEvidence, vocabulary: Vocabulary, *, weights: NameWeights) -> Doubles:
    """Score each term as a name, (n_terms,): 0 for one that is no member or may not name a topic."""
    ids = evidence.term_ids
    rates = _term_rates(evidence)
    scores = (
        np.maximum(evidence.significance, 0.0).astype(np.float64) ** weights.significance
        * rates.inside**weights.coverage
        * rates.specificity() ** weights.specificity
        * vocabulary.integrity[ids].astype(np.float64) ** weights.integrity
        * _borrowed(evidence, rates, term_words(vocabulary.terms), weights.words)
    )
    members = np.ones(len(ids), dtype=np.bool_) if evidence.is_member is None else evidence.is_member
    return np.where(members & vocabulary.may_name[ids], scores, 0.0)


def _term_rates(evidence: NameEvidence) -> _Rates:
    inside = np.asarray(evidence.inside, dtype=np.float64) / max(float(evidence.n_inside), 1.0)
    outside = np.asarray(evidence.outside, dtype=np.float64) / max(float(evidence.n_outside), 1.0)
    return _Rates(np.minimum(inside, 1.0), np.minimum(outside, 1.0))


def _word_rates(evidence: NameEvidence, rates: _Rates, words: TermWords) -> _Rates:
    """Return how common each stem is by itself or in phrases, as if its terms occurred independently of one another."""

    def joined(rate: Doubles) -> Doubles:
        absent = np.zeros(len(words.stems))
        absent[evidence.term_ids] = np.log1p(-np.minimum(rate, 1.0 - 1e-9))
        return np.asarray(-np.expm1(words.contains @ absent))

    return _Rates(joined(rates.inside), joined(rates.outside))


def _borrowed(evidence: NameEvidence, rates: _Rates, words: TermWords, exponent: float) -> Doubles:
    """Return the factor by which a phrase gains or loses by its words, 1 for a word.

    A phrase is rarer than its words even where it is the best name, for people shorten it. If its words are common in
    the cluster and rare elsewhere, that speaks for it; "high order" gains nothing.
    """
    common = _word_rates(evidence, rates, words)
    worth = np.log(np.maximum(common.inside * common.specificity(), _LEAST_RATE))
    n_stems = words.n_stems[evidence.term_ids]
    mean_worth = np.asarray(words.contains.T @ worth)[evidence.term_ids] / np.maximum(n_stems, 1.0)
    gain = exponent * (mean_worth - np.log(np.maximum(rates.inside, _LEAST_RATE)))
    return np.where(n_stems > 1.0, np.exp(gain), 1.0)


def _shortened(
    evidence: NameEvidence, words: TermWords, listed: Offsets, stems: Sequence[tuple[str, ...]]
) -> dict[int, int]:
    """Return the places of listed words that mostly occur in one listed phrase, and the place of that phrase."""
    rates = _term_rates(evidence)
    common = _word_rates(evidence, rates, words).inside
    phrases = [place for place, own in enumerate(stems) if len(own) > 1]
    found: dict[int, int] = {}
    for place, own in enumerate(stems):
        if len(own) > 1:
            continue
        most = _MOST_OF_A_WORD * common[words.stem_ids[own[0]]]
        fuller = [phrase for phrase in phrases if own[0] in stems[phrase] and rates.inside[listed[phrase]] >= most]
        if fuller:
            found[place] = max(fuller, key=lambda phrase: float(rates.inside[listed[phrase]]))
    return found
