"""Words of any script, in one normal form.

A word is a run of letters, digits and marks, in NFKC and lower case. A hyphen parts words, an apostrophe inside does
not ("don't"); a possessive or an elided article is taken off ("Maxwell's", "l'homme"). Scripts that put no space
between words (Han, Kana, Thai, Lao, Khmer, Burmese) give one word a character, a run of Katakana one word: phrase
mining then finds their words as it finds phrases, so that no dictionary is needed. Signs that a word may be written
with or without (the vowel signs of Arabic) are left out.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from taxocom.text.language.cleaning import clean

# Characters of the scripts written without spaces; Katakana is left out, its runs are loan words.
_UNSPACED_RANGES = (
    "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003fffd"
)
_IDEOGRAPH = re.compile("[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd]")
_UNSPACED = re.compile(f"[{_UNSPACED_RANGES}]")

# A dash, a blank line or any mark but the hyphen and the apostrophe ends a phrase.
_ASCII_TOKENS = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*|(?:[^a-z0-9\s'\-]|--|\n\s*\n)+")
_ASCII_WORDS = re.compile(r"[a-zA-Z0-9]+(?:'[a-zA-Z0-9]+)*")
# Signs that readers of a script may leave out: soft hyphens, the vowel signs of Arabic and the line that lengthens its
# letters, the dot that lower case leaves on the Turkish i.
_LEFT_OUT = (0x00AD, 0x0307, 0x0640, 0x0670, *range(0x0610, 0x061B), *range(0x064B, 0x0653), *range(0x0656, 0x0660),
             *range(0x06D6, 0x06DD), *range(0x06DF, 0x06E9), *range(0x06EA, 0x06EE))  # fmt: skip
_ONE_SPELLING = str.maketrans(
    {
        "\u2019": "'",
        "\u02bc": "'",
        "\u2018": "'",
        "\u2010": "-",
        "\u2011": "-",
        **dict.fromkeys(map(chr, _LEFT_OUT), ""),
    }
)
# In the scripts of India a joiner only tells how a letter is drawn; in Persian it parts what belongs to one word.
_INDIC_JOINER = re.compile("(?<=[\u0900-\u0dff])[\u200c\u200d]")
_CONTRACTED = ("'s", "'d", "'ll", "'re", "'ve", "'m")
# What French, Italian and Catalan leave before an apostrophe.
ELIDED = frozenset(
    ("l", "d", "j", "m", "n", "s", "t", "c", "qu", "jusqu", "lorsqu", "puisqu", "dell", "all", "nell", "dall", "sull",
     "un")
)  # fmt: skip


@cache
def _marks() -> str:
    """Return the combining marks as ranges for a character class."""
    # Python's \w knows no combining marks, without which the words of India and Thailand fall to pieces.
    marks = [code for code in range(0x300, sys.maxunicode + 1) if unicodedata.category(chr(code)).startswith("M")]
    ranges: list[list[int]] = []
    for code in marks:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges) + "\u200c\u200d"


@cache
def _tokens_pattern() -> re.Pattern[str]:
    marked = _marks()
    word = f"(?:[^\\W_]|[{marked}])+"
    return re.compile(f"{word}(?:'{word})*|(?:[^\\w\\s'\\-{marked}]|_|--|\\n\\s*\\n)+")


@cache
def _unspaced_pattern() -> re.Pattern[str]:
    marks = "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3\u3099\u309a"
    return re.compile(f"[{_UNSPACED_RANGES}][{marks}]*")


def tokens_of(text: str) -> list[str]:
    """Return the tokens of a text as they stand: lower-cased words, and runs of punctuation between them.

    Words still carry their apostrophes; `normal_word` takes those off.
    """
    text = clean(text)
    if " & " in text:
        text = text.replace(" & ", " and ")
    if text.isascii():
        return _ASCII_TOKENS.findall(text.lower())
    text = _normal(text)
    if _UNSPACED.search(text):
        text = _unspaced_pattern().sub(r" \g<0> ", text)
    return _tokens_pattern().findall(text)


def raw_tokens(text: str, *, segmented: bool) -> list[str]:
    """Return the tokens of a text as they are looked up; with `segmented` they are what stands between spaces."""
    return text.lower().split() if segmented else tokens_of(text)


def _normal(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).lower().translate(_ONE_SPELLING)
    return _INDIC_JOINER.sub("", text) if "\u200c" in text or "\u200d" in text else text


def normal_word(token: str) -> str:
    """Return the word a token stands for, without possessive or elided article; empty for punctuation."""
    if "'" not in token:
        return token if token[0].isalnum() or unicodedata.category(token[0])[0] == "M" else ""
    head, _, tail = token.partition("'")
    if head in ELIDED and len(tail) > 2:
        return tail
    ending = next((ending for ending in _CONTRACTED if token.endswith(ending)), "")
    return token.removesuffix(ending)


def words_of(text: str) -> list[str]:
    """Return the words of a short text (a name, a keyword, a stop word) in normal form."""
    return [word for token in tokens_of(text) if (word := normal_word(token))]


class WordSpan(NamedTuple):
    """A word in normal form and where it stands in the text."""

    word: str
    start: int
    stop: int


def word_spans(text: str) -> list[WordSpan]:
    """Return the words of a text as it is written, in normal form, with their places.

    Unlike `tokens_of` nothing is cleaned away, since places must fit the text that a person sees.
    """
    if text.isascii():
        # Most text is, and the general pattern takes four times as long to find the same words.
        return [
            WordSpan(word, match.start(), match.end())
            for match in _ASCII_WORDS.finditer(text)
            if (word := normal_word(match[0].lower()))
        ]
    spans: list[WordSpan] = []
    for match in _raw_words_pattern().finditer(text):
        word = _normal(match[0])
        if word and (word := normal_word(word)):
            spans.append(WordSpan(word, match.start(), match.end()))
    return spans


@cache
def _raw_words_pattern() -> re.Pattern[str]:
    unspaced = _unspaced_pattern().pattern
    word = f"(?:(?![{_UNSPACED_RANGES}])(?:[^\\W_]|[{_marks()}\u00ad]))+"
    return re.compile(f"{unspaced}|{word}(?:['\u2019\u02bc]{word})*")


def is_unspaced(word: str) -> bool:
    """Tell whether a word is one character of a script written without spaces."""
    return len(word) <= 4 and _UNSPACED.match(word) is not None


def is_word_part(word: str) -> bool:
    """Tell whether a word is one character that words are made of: an ideograph or a sign of Thai, but no kana.

    What is a function word by itself may be half of a word there: "中" is "in", and begins "中国". Hiragana writes
    function words and endings, which no term of ours is made of.
    """
    return is_unspaced(word) and not "\u3040" <= word[0] <= "\u309f"


def is_number_like(word: str) -> bool:
    """Tell whether a word is a number or a code: no letter, or letters and digits in turn more than twice."""
    if word.isalpha():
        return False
    if not any(map(str.isalpha, word)):
        return True
    if word[0].isdigit() and sum(map(str.isdigit, word)) > 2:
        return True
    turns = sum(a.isdigit() != b.isdigit() for a, b in pairwise(word))
    return turns > 2


def is_too_short(word: str) -> bool:
    """Tell whether a word is one letter: it is no term by itself, except for an ideograph."""
    return len(word) < 2 and _IDEOGRAPH.match(word) is None
