"""The first pass: documents become texts on disk and a stream of word ids, and the words that matter are numbered."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from taxocom.errors import InputError
from taxocom.numerics.arrays import Ints1d, Offsets
from taxocom.numerics.phrase_kernels import match_phrases
from taxocom.progress import Progress
from taxocom.text import corpus_files
from taxocom.text.input.documents import Document
from taxocom.text.language.words import Kind, WordIndex
from taxocom.text.terms.inventory import MAX_CONNECTORS, TermInventory
from taxocom.text.terms.seed_phrases import SeedTerms, build_trie
from taxocom.text.terms.streams import Chunk, TermStream
from taxocom.text.terms.vocabulary import join_words
from taxocom.text.word_processes import document_words

STREAM = "words.tmp"
_REPORT_EVERY = 500


@dataclass(frozen=True)
class FirstPass:
    """What the first pass leaves: the words met, the stream of their ids, and a digest of all that was read."""

    index: WordIndex
    stream: TermStream
    digest: str


def write_words(
    documents: Iterable[Document], directory: Path, index: WordIndex, progress: Progress, *, processes: int = 1
) -> FirstPass:
    """Write texts, what is known of the documents, and the ids of their words, on any number of processes the same."""
    digest = hashlib.sha256()
    ends = array("q", [0])
    report = getattr(documents, "report", None)
    with corpus_files.DocumentWriter(directory) as writer, (directory / STREAM).open("wb") as stream:
        for each in document_words(documents, index, processes):
            document, ids = each.document, each.ids
            if len(ends) % _REPORT_EVERY == 1:
                progress.report(f"Reading documents ({len(ends) - 1:,} so far)", getattr(report, "fraction", 0.0))
            encoded = writer.append(document)
            digest.update(_digested(document, len(encoded)))
            digest.update(encoded)
            stream.write(ids.data)
            ends.append(ends[-1] + len(ids))
    n_documents = len(ends) - 1
    if n_documents < 2:
        found = "no document" if n_documents == 0 else "one document"
        raise InputError(
            f"There is {found} with text, and topics are found by comparing documents. Give a corpus of two at least, "
            "better hundreds. Is each document on its own line or in its own row?"
        )
    return FirstPass(index, TermStream(directory / STREAM, np.array(ends, dtype=np.int64)), digest.hexdigest())


def _digested(document: Document, size: int) -> bytes:
    fields = (document.document_id, document.title, *document.labels, document.date, str(size))
    return "\x1f".join(fields).encode("utf-8", "replace") + b"\x1e"


def number_words(first: FirstPass, seeds: SeedTerms, min_count: int, progress: Progress) -> TermInventory:
    """Number words again: connectors, other barred words, terms by frequency; rare words and codes become breaks."""
    index, stage = first.index, "Counting words"
    counts = first.stream.counts(len(index.words), progress, stage)
    met = index.kinds()
    kinds = np.array(met, dtype=np.int8)
    seeded = np.zeros(len(counts), dtype=np.bool_)
    seeded[[index[word] for word in seeds.words(segmented=index.segmented)]] = True
    stops = index.stop_words
    listed = {index[word] for word in stops.connectors | stops.articles if word in index}
    joining = {word for word in listed if met[word] is Kind.STOP}
    order = np.lexsort((np.arange(len(counts)), -counts)).tolist()
    connectors = [word for word in order if word in joining and counts[word]][:MAX_CONNECTORS]
    barred = np.isin(kinds, [Kind.STOP, Kind.NUMBER]) & seeded
    barred[connectors] = False
    terms = np.isin(kinds, [Kind.WORD, Kind.OPENER, Kind.PART]) & ((counts >= min_count) | seeded)
    others = [word for word in order if barred[word]]
    kept = [*connectors, *others, *(word for word in order if terms[word])]
    new_ids = np.zeros(len(counts), dtype=np.int32)
    new_ids[kept] = np.arange(1, len(kept) + 1)
    first.stream.map_ids(new_ids, progress, stage)
    return TermInventory(
        words=[(), *((index.words[word],) for word in kept)],
        kinds=[Kind.BREAK, *(met[word] for word in kept)],
        formed=[0, *counts[kept].tolist()],
        n_connectors=len(connectors),
        n_barred=len(connectors) + len(others),
        articles=frozenset(int(new_ids[index[word]]) for word in stops.articles if word in index) - {0},
        stop_phrases=stops.phrases,
    )


def match_seeds(stream: TermStream, inventory: TermInventory, seeds: SeedTerms, progress: Progress) -> None:
    """Replace the seed's phrases in the stream by their term, the longest first, an exact spelling before another.

    Names of one word stay as they are: they may still be part of a longer phrase ("gravity" in "quantum gravity").
    """
    phrases: dict[tuple[int, ...], int] = {}
    for form, words in sorted(seeds.forms.items(), key=lambda item: item[0] != item[1]):
        ids = tuple(inventory.ids.get((word,), 0) for word in form)
        if len(form) > 1 and all(ids) and words not in inventory.stop_phrases:
            term_id = inventory.ids.get(words) or inventory.ids.get((join_words(words),)) or inventory.add_given(words)
            phrases[ids] = term_id
    if not phrases:
        return
    trie = build_trie(phrases, len(inventory))

    def rewrite(ids: Ints1d, chunk: Chunk, write: int, new_offsets: Offsets) -> int:
        arrays = trie.member, trie.edges, trie.targets, trie.ends
        return int(match_phrases(ids, stream.offsets, chunk.first, chunk.last, write, new_offsets, *arrays))

    stream.shorten(rewrite, progress, "Matching the seed's phrases")
