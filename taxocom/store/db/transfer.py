"""The rows of one database put into another, text for text, and proof that both then hold the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import JSON, Connection, Table, Text, cast, select, text

from taxocom.errors import StoreError
from taxocom.store.db import schema
from taxocom.store.db.database import Database
from taxocom.store.db.migrate import create_tables
from taxocom.store.db.seals import start_from

# Seals are of a file; a server has its own.
_TABLES = tuple(table for table in schema.metadata.sorted_tables if table is not schema.seals)
_BY_ARRIVAL = (schema.artifacts, schema.releases)
_NUMBERED = (schema.proposals, schema.jobs)
_AT_ONCE = 500


def copy_to_file(source: Connection, target: Path, commits: int) -> None:
    """Write the rows of a database to a new file of SQLite that goes on counting changes from `commits`."""
    with closing(Database(target, access="create")) as database:
        create_tables(database)
        with database.write() as connection:
            copy_rows(source, connection)
            # The change that is being written is the last of them.
            start_from(connection, commits - 1)


def copy_rows(source: Connection, target: Connection) -> None:
    """Put all rows of one database into the empty tables of another; a difference afterwards is a StoreError."""
    for table in _TABLES:
        target.execute(text(_insertion(table, target)), rows) if (rows := list(_as_parameters(source, table))) else None
    if target.dialect.name == "postgresql":
        _number_on(target)
    for table in _TABLES:
        if _digest(source, table) != _digest(target, table):
            raise StoreError(f"The table {table.name} did not arrive as it was sent. Nothing was moved; try again.")


def _rows(connection: Connection, table: Table) -> Iterator[Sequence[Any]]:
    # JSON as the text it was written as: hashes are of that text.
    columns = [cast(column, Text) if isinstance(column.type, JSON) else column for column in table.columns]
    order = [text("rowid")] if table in _BY_ARRIVAL else list(table.primary_key.columns)
    yield from connection.execute(select(*columns).order_by(*order)).yield_per(_AT_ONCE)


def _as_parameters(connection: Connection, table: Table) -> Iterator[dict[str, Any]]:
    names = [column.name for column in table.columns]
    for row in _rows(connection, table):
        yield dict(zip(names, row, strict=True))


def _insertion(table: Table, target: Connection) -> str:
    is_json = {column.name: isinstance(column.type, JSON) for column in table.columns}
    as_json = "CAST(:{} AS JSON)" if target.dialect.name == "postgresql" else ":{}"
    values = ", ".join(as_json.format(name) if json_ else f":{name}" for name, json_ in is_json.items())
    names = ", ".join(f'"{name}"' for name in is_json)
    return f"INSERT INTO {table.name} ({names}) VALUES ({values})"


def _number_on(target: Connection) -> None:
    """Let new rows be numbered after those that came with their numbers."""
    for table in _NUMBERED:
        target.execute(
            text(
                f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), "
                f"coalesce(max(id), 0) + 1, false) FROM {table.name}"
            )
        )


def _digest(connection: Connection, table: Table) -> str:
    digest = hashlib.sha256()
    for row in _rows(connection, table):
        digest.update(json.dumps([table.name, *row]).encode())
    return digest.hexdigest()
