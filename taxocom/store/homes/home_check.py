"""Trying out whether a home can hold projects, by doing what a project would."""

from __future__ import annotations

from taxocom.store.db.database import Database
from taxocom.store.db.migrate import create_tables
from taxocom.store.disk.locks import working_place
from taxocom.store.disk.whole_files import clear_errors, make_private, write_whole
from taxocom.store.homes.listing import make_home
from taxocom.store.homes.moving import try_server


def try_home() -> None:
    """Write a file in the home and remove it; raise if that fails."""
    work = make_home() / "work"
    with clear_errors("write in", work), working_place(work, "trial") as place:
        write_whole(place, b"written", only_mine=True)


def try_database() -> None:
    """Make a project's database and remove it; raise if that fails, as where files cannot be locked.

    It is made in the home, and on the server if there is one.
    """
    work = make_home() / "work"
    with clear_errors("write in", work), working_place(work, "trial") as place:
        make_private(place)
        database = Database(place / "trial.db", access="create")
        try:
            create_tables(database)
        finally:
            database.close()
        try_server(place)
