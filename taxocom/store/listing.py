"""Where projects live, and which there are."""

from __future__ import annotations

import json
import os
from pathlib import Path

from taxocom.errors import StoreError
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


# Written out, because each project has an engine of its own and would compile the same expressions again.
_COUNTS = """
SELECT (SELECT count(*) FROM decisions) AS n_decisions,
       (SELECT count(*) FROM uses WHERE purpose = 'corpus') AS n_corpora,
       max(coalesce((SELECT max(at) FROM decisions), ''),
           coalesce((SELECT max(at) FROM uses), ''),
           coalesce((SELECT max(created_at) FROM proposals), '')) AS changed_at
"""


def _read_summary(path: Path, database: Database) -> ProjectSummary:
    with database.read() as connection:
        about = {key: json.loads(value) for key, value in connection.exec_driver_sql("SELECT key, value FROM meta")}
        counts = connection.exec_driver_sql(_COUNTS).one()
    created_at = str(about.get("created_at", ""))
    return ProjectSummary(
        name=str(about.get("name", path.name)),
        path=path,
        project_id=str(about.get("project_id", "")),
        created_at=created_at,
        changed_at=max(created_at, counts.changed_at),
        n_decisions=counts.n_decisions,
        has_corpus=counts.n_corpora > 0,
    )
