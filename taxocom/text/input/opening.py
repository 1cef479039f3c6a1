"""From paths and patterns to streams of plain bytes: decompressed, known to be text, guarded against bombs."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import struct
import weakref
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from taxocom.errors import InputError

# Text shrinks to a fifth, seldom to a fiftieth: what grows more than this from so little is not text.
MAX_RATIO = 200
SMALL_ENOUGH = 64 * 2**20

_FOREIGN = {
    b"%PDF": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an old Word or Excel document",
    b"{\\rtf": "an RTF document",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"SQLite format 3": "a database",
    b"\x7fELF": "a program",
    b"MZ\x90\x00": "a program",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"Rar!": "a RAR archive",
    b"ARROW1": "an Arrow file",
    b"PK\x03\x04": "a zip archive",
}
_MAGIC = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"BZh": "bzip2"}
# What the decompressors raise on torn, encrypted or exotic files.
_PATTERN_SIGNS = frozenset("*?[")
DAMAGED = (
    *(EOFError, lzma.LZMAError, zlib.error, struct.error, zipfile.BadZipFile, OSError),
    *(NotImplementedError, RuntimeError, ValueError, IndexError, KeyError, OverflowError),
)


class ByteSource:
    """Something that can be read from its start, again and again; `name` is how messages call it.

    `size` is what `open_` reads from, compressed or not, so that the share already read can be told.
    """

    def __init__(self, name: str, open_: Callable[[], IO[bytes]], size: int) -> None:
        self.name = name
        self._open = open_
        self._size = size
        self._stream: IO[bytes] | None = None

    def open(self) -> IO[bytes]:
        """Open it at its start."""
        self._stream = self._open()
        return self._stream

    def sample(self, size: int) -> bytes:
        """Return the first bytes."""
        with self.open() as stream:
            return stream.read(size)

    def fraction_read(self) -> float:
        """Return which share of it the stream opened last has passed."""
        if self._stream is None or self._stream.closed or not self._size:
            return 0.0
        raw = getattr(self._stream, "raw", None)
        position = raw.position() if isinstance(raw, GuardedStream) else self._stream.tell()
        return min(1.0, position / self._size)


class GuardedStream(io.RawIOBase):
    """A decompressing stream that names its file in errors and refuses to grow out of all proportion.

    `position` tells how many compressed bytes have been read.
    """

    def __init__(self, name: str, inner: IO[bytes], position: Callable[[], int]) -> None:
        self._name, self._inner = name, inner
        self.position = position
        self._n_read = 0

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some decompressed bytes."""
        try:
            content = self._inner.read(len(buffer))
        except DAMAGED as error:
            raise damaged(self._name, error) from error
        self._n_read += len(content)
        if self._n_read > SMALL_ENOUGH and self._n_read > MAX_RATIO * max(1, self.position()):
            raise bomb(self._name, self._n_read, self.position())
        buffer[: len(content)] = content
        return len(content)

    def close(self) -> None:
        """Close what is underneath too."""
        self._inner.close()
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
        known = path.stat()
        # A pipe would be waited for, and a device such as /dev/zero read for ever.
        if not stat.S_ISREG(known.st_mode):
            raise InputError(f"{path} is not a file or folder but a pipe or a device. Give a file with documents.")
        size = known.st_size
        with path.open("rb") as file:
            start = file.read(16)
    except FileNotFoundError as error:
        raise InputError(f"There is no file {path}. Check the path.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise InputError(f"{str(path)!r} is not a path ({error}). Check the path.") from error
    if size == 0:
        raise InputError(f"{path} is empty. Give a file with documents.")
    kind = next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), None)
    if kind is None:
        return ByteSource(str(path), lambda: path.open("rb"), size)
    return ByteSource(str(path), lambda: _open_compressed(path, kind), size)


def _open_compressed(path: Path, kind: str) -> IO[bytes]:
    packed = path.open("rb")
    openers: dict[str, Callable[[IO[bytes]], Any]] = {"gzip": _gunzip, "xz": lzma.LZMAFile, "bzip2": bz2.BZ2File}
    stream = GuardedStream(str(path), openers[kind](packed), packed.tell)
    # The decompressors leave a file that they were handed open.
    weakref.finalize(stream, packed.close)
    return io.BufferedReader(stream, 2**18)


def _gunzip(packed: IO[bytes]) -> gzip.GzipFile:
    return gzip.GzipFile(fileobj=packed)


def refuse_foreign(source: ByteSource) -> None:
    """Raise if the first bytes tell of something that is not text at all."""
    start = source.sample(16)
    for magic, what in _FOREIGN.items():
        if start.startswith(magic):
            raise InputError(f"{source.name} is {what}, not a corpus. Export its text as CSV or plain text first.")


def is_pattern(path: Path) -> bool:
    """Tell whether a path is a pattern; a file that is really called so comes first."""
    return bool(_PATTERN_SIGNS & set(str(path))) and not path.exists()


def matching_files(path: Path) -> dict[str, Path]:
    """Return the files that fit a pattern, by their names under the folders it is certain of; none is an InputError."""
    n_certain = next(number for number, part in enumerate(path.parts) if _PATTERN_SIGNS & set(part))
    certain = Path(*path.parts[:n_certain])
    try:
        found = sorted(each for each in certain.glob(str(Path(*path.parts[n_certain:]))) if each.is_file())
    except ValueError as error:
        raise InputError(f"{path} is no pattern ({error}). Write it as reports/**/*.pdf.") from error
    if not found:
        raise InputError(f"No file fits {path}. `**` stands for folders at any depth: reports/**/*.pdf.")
    return {each.relative_to(certain).as_posix(): each for each in found}
