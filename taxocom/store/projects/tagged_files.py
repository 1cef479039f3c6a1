"""Files of texts in, files of texts with their topics out: a batch at a time, so that any size fits."""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any, Protocol, cast

import pyarrow as pa
import pyarrow.parquet as pq

from taxocom.errors import ExportError, InputError
from taxocom.interchange.base.cells import joined, neutralised
from taxocom.progress import SILENT, Progress
from taxocom.store.disk.whole_files import clear_errors, discard
from taxocom.store.projects.tagging_pool import Question, tags_of
from taxocom.store.projects.text_tagger import BATCH, LEAST, Tagger, TextTags, TopicTag
from taxocom.text.input.documents import Document, LoadingReport
from taxocom.text.input.loading import CorpusSource

_PACKERS: Mapping[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open}
SUFFIXES = (".csv", ".jsonl", ".parquet")


@dataclass(frozen=True)
class TaggingWishes:
    """What is wanted for each text.

    `least` is how probable a topic must be to be named; `primary` asks for the likeliest topic alone, however probable;
    `n_terms` for so many terms that speak for each topic.
    """

    least: float = LEAST
    primary: bool = False
    n_terms: int = 0

    def chosen(self, tags: TextTags) -> tuple[TopicTag, ...]:
        """Return the topics of a text that are wanted."""
        return (tags.primary,) if self.primary else tags.topics


@dataclass(frozen=True)
class TaggedText:
    """A text by its id, and its topics."""

    document_id: str
    topics: tuple[TopicTag, ...]
    fits_nowhere: bool

    def to_dict(self, *, with_terms: bool) -> dict[str, Any]:
        """Return plain data for JSON."""
        topics = [
            {"id": topic.node_id, "path": list(topic.path), "probability": topic.probability}
            | ({"terms": list(topic.terms)} if with_terms else {})
            for topic in self.topics
        ]
        return {"id": self.document_id, "topics": topics, "fits_nowhere": self.fits_nowhere}


@dataclass
class TaggedCount:
    """How many texts were tagged, how many have no topic that is probable enough, and how many fit nowhere.

    `n_unreadable` files were left out, if that was asked for.
    """

    n_texts: int = 0
    n_without_topic: int = 0
    n_nowhere: int = 0
    n_unreadable: int = 0

    def add(self, texts: Sequence[TaggedText]) -> None:
        """Count some more."""
        self.n_texts += len(texts)
        self.n_without_topic += sum(not each.topics for each in texts)
        self.n_nowhere += sum(each.fits_nowhere for each in texts)


def tag_documents(tagger: Tagger, documents: Iterable[Document], wishes: TaggingWishes) -> Iterator[TaggedText]:
    """Yield the topics of documents, in order."""
    for document, tags in tags_of(tagger, documents, Question(wishes.least, wishes.n_terms)):
        yield TaggedText(document.document_id, wishes.chosen(tags), tags.fits_nowhere)


def tag_file(
    tagger: Tagger, source: CorpusSource, out: Path, wishes: TaggingWishes, progress: Progress = SILENT
) -> TaggedCount:
    """Tag every text of a source into a file, whole or not at all: each row in gives one row out."""
    report = LoadingReport()
    counted = TaggedCount()
    with tagged_writer(out, with_terms=bool(wishes.n_terms)) as writer:
        rows = tag_documents(tagger, source.read_unchecked(report), wishes)
        while batch := list(islice(rows, BATCH)):
            counted.add(batch)
            writer.write(batch)
            progress.report(f"Tagging texts ({counted.n_texts:,} so far)", report.fraction)
        if not counted.n_texts:
            raise InputError(f"{source.path} holds no texts. Is it the right file?")
    counted.n_unreadable = report.n_unreadable
    progress.report("Tagged", 1.0)
    return counted


class TaggedWriter(Protocol):
    """Takes tagged texts, some at a time."""

    def write(self, texts: Sequence[TaggedText]) -> None:
        """Write some more texts."""


def file_kind(out: Path) -> tuple[str, Callable[..., Any] | None]:
    """Return what a file's name says: .csv, .jsonl or .parquet, and what packs it."""
    name = out.name.lower()
    packer: Callable[..., Any] | None = None
    for ending, found in _PACKERS.items():
        if name.endswith(ending):
            name, packer = name.removesuffix(ending), found
    suffix = Path(name).suffix
    if suffix not in SUFFIXES or (packer and suffix == ".parquet"):
        raise ExportError(
            f"The name {out.name!r} does not tell the format. End it with .csv, .jsonl or .parquet; the first two may "
            "be packed: .csv.gz, .jsonl.xz."
        )
    return suffix, packer


@contextmanager
def tagged_writer(out: Path, *, with_terms: bool) -> Iterator[TaggedWriter]:
    """Give a writer for a file; its name tells the format. What is not finished leaves the file as it was."""
    suffix, packer = file_kind(out)
    part = out.with_name(f"{out.name}.part")
    try:
        with clear_errors("write", out), ExitStack() as stack:
            if suffix == ".parquet":
                yield _ParquetWriter(stack, part, with_terms)
            else:
                plain = packer(part, "wb") if packer else part.open("wb")
                file = stack.enter_context(cast("IO[bytes]", plain))
                yield (_CsvWriter if suffix == ".csv" else _JsonWriter)(file, with_terms)
        with clear_errors("write", out):
            part.replace(out)
    finally:
        discard(part)


COLUMNS = ("id", "paths", "topic_ids", "probabilities", "fits_nowhere")


class _CsvWriter:
    """A text a row; several topics in one cell are joined by a bar, as in the table of topics."""

    def __init__(self, file: IO[bytes], with_terms: bool) -> None:
        self._file, self._with_terms = file, with_terms
        # Without a byte order mark Excel takes the file for something else.
        self._file.write(b"\xef\xbb\xbf")
        self._rows([(*COLUMNS, *(("terms",) if with_terms else ()))])

    def write(self, texts: Sequence[TaggedText]) -> None:
        """Write some more texts."""
        self._rows(map(self._row, texts))

    def _rows(self, rows: Iterable[Sequence[str]]) -> None:
        held = io.StringIO()
        csv.writer(held, lineterminator="\r\n").writerows(rows)
        self._file.write(held.getvalue().encode("utf-8", "replace"))

    def _row(self, text: TaggedText) -> Sequence[str]:
        cells = [
            neutralised(text.document_id),
            neutralised(joined("/".join(topic.path) for topic in text.topics)),
            joined(topic.node_id for topic in text.topics),
            joined(f"{topic.probability:.4f}" for topic in text.topics),
            str(int(text.fits_nowhere)),
        ]
        if self._with_terms:
            cells.append(neutralised(joined(", ".join(topic.terms) for topic in text.topics)))
        return cells


class _JsonWriter:
    """A JSON object a line, with a list of topics."""

    def __init__(self, file: IO[bytes], with_terms: bool) -> None:
        self._file, self._with_terms = file, with_terms

    def write(self, texts: Sequence[TaggedText]) -> None:
        """Write some more texts."""
        lines = (json.dumps(text.to_dict(with_terms=self._with_terms), ensure_ascii=False) + "\n" for text in texts)
        self._file.write("".join(lines).encode("utf-8", "replace"))


class _ParquetWriter:
    """A text a row, its topics as lists side by side."""

    def __init__(self, stack: ExitStack, path: Path, with_terms: bool) -> None:
        texts, numbers = pa.list_(pa.string()), pa.list_(pa.float32())
        kinds = (pa.string(), texts, texts, numbers, pa.bool_())
        fields = list(zip(COLUMNS, kinds, strict=True)) + ([("terms", texts)] if with_terms else [])
        self._schema, self._with_terms = pa.schema(fields), with_terms
        self._writer = stack.enter_context(pq.ParquetWriter(path, self._schema, compression="zstd"))

    def write(self, texts: Sequence[TaggedText]) -> None:
        """Write some more texts."""
        columns: list[list[Any]] = [
            [text.document_id for text in texts],
            [["/".join(topic.path) for topic in text.topics] for text in texts],
            [[topic.node_id for topic in text.topics] for text in texts],
            [[topic.probability for topic in text.topics] for text in texts],
            [text.fits_nowhere for text in texts],
        ]
        if self._with_terms:
            columns.append([[", ".join(topic.terms) for topic in text.topics] for text in texts])
        self._writer.write_table(pa.table(columns, schema=self._schema))
