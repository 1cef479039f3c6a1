"""A corpus as the engine sees it: documents as runs of term ids, read from memory-mapped files."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import sparse

from taxocom.numerics.arrays import Ints1d, Offsets
from taxocom.progress import SILENT, Progress
from taxocom.settings import TextSettings
from taxocom.text import corpus_files
from taxocom.text.indexing import build_corpus
from taxocom.text.input.documents import Document, LoadingReport, checked
from taxocom.text.language.languages import LanguageReport
from taxocom.text.terms.vocabulary import Vocabulary, normal_term


@dataclass(frozen=True)
class Corpus:
    """Documents in CSR form: document `d` is `tokens[offsets[d]:offsets[d + 1]]`, ids into `vocabulary`.

    `counts` is the document-term matrix of shape (n_documents, n_terms). `texts[d]` is the raw text and `labels[d]` the
    path of topic names a labelled corpus gives (empty without labels). `language_report` says in which language the
    texts were read and how that was settled, `came_segmented` that phrases were joined before they
    came, `looked_for` which names became terms wherever they occur. Large arrays are memory-mapped and read-only.
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
    language_report: LanguageReport = field(default=LanguageReport(), repr=False)
    came_segmented: bool = False
    looked_for: Sequence[str] = field(default=(), repr=False)

    @property
    def language(self) -> str:
        """The language that the texts were read in, an ISO 639-1 code."""
        return self.vocabulary.language

    @property
    def n_documents(self) -> int:
        """The number of documents kept."""
        return len(self.offsets) - 1

    @property
    def n_tokens(self) -> int:
        """The number of terms in running text."""
        return int(self.offsets[-1])

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[str | Document],
        *,
        settings: TextSettings | None = None,
        seed_phrases: Sequence[str] = (),
        processes: int = 1,
        progress: Progress = SILENT,
    ) -> Corpus:
        """Index texts or documents into a temporary directory that goes when the corpus goes.

        Empty and repeated documents are dropped, as they are when files are read. With several `processes` the words of
        a large corpus are found sooner, and the corpus is the same.
        """
        directory = Path(tempfile.mkdtemp(prefix="taxocom-corpus-"))
        try:
            unique = checked(_as_documents(documents), LoadingReport())
            build_corpus(
                unique, directory, settings=settings, seed_phrases=seed_phrases, processes=processes, progress=progress
            )
            corpus = open_corpus(directory)
        except BaseException:
            shutil.rmtree(directory, ignore_errors=True)
            raise
        weakref.finalize(corpus, shutil.rmtree, directory, ignore_errors=True)
        return corpus

    def terms_of(self, document: int) -> Ints1d:
        """Return the term ids of one document, in reading order."""
        return np.asarray(self.tokens[self.offsets[document] : self.offsets[document + 1]])


def open_corpus(directory: Path | str) -> Corpus:
    """Open an indexed corpus; large arrays are mapped, not read."""
    directory = Path(directory)
    meta = corpus_files.read_meta(directory)
    offsets: Offsets = corpus_files.open_array(directory / corpus_files.OFFSETS)
    # A corpus that was indexed before languages were told says nothing of it.
    language = LanguageReport.from_plain(meta.get("report", {}).get("language"))
    vocabulary = _read_vocabulary(directory, meta["aliases"], language.code)
    table = corpus_files.open_documents(directory)
    return Corpus(
        document_ids=_column(table, "id"),
        offsets=offsets,
        tokens=corpus_files.open_array(directory / corpus_files.TOKENS),
        counts=_open_counts(directory, len(offsets) - 1, len(vocabulary)),
        vocabulary=vocabulary,
        fingerprint=meta["fingerprint"],
        texts=corpus_files.open_texts(directory),
        titles=_column(table, "title"),
        labels=_labels(table),
        dates=_column(table, "date"),
        language_report=language,
        came_segmented=meta.get("given_terms") is not None,
        looked_for=tuple(normal_term(phrase) for phrase in meta.get("seed_phrases") or ()),
    )


def _as_documents(texts: Iterable[str | Document]) -> Iterator[Document]:
    for number, text in enumerate(texts, 1):
        yield Document(str(number), text) if isinstance(text, str) else text


def _read_vocabulary(directory: Path, aliases: Mapping[str, str], language: str) -> Vocabulary:
    table = pq.read_table(directory / corpus_files.VOCABULARY, use_threads=False, pre_buffer=False)
    return Vocabulary(
        terms=tuple(table["term"].to_pylist()),
        counts=table["count"].to_numpy().astype(np.int32),
        document_frequencies=table["document_frequency"].to_numpy().astype(np.int32),
        integrity=table["integrity"].to_numpy().astype(np.float32),
        may_name=np.asarray(table["may_name"].to_numpy(), dtype=np.bool_),
        aliases=aliases,
        language=language,
    )


def _open_counts(directory: Path, n_documents: int, n_terms: int) -> sparse.csr_array:
    values = corpus_files.open_array(directory / corpus_files.COUNT_VALUES)
    columns = corpus_files.open_array(directory / corpus_files.COUNT_COLUMNS)
    rows = corpus_files.open_array(directory / corpus_files.COUNT_OFFSETS)
    # scipy wants both index arrays of one type; widening the columns would read and copy them.
    if rows[-1] <= np.iinfo(columns.dtype).max:
        rows = rows.astype(columns.dtype)
    return sparse.csr_array((values, columns, rows), shape=(n_documents, n_terms), copy=False)


def _column(table: pa.Table, name: str) -> corpus_files.LazySequence[str]:
    column: Any = table[name]
    return corpus_files.LazySequence(len(column), lambda d: column[d].as_py())


def _labels(table: pa.Table) -> corpus_files.LazySequence[tuple[str, ...]]:
    column: Any = table["labels"]
    return corpus_files.LazySequence(len(column), lambda d: tuple(column[d].as_py()))
