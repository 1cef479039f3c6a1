"""The terms of a corpus: words and phrases, with what is known of each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from taxocom.numerics.arrays import Bools1d, Floats1d, Ints1d, read_only
from taxocom.text.language.languages import ENGLISH
from taxocom.text.language.tokens import is_unspaced, words_of

PHRASE_JOINER = "_"


def display(term: str) -> str:
    """Return a term as a person reads it: the words of a phrase set apart."""
    return term.replace(PHRASE_JOINER, " ")


def join_words(words: Sequence[str]) -> str:
    """Return the term that words make: joined by an underscore, characters of a script without spaces by nothing."""
    term = words[0] if words else ""
    for before, word in pairwise(words):
        term += word if is_unspaced(before) and is_unspaced(word) else PHRASE_JOINER + word
    return term


def normal_term(name: str) -> str:
    """Return the term that a name stands for ("Machine Learning" → "machine_learning"), empty if it has no word.

    The words are those that our tokeniser finds in running text, so a term found in a corpus is its own normal form.
    """
    return join_words(words_of(name))


@dataclass(frozen=True)
class Vocabulary:
    """Terms and their int32 ids (the position in `terms`), most frequent first.

    `integrity` is the paper's int(t) in [0, 1]. `may_name` tells which terms may name a topic: not numbers, not
    fragments, not words that only ever occur inside phrases. A phrase's words are joined by an underscore. `aliases`
    are other spellings of the seed's terms (singular, plural): a look-up takes them for the term they stand for.
    `language` is that of the texts, an ISO 639-1 code.
    """

    terms: tuple[str, ...]
    counts: Ints1d
    document_frequencies: Ints1d
    integrity: Floats1d
    may_name: Bools1d
    aliases: Mapping[str, str] = field(default_factory=dict, repr=False)
    language: str = ENGLISH

    def __post_init__(self) -> None:
        for array in (self.counts, self.document_frequencies, self.integrity, self.may_name):
            if array.shape != (len(self.terms),):
                raise ValueError(f"{len(self.terms)} terms but an array of shape {array.shape}")
            read_only(array)

    def __len__(self) -> int:
        return len(self.terms)

    def __contains__(self, term: str) -> bool:
        return term in self._ids

    @cached_property
    def _ids(self) -> dict[str, int]:
        ids = {term: term_id for term_id, term in enumerate(self.terms)}
        return {**{alias: ids[term] for alias, term in self.aliases.items() if term in ids}, **ids}

    @cached_property
    def _phrases_with(self) -> dict[str, list[int]]:
        """Every word of a phrase, and the phrases it stands in."""
        found: dict[str, list[int]] = {}
        for number, term in enumerate(self.terms):
            if PHRASE_JOINER in term:
                for word in term.split(PHRASE_JOINER):
                    found.setdefault(word, []).append(number)
        return found

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the terms in their order: two vocabularies with the same one share term ids."""
        return hashlib.sha256("\n".join(self.terms).encode()).hexdigest()[:16]

    def id_of(self, term: str) -> int | None:
        """Return the id of `term`, or None if it is not in the vocabulary."""
        return self._ids.get(term)

    def ids_of(self, terms: Iterable[str]) -> Ints1d:
        """Return the ids of those of `terms` that are in the vocabulary, in order."""
        return np.fromiter((self._ids[term] for term in terms if term in self._ids), dtype=np.int32)

    def containing(self, term: str) -> list[int]:
        """Return the ids of the terms that are `term` or a longer phrase around it ("oil" stands in "crude_oil")."""
        own, around = self._ids.get(term), f"{PHRASE_JOINER}{term}{PHRASE_JOINER}"
        fewest = min((self._phrases_with.get(word, []) for word in term.split(PHRASE_JOINER)), key=len)
        found = {number for number in fewest if around in f"{PHRASE_JOINER}{self.terms[number]}{PHRASE_JOINER}"}
        return sorted(found | (set() if own is None else {own}))

    def select(self, ids: Sequence[int] | Ints1d) -> list[str]:
        """Return the terms with these ids."""
        return [self.terms[term_id] for term_id in ids]
