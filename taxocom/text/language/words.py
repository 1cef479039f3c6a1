"""Words as integers: the first pass over a corpus writes every word's id, so that no later pass touches a string."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

import numpy as np

from taxocom.numerics.arrays import Ints1d
from taxocom.text.language.stop_words import StopWords
from taxocom.text.language.tokens import is_number_like, is_too_short, is_word_part, normal_word, raw_tokens

BREAK = 0

# Beyond so many different tokens new ones are noise, and remembering them would only fill the memory.
_MOST_TOKENS = 6_000_000
_LONGEST_WORD = 40


class Kind(IntEnum):
    """What a word may be: a term, or only part of one.

    An OPENER, a letter or a small word such as "first", may open a phrase but is no term by itself. A PART, a stop
    word of a script without spaces, may stand anywhere in a phrase: "中" is "in", and begins "中国".
    """

    BREAK = 0
    WORD = 1
    STOP = 2
    NUMBER = 3
    OPENER = 4
    PART = 5


class WordIndex(dict[str, int]):
    """Token → word id, growing as tokens are met; id 0 stands for punctuation.

    Tokens that are spelled differently but are one word ("maxwell", "maxwell's") share an id. With `segmented`, tokens
    are what stands between spaces, and an underscore joins the words of a phrase. The stop words may be others once the
    texts have been read, since only `kinds` asks for them.
    """

    def __init__(self, stop_words: StopWords, always: Iterable[str] = (), *, segmented: bool = False) -> None:
        super().__init__()
        self.stop_words = stop_words
        self.segmented = segmented
        self.words: list[str] = [""]
        self.add(always)

    def add(self, words: Iterable[str]) -> None:
        """Give an id to words that need one whether they are met or not."""
        for word in sorted(words):
            self[word]

    def __missing__(self, token: str) -> int:
        word = normal_word(token)
        if not word or len(self) >= _MOST_TOKENS:
            return BREAK
        if word == token:
            self.words.append(word)
            self[token] = len(self.words) - 1
        else:
            self[token] = self[word]
        return self[token]

    def kinds(self) -> list[Kind]:
        """Return what each word may be, by its id."""
        return [Kind.BREAK, *map(self._kind_of, self.words[1:])]

    def _kind_of(self, word: str) -> Kind:
        if self.stop_words.holds(word):
            return Kind.PART if is_word_part(word) else Kind.STOP
        if is_number_like(word) or (len(word) > _LONGEST_WORD and not self.segmented):
            return Kind.NUMBER
        return Kind.OPENER if is_too_short(word) or word in self.stop_words.openers else Kind.WORD

    def ids_of(self, text: str) -> Ints1d:
        """Return the word ids of a text, breaks included, closed by one."""
        ids = list(map(self.__getitem__, raw_tokens(text, segmented=self.segmented)))
        ids.append(BREAK)
        return np.array(ids, dtype=np.int32)
