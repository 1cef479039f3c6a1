"""Passages of the raw text that speak of given terms: what a person reads to believe a topic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from taxocom.text.language.languages import ENGLISH
from taxocom.text.language.tokens import WordSpan, word_spans, words_of
from taxocom.text.terms.seed_phrases import Words, phrase_forms
from taxocom.text.terms.vocabulary import display

# A sentence ends at a mark of any script and what closes behind it, or at a blank line.
_SENTENCE_END = re.compile(r"""(?<![.!?…])[.!?…]++["'”’)\]»]*+(?=\s)|[。！？｡।॥؟۔።]++["”’」』）]*+|\n[ \t]*+\n""")
# A full stop behind one of these, or behind a single capital, ends no sentence.
_ABBREVIATIONS = frozenset(
    ("mr", "mrs", "ms", "dr", "prof", "st", "vs", "etc", "e.g", "i.e", "eg", "ie", "cf", "al", "fig", "figs", "eq",
     "eqs", "sec", "no", "vol", "pp", "inc", "ltd", "co", "jr", "sr", "resp", "approx", "u.s", "gen", "sen", "rep",
     "gov")
)  # fmt: skip
_LONGEST_PASSAGE = 400
_LONGEST_WORD = 40


@dataclass(frozen=True)
class TextSpan:
    """A part of a text: `text[start:stop]`."""

    start: int
    stop: int


@dataclass(frozen=True)
class Highlight:
    """A place in a passage, `text[start:stop]`, where a term stands."""

    start: int
    stop: int
    term: str


@dataclass(frozen=True)
class Passage:
    """A sentence of a document, by its number in the corpus, with the terms that stand in it."""

    document: int
    text: str
    highlights: tuple[Highlight, ...]


def sentences(text: str) -> list[TextSpan]:
    """Split a text into sentences, white space around them left out; they come in order and never overlap.

    Any script's marks end a sentence. Abbreviations are known by a short English list and by their shape.
    """
    spans: list[TextSpan] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if match[0][0] == "." and _is_abbreviation(text[max(start, match.start() - _LONGEST_WORD) : match.start()]):
            continue
        _append_trimmed(spans, text, start, match.end())
        start = match.end()
    _append_trimmed(spans, text, start, len(text))
    return spans


def _is_abbreviation(before: str) -> bool:
    last = before.rsplit(None, 1)[-1].lstrip("([\"'“‘") if before.strip() else ""
    return last.lower() in _ABBREVIATIONS or (len(last) == 1 and last.isupper() and last.isascii())


def _append_trimmed(spans: list[TextSpan], text: str, start: int, stop: int) -> None:
    while start < stop and text[start].isspace():
        start += 1
    while stop > start and text[stop - 1].isspace():
        stop -= 1
    if start < stop:
        spans.append(TextSpan(start, stop))


def passages(
    texts: Sequence[str], document: int, terms: Iterable[str], limit: int = 3, *, language: str = ENGLISH
) -> list[Passage]:
    """Return the sentences of `texts[document]` that hold the most of the given terms, in the order of the text.

    Terms are found as they are when a corpus is indexed: in any case, in singular and plural, a phrase's words parted
    by spaces, line breaks or hyphens. Very long sentences are cut around what was found.
    """
    text = texts[document]
    wanted = _forms_by_first_word(tuple(terms), language)
    found: list[Passage] = []
    for span in sentences(text):
        sentence = text[span.start : span.stop]
        highlights = _find_terms(sentence, wanted)
        if highlights:
            found.append(_shortened(Passage(document, sentence, tuple(highlights))))
    ranked = sorted(range(len(found)), key=lambda i: (-len({h.term for h in found[i].highlights}), i))
    return [found[index] for index in sorted(ranked[:limit])]


# One topic after another asks for the same terms in several documents, and one split after another for the same
# documents, so both halves of the work are remembered.
@lru_cache(maxsize=256)
def _forms_by_first_word(terms: tuple[str, ...], language: str) -> dict[str, list[tuple[Words, str]]]:
    """Return every spelling of every term under its first word, longer ones first."""
    wanted: dict[str, list[tuple[Words, str]]] = {}
    for term in terms:
        words = tuple(words_of(display(term)))
        if words:
            for form in phrase_forms(words, language):
                wanted.setdefault(form[0], []).append((form, term))
    for forms in wanted.values():
        forms.sort(key=lambda item: -len(item[0]))
    return wanted


@lru_cache(maxsize=4096)
def _spans_of(sentence: str) -> tuple[WordSpan, ...]:
    return tuple(word_spans(sentence))


def _find_terms(sentence: str, wanted: dict[str, list[tuple[Words, str]]]) -> list[Highlight]:
    spans = _spans_of(sentence)
    words = [span.word for span in spans]
    highlights: list[Highlight] = []
    position = 0
    while position < len(words):
        step = 1
        for form, term in wanted.get(words[position], ()):
            last = position + len(form) - 1
            if tuple(words[position : last + 1]) == form and _is_unbroken(sentence, spans[position : last + 1]):
                highlights.append(Highlight(spans[position].start, spans[last].stop, term))
                step = len(form)
                break
        position += step
    return highlights


def _is_unbroken(sentence: str, spans: Sequence[WordSpan]) -> bool:
    gaps = (sentence[before.stop : after.start] for before, after in pairwise(spans))
    return all(not gap.strip(" \t\r\n-‐‑\u00a0") for gap in gaps)


def _shortened(passage: Passage) -> Passage:
    """Cut a passage that is too long to about what can be read at a glance, keeping its first highlights."""
    if len(passage.text) <= _LONGEST_PASSAGE:
        return passage
    first = passage.highlights[0]
    start = max(0, min(first.start - _LONGEST_PASSAGE // 4, len(passage.text) - _LONGEST_PASSAGE))
    stop = max(start + _LONGEST_PASSAGE, first.stop)
    kept = tuple(
        Highlight(mark.start - start, mark.stop - start, mark.term) for mark in passage.highlights if mark.stop <= stop
    )
    return Passage(passage.document, passage.text[start:stop], kept)
