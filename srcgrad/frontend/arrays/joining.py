"""Arrays joined into one: ``concatenate``, ``stack`` and their kin. Expressions go straight into their place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from srcgrad.errors import ArgumentTypeError, ShapeError
from srcgrad.frontend.arrays import extents
from srcgrad.frontend.arrays.construct import as_array
from srcgrad.frontend.arrays.delayed import shape_of
from srcgrad.frontend.arrays.stores import store_into
from srcgrad.frontend.arrays.views import axis_of, reshaped
from srcgrad.frontend.calls.signatures import bound, static_int
from srcgrad.frontend.containers.items import sequence_items
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.promotion import promote_strong
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.refusals import refuse
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import ArrayValue, Delayed, FrontValue, Static
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Operand, index

Part = ArrayValue | Delayed


def parts_of(lowering: Lowering, value: FrontValue) -> list[Part]:
    """The arrays of a tuple or list, or the rows of an array of known extent."""
    items = [as_array(lowering.builder, v) for v in sequence_items(lowering, value)]
    if not items:
        lowering.refuse(None, "need at least one array to join", "Use np.zeros(0).", ShapeError)
    return items  # type: ignore[return-value]  # as_array gives arrays


@function(np.concatenate)
def _concatenate(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    arrays, axis = bound(lowering, "concatenate", arguments, keywords, "arrays", axis=Static(0))
    parts = parts_of(lowering, arrays)
    if isinstance(axis, Static) and axis.value is None:
        return joined(lowering.builder, [reshaped(lowering.builder, p, (index(-1),)) for p in parts], 0)
    return joined(lowering.builder, parts, axis_of(lowering, static_int(lowering, axis), parts[0].rank))


@function(np.stack)
def _stack(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    arrays, axis = bound(lowering, "stack", arguments, keywords, "arrays", axis=Static(0))
    parts = parts_of(lowering, arrays)
    position = axis_of(lowering, static_int(lowering, axis), parts[0].rank + 1)
    return joined(lowering.builder, [with_axis(lowering.builder, p, position) for p in parts], position)


@function(np.vstack)
def _vstack(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    (arrays,) = bound(lowering, "vstack", arguments, keywords, "tup")
    parts = [at_least(lowering.builder, p, 2) for p in parts_of(lowering, arrays)]
    return joined(lowering.builder, parts, 0)


@function(np.hstack)
def _hstack(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    (arrays,) = bound(lowering, "hstack", arguments, keywords, "tup")
    parts = [at_least(lowering.builder, p, 1) for p in parts_of(lowering, arrays)]
    return joined(lowering.builder, parts, 0 if parts[0].rank == 1 else 1)


@function(np.column_stack)
def _column_stack(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    (arrays,) = bound(lowering, "column_stack", arguments, keywords, "tup")
    parts = [with_axis(lowering.builder, p, 1) if p.rank == 1 else p for p in parts_of(lowering, arrays)]
    return joined(lowering.builder, parts, 1)


@function(np.append)
def _append(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    a, values, axis = bound(lowering, "append", arguments, keywords, "arr", "values", axis=Static(None))
    builder = lowering.builder
    parts = [as_array(builder, v) for v in (a, values)]
    if isinstance(axis, Static) and axis.value is None:
        return joined(builder, [reshaped(builder, p, (index(-1),)) for p in parts], 0)
    first = parts[0]
    assert isinstance(first, ArrayValue | Delayed)
    return joined(builder, parts, axis_of(lowering, static_int(lowering, axis), first.rank))  # type: ignore[arg-type]  # arrays


@function(np.atleast_1d)
def _atleast_1d(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    (a,) = bound(lowering, "atleast_1d", arguments, keywords, "a")
    return at_least(lowering.builder, as_array(lowering.builder, a), 1)


@function(np.atleast_2d)
def _atleast_2d(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    (a,) = bound(lowering, "atleast_2d", arguments, keywords, "a")
    return at_least(lowering.builder, as_array(lowering.builder, a), 2)


def with_axis(builder: Builder, value: Part, axis: int) -> Part:
    """A view, or an expression, with a new axis of extent 1."""
    if isinstance(value, ArrayValue):
        return ArrayValue(builder("expand", value.ref, axes=(axis,)))
    shape = (*value.shape[:axis], index(1), *value.shape[axis:])
    return Delayed(shape, value.dtype, lambda b, at: value.element(b, (*at[:axis], *at[axis + 1 :])), value.reads)


def at_least(builder: Builder, value: FrontValue, rank: int) -> Part:
    """The array with axes added in front."""
    assert isinstance(value, ArrayValue | Delayed)
    while value.rank < rank:
        value = with_axis(builder, value, 0)
    return value


def joined(builder: Builder, parts: Sequence[Part], axis: int) -> ArrayValue:
    """The parts one after another along an axis."""
    shapes = [shape_of(builder, p) for p in parts]
    for other in shapes[1:]:
        _require_fit(builder, shapes[0], other, axis)
    dtype = reduce(promote_strong, (p.dtype for p in parts))
    total = reduce(lambda a, b: index_op(builder, "add", a, b), [s[axis] for s in shapes], index(0))  # type: ignore[arg-type, return-value]  # operands
    shape = (*shapes[0][:axis], total, *shapes[0][axis + 1 :])
    ref = builder("alloc", *shape, dtype=dtype, fill="empty")
    offset: Operand = index(0)
    axes = "".join("s" if k == axis else ":" for k in range(len(shape)))
    for part, own in zip(parts, shapes, strict=True):
        place = builder("slice", ref, offset, own[axis], index(1), axes=axes)
        store_into(builder, ArrayValue(place), part)
        offset = index_op(builder, "add", offset, own[axis])
    return ArrayValue(ref)


def _require_fit(builder: Builder, first: tuple[Operand, ...], other: tuple[Operand, ...], axis: int) -> None:
    """All extents but that of the axis must be equal."""
    if len(first) != len(other):
        message = f"arrays of {len(first)} and {len(other)} dimensions cannot be joined"
        raise refuse(builder, message, "Add an axis with x[None], or use np.vstack.", ArgumentTypeError)
    for k, (n, m) in enumerate(zip(first, other, strict=True)):
        if k != axis:
            message = "arrays of extents {0} and {1} cannot be joined"
            extents.require_equal(builder, n, m, message, "All extents but that of the axis must be equal.")
