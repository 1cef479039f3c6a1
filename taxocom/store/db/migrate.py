"""Bring a database to the schema that this code knows, or refuse with a reason."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from taxocom.errors import StoreError
from taxocom.store.db.database import Database
from taxocom.store.db.project_database import MOVED, ProjectDatabase
from taxocom.store.db.schema import HEAD

# Alembic keeps its environment in module globals, so two threads must not migrate at once.
_one_at_a_time = threading.Lock()


def create_tables(database: ProjectDatabase) -> None:
    """Make the tables of a new, empty database."""
    with database.write(any_revision=True) as connection:
        _upgrade(connection)


def bring_up_to_date(database: ProjectDatabase) -> None:
    """Upgrade an older schema in one transaction, after a copy of the database; refuse a newer one.

    The common case, a schema that is ours already, is one small query and does not load Alembic.
    """
    found = revision_of(database)
    if found == HEAD:
        return
    if found == MOVED:
        raise StoreError(
            f"{database.path} is what was left behind when the project was moved to a database server. "
            "Open the project where it was moved to."
        )
    if found not in known_revisions():
        raise StoreError(
            f"{database.path} was written by a newer version of TaxoCom Studio (its schema is {found}, this version "
            f"knows up to {HEAD}). Install the newer version; nothing was changed."
        )
    with database.write(any_revision=True) as connection:
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
        if found != HEAD:
            # The copy is made under the writer lock, so it holds everything up to the upgrade and nothing after.
            database.set_aside(HEAD)
            _upgrade(connection)


def revision_of(database: ProjectDatabase) -> str:
    """Return the revision a database is at."""
    with database.read() as connection:
        if not inspect(connection).has_table("alembic_version"):
            raise StoreError(f"{database.path} is a database, but not one of a TaxoCom project.")
        return str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one())


def foreign_parts(database: Database) -> list[str]:
    """Return how the tables, views and triggers of a database differ from those that we make, nothing if they do not.

    A view in place of a table, or a trigger, would do a stranger's bidding at every look.
    """
    with tempfile.TemporaryDirectory(prefix="taxocom-schema-") as folder:
        ours = Database(Path(folder) / "ours.db", access="create")
        try:
            create_tables(ours)
            expected = _parts(ours)
        finally:
            ours.close()
    return sorted(f"{kind} {name!r} is not as we make it" for kind, name, _ in expected ^ _parts(database))


def _parts(database: Database) -> set[tuple[str, str, str]]:
    with database.read() as connection:
        rows = connection.execute(text("SELECT type, name, coalesce(sql, '') AS sql FROM sqlite_master"))
        return {(row.type, row.name, " ".join(row.sql.split())) for row in rows if not row.name.startswith("sqlite_")}


def known_revisions() -> list[str]:
    """Return every revision this code can upgrade from, newest first."""
    from alembic.script import ScriptDirectory

    return [script.revision for script in ScriptDirectory(str(_migrations())).walk_revisions()]


def _migrations() -> Path:
    return Path(__file__).with_name("migrations")


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    # Alembic's options are those of configparser, where a percent sign in a path would start an interpolation.
    config.set_main_option("script_location", str(_migrations()).replace("%", "%%"))
    config.attributes["connection"] = connection
    with _one_at_a_time:
        command.upgrade(config, "head")
