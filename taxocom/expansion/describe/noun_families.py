"""Which adjectives speak of what a noun names: "medical" of medicine, "Israeli" of Israel.

A topic is called by a noun, yet its documents often say the adjective only. No list of endings would find the two
("science", "scientific"); that they begin alike and keep the same company does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from itertools import takewhile

import numpy as np

from taxocom.numerics.arrays import Floats2d, Ints1d, Offsets
from taxocom.numerics.sphere import unit_rows
from taxocom.text.language.languages import ENGLISH
from taxocom.text.language.word_use import word_use
from taxocom.text.terms.vocabulary import PHRASE_JOINER, Vocabulary

_SHARED_LETTERS = 5
# The longest endings of an adjective and of a noun: "scien-tific", "turbul-ence".
_ADJECTIVE_ENDING, _NOUN_ENDING = 6, 4
_SAME_COMPANY = 0.3


def nouns_of_adjectives(
    vocabulary: Vocabulary, term_ids: Ints1d, rows: Offsets, vectors: Floats2d, texts: Iterable[str]
) -> dict[int, int]:
    """Return the row of the noun for each of the terms at `rows` that is an adjective in the texts and has one.

    The noun is another of the terms `term_ids`, one that may name a topic. Where there are several, it is that which
    points most nearly in the same direction; `vectors` (n_terms, dim) are compared from the middle of running text.
    How words are used is read from English small words, so texts in another language have none.
    """
    if vocabulary.language != ENGLISH:
        return {}
    terms = vocabulary.terms
    kin = _kin(vocabulary, term_ids, rows)
    looked_at = sorted({row for adjective, nouns in kin.items() for row in (adjective, *nouns)})
    use = word_use(texts, [terms[term_ids[row]] for row in looked_at])
    is_adjective = dict(zip(looked_at, use.is_modifier.tolist(), strict=True))
    is_noun = dict(zip(looked_at, use.is_noun.tolist(), strict=True))
    frequencies = vocabulary.document_frequencies[term_ids].astype(np.float32)
    middle = frequencies @ vectors / max(float(frequencies.sum()), 1.0)
    families: dict[int, int] = {}
    for adjective in filter(is_adjective.__getitem__, kin):
        nouns = list(filter(is_noun.__getitem__, kin[adjective]))
        directions = unit_rows(vectors[[adjective, *nouns]] - middle)
        cosines = directions[1:] @ directions[0]
        if cosines.max(initial=-1.0) >= _SAME_COMPANY:
            families[adjective] = nouns[int(cosines.argmax())]
    return families


def _kin(vocabulary: Vocabulary, term_ids: Ints1d, rows: Offsets) -> dict[int, list[int]]:
    """Return for each row the rows of the words that may be its noun by their letters, if there are any."""
    terms, alike = vocabulary.terms, _words_by_opening(vocabulary.terms)
    row_of = np.full(len(terms), -1)
    row_of[term_ids] = np.where(vocabulary.may_name[term_ids], np.arange(len(term_ids)), -1)
    kin: dict[int, list[int]] = {}
    for row in rows.tolist():
        word = terms[term_ids[row]]
        found = [i for i in alike.get(word[:_SHARED_LETTERS], ()) if row_of[i] >= 0 and _fit(word, terms[i])]
        if found:
            kin[row] = row_of[found].tolist()
    return kin


@lru_cache(maxsize=4)
def _words_by_opening(terms: tuple[str, ...]) -> dict[str, list[int]]:
    """Return the numbers of the words that begin alike; remembered, since every cluster of a vocabulary asks."""
    found: dict[str, list[int]] = defaultdict(list)
    for number, term in enumerate(terms):
        if len(term) >= _SHARED_LETTERS and PHRASE_JOINER not in term:
            found[term[:_SHARED_LETTERS]].append(number)
    return dict(found)


def _fit(adjective: str, noun: str) -> bool:
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(adjective, noun, strict=False)))
    return len(adjective) - shared <= _ADJECTIVE_ENDING and len(noun) - shared <= _NOUN_ENDING and adjective != noun
