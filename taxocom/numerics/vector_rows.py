"""Whole rows in vector registers: the few operations the training kernels spend their time in.

The compiler's own vectorisation reaches half the speed: it must assume that rows overlap. Here a row is seven vectors
of 16 floats (at 100 dimensions) that are read, combined and written without loops. That asks for the width at compile
time, which the type of `lanes` carries: a tuple with one entry for each vector, made by `lanes_of`. Rows made by
`padded_rows` are aligned, yet loads do not rely on it: a copied table may lie anywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from taxocom.numerics.arrays import Floats2d

LANES = 16

# What is called is not what is written: the typing context goes away, and the result is a number.
_intrinsic: Any = intrinsic
_tuple_of: Any = types.UniTuple

_CACHE_LINE = 64
_FLOAT = ir.FloatType()
_INDEX = ir.IntType(64)
_SHORT = ir.IntType(32)
_VECTOR = ir.VectorType(_FLOAT, LANES)
_FAST = ("fast",)


def padded_width(dim: int) -> int:
    """Return the least width of at least `dim` floats that is a whole number of registers."""
    return -(-dim // LANES) * LANES


def padded_rows(vectors: Floats2d, copies: int = 1) -> npt.NDArray[np.float32]:
    """Return `copies` copies of `vectors` (n, dim), shape (copies, n, width), padded with zeros and aligned.

    Zeros change no product and stay zero. Rows start on a cache line, or each load would touch two: a tenth slower.
    """
    n, dim = vectors.shape
    shape = (copies, n, padded_width(dim))
    size = 4 * shape[0] * shape[1] * shape[2]
    memory = np.zeros(size + _CACHE_LINE, dtype=np.uint8)
    start = -memory.ctypes.data % _CACHE_LINE
    rows = memory[start : start + size].view(np.float32).reshape(shape)
    rows[:, :, :dim] = vectors
    return rows


def lanes_of(dim: int) -> tuple[int, ...]:
    """Return the tuple whose length tells kernels, at compile time, how many registers a row takes."""
    return (0,) * (padded_width(dim) // LANES)


class _Rows:
    """Writes instructions for rows of one width; a row in registers is a list of vectors."""

    def __init__(self, context: Any, builder: Any, count: int) -> None:
        self.context = context
        self.builder = builder
        self.count = count

    def pointer(self, array_type: Any, array: Any, row: Any) -> Any:
        """Point at the first vector of a row of a C-contiguous table."""
        data = self.context.make_array(array_type)(self.context, self.builder, array).data
        start = self.builder.mul(row, ir.Constant(_INDEX, self.count * LANES))
        return self.builder.bitcast(self.builder.gep(data, [start]), _VECTOR.as_pointer())

    def at(self, pointer: Any, index: int) -> Any:
        return self.builder.gep(pointer, [ir.Constant(_INDEX, index)])

    def load_one(self, pointer: Any, index: int) -> Any:
        return self.builder.load(self.at(pointer, index), align=4)

    def store_one(self, vector: Any, pointer: Any, index: int) -> None:
        self.builder.store(vector, self.at(pointer, index), align=4)

    def load(self, pointer: Any) -> list[Any]:
        return [self.load_one(pointer, i) for i in range(self.count)]

    def store(self, row: list[Any], pointer: Any) -> None:
        for i, vector in enumerate(row):
            self.store_one(vector, pointer, i)

    def add(self, vector: Any, other: Any) -> Any:
        return self.builder.fadd(vector, other, flags=_FAST)

    def times(self, vector: Any, other: Any) -> Any:
        return self.builder.fmul(vector, other, flags=_FAST)

    def spread(self, scalar: Any) -> Any:
        """Copy a scalar to every lane."""
        undefined = ir.Constant(_VECTOR, ir.Undefined)
        first = self.builder.insert_element(undefined, scalar, ir.Constant(_SHORT, 0))
        nowhere = ir.Constant(ir.VectorType(_SHORT, LANES), [0] * LANES)
        return self.builder.shuffle_vector(first, undefined, nowhere)

    def dot(self, row: list[Any], other: list[Any]) -> Any:
        """Return the dot product, summed in two chains so that one addition need not wait for the last."""
        sums: list[Any] = []
        for i, (x, y) in enumerate(zip(row, other, strict=True)):
            if i < 2:
                sums.append(self.times(x, y))
            else:
                sums[i % 2] = self.add(sums[i % 2], self.times(x, y))
        total = sums[0] if len(sums) == 1 else self.add(*sums)
        kind = ir.FunctionType(_FLOAT, [_FLOAT, _VECTOR])
        reduce = self.builder.module.declare_intrinsic(f"llvm.vector.reduce.fadd.v{LANES}f32", (), kind)
        return self.builder.call(reduce, [ir.Constant(_FLOAT, 0.0), total], fastmath=_FAST)


@_intrinsic
def dot_rows(_typing: Any, table: Any, _row: Any, others: Any, _other: Any, lanes: Any) -> Any:
    """Return the dot product of `table[row]` and `others[other]`."""
    signature = types.float32(table, types.int64, others, types.int64, lanes)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = _Rows(context, builder, signature.args[4].count)
        first = rows.load(rows.pointer(signature.args[0], args[0], args[1]))
        second = rows.load(rows.pointer(signature.args[2], args[2], args[3]))
        return rows.dot(first, second)

    return signature, generate


@_intrinsic
def prefetch_row(_typing: Any, table: Any, _row: Any, lanes: Any) -> Any:
    """Ask for `table[row]` to be brought into the second-level cache.

    To the first level, or for writing, a word's hundred lines at once stall the processor: a fifth slower.
    """
    signature = types.void(table, types.int64, lanes)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = _Rows(context, builder, signature.args[2].count)
        pointer = rows.pointer(signature.args[0], args[0], args[1])
        byte = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [byte, _SHORT, _SHORT, _SHORT])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch.p0", (), kind)
        read, second_level, data = ir.Constant(_SHORT, 0), ir.Constant(_SHORT, 2), ir.Constant(_SHORT, 1)
        for i in range(rows.count):
            builder.call(prefetch, [builder.bitcast(rows.at(pointer, i), byte), read, second_level, data])
        return context.get_dummy_value()

    return signature, generate


@_intrinsic
def hub_products(
    _typing: Any, hubs: Any, _hub: Any, spokes: Any, _positive: Any, _first: Any, _second: Any, lanes: Any
) -> Any:
    """Return the products of a hub with a positive and two negative spokes: (h·p, h·n, h·o)."""
    index = types.int64
    signature = _tuple_of(types.float32, 3)(hubs, index, spokes, index, index, index, lanes)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = _Rows(context, builder, signature.args[6].count)
        hub = rows.load(rows.pointer(signature.args[0], args[0], args[1]))
        spokes = [rows.load(rows.pointer(signature.args[2], args[2], args[i])) for i in (3, 4, 5)]
        return context.make_tuple(builder, signature.return_type, [rows.dot(hub, spoke) for spoke in spokes])

    return signature, generate


@_intrinsic
def step_spokes(
    _typing: Any,
    hubs: Any,
    _hub: Any,
    spokes: Any,
    _positive: Any,
    _first: Any,
    _second: Any,
    changes: Any,
    gradient: Any,
    lanes: Any,
) -> Any:
    """Set each spoke s to own * s + pull * h, having added weight * s to the hub's gradient.

    `changes` holds (own, pull, weight) of the positive and of both negatives. The positive is written last: a negative
    that was left out may be the same row, with nothing to change, and must not undo it.
    """
    index = types.int64
    signature = types.void(hubs, index, spokes, index, index, index, changes, gradient, lanes)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = _Rows(context, builder, signature.args[8].count)
        hub_at = rows.pointer(signature.args[0], args[0], args[1])
        places = [rows.pointer(signature.args[2], args[2], args[i]) for i in (3, 4, 5)]
        gradient_at = rows.pointer(signature.args[7], args[7], ir.Constant(_INDEX, 0))
        changes = [[rows.spread(builder.extract_value(args[6], 3 * k + i)) for i in range(3)] for k in range(3)]
        # Vector by vector rather than row by row: finished ones leave their registers before the next come in.
        for index in range(rows.count):
            hub, gradient = rows.load_one(hub_at, index), rows.load_one(gradient_at, index)
            spokes = [rows.load_one(place, index) for place in places]
            for k in (2, 1, 0):
                own, pull, weight = changes[k]
                gradient = rows.add(gradient, rows.times(weight, spokes[k]))
                rows.store_one(rows.add(rows.times(own, spokes[k]), rows.times(pull, hub)), places[k], index)
            rows.store_one(gradient, gradient_at, index)
        return context.get_dummy_value()

    return signature, generate


@_intrinsic
def step_hub(_typing: Any, hubs: Any, _hub: Any, _own: Any, gradient: Any, lanes: Any) -> Any:
    """Set the hub h to the direction of own * h + gradient, and the gradient to zero."""
    signature = types.void(hubs, types.int64, types.float32, gradient, lanes)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = _Rows(context, builder, signature.args[4].count)
        hub_at = rows.pointer(signature.args[0], args[0], args[1])
        gradient_at = rows.pointer(signature.args[3], args[3], ir.Constant(_INDEX, 0))
        own = rows.spread(args[2])
        moved = [
            rows.add(rows.times(own, h), g) for h, g in zip(rows.load(hub_at), rows.load(gradient_at), strict=True)
        ]
        root = builder.module.declare_intrinsic("llvm.sqrt", [_FLOAT])
        length = builder.call(root, [rows.dot(moved, moved)], fastmath=_FAST)
        scale = rows.spread(builder.fdiv(ir.Constant(_FLOAT, 1.0), length, flags=_FAST))
        rows.store([rows.times(scale, vector) for vector in moved], hub_at)
        rows.store([ir.Constant(_VECTOR, [0.0] * LANES)] * rows.count, gradient_at)
        return context.get_dummy_value()

    return signature, generate
