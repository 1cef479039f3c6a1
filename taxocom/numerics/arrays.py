"""Names for the array types that travel between the layers."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Floats1d = npt.NDArray[np.float32]
Floats2d = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Ints1d = npt.NDArray[np.int32]
Ints2d = npt.NDArray[np.int32]
Ints = npt.NDArray[np.signedinteger[Any]]
Offsets = npt.NDArray[np.int64]
Bools1d = npt.NDArray[np.bool_]

UNASSIGNED = -1
"""What a row of numbers of clusters, topics or owners holds that belongs to none of them."""

Array = TypeVar("Array", bound=npt.NDArray[Any])


def read_only(array: Array) -> Array:
    """Return `array`, flagged so that a write to it raises."""
    array.setflags(write=False)
    return array
