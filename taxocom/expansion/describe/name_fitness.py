"""How fit a term is to be a name by the way it is used: no unit, no month, no clipped word, no verb and no adjective.

Whatever marks a field is significant for it, and much of that is no name: "cm", "mln dlrs", "played", "historic".
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain

import numpy as np

from taxocom.numerics.arrays import Bools1d, Doubles
from taxocom.text.language.languages import ENGLISH
from taxocom.text.language.number_company import beside_numbers
from taxocom.text.language.word_use import word_use
from taxocom.text.terms.vocabulary import PHRASE_JOINER

# In the company of numbers half as often as not: units, currencies, months with their days.
_MOSTLY_NUMBERS = 0.5
# What cannot lead goes behind whatever else there is.
_LAST = 1e-3
_SEEN_ENOUGH = 5
# A noun is introduced so often, and has no word of its own behind it so often; below, it is doubted in proportion.
_INTRODUCED, _CLOSING = 0.1, 0.15
_LEAST = 0.1
_MARKS = ".,;:!?()[]\"'"
_VOWELS = frozenset("aeiouyæœøıąęůəаеёиоуыэюяєіїαεηιουω")
_ALPHABETS = ("LATIN", "CYRILLIC", "GREEK")
_SYLLABIC = frozenset({"bg", "bs", "cs", "hr", "mk", "sk", "sl", "sr"})
"""Languages that have whole words without a vowel: "krk", "vlk", "smrt"."""


def name_fitness(texts: Sequence[str], terms: Sequence[str], language: str) -> Doubles:
    """Return a factor in (0, 1] for each term: 1 for a noun, next to nothing for what must not lead.

    How words are used is read from English small words; in other languages nothing is known of it, and it takes
    nothing away.
    """
    words = list(dict.fromkeys(word for term in terms for word in term.split(PHRASE_JOINER)))
    share = dict(zip(words, beside_numbers(texts, words).tolist(), strict=True))
    fitness = np.ones(len(terms))
    if language == ENGLISH:
        fitness *= _as_nouns(texts, terms)
    clipped = {word for word in words if is_clipped(word, language)}
    clipped -= _in_capitals(texts, clipped)
    unfit = [_stands_with_numbers(term, share) or clipped.issuperset(term.split(PHRASE_JOINER)) for term in terms]
    fitness[np.array(unfit, dtype=np.bool_)] *= _LAST
    return fitness


def is_clipped(word: str, language: str) -> bool:
    """Tell whether a word has letters of an alphabet with vowels and none of these: "cts", "dlrs"."""
    return language not in _SYLLABIC and _has_no_vowel(word)


def _in_capitals(texts: Iterable[str], words: Collection[str]) -> set[str]:
    """Return those of the words that are mostly written in capitals: "XML" is a name, "cts" is none."""
    large: Counter[str] = Counter()
    small: Counter[str] = Counter()
    for token in chain.from_iterable(text.split() for text in texts) if words else ():
        bare = token.strip(_MARKS)
        if bare.lower() in words:
            (large if bare.isupper() else small)[bare.lower()] += 1
    return {word for word in words if large[word] > small[word]}


def _has_no_vowel(word: str) -> bool:
    letters = [unicodedata.normalize("NFD", letter)[0] for letter in word if letter.isalpha()]
    # Other scripts write vowels otherwise or not at all.
    alphabetic = [
        letter for letter in letters if unicodedata.name(letter, "").startswith(("LATIN", "CYRILLIC", "GREEK"))
    ]
    return bool(alphabetic) and len(alphabetic) == len(letters) and _VOWELS.isdisjoint(alphabetic)


def _stands_with_numbers(term: str, share: dict[str, float]) -> bool:
    return all(share[word] >= _MOSTLY_NUMBERS for word in term.split(PHRASE_JOINER))


def _as_nouns(texts: Iterable[str], terms: Sequence[str]) -> Doubles:
    """Return how much words look like nouns, in [0.1, 1]; 1 for phrases and for words that are hardly met."""
    words = [term for term in terms if PHRASE_JOINER not in term]
    use = word_use(texts, words)
    seen = np.maximum(use.seen, 1)
    introduced = np.clip(use.introduced / seen / _INTRODUCED, _LEAST, 1.0)
    closing = np.clip(use.closing / seen / _CLOSING, _LEAST, 1.0)
    known: Bools1d = use.seen >= _SEEN_ENOUGH
    of_word = dict(zip(words, np.where(known, np.sqrt(introduced * closing), 1.0).tolist(), strict=True))
    return np.array([of_word.get(term, 1.0) for term in terms])
