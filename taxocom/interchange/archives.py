"""Zip files that are the same bytes for the same content, and that are looked at before they are unpacked."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping

from taxocom.errors import InputError
from taxocom.interchange.source import Source

MAX_UNPACKED = 1024 * 1024 * 1024
MAX_MEMBERS = 1_000
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


def unpack(source: Source) -> dict[str, bytes]:
    """Return the members of a zip by name; a bomb, a foreign path or a damaged archive is refused."""
    check_archive(source)
    members = {}
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            for info in archive.infolist():
                if not info.is_dir():
                    members[info.filename] = archive.read(info)
    except _DAMAGED as error:
        raise source.error(f"the zip file is damaged ({error}). Make it again.") from error
    return members


def check_archive(source: Source) -> None:
    """Refuse a zip that would unpack to too much, or that names files outside itself."""
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            members = archive.infolist()
    except _DAMAGED as error:
        raise source.error(f"not a zip file ({error}). Make it again.") from error
    if len(members) > MAX_MEMBERS:
        raise source.error(f"{len(members)} files in one zip; the limit is {MAX_MEMBERS}.")
    unpacked = sum(info.file_size for info in members)
    if unpacked > MAX_UNPACKED:
        raise source.error(f"unpacks to {unpacked} bytes; the limit is {MAX_UNPACKED}.")
    for info in members:
        if info.filename.startswith(("/", "\\")) or ".." in info.filename.replace("\\", "/").split("/"):
            raise InputError(
                f"{source.name}: the member {info.filename!r} points outside the zip. Do not trust this file."
            )
