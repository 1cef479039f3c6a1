"""Insert a row, or bring the one that is there up to date, in one statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


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
