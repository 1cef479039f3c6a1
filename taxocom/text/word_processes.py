"""The words of documents, found by several processes: the same ids as one process gives, byte for byte.

A helper gets the texts of some documents and returns the different tokens in the order in which they were met, and for
every place in the texts which of them stands there. The ids are given by the process that asked, batch after batch in
the order of the documents, so they do not depend on who was faster. Parsing, comparing and writing go on meanwhile.
"""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice

import numpy as np

from taxocom.numerics.arrays import Ints1d
from taxocom.subprocesses import follow_parent
from taxocom.text.input.documents import Document
from taxocom.text.language.words import BREAK, WordIndex, raw_tokens

_BATCH_CHARACTERS = 500_000
_BATCH_DOCUMENTS = 2_000
_WORTH_IT_CHARACTERS = 4_000_000
"""Less than this is read by one process before helpers would have started."""
_WAITING = 2
"""Batches that wait for each helper, so that none is idle while files are read and written."""


@dataclass(frozen=True)
class DocumentWords:
    """A document and the ids of its words, closed by a break."""

    document: Document
    ids: Ints1d


def document_words(documents: Iterable[Document], index: WordIndex, processes: int) -> Iterator[DocumentWords]:
    """Yield documents with the ids of their words; titles are indexed with the text."""
    rest = iter(documents)
    n_characters = 0
    for document in rest:
        text = indexed_text(document)
        yield DocumentWords(document, index.ids_of(text))
        n_characters += len(text)
        if processes > 1 and n_characters > _WORTH_IT_CHARACTERS:
            yield from _by_helpers(rest, index, processes)


def indexed_text(document: Document) -> str:
    """Return what is indexed of a document: its text, and its title where it has one."""
    return f"{document.title}\n\n{document.text}" if document.title else document.text


@dataclass(frozen=True)
class _Found:
    """The different tokens of a batch in the order they were met, which stands where, and where each document ends."""

    tokens: list[str]
    places: Ints1d
    ends: list[int]


def _by_helpers(documents: Iterator[Document], index: WordIndex, processes: int) -> Iterator[DocumentWords]:
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, context, initializer=follow_parent)
    asked: deque[tuple[list[Document], Future[_Found]]] = deque()
    try:
        while True:
            while len(asked) < _WAITING * processes and (batch := _batch(documents)):
                asked.append((batch, _asked(pool, batch, index)))
            if not asked:
                return
            batch, found = asked.popleft()
            yield from _numbered(batch, found, index)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _asked(pool: ProcessPoolExecutor, batch: Sequence[Document], index: WordIndex) -> Future[_Found]:
    texts = [indexed_text(document) for document in batch]
    try:
        return pool.submit(_tokens_in, texts, index.segmented)
    except BrokenProcessPool as error:
        broken: Future[_Found] = Future()
        broken.set_exception(error)
        return broken


def _batch(documents: Iterator[Document]) -> list[Document]:
    batch: list[Document] = []
    n_characters = 0
    for document in islice(documents, _BATCH_DOCUMENTS):
        batch.append(document)
        n_characters += len(document.title) + len(document.text)
        if n_characters >= _BATCH_CHARACTERS:
            break
    return batch


def _tokens_in(texts: Sequence[str], segmented: bool) -> _Found:
    """Find the tokens of some texts; done by a helper."""
    numbers: dict[str, int] = {}
    ends: list[int] = []
    places: list[int] = []
    for text in texts:
        places += [numbers.setdefault(token, len(numbers)) for token in raw_tokens(text, segmented=segmented)]
        ends.append(len(places))
    return _Found(list(numbers), np.array(places, dtype=np.int32), ends)


def _numbered(batch: Sequence[Document], asked: Future[_Found], index: WordIndex) -> Iterator[DocumentWords]:
    try:
        found = asked.result()
    except BrokenProcessPool:
        # Helpers that were ended from outside, for lack of memory perhaps, cost their help and nothing else.
        found = _tokens_in([indexed_text(document) for document in batch], index.segmented)
    # In the order in which one process would have met them: what is new gets the same number.
    ids = np.array([index[token] for token in found.tokens], dtype=np.int32)[found.places]
    start = 0
    for document, end in zip(batch, found.ends, strict=True):
        yield DocumentWords(document, np.append(ids[start:end], np.int32(BREAK)))
        start = end
