"""Folders and zip archives: which of the files in them are documents, and the way to their bytes."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from taxocom.errors import InputError
from taxocom.text.input.document_files import PACKED, SUFFIXES, kind_of
from taxocom.text.input.mixed_files import InputFile
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
_KINDS = (".txt", ".md", *SUFFIXES)
_ENCRYPTED = 0x1


@dataclass(frozen=True)
class Files:
    """The files that are documents, in order of their names, and how many others there are."""

    documents: list[InputFile]
    n_others: int


def folder_files(folder: Path) -> Files:
    """Return the documents under a folder; hidden files are left alone."""
    found = [(path.relative_to(folder).as_posix(), path) for path in folder.rglob("*") if path.is_file()]
    seen = sorted((name, path) for name, path in found if not _is_hidden(name))
    named = [(name, path) for name, path in seen if is_document(name)]
    if not named:
        raise InputError(
            f"There is no document in {folder} ({', '.join(_KINDS)}). Give a folder of such files, or a single file of "
            "documents."
        )
    return Files([InputFile(name, path_source(path)) for name, path in named], len(seen) - len(named))


def path_source(path: Path) -> ByteSource:
    """Return a file as a source; an empty one is an empty document among others, to be counted as such."""
    return file_source(path) if path.stat().st_size else ByteSource(str(path), lambda: io.BytesIO(b""), 0)


def is_document(name: str) -> bool:
    """Tell by its name whether a file among others is a document."""
    return name.lower().endswith(TEXT_SUFFIXES) or kind_of(name) is not None


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
        raise InputError(f"{path} is an Office document, not an archive of texts. Save it as .docx or CSV.")
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


def zip_files(path: Path, members: list[zipfile.ZipInfo]) -> Files:
    """Return the documents of an archive."""
    # What is packed twice is left alone: its size is not known before it is unpacked.
    documents = [member for member in members if is_document(member.filename)]
    named = [member for member in documents if not member.filename.lower().endswith(PACKED)]
    if not named:
        held = ", ".join(member.filename for member in members[:3]) or "nothing"
        raise InputError(
            f"{path} holds no document ({', '.join(_KINDS)}) and not one single table (it holds {held}). Pack such "
            "files."
        )
    named.sort(key=lambda member: member.filename)
    files = [InputFile(member.filename, zip_source(path, member)) for member in named]
    return Files(files, len(members) - len(named))
