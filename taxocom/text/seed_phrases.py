"""Names and keywords of the seed as terms: found in the text in singular and plural, before any phrase is mined."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice, product

import numpy as np

from taxocom.numerics.arrays import Bools1d, Ints1d, Offsets
from taxocom.text.tokens import words_of
from taxocom.text.vocabulary import join_words

Words = tuple[str, ...]

# An s at the end that makes no plural.
_SINGULAR_ENDINGS = ("ss", "us", "is", "ics")
_INVARIANT = frozenset(
    ("news", "series", "species", "means", "goods", "arms", "customs", "headquarters", "diabetes", "always", "perhaps")
)
_SIBILANTS = ("s", "x", "z", "ch", "sh")
_VOWELS = "aeiou"
# A name of many words has a form for every choice of numbers; the first ones vary the last word, which matters most.
_MOST_FORMS = 64


def number_forms(word: str) -> tuple[str, ...]:
    """Return the spellings of an English word in singular and plural, its own first.

    Only the regular endings s, es and ies are known; a form that is no word costs nothing, it never occurs.
    """
    if len(word) < 3 or not word.isalpha() or word in _INVARIANT or word.endswith("ics"):
        return (word,)
    if word.endswith("ies") and len(word) > 4:
        return word, word[:-3] + "y", word[:-1]
    if word.endswith("es") and word[:-2].endswith((*_SIBILANTS, "o")):
        return word, word[:-2], word[:-1]
    if word.endswith("s") and not word.endswith(_SINGULAR_ENDINGS):
        return word, word[:-1]
    if word.endswith("y") and word[-2] not in _VOWELS:
        return word, word[:-1] + "ies"
    if word.endswith(_SIBILANTS):
        return word, word + "es"
    return (word, word + "s", word + "es") if word.endswith("o") else (word, word + "s")


def phrase_forms(words: Words) -> list[Words]:
    """Return a phrase in every number of every word, as given first."""
    return list(islice(product(*map(number_forms, words)), _MOST_FORMS))


@dataclass(frozen=True)
class SeedTerms:
    """The seed's names and keywords as words, each once.

    `forms` maps every spelling, as given or in another number, to the phrase it stands for. Names that differ in number
    only ("finite group", "finite groups") are one term: the one given first.
    """

    phrases: tuple[Words, ...]
    forms: Mapping[Words, Words]

    @property
    def aliases(self) -> dict[str, str]:
        """Every spelling that is not the term's own, as a term, and the term it stands for."""
        return {join_words(form): join_words(words) for form, words in self.forms.items() if form != words}

    def words(self, *, segmented: bool) -> set[str]:
        """Return every word of every phrase, in every number; for a segmented text whole phrases are words too."""
        words = {word for form in self.forms for word in form}
        return words | {join_words(form) for form in self.forms} if segmented else words


def seed_terms(names: Iterable[str]) -> SeedTerms:
    """Split names into words as the text is split, and join those that differ in number only."""
    phrases: list[Words] = []
    forms: dict[Words, Words] = {}
    given = list(dict.fromkeys(words for name in names if (words := tuple(words_of(name)))))
    for words in given:
        if words not in forms:
            phrases.append(words)
            for form in phrase_forms(words):
                forms.setdefault(form, words)
    return SeedTerms(tuple(phrases), forms)


@dataclass(frozen=True)
class PhraseTrie:
    """Phrases as `match_phrases` takes them: which ids occur in any, sorted edges with targets, what each node ends."""

    member: Bools1d
    edges: Offsets
    targets: Ints1d
    ends: Ints1d


def build_trie(phrases: Mapping[tuple[int, ...], int], n_ids: int) -> PhraseTrie:
    """Build the trie of phrases: word ids of the stream, and the term id they become."""
    member = np.zeros(n_ids, dtype=np.bool_)
    edges: dict[int, int] = {}
    ends = [0]
    for words, term_id in phrases.items():
        node = 0
        for word in words:
            member[word] = True
            node = edges.setdefault(node << 32 | word, len(ends))
            if node == len(ends):
                ends.append(0)
        ends[node] = term_id
    ordered = sorted(edges)
    return PhraseTrie(
        member,
        np.array(ordered, dtype=np.int64),
        np.array([edges[edge] for edge in ordered], dtype=np.int32),
        np.array(ends, dtype=np.int32),
    )
