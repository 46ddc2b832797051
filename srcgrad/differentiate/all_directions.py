"""A loop over all directions around forward mode: the whole Jacobian in one program.

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

The loop is marked ``directions=True``: where iterations may run in lanes, these do, 32 directions at a time, and what
does not depend on the direction is computed once for all of them (``optimize.run_in_lanes``).
"""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.errors import UnsupportedError
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Function, Operand, Value, constant, index
from srcgrad.ir.rewrite import copy_block, fresh
from srcgrad.ir.types import Array, Scalar, Type
from srcgrad.primitives.table import new_builder


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
    rows = _extents(builder, result)
    matrix = builder("alloc", *rows, size, name="matrix", dtype=of.dtype, fill="empty")

    def column(k: Value) -> Sequence[Operand]:
        unit = builder("alloc", size, name="direction", dtype=by.dtype, fill="zeros")
        builder.emit("store", unit, k, constant(1, by.dtype))
        direction = _of_type(builder, _shaped(builder, unit, shape), tangent.parameters[-1].type)
        _, along = _inlined(builder, tangent, (*parameters, direction))
        if isinstance(along.type, Array):
            builder.nest(rows, lambda at: builder.emit("store", matrix, *at, k, builder("load", along, *at)))
        else:
            builder.emit("store", matrix, k, along)
        return ()

    builder.for_(size, (), column, counter="k", directions=True)
    whole = matrix if len(shape) == 1 else builder("reshape", matrix, *rows, *shape)
    body = builder.close((whole,))
    return Function(tangent.name, body, {**value.callees, **tangent.callees})


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


def _shaped(builder: Builder, flat: Value, shape: Sequence[Operand]) -> Value:
    return flat if len(shape) == 1 else builder("reshape", flat, *shape)


def _of_type(builder: Builder, array: Value, wanted: Type) -> Value:
    """Fresh memory in rows as a reference of a parameter's type."""
    if array.type != wanted:
        array = builder("relax", array)
    if array.type != wanted:
        raise UnsupportedError(f"a direction of type {wanted}", hint="Take one direction after the other.")
    return array
