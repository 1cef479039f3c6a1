"""Names and keywords of the seed as terms: found in the text in singular and plural, before any phrase is mined."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice, product

import numpy as np

from taxocom.numerics.arrays import Bools1d, Ints1d, Offsets
from taxocom.text.language.languages import ENGLISH
from taxocom.text.language.tokens import words_of
from taxocom.text.language.word_forms import modifier_forms, number_forms
from taxocom.text.terms.vocabulary import join_words

Words = tuple[str, ...]

# A name of many words has a form for every choice of numbers; the first ones vary the last word, which matters most.
_MOST_FORMS = 64


def phrase_forms(words: Words, language: str = ENGLISH) -> list[Words]:
    """Return a phrase in every number of every word, as given first."""
    forms = [modifier_forms(word, language) for word in words[:-1]] + [number_forms(w, language) for w in words[-1:]]
    return list(islice(product(*forms), _MOST_FORMS))


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


def seed_terms(names: Iterable[str], language: str = ENGLISH) -> SeedTerms:
    """Split names into words as the text is split, and join those that differ in number only.

    Outside English a form may be another word, so no name that is given is taken for a form of another there.
    """
    phrases: list[Words] = []
    forms: dict[Words, Words] = {}
    given = list(dict.fromkeys(words for name in names if (words := tuple(words_of(name)))))
    if language != ENGLISH:
        forms |= {words: words for words in given}
        phrases += given
    for words in given:
        if words not in forms:
            phrases.append(words)
        if forms.get(words, words) == words:
            for form in phrase_forms(words, language):
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
