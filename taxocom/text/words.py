"""Words as integers: the first pass over a corpus writes every word's id, so that no later pass touches a string."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

import numpy as np

from taxocom.numerics.arrays import Ints1d
from taxocom.text.stop_words import StopWords
from taxocom.text.tokens import base_of_contraction, is_number_like, is_too_short, normal_word, tokens_of

BREAK = 0


class Kind(IntEnum):
    """What a word may be: a term, or only part of one."""

    BREAK = 0
    WORD = 1
    STOP = 2
    NUMBER = 3
    LETTER = 4


class WordIndex(dict[str, int]):
    """Token → word id, growing as tokens are met; id 0 stands for punctuation.

    Tokens that are spelled differently but are one word ("maxwell", "maxwell's") share an id.
    """

    def __init__(self, stop_words: StopWords, always: Iterable[str] = ()) -> None:
        super().__init__()
        self.stop_words = stop_words
        self.words: list[str] = [""]
        self.kinds: list[Kind] = [Kind.BREAK]
        for word in always:
            self[word]

    def __missing__(self, token: str) -> int:
        word = normal_word(token)
        if word and "'" in word and word not in self.stop_words.words:
            word = base_of_contraction(word)
        if not word:
            word_id = BREAK
        elif word != token:
            word_id = self[word]
        else:
            word_id = len(self.words)
            self.words.append(word)
            self.kinds.append(self._kind_of(word))
        self[token] = word_id
        return word_id

    def _kind_of(self, word: str) -> Kind:
        if word in self.stop_words.words:
            return Kind.STOP
        if is_number_like(word) or len(word) > 40:
            return Kind.NUMBER
        return Kind.LETTER if is_too_short(word) else Kind.WORD

    def ids_of(self, text: str) -> Ints1d:
        """Return the word ids of a text, breaks included, closed by one."""
        ids = list(map(self.__getitem__, tokens_of(text)))
        ids.append(BREAK)
        return np.array(ids, dtype=np.int32)
