"""How words are used in running English: "medical" goes before a noun, "medicine" is one.

What follows a word tells most of it. A noun is followed by a mark, or by a small word that cannot go on with what it
names ("medicine is", "medicine, and"); an adjective by the noun it belongs to. A verb is set apart by what comes before
it: "in medicine" is said, "in minimise" is not. Where these small words are not met, no word is taken for a noun.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from taxocom.numerics.arrays import Bools1d, Offsets

# Met less often than this, a word may be anything.
_SEEN_ENOUGH = 5
_MODIFIER, _NOUN = 0.25, 0.5
# A verb hardly ever stands between a preposition and the end of what it introduces.
_NOT_A_VERB = 0.02

_MARKS = ".,;:!?)"
_PREPOSITIONS = ("about", "between", "by", "for", "from", "in", "into", "of", "on", "with")
# No article and no quantity: they may go on with an object or a number ("solve the", "infinitely many").
_ENDS = (
    "and", "as", "at", "because", "but", "can", "could", "had", "has", "have", "he", "i", "if", "is", "are", "it",
    "may", "might", "or", "over", "she", "should", "since", "than", "that", "they", "through", "to", "under", "via",
    "was", "we", "were", "when", "where", "which", "who", "will", "would", "you",
)  # fmt: skip
_DETERMINERS = (
    "a", "all", "an", "another", "any", "each", "every", "few", "her", "his", "its", "many", "my", "no", "our", "some",
    "the", "their", "these", "this", "those", "three", "two", "whose", "your",
)  # fmt: skip
_OTHER, _PREPOSITION, _END, _DETERMINER, _FIRST_WORD = range(5)


@dataclass(frozen=True)
class WordUse:
    """How often words were met, (n_words,) each.

    `closing` counts where nothing could follow that the word belongs to, `bare` where besides it stood directly behind
    a preposition, `introduced` where it stood directly behind a preposition, an article or their like.
    """

    seen: Offsets
    closing: Offsets
    bare: Offsets
    introduced: Offsets

    @property
    def is_modifier(self) -> Bools1d:
        """Which words nearly always have a word behind them that they belong to."""
        return np.asarray((self.seen >= _SEEN_ENOUGH) & (self.closing < _MODIFIER * self.seen))

    @property
    def is_noun(self) -> Bools1d:
        """Which words mostly stand for something by themselves, sometimes without an article."""
        enough = (self.seen >= _SEEN_ENOUGH) & (self.closing >= _NOUN * self.seen)
        return np.asarray(enough & (self.bare >= _NOT_A_VERB * self.seen))


def word_use(texts: Iterable[str], words: Sequence[str]) -> WordUse:
    """Count how these words, which are different and in lower case, are used in the texts.

    Only blanks part the words of a text here: what is in quotes or joined by a hyphen is passed over, for the price of
    looking at every character is ten times higher.
    """
    codes = {word: _FIRST_WORD + 2 * i for i, word in enumerate(words)}
    codes |= {word + mark: code + 1 for word, code in codes.items() for mark in _MARKS}
    codes |= dict.fromkeys(_DETERMINERS, _DETERMINER)
    codes |= dict.fromkeys(_ENDS, _END) | dict.fromkeys(_PREPOSITIONS, _PREPOSITION)
    tokens = chain.from_iterable((*text.lower().split(), _ENDS[0]) for text in texts)
    stream = np.fromiter((codes.get(token, _OTHER) for token in tokens), dtype=np.int64)
    places = np.flatnonzero(stream >= _FIRST_WORD)
    number, has_mark = np.divmod(stream[places] - _FIRST_WORD, 2)
    # Every text ends in a small word, so that each place has one behind it and all but the first one before it.
    closing = (has_mark == 1) | np.isin(stream[places + 1], (_PREPOSITION, _END))
    before = stream[places - 1]
    bare = closing & (before == _PREPOSITION)
    introduced = (before == _PREPOSITION) | (before == _DETERMINER)
    counted = (slice(None), closing, bare, introduced)
    return WordUse(*(np.bincount(number[chosen], minlength=len(words)) for chosen in counted))
