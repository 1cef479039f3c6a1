"""Zip files that are the same bytes for the same content, and that are looked at before they are unpacked."""

from __future__ import annotations

import hashlib
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping

from taxocom.errors import InputError
from taxocom.interchange.base.source import MAX_BYTES, Source

MAX_UNPACKED = 1024 * 1024 * 1024
# Text shrinks to a fifth, seldom to a fiftieth: what grows more than this from so little is not topics.
MAX_RATIO = 200
SMALL_ENOUGH = 64 * 1024 * 1024
MAX_MEMBERS = 1_000
_PIECE = 2**20
# The earliest moment a zip file can name: a member has no time of its own here.
_NO_TIME = (1980, 1, 1, 0, 0, 0)
# What zipfile raises on torn, encrypted or exotic archives.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    IndexError,
    KeyError,
    OverflowError,
    lzma.LZMAError,
)


def pack(members: Mapping[str, bytes]) -> bytes:
    """Return a zip of these members in this order, without times, so that equal content gives equal bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, _NO_TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, data)
    return out.getvalue()


class Archive:
    """The files of a zip by name, each unpacked when asked for; a bomb, a foreign path or damage is refused."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._members = {info.filename: info for info in check_archive(source) if not info.filename.endswith("/")}

    def __contains__(self, name: str) -> bool:
        return name in self._members

    @property
    def names(self) -> list[str]:
        """What files there are, in their order."""
        return list(self._members)

    def read(self, name: str, *, most: int = MAX_BYTES) -> bytes:
        """Return a file whole; one larger than a seed may be is refused."""
        if self._members[name].file_size > most:
            raise self._source.error(f"the file {name} in it unpacks to more than {most} bytes.")
        return b"".join(self._pieces(name))

    def digest(self, name: str) -> str:
        """Return the SHA-256 of a file, without holding it."""
        digest = hashlib.sha256()
        for piece in self._pieces(name):
            digest.update(piece)
        return digest.hexdigest()

    def count(self, sign: bytes) -> int:
        """Return how often a byte occurs in all files together."""
        return sum(piece.count(sign) for name in self._members for piece in self._pieces(name))

    def _pieces(self, name: str) -> Iterator[bytes]:
        left = self._members[name].file_size
        try:
            with zipfile.ZipFile(io.BytesIO(self._source.data)) as archive, archive.open(self._members[name]) as file:
                while piece := file.read(_PIECE):
                    left -= len(piece)
                    if left < 0:
                        raise self._source.error(f"the file {name} in it is larger than it says.")
                    yield piece
        except _DAMAGED as error:
            raise self._source.error(f"the zip file is damaged ({error}). Make it again.") from error


def check_archive(source: Source) -> list[zipfile.ZipInfo]:
    """Refuse a zip that would unpack to too much, or that names files outside itself."""
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            members = archive.infolist()
    except _DAMAGED as error:
        raise source.error(f"not a zip file ({error}). Make it again.") from error
    if len(members) > MAX_MEMBERS:
        raise source.error(f"{len(members)} files in one zip; the limit is {MAX_MEMBERS}.")
    unpacked = sum(info.file_size for info in members)
    if unpacked > SMALL_ENOUGH and unpacked > MAX_RATIO * len(source.data):
        raise source.error(f"grows from {len(source.data)} to {unpacked} bytes, more than {MAX_RATIO} times.")
    if unpacked > MAX_UNPACKED:
        raise source.error(f"unpacks to {unpacked} bytes; the limit is {MAX_UNPACKED}.")
    for info in members:
        steps = info.filename.replace("\\", "/").split("/")
        if not steps[0] or ".." in steps:
            raise InputError(
                f"{source.name}: the member {info.filename!r} points outside the zip. Do not trust this file."
            )
    return members
