"""Named arrays and plain metadata in one file that numpy can read and that maps into memory without a copy.

The file is an uncompressed zip as `numpy.savez` writes it, with a `metadata.json` beside the arrays; each array starts
on a 64-byte boundary, so that a mapped array is as fast as a loaded one.
"""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taxocom.errors import StoreError

if TYPE_CHECKING:
    import numpy.typing as npt

_ALIGNMENT = 64
_METADATA = "metadata.json"
_LOCAL_HEADER = 30
_PADDING_FIELD = 0xD935
"""The id that Android's zipalign uses for an extra field that is only padding."""


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
        with zipfile.ZipFile(path) as file:
            metadata = json.loads(file.read(_METADATA))
            arrays = {
                entry.filename.removesuffix(".npy"): _map_array(path, file, entry)
                for entry in file.infolist()
                if entry.filename.endswith(".npy")
            }
    except (zipfile.BadZipFile, KeyError, ValueError) as error:
        raise StoreError(f"{path} is damaged ({error}). Restore the project from a backup, or run it again.") from error
    return ArrayFile(metadata, arrays)


def _map_array(path: Path, file: zipfile.ZipFile, entry: zipfile.ZipInfo) -> npt.NDArray[Any]:
    import numpy as np

    if entry.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{entry.filename} is compressed")
    with file.open(entry) as member:
        version = np.lib.format.read_magic(member)
        if version != (1, 0):
            raise ValueError(f"{entry.filename} has the npy version {version}")
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(member)
        header = member.tell()
    if 0 in shape:
        return _fixed(np.zeros(shape, dtype))
    with path.open("rb") as raw:
        raw.seek(entry.header_offset + 26)
        name_length, extra_length = struct.unpack("<HH", raw.read(4))
    offset = entry.header_offset + _LOCAL_HEADER + name_length + extra_length + header
    return np.memmap(path, dtype, mode="r", offset=offset, shape=shape, order="F" if fortran else "C")


def _fixed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.setflags(write=False)
    return array
