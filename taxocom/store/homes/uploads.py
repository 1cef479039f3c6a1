"""What a person uploaded, until it is part of a project: whole, for its owner's eyes, and gone with the session."""

from __future__ import annotations

import secrets
import weakref
from contextlib import ExitStack
from pathlib import Path

from taxocom.store.disk.locks import sweep, working_place
from taxocom.store.disk.whole_files import clear_errors, make_private, write_whole
from taxocom.store.homes.listing import make_home

_LONGEST_NAME = 80


class Uploads:
    """The uploads of one session. They go when it goes, and after a kill with the next sweep of the home."""

    def __init__(self) -> None:
        stack = ExitStack()
        work = make_home() / "work"
        sweep(work)
        self._place = stack.enter_context(working_place(work, "upload"))
        self._kept: dict[str, Path] = {}
        self._end = weakref.finalize(self, stack.close)

    def close(self) -> None:
        """Remove them."""
        self._end()

    def keep(self, key: str, name: str, content: bytes | memoryview) -> Path:
        """Write an upload where the readers can see it, once for each `key`, and return where; whole or not at all."""
        found = self._kept.get(key)
        if found is None:
            # A folder of its own, so that the file keeps the name that messages call it by.
            found = self._place / secrets.token_hex(8) / _safe(name)
            with clear_errors("keep the upload in", self._place):
                make_private(self._place)
                make_private(found.parent)
                write_whole(found, content, only_mine=True)
            self._kept[key] = found
        return found


def _safe(name: str) -> str:
    plain = "".join(character for character in name.replace("\\", "/").rpartition("/")[2] if character.isprintable())
    return plain.strip(". ")[-_LONGEST_NAME:] or "upload"
