"""Python's rules for slices: from ``start:stop:step`` and an extent to first index, count and step.

Bounds are clamped as Python does, with operations that fold where bounds are literal: ``x[1:-1]`` has
``max(n - 2, 0)`` elements from 1 on, with no further clamping, because an empty slice never uses its start.
"""

from __future__ import annotations

from srcgrad.frontend.arrays import extents
from srcgrad.frontend.arrays.broadcasting import known_as
from srcgrad.frontend.numbers.promotion import Number, as_index
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.refusals import refuse
from srcgrad.frontend.values import FrontValue, ScalarValue, SliceValue, Static, is_number
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Operand, index

Bound = Operand | None
Bounds = tuple[Operand, Operand, Operand]  # first index, count, step


def slice_bounds(builder: Builder, part: SliceValue, n: Operand) -> Bounds | None:
    """Where a slice of an axis of extent ``n`` begins, how many elements it has and how far apart; None for ``:``."""
    start, stop, step = (_bound(builder, b) for b in (part.start, part.stop, part.step))
    if step is None:
        step = index(1)
    if not isinstance(step, Const):
        return _run_time_step(builder, start, stop, step, n)
    assert isinstance(step.value, int)
    if step.value == 0:
        raise refuse(builder, "slice step cannot be zero", "Leave out the step, or write 1.")
    if step.value < 0:
        first, span = _backward(builder, start, stop, n)
    else:
        first, span = _forward(builder, start, stop, n)
    if step.value == 1 and known_as(first, 0) and extents.same(builder, span, n):
        return None
    return first, _count(builder, span, abs(step.value)), step


def _bound(builder: Builder, value: FrontValue) -> Bound:
    if isinstance(value, Static) and value.value is None:
        return None
    if not is_number(value):
        raise refuse(builder, "the bounds of a slice must be integers or None", "Convert with int().")
    assert isinstance(value, ScalarValue | Static)
    return as_index(builder, value)


def _count(builder: Builder, span: Operand, step: int) -> Operand:
    return index_op(builder, "floordiv", extents.shifted(builder, span, step - 1), index(step))


def _literal(bound: Bound) -> int | None:
    if isinstance(bound, Const):
        assert isinstance(bound.value, int)
        return bound.value
    return None


def _forward(builder: Builder, start: Bound, stop: Bound, n: Operand) -> tuple[Operand, Operand]:
    """The first index and how many indices lie between the bounds, for a positive step."""
    low, high = _literal(start) if start is not None else 0, _literal(stop) if stop is not None else 0
    if low is not None and low >= 0:
        if high is not None and (stop is None or high < 0):  # [low:], [low:-k]
            return index(low), extents.clamped_at_zero(builder, extents.shifted(builder, n, high - low))
        end = index_op(builder, "min", n, index(high)) if high is not None else _clamped(builder, stop, n)
        return index(low), extents.clamped_at_zero(builder, extents.shifted(builder, end, -low))
    first = _clamped(builder, start, n)
    if stop is None:
        if low is not None:  # [-k:]
            return first, index_op(builder, "min", n, index(-low))
        return first, index_op(builder, "sub", n, first)
    return first, _span(builder, first, _clamped(builder, stop, n))


def _backward(builder: Builder, start: Bound, stop: Bound, n: Operand) -> tuple[Operand, Operand]:
    """The same for a negative step."""
    last = extents.shifted(builder, n, -1)
    first = last if start is None else _clamped(builder, start, n, lowest=-1, highest=last)
    if stop is None:
        return first, extents.shifted(builder, first, 1)
    return first, _span(builder, _clamped(builder, stop, n, lowest=-1, highest=last), first)


def _span(builder: Builder, low: Operand, high: Operand) -> Operand:
    return index_op(builder, "max", index_op(builder, "sub", high, low), index(0))


def _clamped(builder: Builder, bound: Bound, n: Operand, lowest: int = 0, highest: Operand | None = None) -> Operand:
    """A bound counted from the right side and moved into ``lowest .. highest``."""
    assert bound is not None
    literal = _literal(bound)
    top = n if highest is None else highest
    if literal is None:
        negative = builder("lt", bound, index(0))
        wrapped: Operand = builder("select", negative, builder("add", bound, n), bound)
        return index_op(builder, "max", index_op(builder, "min", wrapped, top), index(lowest))
    if literal < 0:
        return index_op(builder, "max", extents.shifted(builder, n, literal), index(lowest))
    return index_op(builder, "min", top, index(literal))


def _run_time_step(builder: Builder, start: Bound, stop: Bound, step: Operand, n: Operand) -> Bounds:
    nonzero = builder("ne", step, index(0))
    builder.emit("check", nonzero, exception="ValueError", message="slice step cannot be zero")
    positive = builder("gt", step, index(0))
    up, down = _forward(builder, start, stop, n), _backward(builder, start, stop, n)
    first, span = (builder("select", positive, a, b) for a, b in zip(up, down, strict=True))
    size = builder("abs", step)
    return first, builder.parts(span, size), step


def checked_index(builder: Builder, value: Number, n: Operand) -> Operand:
    """An index after Python's wrap-around, or IndexError when the program runs."""
    i = as_index(builder, value)
    if isinstance(i, Const) and isinstance(n, Const):
        assert isinstance(i.value, int) and isinstance(n.value, int)
        if -n.value <= i.value < n.value:
            return index(i.value % n.value)
    return builder("check_index", i, n)
