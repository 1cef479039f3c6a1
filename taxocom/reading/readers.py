"""The readers by name, as they run in the process that reads. Each imports what it needs inside itself."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taxocom.errors import InputError
from taxocom.progress import Progress

if TYPE_CHECKING:
    from taxocom.interchange.base.seed_document import SeedDocument
    from taxocom.interchange.bundle import ReplayResult
    from taxocom.text.input.columns import Columns
    from taxocom.text.input.document_files import Piece, Result
    from taxocom.text.input.documents import Document
    from taxocom.text.input.loading import Format
    from taxocom.text.language.languages import LanguageReport

_LOOKED_AT = 100


@dataclass(frozen=True)
class CorpusLook:
    """A corpus as its first documents show it: its format, its columns and which are read as what, its language.

    `available` is empty and `columns` None for formats without columns. The `documents` are the first few, their texts
    shortened. `language` is told from the first hundred, where it was asked for.
    """

    path: Path
    format: Format
    encoding: str
    available: tuple[str, ...]
    columns: Columns | None
    documents: tuple[Document, ...]
    language: LanguageReport | None


def _seed(_progress: Progress, content: Path | bytes, format_name: str | None, name: str | None) -> SeedDocument:
    from taxocom.interchange.seed_reading import read_seed

    return read_seed(content, format_name, name=name)


def _corpus(
    _progress: Progress,
    path: Path,
    encoding: str | None,
    columns: Columns | None,
    with_language: bool,
    n_shown: int,
    n_characters: int,
    skip_unreadable: bool,
) -> CorpusLook:
    from taxocom.text.input.loading import sniff

    found = sniff(path, encoding=encoding, skip_unreadable=skip_unreadable)
    if columns is not None:
        found = found.with_columns(columns)
    # Shortened one by one: a hundred of the longest documents would fill the memory.
    n_looked_at = _LOOKED_AT if with_language else n_shown
    first = [replace(one, text=_shortened(one.text, n_characters)) for one in islice(found.documents(), n_looked_at)]
    shown = tuple(first[:n_shown])
    language = _language([one.text for one in first]) if with_language else None
    return CorpusLook(path, found.format, found.encoding, found.available, found.columns, shown, language)


def _pieces(_progress: Progress, pieces: list[Piece]) -> list[Result]:
    from taxocom.text.input.document_files import extract

    return extract(pieces)


def _rows(progress: Progress, url: str, query: str, out: Path) -> int:
    from taxocom.store.disk.sql_rows import fetch_rows

    return fetch_rows(url, query, out, progress)


def _language(texts: list[str]) -> LanguageReport:
    from taxocom.text.language.detection import detect_language

    return detect_language(texts)


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + "…"


def _bundle(_progress: Progress, file: Path) -> ReplayResult:
    from taxocom.interchange.bundle import replay_bundle

    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}. Check the path.") from error
    return replay_bundle(data, file.name)


def _backup(progress: Progress, file: Path, name: str | None) -> Path:
    from taxocom.store.homes.backup import restore_project

    with restore_project(file, name=name, progress=progress) as project:
        return project.path


def _artifact(_progress: Progress, file: Path, project: Path, name: str) -> bool:
    from taxocom.store.homes.backup import take_back
    from taxocom.store.projects.project import Project

    with Project(project) as opened:
        return take_back(opened, name, file)


READERS: Mapping[str, Callable[..., Any]] = {
    "seed": _seed,
    "corpus": _corpus,
    "pieces": _pieces,
    "rows": _rows,
    "bundle": _bundle,
    "backup": _backup,
    "artifact": _artifact,
}


def _prepare_language() -> None:
    from taxocom.text.language.detection import language_of

    language_of("Half a second, most of it for the model.")


def _importing(*modules: str) -> Callable[[], object]:
    return lambda: [importlib.import_module(module) for module in modules]


PREPARATIONS: Mapping[str, Callable[[], object]] = {
    "seed": _importing("taxocom.interchange.seed_reading"),
    "spreadsheets": _importing("openpyxl"),
    "SKOS": _importing("taxocom.interchange.skos.rdf_parsing", "rdflib.plugins.parsers.jsonld"),
    "corpus": _importing("taxocom.text.input.loading"),
    "pieces": _importing("taxocom.text.input.document_files", "pypdf", "docx"),
    "rows": _importing("taxocom.store.disk.sql_rows"),
    "language": _prepare_language,
    "bundle": _importing("taxocom.interchange.bundle"),
    "backup": _importing("taxocom.store.homes.backup", "taxocom.text.corpus_checks"),
    "artifact": _importing("taxocom.store.homes.backup"),
}
"""What a server can do before it is asked: what each reader imports, and what some of them need besides."""
