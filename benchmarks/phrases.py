"""Phrase mining and indexing: how fast next to gensim, in how much memory, and whether every seed name is a term.

Both miners get the same tokens and do the same number of passes in one run. Ours is timed twice: over integers, as it
runs inside `build_corpus`, and from strings, where gensim starts too. Both run on one core, and what is timed is the
processor, not the clock: a busy machine stretches the clock as it likes.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from gensim.models.phrases import Phrases

from taxocom.progress import SILENT
from taxocom.settings import TextSettings
from taxocom.text.corpus import open_corpus
from taxocom.text.indexing import IndexReport, build_corpus
from taxocom.text.input.documents import Document
from taxocom.text.input.loading import read_documents
from taxocom.text.language.stop_words import english
from taxocom.text.language.words import WordIndex
from taxocom.text.numbering import STREAM, number_words, write_words
from taxocom.text.terms.inventory import TermInventory
from taxocom.text.terms.phrases import mine_phrases
from taxocom.text.terms.seed_phrases import seed_terms
from taxocom.text.terms.streams import TermStream
from taxocom.text.terms.vocabulary import normal_term

SETTINGS = TextSettings()
SYNTHETIC_DOCUMENTS = 4_000
DEFAULT_DOCUMENTS = 50_000


@dataclass(frozen=True)
class Tokens:
    """One text, ready for both: a stream of ids on disk, and runs of words between punctuation."""

    stream: TermStream
    inventory: TermInventory
    runs: list[list[str]]
    numbering_seconds: float

    @property
    def n_tokens(self) -> int:
        return sum(map(len, self.runs))


def run(corpora: Path | None, n_documents: int = DEFAULT_DOCUMENTS) -> str:
    """Measure, and return what was found as Markdown."""
    arxiv = None if corpora is None else corpora / "arxiv" / "docs.jsonl.xz"
    name = f"{SYNTHETIC_DOCUMENTS:,} made-up documents" if arxiv is None else "arXiv"
    documents = _made_up() if arxiv is None else islice(read_documents(arxiv), n_documents or None)
    names = [] if arxiv is None else _multi_word_names(arxiv.parent / "gold.tsv")
    sections = [_compare(documents, name, names)]
    if arxiv is not None:
        sections.append(_index(arxiv, names))
    return "\n\n".join(sections)


def _multi_word_names(path: Path) -> list[str]:
    cells = [cell for line in path.read_text(encoding="utf-8").splitlines() for cell in line.split("\t")]
    return sorted({cell for cell in cells if " " in cell})


def _compare(documents: Iterator[Document], name: str, names: list[str]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        tokens = _prepare(documents, Path(folder))
        n_passes = SETTINGS.max_words - 1
        _warm_up()
        started = time.process_time()
        mine_phrases(
            tokens.stream,
            tokens.inventory,
            min_count=SETTINGS.min_count,
            max_words=SETTINGS.max_words,
            threshold=SETTINGS.phrase_threshold,
            progress=SILENT,
        )
        ours = time.process_time() - started
        theirs = _time_gensim(tokens.runs, n_passes)
    whole = ours + tokens.numbering_seconds
    rows = [("ours, over integers", ours), ("ours, from strings", whole), ("gensim Phrases (npmi)", theirs)]
    lines = [f"Phrase mining, {name}: {tokens.n_tokens:,} tokens, {n_passes} passes, one run.", ""]
    lines += ["| miner | CPU seconds | tokens/s | times gensim |", "|---|---:|---:|---:|"]
    lines += [f"| {who} | {t:.1f} | {tokens.n_tokens / t:,.0f} | {theirs / t:.1f} |" for who, t in rows]
    if names:
        lines += ["", _plain_bigrams(tokens.runs, names)]
    return "\n".join(lines)


def _plain_bigrams(runs: list[list[str]], names: list[str]) -> str:
    """Tell which names one pass of gensim's NPMI bigrams does not find, as they are spelled."""
    found = Phrases(runs, min_count=SETTINGS.min_count, threshold=0.3, scoring="npmi").export_phrases()
    lines = []
    for threshold in (0.3, 0.5):
        missed = [name for name in names if found.get(normal_term(name), -1.0) < threshold]
        lines.append(f"Plain NPMI bigrams at {threshold} miss {len(missed)} of {len(names)}: {', '.join(missed)}.")
    return "\n".join(lines)


def _prepare(documents: Iterator[Document], folder: Path) -> Tokens:
    index = WordIndex(english())
    first = write_words(documents, folder, index, SILENT)
    words = np.fromfile(folder / STREAM, dtype=np.int32)
    runs: list[list[str]] = []
    for piece in np.split(words, np.flatnonzero(words == 0)):
        run = [index.words[word] for word in piece.tolist() if word]
        if len(run) > 1:
            runs.append(run)
    started = time.process_time()
    fresh = WordIndex(english())
    for run in runs:
        np.array(list(map(fresh.__getitem__, run)), dtype=np.int32)
    inventory = number_words(first, seed_terms(()), SETTINGS.min_count, SILENT)
    return Tokens(first.stream, inventory, runs, time.process_time() - started)


def _warm_up() -> None:
    """Compile the kernels: the first run on a machine pays for it, once."""
    with tempfile.TemporaryDirectory() as folder:
        build_corpus(islice(_made_up(), 200), Path(folder), settings=SETTINGS)


def _time_gensim(runs: list[list[str]], n_passes: int) -> float:
    started = time.process_time()
    connectors = english().connectors | english().articles
    for _ in range(n_passes):
        model = Phrases(
            runs,
            min_count=SETTINGS.min_count,
            threshold=SETTINGS.phrase_threshold,
            scoring="npmi",
            connector_words=connectors,
        ).freeze()
        runs = [model[run] for run in runs]
    return time.process_time() - started


def _index(path: Path, names: list[str]) -> str:
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    worker = context.Process(target=_index_in_worker, args=(path, names, queue))
    worker.start()
    result = queue.get()
    worker.join()
    report = result.report
    lines = [f"Indexing arXiv whole ({report.n_documents:,} documents, {report.n_words:,} words) from {path.name}:", ""]
    lines += ["| seconds | CPU seconds | peak memory | terms | phrases |", "|---:|---:|---:|---:|---:|"]
    sizes = f"{result.peak / 2**30:.2f} GiB | {report.n_terms:,} | {report.n_phrases:,}"
    lines += [f"| {result.seconds:.0f} | {result.cpu_seconds:.0f} | {sizes} |", ""]
    return "\n".join([*lines, f"Multi-word names of the tree that are no term: {', '.join(result.missing) or 'none'}."])


@dataclass(frozen=True)
class Indexed:
    report: IndexReport
    seconds: float
    cpu_seconds: float
    peak: int
    missing: list[str]


def _index_in_worker(path: Path, names: list[str], queue: multiprocessing.Queue[Indexed]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        started, cpu_started = time.perf_counter(), time.process_time()
        report = build_corpus(read_documents(path), Path(folder), settings=SETTINGS, seed_phrases=names)
        seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        vocabulary = open_corpus(folder).vocabulary
        missing = [name for name in names if normal_term(name) not in vocabulary]
    queue.put(Indexed(report, seconds, cpu_seconds, peak, missing))


def _made_up() -> Iterator[Document]:
    """Yield documents of words by Zipf's law, with phrases planted among them."""
    rng = np.random.default_rng(0)
    ranks = np.arange(1, 5001)
    words = np.array([f"w{chr(97 + r % 26)}{chr(97 + r // 26 % 26)}{chr(97 + r // 676)}" for r in ranks])
    shares = 1 / ranks / (1 / ranks).sum()
    for number in range(SYNTHETIC_DOCUMENTS):
        chosen = rng.choice(words, size=120, p=shares).tolist()
        for start in range(0, 100, 20):
            phrase = int(rng.integers(50))
            chosen[start : start + 2] = [f"left{chr(97 + phrase % 26)}", f"right{chr(97 + phrase // 26)}"]
        yield Document(str(number), " ".join(chosen))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path)
    parser.add_argument("--documents", type=int, default=DEFAULT_DOCUMENTS, help="for the comparison; 0 for all")
    arguments = parser.parse_args()
    print(run(arguments.corpora, arguments.documents))
