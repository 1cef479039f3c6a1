"""Which words are too common to be a term by themselves, and which of them may stand inside a phrase."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from taxocom.text.tokens import words_of

# What joins the words of an English name: "war of independence", "law and order", "freedom of the press". An article
# joins only behind another of these, since "propose a method" and "solve the problem" are no names.
_ENGLISH_CONNECTORS = frozenset(("of", "for", "in", "and", "to", "on"))
_ENGLISH_ARTICLES = frozenset(("the", "a", "an"))


@dataclass(frozen=True)
class StopWords:
    """Words that are no terms.

    `connectors` may stand inside a phrase, never at its edge; `articles` only directly behind a connector. `openers`
    are not among `words`: they may open a phrase ("first order"), but are no terms by themselves either.
    """

    words: frozenset[str]
    connectors: frozenset[str]
    articles: frozenset[str] = frozenset()
    openers: frozenset[str] = frozenset()


@cache
def english() -> StopWords:
    """Return our English list."""
    listed = (resources.files("taxocom.text") / "stop_words_en.txt").read_text(encoding="utf-8")
    words, openers = (
        _normal(line for line in part.splitlines() if not line.startswith("#")) for part in listed.split("[openers]")
    )
    return StopWords(words, _ENGLISH_CONNECTORS, _ENGLISH_ARTICLES, openers)


def stop_words(listed: Sequence[str] | None) -> StopWords:
    """Return the words of a user's list as our tokeniser writes them, or our English list for None.

    We do not know which words of a user's language join names, so any of them may stand inside a phrase.
    """
    if listed is None:
        return english()
    words = _normal(listed)
    return StopWords(words, words)


def _normal(entries: Iterable[str]) -> frozenset[str]:
    return frozenset(word for entry in entries for word in words_of(entry))
