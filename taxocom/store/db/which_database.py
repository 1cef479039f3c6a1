"""Which database a project has, and whether it is what was written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from taxocom.errors import StoreError
from taxocom.store.db.database import Access, DamagedError, Database
from taxocom.store.db.head import read_head
from taxocom.store.db.log import logged_rows
from taxocom.store.db.project_database import ProjectDatabase
from taxocom.store.db.proof import broken_link, database_problems, refuse_damaged
from taxocom.store.db.server_address import is_on_server, marker_of

if TYPE_CHECKING:
    from taxocom.store.db.postgres import ServerDatabase

DATABASE = "project.db"
"""The file that the tables of a project are in, unless they are on a server."""


def open_database(project: Path) -> ProjectDatabase:
    """Open the database of a project, once it is proven."""
    if not is_on_server(project):
        refuse_damaged(project / DATABASE)
        return Database(project / DATABASE)
    database = _on_server(project)
    if problems := _problems_on_server(database):
        raise DamagedError(database.path, problems)
    return database


def look_at(project: Path, access: Access, seconds: float) -> ProjectDatabase:
    """Open the database of a project that nobody has vouched for, to read a little."""
    if is_on_server(project):
        return _on_server(project, seconds)
    return Database(project / DATABASE, seconds=seconds, access=access)


def problems_of(project: Path) -> list[str]:
    """Return how the database of a project differs from what was written, nothing if it does not."""
    if not is_on_server(project):
        return [f"{DATABASE}: {said}" for said in database_problems(project / DATABASE)]
    try:
        return [f"{marker_of(project).name}: {said}" for said in _problems_on_server(_on_server(project))]
    except StoreError as error:
        return [str(error)]


def commits_of(project: Path) -> int:
    """Return how many changes a project has seen, to tell whether it changed."""
    if not is_on_server(project):
        return read_head(project / DATABASE).commits
    database = _on_server(project)
    with database.read() as connection:
        return database.commits(connection)


def database_of(project: Path) -> Path:
    """Return the file in a project's directory that messages name as its database."""
    return marker_of(project) if is_on_server(project) else project / DATABASE


def _on_server(project: Path, seconds: float | None = None) -> ServerDatabase:
    # Whoever has no server need not load what talks to one.
    from taxocom.store.db.postgres import ServerDatabase

    return ServerDatabase(project, seconds=seconds)


def _problems_on_server(database: ProjectDatabase) -> list[str]:
    with database.read() as connection:
        broken = broken_link(logged_rows(connection, 0))
    return [] if broken is None else [f"decision {broken} is not what was recorded"]
