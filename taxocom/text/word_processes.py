"""The words of documents, found by several processes: the same ids as one process gives, byte for byte.

A helper gets the texts of some documents and returns the different tokens in the order in which they were met, and for
every place in the texts which of them stands there. The ids are given by the process that asked, batch after batch in
the order of the documents, so they do not depend on who was faster. Parsing, comparing and writing go on meanwhile.
"""

from __future__ import annotations

import subprocess
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from queue import SimpleQueue

import numpy as np

from taxocom.numerics.arrays import Ints1d
from taxocom.subprocesses import command_of, environment
from taxocom.text.input.documents import Document
from taxocom.text.language.words import BREAK, WordIndex
from taxocom.text.word_helper import FoundTokens, ask, find_tokens

_BATCH_CHARACTERS = 500_000
_BATCH_DOCUMENTS = 2_000
_WORTH_IT_CHARACTERS = 2_000_000
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
        text = _indexed_text(document)
        yield DocumentWords(document, index.ids_of(text))
        n_characters += len(text)
        if processes > 1 and n_characters > _WORTH_IT_CHARACTERS:
            with _helpers(processes) as helpers:
                yield from _by_helpers(rest, index, helpers)


def _indexed_text(document: Document) -> str:
    return f"{document.title}\n\n{document.text}" if document.title else document.text


class _Helpers:
    """Some helpers, each asked by one thread at a time. Those that are lost cost their help and nothing else."""

    def __init__(self, n_helpers: int) -> None:
        self.n_helpers = n_helpers
        self.processes = [_started() for _ in range(n_helpers)]
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        for process in self.processes:
            self._idle.put(process)

    def find(self, texts: Sequence[str], segmented: bool) -> FoundTokens:
        """Have the next idle helper find the tokens of some texts."""
        helper = self._idle.get()
        try:
            assert helper.stdin is not None
            assert helper.stdout is not None
            return ask(texts, segmented, helper.stdin, helper.stdout)
        except (OSError, EOFError, ValueError, TypeError):
            # It was ended from outside, for lack of memory perhaps.
            return find_tokens(texts, segmented=segmented)
        finally:
            self._idle.put(helper)

    def end(self) -> None:
        """End the helpers, also in the middle of their work."""
        for process in self.processes:
            process.kill()
            process.communicate()


def _started() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command_of("taxocom.text.word_helper"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
        # Ctrl-C goes to all processes of a terminal, and who asks decides when to stop.
        start_new_session=True,
    )


@contextmanager
def _helpers(n_helpers: int) -> Iterator[_Helpers]:
    helpers = _Helpers(n_helpers)
    try:
        yield helpers
    finally:
        helpers.end()


def _by_helpers(documents: Iterator[Document], index: WordIndex, helpers: _Helpers) -> Iterator[DocumentWords]:
    asked: deque[tuple[list[Document], Future[FoundTokens]]] = deque()
    with ThreadPoolExecutor(helpers.n_helpers, thread_name_prefix="words") as pool:
        try:
            while True:
                while len(asked) < _WAITING * helpers.n_helpers and (batch := _batch(documents)):
                    texts = [_indexed_text(document) for document in batch]
                    asked.append((batch, pool.submit(helpers.find, texts, index.segmented)))
                if not asked:
                    return
                batch, found = asked.popleft()
                yield from _numbered(batch, found.result(), index)
        finally:
            for _, waiting in asked:
                waiting.cancel()


def _batch(documents: Iterator[Document]) -> list[Document]:
    batch: list[Document] = []
    n_characters = 0
    for document in islice(documents, _BATCH_DOCUMENTS):
        batch.append(document)
        n_characters += len(document.title) + len(document.text)
        if n_characters >= _BATCH_CHARACTERS:
            break
    return batch


def _numbered(batch: Sequence[Document], found: FoundTokens, index: WordIndex) -> Iterator[DocumentWords]:
    # In the order in which one process would have met them: what is new gets the same number.
    numbers = np.array([index[token] for token in found.tokens], dtype=np.int32)
    ids = numbers[np.frombuffer(found.places, dtype=np.intc)]
    start = 0
    for document, end in zip(batch, found.ends, strict=True):
        yield DocumentWords(document, np.append(ids[start:end], np.int32(BREAK)))
        start = end
