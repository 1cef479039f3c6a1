"""From a path to a stream of plain bytes: decompressed, known not to be something else, guarded against bombs."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from taxocom.errors import InputError

# Text shrinks to a fifth, seldom to a fiftieth: what grows more than this from so little is not text.
MAX_RATIO = 200
SMALL_ENOUGH = 64 * 2**20

_COMPRESSED: dict[bytes, Callable[[IO[bytes]], IO[bytes]]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),  # type: ignore[arg-type, return-value]
    b"\xfd7zXZ\x00": lambda file: lzma.LZMAFile(file),
    b"BZh": lambda file: bz2.BZ2File(file),
}
_FOREIGN = {
    b"%PDF": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an old Word or Excel document",
    b"{\\rtf": "an RTF document",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"SQLite format 3": "a database",
    b"\x7fELF": "a program",
    b"MZ": "a program",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"Rar!": "a RAR archive",
    b"ARROW1": "an Arrow file",
}
DAMAGED = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error, zipfile.BadZipFile, OSError)


@dataclass(frozen=True)
class ByteSource:
    """Something that can be read from its start, again and again; `name` is how messages call it."""

    name: str
    open: Callable[[], IO[bytes]]
    size: int = 0

    def sample(self, size: int) -> bytes:
        """Return the first bytes."""
        with self.open() as stream:
            return stream.read(size)


class _Guarded(io.RawIOBase):
    """A decompressing stream that names its file in errors and refuses to grow out of all proportion."""

    def __init__(self, name: str, inner: IO[bytes], packed: IO[bytes]) -> None:
        self._name, self._inner, self._packed = name, inner, packed
        self._n_read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            content = self._inner.read(len(buffer))
        except DAMAGED as error:
            raise damaged(self._name, error) from error
        self._n_read += len(content)
        if self._n_read > SMALL_ENOUGH and self._n_read > MAX_RATIO * max(1, self._packed.tell()):
            raise bomb(self._name, self._n_read, self._packed.tell())
        buffer[: len(content)] = content
        return len(content)

    def close(self) -> None:
        self._inner.close()
        self._packed.close()
        super().close()


def damaged(name: str, error: BaseException) -> InputError:
    """Say that a compressed file is cut short or broken."""
    what = "ends too early" if isinstance(error, EOFError) else f"is damaged ({error})"
    return InputError(f"{name} {what}: it was probably not copied or downloaded whole. Fetch it again.")


def bomb(name: str, large: int, small: int) -> InputError:
    """Say that a compressed file grows out of all proportion."""
    return InputError(
        f"{name} grows from {small:,} to over {large:,} bytes when unpacked, more than {MAX_RATIO} times: that is not "
        "text, and unpacking it could fill the disk. If it is truly a corpus, unpack it yourself first."
    )


def file_source(path: Path) -> ByteSource:
    """Return a file as a source of plain bytes, decompressed if it is gz, xz or bz2, whatever its name says."""
    try:
        with path.open("rb") as file:
            start = file.read(16)
        size = path.stat().st_size
    except FileNotFoundError as error:
        raise InputError(f"There is no file {path}. Check the path.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    if size == 0:
        raise InputError(f"{path} is empty. Give a file with documents.")
    decompress = next((opener for magic, opener in _COMPRESSED.items() if start.startswith(magic)), None)
    if decompress is None:
        return ByteSource(str(path), lambda: path.open("rb"), size)
    return ByteSource(str(path), lambda: _open_compressed(path, decompress), size)


def _open_compressed(path: Path, decompress: Callable[[IO[bytes]], IO[bytes]]) -> IO[bytes]:
    packed = path.open("rb")
    return io.BufferedReader(_Guarded(str(path), decompress(packed), packed), 2**18)


def refuse_foreign(source: ByteSource, expected: str) -> None:
    """Raise if the first bytes tell of something that is not text at all."""
    start = source.sample(16)
    for magic, what in _FOREIGN.items():
        if start.startswith(magic):
            raise InputError(f"{source.name} is {what}, not {expected}. Export its text as CSV or plain text first.")
