"""What the store asks of a database, whether it is a file of the project or one on a server."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal, Protocol

from sqlalchemy import Connection, text

from taxocom.errors import StoreError

Turn = Literal["row", "log", "proposals", "project"]
"""Whom a writer keeps out: those who write the same rows, the log or proposals too, or everybody who writes."""


class ProjectDatabase(Protocol):
    """Access to the tables of one project; safe to share between threads. `path` is what messages name."""

    @property
    def path(self) -> Path:
        """The file in the project's directory that is the database, or says where it is."""

    def read(self) -> AbstractContextManager[Connection]:
        """Give a connection that sees one moment of the database, whatever others write meanwhile."""

    def write(
        self, *, durable: bool = True, any_revision: bool = False, turn: Turn = "row"
    ) -> AbstractContextManager[Connection]:
        """Give a connection that may write; all of it is kept, or on an exception none."""

    def copy_to(self, target: Path) -> None:
        """Write a consistent copy of the database to a file of SQLite, while others may be writing."""

    def set_aside(self, revision: str) -> None:
        """Keep a copy from before an upgrade to a revision, where nobody else does."""

    def close(self) -> None:
        """Let go of every connection."""


def refuse_other_revision(connection: Connection, path: Path, expected: str) -> None:
    """Refuse to write a schema that is not ours: a newer version may have upgraded it while we had it open."""
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
    if found == MOVED:
        raise StoreError(f"{path} was moved to another database. Open the project again; nothing was written.")
    if found != expected:
        raise StoreError(
            f"{path} has the schema {found} and this process writes {expected}. Restart it with the version "
            "of TaxoCom Studio that upgraded the project; nothing was written."
        )


MOVED = "moved"
"""The revision that a database is left with whose rows were moved elsewhere: who still has it open must not write."""
