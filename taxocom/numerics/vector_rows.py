"""Whole rows in vector registers: the few operations the training kernels spend their time in.

The compiler's own vectorisation reaches half the speed: it must assume that rows overlap, and it reads every row twice.
Here a row is read once into registers (seven of 16 floats at 100 dimensions, four rows at a time), and stays there
between the cosines and the update. That asks for the width at compile time, which the type of `lanes` carries: a tuple
with one entry for each register, made by `lanes_of`. Loads are unaligned, for tables may come from anywhere.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

LANES = 16

# What is called is not what is written: the typing context goes away, and the result is a number.
_intrinsic: Any = intrinsic
_tuple_of: Any = types.UniTuple

_FLOAT = ir.FloatType()
_INDEX = ir.IntType(64)
_SHORT = ir.IntType(32)
_VECTOR = ir.VectorType(_FLOAT, LANES)
_FAST = ("fast",)


def padded_width(dim: int) -> int:
    """Return the least width of at least `dim` floats that is a whole number of registers."""
    return -(-dim // LANES) * LANES


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

    def load(self, pointer: Any) -> list[Any]:
        return [self.builder.load(self.at(pointer, i), align=4) for i in range(self.count)]

    def store(self, row: list[Any], pointer: Any) -> None:
        for i, vector in enumerate(row):
            self.builder.store(vector, self.at(pointer, i), align=4)

    def spread(self, scalar: Any) -> Any:
        """Copy a scalar to every lane."""
        undefined = ir.Constant(_VECTOR, ir.Undefined)
        first = self.builder.insert_element(undefined, scalar, ir.Constant(_SHORT, 0))
        nowhere = ir.Constant(ir.VectorType(_SHORT, LANES), [0] * LANES)
        return self.builder.shuffle_vector(first, undefined, nowhere)

    def blend(self, own: Any, row: list[Any], pull: Any, other: list[Any]) -> list[Any]:
        """Return own * row + pull * other."""
        build = self.builder
        return [
            build.fadd(build.fmul(own, x, flags=_FAST), build.fmul(pull, y, flags=_FAST), flags=_FAST)
            for x, y in zip(row, other, strict=True)
        ]

    def minus(self, row: list[Any], other: list[Any]) -> list[Any]:
        return [self.builder.fsub(x, y, flags=_FAST) for x, y in zip(row, other, strict=True)]

    def dot(self, row: list[Any], other: list[Any]) -> Any:
        """Return the dot product, summed in two chains so that one addition need not wait for the last."""
        build = self.builder
        sums: list[Any] = []
        for i, (x, y) in enumerate(zip(row, other, strict=True)):
            product = build.fmul(x, y, flags=_FAST)
            if i < 2:
                sums.append(product)
            else:
                sums[i % 2] = build.fadd(sums[i % 2], product, flags=_FAST)
        total = sums[0] if len(sums) == 1 else build.fadd(sums[0], sums[1], flags=_FAST)
        kind = ir.FunctionType(_FLOAT, [_FLOAT, _VECTOR])
        reduce = build.module.declare_intrinsic(f"llvm.vector.reduce.fadd.v{LANES}f32", (), kind)
        return build.call(reduce, [ir.Constant(_FLOAT, 0.0), total], fastmath=_FAST)


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
    """Ask for `table[row]` to be brought into the cache, to be written soon."""
    signature = types.void(table, types.int64, lanes)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = _Rows(context, builder, signature.args[2].count)
        pointer = rows.pointer(signature.args[0], args[0], args[1])
        byte = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [byte, _SHORT, _SHORT, _SHORT])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch.p0", (), kind)
        write, everywhere, data = ir.Constant(_SHORT, 1), ir.Constant(_SHORT, 3), ir.Constant(_SHORT, 1)
        for i in range(rows.count):
            builder.call(prefetch, [builder.bitcast(rows.at(pointer, i), byte), write, everywhere, data])
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
    that was left out may be the same row, with nothing to change, and must not undo it. The rows are those that
    `hub_products` read; the compiler still has them in registers.
    """
    index = types.int64
    signature = types.void(hubs, index, spokes, index, index, index, changes, gradient, lanes)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = _Rows(context, builder, signature.args[8].count)
        hub = rows.load(rows.pointer(signature.args[0], args[0], args[1]))
        places = [rows.pointer(signature.args[2], args[2], args[i]) for i in (3, 4, 5)]
        spokes = [rows.load(place) for place in places]
        gradient_at = rows.pointer(signature.args[7], args[7], ir.Constant(_INDEX, 0))
        gradient = rows.load(gradient_at)
        one = ir.Constant(_VECTOR, [1.0] * LANES)
        for k in (2, 1, 0):
            own, pull, weight = (rows.spread(builder.extract_value(args[6], 3 * k + i)) for i in range(3))
            gradient = rows.blend(one, gradient, weight, spokes[k])
            rows.store(rows.blend(own, spokes[k], pull, hub), places[k])
        rows.store(gradient, gradient_at)
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
        one = ir.Constant(_VECTOR, [1.0] * LANES)
        moved = rows.blend(rows.spread(args[2]), rows.load(hub_at), one, rows.load(gradient_at))
        root = builder.module.declare_intrinsic("llvm.sqrt", [_FLOAT])
        length = builder.call(root, [rows.dot(moved, moved)], fastmath=_FAST)
        scale = rows.spread(builder.fdiv(ir.Constant(_FLOAT, 1.0), length, flags=_FAST))
        rows.store([builder.fmul(scale, vector, flags=_FAST) for vector in moved], hub_at)
        rows.store([ir.Constant(_VECTOR, [0.0] * LANES)] * rows.count, gradient_at)
        return context.get_dummy_value()

    return signature, generate
