"""Which words keep the company of numbers: units, months and the headings of tables ("3 cm", "12 January", "34 cts").

They mark a field as clearly as its best words do, and are no name of it. No list would have them all in every language;
that they stand beside figures shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from taxocom.numerics.arrays import Bools1d, Doubles, Offsets

# Met less often than this beside or away from numbers, a word may be anything.
_SEEN_ENOUGH = 5
# A word that stands beside numbers so often is as good as one for the words next to it: "35 mln dlrs".
_AS_A_NUMBER = 0.5
_MARKS = ".,;:!?()[]\"'%$€£¥"
_FIGURE = re.compile(r"\d")
_OTHER, _NUMBER, _FIRST_WORD = range(3)


def beside_numbers(texts: Iterable[str], words: Sequence[str]) -> Doubles:
    """Return for each of these words, which are in lower case, the share of its places that are next to a number.

    A word that itself mostly stands beside numbers counts as one for its neighbours. It is 0 for a word that is hardly
    met.
    """
    stream = _codes(texts, words)
    places = np.flatnonzero(stream >= _FIRST_WORD)
    number = stream[places] - _FIRST_WORD
    seen = np.bincount(number, minlength=len(words))
    share = np.zeros(len(words))
    # Once for what stands beside figures, once more for what stands beside that.
    for _ in range(2):
        as_number = np.concatenate([[False, True], share >= _AS_A_NUMBER])[stream]
        beside: Bools1d = as_number[places - 1] | as_number[places + 1]
        met = np.bincount(number[beside], minlength=len(words))
        share = np.where(seen >= _SEEN_ENOUGH, met / np.maximum(seen, 1), 0.0)
    return share


def _codes(texts: Iterable[str], words: Sequence[str]) -> Offsets:
    """Return the words of the texts as numbers; before, between and behind the texts stands some other word."""
    codes = {word: _FIRST_WORD + i for i, word in enumerate(words)}
    tokens = chain([""], chain.from_iterable((*text.lower().split(), "") for text in texts))

    def code(token: str) -> int:
        found = codes.get(token)
        if found is None:
            found = codes.get(token.strip(_MARKS))
        if found is None:
            found = codes[token] = _NUMBER if _FIGURE.search(token) else _OTHER
        return found

    return np.fromiter((code(token) for token in tokens), dtype=np.int64)
