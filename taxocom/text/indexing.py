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
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from taxocom.errors import InputError
from taxocom.numerics.arrays import Bools1d, Floats1d, Ints1d, Offsets
from taxocom.numerics.phrase_kernels import count_terms, match_phrases, write_terms
from taxocom.progress import SILENT, Progress, Span
from taxocom.settings import TextSettings
from taxocom.text import files
from taxocom.text.corpus import FORMAT_VERSION
from taxocom.text.documents import Document
from taxocom.text.inventory import LOCKED, MAX_CONNECTORS, TermInventory, length_of
from taxocom.text.phrases import mine_phrases
from taxocom.text.seed_phrases import SeedTerms, build_trie, number_forms, seed_terms
from taxocom.text.stop_words import stop_words
from taxocom.text.streams import Chunk, TermStream
from taxocom.text.words import Kind, WordIndex

_STREAM = "words.tmp"


@dataclass(frozen=True)
class IndexReport:
    """What indexing made: sizes, and how many documents have no term at all."""

    n_documents: int
    n_words: int
    n_tokens: int
    n_terms: int
    n_phrases: int
    n_without_terms: int
    fingerprint: str


@dataclass(frozen=True)
class _FirstPass:
    index: WordIndex
    stream: TermStream
    digest: str


def build_corpus(
    documents: Iterable[Document],
    directory: Path,
    *,
    settings: TextSettings | None = None,
    seed_phrases: Sequence[str] = (),
    progress: Progress = SILENT,
) -> IndexReport:
    """Index documents into an empty directory, which `open_corpus` then opens.

    `seed_phrases` (the seed's names and keywords) become terms wherever they occur, in singular and plural. Memory is
    bounded by the vocabulary, not by the corpus. An error or a cancel leaves a directory that `open_corpus` refuses.
    """
    settings = settings or TextSettings()
    seeds = seed_terms(seed_phrases)
    first = _write_words(documents, directory, settings, seeds, Span(progress, 0.0, 0.5))
    stream = first.stream
    inventory = _number_words(first, settings, seeds, Span(progress, 0.5, 0.55))
    _match_seeds(stream, inventory, seeds, Span(progress, 0.55, 0.6))
    mine_phrases(
        stream,
        inventory,
        min_count=settings.min_count,
        max_words=settings.max_words,
        threshold=settings.phrase_threshold,
        progress=Span(progress, 0.6, 0.9),
    )
    return _write_index(first, inventory, directory, settings, seeds, Span(progress, 0.9, 1.0))


def _write_words(
    documents: Iterable[Document], directory: Path, settings: TextSettings, seeds: SeedTerms, progress: Progress
) -> _FirstPass:
    index = WordIndex(stop_words(settings.stop_words), always=seeds.all_words)
    digest = hashlib.sha256()
    ends = [0]
    with files.DocumentWriter(directory) as writer, (directory / _STREAM).open("wb") as stream:
        for document in documents:
            if len(ends) % 1000 == 0:
                progress.report(f"Reading documents ({len(ends):,} so far)", 0.0)
            encoded = writer.append(document)
            digest.update(document.document_id.encode("utf-8", "replace") + b"\0" + encoded + b"\0")
            ids = index.ids_of(f"{document.title}\n\n{document.text}" if document.title else document.text)
            stream.write(ids.data)
            ends.append(ends[-1] + len(ids))
    if len(ends) < 3:
        raise InputError(f"{len(ends) - 1} documents with text: a corpus needs two at least. Add documents.")
    return _FirstPass(index, TermStream(directory / _STREAM, np.array(ends, dtype=np.int64)), digest.hexdigest())


def _number_words(first: _FirstPass, settings: TextSettings, seeds: SeedTerms, progress: Progress) -> TermInventory:
    """Number words anew: connectors, other barred words, then terms by frequency; rare words and codes become breaks."""
    index, stage = first.index, "Counting words"
    counts = first.stream.counts(len(index.words), progress, stage)
    kinds = np.array(index.kinds, dtype=np.int8)
    wanted = np.zeros(len(counts), dtype=np.bool_)
    wanted[[index[word] for word in seeds.all_words]] = True
    connects = np.isin(index.words, list(index.stop_words.connectors)) & (kinds == Kind.STOP)
    barred = np.isin(kinds, [Kind.STOP, Kind.NUMBER])
    frequent = counts >= settings.min_count
    order = np.lexsort((index.words, -counts))
    connectors = [i for i in order if connects[i] and counts[i]][:MAX_CONNECTORS]
    others = [i for i in order if barred[i] and wanted[i] and i not in set(connectors)]
    terms = [i for i in order if not barred[i] and kinds[i] != Kind.BREAK and (frequent[i] or wanted[i])]
    new_ids = np.zeros(len(counts), dtype=np.int32)
    kept = [*connectors, *others, *terms]
    new_ids[kept] = np.arange(1, len(kept) + 1)
    words = [index.words[i] for i in kept]
    inventory = TermInventory(
        words=[(), *((word,) for word in words)],
        kinds=[Kind.BREAK, *(Kind(kinds[i]) for i in kept)],
        n_connectors=len(connectors),
        n_barred=len(connectors) + len(others),
        lengths=[LOCKED, *map(length_of, words)],
        formed=[0, *counts[kept].tolist()],
    )
    first.stream.map_ids(new_ids, progress, stage)
    return inventory


def _match_seeds(stream: TermStream, inventory: TermInventory, seeds: SeedTerms, progress: Progress) -> None:
    phrases: dict[int, list[set[int]]] = {}
    for words in seeds.phrases:
        places = [{inventory.ids[(form,)] for form in number_forms(word) if (form,) in inventory.ids} for word in words]
        if not all(places) or len(words) == 1:
            continue
        term_id = inventory.add_given(words)
        inventory.given.add(term_id)
        phrases[term_id] = places
    if not phrases:
        return
    trie = build_trie(phrases, len(inventory))

    def rewrite(ids: Ints1d, chunk: Chunk, write: int, new_offsets: Offsets) -> int:
        return int(
            match_phrases(
                ids, stream.offsets, chunk.first, chunk.last, write, new_offsets, trie.classes, trie.edges, trie.targets,
                trie.ends,
            )
        )  # fmt: skip

    stream.shorten(rewrite, progress, "Matching the seed's phrases")


def _write_index(
    first: _FirstPass,
    inventory: TermInventory,
    directory: Path,
    settings: TextSettings,
    seeds: SeedTerms,
    progress: Progress,
) -> IndexReport:
    stream, stage = first.stream, "Writing the index"
    counts = stream.counts(len(inventory), progress, stage)
    dissolved = _dissolve(inventory, counts, settings.min_count)
    merged = _merge_numbers(inventory, counts, seeds)
    chosen = _choose(inventory, counts, dissolved, settings)
    expansion_offsets, expansions = _expansions(inventory, dissolved, chosen, merged)
    n_terms = len(chosen)
    frequencies = np.zeros(n_terms, dtype=np.int64)
    totals = np.zeros(n_terms, dtype=np.int64)
    tokens = files.NpyWriter(directory / files.TOKENS, np.int32)
    offsets = files.NpyWriter(directory / files.OFFSETS, np.int64)
    values = files.NpyWriter(directory / files.COUNT_VALUES, np.int32)
    columns = files.NpyWriter(directory / files.COUNT_COLUMNS, np.int32)
    rows = files.NpyWriter(directory / files.COUNT_OFFSETS, np.int64)
    n_tokens = n_stored = n_without = 0
    zero = np.zeros(1, dtype=np.int64)
    offsets.append(zero)
    rows.append(zero)
    for chunk in stream.chunks(progress, stage):
        ids = stream.ids_in(chunk)
        sizes = (expansion_offsets[1:] - expansion_offsets[:-1])[ids]
        out = np.empty(int(sizes.sum()), dtype=np.int32)
        ends = np.empty(chunk.last - chunk.first + 1, dtype=np.int64)
        local = stream.offsets[chunk.first : chunk.last + 1] - stream.offsets[chunk.first]
        write_terms(ids, local, 0, chunk.last - chunk.first, expansion_offsets, expansions, out, ends)
        cols = np.empty(len(out), dtype=np.int32)
        vals = np.empty(len(out), dtype=np.int32)
        row_ends = np.empty_like(ends)
        stored = count_terms(out, ends, cols, vals, row_ends)
        tokens.append(out)
        offsets.append(n_tokens + ends[1:])
        columns.append(cols[:stored])
        values.append(vals[:stored])
        rows.append(n_stored + row_ends[1:])
        n_tokens += len(out)
        n_stored += stored
        n_without += int((np.diff(ends) == 0).sum())
        frequencies += np.bincount(cols[:stored], minlength=n_terms)
        totals += np.bincount(out, minlength=n_terms)
    for writer in (tokens, offsets, values, columns, rows):
        writer.close()
    n_documents = stream.n_documents
    terms = [inventory.term(term_id) for term_id in chosen]
    integrity = np.array([0.5 if len(inventory.words[i]) == 1 else min(1.0, 0.5 + inventory.scores[i]) for i in chosen])
    pq.write_table(
        pa.table(
            {
                "term": terms,
                "count": totals.astype(np.int32),
                "document_frequency": frequencies.astype(np.int32),
                "integrity": integrity.astype(np.float32),
                "may_name": np.ones(n_terms, dtype=np.bool_),
            }
        ),
        directory / files.VOCABULARY,
    )
    built_from = {
        "format_version": FORMAT_VERSION,
        "documents": first.digest,
        "settings": asdict(settings),
        "seed_phrases": ["_".join(words) for words in seeds.phrases],
    }
    fingerprint = hashlib.sha256(json.dumps(built_from, sort_keys=True).encode()).hexdigest()[:16]
    (directory / _STREAM).unlink()
    report = IndexReport(
        n_documents, int(stream.offsets[-1]), n_tokens, n_terms, sum("_" in t for t in terms), n_without, fingerprint
    )
    meta = {**built_from, "fingerprint": fingerprint, "report": asdict(report)}
    (directory / files.META).write_text(json.dumps(meta, indent=1), encoding="utf-8")
    progress.report("Indexed", 1.0)
    return report


def _dissolve(inventory: TermInventory, counts: npt.NDArray[np.int64], min_count: int) -> set[int]:
    """Take apart mined phrases that ended up rarer than `min_count`, latest first; `counts` goes to their parts."""
    dissolved: set[int] = set()
    for term_id in sorted(inventory.parts, reverse=True):
        if counts[term_id] < min_count:
            left, right = inventory.parts[term_id]
            counts[left] += counts[term_id]
            counts[right] += counts[term_id]
            counts[term_id] = 0
            dissolved.add(term_id)
    return dissolved


def _choose(
    inventory: TermInventory, counts: npt.NDArray[np.int64], dissolved: set[int], settings: TextSettings
) -> list[int]:
    """Return the stream ids of the vocabulary, most frequent first."""

    def allowed(term_id: int) -> bool:
        if term_id in inventory.given:
            return bool(counts[term_id] > 0) and inventory.kinds[term_id] != Kind.STOP
        return bool(
            term_id > inventory.n_barred
            and term_id not in dissolved
            and inventory.kinds[term_id] == Kind.WORD
            and counts[term_id] >= settings.min_count
        )

    able = [term_id for term_id in range(1, len(inventory)) if allowed(term_id)]
    able.sort(key=lambda i: (i not in inventory.given, -counts[i], inventory.words[i]))
    return sorted(able[: settings.max_terms], key=lambda i: (-counts[i], inventory.words[i]))


def _merge_numbers(inventory: TermInventory, counts: npt.NDArray[np.int64], seeds: SeedTerms) -> dict[int, int]:
    """Count a one-word seed in singular and plural under the spelling given, where it stands outside phrases."""
    exact = {words for words in seeds.phrases if len(words) == 1}
    merged: dict[int, int] = {}
    for words in seeds.phrases:
        if len(words) > 1 or words not in inventory.ids:
            continue
        target = inventory.ids[words]
        inventory.given.add(target)
        for form in number_forms(words[0])[1:]:
            other = inventory.ids.get((form,))
            if (
                other is not None
                and (form,) not in exact
                and inventory.kinds[other] == Kind.WORD
                and other not in merged
            ):
                counts[target] += counts[other]
                counts[other] = 0
                merged[other] = target
    return merged


def _expansions(
    inventory: TermInventory, dissolved: set[int], chosen: list[int], merged: dict[int, int]
) -> tuple[Offsets, Ints1d]:
    final = {term_id: position for position, term_id in enumerate(chosen)}
    final.update({term_id: final[target] for term_id, target in merged.items() if target in final})
    expanded: list[list[int]] = []
    for term_id in range(len(inventory)):
        if term_id in dissolved:
            left, right = inventory.parts[term_id]
            expanded.append(expanded[left] + expanded[right])
        else:
            expanded.append([final[term_id]] if term_id in final else [])
    offsets = np.zeros(len(expanded) + 1, dtype=np.int64)
    np.cumsum([len(ids) for ids in expanded], out=offsets[1:])
    return offsets, np.array([i for ids in expanded for i in ids], dtype=np.int32)
