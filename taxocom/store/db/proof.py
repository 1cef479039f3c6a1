"""Whether a database still holds what was acknowledged: asked whenever a project is opened, before anything is used."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from taxocom.store.db.database import DamagedError, Database
from taxocom.store.db.head import HeadError, read_head
from taxocom.store.db.seals import (
    FIRST_HASH,
    SCHEMA,
    State,
    chained,
    is_sealed,
    raw_connection,
    rows_of,
    seal_rows,
    sealed_tables,
    stated,
)


def refuse_damaged(database: Path) -> None:
    """Raise a DamagedError if a database does not hold what was acknowledged; it is only looked at."""
    if problems := database_problems(database):
        raise DamagedError(database, problems)


def database_problems(database: Path, *, with_head: bool = True, seconds: float | None = None) -> list[str]:
    """Return how a database differs from what was acknowledged, nothing if it does not.

    One from a backup has no head. One of an older version has no seals yet, so SQLite's own check is all that can be
    asked of it.
    """
    # The head first: the database may go on while we look, and is never behind a head that was read before.
    head, head_problems = None, []
    try:
        head = read_head(database) if with_head else None
    except HeadError as error:
        head_problems = [str(error)]
    found: list[str] = []
    with closing(Database(database, access="look", seconds=seconds)) as opened:
        try:
            with opened.read() as connection:
                if is_sealed(connection):
                    found += _row_problems(connection)
                    found += head_problems if head is None else _head_problems(head, raw_connection(connection))
            found += (f"SQLite finds: {' '.join(said.split()):.100}" for said in opened.problems())
        except DamagedError as error:
            found += error.problems
    return found


def _row_problems(connection: Connection) -> Iterator[str]:
    """Yield which decision breaks the chain, and which tables are not what their seals say."""
    raw = raw_connection(connection)
    seals = stated(raw).seals
    # A view in place of a table may have rows without end.
    tables = {name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if missing := {"decisions", *sealed_tables()} - tables:
        yield f"the table {min(missing)} is missing"
        return
    if (broken := broken_link(row[1:] for row in rows_of(raw, "decisions"))) is not None:
        yield f"decision {broken} is not what was recorded"
    for table in (SCHEMA, *sealed_tables()):
        try:
            if seal_rows(table, rows_of(raw, table)) != seals.get(table):
                yield f"the table {table} is not what was written"
        except _UNREADABLE as error:
            yield f"the table {table} cannot be read ({error!s:.100})"


_UNREADABLE = (sqlite3.Error, UnicodeDecodeError, TypeError, ValueError, OverflowError)


def broken_link(rows: Iterable[Sequence[Any]]) -> int | None:
    """Return the number of the first decision that does not carry the hash of the one before, None if all do."""
    previous, expected = FIRST_HASH, 1
    try:
        for *values, found in rows:
            if found != chained(previous, *values) or values[0] != expected:
                return expected
            previous, expected = found, expected + 1
    except _UNREADABLE:
        return expected
    return None


def _head_problems(head: State, raw: sqlite3.Connection) -> list[str]:
    """Return how a database differs from its head; it may be ahead, by what was not acknowledged."""
    said = stated(raw)
    if said.commits < head.commits:
        if said.n_decisions < head.n_decisions:
            first, last = said.n_decisions + 1, head.n_decisions
            return [f"decision {first} is lost" if first == last else f"the decisions {first} to {last} are lost"]
        n_lost = head.commits - said.commits
        return ["its last change is lost" if n_lost == 1 else f"its last {n_lost} changes are lost"]
    link = raw.execute("SELECT hash FROM decisions WHERE sequence = ?", (head.n_decisions,)).fetchone()
    is_prefix = head.n_decisions == 0 or link == (head.last_hash,)
    if not is_prefix or (said.commits == head.commits and said != head):
        return ["it is not the database that project.head tells of"]
    return []
