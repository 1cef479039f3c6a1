"""What came in, before anyone knows what it is: bytes with a name, bounded in size, and JSON bounded in memory."""

from __future__ import annotations

import json
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from taxocom.errors import SeedError

MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 200
MAX_TOPICS = 200_000
# A topic's children are a list in an object, and its anchors are a level below that.
_MAX_NESTING = 2 * MAX_DEPTH + 20
_MAX_MEMORY = 600 * 2**20
# What Python needs for an object or list, and for a string or a place in a list, beyond the characters.
_PER_BRACKET, _PER_QUOTE, _PER_COMMA = 72, 30, 16

_BINARY_SIGNS = {
    b"%PDF": "a PDF document",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"\x7fELF": "a program",
}


@dataclass(frozen=True)
class Source:
    """A file's content and the name that messages call it by."""

    name: str
    data: bytes

    def error(self, message: str, line: int | None = None) -> SeedError:
        """Return an error that says where in this file something is wrong."""
        place = f"{self.name}, line {line}" if line is not None else self.name
        return SeedError(f"{place}: {message}")

    def text(self) -> str:
        """Decode as UTF-8 or UTF-16; older encodings are read as Windows-1252, which never fails on text."""
        for sign, what in _BINARY_SIGNS.items():
            if self.data.startswith(sign):
                raise self.error(
                    f"this is {what}, whatever it is called. Export the topics as text, CSV, JSON or SKOS."
                )
        if self.data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return self._decoded("utf-16")
        if b"\x00" in self.data:
            raise self.error("this holds NUL bytes, so it is not text. Export the topics as text, CSV, JSON or SKOS.")
        try:
            return self.data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return self.data.decode("cp1252", "replace")

    def _decoded(self, encoding: str) -> str:
        try:
            return self.data.decode(encoding)
        except UnicodeDecodeError as error:
            raise self.error(f"this is not valid {encoding.upper()} ({error.reason}). Save it as UTF-8.") from error


def open_source(content: Path | str | bytes, name: str | None = None) -> Source:
    """Take a path or bytes; what is empty or larger than `MAX_BYTES` is refused before it is parsed."""
    if isinstance(content, bytes):
        source = Source(name or "the seed", content)
    else:
        path = Path(content)
        try:
            known = path.stat()
            if not stat.S_ISREG(known.st_mode):
                raise SeedError(f"{path} is not a file but a folder, a pipe or a device. Give a file with topics.")
            size = known.st_size
            if size > MAX_BYTES:
                raise SeedError(f"{path}: {size} bytes are more than the limit of {MAX_BYTES}. Is this the seed tree?")
            source = Source(name or path.name, path.read_bytes())
        except OSError as error:
            raise SeedError(
                f"{path}: cannot be read ({error.strerror}). Check the name and the permissions."
            ) from error
    if len(source.data) > MAX_BYTES:
        raise source.error(f"{len(source.data)} bytes are more than the limit of {MAX_BYTES}. Is this the seed tree?")
    if not source.data.strip():
        raise source.error("the file is empty. A seed needs at least one topic.")
    return source


def bounded_json(text: str) -> Any:
    """Parse JSON; what is malformed, nested too deep or would need too much memory is a ValueError."""
    needed = (
        _PER_BRACKET * (text.count("{") + text.count("["))
        + _PER_QUOTE * text.count('"')
        + _PER_COMMA * text.count(",")
        + len(text)
    )
    if needed > _MAX_MEMORY:
        raise ValueError("it holds more values than any tree of topics has")
    try:
        data = json.loads(text)
    except RecursionError:
        raise ValueError(f"nested more than {MAX_DEPTH} deep, which no person could read") from None
    level: list[Any] = [data]
    for _ in range(_MAX_NESTING):
        level = [
            item
            for value in level
            if isinstance(value, (dict, list))
            for item in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return data
    raise ValueError(f"nested more than {MAX_DEPTH} deep, which no person could read")
