"""A corpus as the engine sees it: documents as runs of term ids, read from memory-mapped files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import sparse

from taxocom.errors import InputError
from taxocom.numerics.arrays import Ints1d, Offsets
from taxocom.text import files
from taxocom.text.vocabulary import Vocabulary

FORMAT_VERSION = 1


@dataclass(frozen=True)
class Corpus:
    """Documents in CSR form: document `d` is `tokens[offsets[d]:offsets[d + 1]]`, ids into `vocabulary`.

    `counts` is the document-term matrix of shape (n_documents, n_terms). `texts[d]` is the raw text and `labels[d]` the
    path of topic names a labelled corpus gives (empty without labels). Large arrays are memory-mapped and read-only.
    """

    document_ids: Sequence[str]
    offsets: Offsets
    tokens: Ints1d
    counts: sparse.csr_array
    vocabulary: Vocabulary
    fingerprint: str
    texts: Sequence[str] = field(repr=False)
    titles: Sequence[str] = field(default=(), repr=False)
    labels: Sequence[tuple[str, ...]] = field(default=(), repr=False)
    dates: Sequence[str] = field(default=(), repr=False)

    @property
    def n_documents(self) -> int:
        """The number of documents kept."""
        return len(self.offsets) - 1

    @property
    def n_tokens(self) -> int:
        """The number of terms in running text."""
        return int(self.offsets[-1])

    def terms_of(self, document: int) -> Ints1d:
        """Return the term ids of one document, in reading order."""
        return np.asarray(self.tokens[self.offsets[document] : self.offsets[document + 1]])


def open_corpus(directory: Path) -> Corpus:
    """Open an indexed corpus; large arrays are mapped, not read."""
    meta_path = directory / files.META
    if not meta_path.is_file():
        raise InputError(f"{directory} holds no indexed corpus ({files.META} is missing). Index the corpus again.")
    meta = json.loads(meta_path.read_text(encoding="utf-8"))
    if meta["format_version"] != FORMAT_VERSION:
        raise InputError(
            f"{directory} was indexed in format {meta['format_version']}, this version reads format {FORMAT_VERSION}. "
            "Index the corpus again."
        )
    offsets: Offsets = files.open_array(directory / files.OFFSETS)
    vocabulary = _read_vocabulary(directory)
    table = files.open_documents(directory)
    return Corpus(
        document_ids=_column(table, "id"),
        offsets=offsets,
        tokens=files.open_array(directory / files.TOKENS),
        counts=_open_counts(directory, len(offsets) - 1, len(vocabulary)),
        vocabulary=vocabulary,
        fingerprint=meta["fingerprint"],
        texts=files.open_texts(directory),
        titles=_column(table, "title"),
        labels=_labels(table),
        dates=_column(table, "date"),
    )


def _read_vocabulary(directory: Path) -> Vocabulary:
    table = pq.read_table(directory / files.VOCABULARY)
    return Vocabulary(
        terms=tuple(table["term"].to_pylist()),
        counts=table["count"].to_numpy().astype(np.int32),
        document_frequencies=table["document_frequency"].to_numpy().astype(np.int32),
        integrity=table["integrity"].to_numpy().astype(np.float32),
        may_name=np.asarray(table["may_name"].to_numpy(), dtype=np.bool_),
    )


def _open_counts(directory: Path, n_documents: int, n_terms: int) -> sparse.csr_array:
    arrays = tuple(
        files.open_array(directory / name) for name in (files.COUNT_VALUES, files.COUNT_COLUMNS, files.COUNT_OFFSETS)
    )
    return sparse.csr_array(arrays, shape=(n_documents, n_terms), copy=False)


def _column(table: pa.Table, name: str) -> files.LazySequence[str]:
    column: Any = table[name]
    return files.LazySequence(len(column), lambda d: column[d].as_py())


def _labels(table: pa.Table) -> files.LazySequence[tuple[str, ...]]:
    column: Any = table["labels"]
    return files.LazySequence(len(column), lambda d: tuple(column[d].as_py()))
