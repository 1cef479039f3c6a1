"""New texts in the terms of a corpus that is indexed already: nothing is mined, its words and phrases are found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from taxocom.numerics.arrays import Ints1d, Offsets
from taxocom.numerics.phrase_kernels import count_terms, match_phrases
from taxocom.text.language.tokens import normal_word, tokens_of, words_of
from taxocom.text.terms.seed_phrases import Words, build_trie
from taxocom.text.terms.vocabulary import PHRASE_JOINER, display

_MOST_TOKENS = 500_000
"""Tokens that are remembered with what they stand for; beyond, new ones are looked at each time, and memory is flat."""


# Words of small letters are found as they stand; the rest is looked at as any text.
_PLAIN_TERM = re.compile(r"[a-z]+(?:_[a-z]+)*")


def words_of_term(term: str) -> Words:
    """Return the words that a term is made of."""
    return tuple(term.split(PHRASE_JOINER)) if _PLAIN_TERM.fullmatch(term) else tuple(words_of(display(term)))


class _KnownWords(dict[str, int]):
    """Token → number of its word among those that terms are made of, 0 for every other."""

    def __init__(self, words: Mapping[str, int]) -> None:
        super().__init__(words)
        self._words = dict(words)

    def __missing__(self, token: str) -> int:
        number = self._words.get(normal_word(token), 0)
        if len(self) < _MOST_TOKENS:
            self[token] = number
        return number


@dataclass(frozen=True, eq=False)
class TermRuns:
    """The terms of texts one after the other; text `d` is `tokens[starts[d]:starts[d + 1]]`."""

    tokens: Ints1d
    starts: Offsets


class Segmenter:
    """Finds the terms of a vocabulary in texts.

    Where terms overlap the longest is taken, from left to right; a phrase is found only where nothing stands between
    its words, as when the corpus was indexed. `segmented` says that the corpus came with the words of phrases joined by
    underscores, and new texts must too.
    """

    def __init__(self, terms: Sequence[str], aliases: Mapping[str, str], *, segmented: bool = False) -> None:
        self.n_terms = len(terms)
        self._segmented = segmented
        number_of = {term: number for number, term in enumerate(terms)}
        spelled = {alias: number_of[term] for alias, term in aliases.items() if term in number_of} | number_of
        forms: dict[Words, int] = {}
        for term, number in spelled.items():
            words = (term,) if segmented else words_of_term(term)
            if words:
                forms.setdefault(words, number)
        spoken = dict.fromkeys(word for form in forms for word in form)
        ids = {word: number for number, word in enumerate(spoken, 1)}
        self._ids = _KnownWords(ids)
        n_words = len(ids) + 1
        # A phrase has the number of its term behind those of all words.
        self._becomes = np.full(n_words + self.n_terms, -1, dtype=np.int32)
        self._becomes[n_words:] = np.arange(self.n_terms)
        phrases: dict[tuple[int, ...], int] = {}
        for form, number in forms.items():
            if len(form) == 1:
                self._becomes[ids[form[0]]] = number
            else:
                phrases[tuple(ids[word] for word in form)] = n_words + number
        self._trie = build_trie(phrases, n_words)

    def counts(self, texts: Iterable[str]) -> sparse.csr_array:
        """Return how often each text has each term, shape (n_texts, n_terms)."""
        return self.count(self.terms(texts))

    def terms(self, texts: Iterable[str]) -> TermRuns:
        """Return the terms of texts in reading order."""
        stream, ends = self._stream(texts)
        return self.terms_among(stream, np.array(ends, dtype=np.int64))

    def word_numbers(self, tokens: Iterable[str]) -> Ints1d:
        """Return the numbers of the words that tokens stand for, 0 for what no term is made of."""
        return np.array([self._ids[token] for token in tokens], dtype=np.int32)

    def terms_among(self, stream: Ints1d, offsets: Offsets) -> TermRuns:
        """Return the terms of texts that are cut into tokens; `stream`, their words' numbers, is used up.

        Text `d` is `stream[offsets[d]:offsets[d + 1]]`, the last of it a 0.
        """
        written = np.zeros_like(offsets)
        trie = self._trie
        arrays = trie.member, trie.edges, trie.targets, trie.ends
        used = match_phrases(stream, offsets, 0, len(offsets) - 1, 0, written, *arrays)
        return self._tokens(stream[:used], written)

    def count(self, found: TermRuns) -> sparse.csr_array:
        """Count the terms of each text, shape (n_texts, n_terms)."""
        columns, values = np.empty_like(found.tokens), np.empty_like(found.tokens)
        rows = np.empty_like(found.starts)
        n_stored = count_terms(found.tokens, found.starts, columns, values, rows)
        shape = (len(found.starts) - 1, self.n_terms)
        return sparse.csr_array((values[:n_stored], columns[:n_stored], rows.astype(np.int32)), shape=shape)

    def _stream(self, texts: Iterable[str]) -> tuple[Ints1d, list[int]]:
        ids: list[int] = []
        ends = [0]
        for tokens in self._split(texts):
            ids.extend(map(self._ids.__getitem__, tokens))
            ids.append(0)
            ends.append(len(ids))
        return np.array(ids, dtype=np.int32), ends

    def _split(self, texts: Iterable[str]) -> Iterator[list[str]]:
        return (text.lower().split() for text in texts) if self._segmented else map(tokens_of, texts)

    def _tokens(self, stream: Ints1d, offsets: Offsets) -> TermRuns:
        """Leave out the words that are no terms."""
        terms = self._becomes[stream]
        known = terms >= 0
        kept: Offsets = np.concatenate([[0], np.cumsum(known)])
        return TermRuns(terms[known], kept[offsets])
