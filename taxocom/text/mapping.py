"""Files as memory, without a handle for each: the system gives a process few handles and much address space."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy.typing as npt

# numpy reads a header with Python's parser, which before Python 3.11.8 counts its depth for all threads together: two
# that parse at once may raise "SystemError: AST constructor recursion depth mismatch".
_PARSING = threading.RLock()


def map_file(path: Path) -> Any:
    """Return a file as a read-only buffer; its pages are read when touched, and no handle stays open.

    Python's own maps, and numpy's upon them, each keep a handle for as long as they live; Arrow's do not.
    """
    # Imported where it is used: the command line lists projects without it.
    import pyarrow as pa

    if path.stat().st_size == 0:
        return pa.py_buffer(b"")
    with pa.memory_map(str(path)) as file:
        return file.read_buffer()


def map_array(path: Path) -> npt.NDArray[Any]:
    """Map a .npy file; a file that is not whole is a ValueError."""
    buffer = map_file(path)
    with path.open("rb") as file:
        return array_at(buffer, file)


def array_at(buffer: Any, header: IO[bytes], start: int = 0) -> npt.NDArray[Any]:
    """Return the array whose .npy header is read from `header` and begins at `start` of the buffer."""
    import numpy as np

    version = np.lib.format.read_magic(header)
    if version != (1, 0):
        raise ValueError(f"the npy version {version}")
    with _PARSING:
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(header)
    if dtype.hasobject:
        raise ValueError("an array of Python objects")
    if min(shape, default=0) < 0:
        raise ValueError(f"an array of the shape {shape}")
    if 0 in shape:
        empty = np.zeros(shape, dtype)
        empty.setflags(write=False)
        return empty
    try:
        return np.ndarray(shape, dtype, buffer, start + header.tell(), order="F" if fortran else "C")
    except TypeError as error:
        # numpy's word for a buffer that is too small.
        raise ValueError(f"an array that is cut short ({error})") from error
