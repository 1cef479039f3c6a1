"""Where projects live, and which there are."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from taxocom.errors import StoreError
from taxocom.store.db.database import Access
from taxocom.store.db.project_database import ProjectDatabase
from taxocom.store.db.records import ProjectSummary
from taxocom.store.db.which_database import database_of, look_at
from taxocom.store.disk.whole_files import clear_errors, make_private

_PATIENCE = 1.5
"""Seconds that the list waits for one project."""


def home() -> Path:
    """Return the directory that everything lives under: TAXOCOM_HOME, or the user's data directory."""
    chosen = os.environ.get("TAXOCOM_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "taxocom"


def make_home() -> Path:
    """Return the home, having made it and its folders, for its owner alone."""
    where = home()
    with clear_errors("use", where):
        for folder in (where, where / "projects", where / "trash", where / "work"):
            make_private(folder)
    return where


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
    with clear_errors("look into", folder):
        if not folder.is_dir():
            return []
        found = [_summary(path) for path in folder.iterdir() if path.is_dir()]
    return sorted(found, key=lambda summary: (summary.name.casefold(), summary.path.name))


def _summary(path: Path) -> ProjectSummary:
    """Return a project's line. Whatever a damaged project raises, the others are not to suffer for it."""
    try:
        return _looked_up(path, "look")
    except Exception as error:
        problem = str(error) if isinstance(error, StoreError) else f"{database_of(path)} is damaged ({error!r:.200})."
    if not _writable(path):
        # It keeps its name, so that it is found and the problem told.
        with suppress(Exception):
            return replace(_looked_up(path, "as it lies"), problem=problem)
    return ProjectSummary(path.name, path, "", "", "", 0, False, problem)


def _writable(path: Path) -> bool:
    return all(os.access(place, os.W_OK, effective_ids=True) for place in (path, database_of(path)))


def _looked_up(path: Path, access: Access) -> ProjectSummary:
    database = look_at(path, access, _PATIENCE)
    try:
        return _read_summary(path, database)
    finally:
        database.close()


# What is longer was not written by us.
_ABOUT = """
SELECT key, CAST(value AS TEXT) FROM meta
WHERE key IN ('name', 'project_id', 'created_at') AND length(CAST(value AS TEXT)) < 2000
"""
# Written out, because each project has an engine of its own and would compile the same expressions again.
_COUNTS = """
SELECT (SELECT count(*) FROM decisions) AS n_decisions,
       (SELECT count(*) FROM uses WHERE purpose = 'corpus') AS n_corpora,
       coalesce((SELECT max(at) FROM decisions), '') AS decided_at,
       coalesce((SELECT max(at) FROM uses), '') AS used_at,
       coalesce((SELECT max(created_at) FROM proposals), '') AS proposed_at
"""


def _read_summary(path: Path, database: ProjectDatabase) -> ProjectSummary:
    with database.read() as connection:
        about = {key: json.loads(value) for key, value in connection.exec_driver_sql(_ABOUT)}
        counts = connection.exec_driver_sql(_COUNTS).one()
    if not isinstance(about.get("name"), str) or not about["name"].strip():
        raise StoreError(f"{database_of(path)} is damaged: the project has no name. Restore it from a backup.")
    created_at = str(about.get("created_at", ""))
    changed_at = max(counts.decided_at, counts.used_at, counts.proposed_at)
    for moment in filter(None, (created_at, changed_at)):
        datetime.fromisoformat(moment)
    return ProjectSummary(
        name=about["name"],
        path=path,
        project_id=str(about.get("project_id", "")),
        created_at=created_at,
        changed_at=max(created_at, changed_at),
        n_decisions=counts.n_decisions,
        has_corpus=counts.n_corpora > 0,
    )
