"""Arrays joined into one: ``concatenate``, ``stack`` and their kin. Expressions go straight into their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce

import numpy as np

from srcgrad.errors import ArgumentTypeError, ShapeError
from srcgrad.frontend.arrays import extents
from srcgrad.frontend.arrays.construct import as_array
from srcgrad.frontend.arrays.creation import converted, optional_dtype
from srcgrad.frontend.arrays.delayed import copy, materialized, shape_of
from srcgrad.frontend.arrays.stores import store_into
from srcgrad.frontend.arrays.views import axis_of, permuted, reshaped
from srcgrad.frontend.calls.signatures import bound, static_int
from srcgrad.frontend.containers.items import sequence_items
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.promotion import promote_strong
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.refusals import refuse
from srcgrad.frontend.registry import Arguments, Handler, Keywords, function
from srcgrad.frontend.values import ArrayValue, Delayed, FrontValue, Static, TupleValue
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Operand, index

Part = ArrayValue | Delayed


# prepare(array, first) gives a part the axes it needs; they are counted from ``first`` on
Prepare = Callable[[Part, int], Part]


def parts_of(lowering: Lowering, value: FrontValue) -> list[Part]:
    """The arrays of a tuple or list."""
    items = [as_array(lowering.builder, v) for v in sequence_items(lowering, value)]
    if not items:
        lowering.refuse(None, "need at least one array to join", "Use np.zeros(0).", ShapeError)
    return items  # type: ignore[return-value]  # as_array gives arrays


def join(lowering: Lowering, arrays: FrontValue, axis: Callable[[int], int], prepare: Prepare) -> ArrayValue:
    """A sequence of arrays, or the rows of one, joined along the axis that goes with their rank."""
    if isinstance(arrays, ArrayValue | Delayed):
        rows = prepare(materialized(lowering.builder, arrays), 1)
        return _rows_joined(lowering.builder, rows, axis(rows.rank - 1))
    parts = [prepare(p, 0) for p in parts_of(lowering, arrays)]
    return joined(lowering.builder, parts, axis(parts[0].rank))


def _rows_joined(builder: Builder, rows: Part, axis: int) -> ArrayValue:
    """The first axis put in front of the one that its rows are joined along, and both made one."""
    others = list(range(1, rows.rank))
    permutation = (*others[:axis], 0, *others[axis:])
    moved = copy(builder, permuted(builder, materialized(builder, rows), permutation))
    shape = shape_of(builder, moved)
    merged = index_op(builder, "mul", shape[axis], shape[axis + 1])
    return reshaped(builder, moved, (*shape[:axis], merged, *shape[axis + 2 :]))


def _as_it_is(part: Part, first: int) -> Part:
    return part


@function(np.concatenate)
def _concatenate(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    none = Static(None)
    arrays, axis, dtype = bound(lowering, "concatenate", arguments, keywords, "arrays", axis=Static(0), dtype=none)
    builder = lowering.builder
    if isinstance(axis, Static) and axis.value is None:
        result = joined(builder, [reshaped(builder, p, (index(-1),)) for p in parts_of(lowering, arrays)], 0)
    else:
        result = join(lowering, arrays, lambda rank: axis_of(lowering, static_int(lowering, axis), rank), _as_it_is)
    return converted(builder, result, optional_dtype(lowering, dtype, result.dtype)) if dtype is not none else result


@function(np.stack)
def _stack(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    arrays, axis = bound(lowering, "stack", arguments, keywords, "arrays", axis=Static(0))

    def prepare(part: Part, first: int) -> Part:
        position = axis_of(lowering, static_int(lowering, axis), part.rank - first + 1)
        return with_axis(lowering.builder, part, first + position)

    return join(lowering, arrays, lambda rank: axis_of(lowering, static_int(lowering, axis), rank), prepare)


@function(np.vstack)
def _vstack(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    (arrays,) = bound(lowering, "vstack", arguments, keywords, "tup")
    return join(lowering, arrays, lambda rank: 0, lambda p, first: at_least(lowering.builder, p, 2, first))


@function(np.hstack)
def _hstack(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    (arrays,) = bound(lowering, "hstack", arguments, keywords, "tup")
    last_of_vectors = lambda p, first: at_least(lowering.builder, p, 1, first)  # noqa: E731  (as the others here)
    return join(lowering, arrays, lambda rank: 0 if rank == 1 else 1, last_of_vectors)


@function(np.dstack)
def _dstack(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    (arrays,) = bound(lowering, "dstack", arguments, keywords, "tup")
    return join(lowering, arrays, lambda rank: 2, lambda p, first: at_least_cube(lowering.builder, p, first))


@function(np.column_stack)
def _column_stack(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    (arrays,) = bound(lowering, "column_stack", arguments, keywords, "tup")

    def prepare(part: Part, first: int) -> Part:
        part = at_least(lowering.builder, part, 1, first)
        return with_axis(lowering.builder, part, first + 1) if part.rank == first + 1 else part

    return join(lowering, arrays, lambda rank: 1, prepare)


@function(np.block)
def _block(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """Lists in lists: the innermost are joined along the last axis, the next ones along the one before."""
    (arrays,) = bound(lowering, "block", arguments, keywords, "arrays")
    builder = lowering.builder

    def depth(value: FrontValue) -> int:
        return 1 + max(map(depth, value.items), default=0) if isinstance(value, TupleValue) else 0

    def leaves(value: FrontValue) -> Iterator[int]:
        for item in value.items if isinstance(value, TupleValue) else ():
            yield from leaves(item)
        if not isinstance(value, TupleValue):
            yield len(shape_of(builder, value))

    levels = depth(arrays)
    rank = max(levels, *leaves(arrays))

    def made(value: FrontValue, level: int) -> Part:
        if not isinstance(value, TupleValue):
            return at_least(builder, as_array(builder, value), rank)
        return joined(builder, [made(item, level + 1) for item in value.items], rank - levels + level)

    return made(arrays, 0)


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


def _at_least(name: str, make: Callable[[Builder, FrontValue], Part]) -> Handler:
    def handler(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
        bound(lowering, name, (), keywords)
        made = tuple(make(lowering.builder, as_array(lowering.builder, a)) for a in arguments)
        return made[0] if len(made) == 1 else TupleValue(made)

    return handler


function(np.atleast_1d, least=1)(_at_least("atleast_1d", lambda builder, a: at_least(builder, a, 1)))
function(np.atleast_2d, least=1)(_at_least("atleast_2d", lambda builder, a: at_least(builder, a, 2)))
function(np.atleast_3d, least=1)(_at_least("atleast_3d", lambda builder, a: at_least_cube(builder, a)))


def with_axis(builder: Builder, value: Part, axis: int) -> Part:
    """A view, or an expression, with a new axis of extent 1."""
    if isinstance(value, ArrayValue):
        return ArrayValue(builder("expand", value.ref, axes=(axis,)))
    shape = (*value.shape[:axis], index(1), *value.shape[axis:])
    return Delayed(shape, value.dtype, lambda b, at: value.element(b, (*at[:axis], *at[axis + 1 :])), value.reads)


def at_least(builder: Builder, value: FrontValue, rank: int, first: int = 0) -> Part:
    """The array with axes added in front, behind the ``first`` ones."""
    assert isinstance(value, ArrayValue | Delayed)
    while value.rank < first + rank:
        value = with_axis(builder, value, first)
    return value


def at_least_cube(builder: Builder, value: FrontValue, first: int = 0) -> Part:
    """An array of rank 3: of a vector the second axis, of a matrix the first two."""
    part = at_least(builder, value, 2, first)
    return with_axis(builder, part, first + 2) if part.rank == first + 2 else part


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
