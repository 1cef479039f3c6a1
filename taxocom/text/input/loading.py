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
from taxocom.text.input.document_files import Extractor, Kind, extract, kind_of
from taxocom.text.input.documents import Document, LoadingReport, checked
from taxocom.text.input.mixed_files import InputFile, ReadingWay, read_files
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
_PDF_MAGIC = b"%PDF"
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
    DOCUMENT = "document"
    MAILBOX = "mailbox"
    FILES = "files"
    RESEARCH = "research"


_OF_FILES = (Format.FOLDER, Format.ZIP, Format.DOCUMENT, Format.MAILBOX, Format.FILES)
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

    @property
    def has_named_documents(self) -> bool:
        """Whether documents without columns are files that have names, which stay when others come."""
        return self.format in _OF_FILES

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


def sniff(
    path: Path | str,
    *,
    encoding: str | None = None,
    skip_unreadable: bool = False,
    extract: Extractor = extract,
) -> CorpusSource:
    """Find out what a file or folder is, its columns, and which of them hold text, id, title, label and date.

    A path with `*` or `?` in it is a pattern, for all files that fit it. Among several files `skip_unreadable` leaves
    out those that cannot be read; `extract` gets the texts out of PDF, Word, HTML and mail.
    """
    path = Path(path)
    way = ReadingWay(encoding, extract, skip_unreadable)
    if path.is_dir():
        return _sniff_folder(path, way)
    if opening.is_pattern(path):
        return _sniff_pattern(path, way)
    source = opening.file_source(path)
    start = source.sample(4)
    if kind_of(path.name) is not None or (start == _PDF_MAGIC and _named_format(path.name) is None):
        return _sniff_document(path, source, way)
    if start in _ZIP_MAGIC:
        return _sniff_zip(path, way)
    if start == _PARQUET_MAGIC:
        return _sniff_parquet(path)
    if research.find(path.parent, research.DOCS) == path and research.is_research_folder(path.parent):
        return _sniff_folder(path.parent, way)
    return _sniff_text(path, path.name, source, encoding)


def _sniff_folder(path: Path, way: ReadingWay) -> CorpusSource:
    docs = research.find(path, research.DOCS)
    if docs is not None and research.is_research_folder(path):
        used = _encoding(opening.file_source(docs), way.encoding)
        read = partial(research.read_research, path, used)
        given = research.read_given_terms(path)
        return CorpusSource(path, Format.RESEARCH, used, given_terms=given, document_reader=read)
    return _of_files(path, Format.FOLDER, archives.folder_files(path), way)


def _sniff_zip(path: Path, way: ReadingWay) -> CorpusSource:
    members = archives.zip_members(path)
    if len(members) == 1 and members[0].filename.lower().endswith(archives.TABLE_SUFFIXES):
        return _sniff_text(path, members[0].filename, archives.zip_source(path, members[0]), way.encoding)
    return _of_files(path, Format.ZIP, archives.zip_files(path, members), way)


def _sniff_document(path: Path, source: ByteSource, way: ReadingWay) -> CorpusSource:
    kind = kind_of(path.name) or Kind.PDF
    file = InputFile(path.name if kind_of(path.name) else f"{path.name}.{kind}", source)
    format_ = Format.MAILBOX if kind is Kind.MAILBOX else Format.DOCUMENT
    return _of_files(path, format_, archives.Files([file], 0), way)


def _sniff_pattern(path: Path, way: ReadingWay) -> CorpusSource:
    """Read all files that fit a pattern: documents as in a folder, or tables with the same columns."""
    found = opening.matching_files(path)
    if all(archives.is_document(name) for name in found):
        files = [InputFile(name, archives.path_source(file)) for name, file in found.items()]
        return _of_files(path, Format.FILES, archives.Files(files, 0), way)
    parts = [sniff(each, encoding=way.encoding) for each in found.values()]
    if foreign := next((each for each in parts if not each.available), None):
        raise InputError(
            f"{path} fits tables and files without columns ({foreign.path.name}). Give tables alone, or documents "
            "alone."
        )

    def read(report: LoadingReport, columns: Columns) -> Iterator[tables.Record]:
        for number, part in enumerate(parts):
            columns.check(part.available, str(part.path))
            assert part.record_reader is not None
            for record in part.record_reader(report, columns):
                report.fraction = number / len(parts)
                yield record

    return _with_guess(CorpusSource(path, Format.FILES, parts[0].encoding, parts[0].available, record_reader=read))


def _of_files(path: Path, format_: Format, files: archives.Files, way: ReadingWay) -> CorpusSource:
    def read(report: LoadingReport) -> Iterator[Document]:
        report.n_other_files = files.n_others
        return read_files(files.documents, way, report)

    return CorpusSource(path, format_, way.encoding or _OWN_ENCODING, document_reader=read)


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


def _named_format(name: str) -> Format | None:
    stem = name.lower()
    for ending in (".gz", ".xz", ".bz2"):
        stem = stem.removesuffix(ending)
    return _SUFFIXES.get(Path(stem).suffix)


def _format_of(name: str, source: ByteSource, encoding: str) -> Format:
    known = _named_format(name)
    if known is not None:
        return known
    start = source.sample(64).decode(encoding, "replace").lstrip("\ufeff \n\r\t")
    return Format.JSONL if start.startswith("{") else Format.LINES


def _read_lines(source: ByteSource, encoding: str, report: LoadingReport) -> Iterator[Document]:
    for line in lines.read_lines(source, encoding, report):
        yield Document(str(line.number), line.text)
