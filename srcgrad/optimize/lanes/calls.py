"""Calls whose operands have lanes: products of matrices are loops over lanes, other calls are made lane by lane.

A callee knows nothing of lanes: before its call the arrays of one lane are copied out, after it those that it writes
to are copied back. What treats each column of a matrix alike takes the lanes for more columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from srcgrad.ir.core import Op, Operand, Value, index
from srcgrad.ir.types import Array, Scalar
from srcgrad.optimize.lanes.facts import Facts
from srcgrad.optimize.lanes.lane import Lane, names_of
from srcgrad.optimize.lanes.products import is_product, product_with_lanes
from srcgrad.primitives.routines import ROUTINES

if TYPE_CHECKING:
    from srcgrad.optimize.lanes.widen import Widening


def may_call(facts: Facts, op: Op) -> bool:
    """Whether a call can be made for lanes that differ: it is a product, or about a direction each."""
    written = facts.program.written.get(op, frozenset())
    if not written <= facts.made or not all(map(facts.is_whole, op.operands)):
        return False
    return is_product(facts, op) or (facts.directions > 0 and _fits(facts, op))


def _fits(facts: Facts, op: Op) -> bool:
    """Whether copies of the arrays of a lane are what the callee takes, and what it gives has a place."""
    routine = ROUTINES.get(op.text("callee"))
    if any(isinstance(r.type, Array) for r in op.results) or (routine is not None and routine.lasting):
        return False
    private = (x.type for x in op.operands if facts.is_private(x))
    return all(isinstance(t, Array) and t.layout == "C" and (routine or not t.ones) for t in private)


def _in_columns(facts: Facts, op: Op) -> bool:
    """Whether the lanes can be more columns of what a routine reads last, and of what it fills."""
    routine = ROUTINES.get(op.text("callee"))
    return (
        routine is not None and routine.by_columns and not any(map(facts.is_private, op.operands[: routine.reads - 1]))
    )


def call_with_lanes(widening: Widening, op: Op) -> None:
    """Emit it, between two loops over lanes."""
    if is_product(widening.facts, op):
        product_with_lanes(widening, op)
        return
    if _in_columns(widening.facts, op):
        *others, read, filled = widening.alike(op.operands)
        flat = [_with_more_columns(widening, x) for x in (read, filled)]
        widening.builder.emit("call", *others, *flat, **op.attributes)  # type: ignore[arg-type]  # as below
        return
    for result in op.results:
        widening.hold(result)
    widening.builder.for_(widening.lanes, (), lambda lane: _call(widening, op, lane), counter="lane")


def _with_more_columns(widening: Widening, matrix: Operand) -> Value:
    builder = widening.builder
    columns = builder("mul", builder("dim", matrix, axis=1), index(widening.pitch))
    return builder("reshape", matrix, builder("dim", matrix, axis=0), columns)


def _call(widening: Widening, op: Op, lane: Value) -> tuple[()]:
    builder, facts = widening.builder, widening.facts
    own = Lane(widening, lane, {})
    operands = [_taken_out(widening, x, lane) if facts.is_private(x) else own.value(x) for x in op.operands]
    results = builder.emit("call", *operands, names=names_of(op), **op.attributes)  # type: ignore[arg-type]  # no attribute is called blocks
    for result, value in zip(op.results, results, strict=True):
        assert isinstance(result.type, Scalar)
        builder.emit("store", widening.buffers[result], lane, value)
    written = facts.program.written.get(op, frozenset())
    for operand, copy in zip(op.operands, operands, strict=True):
        if facts.is_private(operand) and not written.isdisjoint(facts.program.sites.sites(operand)):
            _put_back(widening, operand, copy, lane)
    return ()


def _taken_out(widening: Widening, operand: Operand, lane: Value) -> Value:
    """A copy of one lane of an array."""
    (array,), builder = widening.alike([operand]), widening.builder
    assert isinstance(operand.type, Array)
    extents = [builder("dim", array, axis=axis) for axis in range(operand.type.rank)]
    copy = builder("alloc", *extents, dtype=operand.type.dtype, fill="empty")
    builder.nest(extents, lambda at: builder.emit("store", copy, *at, builder("load", array, *at, lane)))
    return copy


def _put_back(widening: Widening, operand: Operand, copy: Operand, lane: Value) -> None:
    (array,), builder = widening.alike([operand]), widening.builder
    assert isinstance(operand.type, Array)
    extents = [builder("dim", copy, axis=axis) for axis in range(operand.type.rank)]
    builder.nest(extents, lambda at: builder.emit("store", array, *at, lane, builder("load", copy, *at)))
