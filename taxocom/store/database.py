"""One SQLite database per project: readers see a snapshot, writers take turns, an acknowledged write is on the disk."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event, text
from sqlalchemy.exc import DBAPIError, StatementError

from taxocom.errors import StoreError
from taxocom.store.files import sync_file
from taxocom.store.schema import HEAD

BUSY_SECONDS = 30.0
_WRITE, _DURABLE = "taxocom_write", "taxocom_durable"


class Database:
    """Access to a project's database file; safe to share between threads."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        if not create and not path.is_file():
            raise StoreError(f"{path} is missing. Restore the project from a backup, or delete what is left of it.")
        self.path = path
        self._engine = _engine(path, create=create)
        if create:
            self._set_journal()

    def _set_journal(self) -> None:
        # WAL is a property of the file: set once here, because switching to it needs the database to itself.
        with self._clear_errors(), self._engine.connect() as connection:
            connection.connection.cursor().execute("PRAGMA journal_mode = WAL").close()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a connection that sees one moment of the database, whatever others write meanwhile."""
        with self._clear_errors(), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self, *, durable: bool = True, any_revision: bool = False) -> Iterator[Connection]:
        """Give a connection that alone may write; all of it is kept, or on an exception none.

        `durable` waits for the disk, so that what follows may be told to the user; without it a power cut may take the
        last seconds back (never the order, never the file), which is right for progress and heartbeats.
        """
        with self._clear_errors(), self._engine.connect() as plain:
            connection = plain.execution_options(**{_WRITE: True, _DURABLE: durable})
            with connection.begin():
                if not any_revision:
                    self._refuse_other_schema(connection)
                yield connection

    def _refuse_other_schema(self, connection: Connection) -> None:
        # A newer version may have upgraded the file while this process had it open.
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
        if found != HEAD:
            raise StoreError(
                f"{self.path} has the schema {found} and this process writes {HEAD}. Restart it with the version "
                "of TaxoCom Studio that upgraded the project; nothing was written."
            )

    def copy_to(self, target: Path) -> None:
        """Write a consistent copy of the database to a file, while others may be writing."""
        with self._clear_errors(), self._engine.connect() as connection:
            source = cast(sqlite3.Connection, connection.connection.dbapi_connection)
            with closing(sqlite3.connect(target)) as copy:
                source.backup(copy)
        sync_file(target)

    def problems(self) -> list[str]:
        """Return what SQLite finds wrong with the file, nothing if all is well."""
        with self.read() as connection:
            found = [str(row[0]) for row in connection.execute(text("PRAGMA integrity_check"))]
        return [] if found == ["ok"] else found

    def close(self) -> None:
        """Close every connection; the last one to close folds the write-ahead log into the file."""
        self._engine.dispose()

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise StoreError(_explain(self.path, str(error.orig))) from error
        except sqlite3.Error as error:
            raise StoreError(_explain(self.path, str(error))) from error
        except StatementError as error:
            raise StoreError(f"{self.path}: this cannot be kept as JSON: {error.orig}.") from error


def _explain(path: Path, said: str) -> str:
    if "locked" in said:
        return (
            f"{path}: another process has been writing for {BUSY_SECONDS:.0f} seconds. "
            "Try again; if it persists, end that process."
        )
    if "malformed" in said or "not a database" in said:
        return (
            f"{path} is damaged ({said}). Restore the project from a backup with `taxocom restore`; "
            "a copy from before the last upgrade may lie beside it (project.db.before-…)."
        )
    if "full" in said:
        return f"{path}: the disk is full. Free some space and try again; nothing was written."
    if "readonly" in said or "unable to open" in said:
        return f"{path} cannot be written ({said}). Make the project's directory writable, or copy the project."
    return f"{path}: the database refused: {said}."


def _engine(path: Path, *, create: bool) -> Engine:
    # mode=rw: SQLite would otherwise make an empty database where a file has gone missing.
    address = f"file:{quote(str(path.absolute()))}?mode={'rwc' if create else 'rw'}"

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None)

    engine = create_engine(
        "sqlite://",
        creator=connect,
        poolclass=QueuePool,
        max_overflow=-1,
        json_serializer=partial(json.dumps, allow_nan=False, separators=(",", ":")),
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: sqlite3.Connection, _: Any) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    # A restored file may come from a stranger: its schema must not call functions behind our back.
    connection.execute("PRAGMA trusted_schema = OFF")


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if not options.get(_WRITE):
        connection.exec_driver_sql("BEGIN")
        return
    connection.exec_driver_sql(f"PRAGMA synchronous = {'FULL' if options.get(_DURABLE) else 'NORMAL'}")
    # Taking the writer lock at once: a reader that turns writer half-way would fail instead of waiting.
    connection.exec_driver_sql("BEGIN IMMEDIATE")
