"""Folders and zip archives of text files: a document a file, its folders the labels."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from taxocom.errors import InputError
from taxocom.text.input.documents import Document, LoadingReport
from taxocom.text.input.lines import MAX_CHARACTERS, check_encoding, detect_encoding
from taxocom.text.input.opening import (
    DAMAGED,
    MAX_RATIO,
    SMALL_ENOUGH,
    ByteSource,
    GuardedStream,
    bomb,
    damaged,
    file_source,
)

TEXT_SUFFIXES = (".txt", ".txt.gz", ".txt.xz", ".text", ".md")
TABLE_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson")
_ENCRYPTED = 0x1


@dataclass(frozen=True)
class TextFile:
    """A file that is a document; `name` is its path inside the folder or archive, with slashes."""

    name: str
    source: ByteSource


def text_files(folder: Path) -> list[TextFile]:
    """Return the text files under a folder, in order of their names."""
    paths = sorted(path for path in folder.rglob("*") if path.name.lower().endswith(TEXT_SUFFIXES) and path.is_file())
    if not paths:
        raise InputError(
            f"There is no .txt file in {folder}. Give a folder of text files, or a single file of documents."
        )
    return [_text_file(path, folder) for path in paths]


def _text_file(path: Path, folder: Path) -> TextFile:
    name = path.relative_to(folder).as_posix()
    # An empty file is an empty document here, to be counted as such, and not an error.
    source = file_source(path) if path.stat().st_size else ByteSource(str(path), lambda: io.BytesIO(b""), 0)
    return TextFile(name, source)


def zip_members(path: Path) -> list[zipfile.ZipInfo]:
    """Return the files in a zip archive, having refused an archive that means harm or cannot be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if not member.filename.endswith("/")]
    except DAMAGED as error:
        raise damaged(str(path), error) from error
    for member in members:
        _refuse_unsafe(path, member)
    total, packed = sum(member.file_size for member in members), path.stat().st_size
    if total > SMALL_ENOUGH and total > MAX_RATIO * packed:
        raise bomb(str(path), total, packed)
    visible = [member for member in members if not _is_hidden(member.filename)]
    if any(member.filename == "[Content_Types].xml" for member in members):
        raise InputError(f"{path} is an Office document, not an archive of texts. Save it as CSV first.")
    return visible


def _refuse_unsafe(path: Path, member: zipfile.ZipInfo) -> None:
    name = member.filename
    if not name:
        raise InputError(f"{path} holds a file without a name. Pack it again, each file under a name of its own.")
    if ".." in PurePosixPath(name.replace("\\", "/")).parts or name.startswith(("/", "\\")) or name[1:2] == ":":
        raise InputError(
            f"{path} holds a file named {name!r}, which points outside the archive. Do not trust this archive."
        )
    if member.flag_bits & _ENCRYPTED:
        raise InputError(f"{path} is protected by a password ({name!r}). Unpack it first.")


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


def zip_source(path: Path, member: zipfile.ZipInfo) -> ByteSource:
    """Return one file of an archive as a source of bytes, never more of them than the archive declares."""
    name = f"{path}: {member.filename}"

    def open_member() -> IO[bytes]:
        try:
            # What is opened from an archive works on after the archive is closed.
            with zipfile.ZipFile(path) as archive:
                inner = archive.open(member)
        except DAMAGED as error:
            raise damaged(name, error) from error
        return io.BufferedReader(GuardedStream(name, inner, inner.tell), 2**16)

    return ByteSource(name, open_member, member.file_size)


def zip_text_files(path: Path, members: list[zipfile.ZipInfo]) -> list[TextFile]:
    """Return the text files of an archive, in order of their names."""
    texts = [member for member in members if member.filename.lower().endswith(TEXT_SUFFIXES[:1])]
    if not texts:
        held = ", ".join(member.filename for member in members[:3]) or "nothing"
        raise InputError(f"{path} holds no .txt file and not one single table (it holds {held}). Pack .txt files.")
    return [TextFile(member.filename, zip_source(path, member)) for member in sorted(texts, key=lambda m: m.filename)]


def read_text_files(files: list[TextFile], encoding: str | None, report: LoadingReport) -> Iterator[Document]:
    """Yield a document for each file: its path is the id, the folders on the way are its labels."""
    for number, file in enumerate(files):
        report.fraction = number / len(files)
        yield Document(
            file.name, _whole_text(file.source, encoding, report), labels=PurePosixPath(file.name).parent.parts
        )


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
        raise InputError(f"{source.name} is longer than {MAX_CHARACTERS:,} characters. Break it into documents.")
    if "\0" in text:
        raise InputError(f"{source.name} holds NUL bytes, so it is not a text file. Take it out of the corpus.")
    report.n_replaced_characters += text.count("\ufffd")
    return text
