"""Documents from files: what a file is, which columns matter, and the documents one after another.

`sniff` says what it found and what it would do; `read_documents` does it, streaming, so that a corpus may be larger than
memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice
from pathlib import Path

from taxocom.errors import InputError
from taxocom.text.columns import Columns, document_from, guess_columns
from taxocom.text.documents import Document, LoadingReport, checked
from taxocom.text.formats import archives, lines, opening, research, tables
from taxocom.text.formats.opening import ByteSource

_PARQUET_MAGIC = b"PAR1"
_ZIP_MAGIC = b"PK\x03\x04", b"PK\x05\x06"
_SAMPLE_ROWS = 50


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


Reader = Callable[[Columns | None, LoadingReport], Iterator[Document]]


@dataclass(frozen=True)
class CorpusSource:
    """A file or folder of documents: its format, its columns, and which of them would be read as what.

    `available` and `columns` are empty and None for formats without columns. `given_terms` is set for a corpus that
    came segmented.
    """

    path: Path
    format: Format
    encoding: str
    available: tuple[str, ...] = ()
    columns: Columns | None = None
    given_terms: research.GivenTerms | None = field(default=None, repr=False)
    reader: Reader = field(default=lambda columns, report: iter(()), repr=False, compare=False)

    def documents(self, columns: Columns | None = None) -> DocumentStream:
        """Read the documents, from the columns guessed or from those given."""
        chosen = columns or self.columns
        if chosen is not None and self.available:
            chosen.check(self.available, str(self.path))
        return DocumentStream(self, chosen)

    def preview(self, n: int = 5, columns: Columns | None = None) -> list[Document]:
        """Return the first documents as they would be read."""
        return list(islice(self.documents(columns), n))

    def with_columns(self, columns: Columns) -> CorpusSource:
        """Return the same source, read from other columns."""
        columns.check(self.available, str(self.path))
        return replace(self, columns=columns)


class DocumentStream(Iterator[Document]):
    """The documents of a source, each once; `report` counts what was met and is whole once the stream is read out."""

    def __init__(self, source: CorpusSource, columns: Columns | None) -> None:
        self.report = LoadingReport()
        self._source = source
        self._documents = checked(source.reader(columns, self.report), self.report)

    def __next__(self) -> Document:
        try:
            return next(self._documents)
        except StopIteration:
            if self.report.n_kept == 0:
                raise InputError(
                    f"{self._source.path}: no document with text in {self.report.n_read:,} read "
                    f"({self.report.n_empty:,} empty). Is it the right file, and the right text column?"
                ) from None
            raise


def read_documents(path: Path | str, columns: Columns | None = None, *, encoding: str | None = None) -> DocumentStream:
    """Read the documents of a file or folder, streaming; columns and encoding are guessed where not given."""
    return sniff(path, encoding=encoding).documents(columns)


def sniff(path: Path | str, *, encoding: str | None = None) -> CorpusSource:
    """Find out what a file or folder is, which columns it has and which of them hold text, id, title, label and date."""
    path = Path(path)
    if path.is_dir():
        return _sniff_folder(path, encoding)
    source = opening.file_source(path)
    start = source.sample(4)
    if start.startswith(_ZIP_MAGIC):
        return _sniff_zip(path, encoding)
    if start == _PARQUET_MAGIC:
        return _sniff_parquet(path)
    opening.refuse_foreign(source, "a corpus")
    if path.name.startswith(research.DOCS) and research.is_research_folder(path.parent):
        return _sniff_folder(path.parent, encoding)
    return _sniff_text(path, path.name, source, encoding)


def _sniff_folder(path: Path, encoding: str | None) -> CorpusSource:
    if research.is_research_folder(path):
        docs = research.find(path, research.DOCS)
        used = _encoding(opening.file_source(docs), encoding) if docs else "utf-8"
        return CorpusSource(
            path,
            Format.RESEARCH,
            used,
            given_terms=research.read_given_terms(path),
            reader=lambda columns, report: research.read_research(path, used, report),
        )
    files = archives.text_files(path)
    return CorpusSource(
        path,
        Format.FOLDER,
        encoding or "each file's own",
        reader=lambda columns, report: archives.read_text_files(files, encoding, report),
    )


def _sniff_zip(path: Path, encoding: str | None) -> CorpusSource:
    members = archives.zip_members(path)
    tables_inside = [member for member in members if member.filename.lower().endswith(archives.TABLE_SUFFIXES)]
    if len(members) == 1 and tables_inside:
        source = archives.zip_source(path, members[0])
        opening.refuse_foreign(source, "a corpus")
        return _sniff_text(path, members[0].filename, source, encoding)
    files = archives.zip_text_files(path, members)
    return CorpusSource(
        path,
        Format.ZIP,
        encoding or "each file's own",
        reader=lambda columns, report: archives.read_text_files(files, encoding, report),
    )


def _sniff_parquet(path: Path) -> CorpusSource:
    available = tables.parquet_columns(path)

    def read(columns: Columns | None, report: LoadingReport) -> Iterator[Document]:
        chosen = columns or Columns(available[:1])
        records = tables.read_parquet(path, chosen.names)
        return (document_from(record, chosen, number) for number, record in enumerate(records, 1))

    sample = (record.values for record in islice(tables.read_parquet(path, available), _SAMPLE_ROWS))
    return CorpusSource(path, Format.PARQUET, "utf-8", available, guess_columns(available, sample), reader=read)


def _sniff_text(path: Path, name: str, source: ByteSource, encoding: str | None) -> CorpusSource:
    used = _encoding(source, encoding)
    kind = _format_of(name, source, used)
    if kind is Format.LINES:
        return CorpusSource(path, kind, used, reader=lambda columns, report: _read_lines(source, used, report))
    if kind is Format.JSONL:
        available = tables.json_columns(source, used)

        def records(report: LoadingReport) -> Iterator[tables.Record]:
            return tables.read_json_lines(source, used, report)
    else:
        dialect = tables.sniff_table(source, used, "\t" if kind is Format.TSV else None)
        available = dialect.columns

        def records(report: LoadingReport) -> Iterator[tables.Record]:
            return tables.read_table(source, used, dialect, report)

    def read(columns: Columns | None, report: LoadingReport) -> Iterator[Document]:
        chosen = columns or Columns(available[:1])
        return (document_from(record, chosen, number) for number, record in enumerate(records(report), 1))

    sample = (record.values for record in islice(records(LoadingReport()), _SAMPLE_ROWS))
    return CorpusSource(path, kind, used, available, guess_columns(available, sample), reader=read)


def _encoding(source: ByteSource, encoding: str | None) -> str:
    return lines.check_encoding(encoding) if encoding else lines.detect_encoding(source)


def _format_of(name: str, source: ByteSource, encoding: str) -> Format:
    stem = name.lower()
    for ending in (".gz", ".xz", ".bz2"):
        stem = stem.removesuffix(ending)
    by_suffix = {".csv": Format.CSV, ".tsv": Format.TSV, ".tab": Format.TSV, ".jsonl": Format.JSONL,
                 ".ndjson": Format.JSONL, ".json": Format.JSONL, ".txt": Format.LINES}  # fmt: skip
    known = by_suffix.get(Path(stem).suffix)
    if known is not None:
        return known
    start = source.sample(64).decode(encoding, "replace").lstrip("\ufeff \n\r\t")
    return Format.JSONL if start.startswith("{") else Format.LINES


def _read_lines(source: ByteSource, encoding: str, report: LoadingReport) -> Iterator[Document]:
    for line in lines.read_lines(source, encoding, report):
        yield Document(str(line.number), line.text)
