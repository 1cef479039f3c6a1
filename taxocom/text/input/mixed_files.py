"""Folders, archives and patterns of files: a document a file, a mailbox many, folders the labels."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import PurePosixPath

from taxocom.errors import InputError
from taxocom.text.input.document_files import LARGEST, Extractor, Kind, Piece, Unreadable, extract, kind_of
from taxocom.text.input.documents import MOST_NAMED, Document, LoadingReport
from taxocom.text.input.lines import MAX_CHARACTERS, check_encoding, detect_encoding
from taxocom.text.input.mail_text import split_mailbox
from taxocom.text.input.opening import DAMAGED, ByteSource, damaged

_AT_ONCE = 16
_BYTES_AT_ONCE = 16 * 2**20


@dataclass(frozen=True)
class InputFile:
    """A file among others; `name` is its path inside the folder or archive, with slashes."""

    name: str
    source: ByteSource


@dataclass(frozen=True)
class ReadingWay:
    """How files are read: their encoding if it is known, who extracts documents, and whether bad files are left out."""

    encoding: str | None = None
    extract: Extractor = extract
    skip_unreadable: bool = False


@dataclass(frozen=True)
class _Found:
    """A piece of a file that still has to be extracted, or its text."""

    document_id: str
    labels: tuple[str, ...]
    share: float
    piece: Piece | None = None
    text: str = ""
    problem: str = ""

    @property
    def n_bytes(self) -> int:
        return len(self.piece.content) if self.piece else 0


def read_files(files: Sequence[InputFile], way: ReadingWay, report: LoadingReport) -> Iterator[Document]:
    """Yield the documents of files, in their order: its path is a document's id, the folders on the way its labels.

    A file that cannot be read is an InputError that names it; with `skip_unreadable` it is left out and counted.
    """
    for batch in _batched(_pieces(files, way, report)):
        asked = [found.piece for found in batch if found.piece is not None]
        answers = iter(way.extract(asked))
        for found in batch:
            report.fraction = found.share
            answer = next(answers) if found.piece is not None else None
            problem = answer.reason if isinstance(answer, Unreadable) else found.problem
            if problem:
                _leave_out(found.document_id, problem, way, report)
            elif answer is None:
                yield Document(found.document_id, found.text, labels=found.labels)
            elif not isinstance(answer, Unreadable):
                if len(answer.text) > MAX_CHARACTERS:
                    _leave_out(found.document_id, _too_long(found.document_id), way, report)
                    continue
                # A mail is known by its own id; its number changes when others before it are deleted.
                in_mailbox = found.piece is not None and found.piece.kind is Kind.MAILBOX
                document_id = (in_mailbox and answer.part) or found.document_id
                yield Document(document_id, answer.text, answer.title, found.labels, answer.date)


def _leave_out(name: str, reason: str, way: ReadingWay, report: LoadingReport) -> None:
    if not way.skip_unreadable:
        raise InputError(f"{reason} Such files can be left out (on the command line: --skip-unreadable).")
    report.n_unreadable += 1
    if len(report.unreadable) < MOST_NAMED:
        report.unreadable[name] = reason


def _batched(found: Iterable[_Found]) -> Iterator[list[_Found]]:
    batch, size = list[_Found](), 0
    for one in found:
        batch.append(one)
        size += one.n_bytes
        if len(batch) >= _AT_ONCE or size >= _BYTES_AT_ONCE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _pieces(files: Sequence[InputFile], way: ReadingWay, report: LoadingReport) -> Iterator[_Found]:
    for number, file in enumerate(files):
        labels, share = PurePosixPath(file.name).parent.parts, number / len(files)
        kind = kind_of(file.name)
        try:
            if kind is Kind.MAILBOX:
                yield from _mails(file, labels, share)
            elif kind is not None:
                yield _Found(
                    file.name, labels, share, Piece(file.source.name, kind, _content(file.source), way.encoding)
                )
            else:
                yield _Found(file.name, labels, share, text=_whole_text(file.source, way.encoding, report))
        except InputError as error:
            yield _Found(file.name, labels, share, problem=str(error))


def _mails(file: InputFile, labels: tuple[str, ...], share: float) -> Iterator[_Found]:
    with closing(file.source.open()) as stream:
        for number, mail in zip(count(1), split_mailbox(stream, file.source.name)):
            name = f"{file.source.name}, mail {number}"
            yield _Found(f"{file.name}/{number}", labels, share, Piece(name, Kind.MAILBOX, mail))


def _content(source: ByteSource) -> bytes:
    try:
        content = source.sample(LARGEST + 1)
    except DAMAGED as error:
        raise damaged(source.name, error) from error
    if len(content) > LARGEST:
        raise InputError(f"{source.name} has more than {LARGEST:,} bytes. Break it into smaller files.")
    return content


def _whole_text(source: ByteSource, encoding: str | None, report: LoadingReport) -> str:
    try:
        content = source.sample(4 * MAX_CHARACTERS + 1)
    except DAMAGED as error:
        raise damaged(source.name, error) from error
    held = ByteSource(source.name, lambda: io.BytesIO(content), len(content))
    try:
        text = content.decode(check_encoding(encoding) if encoding else detect_encoding(held), "replace")
    except UnicodeError as error:
        raise InputError(f"{source.name}: {error}. Say which encoding it has, or save it as UTF-8.") from error
    if len(text) > MAX_CHARACTERS:
        raise InputError(_too_long(source.name))
    if "\0" in text:
        raise InputError(f"{source.name} holds NUL bytes, so it is not a text file. Take it out of the corpus.")
    report.n_replaced_characters += text.count("\ufffd")
    return text


def _too_long(name: str) -> str:
    return f"{name} is longer than {MAX_CHARACTERS:,} characters. Break it into documents."
