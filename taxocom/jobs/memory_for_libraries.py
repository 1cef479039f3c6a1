"""The numeric libraries, loaded where a limit (`ulimit -v`, `ulimit -d`) may leave too little memory for them.

OpenBLAS, of which numpy and scipy bring one each, asks for its buffers again and again for as long as it is refused
them, and while it is being loaded it lets no other thread run: a job would hang and could not say so.
"""

from __future__ import annotations

import mmap
import os
import resource
from importlib import import_module

_BUFFER = 32 * 2**20
"""What OpenBLAS asks for at a time: once for each of its threads as it is loaded, once for whoever calls it first."""
_STACK = 8 * 2**20
_LIBRARY = 96 * 2**20
"""More than is mapped before the buffers are asked for: the library itself and what it is loaded with."""
_LARGE = 100
"""A product of matrices with so many rows and columns is large enough to be left to OpenBLAS."""


def load_numeric_libraries() -> None:
    """Load numpy and scipy with their buffers where memory is limited; a MemoryError if there is no room for them.

    Without a limit they are loaded when they are first needed.
    """
    limits = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    if all(resource.getrlimit(limit)[0] == resource.RLIM_INFINITY for limit in limits):
        return
    _make_sure_of_room()
    numpy = import_module("numpy")
    square = numpy.ones((_LARGE, _LARGE))
    numpy.matmul(square, square)
    _make_sure_of_room()
    import_module("scipy.linalg.blas").dgemm(1.0, square, square)


def _make_sure_of_room() -> None:
    threads = os.cpu_count() or 1
    try:
        mmap.mmap(-1, _LIBRARY + (threads + 1) * _BUFFER + threads * _STACK).close()
    except OSError as error:
        raise MemoryError("There is no room for the numeric libraries.") from error
