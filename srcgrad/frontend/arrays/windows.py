"""Windows over an array: ``sliding_window_view``, and ``as_strided`` over the strides of contiguous memory.

NumPy's results are views whose elements share memory with each other; here they are expressions that read the array.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from srcgrad.errors import ArgumentTypeError, UnsupportedError
from srcgrad.frontend.arrays.attributes import product, python_int, size_of
from srcgrad.frontend.arrays.broadcasting import Shape
from srcgrad.frontend.arrays.construct import as_array
from srcgrad.frontend.arrays.delayed import as_delayed, materialized, shape_of
from srcgrad.frontend.arrays.extents import clamped_at_zero, require_equal, shifted
from srcgrad.frontend.arrays.views import axis_of, new_shape, reshaped
from srcgrad.frontend.calls.signatures import bound, static_ints
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.registry import Arguments, Keywords, array_attribute, function
from srcgrad.frontend.values import ArrayValue, Delayed, FrontValue, Static, TupleValue
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Operand, index


@function(np.lib.stride_tricks.sliding_window_view)
def _sliding_window_view(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    options = {"axis": Static(None), "subok": Static(False), "writeable": Static(False)}
    x, window_shape, axis, _, writeable = bound(
        lowering, "sliding_window_view", arguments, keywords, "x", "window_shape", **options
    )
    if not (isinstance(writeable, Static) and writeable.value is False):
        lowering.refuse(None, "sliding_window_view() that is written to", "Write to the array itself.")
    builder = lowering.builder
    array = materialized(builder, as_array(builder, x))
    windows = _not_negative(lowering, window_shape)
    wanted = (
        list(range(array.rank))
        if _is_none(axis)
        else [axis_of(lowering, k, array.rank) for k in static_ints(lowering, axis)]
    )
    if len(wanted) != len(windows):
        message = f"{len(windows)} extents of a window over {len(wanted)} axes"
        lowering.refuse(None, message, "Give an extent for each axis, or name the axes.", ArgumentTypeError)
    places = list(shape_of(builder, array))
    for k, n in zip(wanted, windows, strict=True):
        fits = builder("le", n, places[k])
        message = "a window of {0} over an axis of extent {1}"
        builder.emit("check", fits, n, places[k], exception="ValueError", message=message)
        count = index_op(builder, "sub", shifted(builder, places[k], 1), n)
        places[k] = clamped_at_zero(builder, count)

    def element(b: Builder, at: tuple[Operand, ...]) -> Operand:
        inside = list(at[: array.rank])
        for k, offset in zip(wanted, at[array.rank :], strict=True):
            inside[k] = index_op(b, "add", inside[k], offset)
        return as_delayed(b, array).element(b, tuple(inside))

    original = x.ref if isinstance(x, ArrayValue) else None
    return Delayed((*places, *windows), array.dtype, element, (array.ref,), view_of=original)


@array_attribute("strides")
def _strides(lowering: Lowering, value: FrontValue) -> FrontValue:
    """In bytes, as NumPy counts them."""
    array = materialized(lowering.builder, value)
    _require_contiguous(lowering, array, "the strides")
    extents, size = shape_of(lowering.builder, array), array.dtype.numpy.itemsize
    steps = [product(lowering.builder, (index(size), *extents[k + 1 :])) for k in range(array.rank)]
    return TupleValue(tuple(python_int(n) for n in steps), tuple)


@function(np.lib.stride_tricks.as_strided)
def _as_strided(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    none = Static(None)
    options = {"shape": none, "strides": none, "subok": Static(False), "writeable": Static(True)}
    x, shape, strides, *_ = bound(lowering, "as_strided", arguments, keywords, "x", **options)
    builder = lowering.builder
    array = materialized(builder, as_array(builder, x))
    _require_contiguous(lowering, array, "as_strided()")
    extents = shape_of(builder, array) if _is_none(shape) else _not_negative(lowering, shape)
    steps = new_shape(lowering, _strides(lowering, array) if _is_none(strides) else strides)
    if len(extents) != len(steps):
        message = f"as_strided() with {len(extents)} extents and {len(steps)} strides"
        lowering.refuse(None, message, error=ArgumentTypeError)
    steps = tuple(_in_elements(builder, step, array.dtype.numpy.itemsize) for step in steps)
    _require_inside(builder, extents, steps, size_of(builder, array))
    flat = reshaped(builder, array, (index(-1),)).ref

    def element(b: Builder, at: tuple[Operand, ...]) -> Operand:
        return b("load", flat, _sum(b, [index_op(b, "mul", i, step) for i, step in zip(at, steps, strict=True)]))

    original = x.ref if isinstance(x, ArrayValue) else None
    return Delayed(extents, array.dtype, element, (flat,), view_of=original)


def _is_none(value: FrontValue) -> bool:
    return isinstance(value, Static) and value.value is None


def _not_negative(lowering: Lowering, shape: FrontValue) -> Shape:
    """The extents that an argument gives, each checked to be one."""
    extents = new_shape(lowering, shape)
    for n in extents:
        fits = lowering.builder("le", index(0), n)
        lowering.builder.emit("check", fits, n, exception="ValueError", message="an extent of {0} is negative")
    return tuple(index_op(lowering.builder, "max", n, index(0)) for n in extents)


def _require_contiguous(lowering: Lowering, array: ArrayValue, what: str) -> None:
    if array.type.layout != "C":
        hint = "Take them of np.ascontiguousarray(...)."
        lowering.refuse(None, f"{what} of an array that may not be contiguous", hint, UnsupportedError)


def _in_elements(builder: Builder, step: Operand, size: int) -> Operand:
    count = index_op(builder, "floordiv", step, index(size))
    whole = index_op(builder, "mul", count, index(size))
    require_equal(builder, whole, step, "a stride of {1} bytes is no multiple of an element's size", "")
    return count


def _require_inside(builder: Builder, extents: Shape, steps: Shape, size: Operand) -> None:
    """Each element lies in the array; where the result is empty, there is none."""
    last = [
        index_op(builder, "mul", index_op(builder, "sub", n, index(1)), s) for n, s in zip(extents, steps, strict=True)
    ]
    low = _sum(builder, [index_op(builder, "min", x, index(0)) for x in last])
    high = _sum(builder, [index_op(builder, "max", x, index(0)) for x in last])
    inside = builder("and_", builder("ge", low, index(0)), builder("lt", high, size))
    empty = builder("eq", product(builder, extents), index(0))
    message = "as_strided() would read outside the array"
    builder.emit("check", builder("or_", inside, empty), exception="ValueError", message=message)


def _sum(builder: Builder, terms: Sequence[Operand]) -> Operand:
    total: Operand = index(0)
    for term in terms:
        total = index_op(builder, "add", total, term)
    return total
