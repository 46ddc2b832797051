"""New arrays: allocated (``np.zeros``), made of lists (``np.array``), or copied (``.copy``, ``.astype``)."""

from __future__ import annotations

import numpy as np

from srcgrad.errors import ArgumentTypeError, ShapeError
from srcgrad.frontend.arrays import extents
from srcgrad.frontend.arrays.attributes import product, python_int
from srcgrad.frontend.arrays.broadcasting import Shape
from srcgrad.frontend.arrays.construct import array_of, as_array
from srcgrad.frontend.arrays.delayed import as_delayed, detached, materialized, shape_of
from srcgrad.frontend.arrays.indexing import read
from srcgrad.frontend.arrays.stores import as_number, snapshot, store_into
from srcgrad.frontend.arrays.views import axis_of, new_shape, reshaped
from srcgrad.frontend.calls.dispatch import call_object
from srcgrad.frontend.calls.signatures import bound, static_int
from srcgrad.frontend.containers.growing import place
from srcgrad.frontend.containers.listed import in_memory
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.conversions import dtype_argument
from srcgrad.frontend.numbers.promotion import PARTS, as_scalar, cast
from srcgrad.frontend.refusals import refuse
from srcgrad.frontend.registry import Arguments, Keywords, array_method, function
from srcgrad.frontend.values import ArrayValue, Counted, Delayed, FrontValue, ScalarValue, Static, TupleValue, is_number
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, index
from srcgrad.ir.types import F64, DType


def allocated(builder: Builder, shape: Shape, dtype: DType, fill: str) -> ArrayValue:
    """Fresh memory."""
    require_extents(builder, shape)
    return ArrayValue(builder("alloc", *shape, dtype=dtype, fill=fill))


def require_extents(builder: Builder, shape: Shape) -> None:
    """Check that no extent is negative, unless that is known."""
    message = "negative dimensions are not allowed"
    for n in shape:
        if extents.never_negative(builder, n):
            continue
        if isinstance(n, Const):
            raise refuse(builder, message, "Extents are 0 or more.", ShapeError)
        builder.emit("check", builder("ge", n, index(0)), exception="ValueError", message=message)


def optional_dtype(lowering: Lowering, value: FrontValue, default: DType) -> DType:
    if isinstance(value, Static) and value.value is None:
        return default
    return dtype_argument(lowering, value)


def _allocate(lowering: Lowering, name: str, fill: str, arguments: Arguments, keywords: Keywords) -> FrontValue:
    none = Static(None)
    shape, dtype, _ = bound(lowering, name, arguments, keywords, "shape", dtype=none, order=none)
    return allocated(lowering.builder, new_shape(lowering, shape), optional_dtype(lowering, dtype, F64), fill)


@function(np.zeros)
def _zeros(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return _allocate(lowering, "zeros", "zeros", arguments, keywords)


@function(np.empty, np.ndarray)
def _empty(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return _allocate(lowering, "empty", "empty", arguments, keywords)


def like_arguments(
    lowering: Lowering, name: str, arguments: Arguments, keywords: Keywords
) -> tuple[FrontValue, DType, Shape]:
    """The array of ``np.zeros_like`` and its kin, and the dtype and shape of what is made."""
    none = Static(None)
    a, dtype, _, _, shape = bound(
        lowering, name, arguments, keywords, "a", dtype=none, order=none, subok=none, shape=none
    )
    array = as_delayed(lowering.builder, as_array(lowering.builder, a))
    wanted = array.shape if shape is none else new_shape(lowering, shape)
    return array, optional_dtype(lowering, dtype, array.dtype), wanted


@function(np.zeros_like)
def _zeros_like(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    _, dtype, shape = like_arguments(lowering, "zeros_like", arguments, keywords)
    return allocated(lowering.builder, shape, dtype, "zeros")


@function(np.empty_like)
def _empty_like(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    _, dtype, shape = like_arguments(lowering, "empty_like", arguments, keywords)
    return allocated(lowering.builder, shape, dtype, "empty")


@function(np.array)
def _array(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    none = Static(None)
    value, dtype, copy, _, _, ndmin = bound(
        lowering, "array", arguments, keywords, "object", dtype=none, copy=Static(True), order=none, subok=none,
        ndmin=Static(0),
    )  # fmt: skip
    builder = lowering.builder
    wanted = None if dtype is none else dtype_argument(lowering, dtype)
    result = value
    if not isinstance(value, ArrayValue | Delayed):
        result = array_of(builder, value, wanted)
    elif wanted not in (None, value.dtype) or (isinstance(copy, Static) and copy.value is True):
        result = converted(builder, value, wanted or value.dtype)
    missing = static_int(lowering, ndmin) - len(shape_of(builder, result))
    if missing <= 0:
        return result
    return reshaped(builder, result, (*[index(1)] * missing, *shape_of(builder, result)))


@function(np.asarray, np.asanyarray)
def _asarray(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    none = Static(None)
    value, dtype, order = bound(lowering, "asarray", arguments, keywords, "a", dtype=none, order=none)
    wanted = None if dtype is none else dtype_argument(lowering, dtype)
    if not isinstance(value, ArrayValue | Delayed):
        return array_of(lowering.builder, value, wanted)
    if wanted is not None and wanted != value.dtype:
        return converted(lowering.builder, value, wanted)
    layout = order.value if isinstance(order, Static) else None
    if isinstance(value, ArrayValue) and value.rank > 1 and layout in ("C", "F") and value.type.layout != layout:
        return snapshot(lowering.builder, value)
    return value


@function(np.ascontiguousarray)
def _contiguous(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return at_least_vector(lowering, _asarray(lowering, arguments, {**keywords, "order": Static("C")}))


@function(np.asfortranarray)
def _fortran(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return at_least_vector(lowering, _asarray(lowering, arguments, {**keywords, "order": Static("F")}))


def at_least_vector(lowering: Lowering, value: FrontValue) -> FrontValue:
    rank = len(shape_of(lowering.builder, value))
    return value if rank else reshaped(lowering.builder, value, (index(1),))


@function(np.copy)
@array_method("copy", "__copy__")
def _copy(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    a, _ = bound(lowering, "copy", arguments, keywords, "a", order=Static("C"))
    if is_number(a):
        return a
    return detached(lowering.builder, as_array(lowering.builder, a))


@array_method("astype")
def _astype(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    a, dtype, copy = bound(lowering, "astype", arguments, keywords, "a", "dtype", copy=Static(True))
    wanted = dtype_argument(lowering, dtype)
    if is_number(a):
        return ScalarValue(cast(lowering.builder, as_scalar(as_number(lowering.builder, a)).operand, wanted))
    assert isinstance(a, ArrayValue | Delayed)
    if isinstance(copy, Static) and copy.value is False and wanted == a.dtype:
        return a
    return converted(lowering.builder, a, wanted)


def converted(builder: Builder, value: ArrayValue | Delayed, dtype: DType) -> FrontValue:
    """New elements of another dtype; an array of rank 0 stays an array."""
    if value.dtype.kind == "c" and dtype.kind not in "cb":
        raise refuse(builder, "a complex array is converted to a real one", PARTS)
    source = detached(builder, value)
    if value.dtype == dtype:
        return source
    return Delayed(
        source.shape,
        dtype,
        lambda b, at: cast(b, source.element(b, at), dtype),
        source.reads,
        source.aligned,
    )


@array_method("setflags")
def _setflags(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """Protection from writes is for the user's callers: it changes no result."""
    bound(lowering, "setflags", arguments, keywords, "a", write=Static(None))
    return Static(None)


@array_method("fill")
def _fill(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    a, value = bound(lowering, "fill", arguments, keywords, "a", "value")
    store_into(lowering.builder, materialized(lowering.builder, a), as_number(lowering.builder, value))
    return Static(None)


@array_method("sort")
def _sort(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """In place, unlike ``np.sort``."""
    array = materialized(lowering.builder, arguments[0])
    store_into(lowering.builder, array, call_object(lowering, np.sort, (array, *arguments[1:]), keywords))
    return Static(None)


@array_method("partition")
def _partition(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """In place, like ``sort``."""
    array = materialized(lowering.builder, arguments[0])
    store_into(lowering.builder, array, call_object(lowering, np.partition, (array, *arguments[1:]), keywords))
    return Static(None)


@array_method("compress")
def _compress(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """With the condition first, and the array second, as a function."""
    array, *others = arguments
    return call_object(lowering, np.compress, (*others[:1], array, *others[1:]), keywords)


@array_method("item")
def _item(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    array, *where = arguments
    if is_number(array):
        return ScalarValue(as_scalar(as_number(lowering.builder, array)).operand, weak=True)
    shape = shape_of(lowering.builder, array)
    if where:
        return _item_at(lowering, array, where)
    for n in shape:
        one = lowering.builder("eq", n, index(1))
        message = "can only convert an array of size 1 to a number"
        lowering.builder.emit("check", one, exception="ValueError", message=message)
    element = as_delayed(lowering.builder, array).element(lowering.builder, (index(0),) * len(shape))
    return ScalarValue(element, weak=True)


def _item_at(lowering: Lowering, array: FrontValue, where: list[FrontValue]) -> FrontValue:
    """``a.item(i, j)``, or ``a.item(k)`` of the elements in a row, as a Python number."""
    builder = lowering.builder
    whole = reshaped(builder, array, (index(-1),)) if len(where) == 1 else materialized(builder, array)
    element = read(builder, whole, tuple(where))
    if not isinstance(element, ScalarValue):
        lowering.refuse(None, "item() takes one index, or one for each axis", error=ArgumentTypeError)
    return ScalarValue(element.operand, weak=True)


@array_method("tolist")
def _to_list(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """A list of the elements, which are Python numbers."""
    (a,) = arguments
    builder = lowering.builder
    array = as_delayed(builder, a)
    if array.rank != 1:
        lowering.refuse(None, "tolist() of other than a vector", "Loop over the rows, or index the array.")
    numbers = Counted(array.shape[0], lambda k: ScalarValue(array.element(builder, (k,)), weak=True))
    return in_memory(lowering, numbers, place(lowering, "list"))


@array_method("view")
def _view(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    a, dtype = bound(lowering, "view", arguments, keywords, "a", dtype=Static(None))
    array = materialized(lowering.builder, a)
    if not (isinstance(dtype, Static) and dtype.value is None) and dtype_argument(lowering, dtype) != array.dtype:
        lowering.refuse(None, "a view of another dtype", "Use astype() to convert the elements.")
    return array


@function(np.shape)
def _shape(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    (a,) = bound(lowering, "shape", arguments, keywords, "a")
    value = a if is_number(a) else as_array(lowering.builder, a)
    return TupleValue(tuple(python_int(n) for n in shape_of(lowering.builder, value)))


@function(np.ndim)
def _ndim(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    (a,) = bound(lowering, "ndim", arguments, keywords, "a")
    value = a if is_number(a) else as_array(lowering.builder, a)
    return Static(len(shape_of(lowering.builder, value)))


@function(np.size)
def _size(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    a, axis = bound(lowering, "size", arguments, keywords, "a", axis=Static(None))
    shape = shape_of(lowering.builder, a if is_number(a) else as_array(lowering.builder, a))
    if isinstance(axis, Static) and axis.value is None:
        return python_int(product(lowering.builder, shape))
    return python_int(shape[axis_of(lowering, static_int(lowering, axis), len(shape))])
