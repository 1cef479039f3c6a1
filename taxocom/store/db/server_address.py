"""Which database server projects are kept on, and which project has its tables there.

The address, which may hold a password, is in the environment alone. A project's directory holds a small file that
names the schema of its tables.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from taxocom.errors import SettingsError, StoreError
from taxocom.store.disk.whole_files import clear_errors, write_whole

VARIABLE = "TAXOCOM_DATABASE_URL"
_DRIVER = "postgresql+psycopg"
_EXAMPLE = f"{_DRIVER}://name:password@host/database"
_FORMAT = "taxocom-server"
_SCHEMA = re.compile(r"taxocom_[0-9a-f]{16}")


def server_address() -> URL | None:
    """Return the server that new projects are kept on, None for files of their own; other addresses are refused."""
    said = os.environ.get("TAXOCOM_DATABASE_URL", "").strip()
    if not said:
        return None
    try:
        address = make_url(said)
    except ArgumentError:
        # What was said is not repeated: it may hold a password.
        raise SettingsError(f"{VARIABLE} is no address of a database. It looks like this: {_EXAMPLE}") from None
    if address.drivername not in (_DRIVER, "postgresql"):
        raise SettingsError(
            f"{VARIABLE} names {address.drivername!r}; projects can be kept on PostgreSQL. "
            f"The address looks like this: {_EXAMPLE}"
        )
    return address.set(drivername=_DRIVER)


def told(address: URL) -> str:
    """Return an address for people: without its name and password."""
    return f"{address.host or 'this machine'}:{address.port or 5432}/{address.database or ''}"


def marker_of(project: Path) -> Path:
    """Return the file that says that the tables of a project are on a server."""
    return project / "project.server"


def is_on_server(project: Path) -> bool:
    """Tell whether the tables of a project are on a server."""
    return marker_of(project).is_file()


def new_schema() -> str:
    """Return a name for the tables of a project that no other project has."""
    return f"taxocom_{secrets.token_hex(8)}"


def write_marker(project: Path, schema: str) -> None:
    """Say that the tables of a project are on the server, from now on."""
    path = marker_of(project)
    with clear_errors("write", path):
        write_whole(path, json.dumps({"format": _FORMAT, "schema": schema}).encode(), only_mine=True)


def schema_of(project: Path) -> str:
    """Return the schema that holds the tables of a project."""
    path = marker_of(project)
    try:
        data = json.loads(path.read_bytes())
        schema = data["schema"]
        if data["format"] != _FORMAT or not _SCHEMA.fullmatch(schema):
            raise ValueError("it names no schema of ours")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise StoreError(
            f"{path}, which says where the project's tables are, is damaged ({error!s:.100}). Restore the project "
            "from a backup."
        ) from error
    return str(schema)


def address_for(project: Path) -> URL:
    """Return the server that a project's tables are on; not to be told where it is, is an error."""
    address = server_address()
    if address is None:
        raise StoreError(f"The tables of {project.name} are on a database server. Say which: {VARIABLE}={_EXAMPLE}")
    return address
