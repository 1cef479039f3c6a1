"""Names and keywords of the seed as terms: found in the text in singular and plural, before any phrase is mined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from taxocom.numerics.arrays import Ints1d, Offsets
from taxocom.text.tokens import words_of
from taxocom.text.vocabulary import join_words

# An s at the end that makes no plural.
_SINGULAR_ENDINGS = ("ss", "us", "is", "ics")
_INVARIANT = frozenset("news series species means goods arms customs headquarters diabetes mathematics physics".split())
_SIBILANTS = ("s", "x", "z", "ch", "sh")
_VOWELS = "aeiou"


def number_forms(word: str) -> tuple[str, ...]:
    """Return the spellings of an English word in singular and plural, its own first.

    Only the regular endings s, es and ies are known; a form that is no word costs nothing, it never occurs.
    """
    forms = [word]
    if len(word) < 3 or not word.isalpha() or word in _INVARIANT:
        return (word,)
    if word.endswith("ies") and len(word) > 4:
        forms.append(word[:-3] + "y")
    elif word.endswith("es") and word[:-2].endswith(_SIBILANTS):
        forms += [word[:-2], word[:-1]]
    elif word.endswith("s") and not word.endswith(_SINGULAR_ENDINGS):
        forms.append(word[:-1])
        if word.endswith("oes"):
            forms.append(word[:-2])
    elif word.endswith("y") and word[-2] not in _VOWELS:
        forms.append(word[:-1] + "ies")
    elif word.endswith(_SIBILANTS):
        forms.append(word + "es")
    elif not word.endswith("ics"):
        forms.append(word + "s")
        if word.endswith("o"):
            forms.append(word + "es")
    return tuple(forms)


@dataclass(frozen=True)
class SeedTerms:
    """The seed's names and keywords as words, each once; `aliases` maps every other spelling given to the one kept.

    "Finite groups" and "finite group" are one term: the one that was given first.
    """

    phrases: tuple[tuple[str, ...], ...]
    aliases: dict[str, str]

    @property
    def all_words(self) -> list[str]:
        """Every word of every phrase, in every number."""
        return [form for phrase in self.phrases for word in phrase for form in number_forms(word)]


def seed_terms(names: Sequence[str]) -> SeedTerms:
    """Split names into words as the text is split, and join those that differ in number only."""
    kept: dict[tuple[str, ...], tuple[str, ...]] = {}
    aliases: dict[str, str] = {}
    given = [tuple(words_of(name)) for name in names]
    exact = set(given)
    for words in given:
        if not words:
            continue
        known = next((kept[key] for key in _keys_of(words) if key in kept), None)
        if known is None:
            kept.update({key: words for key in _keys_of(words) if key not in kept})
        elif known != words:
            aliases[join_words(words)] = join_words(known)
    del exact
    return SeedTerms(tuple(dict.fromkeys(kept.values())), aliases)


def _keys_of(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [(*words[:-1], form) for form in number_forms(words[-1])]


@dataclass(frozen=True)
class PhraseTrie:
    """Phrases as `match_phrases` takes them: word classes, sorted edges with their targets, and what a node ends."""

    classes: Ints1d
    edges: Offsets
    targets: Ints1d
    ends: Ints1d


def build_trie(phrases: dict[int, list[set[int]]], n_ids: int) -> PhraseTrie:
    """Build the trie of phrases, each a term id and, for every place, the word ids that may stand there."""
    classes = np.zeros(n_ids, dtype=np.int32)
    n_classes = 0
    for places in phrases.values():
        for allowed in places:
            known = {int(classes[word]) for word in allowed} - {0}
            if known:
                target = min(known)
                classes[np.isin(classes, list(known))] = target
            else:
                n_classes += 1
                target = n_classes
            classes[list(allowed)] = target
    edges: dict[int, int] = {}
    ends = [0]
    for term_id, places in phrases.items():
        node = 0
        for allowed in places:
            edge = node << 32 | int(classes[next(iter(allowed))])
            if edge not in edges:
                edges[edge] = len(ends)
                ends.append(0)
            node = edges[edge]
        ends[node] = ends[node] or term_id
    ordered = sorted(edges)
    return PhraseTrie(
        classes,
        np.array(ordered, dtype=np.int64),
        np.array([edges[edge] for edge in ordered], dtype=np.int32),
        np.array(ends, dtype=np.int32),
    )
