"""Named arrays and plain metadata in one file that numpy can read and that maps into memory without a copy.

The file is an uncompressed zip as `numpy.savez` writes it, with a `metadata.json` beside the arrays; each array starts
on a 64-byte boundary, so that a mapped array is as fast as a loaded one.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taxocom.errors import StoreError
from taxocom.text.mapping import array_at, map_file

if TYPE_CHECKING:
    import numpy.typing as npt

_ALIGNMENT = 64
_METADATA = "metadata.json"
_LOCAL_HEADER = 30
_PADDING_FIELD = 0xD935
"""The id that Android's zipalign uses for an extra field that is only padding."""
# What zipfile, json and numpy raise on bytes that nobody wrote.
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, SyntaxError),
    *(KeyError, ValueError, TypeError, OverflowError, MemoryError, RecursionError),
)


@dataclass(frozen=True)
class ArrayFile:
    """What such a file holds; the arrays are read-only and memory-mapped."""

    metadata: dict[str, Any]
    arrays: dict[str, npt.NDArray[Any]]


def write_arrays(path: Path, metadata: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays and metadata to a file; the same content gives the same bytes."""
    import numpy as np

    try:
        text = json.dumps(metadata, allow_nan=False, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise StoreError(f"The metadata cannot be kept as JSON: {error}.") from error
    with zipfile.ZipFile(path, "x", zipfile.ZIP_STORED) as file:
        file.writestr(zipfile.ZipInfo(_METADATA), text)
        for name in sorted(arrays):
            array = np.asarray(arrays[name])
            if array.dtype.hasobject:
                raise StoreError(f"Array {name!r} holds Python objects; only numbers and fixed-width text are kept.")
            _write_array(file, f"{name}.npy", array)


def _write_array(file: zipfile.ZipFile, name: str, array: npt.NDArray[Any]) -> None:
    import numpy as np

    entry = zipfile.ZipInfo(name)
    # A zip64 entry gets twenty more bytes of header; asking for it always keeps the arithmetic simple.
    start = file.start_dir + _LOCAL_HEADER + len(name.encode()) + 20
    padding = -(start + 4) % _ALIGNMENT
    entry.extra = struct.pack("<HH", _PADDING_FIELD, padding) + bytes(padding)
    with file.open(entry, "w", force_zip64=True) as target:
        np.lib.format.write_array(target, array, version=(1, 0), allow_pickle=False)


def read_arrays(path: Path) -> ArrayFile:
    """Open such a file; the arrays are mapped, not read."""
    try:
        buffer = map_file(path)
        with path.open("rb") as raw, zipfile.ZipFile(raw) as file:
            metadata = json.loads(file.read(_METADATA))
            arrays = {
                entry.filename.removesuffix(".npy"): _map_array(buffer, file, entry)
                for entry in file.infolist()
                if entry.filename.endswith(".npy")
            }
    except _DAMAGED as error:
        raise StoreError(f"{path} is damaged ({error}). Restore the project from a backup, or run it again.") from error
    return ArrayFile(metadata, arrays)


def _map_array(buffer: Any, file: zipfile.ZipFile, entry: zipfile.ZipInfo) -> npt.NDArray[Any]:
    if entry.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{entry.filename} is compressed")
    name_length, extra_length = struct.unpack_from("<HH", buffer, entry.header_offset + 26)
    start = entry.header_offset + _LOCAL_HEADER + name_length + extra_length
    with file.open(entry) as member:
        return array_at(buffer, member, start)
