"""Every file that a person hands to a page or a command is read through here: seeds, corpora, bundles, backups."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from taxocom.errors import InputError
from taxocom.progress import SILENT, Progress
from taxocom.reading.client import ask, make_ready
from taxocom.settings import ReadingLimits

if TYPE_CHECKING:
    from taxocom.interchange.base.seed_document import SeedDocument
    from taxocom.interchange.bundle import ReplayResult
    from taxocom.reading.readers import CorpusLook
    from taxocom.store.projects.project import Project
    from taxocom.text.input.columns import Columns
    from taxocom.text.input.document_files import Piece, Result
    from taxocom.text.input.loading import CorpusSource


def read_seed(content: Path | bytes, format_name: str | None = None, *, name: str | None = None) -> SeedDocument:
    """Read a seed as `taxocom.interchange.read_seed` does."""
    make_ready("seed")
    # The other process imports the same at the same time.
    import taxocom.interchange.base.seed_document  # noqa: F401

    called = name or (content.name if isinstance(content, Path) else "the seed")
    arguments = {"content": content, "format_name": format_name, "name": name}
    return cast("SeedDocument", ask("seed", arguments, name=called, limits=ReadingLimits.from_environment()))


def look_at_corpus(
    path: Path,
    *,
    encoding: str | None = None,
    columns: Columns | None = None,
    with_language: bool = False,
    n_shown: int = 5,
    n_characters: int = 2_000,
    skip_unreadable: bool = False,
) -> CorpusLook:
    """Find out what a corpus is and what its columns are, and read its first documents, by the columns where given.

    Of `n_shown` documents at most, and of each no more than `n_characters`.
    """
    arguments = {
        "path": path,
        "encoding": encoding,
        "columns": columns,
        "with_language": with_language,
        "n_shown": n_shown,
        "n_characters": n_characters,
        "skip_unreadable": skip_unreadable,
    }
    return cast("CorpusLook", ask("corpus", arguments, name=str(path), limits=ReadingLimits.from_environment()))


def source_of(path: Path | str, *, encoding: str | None = None, skip_unreadable: bool = False) -> CorpusSource:
    """Find out what a corpus is as `text.input.loading.sniff` does; PDF, Word, HTML and mail are read apart."""
    from taxocom.text.input.loading import sniff

    return sniff(path, encoding=encoding, skip_unreadable=skip_unreadable, extract=extract_apart)


def extract_apart(pieces: Sequence[Piece]) -> list[Result]:
    """Read document files in another process; one that ends it, or takes too long, is found and told like others."""
    from taxocom.text.input.document_files import Unreadable

    if not pieces:
        return []
    limits = ReadingLimits.from_environment()
    try:
        return cast("list[Result]", ask("pieces", {"pieces": list(pieces)}, name=pieces[0].name, limits=limits))
    except InputError as error:
        if len(pieces) == 1:
            return [Unreadable(str(error))]
    return [result for piece in pieces for result in extract_apart([piece])]


def fetch_rows(url: str, query: str, out: Path, progress: Progress) -> int:
    """Write the rows of a query into a file of JSON lines as `store.disk.sql_rows` does."""
    arguments = {"url": url, "query": query, "out": out}
    limits = ReadingLimits.from_environment()
    return cast(int, ask("rows", arguments, name="The database", limits=limits, progress=progress))


def replay_bundle(file: Path) -> ReplayResult:
    """Rebuild the taxonomy of a bundle as `taxocom.interchange.replay_bundle` does."""
    limits = ReadingLimits.from_environment()
    return cast("ReplayResult", ask("bundle", {"file": file}, name=file.name, limits=limits))


def restore_project(file: Path, *, name: str | None = None, progress: Progress = SILENT) -> Project:
    """Make a project from a backup as `taxocom.store.restore_project` does, and open it."""
    from taxocom.store.projects.project import Project

    arguments = {"file": file, "name": name}
    limits = ReadingLimits.from_environment().for_backups()
    return Project(cast(Path, ask("backup", arguments, name=str(file), limits=limits, progress=progress)))


def take_back(project: Project, name: str, file: Path) -> bool:
    """Put a damaged artifact of a project right from a backup; False if the backup does not hold it."""
    arguments = {"file": file, "project": project.path, "name": name}
    limits = ReadingLimits.from_environment().for_backups()
    return cast(bool, ask("artifact", arguments, name=str(file), limits=limits))
