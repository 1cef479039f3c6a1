"""Tagging on every core: a process a core, each with the same tagger, and the answers in the order of the texts."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from taxocom.errors import InputError
from taxocom.store.projects.text_tagger import BATCH, Tagger, TextTags
from taxocom.text.input.documents import Document

WORTH_IT = 5 * BATCH
"""With fewer texts, starting the processes takes longer than tagging in this one."""

_WAITING = 2
"""Batches that wait for each process, so that none is idle while files are read and written."""


@dataclass(frozen=True)
class Question:
    """How probable a topic must be to be named, and how many terms that speak for it are wanted."""

    least: float
    n_terms: int


def tags_of(tagger: Tagger, documents: Iterable[Document], asked: Question) -> Iterator[tuple[Document, TextTags]]:
    """Yield documents with their tags, in order. Many are tagged by all cores, and the answers are the same bytes."""
    rest = iter(documents)
    first = list(islice(rest, WORTH_IT))
    whole = chain(first, rest)
    n_processes = _cores()
    if len(first) < WORTH_IT or n_processes < 2:
        yield from _here(tagger, whole, asked)
        return
    with tempfile.TemporaryDirectory(prefix="taxocom-tagger-") as folder:
        file = Path(folder) / "tagger.zip"
        file.write_bytes(tagger.to_bytes())
        yield from _apart(file, whole, asked, n_processes)


def _cores() -> int:
    # Those that this process may use: in a container that is seldom all of the machine's.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _here(tagger: Tagger, documents: Iterator[Document], asked: Question) -> Iterator[tuple[Document, TextTags]]:
    while batch := list(islice(documents, BATCH)):
        yield from zip(batch, tagger.stream(batch, least=asked.least, n_terms=asked.n_terms), strict=True)


def _apart(
    file: Path, documents: Iterator[Document], asked: Question, n_processes: int
) -> Iterator[tuple[Document, TextTags]]:
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(n_processes, context, initializer=_begin, initargs=(str(file),))
    asked_for: deque[tuple[list[Document], Future[list[TextTags]]]] = deque()
    try:
        while True:
            while len(asked_for) < _WAITING * n_processes and (batch := list(islice(documents, BATCH))):
                asked_for.append((batch, pool.submit(_answer, batch, asked)))
            if not asked_for:
                return
            batch, answer = asked_for.popleft()
            yield from zip(batch, answer.result(), strict=True)
    except BrokenProcessPool as error:
        raise InputError(
            "A process that tags was ended from outside, probably for lack of memory. Nothing was written. Close other "
            "programs, or tag fewer texts at a time."
        ) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_TAGGERS: list[Tagger] = []
"""The tagger of this process, where it is one that tags for another."""


def _begin(file: str) -> None:
    # Who asks decides when to stop; Ctrl-C goes to all processes of a terminal.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _TAGGERS[:] = [Tagger.load(file)]


def _end_with_parent() -> None:
    """End this process when the one that asks is gone: killed, it can tell nobody, and the line to it stays open."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _answer(batch: Sequence[Document], asked: Question) -> list[TextTags]:
    return _TAGGERS[0].tag(batch, least=asked.least, n_terms=asked.n_terms)
