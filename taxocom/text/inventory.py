"""Every word and phrase met while a corpus is indexed, by the id it has in the stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from taxocom.errors import InputError
from taxocom.numerics.phrase_kernels import CONNECTOR_BITS, TERM_BITS
from taxocom.text.tokens import is_unspaced
from taxocom.text.vocabulary import join_words
from taxocom.text.words import Kind

MAX_CONNECTORS = 2**CONNECTOR_BITS - 1
MAX_TERMS = 2**TERM_BITS - 1
LOCKED = 255


@dataclass
class TermInventory:
    """The terms of a stream: ids `1 … n_connectors`, then other barred words, then what phrases are made of.

    `lengths` are in half words (a character of a script without spaces is half a word), LOCKED for what may not grow.
    `parts` holds the two terms a mined phrase was merged from, `formed` how often it was when it was made, `scores` how
    significant it is.
    """

    words: list[tuple[str, ...]]
    kinds: list[Kind]
    n_connectors: int
    n_barred: int
    lengths: list[int]
    formed: list[int]
    scores: list[float] = field(default_factory=list)
    parts: dict[int, tuple[int, int]] = field(default_factory=dict)
    given: set[int] = field(default_factory=set)
    ids: dict[tuple[str, ...], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.scores = self.scores or [0.0] * len(self.words)
        self.ids = {words: term_id for term_id, words in enumerate(self.words) if words}

    def __len__(self) -> int:
        return len(self.words)

    def term(self, term_id: int) -> str:
        """Return a term as the vocabulary writes it."""
        return join_words(self.words[term_id])

    def add_given(self, words: tuple[str, ...]) -> int:
        """Add a phrase that was given and not found: it is matched before mining and takes no part in it."""
        return self._add(words, LOCKED, 0, 1.0)

    def add_mined(self, left: int, connectors: Sequence[int], right: int, count: int, score: float) -> int:
        """Add a phrase merged from two terms, or find it if other two have made the same one."""
        between = [self.words[connector][0] for connector in connectors]
        words = (*self.words[left], *between, *self.words[right])
        known = self.ids.get(words)
        if known is not None:
            self.formed[known] += count
            return known
        length = self.lengths[left] + self.lengths[right] + 2 * len(between)
        term_id = self._add(words, length, count, score)
        self.parts[term_id] = (left, right)
        return term_id

    def _add(self, words: tuple[str, ...], length: int, count: int, score: float) -> int:
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


def length_of(word: str) -> int:
    """Return the length of one word in half words."""
    return 1 if is_unspaced(word) else 2
