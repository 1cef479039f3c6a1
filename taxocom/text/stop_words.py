"""Which words are too common to be a term by themselves, and which of them may stand inside a phrase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from taxocom.text.tokens import words_of

# "war of independence", "law and order", "freedom of the press": what joins the words of an English name.
_ENGLISH_CONNECTORS = frozenset("of the for in and to on by with at from a an".split())


@dataclass(frozen=True)
class StopWords:
    """Words that are no terms; `connectors` are those of them that may stand inside a phrase, never at its edge."""

    words: frozenset[str]
    connectors: frozenset[str]


@cache
def english() -> StopWords:
    """Return our English list."""
    lines = (resources.files("taxocom.text") / "stop_words_en.txt").read_text(encoding="utf-8").splitlines()
    listed = " ".join(line for line in lines if not line.startswith("#")).split()
    return _from_listed(listed, _ENGLISH_CONNECTORS)


def stop_words(listed: Sequence[str] | None) -> StopWords:
    """Return the words of a user's list as our tokeniser writes them, or our English list for None.

    We do not know which words of a user's language join names, so any of them may stand inside a phrase.
    """
    return english() if listed is None else _from_listed(listed, None)


def _from_listed(listed: Sequence[str], connectors: frozenset[str] | None) -> StopWords:
    words = frozenset(word for entry in listed for word in words_of(entry))
    return StopWords(words, words if connectors is None else connectors & words)
