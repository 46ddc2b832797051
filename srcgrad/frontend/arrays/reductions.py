"""Sums, products and truth over axes: one loop over the elements, whatever expression they come from.

Where the last axis is summed away, the sum of each result is carried in a register; where it is kept, elements
are added to the result in memory, in the order in which they lie there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from srcgrad.frontend.arrays.broadcasting import Shape
from srcgrad.frontend.arrays.construct import as_array
from srcgrad.frontend.arrays.creation import optional_dtype
from srcgrad.frontend.arrays.delayed import as_delayed, expression
from srcgrad.frontend.arrays.gather import carrying
from srcgrad.frontend.arrays.selection import selected
from srcgrad.frontend.arrays.views import axis_of
from srcgrad.frontend.calls.signatures import bound, static_bool, static_ints
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.promotion import as_scalar, cast, converted
from srcgrad.frontend.numbers.scalars import truth
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import ArrayValue, Delayed, FrontValue, ScalarValue, Static, is_number
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Operand, Value, constant, index
from srcgrad.ir.types import BOOL, C64, C128, F32, F64, I64, U64, DType


@dataclass(frozen=True)
class Reduction:
    """``primitive`` joins elements of ``within``, starting from ``neutral``; the result is of dtype ``result``."""

    primitive: str
    neutral: int
    within: DType
    result: DType


@function(np.sum)
def _sum(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return _arithmetic(lowering, "sum", "add", 0, arguments, keywords)


@function(np.prod)
def _prod(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return _arithmetic(lowering, "prod", "mul", 1, arguments, keywords)


def _arithmetic(
    lowering: Lowering, name: str, primitive: str, neutral: int, arguments: Arguments, keywords: Keywords
) -> FrontValue:
    none, false = Static(None), Static(False)
    a, axis, dtype, keepdims, initial, where = bound(
        lowering, name, arguments, keywords, "a", axis=none, dtype=none, keepdims=false, initial=none, where=none
    )
    builder = lowering.builder
    value = as_delayed(builder, left_out(builder, as_array(builder, a), where, Static(neutral)))
    result = optional_dtype(lowering, dtype, accumulated(value.dtype))
    # Single precision is summed in double: a plain loop would lose what NumPy's pairwise sum keeps.
    within = {F32: F64, C64: C128}.get(result, result)
    axes = reduced_axes(lowering, axis, value.rank)
    reduction = Reduction(primitive, neutral, within, result)
    total = reduced(builder, value, axes, static_bool(lowering, keepdims, "keepdims"), reduction)
    if isinstance(initial, Static) and initial.value is None:
        return total
    return expression(
        builder,
        (initial, total),
        lambda b, x, y: ScalarValue(b(primitive, converted(b, x, result), as_scalar(y).operand)),
    )


def left_out(builder: Builder, a: FrontValue, where: FrontValue, neutral: FrontValue) -> FrontValue:
    """The array with a neutral number where ``where`` is not True."""
    if isinstance(where, Static) and where.value in (None, True):
        return a
    return selected(builder, where if is_number(where) else as_array(builder, where), a, neutral)


def accumulated(dtype: DType) -> DType:
    """NumPy sums small integers and booleans in 64 bits."""
    return {"b": I64, "i": I64, "u": U64}.get(dtype.kind, dtype)


@function(np.any)
def _any(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return _logical(lowering, "any", Reduction("or_", 0, BOOL, BOOL), arguments, keywords)


@function(np.all)
def _all(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return _logical(lowering, "all", Reduction("and_", 1, BOOL, BOOL), arguments, keywords)


@function(np.count_nonzero)
def _count_nonzero(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return _logical(lowering, "count_nonzero", Reduction("add", 0, I64, I64), arguments, keywords)


def _logical(
    lowering: Lowering, name: str, reduction: Reduction, arguments: Arguments, keywords: Keywords
) -> FrontValue:
    none, false = Static(None), Static(False)
    a, axis, keepdims, where = bound(lowering, name, arguments, keywords, "a", axis=none, keepdims=false, where=none)
    builder = lowering.builder
    value = as_delayed(builder, left_out(builder, as_array(builder, a), where, Static(reduction.neutral)))

    def element(builder: Builder, at: tuple[Operand, ...]) -> Operand:
        return as_scalar(truth(builder, ScalarValue(value.element(builder, at)))).operand

    truths = Delayed(value.shape, BOOL, element, value.reads)
    axes = reduced_axes(lowering, axis, value.rank)
    return reduced(lowering.builder, truths, axes, static_bool(lowering, keepdims, "keepdims"), reduction)


def reduced_axes(lowering: Lowering, axis: FrontValue, rank: int) -> tuple[int, ...]:
    """The axes that an argument ``axis`` names; all for None."""
    if isinstance(axis, Static) and axis.value is None:
        return tuple(range(rank))
    axes = tuple(axis_of(lowering, k, rank) for k in static_ints(lowering, axis))
    if len(set(axes)) < len(axes):
        lowering.refuse(None, "an axis is named twice", "Name each once.")
    return axes


def reduced(
    builder: Builder, value: Delayed, axes: tuple[int, ...], keepdims: bool, reduction: Reduction
) -> FrontValue:
    """The reduction over some axes; a number where none is left."""
    kept = [k for k in range(value.rank) if k not in axes]
    if not kept:
        total = _carried(builder, value, (), axes, reduction)
        if not keepdims or not axes:
            return ScalarValue(total)
        ref = builder("alloc", *[index(1)] * value.rank, dtype=reduction.result, fill="empty")
        builder.emit("store", ref, *[index(0)] * value.rank, total)
        return ArrayValue(ref)
    shape: Shape = tuple(value.shape[k] if k in kept else index(1) for k in range(value.rank))
    if not keepdims:
        shape = tuple(value.shape[k] for k in kept)
    place = _place(kept, value.rank, keepdims)
    sums = reduction.primitive == "add" and reduction.within == reduction.result
    if sums and value.rank - 1 in kept and axes:
        ref = builder("alloc", *shape, dtype=reduction.result, fill="zeros")
        _accumulate(builder, value, kept, ref, place)
        return ArrayValue(ref)
    ref = builder("alloc", *shape, dtype=reduction.result, fill="empty")

    def put(outer: tuple[Operand, ...]) -> None:
        at = dict(zip(kept, outer, strict=True))
        total = _carried(builder, value, tuple(at.get(k) for k in range(value.rank)), axes, reduction)
        builder.emit("store", ref, *place(outer), total)

    builder.nest(tuple(value.shape[k] for k in kept), put)
    return ArrayValue(ref)


def _place(kept: list[int], rank: int, keepdims: bool) -> Callable[[tuple[Operand, ...]], tuple[Operand, ...]]:
    """Where in the result the element with these indices on the kept axes goes."""
    if not keepdims:
        return lambda outer: outer
    return lambda outer: tuple(dict(zip(kept, outer, strict=True)).get(k, index(0)) for k in range(rank))


def _carried(
    builder: Builder, value: Delayed, outer: tuple[Operand | None, ...], axes: tuple[int, ...], reduction: Reduction
) -> Operand:
    """The reduction over ``axes`` at fixed indices on the others."""
    inner = sorted(axes)

    def step(at: tuple[Operand, ...], total: Operand) -> Operand:
        indices = dict(zip(inner, at, strict=True))
        place = tuple(indices[k] if k in indices else _known(outer[k]) for k in range(value.rank))
        return builder(reduction.primitive, total, cast(builder, value.element(builder, place), reduction.within))

    initial = constant(reduction.neutral, reduction.within)
    total = carrying(builder, tuple(value.shape[k] for k in inner), initial, step)
    return cast(builder, total, reduction.result)


def _known(i: Operand | None) -> Operand:
    assert i is not None
    return i


def _accumulate(
    builder: Builder,
    value: Delayed,
    kept: list[int],
    ref: Value,
    place: Callable[[tuple[Operand, ...]], tuple[Operand, ...]],
) -> None:
    """Add every element to its place in the result."""

    def add(at: tuple[Operand, ...]) -> None:
        target = place(tuple(at[k] for k in kept))
        element = cast(builder, value.element(builder, at), ArrayValue(ref).dtype)
        builder.emit("accumulate", ref, *target, element)

    builder.nest(value.shape, add)
