"""Porter's stemmer (1980, with its author's later "bli" and "logi"): "encryption" and "encrypted" are one name."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"), ("logi", "log"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
)  # fmt: skip


def same_stem(first: str, second: str) -> bool:
    """Whether two names are the same word for word, up to case, the joiner of phrases and endings."""
    return stems_of(first) == stems_of(second)


def stems_of(name: str) -> tuple[str, ...]:
    """Return the stems of the words of a name."""
    return tuple(stem(word) for word in name.replace("_", " ").casefold().split())


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the stem of a lower-case English word; words of one or two letters stay."""
    if len(word) <= 2:
        return word
    word = _step_1(word)
    word = _replace_longest(word, _STEP_2)
    word = _replace_longest(word, _STEP_3)
    return _step_5(_step_4(word))


def _step_1(word: str) -> str:
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if word.endswith("eed"):
        word = word[:-1] if _measure(word[:-3]) > 0 else word
    else:
        for ending in ("ed", "ing"):
            if word.endswith(ending) and _has_vowel(word[: -len(ending)]):
                word = _mend(word[: -len(ending)])
                break
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    return word


def _mend(word: str) -> str:
    """Give back the e that an ending swallowed, or take the letter that it doubled."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _ends_double(word) and word[-1] not in "lsz":
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_cvc(word) else word


def _replace_longest(word: str, table: tuple[tuple[str, str], ...]) -> str:
    """Replace the longest ending of the table that fits, if anything of weight is left before it."""
    fitting = [(ending, new) for ending, new in table if word.endswith(ending)]
    if not fitting:
        return word
    ending, new = max(fitting, key=lambda pair: len(pair[0]))
    rest = word[: -len(ending)]
    return rest + new if _measure(rest) > 0 else word


def _step_4(word: str) -> str:
    fitting = [ending for ending in _STEP_4 if word.endswith(ending)]
    if not fitting:
        return word
    ending = max(fitting, key=len)
    rest = word[: -len(ending)]
    if _measure(rest) <= 1 or (ending == "ion" and not rest.endswith(("s", "t"))):
        return word
    return rest


def _step_5(word: str) -> str:
    if word.endswith("e"):
        weight = _measure(word[:-1])
        if weight > 1 or (weight == 1 and not _ends_cvc(word[:-1])):
            word = word[:-1]
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word


def _is_consonant(word: str, i: int) -> bool:
    if word[i] in "aeiou":
        return False
    return not (word[i] == "y" and i > 0 and _is_consonant(word, i - 1))


def _measure(word: str) -> int:
    """Return how many times a vowel is followed by a consonant: the weight of a stem."""
    shape = [_is_consonant(word, i) for i in range(len(word))]
    return sum(not before and after for before, after in pairwise(shape))


def _has_vowel(word: str) -> bool:
    return any(not _is_consonant(word, i) for i in range(len(word)))


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _is_consonant(word, len(word) - 1)


def _ends_cvc(word: str) -> bool:
    if len(word) < 3 or word[-1] in "wxy":
        return False
    last = len(word) - 1
    return _is_consonant(word, last) and not _is_consonant(word, last - 1) and _is_consonant(word, last - 2)
