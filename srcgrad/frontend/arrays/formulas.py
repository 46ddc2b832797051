"""Arrays given by a formula of the index: ``full``, ``arange``, ``linspace``, ``eye``, ``tril``; without memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.arrays import extents
from srcgrad.frontend.arrays.attributes import python_int
from srcgrad.frontend.arrays.broadcasting import Shape, broadcast, fitted, known_as
from srcgrad.frontend.arrays.construct import as_array
from srcgrad.frontend.arrays.creation import converted as in_dtype
from srcgrad.frontend.arrays.creation import like_arguments, optional_dtype, require_extents
from srcgrad.frontend.arrays.delayed import as_delayed, materialized, shape_of, source_at
from srcgrad.frontend.arrays.stores import as_number
from srcgrad.frontend.arrays.views import new_shape
from srcgrad.frontend.calls.signatures import bound, static_bool
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.conversions import dtype_argument
from srcgrad.frontend.numbers.promotion import Number, as_index, as_scalar, cast, converted, promoted
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.refusals import refuse
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import ArrayValue, Delayed, FrontValue, Static, TupleValue, is_number
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Operand, constant, index
from srcgrad.ir.types import F64, I64, DType

NONE = Static(None)
Ends = NDArray[np.floating]


def formula(builder: Builder, shape: Shape, dtype: DType, element: Callable[..., Operand]) -> Delayed:
    """An array whose element at ``i, j, ...`` is ``element(builder, i, j, ...)``."""
    require_extents(builder, shape)
    return Delayed(shape, dtype, lambda b, at: cast(b, element(b, *at), dtype), ())


def filled(builder: Builder, shape: Shape, dtype: DType, value: Number) -> Delayed:
    operand = converted(builder, value, dtype)
    return formula(builder, shape, dtype, lambda b, *at: operand)


@function(np.ones)
def _ones(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    shape, dtype, _ = bound(lowering, "ones", arguments, keywords, "shape", dtype=NONE, order=NONE)
    wanted = optional_dtype(lowering, dtype, F64)
    return filled(lowering.builder, new_shape(lowering, shape), wanted, Static(1))


@function(np.full)
def _full(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    shape, value, dtype, _ = bound(lowering, "full", arguments, keywords, "shape", "fill_value", dtype=NONE, order=NONE)
    builder, wanted = lowering.builder, None if dtype is NONE else dtype_argument(lowering, dtype)
    return everywhere(
        builder, new_shape(lowering, shape), wanted, value if is_number(value) else as_array(builder, value)
    )


def everywhere(builder: Builder, shape: Shape, dtype: DType | None, value: FrontValue) -> Delayed:
    """A value for every place, or one that is broadcast."""
    if isinstance(value, ArrayValue | Delayed) and value.rank:
        source = broadcast_to(builder, value, shape)
        return source if dtype is None else as_delayed(builder, in_dtype(builder, source, dtype))
    number = as_number(builder, value)
    return filled(builder, shape, dtype or as_scalar(number).dtype, number)


@function(np.ones_like)
def _ones_like(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    _, dtype, shape = like_arguments(lowering, "ones_like", arguments, keywords)
    return filled(lowering.builder, shape, dtype, Static(1))


@function(np.full_like)
def _full_like(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    given = dict(keywords)
    a, *others = arguments
    value = others.pop(0) if others else given.pop("fill_value", NONE)
    _, dtype, shape = like_arguments(lowering, "full_like", (a, *others), given)
    builder = lowering.builder
    return everywhere(builder, shape, dtype, value if is_number(value) else as_array(builder, value))


@function(np.arange)
def _arange(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    start, stop, step, dtype = bound(
        lowering, "arange", arguments, keywords, "start", stop=NONE, step=Static(1), dtype=NONE
    )
    if stop is NONE:
        start, stop = Static(0), start
    numbers = [as_number(lowering.builder, v) for v in (start, stop, step)]
    builder = lowering.builder
    common, weak = promoted(numbers)
    natural = I64 if common.kind == "b" or (common.kind in "iu" and weak) else common
    if natural.kind == "c":
        lowering.refuse(None, "np.arange of complex numbers", "Use real ones.", ArgumentTypeError)
    first, last, by = (converted(builder, v, natural) for v in numbers)
    count = _steps(builder, natural, first, last, by)
    # NumPy's own increment: the difference of the first two elements, as they are rounded, to integers where it is told
    wanted = optional_dtype(lowering, dtype, natural)
    computed = I64 if natural.kind == "f" and wanted.kind in "iu" else natural
    begin = cast(builder, first, computed)
    increment = (
        by if natural.kind in "iu" else builder("sub", cast(builder, builder("add", first, by), computed), begin)
    )

    def element(builder: Builder, i: Operand) -> Operand:
        return _affine(builder, computed, begin, increment, i)

    return formula(builder, (count,), wanted, element)


def _affine(builder: Builder, dtype: DType, first: Operand, increment: Operand, i: Operand) -> Operand:
    """``first + i * increment``, folded for indices."""
    if dtype == I64:
        return index_op(builder, "add", index_op(builder, "mul", i, increment), first)
    return builder("add", first, builder("mul", cast(builder, i, dtype), increment))


def _steps(builder: Builder, dtype: DType, first: Operand, last: Operand, by: Operand) -> Operand:
    """``max(0, ceil((last - first) / by))``."""
    if dtype.kind == "f":
        ratio = builder("ceil", builder("div", builder("sub", last, first), by))
        return extents.clamped_at_zero(builder, cast(builder, ratio, I64))
    a, b, c = (cast(builder, x, I64) for x in (first, last, by))
    if known_as(c, 1):
        return extents.clamped_at_zero(builder, index_op(builder, "sub", b, a))
    if known_as(c, 0):
        raise refuse(builder, "np.arange with a step of 0", "Use np.full, or another step.")
    down = index_op(builder, "floordiv", index_op(builder, "sub", a, b), c)
    return extents.clamped_at_zero(builder, index_op(builder, "sub", index(0), down))


def spaced(start: Ends, stop: Ends, num: int, endpoint: bool, dtype: type | None) -> Ends:
    """In library code: ``np.linspace`` between two numbers."""
    return np.linspace(start, stop, num, endpoint, dtype=dtype)


@function(spaced)
def _spaced(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    start, stop, num, endpoint, dtype = arguments
    builder = lowering.builder
    ends = [as_number(builder, v) for v in (start, stop)]
    wide, _ = promoted(ends)
    natural = wide if wide.kind in "fc" else F64
    first, last = (converted(builder, v, natural) for v in ends)
    count = as_index(builder, as_number(builder, num))
    closed = static_bool(lowering, endpoint, "endpoint")
    parts = index_op(builder, "max", index_op(builder, "sub", count, index(1 if closed else 0)), index(1))
    step = builder("div", builder("sub", last, first), cast(builder, parts, natural))

    def element(builder: Builder, i: Operand) -> Operand:
        inside = _affine(builder, natural, first, step, i)
        if not closed or known_as(count, 1):
            return inside
        is_last = builder("and_", builder("eq", i, parts), builder("gt", count, index(1)))
        return builder("select", is_last, last, inside)  # the end exactly, as NumPy has it

    return formula(builder, (count,), optional_dtype(lowering, dtype, natural), element)


@function(np.identity)
def _identity(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    n, dtype = bound(lowering, "identity", arguments, keywords, "n", dtype=NONE)
    return _eye(lowering, (n,), {"dtype": dtype})


@function(np.eye)
def _eye(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    rows, columns, k, dtype = bound(lowering, "eye", arguments, keywords, "N", M=NONE, k=Static(0), dtype=NONE)
    builder = lowering.builder
    n = as_index(builder, as_number(builder, rows))
    m = n if columns is NONE else as_index(builder, as_number(builder, columns))
    shift = as_index(builder, as_number(builder, k))
    wanted = optional_dtype(lowering, dtype, F64)

    def element(builder: Builder, i: Operand, j: Operand) -> Operand:
        on = builder("eq", index_op(builder, "add", i, shift), j)
        return builder("select", on, constant(1, wanted), constant(0, wanted))

    return formula(builder, (n, m), wanted, element)


def _triangle(lowering: Lowering, name: str, keeps: str, arguments: Arguments, keywords: Keywords) -> FrontValue:
    a, k = bound(lowering, name, arguments, keywords, "m", k=Static(0))
    builder = lowering.builder
    array = as_delayed(builder, as_array(builder, a))
    if array.rank == 0:
        lowering.refuse(None, f"np.{name} takes a matrix", "Make an array of two dimensions.", ArgumentTypeError)
    if array.rank == 1:  # NumPy repeats it, row by row
        array = broadcast_to(builder, array, array.shape * 2)
    shift = as_index(builder, as_number(builder, k))

    def element(builder: Builder, at: tuple[Operand, ...]) -> Operand:
        inside = builder(keeps, at[-1], index_op(builder, "add", at[-2], shift))
        zero = constant(0, array.dtype)
        (value,) = builder.if_(inside, lambda: (array.element(builder, at),), lambda: (zero,))
        return value

    return Delayed(array.shape, array.dtype, element, array.reads, array.aligned)


@function(np.tril)
def _tril(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return _triangle(lowering, "tril", "le", arguments, keywords)


@function(np.triu)
def _triu(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return _triangle(lowering, "triu", "ge", arguments, keywords)


@function(np.broadcast_to)
def _broadcast_to(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    a, shape = bound(lowering, "broadcast_to", arguments, keywords, "array", "shape")
    return broadcast_to(lowering.builder, as_array(lowering.builder, a), new_shape(lowering, shape))


def broadcast_to(builder: Builder, value: FrontValue, shape: Shape) -> Delayed:
    """The elements of an array at the places of a wider shape."""
    array = materialized(builder, value)
    source = source_at(as_delayed(builder, array), fitted(builder, shape_of(builder, array), shape))
    original = value.ref if isinstance(value, ArrayValue) else None
    reads = (array.ref,)
    return Delayed(shape, array.dtype, lambda b, at: as_scalar(source(b, at)).operand, reads, view_of=original)


@function(np.broadcast_arrays)
def _broadcast_arrays(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    builder = lowering.builder
    arrays = [materialized(builder, as_array(builder, a)) for a in arguments]
    shape, _ = broadcast(builder, [shape_of(builder, a) for a in arrays])
    return TupleValue(tuple(broadcast_to(builder, a, shape) for a in arrays))


@function(np.broadcast_shapes)
def _broadcast_shapes(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    shape, _ = broadcast(lowering.builder, [new_shape(lowering, a) for a in arguments])
    return TupleValue(tuple(map(python_int, shape)))
