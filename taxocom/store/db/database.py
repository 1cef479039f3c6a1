"""One SQLite database per project: readers see a snapshot, writers take turns, an acknowledged write is on the disk."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from sqlalchemy import Connection, Engine, QueuePool, RootTransaction, Table, create_engine, event, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, StatementError

from taxocom.errors import StoreError
from taxocom.store.db.head import replacing_head, write_head
from taxocom.store.db.project_database import Turn, refuse_other_revision
from taxocom.store.db.schema import HEAD
from taxocom.store.db.seals import count_commit, is_sealed, raw_connection, seal_all, watch
from taxocom.store.disk.whole_files import clear_errors, sync_file

BUSY_SECONDS = 30.0
_STEPS = 100_000
"""After how many steps of its machine SQLite is asked whether it took too long."""
_WRITE, _DURABLE = "taxocom_write", "taxocom_durable"

Access = Literal["create", "write", "look", "as it lies"]
# rw: SQLite would otherwise make an empty database where a file has gone missing.
_MODES: dict[Access, str] = {"create": "rwc", "write": "rw", "look": "ro", "as it lies": "ro&immutable=1"}


class DamagedError(StoreError):
    """A project's database is not what was written; `problems` say how, and the message names the remedy."""

    def __init__(self, database: Path, problems: list[str]) -> None:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(
            f"{database} is damaged: {problems[0]}{more}. "
            f"Repair it with the command: taxocom repair {database.parent.name} --from BACKUP"
        )
        self.problems = problems


class Database:
    """Access to a project's database file; safe to share between threads.

    `seconds` bounds all that is asked of it, for a file that nobody has vouched for: a view may never end. Whoever
    may only `look` leaves a damaged file as it was found: closing folds nothing into it. `as it lies` reads a file that
    cannot be written, without what was not folded into it yet.
    """

    def __init__(self, path: Path, *, access: Access = "write", seconds: float | None = None) -> None:
        if access != "create" and not path.is_file():
            raise StoreError(f"{path} is missing. Restore the project from a backup, or delete what is left of it.")
        self.path = path
        if access == "create":
            _touch_private(path)
        self._engine = _engine(path, _MODES[access], seconds)
        if access == "create":
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
    def write(
        self,
        *,
        durable: bool = True,
        any_revision: bool = False,
        turn: Turn = "row",  # noqa: ARG002  # every writer has a file alone
    ) -> Iterator[Connection]:
        """Give a connection that alone may write; all of it is kept, or on an exception none.

        `durable` waits for the disk, so that what follows may be told to the user; without it a power cut may take the
        last seconds back (never the order, never the file), which is right for progress and heartbeats.
        """
        with self._clear_errors(), self._engine.connect() as plain:
            if not any_revision:
                watch(plain)
            connection = plain.execution_options(**{_WRITE: True, _DURABLE: durable})
            with connection.begin() as transaction:
                was_sealed = is_sealed(connection)
                if not any_revision:
                    refuse_other_revision(connection, self.path, HEAD)
                yield connection
                self._commit(connection, transaction, durable=durable, was_sealed=was_sealed, seal=any_revision)

    def _commit(
        self, connection: Connection, transaction: RootTransaction, *, durable: bool, was_sealed: bool, seal: bool
    ) -> None:
        """Commit, and let the head follow; what need not be durable leaves the head behind until the next that is."""
        if seal:
            seal_all(connection)
        state = count_commit(connection)
        if not was_sealed:
            # Without seals the head is not asked for, and with them a missing one is damage: so it comes first.
            write_head(self.path, state)
            transaction.commit()
        elif durable:
            with replacing_head(self.path, state):
                transaction.commit()
        else:
            transaction.commit()

    def copy_to(self, target: Path) -> None:
        """Write a consistent copy of the database to a file, while others may be writing."""
        with self._clear_errors(), self._engine.connect() as connection:
            _touch_private(target)
            with closing(sqlite3.connect(target)) as copy:
                raw_connection(connection).backup(copy)
        sync_file(target)

    def set_aside(self, revision: str) -> None:
        """Keep a copy beside the file from before an upgrade to a revision."""
        self.copy_to(self.path.with_name(f"{self.path.name}.before-{revision}"))

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
            raise _explained(self.path, str(error.orig)) from error
        except StatementError as error:
            # What `to_json` refused, wrapped with the statement that it was for.
            raise error.orig if isinstance(error.orig, StoreError) else error from error
        except sqlite3.Error as error:
            raise _explained(self.path, str(error)) from error
        # SQLite's own complaint about a damaged schema may quote bytes that are no text.
        except UnicodeDecodeError as error:
            raise DamagedError(self.path, [f"it holds bytes that are no text ({error.reason})"]) from error


def to_json(value: Any) -> str:
    """Write a value as the database keeps it; what is not JSON is a StoreError."""
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise StoreError(f"This cannot be kept as JSON: {error}.") from error


def _touch_private(path: Path) -> None:
    # SQLite gives the files beside a database the permissions of the database.
    with clear_errors("write", path):
        path.touch(mode=0o600)


_SIGNS_OF_DAMAGE = ("malformed", "not a database", "unsupported file format", "Could not decode", "no such table")


def _explained(path: Path, said: str) -> StoreError:
    if any(sign in said for sign in _SIGNS_OF_DAMAGE):
        return DamagedError(path, [f"it cannot be read ({said:.100})"])
    return StoreError(_explain(path, said))


def _explain(path: Path, said: str) -> str:
    if "locked" in said:
        return (
            f"{path}: another process has been writing for {BUSY_SECONDS:.0f} seconds. "
            "Try again; if it persists, end that process."
        )
    if "interrupted" in said:
        return f"{path} takes too long to answer, so it is damaged or meant to do harm. Move the project to the trash."
    if "full" in said:
        return f"{path}: the disk is full. Free some space and try again; nothing was written."
    if "readonly" in said or "unable to open" in said:
        return f"{path} cannot be written ({said}). Make the project's directory writable, or copy the project."
    return f"{path}: the database refused: {said}."


def _engine(path: Path, mode: str, seconds: float | None) -> Engine:
    address = f"file:{quote(str(path.absolute()))}?mode={mode}"
    patience = min(BUSY_SECONDS, seconds or BUSY_SECONDS)
    deadline = time.monotonic() + (seconds or 0.0)

    def connect() -> sqlite3.Connection:
        opened = sqlite3.connect(address, uri=True, timeout=patience, check_same_thread=False, isolation_level=None)
        if seconds is not None:
            opened.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
        return opened

    def from_json(text: Any) -> Any:
        # SQLite keeps a number that is all of a JSON value as a number.
        if isinstance(text, (int, float)):
            return text
        try:
            return json.loads(text)
        except (ValueError, TypeError, RecursionError) as error:
            raise DamagedError(path, [f"it holds what is no JSON ({error!s:.100})"]) from error

    engine = create_engine(
        "sqlite://",
        creator=connect,
        poolclass=QueuePool,
        max_overflow=-1,
        json_deserializer=from_json,
        json_serializer=to_json,
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


def upsert(
    connection: Connection, table: Table, key: Mapping[str, Any], values: Mapping[str, Any], **first: Any
) -> None:
    """Let the row with this key have these values; `first` are values that it keeps from when it came."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    connection.execute(
        dialect.insert(table)
        .values(**key, **values, **first)
        .on_conflict_do_update(index_elements=list(key), set_=dict(values))
    )
