"""Every file that a person hands to a page or a command is read through here: seeds, corpora, bundles, backups."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from taxocom.progress import SILENT, Progress
from taxocom.reading.client import ask, make_ready
from taxocom.settings import ReadingLimits

if TYPE_CHECKING:
    from taxocom.interchange.base.seed_document import SeedDocument
    from taxocom.interchange.bundle import ReplayResult
    from taxocom.reading.readers import CorpusLook
    from taxocom.store.projects.project import Project
    from taxocom.text.input.columns import Columns


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
    }
    return cast("CorpusLook", ask("corpus", arguments, name=str(path), limits=ReadingLimits.from_environment()))


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
