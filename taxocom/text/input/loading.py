"""Documents from files: what a file is, which columns matter, and the documents one after another.

`sniff` says what it found and what it would do; `read_documents` does it, streaming, so that a corpus may be larger
than memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from itertools import islice
from pathlib import Path

from taxocom.errors import InputError
from taxocom.text.input import archives, lines, opening, research, tables
from taxocom.text.input.columns import Columns, document_from, guess_columns
from taxocom.text.input.documents import Document, LoadingReport, checked
from taxocom.text.input.opening import ByteSource
from taxocom.text.input.research import GivenTerms

__all__ = [
    "Columns",
    "CorpusSource",
    "Document",
    "DocumentStream",
    "Format",
    "LoadingReport",
    "read_documents",
    "sniff",
]

_PARQUET_MAGIC = b"PAR1"
_ZIP_MAGIC = b"PK\x03\x04", b"PK\x05\x06"
_SAMPLE_ROWS = 50
_OWN_ENCODING = "each file's own"


class Format(StrEnum):
    """The formats documents are read from."""

    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    LINES = "lines"
    FOLDER = "folder"
    ZIP = "zip"
    RESEARCH = "research"


_SUFFIXES = {
    ".csv": Format.CSV,
    ".tsv": Format.TSV,
    ".tab": Format.TSV,
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
    ".json": Format.JSONL,
    ".txt": Format.LINES,
}

RecordReader = Callable[[LoadingReport, Columns], Iterator[tables.Record]]
DocumentReader = Callable[[LoadingReport], Iterator[Document]]


@dataclass(frozen=True)
class CorpusSource:
    """A file or folder of documents: its format, its columns, and which of them would be read as what.

    `available` is empty and `columns` None for formats without columns. `given_terms` is set for a corpus that came
    segmented: hand it to `build_corpus` with the documents.
    """

    path: Path
    format: Format
    encoding: str
    available: tuple[str, ...] = ()
    columns: Columns | None = None
    given_terms: GivenTerms | None = field(default=None, repr=False)
    record_reader: RecordReader | None = field(default=None, repr=False, compare=False)
    document_reader: DocumentReader | None = field(default=None, repr=False, compare=False)

    def documents(self, columns: Columns | None = None) -> DocumentStream:
        """Read the documents, from the columns guessed or from those given."""
        source = self if columns is None else self.with_columns(columns)
        report = LoadingReport()
        return DocumentStream(str(self.path), source.read_unchecked(report), report)

    def preview(self, n: int = 5, columns: Columns | None = None) -> list[Document]:
        """Return the first documents as they would be read."""
        return list(islice(self.documents(columns), n))

    def with_columns(self, columns: Columns) -> CorpusSource:
        """Return the same source, read from other columns."""
        if not self.available:
            raise InputError(f"{self.path} has no columns to choose from: it is read as {self.format.value}.")
        columns.check(self.available, str(self.path))
        return replace(self, columns=columns)

    def read_unchecked(self, report: LoadingReport) -> Iterator[Document]:
        """Yield the documents as they stand, the empty and the repeated among them."""
        if self.document_reader is not None:
            yield from self.document_reader(report)
        elif self.record_reader is not None and self.columns is not None:
            for number, record in enumerate(self.record_reader(report, self.columns), 1):
                yield document_from(record, self.columns, number)


class DocumentStream(Iterator[Document]):
    """The documents of a source, each once; `report` counts what was met and is whole once the stream is read out."""

    def __init__(self, name: str, documents: Iterator[Document], report: LoadingReport) -> None:
        self.report = report
        self._name = name
        self._documents = checked(documents, report)

    def __next__(self) -> Document:
        document = next(self._documents, None)
        if document is not None:
            return document
        if self.report.n_kept == 0:
            raise InputError(
                f"{self._name}: no document with text ({self.report.n_read:,} read, {self.report.n_empty:,} of them "
                "empty). Is it the right file, and the right text column?"
            )
        raise StopIteration


def read_documents(path: Path | str, columns: Columns | None = None, *, encoding: str | None = None) -> DocumentStream:
    """Read the documents of a file or folder, streaming; columns and encoding are guessed where not given."""
    return sniff(path, encoding=encoding).documents(columns)


def sniff(path: Path | str, *, encoding: str | None = None) -> CorpusSource:
    """Find out what a file or folder is, its columns, and which of them hold text, id, title, label and date."""
    path = Path(path)
    if path.is_dir():
        return _sniff_folder(path, encoding)
    source = opening.file_source(path)
    start = source.sample(4)
    if start in _ZIP_MAGIC:
        return _sniff_zip(path, encoding)
    if start == _PARQUET_MAGIC:
        return _sniff_parquet(path)
    if research.find(path.parent, research.DOCS) == path and research.is_research_folder(path.parent):
        return _sniff_folder(path.parent, encoding)
    return _sniff_text(path, path.name, source, encoding)


def _sniff_folder(path: Path, encoding: str | None) -> CorpusSource:
    docs = research.find(path, research.DOCS)
    if docs is not None and research.is_research_folder(path):
        used = _encoding(opening.file_source(docs), encoding)
        read = partial(research.read_research, path, used)
        given = research.read_given_terms(path)
        return CorpusSource(path, Format.RESEARCH, used, given_terms=given, document_reader=read)
    read = partial(archives.read_text_files, archives.text_files(path), encoding)
    return CorpusSource(path, Format.FOLDER, encoding or _OWN_ENCODING, document_reader=read)


def _sniff_zip(path: Path, encoding: str | None) -> CorpusSource:
    members = archives.zip_members(path)
    if len(members) == 1 and members[0].filename.lower().endswith(archives.TABLE_SUFFIXES):
        return _sniff_text(path, members[0].filename, archives.zip_source(path, members[0]), encoding)
    read = partial(archives.read_text_files, archives.zip_text_files(path, members), encoding)
    return CorpusSource(path, Format.ZIP, encoding or _OWN_ENCODING, document_reader=read)


def _sniff_parquet(path: Path) -> CorpusSource:
    def read(report: LoadingReport, columns: Columns) -> Iterator[tables.Record]:
        return tables.read_parquet(path, columns.names, report)

    return _with_guess(CorpusSource(path, Format.PARQUET, "utf-8", tables.parquet_columns(path), record_reader=read))


def _sniff_text(path: Path, name: str, source: ByteSource, encoding: str | None) -> CorpusSource:
    opening.refuse_foreign(source)
    used = _encoding(source, encoding)
    kind = _format_of(name, source, used)
    if kind is Format.LINES:
        return CorpusSource(path, kind, used, document_reader=partial(_read_lines, source, used))
    if kind is Format.JSONL:

        def read_json(report: LoadingReport, _columns: Columns) -> Iterator[tables.Record]:
            return tables.read_json_lines(source, used, report)

        return _with_guess(CorpusSource(path, kind, used, tables.json_columns(source, used), record_reader=read_json))
    dialect = tables.sniff_table(source, used, "\t" if kind is Format.TSV else None)

    def read_table(report: LoadingReport, _columns: Columns) -> Iterator[tables.Record]:
        return tables.read_table(source, used, dialect, report)

    return _with_guess(CorpusSource(path, kind, used, dialect.columns, record_reader=read_table))


def _with_guess(source: CorpusSource) -> CorpusSource:
    if source.record_reader is None:
        return source
    records = source.record_reader(LoadingReport(), Columns(source.available))
    sample = [record.values for record in islice(records, _SAMPLE_ROWS)]
    return replace(source, columns=guess_columns(source.available, sample))


def _encoding(source: ByteSource, encoding: str | None) -> str:
    return lines.check_encoding(encoding) if encoding else lines.detect_encoding(source)


def _format_of(name: str, source: ByteSource, encoding: str) -> Format:
    stem = name.lower()
    for ending in (".gz", ".xz", ".bz2"):
        stem = stem.removesuffix(ending)
    known = _SUFFIXES.get(Path(stem).suffix)
    if known is not None:
        return known
    start = source.sample(64).decode(encoding, "replace").lstrip("\ufeff \n\r\t")
    return Format.JSONL if start.startswith("{") else Format.LINES


def _read_lines(source: ByteSource, encoding: str, report: LoadingReport) -> Iterator[Document]:
    for line in lines.read_lines(source, encoding, report):
        yield Document(str(line.number), line.text)
