"""From documents to an indexed corpus in a directory, in bounded memory.

The first pass writes texts and word ids to disk. What follows reads and shortens that one array of integers: the seed's
phrases are matched, phrases mined, the vocabulary chosen, and the final terms written beside their counts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from taxocom.errors import InputError
from taxocom.numerics.arrays import Offsets
from taxocom.numerics.phrase_kernels import count_terms, write_terms
from taxocom.progress import SILENT, Progress, Span
from taxocom.settings import TextSettings
from taxocom.text import corpus_files, numbering
from taxocom.text.input.documents import Document
from taxocom.text.input.research import GivenTerms
from taxocom.text.language.detection import detect_language
from taxocom.text.language.languages import ENGLISH, LanguageReport, known_language
from taxocom.text.language.stop_words import stop_words
from taxocom.text.language.tokens import words_of
from taxocom.text.language.words import WordIndex
from taxocom.text.terms import term_quality
from taxocom.text.terms.inventory import TermInventory
from taxocom.text.terms.phrases import mine_phrases
from taxocom.text.terms.seed_phrases import SeedTerms, seed_terms
from taxocom.text.terms.selection import Selection, select_terms
from taxocom.text.terms.streams import TermStream

_WRITING = "Writing the index"


@dataclass(frozen=True)
class IndexReport:
    """What indexing made: sizes, how many documents have no term at all, and the language of the texts."""

    n_documents: int
    n_words: int
    n_tokens: int
    n_terms: int
    n_phrases: int
    n_without_terms: int
    fingerprint: str
    language: LanguageReport


@dataclass(frozen=True)
class _Written:
    counts: Offsets
    document_frequencies: Offsets
    document_lengths: Offsets


def build_corpus(
    documents: Iterable[Document],
    directory: Path,
    *,
    settings: TextSettings | None = None,
    seed_phrases: Sequence[str] = (),
    given_terms: GivenTerms | None = None,
    processes: int = 1,
    progress: Progress = SILENT,
) -> IndexReport:
    """Index documents into an empty directory, which `open_corpus` then opens.

    `seed_phrases` (the seed's names and keywords) become terms wherever they occur, in singular and plural. With
    `given_terms` the documents came segmented and no phrases are mined. Memory is bounded by the vocabulary, not by the
    corpus. An error or a cancel leaves a directory that `open_corpus` refuses. Any number of `processes` finds the same
    words.
    """
    settings = settings or TextSettings()
    if any(directory.iterdir()):
        raise InputError(f"{directory} is not empty. Index into a new directory.")
    read = _read(documents, directory, settings, seed_phrases, given_terms is not None, processes, progress)
    stream, inventory, seeds = read.first.stream, read.inventory, read.seeds
    counts = stream.counts(len(inventory), SILENT, _WRITING)
    selection = select_terms(inventory, counts, seeds, settings)
    if not selection.chosen:
        raise InputError(
            f"No term occurs {settings.min_count} times in these {stream.n_documents:,} documents. Lower min_count, or "
            "check the text column and the stop words."
        )
    written = _write_terms(stream, selection, directory, Span(progress, 0.95, 1.0))
    terms = _write_vocabulary(inventory, selection, written, given_terms, directory)
    (directory / numbering.STREAM).unlink()
    built_from = _built_from(read.first.digest, settings, read.language.code, seeds, given_terms)
    report = IndexReport(
        n_documents=stream.n_documents,
        n_words=read.n_words,
        n_tokens=int(written.document_lengths.sum()),
        n_terms=len(terms),
        n_phrases=sum(len(inventory.words[i]) > 1 for i in selection.chosen),
        n_without_terms=int((written.document_lengths == 0).sum()),
        fingerprint=hashlib.sha256(json.dumps(built_from, sort_keys=True).encode()).hexdigest()[:16],
        language=read.language,
    )
    # What says that the directory is whole comes last.
    corpus_files.write_meta(directory, report.fingerprint, built_from, seeds.aliases, asdict(report))
    progress.report("Indexed", 1.0)
    return report


@dataclass(frozen=True)
class _Read:
    """What reading the documents gave: their words, then phrases, in `first.stream`, numbered in `inventory`."""

    first: numbering.FirstPass
    language: LanguageReport
    seeds: SeedTerms
    n_words: int
    inventory: TermInventory


def _read(
    documents: Iterable[Document],
    directory: Path,
    settings: TextSettings,
    seed_phrases: Sequence[str],
    segmented: bool,
    processes: int,
    progress: Progress,
) -> _Read:
    """Write the words of the documents, tell the language, and find the phrases."""
    chosen = known_language(settings.language) if settings.language else None
    names = [*seed_phrases, *settings.kept_phrases]
    # Names are among the words whatever fills the index later, and the language is told from what has been read.
    named = seed_terms(names, chosen or ENGLISH).words(segmented=segmented)
    index = WordIndex(stop_words(()), named, segmented=segmented)
    first = numbering.write_words(documents, directory, index, Span(progress, 0.0, 0.68), processes=processes)
    progress.report("Telling the language", 0.68)
    language = detect_language(corpus_files.open_texts(directory), chosen=chosen)
    index.stop_words = stop_words(settings.stop_words, language.code)
    seeds = seed_terms(names, language.code)
    index.add(seeds.words(segmented=segmented))
    stream = first.stream
    n_words = int(stream.offsets[-1])
    inventory = numbering.number_words(first, seeds, settings.min_count, Span(progress, 0.7, 0.73))
    numbering.match_seeds(stream, inventory, seeds, Span(progress, 0.73, 0.75))
    mine_phrases(
        stream,
        inventory,
        min_count=settings.min_count,
        max_words=1 if segmented else settings.max_words,
        threshold=settings.phrase_threshold,
        dropped=frozenset(tuple(words_of(phrase)) for phrase in settings.dropped_phrases),
        progress=Span(progress, 0.75, 0.95),
    )
    return _Read(first, language, seeds, n_words, inventory)


def _built_from(
    digest: str, settings: TextSettings, language: str, seeds: SeedTerms, given_terms: GivenTerms | None
) -> dict[str, object]:
    """Return all that decides what the corpus holds; a language has the same part in it whether told or chosen."""
    given = None if given_terms is None else hashlib.sha256(repr(given_terms.sorted()).encode()).hexdigest()
    return {
        "format_version": corpus_files.FORMAT_VERSION,
        "documents": digest,
        # English is left out, as it was before there were others, so that what was built then has the same name.
        "settings": {
            name: language if name == "language" else value
            for name, value in asdict(settings).items()
            if name != "language" or language != ENGLISH
        },
        "seed_phrases": [" ".join(words) for words in seeds.phrases],
        "given_terms": given,
    }


def _write_terms(stream: TermStream, selection: Selection, directory: Path, progress: Progress) -> _Written:
    """Write the final tokens and the document-term counts, documents of a chunk at a time."""
    n_terms = len(selection.chosen)
    counts, frequencies = np.zeros(n_terms, dtype=np.int64), np.zeros(n_terms, dtype=np.int64)
    lengths: list[Offsets] = []
    sizes = np.diff(selection.offsets)
    with corpus_files.TermWriter(directory) as writer:
        for chunk in stream.chunks(progress, _WRITING):
            ids = stream.ids_in(chunk)
            starts = stream.offsets[chunk.first : chunk.last + 1] - stream.offsets[chunk.first]
            tokens = np.empty(int(sizes[ids].sum()), dtype=np.int32)
            offsets = np.empty_like(starts)
            write_terms(ids, starts, selection.offsets, selection.expansions, tokens, offsets)
            columns, values, rows = np.empty_like(tokens), np.empty_like(tokens), np.empty_like(starts)
            n_stored = count_terms(tokens, offsets, columns, values, rows)
            writer.append(tokens, offsets, columns[:n_stored], values[:n_stored], rows)
            counts += np.bincount(tokens, minlength=n_terms)
            frequencies += np.bincount(columns[:n_stored], minlength=n_terms)
            lengths.append(np.diff(offsets))
    return _Written(counts, frequencies, np.concatenate(lengths))


def _write_vocabulary(
    inventory: TermInventory, selection: Selection, written: _Written, given_terms: GivenTerms | None, directory: Path
) -> list[str]:
    chosen = selection.chosen
    terms = [inventory.term(term_id) for term_id in chosen]
    statistics = term_quality.TermStatistics(
        counts=written.counts,
        document_frequencies=written.document_frequencies,
        formed=np.array([inventory.formed[i] for i in chosen], dtype=np.int64),
        significance=np.array([inventory.scores[i] for i in chosen]),
        is_phrase=np.array([len(inventory.words[i]) > 1 for i in chosen]),
        given=np.array([i in inventory.given for i in chosen]),
    )
    scores = term_quality.integrity(statistics, written.document_lengths)
    names = term_quality.may_name(terms, statistics)
    if given_terms is not None:
        scores = np.array([given_terms.integrity.get(t, s) for t, s in zip(terms, scores.tolist(), strict=True)])
        names = np.array([term in given_terms.terms for term in terms]) | statistics.given
    table = pa.table(
        {
            "term": terms,
            "count": written.counts.astype(np.int32),
            "document_frequency": written.document_frequencies.astype(np.int32),
            "integrity": scores.astype(np.float32),
            "may_name": names,
        }
    )
    pq.write_table(table, directory / corpus_files.VOCABULARY)
    return terms
