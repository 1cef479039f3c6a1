"""A project's tables on a PostgreSQL server, in a schema of their own.

Readers see a snapshot. Writers lock rows, not the database: only those who append to the log wait for each other, since
a decision follows the one before it, and whoever needs the project to stand still keeps every writer out (`Turn`).
"""

from __future__ import annotations

import atexit
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, text
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, StatementError

from taxocom.errors import StoreError
from taxocom.store.db.database import BUSY_SECONDS, DamagedError, to_json
from taxocom.store.db.project_database import Turn, refuse_other_revision
from taxocom.store.db.schema import HEAD
from taxocom.store.db.server_address import VARIABLE, address_for, marker_of, schema_of, told

_ANSWER_SECONDS = 5
"""How long a server may take to be reached; libpq waits two seconds at least."""
_KEPT_OPEN = 2
"""Connections that a process keeps to a server when nobody asks anything."""

_engines: dict[URL, Engine] = {}
_engines_lock = threading.Lock()


class ServerDatabase:
    """Access to a project's schema on a server; safe to share between threads.

    `schema` is that of a project whose file does not name it yet; `seconds` bounds every statement. The connections
    belong to the process and serve all of its projects.
    """

    def __init__(self, project: Path, *, schema: str | None = None, seconds: float | None = None) -> None:
        self.path = marker_of(project)
        self.schema = schema or schema_of(project)
        self._address = address_for(project)
        self._seconds = seconds or BUSY_SECONDS * 4
        self._engine = _engine(self._address)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a connection that sees one moment of the database, whatever others write meanwhile."""
        with self._clear_errors(), self._engine.connect() as plain:
            connection = plain.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            with connection.begin():
                self._prepare(connection)
                yield connection

    @contextmanager
    def write(self, *, durable: bool = True, any_revision: bool = False, turn: Turn = "row") -> Iterator[Connection]:
        """Give a connection that may write beside others; all of it is kept, or on an exception none."""
        with self._clear_errors(), self._engine.connect() as connection, connection.begin():
            self._prepare(connection, durable=durable)
            self._take(connection, "project" if any_revision else turn)
            if not any_revision:
                refuse_other_revision(connection, self.path, HEAD)
            yield connection
            # No transaction waits for another's number, and a number that was not used is no harm.
            connection.execute(text("SELECT nextval('commits')"))

    def _prepare(self, connection: Connection, *, durable: bool = True) -> None:
        settings = {
            "search_path": self.schema,
            "statement_timeout": f"{self._seconds:g}s",
            "lock_timeout": f"{BUSY_SECONDS:g}s",
        }
        if not durable:
            settings["synchronous_commit"] = "off"
        connection.exec_driver_sql("; ".join(f"SET LOCAL {name} = '{value}'" for name, value in settings.items()))

    def _take(self, connection: Connection, turn: Turn) -> None:
        """Wait for a turn; the server gives it back with the transaction."""
        take = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")
        if turn == "project":
            connection.execute(take, {"name": self.schema})
            return
        connection.execute(
            text("SELECT pg_advisory_xact_lock_shared(hashtextextended(:name, 0))"), {"name": self.schema}
        )
        if turn != "row":
            connection.execute(take, {"name": f"{self.schema}/{turn}"})

    def copy_to(self, target: Path) -> None:
        """Write a consistent copy of the tables to a file of SQLite, while others may be writing."""
        from taxocom.store.db.transfer import copy_to_file

        with self.read() as connection:
            copy_to_file(connection, target, self.commits(connection))

    @staticmethod
    def commits(connection: Connection) -> int:
        """Return how many changes were committed, or nearly so: those that failed count too."""
        return int(connection.execute(text("SELECT last_value FROM commits")).scalar_one())

    def set_aside(self, revision: str) -> None:
        """Do nothing: an upgrade is one transaction, and a server has backups of its own."""

    def create_schema(self) -> None:
        """Make the schema, still without tables."""
        with self._clear_errors(), self._engine.begin() as connection:
            connection.exec_driver_sql(f'CREATE SCHEMA "{self.schema}"')

    def drop_schema(self) -> None:
        """Remove the tables with all they hold."""
        with self._clear_errors(), self._engine.begin() as connection:
            self._take(connection, "project")
            connection.exec_driver_sql("SET LOCAL client_min_messages = warning")
            connection.exec_driver_sql(f'DROP SCHEMA IF EXISTS "{self.schema}" CASCADE')

    def close(self) -> None:
        """Nothing is held: every connection went back to the process's own when it was done with."""

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise self._explained(error) from error
        except StatementError as error:
            # What `to_json` refused, wrapped with the statement that it was for.
            raise error.orig if isinstance(error.orig, StoreError) else error from error

    def _explained(self, error: DBAPIError) -> StoreError:
        state = str(getattr(error.orig, "sqlstate", None) or "")
        said = " ".join(str(error.orig).split())[:200]
        server = told(self._address)
        if state in ("42P01", "3F000"):
            return DamagedError(
                self.path, [f"its tables are not on {server}. Is {VARIABLE} the address that they were written to?"]
            )
        if state == "55P03":
            return StoreError(
                f"{self.path}: another process has been writing for {BUSY_SECONDS:.0f} seconds. "
                "Try again; if it persists, end that process."
            )
        if state == "53100":
            return StoreError(
                f"{server}: the server's disk is full. Free some space and try again; nothing was written."
            )
        if state.startswith("28"):
            return StoreError(f"{server} lets nobody in with the name and password of {VARIABLE} ({said}).")
        if not state or state.startswith(("08", "57P", "53")):
            return StoreError(
                f"The database server {server} does not answer ({said}). Start it, or correct {VARIABLE}; "
                "nothing was written."
            )
        return StoreError(f"{self.path}: the database refused: {said}.")


def _engine(address: URL) -> Engine:
    with _engines_lock:
        if address not in _engines:
            _engines[address] = _made(address)
        return _engines[address]


def _made(address: URL) -> Engine:
    try:
        return create_engine(
            address,
            pool_size=_KEPT_OPEN,
            max_overflow=-1,
            # A server that was started again must not fail the first click.
            pool_pre_ping=True,
            isolation_level="READ COMMITTED",
            json_serializer=to_json,
            json_deserializer=json.loads,
            connect_args={"connect_timeout": _ANSWER_SECONDS, "application_name": "taxocom"},
        )
    except (ImportError, NoSuchModuleError) as error:
        raise StoreError("To keep projects on PostgreSQL, install its driver: pip install 'psycopg[binary]'") from error


def let_go_of_servers() -> None:
    """Close the connections that nobody uses."""
    with _engines_lock:
        for engine in _engines.values():
            engine.dispose()


def _in_child() -> None:
    # They are the parent's: a child that used or closed them would end its conversations.
    for engine in _engines.values():
        engine.dispose(close=False)


atexit.register(let_go_of_servers)
os.register_at_fork(after_in_child=_in_child)
