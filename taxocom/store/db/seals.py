"""Digests of what the tables hold, kept up with every change: rows that change or vanish behind our back are noticed.

Each decision carries the hash of the one before it, so the log proves itself and every prefix of itself. Tables whose
rows come and go are sealed: the number of rows and the sum of their digests, so that a change costs what it changes.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Connection, Table

from taxocom.store.db import schema

SCHEMA = "sqlite_master"
"""The seal of the tables' own definitions stands under SQLite's name for them."""

FIRST_HASH = hashlib.sha256(b"taxocom log").hexdigest()
"""What the first decision carries as the hash of the one before."""

_COMMITS = "commits"
_MODULUS = 2**256
_SEALED = tuple(table for table in schema.metadata.sorted_tables if table not in (schema.seals, schema.decisions))
_HAS_TRIGGERS = "taxocom_seals"


@dataclass(frozen=True)
class Seal:
    """What a table held: how many rows, and the sum of their digests."""

    n_rows: int
    digest: str


@dataclass(frozen=True)
class State:
    """What a database held after its `commits`-th change: `last_hash` is that of the last of `n_decisions`."""

    commits: int
    n_decisions: int
    last_hash: str
    seals: Mapping[str, Seal]


def chained(previous: str, sequence: int, kind: str, body: str, author: str, at: str, why: str) -> str:
    """Return the hash of a decision: of its row as the database has it, and of the decision before."""
    lengths = f"{len(kind)} {len(body)} {len(author)} {len(at)} {len(why)}"
    return hashlib.sha256(f"{previous} {sequence} {lengths} {kind}{body}{author}{at}{why}".encode()).hexdigest()


def sealed_tables() -> list[str]:
    """Return the names of the tables that are sealed."""
    return [table.name for table in _SEALED]


def seal_rows(table: str, rows: Iterable[Sequence[Any]]) -> Seal:
    """Return the seal of rows, each as `rows_of` gives it."""
    number, total = 0, 0
    for row in rows:
        number += 1
        total += _row_digest(table, row)
    return Seal(number, _hex(total))


def rows_of(connection: sqlite3.Connection, table: str) -> Iterator[tuple[Any, ...]]:
    """Yield a table's rows as they are stored, the number of the row first."""
    columns = "type, name, tbl_name, sql" if table == SCHEMA else _columns(schema.metadata.tables[table])
    # By the table itself: an index may be damaged where the rows are not, and is checked on its own.
    return iter(connection.execute(f"SELECT rowid, {columns} FROM {table} NOT INDEXED"))


def watch(connection: Connection) -> None:
    """Let a connection keep the seals up with whatever it writes; must be called outside a transaction."""
    if connection.info.get(_HAS_TRIGGERS):
        return
    raw = raw_connection(connection)
    raw.create_function("taxocom_seal", -1, _moved, deterministic=True)
    for statement in _TRIGGERS:
        raw.execute(statement)
    connection.info[_HAS_TRIGGERS] = True


def seal_all(connection: Connection) -> None:
    """Seal every table as it is now: for a new database, and after its tables were made over."""
    raw = raw_connection(connection)
    for name in (SCHEMA, *sealed_tables()):
        seal = seal_rows(name, rows_of(raw, name))
        raw.execute("INSERT OR REPLACE INTO seals VALUES (?, ?, ?)", (name, seal.n_rows, seal.digest))
    raw.execute("INSERT OR IGNORE INTO seals VALUES (?, 0, '')", (_COMMITS,))


def count_commit(connection: Connection) -> State:
    """Count the change that is about to be committed and return what the database will hold."""
    raw = raw_connection(connection)
    raw.execute("UPDATE seals SET number = number + 1 WHERE name = ?", (_COMMITS,))
    return stated(raw)


def start_from(connection: Connection, commits: int) -> None:
    """Go on counting changes from a number, for a database that takes the place of another."""
    raw_connection(connection).execute("UPDATE seals SET number = ? WHERE name = ?", (commits, _COMMITS))


def is_sealed(connection: Connection) -> bool:
    """Tell whether a database has seals; one of an older version has not."""
    found = raw_connection(connection).execute("SELECT count(*) FROM sqlite_master WHERE name = 'seals'")
    return bool(found.fetchone()[0])


def stated(connection: sqlite3.Connection) -> State:
    """Return what a database claims to hold."""
    seals = {name: Seal(number, digest) for name, number, digest in connection.execute("SELECT * FROM seals")}
    last = connection.execute("SELECT sequence, hash FROM decisions ORDER BY sequence DESC LIMIT 1").fetchone()
    n_decisions, last_hash = last or (0, FIRST_HASH)
    return State(seals.pop(_COMMITS, Seal(0, "")).n_rows, n_decisions, last_hash, seals)


def raw_connection(connection: Connection) -> sqlite3.Connection:
    """Return SQLite's own connection, for what must be seen as it is stored."""
    return cast(sqlite3.Connection, connection.connection.dbapi_connection)


def _moved(digest: str, sign: int, table: str, *row: Any) -> str:
    return _hex(int(digest, 16) + sign * _row_digest(table, row))


def _row_digest(table: str, row: Sequence[Any]) -> int:
    return int.from_bytes(hashlib.sha256(json.dumps([table, *row]).encode()).digest(), "big")


def _hex(total: int) -> str:
    return f"{total % _MODULUS:064x}"


def _columns(table: Table, prefix: str = "") -> str:
    return ", ".join(f'{prefix}"{column.name}"' for column in table.columns)


def _triggers(table: Table) -> Iterator[str]:
    """Yield triggers of the connection's own: they are no part of the file, which may come from a stranger."""
    old, new = (
        f"{sign}, '{table.name}', {row}.rowid, {_columns(table, f'{row}.')}" for row, sign in (("OLD", -1), ("NEW", 1))
    )
    changes = {
        "INSERT": ("number + 1", f"taxocom_seal(digest, {new})"),
        "DELETE": ("number - 1", f"taxocom_seal(digest, {old})"),
        "UPDATE": ("number", f"taxocom_seal(taxocom_seal(digest, {old}), {new})"),
    }
    for action, (number, digest) in changes.items():
        yield (
            f"CREATE TEMP TRIGGER seal_{table.name}_{action.lower()} AFTER {action} ON main.{table.name} "
            f"BEGIN UPDATE seals SET number = {number}, digest = {digest} "
            f"WHERE name = '{table.name}'; END"
        )


_TRIGGERS = [statement for table in _SEALED for statement in _triggers(table)]
