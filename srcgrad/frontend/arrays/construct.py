"""Arrays made of nested lists and tuples, of numbers or of arrays: ``np.array([[1.0, x], [y, 2.0]])``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from srcgrad.errors import ShapeError
from srcgrad.frontend.arrays import extents
from srcgrad.frontend.arrays.broadcasting import Shape
from srcgrad.frontend.arrays.delayed import shape_of
from srcgrad.frontend.arrays.stores import store_into
from srcgrad.frontend.numbers.promotion import as_scalar, cast, promote_strong
from srcgrad.frontend.refusals import refuse
from srcgrad.frontend.values import ArrayValue, Counted, Delayed, FrontValue, TupleValue, is_array, is_number
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Value, index
from srcgrad.ir.types import F64, DType

SAME = "Give all rows the same length."


def array_of(builder: Builder, value: FrontValue, dtype: DType | None = None) -> ArrayValue:
    """Fresh memory that holds a nested sequence, a number or a copy of an array."""
    if dtype is None:
        found = list(_dtypes(builder, value))
        dtype = reduce(promote_strong, found) if found else F64
    ref = builder("alloc", *_shape(builder, value), dtype=dtype, fill="empty")
    _fill(builder, ref, value, ())
    return ArrayValue(ref)


def as_array(builder: Builder, value: FrontValue) -> FrontValue:
    """An array itself, or one made of a list or a number."""
    return value if is_array(value) else array_of(builder, value)


def _dtypes(builder: Builder, value: FrontValue) -> Iterator[DType]:
    if isinstance(value, TupleValue):
        for item in value.items:
            yield from _dtypes(builder, item)
    elif isinstance(value, ArrayValue | Delayed):
        yield value.dtype
    elif is_number(value):
        yield as_scalar(value).dtype  # type: ignore[arg-type]  # a number
    else:
        message = "an array is made of numbers, arrays, and lists or tuples of them"
        hint = "Convert the parts to numbers."
        if isinstance(value, Counted):
            message = "an array is made of a sequence whose length is known only at run time"
            hint = "Use np.arange, fill an array made by np.empty(n) in a loop, or call np.array() on the list alone."
        raise refuse(builder, message, hint)


def _shape(builder: Builder, value: FrontValue) -> Shape:
    if not isinstance(value, TupleValue):
        return shape_of(builder, value)
    if not value.items:
        return (index(0),)
    first, *others = (_shape(builder, item) for item in value.items)
    for other in others:
        _require_equal(builder, first, other)
    return (index(len(value.items)), *first)


def _require_equal(builder: Builder, first: Shape, other: Shape) -> None:
    message = "the parts of an array must have one shape"
    if len(first) != len(other):
        raise refuse(builder, f"{message}; found {len(first)} and {len(other)} dimensions", SAME, ShapeError)
    for n, m in zip(first, other, strict=True):
        extents.require_equal(builder, n, m, f"{message}; found extents {{0}} and {{1}}", SAME)


def _fill(builder: Builder, ref: Value, value: FrontValue, at: tuple[Const, ...]) -> None:
    if isinstance(value, TupleValue):
        for k, item in enumerate(value.items):
            _fill(builder, ref, item, (*at, index(k)))
        return
    dtype = ArrayValue(ref).dtype
    if is_array(value):
        axes = "i" * len(at) + ":" * len(shape_of(builder, value))
        store_into(builder, ArrayValue(builder("slice", ref, *at, axes=axes)) if at else ArrayValue(ref), value)
    else:
        builder.emit("store", ref, *at, cast(builder, as_scalar(value).operand, dtype))  # type: ignore[arg-type]  # a number
