"""What a cluster may be called: a few different ideas, best first.

The term nearest a cluster's mean is a poor name, for it is as narrow as any other. A good name is significant for the
cluster, covers many of its documents and few others, in all parts of it alike; and where it is a phrase, its words do
so too. Above all it is used as the names of the known siblings are: "magnetic field" is commoner among physicists than
"physics", but "physics" keeps the company of "mathematics". And it is a noun: who writes "medical" means medicine.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from taxocom.expansion.describe.name_fitness import name_fitness
from taxocom.expansion.describe.noun_families import nouns_of_adjectives
from taxocom.numerics.arrays import Bools1d, Doubles, Floats1d, Floats2d, Ints1d, Offsets
from taxocom.numerics.blas import one_blas_thread
from taxocom.numerics.sphere import unit_rows
from taxocom.text.language.stems import stems_of
from taxocom.text.terms.vocabulary import Vocabulary

MOST_SUGGESTIONS = 5
# How many of the best terms are weighed against one another.
_SHORT_LIST = 60
# A phrase in this share of the documents of one of its words is what the word stands for.
_MOST_OF_A_WORD = 0.5
# Below this share of the documents, how common a word is says nothing.
_LEAST_RATE = 1e-4
# A name need not resemble all of its siblings: "religion" is used like "politics" and "science", not like "sale".
_CLOSEST_SIBLINGS = 3
# How many words of a cluster are looked at for adjectives: what a rare one adds to its noun is nothing.
_COMMON_WORDS = 200
_TINY = 1e-12


@dataclass(frozen=True)
class NameWeights:
    """The exponents of what makes a name.

    `words` is how far a phrase borrows from the coverage of its words; `likeness` what a cosine with the siblings'
    names is worth; `evenness` what one nat is worth by which a term's documents stray from the parts of the cluster;
    `nearness` what share of its score a term can lose to an earlier suggestion that points the same way.
    """

    significance: float = 2.0
    coverage: float = 1.0
    specificity: float = 2.0
    words: float = 0.4
    likeness: float = 7.0
    evenness: float = 0.5
    nearness: float = 0.25


@dataclass(frozen=True)
class ClusterParts:
    """How the documents of a cluster lie in its parts: `sizes` (n_parts,), and `counts` (n_terms, n_parts) by term."""

    sizes: Doubles
    counts: Doubles


@dataclass(frozen=True)
class NameEvidence:
    """What is known of terms with a view to naming one cluster, a row each.

    `inside` and `outside` are the numbers of documents that contain the term among the `n_inside` documents of the
    cluster and the `n_outside` other documents of the node. `is_member` marks the terms that may name the cluster: all,
    if it is None. Best give all terms of the node and mark the anchors, for the others tell how common the words of a
    phrase are. `vectors` (n_terms, dim), if given, keep suggestions apart and tell what is used like the names of known
    siblings, which are at the rows `siblings`. `texts`, documents of the cluster or their openings, tell nouns from
    adjectives; they have been asked if it `is_counted`.
    """

    term_ids: Ints1d
    significance: Floats1d
    inside: npt.NDArray[Any]
    outside: npt.NDArray[Any]
    n_inside: float
    n_outside: float
    is_member: Bools1d | None = None
    vectors: Floats2d | None = None
    siblings: Offsets | None = None
    parts: ClusterParts | None = None
    texts: Sequence[str] = ()
    is_counted: bool = False


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
    their variants are suggested. A word that mostly occurs in one phrase gives its place to the phrase, an adjective
    to its noun.
    """
    weights = weights or NameWeights()
    evidence = counted_for_nouns(evidence, vocabulary)
    words = term_words(vocabulary.terms)
    scores = name_scores(evidence, vocabulary, weights=weights)
    used = {stems_of(name) for name in (*taken, *rejected)}
    ranked = np.argsort(-scores, kind="stable")[: np.count_nonzero(scores)].tolist()
    free = (row for row in ranked if words.stems[evidence.term_ids[row]] not in used)
    listed = np.fromiter(islice(free, _SHORT_LIST), dtype=np.int64)
    stems = [words.stems[term_id] for term_id in evidence.term_ids[listed]]
    left = scores[listed]
    if evidence.texts:
        left *= name_fitness(
            evidence.texts, [vocabulary.terms[term_id] for term_id in evidence.term_ids[listed]], vocabulary.language
        )
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
    members = np.ones(len(ids), dtype=np.bool_) if evidence.is_member is None else evidence.is_member
    rows = np.flatnonzero(members & vocabulary.may_name[ids])
    scores = np.zeros(len(ids))
    scores[rows] = (
        np.maximum(evidence.significance[rows], 0.0).astype(np.float64) ** weights.significance
        * rates.inside[rows] ** weights.coverage
        * rates.specificity()[rows] ** weights.specificity
        * _borrowed(evidence, rates, term_words(vocabulary.terms), weights.words)[rows]
        * np.exp(weights.likeness * sibling_likeness(evidence, vocabulary, rows))
        * np.exp(-weights.evenness * unevenness(evidence, rows))
    )
    return scores


def sibling_likeness(evidence: NameEvidence, vocabulary: Vocabulary, rows: Offsets) -> Doubles:
    """Return how much more the terms at `rows` resemble the siblings' names than they resemble running text.

    Names of one level keep similar company, whatever they name; general words are like everything. Hence cosines are
    taken from the middle of running text, and what is left of its direction counts against a term. All are 0 where
    no sibling is known.
    """
    if evidence.vectors is None or evidence.siblings is None or len(evidence.siblings) == 0:
        return np.zeros(len(rows))
    frequencies = vocabulary.document_frequencies[evidence.term_ids]
    with one_blas_thread():
        directions = unit_rows(evidence.vectors - np.average(evidence.vectors, axis=0, weights=frequencies))
        to_text = directions[rows] @ np.average(directions, axis=0, weights=frequencies)
        to_names = np.sort(directions[rows] @ directions[evidence.siblings].T, axis=1)
    return np.asarray(to_names[:, -_CLOSEST_SIBLINGS:].mean(axis=1) - to_text, dtype=np.float64)


def unevenness(evidence: NameEvidence, rows: Offsets) -> Doubles:
    """Return how far the documents of each term at `rows` stray from how the cluster's lie in its parts, in nats.

    It is the divergence of the one distribution from the other: the name of a topic belongs to all parts of it, a term
    of one part names that part. All are 0 for a cluster of no known parts.
    """
    parts = evidence.parts
    if parts is None or not np.any(parts.sizes):
        return np.zeros(len(rows))
    counts = parts.counts[rows]
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    expected = np.maximum(parts.sizes / parts.sizes.sum(), _TINY)
    return np.asarray((share * np.log(np.maximum(share, _TINY) / expected)).sum(axis=1))


def counted_for_nouns(evidence: NameEvidence, vocabulary: Vocabulary) -> NameEvidence:
    """Count the documents of adjectives for their nouns, as if they occurred independently, and name none by them.

    Only adjectives do so: counting all words of a stem together favours verbs, which have the most forms.
    """
    if evidence.vectors is None or not evidence.texts or evidence.is_counted:
        return evidence
    ids = evidence.term_ids
    is_member = np.ones(len(ids), dtype=np.bool_) if evidence.is_member is None else evidence.is_member.copy()
    words = np.flatnonzero(is_member & (term_words(vocabulary.terms).n_stems[ids] == 1.0))
    commonest = words[np.argsort(-evidence.inside[words], kind="stable")[:_COMMON_WORDS]]
    inside, outside = (np.array(counts, dtype=np.float64) for counts in (evidence.inside, evidence.outside))
    families = nouns_of_adjectives(vocabulary, ids, commonest, evidence.vectors, evidence.texts)
    for adjective, noun in families.items():
        for counts, n_documents in ((inside, evidence.n_inside), (outside, evidence.n_outside)):
            counts[noun] += counts[adjective] * (1.0 - min(counts[noun] / max(n_documents, 1.0), 1.0))
        is_member[noun], is_member[adjective] = True, False
    return replace(evidence, inside=inside, outside=outside, is_member=is_member, is_counted=True)


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
