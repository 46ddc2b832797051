"""The same elements under other axes: ``reshape``, ``ravel``, ``transpose``, ``squeeze`` and their kin.

A reshape of C-contiguous memory is a view. Of any other memory NumPy makes a view or a copy, depending on strides
that are known only when the program runs. Here it is a copy, and a program that writes to either afterwards is
refused, because it could tell the difference.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from srcgrad.errors import ArgumentTypeError, ShapeError
from srcgrad.frontend.arrays.attributes import reversed_axes, size_of
from srcgrad.frontend.arrays.broadcasting import Shape, known_as
from srcgrad.frontend.arrays.construct import as_array
from srcgrad.frontend.arrays.delayed import copy, materialized, shape_of
from srcgrad.frontend.arrays.extents import require_equal, same
from srcgrad.frontend.arrays.stores import snapshot
from srcgrad.frontend.calls.signatures import bound, require_known, static_int, static_ints
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.promotion import as_index
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.refusals import refuse
from srcgrad.frontend.registry import Arguments, Keywords, array_attribute, array_method, function
from srcgrad.frontend.values import ArrayValue, FrontValue, Static, TupleValue, is_number
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Operand, Value, index

WHOLE_AXES = "Write order='C' or order='F'."


@function(np.reshape)
def _reshape(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    none = Static(None)
    a, shape, order, _ = bound(lowering, "reshape", arguments, keywords, "a", "shape", order=Static("C"), copy=none)
    return in_order(lowering, as_array(lowering.builder, a), new_shape(lowering, shape), order)


@array_method("reshape")
def _reshape_method(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    array, *shape = arguments
    order, _ = bound(lowering, "reshape", (), keywords, order=Static("C"), copy=Static(None))
    wanted = shape[0] if len(shape) == 1 else TupleValue(tuple(shape))
    return in_order(lowering, array, new_shape(lowering, wanted), order)


@function(np.ravel)
@array_method("ravel")
def _ravel(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    a, order = bound(lowering, "ravel", arguments, keywords, "a", order=Static("C"))
    return in_order(lowering, as_array(lowering.builder, a), (index(-1),), order)


@array_attribute("flat")
def _flat(lowering: Lowering, value: FrontValue) -> FrontValue:
    return reshaped(lowering.builder, value, (index(-1),))


@array_method("flatten")
def _flatten(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    a, order = bound(lowering, "flatten", arguments, keywords, "a", order=Static("C"))
    if _counts_first_axis_first(lowering, a, order):
        a = reversed_axes(lowering.builder, a)
    return reshaped(lowering.builder, copy(lowering.builder, a), (index(-1),))


def in_order(lowering: Lowering, value: FrontValue, shape: Shape, order: FrontValue) -> FrontValue:
    """The elements under another shape, read and placed with the last index fastest, or the first one."""
    builder = lowering.builder
    if not _counts_first_axis_first(lowering, value, order):
        return reshaped(builder, value, shape)
    return reversed_axes(builder, reshaped(builder, reversed_axes(builder, value), shape[::-1]))


def _counts_first_axis_first(lowering: Lowering, value: FrontValue, order: FrontValue) -> bool:
    """Whether ``order`` is Fortran's. As in memory ("A", "K") is only said where the place in memory is the user's."""
    name = order.value if isinstance(order, Static) else order
    if name in ("C", None, "F"):
        return name == "F"
    if isinstance(value, ArrayValue) and value.type.layout in "CF" and lowering.builder.is_argument(value.ref):
        return value.type.layout == "F"
    lowering.refuse(None, f"order={name!r} of an array whose place in memory is not known", WHOLE_AXES)


def new_shape(lowering: Lowering, shape: FrontValue) -> Shape:
    """The extents that an argument gives: an integer or a tuple of them."""
    items = shape.items if isinstance(shape, TupleValue) else (shape,)
    if not all(map(is_number, items)):
        lowering.refuse(None, "a shape is an integer or a tuple of integers", "Write (n, m).", ArgumentTypeError)
    return tuple(as_index(lowering.builder, n) for n in items)  # type: ignore[arg-type]  # numbers


def reshaped(builder: Builder, value: FrontValue, shape: Shape) -> ArrayValue:
    """The elements in C order under another shape, one extent of which may be -1."""
    array = materialized(builder, as_array(builder, value))
    if array.type.layout != "C":
        array = snapshot(builder, array)
    own = shape_of(builder, array)
    resolved = _resolved(builder, size_of(builder, array), shape)
    if len(own) == len(resolved) and all(same(builder, n, m) for n, m in zip(own, resolved, strict=True)):
        return array
    return ArrayValue(builder("reshape", array.ref, *resolved))


def _resolved(builder: Builder, size: Operand, shape: Shape) -> Shape:
    """The shape with -1 replaced by what fits; that the sizes agree is checked."""
    unknown = [k for k, n in enumerate(shape) if isinstance(n, Const) and n.value == -1]
    if len(unknown) > 1:
        raise refuse(builder, "can only specify one unknown dimension", "Write -1 once.", ShapeError)
    known: Operand = index(1)
    for k, n in enumerate(shape):
        if k not in unknown:
            known = index_op(builder, "mul", known, n)
    missing: Operand = index(1)
    if unknown:
        divisor = known if isinstance(known, Const) and known.value else index_op(builder, "max", known, index(1))
        missing = index_op(builder, "floordiv", size, divisor)
    message = "an array of {0} elements cannot be reshaped to one of {1}"
    if unknown and isinstance(known, Const):
        message = f"an array of {{0}} elements cannot be reshaped to one of {known.value} times -1"
    require_equal(builder, size, index_op(builder, "mul", known, missing), message, "Write -1 for one of the extents.")
    return tuple(missing if k in unknown else n for k, n in enumerate(shape))


@function(np.transpose)
def _transpose(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    a, axes = bound(lowering, "transpose", arguments, keywords, "a", axes=Static(None))
    return transposed(lowering, as_array(lowering.builder, a), axes)


@array_method("transpose")
def _transpose_method(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    array, *axes = arguments
    bound(lowering, "transpose", (), keywords)
    wanted = axes[0] if len(axes) == 1 else TupleValue(tuple(axes)) if axes else Static(None)
    return transposed(lowering, array, wanted)


def transposed(lowering: Lowering, value: FrontValue, axes: FrontValue) -> FrontValue:
    if is_number(value):
        return value
    if isinstance(axes, Static) and axes.value is None:
        return reversed_axes(lowering.builder, value)
    array = materialized(lowering.builder, value)
    permutation = [axis_of(lowering, k, array.rank) for k in static_ints(lowering, axes)]
    if sorted(permutation) != list(range(array.rank)):
        message = f"axes {tuple(permutation)} are not a permutation of {array.rank} axes"
        lowering.refuse(None, message, "Name each axis once.", ShapeError)
    return permuted(lowering.builder, array, permutation)


def permuted(builder: Builder, array: ArrayValue, permutation: Sequence[int]) -> ArrayValue:
    if list(permutation) == list(range(array.rank)):
        return array
    return ArrayValue(builder("transpose", array.ref, permutation=tuple(permutation)))


def axis_of(lowering: Lowering, axis: int, rank: int) -> int:
    """An axis counted from the left."""
    if not -rank <= axis < rank:
        message = f"axis {axis} is out of bounds for an array of {rank} dimensions"
        lowering.refuse(None, message, f"Axes go from {-rank} to {rank - 1}.", ArgumentTypeError)
    return axis % rank


@function(np.swapaxes)
@array_method("swapaxes")
def _swapaxes(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    a, one, two = bound(lowering, "swapaxes", arguments, keywords, "a", "axis1", "axis2")
    array = materialized(lowering.builder, a)
    p, q = (axis_of(lowering, static_int(lowering, k), array.rank) for k in (one, two))
    permutation = list(range(array.rank))
    permutation[p], permutation[q] = q, p
    return permuted(lowering.builder, array, permutation)


@function(np.moveaxis)
def _moveaxis(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    a, source, destination = bound(lowering, "moveaxis", arguments, keywords, "a", "source", "destination")
    array = materialized(lowering.builder, a)
    origins = [axis_of(lowering, k, array.rank) for k in static_ints(lowering, source)]
    goals = [axis_of(lowering, k, array.rank) for k in static_ints(lowering, destination)]
    if len(origins) != len(goals) or len(set(origins)) < len(origins) or len(set(goals)) < len(goals):
        message = "np.moveaxis() takes as many axes as places for them, each once"
        lowering.refuse(None, message, error=ArgumentTypeError)
    permutation = [k for k in range(array.rank) if k not in origins]
    for goal, origin in sorted(zip(goals, origins, strict=True)):
        permutation.insert(goal, origin)
    return permuted(lowering.builder, array, permutation)


@function(np.expand_dims)
def _expand_dims(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    a, axis = bound(lowering, "expand_dims", arguments, keywords, "a", "axis")
    array = materialized(lowering.builder, as_array(lowering.builder, a))
    wanted = static_ints(lowering, axis)
    added = tuple(sorted(axis_of(lowering, k, array.rank + len(wanted)) for k in wanted))
    return ArrayValue(lowering.builder("expand", array.ref, axes=added))


@function(np.squeeze)
@array_method("squeeze")
def _squeeze(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    a, axis = bound(lowering, "squeeze", arguments, keywords, "a", axis=Static(None))
    if is_number(a):
        return a
    array = materialized(lowering.builder, as_array(lowering.builder, a))
    shape = shape_of(lowering.builder, array)
    if isinstance(axis, Static) and axis.value is None:
        gone = _single_axes(lowering, shape)
    else:
        gone = [axis_of(lowering, k, array.rank) for k in static_ints(lowering, axis)]
    for k in gone:
        if not known_as(shape[k], 1):
            one = lowering.builder("eq", shape[k], index(1))
            message = "cannot squeeze an axis of extent {0}"
            lowering.builder.emit("check", one, shape[k], exception="ValueError", message=message)
    if len(gone) == array.rank:
        return reshaped(lowering.builder, array, ())
    letters = "".join("i" if k in gone else ":" for k in range(array.rank))
    return ArrayValue(lowering.builder("slice", array.ref, *[index(0)] * len(gone), axes=letters))


def _single_axes(lowering: Lowering, shape: Shape) -> list[int]:
    """The axes of extent 1. Of an argument they are asked for; those of other arrays must be known."""
    builder = lowering.builder
    for n in shape:
        if isinstance(n, Const):
            continue
        op = builder.definition(n)
        whole = op.operands[0] if op is not None and op.primitive == "dim" else None
        if isinstance(whole, Value) and whole not in lowering.exact:
            require_known(lowering, ArrayValue(whole))
        if whole not in lowering.exact:
            message = "squeeze() without axis of an axis that turns out to have extent 1: name the axis"
            builder.emit("check", builder("ne", n, index(1)), exception="ValueError", message=message)
    return [k for k, n in enumerate(shape) if known_as(n, 1)]
