"""What one loops over: ``range``, ``zip``, ``enumerate``, ``reversed``, ``np.ndindex``, ``numba.prange``."""

from __future__ import annotations

from collections.abc import Sequence

import numba
import numpy as np

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.arrays.attributes import product
from srcgrad.frontend.arrays.construct import as_array
from srcgrad.frontend.arrays.delayed import materialized, shape_of
from srcgrad.frontend.arrays.extents import clamped_at_zero
from srcgrad.frontend.boundary.objects import Records
from srcgrad.frontend.containers import growing
from srcgrad.frontend.control.merge import simplified
from srcgrad.frontend.control.yielding import collected
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.operators import kind_of
from srcgrad.frontend.nodes.subscripts import pick, subscript
from srcgrad.frontend.numbers.promotion import as_index
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import (
    ArrayValue,
    Counted,
    Delayed,
    FrontValue,
    GrowingList,
    ScalarValue,
    SinglePass,
    Static,
    TupleValue,
    Yielding,
)
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Operand, index


def integer(operand: Operand) -> FrontValue:
    """An index or extent as the user sees it: a Python int."""
    return simplified(ScalarValue(operand, weak=True))


@function(range, numba.prange)
def _range(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if not 1 <= len(arguments) <= 3 or keywords:
        lowering.refuse(None, f"range() takes 1 to 3 arguments, got {len(arguments)}", error=ArgumentTypeError)
    bounds = [_bound(lowering, a) for a in arguments]
    start = bounds[0] if len(bounds) > 1 else index(0)
    stop = bounds[min(1, len(bounds) - 1)]
    step = bounds[2] if len(bounds) > 2 else index(1)
    builder = lowering.builder

    def item(k: Operand) -> FrontValue:
        return integer(index_op(builder, "add", index_op(builder, "mul", k, step), start))

    return Counted(_trips(lowering, start, stop, step), item)


@function(numba.get_num_threads, least=0, most=0)
def _number_of_threads(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """Into how many parts the user divides the work."""
    return Static(numba.get_num_threads())


@function(numba.get_thread_id, least=0, most=0)
def _thread(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """One thread does all of it, as ``prange`` is taken for ``range``."""
    return Static(0)


def _bound(lowering: Lowering, value: FrontValue) -> Operand:
    if not isinstance(value, ScalarValue | Static) or not isinstance(getattr(value, "value", 0), int):
        lowering.refuse(None, f"range() takes integers, got {kind_of(value)}", error=ArgumentTypeError)
    return as_index(lowering.builder, value)


def _trips(lowering: Lowering, start: Operand, stop: Operand, step: Operand) -> Operand:
    """``max(0, ceil((stop - start) / step))``."""
    builder = lowering.builder
    if all(isinstance(b, Const) for b in (start, stop, step)) and step.value == 0:  # type: ignore[union-attr]  # constants
        lowering.refuse(None, "range() arg 3 must not be zero", error=ArgumentTypeError)
    if not isinstance(step, Const):
        valid = builder("ne", step, index(0))
        builder.emit("check", valid, exception="ValueError", message="range() arg 3 must not be zero")
        distance = builder("floordiv", index_op(builder, "sub", start, stop), step)
        return clamped_at_zero(builder, index_op(builder, "sub", index(0), distance))
    stride = int(step.value)  # type: ignore[arg-type]  # i64
    if stride > 0:
        span = index_op(builder, "sub", stop, start)
    else:
        span, stride = index_op(builder, "sub", start, stop), -stride
    if stride > 1:
        span = index_op(builder, "floordiv", index_op(builder, "add", span, index(stride - 1)), index(stride))
    return clamped_at_zero(builder, span)


def as_counted(lowering: Lowering, value: FrontValue) -> Counted:
    """Anything one can loop over, as a length and its items."""
    match value:
        case Counted():
            return value
        case GrowingList():
            return growing.counted(lowering, value)
        case Yielding():
            return growing.counted(lowering, collected(lowering, value))
        case TupleValue(cls=cls) if issubclass(cls, Records):
            length = shape_of(lowering.builder, value.items[0])[0]
            return Counted(length, lambda k: subscript(lowering, value, (integer(k),)))
        case TupleValue():
            items = value if value.cls is not dict else TupleValue(tuple(Static(k) for k in value.keys))
            return Counted(index(len(items.items)), lambda k: pick_known(lowering, items, k))
        case ArrayValue() | Delayed() if value.rank > 0:
            return over_array(lowering, value)
    lowering.refuse(None, f"a loop over {kind_of(value)}", error=ArgumentTypeError)


def pick_known(lowering: Lowering, items: TupleValue, k: Operand) -> FrontValue:
    """The item at an index that may be known."""
    return items.items[int(k.value)] if isinstance(k, Const) else pick(lowering, items, k)  # type: ignore[arg-type]  # i64


def over_array(lowering: Lowering, array: ArrayValue | Delayed) -> Counted:
    """The elements of a vector, or the rows of a higher array."""
    held = materialized(lowering.builder, array)

    def item(k: Operand) -> FrontValue:
        if held.rank == 1:
            return ScalarValue(lowering.builder("load", held.ref, k))
        return ArrayValue(lowering.builder("slice", held.ref, k, axes="i" + ":" * (held.rank - 1)))

    return Counted(shape_of(lowering.builder, held)[0], item)


def has_known_length(values: Sequence[FrontValue]) -> bool:
    return all(isinstance(v, TupleValue) or (isinstance(v, Static) and isinstance(v.value, str)) for v in values)


@function(zip)
def _zip(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    strict = keywords.get("strict")
    if not arguments:
        return TupleValue((), tuple)
    parts = [as_counted(lowering, a) for a in arguments]
    length = parts[0].length
    for part in parts[1:]:
        if isinstance(strict, Static) and strict.value:
            same = lowering.builder("eq", length, part.length)
            message = "zip() arguments have different lengths"
            lowering.builder.emit("check", same, exception="ValueError", message=message)
        elif part.length is not length:
            length = index_op(lowering.builder, "min", length, part.length)
    counted = Counted(length, lambda k: TupleValue(tuple(p.item(k) for p in parts), tuple), once=True)
    return listed(counted) if has_known_length(arguments) else counted


def listed(counted: Counted) -> TupleValue:
    """The items of something of known length."""
    assert isinstance(counted.length, Const)
    return TupleValue(tuple(counted.item(index(k)) for k in range(int(counted.length.value))), SinglePass)  # type: ignore[arg-type]  # i64


@function(enumerate, least=1, most=2)
def _enumerate(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    first = arguments[1] if len(arguments) > 1 else keywords.get("start", Static(0))
    assert isinstance(first, ScalarValue | Static)
    start = as_index(lowering.builder, first)
    part = as_counted(lowering, arguments[0])

    def item(k: Operand) -> FrontValue:
        return TupleValue((integer(index_op(lowering.builder, "add", k, start)), part.item(k)), tuple)

    counted = Counted(part.length, item, once=True)
    return listed(counted) if has_known_length(arguments[:1]) else counted


@function(reversed, least=1, most=1)
def _reversed(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if has_known_length(arguments):
        value = arguments[0]
        items = value.items if isinstance(value, TupleValue) else tuple(map(Static, str(value.value)))  # type: ignore[union-attr]  # a string
        return TupleValue(tuple(reversed(items)), SinglePass)
    part = as_counted(lowering, arguments[0])
    builder = lowering.builder
    last = index_op(builder, "sub", part.length, index(1))
    return Counted(part.length, lambda k: part.item(index_op(builder, "sub", last, k)), once=True)


@function(np.ndindex, least=1)
def _ndindex(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """All indices of a shape, the last fastest: one counter, taken apart by division."""
    given = arguments[0].items if len(arguments) == 1 and isinstance(arguments[0], TupleValue) else arguments
    sizes = [clamped_at_zero(lowering.builder, _bound(lowering, a)) for a in given]

    def item(k: Operand) -> FrontValue:
        return TupleValue(tuple(map(integer, taken_apart(lowering.builder, k, sizes))), tuple)

    return Counted(product(lowering.builder, sizes), item, once=True)


@function(np.ndenumerate, least=1, most=1)
def _ndenumerate(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """The index of each element and the element."""
    builder = lowering.builder
    array = materialized(builder, as_array(builder, arguments[0]))
    sizes = shape_of(builder, array)

    def item(k: Operand) -> FrontValue:
        at = taken_apart(builder, k, sizes)
        element = ScalarValue(builder("load", array.ref, *at))
        return TupleValue((TupleValue(tuple(map(integer, at)), tuple), element), tuple)

    return Counted(product(builder, sizes), item, once=True)


def taken_apart(builder: Builder, k: Operand, sizes: Sequence[Operand]) -> list[Operand]:
    """The index of element ``k`` of these extents, the last axis fastest."""
    parts: list[Operand] = []
    for n in reversed(sizes[1:]):
        parts.append(builder("mod", k, n))
        k = index_op(builder, "floordiv", k, n)
    return [*([k] if sizes else []), *reversed(parts)]
