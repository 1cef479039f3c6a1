"""Moving a project's tables between a file of its own and a database server; both sides hold the same afterwards."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Literal

from sqlalchemy import text

from taxocom.errors import StoreError
from taxocom.store.db.head import head_of
from taxocom.store.db.migrate import create_tables
from taxocom.store.db.project_database import MOVED
from taxocom.store.db.server_address import (
    VARIABLE,
    is_on_server,
    marker_of,
    new_schema,
    server_address,
    told,
    write_marker,
)
from taxocom.store.db.which_database import DATABASE, open_database
from taxocom.store.disk.locks import busy_with, working_place
from taxocom.store.disk.whole_files import clear_errors, discard, make_private, sync_directory
from taxocom.store.projects.project import Project

Side = Literal["server", "file"]
_BESIDE_A_FILE = ("project.db-wal", "project.db-shm", "project.head", "project.lock")


def move_tables(project: Path, to: Side, *, by: str | None = None) -> str:
    """Move the tables of a project; return where they are now, for people. Refused while somebody works on it.

    `by` is the person who asked for it, None the program itself.
    """
    if by is not None:
        with Project(project) as opened:
            opened.require("delete", by)
    if busy := busy_with(project / "work"):
        raise StoreError(f"{project.name} is being worked on ({', '.join(busy)}). Cancel that or wait for it.")
    if is_on_server(project) == (to == "server"):
        raise StoreError(
            f"The tables of {project.name} are {'on a server' if to == 'server' else 'in a file'} already."
        )
    if to == "file":
        return _to_file(project)
    if server_address() is None:
        raise StoreError(f"Say which server: {VARIABLE}=postgresql+psycopg://name:password@host/database")
    return put_on_server(project)


def put_on_server(project: Path) -> str:
    """Move the tables of a project from its file to the server, whole or not at all."""
    from taxocom.store.db.postgres import ServerDatabase
    from taxocom.store.db.transfer import copy_rows

    address = server_address()
    if address is None:
        return DATABASE
    # Proves the file as well.
    with closing(open_database(project)) as source, source.write() as held:
        target = ServerDatabase(project, schema=new_schema())
        try:
            target.create_schema()
            create_tables(target)
            with target.write(turn="project") as connection:
                copy_rows(held, connection)
            # From here on the project is on the server.
            write_marker(project, target.schema)
        except BaseException:
            target.drop_schema()
            raise
        # Who still has the file open is told when writing.
        held.execute(text("UPDATE alembic_version SET version_num = :moved"), {"moved": MOVED})
    with clear_errors("remove from", project):
        for name in (DATABASE, *_BESIDE_A_FILE):
            discard(project / name)
        sync_directory(project)
    return told(address)


def _to_file(project: Path) -> str:
    from taxocom.store.db.postgres import ServerDatabase
    from taxocom.store.db.transfer import copy_to_file

    source = ServerDatabase(project)
    with working_place(project / "work", "move") as place:
        make_private(place)
        with source.write(turn="project") as held:
            copy_to_file(held, place / DATABASE, source.commits(held))
            with clear_errors("put in place", project):
                head_of(place / DATABASE).replace(head_of(project / DATABASE))
                (place / DATABASE).replace(project / DATABASE)
                marker_of(project).unlink()
                sync_directory(project)
            held.execute(text("UPDATE alembic_version SET version_num = :moved"), {"moved": MOVED})
        source.drop_schema()
    return DATABASE


def drop_tables(project: Path) -> None:
    """Remove what a project has on a server, before its directory goes."""
    if is_on_server(project):
        from taxocom.store.db.postgres import ServerDatabase

        ServerDatabase(project).drop_schema()


def try_server(place: Path) -> None:
    """Make a schema on the server, if projects are kept on one, and remove it; raise if that fails."""
    if server_address() is not None:
        from taxocom.store.db.postgres import ServerDatabase

        database = ServerDatabase(place, schema=new_schema())
        database.create_schema()
        database.drop_schema()
