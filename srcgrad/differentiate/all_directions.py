"""A loop over all directions around forward mode, or all cotangents around reverse mode: the Jacobian in one program.

Before and after, for a function of an array ``x``, of which value and derivative along ``x_dot`` are known::

    def f(x: f64[:], x_dot: f64[:]):      def f(x: f64[:]):
        ...                                   n: i64 = dim(x, axis=0)
        return y, y_dot                       matrix: f64[:, :] = alloc(dim(y, axis=0), n, dtype=f64, fill='empty')
                                              with for_(n):
                                                  def _(k: i64):
                                                      x_dot: f64[:] = alloc(n, dtype=f64, fill='zeros')
                                                      store(x_dot, k, 1.0)
                                                      ...                   # y_dot goes to column k
                                              return matrix

The loop is marked by how many directions should be swept at once: where iterations may run in lanes, these do, and what
does not depend on the direction is computed once for all of them (``optimize.run_in_lanes``).
"""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.errors import UnsupportedError
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Function, Op, Operand, Value, constant, index, walk
from srcgrad.ir.rewrite import copy_block, fresh, rewrite
from srcgrad.ir.types import Array, Scalar, Type
from srcgrad.primitives.table import new_builder

# How many are swept at once: rows are asked for where they are few, and arrays get an axis of this length.
COLUMNS, ROWS = 32, 8


def all_directions(tangent: Function, value: Function, position: int) -> Function:
    """The derivatives of one result by all elements of the array parameter at ``position``, which are the last axes.

    ``tangent`` gives the result and its derivative along the direction that is its last parameter, ``value`` the
    result alone: of it no more than the extents are needed.
    """
    parameters = tuple(fresh(p) for p in tangent.parameters[:-1])
    builder = new_builder()
    builder.open(parameters)
    of, by = tangent.results[1].type, parameters[position].type
    assert isinstance(of, Array | Scalar) and isinstance(by, Array)
    shape = _extents(builder, parameters[position])
    size = _product(builder, shape)
    (result,) = _inlined(builder, value, parameters)
    tangent = _without_checks_of(value, tangent)
    rows = _extents(builder, result)
    matrix = builder("alloc", *rows, size, name="matrix", dtype=of.dtype, fill="empty")

    def column(k: Value) -> Sequence[Operand]:
        direction = _unit(builder, k, shape, tangent.parameters[-1])
        _, along = _inlined(builder, tangent, (*parameters, direction))
        if isinstance(along.type, Array):
            builder.nest(rows, lambda at: builder.emit("store", matrix, *at, k, builder("load", along, *at)))
        else:
            builder.emit("store", matrix, k, along)
        return ()

    builder.for_(size, (), column, counter="k", directions=COLUMNS)
    whole = matrix if len(shape) == 1 else builder("reshape", matrix, *rows, *shape)
    body = builder.close((whole,))
    return Function(tangent.name, body, {**value.callees, **tangent.callees})


def all_cotangents(pullback: Function, value: Function, position: int) -> Function:
    """The derivatives of all elements of an array result by an array parameter, which are the last axes.

    ``pullback`` gives the parameter's cotangent from that of the result, its last parameter; ``value`` is as above.
    """
    parameters = tuple(fresh(p) for p in pullback.parameters[:-1])
    builder = new_builder()
    builder.open(parameters)
    (gradient,) = pullback.results
    assert isinstance(gradient.type, Array)
    (result,) = _inlined(builder, value, parameters)
    pullback = _without_checks_of(value, pullback)
    rows = _extents(builder, result)
    size = _product(builder, rows)
    columns = _extents(builder, parameters[position])
    matrix = builder("alloc", size, *columns, name="matrix", dtype=gradient.type.dtype, fill="empty")

    def row(k: Value) -> Sequence[Operand]:
        cotangent = _unit(builder, k, rows, pullback.parameters[-1])
        (along,) = _inlined(builder, pullback, (*parameters, cotangent))
        builder.nest(columns, lambda at: builder.emit("store", matrix, k, *at, builder("load", along, *at)))
        return ()

    builder.for_(size, (), row, counter="k", directions=ROWS)
    whole = matrix if len(rows) == 1 else builder("reshape", matrix, *rows, *columns)
    return Function(pullback.name, builder.close((whole,)), {**value.callees, **pullback.callees})


def _without_checks_of(value: Function, derivative: Function) -> Function:
    """What the value has checked, whose program is the same up to there, is not checked for each direction again."""
    checked = {_spelled(op) for op in walk(value.body) if op.primitive == "check"}
    return rewrite(derivative, lambda op: ([], {}) if op.primitive == "check" and _spelled(op) in checked else None)


def _spelled(check: Op) -> tuple[object, ...]:
    return (check.text("message"), check.location)


def _unit(builder: Builder, k: Value, shape: Sequence[Operand], like: Value) -> Value:
    """The k-th of all directions of this shape that are 1 in one place, of the type of a parameter."""
    assert isinstance(like.type, Array)
    unit = builder("alloc", _product(builder, shape), name="direction", dtype=like.type.dtype, fill="zeros")
    builder.emit("store", unit, k, constant(1, like.type.dtype))
    return _of_type(builder, unit if len(shape) == 1 else builder("reshape", unit, *shape), like.type)


def _inlined(builder: Builder, function: Function, operands: Sequence[Operand]) -> Sequence[Operand]:
    """The results of a copy of the function's ops at the cursor."""
    environment: dict[Value, Operand] = dict(zip(function.parameters, operands, strict=True))
    body = copy_block(Block((), function.body.ops, function.body.yields), environment)
    builder.ops.extend(body.ops)
    return body.yields


def _extents(builder: Builder, operand: Operand) -> list[Operand]:
    if not isinstance(operand.type, Array):
        return []
    ones = operand.type.ones
    return [index(1) if k in ones else builder("dim", operand, axis=k) for k in range(operand.type.rank)]


def _product(builder: Builder, extents: Sequence[Operand]) -> Operand:
    total: Operand = index(1)
    for k, extent in enumerate(extents):
        total = builder("mul", total, extent) if k else extent
    return total


def _of_type(builder: Builder, array: Value, wanted: Type) -> Value:
    """Fresh memory in rows as a reference of a parameter's type."""
    if array.type != wanted:
        array = builder("relax", array)
    if array.type != wanted:
        raise UnsupportedError(f"a direction of type {wanted}", hint="Take one direction after the other.")
    return array
