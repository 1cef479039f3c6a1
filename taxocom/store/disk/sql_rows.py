"""Rows of a database that somebody else keeps, read and never written."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, Engine, NullPool, create_engine, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from taxocom.errors import InputError
from taxocom.progress import Progress
from taxocom.store.disk.whole_files import clear_errors

_READING = ("select", "with", "values", "table")
_AT_ONCE = 1000
# What makes a connection refuse to write, by the database; others are only ever rolled back.
_FIRST_SAID = {
    "mysql": "SET SESSION TRANSACTION READ ONLY",
    "mariadb": "SET SESSION TRANSACTION READ ONLY",
    "oracle": "SET TRANSACTION READ ONLY",
    "postgresql": "SET TRANSACTION READ ONLY",
}


def fetch_rows(url: str, query: str, out: Path, progress: Progress) -> int:
    """Write the rows that a query gives as JSON lines, a column a key; return how many there are.

    The connection is read-only where the database knows such connections, and is rolled back in any case. No message
    names the password.
    """
    address = _address(url)
    asked = _one_reading_query(query)
    called = address.render_as_string(hide_password=True)
    n_rows = 0
    try:
        with _reading(address) as connection, clear_errors("write", out), out.open("w", encoding="utf-8") as file:
            found = connection.execution_options(stream_results=True, yield_per=_AT_ONCE).execute(text(asked))
            names = list(found.keys())
            for part in found.partitions():
                file.writelines(
                    json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False, default=_plain) + "\n"
                    for row in part
                )
                n_rows += len(part)
                progress.report(f"Reading rows ({n_rows:,} so far)", 0.5)
    except (SQLAlchemyError, sqlite3.Error) as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        raise InputError(f"{called}: {reason}. Nothing was read. Check the address and the query.") from None
    if not n_rows:
        raise InputError(f"{called}: the query gives no rows. Try it in the database first.")
    return n_rows


def _address(url: str) -> URL:
    try:
        return make_url(url)
    except ArgumentError as error:
        raise InputError(
            "The address of the database is not understood. Write it as postgresql+psycopg://user@host/name, or "
            "sqlite:////path/to/file.db."
        ) from error


def _one_reading_query(query: str) -> str:
    asked = query.strip().rstrip(";").strip()
    first = asked.split(maxsplit=1)[0].lower() if asked else ""
    if first not in _READING:
        raise InputError(f"The query begins with {first or 'nothing'!r}. Only SELECT (or WITH … SELECT) is asked.")
    return asked.replace(":", r"\:")


@contextmanager
def _reading(address: URL) -> Iterator[Connection]:
    engine = _engine(address)
    try:
        with engine.connect() as connection:
            if said := _FIRST_SAID.get(address.get_backend_name()):
                connection.exec_driver_sql(said)
            try:
                yield connection
            finally:
                connection.rollback()
    finally:
        engine.dispose()


def _engine(address: URL) -> Engine:
    try:
        if address.get_backend_name() == "sqlite":
            return create_engine("sqlite://", creator=lambda: _sqlite(address), poolclass=NullPool)
        return create_engine(address, poolclass=NullPool)
    except NoSuchModuleError as error:
        raise InputError(f"No kind of database is called {address.drivername!r}. Check the address.") from error
    except ModuleNotFoundError as error:
        raise InputError(
            f"{address.get_backend_name()} needs the package {error.name!r}, which is not installed. Install it beside "
            "this program (pip install), or name another driver in the address."
        ) from error


def _sqlite(address: URL) -> sqlite3.Connection:
    path = Path(address.database or "")
    if not path.is_file():
        raise InputError(
            f"There is no database {path}. A whole path is written with four strokes: sqlite:////data/my.db"
        )
    connection = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True, check_same_thread=False)
    # A file of a stranger may carry views and triggers of its own.
    for said in ("PRAGMA query_only=ON", "PRAGMA trusted_schema=OFF"):
        connection.execute(said)
    return connection


def _plain(value: object) -> str:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).decode("utf-8", "replace")
    said = getattr(value, "isoformat", None)
    return str(said() if said else value)
