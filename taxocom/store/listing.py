"""Where projects live, and which there are."""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy import func, select

from taxocom.errors import StoreError
from taxocom.store import schema
from taxocom.store.database import Database
from taxocom.store.project import DATABASE
from taxocom.store.records import ProjectSummary


def home() -> Path:
    """Return the directory that everything lives under: TAXOCOM_HOME, or the user's data directory."""
    chosen = os.environ.get("TAXOCOM_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "taxocom"


def home_of(project: Path) -> Path:
    """Return the home that a project's directory lies in, the user's own for one that lies elsewhere."""
    return project.parent.parent if project.parent.name == "projects" else home()


def list_projects() -> list[ProjectSummary]:
    """Return every project by name; one that cannot be opened is listed with its problem."""
    return _summaries(home() / "projects")


def list_deleted() -> list[ProjectSummary]:
    """Return the projects in the trash by name."""
    return _summaries(home() / "trash")


def _summaries(folder: Path) -> list[ProjectSummary]:
    if not folder.is_dir():
        return []
    found = [_summary(path) for path in folder.iterdir() if path.is_dir()]
    return sorted(found, key=lambda summary: (summary.name.casefold(), summary.path.name))


def _summary(path: Path) -> ProjectSummary:
    try:
        database = Database(path / DATABASE)
        try:
            return _read_summary(path, database)
        finally:
            database.close()
    except StoreError as error:
        return ProjectSummary(path.name, path, "", "", "", 0, False, str(error))


def _read_summary(path: Path, database: Database) -> ProjectSummary:
    with database.read() as connection:
        about = {row.key: row.value for row in connection.execute(select(schema.meta))}
        n_decisions = connection.execute(select(func.count()).select_from(schema.decisions)).scalar_one()
        times = [
            connection.execute(select(func.max(column))).scalar()
            for column in (schema.decisions.c.at, schema.uses.c.at, schema.proposals.c.created_at)
        ]
        corpus = connection.execute(select(schema.uses.c.artifact).where(schema.uses.c.purpose == "corpus")).first()
    created_at = str(about.get("created_at", ""))
    return ProjectSummary(
        name=str(about.get("name", path.name)),
        path=path,
        project_id=str(about.get("project_id", "")),
        created_at=created_at,
        changed_at=max([created_at, *(time for time in times if time)]),
        n_decisions=n_decisions,
        has_corpus=corpus is not None,
    )
