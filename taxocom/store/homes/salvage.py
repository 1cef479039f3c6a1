"""A damaged database put right: what is proven is kept, from wherever it is found, and what is lost is named."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from taxocom.errors import StoreError
from taxocom.store.db.attachments import KIND
from taxocom.store.db.database import Database
from taxocom.store.db.head import HeadError, head_of, read_head, write_head
from taxocom.store.db.migrate import create_tables
from taxocom.store.db.proof import database_problems
from taxocom.store.db.seals import (
    FIRST_HASH,
    Seal,
    State,
    chained,
    raw_connection,
    rows_of,
    seal_rows,
    sealed_tables,
    start_from,
    stated,
)
from taxocom.store.disk.locks import working_place
from taxocom.store.disk.wal import rebuilt, wal_of
from taxocom.store.disk.whole_files import clear_errors, sync_directory

Row = tuple[Any, ...]
Result = TypeVar("Result")
_UNREADABLE = (StoreError, sqlite3.Error, UnicodeDecodeError, TypeError, ValueError, OverflowError)
# The bytes that every open connection of SQLite holds a shared lock on.
_SHARED_FIRST, _SHARED_SIZE = 0x40000002, 510
_NEEDED = ("meta", "seeds")


@dataclass(frozen=True)
class Salvage:
    """What became of a damaged database. `lost` names what no source holds; the damaged files lie at `kept_at`."""

    said: str
    lost: Sequence[str] = ()
    kept_at: Path | None = None


@dataclass(frozen=True)
class _Source:
    """What can be read from one copy of the database; `state` is its own account, if it has one."""

    name: str
    tables: Mapping[str, Sequence[Row]]
    decisions: Mapping[int, Row]
    state: State | None


@dataclass
class _Whole:
    """A database being put together."""

    tables: dict[str, Sequence[Row]] = field(default_factory=dict)
    decisions: list[Row] = field(default_factory=list)
    helped: set[str] = field(default_factory=set)
    lost: list[str] = field(default_factory=list)


def salvage(database: Path, backup: Path | None = None, *, accept_loss: bool = False) -> Salvage:
    """Put a damaged database right; with a `backup` (a database) what it lacks is taken from there.

    Without one a loss is an error, unless it is accepted. Whatever happens, the damaged files are kept beside.
    """
    with _alone_with(database), working_place(database.parent / "work", "salvage") as place:
        place.mkdir(mode=0o700)
        head = _head(database)
        if head is None and not database_problems(database, with_head=False):
            return _with_new_head(database)
        from_backup = None if backup is None else _read(backup, "the backup")
        whole = _put_together(database, head, list(_sources(database, place)), from_backup)
        if whole.lost and backup is None and not accept_loss:
            raise StoreError(
                f"{database} cannot be made whole: {'; '.join(whole.lost)}. Nothing was changed. Give a backup "
                f"(taxocom repair {database.parent.name} --from BACKUP; `taxocom backups {database.parent.name}` lists "
                "those written on schedule), or go on without (--accept-loss)."
            )
        made = _written(place / "whole" / database.name, whole, head)
        kept_at = _swapped(database, made)
    return Salvage(_told(whole, head), tuple(whole.lost), kept_at)


def _head(database: Path) -> State | None:
    try:
        return read_head(database)
    except HeadError:
        return None


def _with_new_head(database: Path) -> Salvage:
    with closing(Database(database, access="look")) as opened, opened.read() as connection:
        raw = raw_connection(connection)
        state = stated(raw)
        last = raw.execute("SELECT at, author FROM decisions ORDER BY sequence DESC LIMIT 1").fetchone()
    write_head(database, state)
    latest = f", the last of {last[0][:16]} by {last[1] or 'nobody'}" if last else ""
    return Salvage(f"the database is whole and its head was written again: {state.n_decisions} decisions{latest}")


def _sources(database: Path, place: Path) -> Iterator[_Source]:
    yield _read(database, "the database")
    with clear_errors("read", database):
        for number, data in enumerate(rebuilt(database)):
            copy = place / f"rebuilt-{number}.db"
            copy.write_bytes(data)
            yield _read(copy, "its write-ahead log")


def _read(path: Path, name: str) -> _Source:
    """Read as much of a database as can be read."""
    tables: dict[str, Sequence[Row]] = {}
    decisions: dict[int, Row] = {}
    state = None
    try:
        with closing(Database(path, access="look")) as opened, opened.read() as connection:
            raw = raw_connection(connection)
            state = _attempt(partial(stated, raw))
            for table in sealed_tables():
                rows = _attempt(partial(_rows, raw, table))
                if rows is not None:
                    tables[table] = rows
            for row in _until_unreadable(rows_of(raw, "decisions")):
                decisions[row[1]] = row[1:]
    except _UNREADABLE:
        pass
    return _Source(name, tables, decisions, state)


def _rows(raw: sqlite3.Connection, table: str) -> list[Row]:
    return list(rows_of(raw, table))


def _until_unreadable(rows: Iterator[Row]) -> Iterator[Row]:
    with suppress(*_UNREADABLE):
        yield from rows


def _attempt(read: Callable[[], Result]) -> Result | None:
    try:
        return read()
    except _UNREADABLE:
        return None


def _put_together(database: Path, head: State | None, own: Sequence[_Source], backup: _Source | None) -> _Whole:
    whole = _Whole()
    sources = [*own, backup] if backup else own
    for table in sealed_tables():
        proven = next((source for source in sources if _is_proven(table, source, head)), None)
        if proven is None:
            _take_unproven(whole, database, table, backup)
        else:
            whole.tables[table] = proven.tables[table]
            whole.helped.add(proven.name)
    if backup is not None and _project_id(backup.tables["meta"]) != _project_id(whole.tables["meta"]):
        raise StoreError("The backup is of another project. Nothing was changed. Give a backup of this one.")
    _chain(whole, sources)
    n_decisions = max([head.n_decisions if head else 0, *(each.state.n_decisions for each in own if each.state)])
    if len(whole.decisions) < n_decisions:
        whole.lost.append(f"the decisions {len(whole.decisions) + 1} to {n_decisions} are lost")
    return whole


def _project_id(meta: Sequence[Row]) -> str:
    return next((str(value) for _, key, value in meta if key == "project_id"), "")


def _is_proven(table: str, source: _Source, head: State | None) -> bool:
    """Tell whether a source's rows are those named by the head, or newer ones with seals of their own."""
    if table not in source.tables:
        return False
    known: list[Seal | None] = [head.seals.get(table)] if head else []
    if source.state is not None and (head is None or source.state.commits >= head.commits):
        known.append(source.state.seals.get(table))
    found = _attempt(lambda: seal_rows(table, source.tables[table]))
    return found is not None and found in known


def _take_unproven(whole: _Whole, database: Path, table: str, backup: _Source | None) -> None:
    if backup is not None:
        whole.tables[table] = backup.tables[table]
        whole.helped.add(backup.name)
        whole.lost.append(f"what changed in {table} since the backup is lost")
    elif table in _NEEDED:
        raise StoreError(
            f"{database}: what the project is made of cannot be read ({table}). Nothing was changed. Give a backup of "
            f"it: taxocom repair {database.parent.name} --from BACKUP"
        )
    else:
        whole.tables[table] = ()
        whole.lost.append(f"all of {table} is lost")


def _chain(whole: _Whole, sources: Sequence[_Source]) -> None:
    """Take each decision from the first source whose row carries the hash of the one before."""
    previous = FIRST_HASH
    while True:
        number = len(whole.decisions) + 1
        for source in sources:
            row = source.decisions.get(number)
            if row is not None and row[-1] == _attempt(partial(chained, previous, *row[:-1])):
                whole.decisions.append(row)
                whole.helped.add(source.name)
                previous = row[-1]
                break
        else:
            return


def _written(path: Path, whole: _Whole, head: State | None) -> Path:
    path.parent.mkdir(mode=0o700)
    with closing(Database(path, access="create")) as made:
        create_tables(made)
        with made.write(any_revision=True) as connection:
            raw = raw_connection(connection)
            # Tables may come from different moments, so that rows of one name artifacts that the other has not.
            whole.tables["artifacts"] = [*whole.tables["artifacts"], *_missing_artifacts(whole)]
            names = {row[1] for row in whole.tables["artifacts"]}
            for table in sealed_tables():
                at = _ARTIFACT_AT.get(table)
                _insert(raw, table, [row for row in whole.tables[table] if at is None or row[at] in names])
            raw.executemany("INSERT INTO decisions VALUES (?, ?, ?, ?, ?, ?, ?)", whole.decisions)
            start_from(connection, head.commits if head else 0)
    if problems := database_problems(path):
        raise StoreError(f"{path}: what was put together is not whole ({problems[0]}). Nothing was changed.")
    return path


_ARTIFACT_AT = {"uses": 2, "proposals": 7}
"""Which value of a row names the artifact that it needs."""


def _missing_artifacts(whole: _Whole) -> Iterator[Row]:
    """Yield rows for artifacts that releases name and the table has not: a release must not lose what it stands on."""
    known = {row[1] for row in whole.tables["artifacts"]}
    number = max((row[0] for row in whole.tables["artifacts"]), default=0)
    for _, _, _, _, at, *_, artifact in whole.tables["releases"]:
        if artifact and artifact not in known:
            known.add(artifact)
            number += 1
            yield (number, artifact, KIND, 0, "", "{}", at)


def _insert(raw: sqlite3.Connection, table: str, rows: Sequence[Row]) -> None:
    if rows:
        columns = [row[1] for row in raw.execute(f"PRAGMA table_info({table})")]
        listed = ", ".join(["rowid", *(f'"{column}"' for column in columns)])
        marks = ", ".join("?" * (len(columns) + 1))
        raw.executemany(f"INSERT INTO {table} ({listed}) VALUES ({marks})", rows)


@contextmanager
def _alone_with(database: Path) -> Iterator[None]:
    """Refuse to go on while another process has the database open: it would go on writing to the damaged one."""
    with clear_errors("read", database), database.open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, _SHARED_SIZE, _SHARED_FIRST)
        except BlockingIOError:
            raise StoreError(
                f"{database} is open in another process. Close the app and end its jobs, then repair."
            ) from None
    yield


def _swapped(database: Path, made: Path) -> Path:
    """Put the new database in place of the damaged one, which is kept under another name."""
    number = 1
    while (kept := database.with_name(f"{database.name}.damaged-{number}")).exists():
        number += 1
    with clear_errors("write", database):
        os.link(database, kept)
        if wal_of(database).exists():
            wal_of(database).rename(wal_of(kept))
        database.with_name(f"{database.name}-shm").unlink(missing_ok=True)
        sync_directory(database.parent)
        made.replace(database)
        head_of(made).replace(head_of(database))
        sync_directory(database.parent)
    return kept


def _told(whole: _Whole, head: State | None) -> str:
    n_decisions = len(whole.decisions)
    known = f" of {head.n_decisions}" if head else ""
    sources = sorted(whole.helped - {"the database"})
    helped = f", with the help of {' and '.join(sources)}" if sources else ""
    return f"put together again with {n_decisions}{known} decisions{helped}"
