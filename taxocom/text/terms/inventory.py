"""Every word and phrase met while a corpus is indexed, by the id it has in the stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from taxocom.errors import InputError
from taxocom.numerics.phrase_kernels import CONNECTOR_BITS, TERM_BITS
from taxocom.text.language.tokens import is_unspaced
from taxocom.text.language.words import Kind
from taxocom.text.terms.seed_phrases import Words
from taxocom.text.terms.vocabulary import join_words

MAX_CONNECTORS = 2**CONNECTOR_BITS - 1
MAX_TERMS = 2**TERM_BITS - 1
_LOCKED = 255


@dataclass(frozen=True)
class Parts:
    """The two terms that a mined phrase was merged from."""

    left: int
    right: int


@dataclass
class TermInventory:
    """The terms of a stream: ids `1 … n_connectors`, then other barred words, then what phrases are made of.

    Id 0 is the break. `lengths` are in half words (a character of a script without spaces is half a word). `formed` is
    how often a term was met before longer phrases took it in, `scores` how significant a mined phrase is. What is among
    the `stop_phrases` is mined like any other, so that its words are gone from the text, but is no term.
    """

    words: list[Words]
    kinds: list[Kind]
    formed: list[int]
    n_connectors: int
    n_barred: int
    articles: frozenset[int] = frozenset()
    stop_phrases: frozenset[Words] = frozenset()
    given: set[int] = field(default_factory=set)
    lengths: list[int] = field(init=False)
    scores: list[float] = field(init=False)
    parts: dict[int, Parts] = field(init=False, default_factory=dict)
    ids: dict[Words, int] = field(init=False)

    def __post_init__(self) -> None:
        self.lengths = [_LOCKED, *(sum(1 if is_unspaced(word) else 2 for word in words) for words in self.words[1:])]
        self.scores = [0.0] * len(self.words)
        self.ids = {words: term_id for term_id, words in enumerate(self.words) if words}

    def __len__(self) -> int:
        return len(self.words)

    def term(self, term_id: int) -> str:
        """Return a term as the vocabulary writes it."""
        return join_words(self.words[term_id])

    def add_given(self, words: Words) -> int:
        """Add a phrase of the seed: it is matched before mining and takes no part in it."""
        term_id = self._add(words, _LOCKED, 0, 1.0)
        self.given.add(term_id)
        return term_id

    def joined(self, parts: Parts, connectors: Sequence[int]) -> Words:
        """Return the words that two terms make with connectors between them."""
        between = [self.words[connector][0] for connector in connectors]
        return (*self.words[parts.left], *between, *self.words[parts.right])

    def add_mined(self, parts: Parts, connectors: Sequence[int], count: int, score: float) -> int:
        """Add a phrase merged from two terms, or find it if two others have made the same one."""
        words = self.joined(parts, connectors)
        known = self.ids.get(words)
        if known is not None:
            self.formed[known] += count
            return known
        length = self.lengths[parts.left] + self.lengths[parts.right] + 2 * len(connectors)
        is_stop = words in self.stop_phrases
        term_id = self._add(words, _LOCKED if is_stop else length, count, score)
        self.parts[term_id] = parts
        if is_stop:
            self.kinds[term_id] = Kind.STOP
        return term_id

    def _add(self, words: Words, length: int, count: int, score: float) -> int:
        if len(self.words) > MAX_TERMS:
            raise InputError(
                f"More than {MAX_TERMS:,} different words and phrases. Raise min_count to index this corpus."
            )
        self.words.append(words)
        self.kinds.append(Kind.WORD)
        self.lengths.append(length)
        self.formed.append(count)
        self.scores.append(score)
        self.ids[words] = len(self.words) - 1
        return len(self.words) - 1

    def length_array(self) -> npt.NDArray[np.uint8]:
        """Return the lengths as the kernels take them."""
        return np.array(self.lengths, dtype=np.uint8)

    def single_parts(self) -> npt.NDArray[np.bool_]:
        """Tell which terms are one character that is a stop word by itself."""
        return np.asarray(np.array(self.kinds, dtype=np.int8) == Kind.PART)

    def openers(self) -> npt.NDArray[np.bool_]:
        """Tell which terms may only open a phrase."""
        return np.asarray(np.array(self.kinds, dtype=np.int8) == Kind.OPENER)
