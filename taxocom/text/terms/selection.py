"""From all that was met to the vocabulary: rare phrases fall apart, the best terms stay."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taxocom.numerics.arrays import Ints1d, Offsets
from taxocom.settings import TextSettings
from taxocom.text.language.words import Kind
from taxocom.text.terms.inventory import TermInventory
from taxocom.text.terms.seed_phrases import SeedTerms
from taxocom.text.terms.vocabulary import join_words

_NO_TERMS = {Kind.STOP, Kind.PART}


@dataclass(frozen=True)
class Selection:
    """The vocabulary as ids of the stream, most frequent first, and what every id of the stream becomes.

    Stream id `i` is written as `expansions[offsets[i]:offsets[i + 1]]`, ids of the vocabulary: one for a term, those of
    its parts for a phrase that fell apart, none for what is no term.
    """

    chosen: list[int]
    offsets: Offsets
    expansions: Ints1d


def select_terms(inventory: TermInventory, counts: Offsets, seeds: SeedTerms, settings: TextSettings) -> Selection:
    """Choose the vocabulary; `counts` are those of the stream."""
    counts = counts.copy()
    spellings = _seed_spellings(inventory, seeds)
    same = {word: target for target, words in spellings.items() for word in words}
    rare = {term_id for term_id in inventory.parts if counts[term_id] < settings.min_count}
    dissolved = _dissolve(inventory, counts, rare, settings.min_count)
    dissolved |= _dissolve(inventory, counts, _starving(inventory, counts, spellings, settings.min_count), 0)
    for word, target in same.items():
        if word != target:
            counts[target] += counts[word]
            counts[word] = 0
    chosen = _choose(inventory, counts, dissolved, settings)
    stops = {term_id for term_id in inventory.parts if inventory.kinds[term_id] is Kind.STOP}
    left_out = set(inventory.parts) - dissolved - chosen - stops
    dissolved |= _dissolve(inventory, counts, left_out, 0)
    ordered = sorted(chosen, key=lambda i: (-counts[i], inventory.words[i]))
    return _with_expansions(inventory, dissolved, ordered, same)


def _seed_spellings(inventory: TermInventory, seeds: SeedTerms) -> dict[int, list[int]]:
    """Return the seed's names of one word: the id each is counted under, and the ids of its singular and plural.

    A name stands for both numbers wherever it is outside a phrase. A stop word is no term, whoever asks for it.
    """
    spellings: dict[int, list[int]] = {}
    for form, words in seeds.forms.items():
        word, target = inventory.ids.get((join_words(form),)), inventory.ids.get((join_words(words),))
        if word is None or target is None or {inventory.kinds[word], inventory.kinds[target]} & _NO_TERMS:
            continue
        inventory.given.add(target)
        spellings.setdefault(target, []).append(word)
    return spellings


def _starving(inventory: TermInventory, counts: Offsets, spellings: dict[int, list[int]], min_count: int) -> set[int]:
    """Return the phrases that leave a one-word name of the seed fewer than `min_count` places of its own."""
    needed: set[str] = set()
    for words in spellings.values():
        formed = sum(inventory.formed[word] for word in words)
        if sum(int(counts[word]) for word in words) < min(formed, min_count):
            needed.update(inventory.words[word][0] for word in words)
    if not needed:
        return set()
    return {term_id for term_id in inventory.parts if not needed.isdisjoint(inventory.words[term_id])}


def _dissolve(inventory: TermInventory, counts: Offsets, doomed: set[int], min_count: int) -> set[int]:
    """Take apart mined phrases, the latest made first; their counts go to their parts, which may then be frequent."""
    dissolved: set[int] = set()
    for term_id in sorted(doomed, reverse=True):
        if min_count and counts[term_id] >= min_count:
            continue
        parts = inventory.parts[term_id]
        counts[parts.left] += counts[term_id]
        counts[parts.right] += counts[term_id]
        counts[term_id] = 0
        dissolved.add(term_id)
    return dissolved


def _choose(inventory: TermInventory, counts: Offsets, dissolved: set[int], settings: TextSettings) -> set[int]:
    frequent = (counts >= settings.min_count) & (np.array(inventory.kinds, dtype=np.int8) == Kind.WORD)
    frequent[: inventory.n_barred + 1] = False
    frequent[list(dissolved)] = False
    given = {term_id for term_id in inventory.given if counts[term_id] > 0}
    able = given.union(np.flatnonzero(frequent).tolist())
    ranked = sorted(able, key=lambda i: (i not in given, -counts[i], inventory.words[i]))
    return set(ranked[: settings.max_terms])


def _with_expansions(
    inventory: TermInventory, dissolved: set[int], chosen: list[int], same: dict[int, int]
) -> Selection:
    final = {term_id: position for position, term_id in enumerate(chosen)}
    expanded: list[list[int]] = []
    for term_id in range(len(inventory)):
        if term_id in dissolved:
            parts = inventory.parts[term_id]
            expanded.append(expanded[parts.left] + expanded[parts.right])
        else:
            position = final.get(same.get(term_id, term_id))
            expanded.append([] if position is None else [position])
    offsets = np.zeros(len(expanded) + 1, dtype=np.int64)
    np.cumsum([len(ids) for ids in expanded], out=offsets[1:])
    return Selection(chosen, offsets, np.array([i for ids in expanded for i in ids], dtype=np.int32))
