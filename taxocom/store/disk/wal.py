"""SQLite's write-ahead log past a damage: SQLite itself forgets every change after the first frame that is wrong.

Most frames are written over by later ones, so the frames after the damage often make the database whole again. Whether
they did is for the head to say. The format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_HEADER = 32
_FRAME = struct.Struct(">6I")
_BIG_ENDIAN_MAGIC = 0x377F0683
_MASK = 0xFFFFFFFF


@dataclass(frozen=True)
class _Frame:
    page: int
    n_pages: int
    """How many pages the database has after a commit; 0 for a frame that ends none."""
    data: bytes
    is_whole: bool


def wal_of(database: Path) -> Path:
    """Return where the write-ahead log of a database lies."""
    return database.with_name(f"{database.name}-wal")


def rebuilt(database: Path) -> Iterator[bytes]:
    """Yield what a database may have held: with every frame of its log, and with every frame that is whole."""
    base = database.read_bytes()
    log = wal_of(database).read_bytes() if wal_of(database).exists() else b""
    size = int.from_bytes(base[16:18], "big")
    size = 65536 if size == 1 else size
    if size < 512 or size & (size - 1) or len(log) < _HEADER + _FRAME.size + size:
        return
    frames = _frames(log, size)
    yield _applied(base, frames, size)
    if not all(frame.is_whole for frame in frames):
        yield _applied(base, [frame for frame in frames if frame.is_whole], size)


def _applied(base: bytes, frames: list[_Frame], size: int) -> bytes:
    ends = [number for number, frame in enumerate(frames) if frame.n_pages]
    if not ends:
        return base
    n_pages = frames[ends[-1]].n_pages
    # A page count that a flip made enormous is not believed: no frame could have filled it.
    n_pages = min(n_pages, len(base) // size + len(frames))
    data = bytearray(base.ljust(n_pages * size, b"\0")[: n_pages * size])
    for frame in frames[: ends[-1] + 1]:
        if 1 <= frame.page <= n_pages:
            data[(frame.page - 1) * size : frame.page * size] = frame.data
    return bytes(data)


def _frames(log: bytes, size: int) -> list[_Frame]:
    """Return the frames of the log's last run; those of earlier runs behind it carry other salts."""
    order = ">" if int.from_bytes(log[:4], "big") == _BIG_ENDIAN_MAGIC else "<"
    step = _FRAME.size + size
    starts = range(_HEADER, len(log) - step + 1, step)
    heads = [_FRAME.unpack_from(log, start) for start in starts]
    # The salts of the log's header may be what was damaged; the first frames carry them too.
    salts = (
        log[16:24] if any(log[s + 8 : s + 16] == log[16:24] for s in starts) else log[starts[0] + 8 : starts[0] + 16]
    )
    last = max((n for n, start in enumerate(starts) if log[start + 8 : start + 16] == salts), default=-1)
    before = struct.unpack_from(">2I", log, 24)
    frames = []
    for start, head in list(zip(starts, heads, strict=True))[: last + 1]:
        page, n_pages, _, _, *check = head
        data = log[start + _FRAME.size : start + step]
        is_whole = _checksum(log[start : start + 8] + data, before, order) == tuple(check)
        frames.append(_Frame(page, n_pages, data, is_whole))
        before = (check[0], check[1])
    return frames


def _checksum(data: bytes, start: tuple[int, ...], order: str) -> tuple[int, int]:
    first, second = start
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for left, right in zip(words[::2], words[1::2], strict=True):
        first = (first + left + second) & _MASK
        second = (second + right + first) & _MASK
    return first, second
