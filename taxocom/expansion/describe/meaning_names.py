"""Names by what words mean: the lexicon knows that *game, team, player* is *sport*, where hardly a text says so.

The terms of a cluster have a middle in the lexicon. A name is near it, but it is another kind of word than the terms
that set a field apart; how the names of the known topics lie to the middles of theirs tells which kind. Only words that
the cluster's documents use are looked at: what the lexicon has besides is pieces of words and words of all languages.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from taxocom.expansion.describe.name_fitness import name_fitness
from taxocom.expansion.describe.naming import NameEvidence, NameWeights, counted_for_nouns, name_scores, term_words
from taxocom.numerics.arrays import Doubles, Floats1d, Floats2d, Offsets
from taxocom.numerics.blas import one_blas_thread
from taxocom.numerics.sphere import unit_rows
from taxocom.tagging.lexicon import Lexicon
from taxocom.text.language.stems import stems_of
from taxocom.text.terms.vocabulary import Vocabulary, display

# What a cosine is worth beside the logarithm of a score by the texts, and how much of that counts: for a name that both
# speak for, and for one of the kind of the siblings' names.
_COSINE = 8.0
_KIND = 16.0
_TEXT, _TEXT_OF_KIND = 0.2, 0.1
# A word that fewer of the cluster's documents use is a chance.
_LEAST_INSIDE = 0.01
_MIDDLE_TERMS = 40
_FEWEST_TERMS = 5
_CLOSEST_SIBLINGS = 3
_SHORT_LIST = 40
# How much the use of a word counts here; by the square root of it among the names that the texts speak for.
_FITNESS = 2.0
_MOST_WORDS = 3000


@dataclass(frozen=True)
class TopicTerms:
    """A topic by its name, empty while it has none, and the terms that set it apart, the most telling first."""

    name: str
    terms: Sequence[str]
    weights: Floats1d


@dataclass(frozen=True)
class _Cosines:
    """How near words are in the lexicon, (n_words,) each.

    `to_topic` is the cosine with the middle of the cluster's terms, `as_named` with where its name should lie by those
    of the known topics, `to_names` with the closest of their names.
    """

    to_topic: Floats1d
    as_named: Floats1d
    to_names: Floats1d


def names_by_meaning(
    evidence: NameEvidence,
    vocabulary: Vocabulary,
    lexicon: Lexicon,
    known: Sequence[TopicTerms],
    cluster: TopicTerms,
    *,
    taken: Collection[str] = (),
) -> tuple[str, ...]:
    """Return two names for a cluster or fewer: one that texts and lexicon speak for, one of the siblings' kind.

    None is a variant of what is `taken`. There are none where the lexicon does not know the language of the texts.
    """
    if vocabulary.language != lexicon.language or len(cluster.terms) < _FEWEST_TERMS:
        return ()
    by_text, rows = _candidates(counted_for_nouns(evidence, vocabulary), vocabulary)
    if not len(rows):
        return ()
    words = [vocabulary.terms[term_id] for term_id in evidence.term_ids[rows]]
    cosines = _cosines(words, lexicon, known, cluster)
    for_both = _TEXT * np.log(by_text[rows]) + _COSINE * cosines.as_named
    for_kind = _TEXT_OF_KIND * np.log(by_text[rows]) + _COSINE * cosines.to_topic + _KIND * cosines.to_names
    used = {stems_of(name) for name in taken}
    asked = (for_both, for_kind) if known else (for_both,)
    listed = [_listed(scores, words, used) for scores in asked]
    fitness = _fitness(sorted({i for places in listed for i in places}), words, evidence.texts, vocabulary.language)
    found: list[str] = []
    for scores, places in zip(asked, listed, strict=True):
        free = [(float(scores[i]) + fitness[i], words[i]) for i in places if stems_of(words[i]) not in used]
        if free:
            found.append(max(free)[1])
            used.add(stems_of(found[-1]))
    return tuple(found)


def _candidates(evidence: NameEvidence, vocabulary: Vocabulary) -> tuple[Doubles, Offsets]:
    """Return what the texts say for each term as a name, and the rows of the words that may be meant.

    Terms of other clusters are among them: "business" sets no group apart and is the name of one.
    """
    scores = name_scores(replace(evidence, is_member=None), vocabulary, weights=NameWeights())
    is_word = term_words(vocabulary.terms).n_stems[evidence.term_ids] == 1.0
    often = evidence.inside >= _LEAST_INSIDE * evidence.n_inside
    rows = np.flatnonzero((scores > 0.0) & is_word & often)
    return scores, rows[np.argsort(-scores[rows], kind="stable")[:_MOST_WORDS]]


def _cosines(words: Sequence[str], lexicon: Lexicon, known: Sequence[TopicTerms], cluster: TopicTerms) -> _Cosines:
    vectors, origin = lexicon.embed(map(display, words)), lexicon.origin

    def directions(names: Sequence[str]) -> Floats2d:
        return unit_rows(lexicon.embed(map(display, names)) - origin)

    def middle(topic: TopicTerms) -> Floats1d:
        own = set(stems_of(topic.name))
        others = [i for i, term in enumerate(topic.terms[:_MIDDLE_TERMS]) if own.isdisjoint(stems_of(term))]
        weights = np.maximum(topic.weights[others], 0.0)
        summed = weights @ directions([topic.terms[i] for i in others]) if others else np.zeros_like(origin)
        return np.asarray(unit_rows(summed[None, :])[0], dtype=np.float32)

    with one_blas_thread():
        rows = unit_rows(vectors - origin)
        topic = middle(cluster)
        if not known:
            return _Cosines(rows @ topic, rows @ topic, np.zeros(len(words), dtype=np.float32))
        names = directions([other.name for other in known])
        step = np.mean([name - middle(other) for name, other in zip(names, known, strict=True)], axis=0)
        to_names = np.sort(rows @ names.T, axis=1)[:, -_CLOSEST_SIBLINGS:].mean(axis=1)
        return _Cosines(rows @ topic, rows @ unit_rows((topic + step)[None, :])[0], to_names)


def _listed(scores: Doubles, words: Sequence[str], used: Collection[tuple[str, ...]]) -> list[int]:
    """Return the numbers of the best words that are not used yet."""
    order = np.argsort(-scores, kind="stable").tolist()
    return list(islice((i for i in order if stems_of(words[i]) not in used), _SHORT_LIST))


def _fitness(listed: Sequence[int], words: Sequence[str], texts: Sequence[str], language: str) -> dict[int, float]:
    """Return what the use of each of these words adds to its score, 0 for a noun."""
    found = np.log(name_fitness(texts, [words[i] for i in listed], language))
    return dict(zip(listed, (_FITNESS * found).tolist(), strict=True))
