"""The head: what the database held after its last acknowledged change, in a small file beside it.

A database cannot tell that it went back in time. Its head is written with every acknowledged commit, so that the
database may be ahead of it, by what was being committed when the power failed, and is never behind.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from taxocom.errors import StoreError
from taxocom.store.db.seals import Seal, State
from taxocom.store.disk.locks import lock
from taxocom.store.disk.whole_files import clear_errors, discard, private, sync_directory

_FORMAT = "taxocom-head"


class HeadError(StoreError):
    """The head is missing or cannot be read; the database may still be whole."""


def head_of(database: Path) -> Path:
    """Return where the head of a database lies."""
    return database.with_suffix(".head")


def read_head(database: Path) -> State:
    """Read the head of a database; one that is missing or not as it was written is a HeadError."""
    path = head_of(database)
    try:
        data = json.loads(path.read_bytes())
        check = data.pop("check")
        if data["format"] != _FORMAT or check != _check(data):
            raise ValueError("its checksum differs")
        seals = {name: Seal(**seal) for name, seal in data["seals"].items()}
        return State(data["commits"], data["n_decisions"], data["last_hash"], seals)
    except FileNotFoundError:
        raise HeadError(f"{path.name}, which says what the database held last, is missing") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError) as error:
        raise HeadError(f"{path.name}, which says what the database held last, is damaged") from error


def write_head(database: Path, state: State) -> None:
    """Put a head in place of the one before, whole or not at all."""
    with replacing_head(database, state):
        pass


@contextmanager
def replacing_head(database: Path, state: State) -> Iterator[None]:
    """Put a head in place once the body, the commit that it describes, has succeeded.

    The bytes are on the disk before, so that a full disk refuses both; after the commit there is only a name to change.
    Whoever commits next waits for that, so heads follow each other as the commits do.
    """
    path = head_of(database)
    coming = path.with_name(f"{path.name}.next")
    plain = {"format": _FORMAT, **asdict(state)}
    data = json.dumps({**plain, "check": _check(plain)}, indent=1, sort_keys=True).encode()
    with clear_errors("write", path):
        held = lock(path.with_suffix(".lock"))
    with held:
        try:
            with clear_errors("write", path), open(coming, "wb", opener=private) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            yield
            with clear_errors("put in place", path):
                coming.replace(path)
                sync_directory(path.parent)
        finally:
            discard(coming)


def _check(plain: dict[str, object]) -> str:
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()
