"""Functions of a vector, written in the language itself, applied along axes of arrays.

::

    @reduces_rows(np.max)                  @fills_rows(np.cumsum)
    def largest(v): ...                    def running_sum(v, out): ...

The axes that are reduced are moved to the end, so that each result belongs to one vector.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import TypeVar

from srcgrad.frontend.arrays.broadcasting import Shape
from srcgrad.frontend.arrays.construct import as_array
from srcgrad.frontend.arrays.creation import optional_dtype
from srcgrad.frontend.arrays.delayed import copy, materialized, shape_of
from srcgrad.frontend.arrays.reductions import reduced_axes
from srcgrad.frontend.arrays.views import axis_of, permuted
from srcgrad.frontend.calls.functions import call_python
from srcgrad.frontend.calls.signatures import bound, static_bool, static_int
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.promotion import as_scalar
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.registry import FUNCTIONS, Arguments, Keywords
from srcgrad.frontend.values import ArrayValue, FrontValue, ScalarValue, Static, is_number
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Operand, constant, index
from srcgrad.ir.types import I64, DType

F = TypeVar("F", bound=Callable[..., object])
T = TypeVar("T")


def reduces_rows(*functions: object) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Let ``kernel(v)``, which gives a number, stand for NumPy functions with ``axis`` and ``keepdims``.

    Keyword-only parameters of the kernel are handed through. With no function named, library code calls the kernel
    itself with an array and an axis.
    """

    def add(kernel: Callable[..., T]) -> Callable[..., T]:
        assert isinstance(kernel, FunctionType)
        for f in dict.fromkeys(functions or (kernel,)):
            FUNCTIONS[f] = lambda lowering, arguments, keywords: _reduce(lowering, kernel, arguments, keywords)
        return kernel

    return add


def fills_rows(
    *functions: object, axis: int | None, dtype: Callable[[DType], DType] = lambda d: d, third: str = "kind"
) -> Callable[[F], F]:
    """Let ``kernel(v, out)`` stand for functions that give as many elements as they get, by default along ``axis``.

    Without an axis the array is taken as one vector. The third parameter is the ``dtype`` of the result, or the
    ``kind`` of a sort, of which there is one.
    """

    def add(kernel: F) -> F:
        assert isinstance(kernel, FunctionType)
        for f in dict.fromkeys(functions):
            FUNCTIONS[f] = lambda lowering, arguments, keywords: _fill(
                lowering, kernel, axis, dtype, third, arguments, keywords
            )
        return kernel

    return add


def indices(dtype: DType) -> DType:
    """The dtype of results that are indices."""
    return I64


def _reduce(lowering: Lowering, kernel: FunctionType, arguments: Arguments, keywords: Keywords) -> FrontValue:
    none, false = Static(None), Static(False)
    options: dict[str, FrontValue] = {name: Static(v) for name, v in (kernel.__kwdefaults__ or {}).items()}
    a, axis, keepdims, *given = bound(
        lowering, kernel.__name__, arguments, keywords, "a", axis=none, keepdims=false, **options
    )
    options = dict(zip(options, given, strict=True))
    builder = lowering.builder
    if is_number(a) and not options:
        return a
    array = materialized(builder, as_array(builder, a))
    axes = reduced_axes(lowering, axis, array.rank)
    rows = with_axes_last(builder, array, axes)
    shape = shape_of(builder, rows)[:-1]

    def result(at: tuple[Operand, ...]) -> ScalarValue:
        with lowering.changing_nothing():
            number = call_python(lowering, kernel, [row(builder, rows, at)], options)
        if isinstance(number, Static) and number.value is None:  # the row is known to be empty, and refused at run time
            return ScalarValue(constant(0, rows.dtype))
        assert isinstance(number, ScalarValue | Static)
        return as_scalar(number)

    keeps = static_bool(lowering, keepdims, "keepdims")
    alive = not lowering.dead
    if not shape and not keeps:
        number = result(())
        lowering.dead = not alive  # the caller is another library function, which still has its result
        return number
    whole = tuple(index(1) if k in axes else n for k, n in enumerate(shape_of(builder, array)))
    dtype = _dtype_of_row(builder, lambda: result((index(0),) * len(shape)))
    lowering.dead = not alive
    ref = builder("alloc", *(whole if keeps else shape), dtype=dtype, fill="empty")

    def put(at: tuple[Operand, ...]) -> None:
        places = iter(at)
        kept = tuple(index(0) if k in axes else next(places) for k in range(array.rank)) if keeps else at
        builder.emit("store", ref, *kept, result(at).operand)

    builder.nest(shape, put)
    lowering.dead = not alive  # a row that raises may not be there
    return ArrayValue(ref)


def _dtype_of_row(builder: Builder, result: Callable[[], ScalarValue]) -> DType:
    """The dtype of a kernel's result: it is lowered once into a block that is thrown away."""
    builder.open()
    try:
        return result().dtype
    finally:
        builder.close()


def _fill(
    lowering: Lowering,
    kernel: FunctionType,
    default: int | None,
    dtype: Callable[[DType], DType],
    third: str,
    arguments: Arguments,
    keywords: Keywords,
) -> FrontValue:
    options: dict[str, FrontValue] = {"axis": Static(default), third: Static(None)}
    if third == "kind":
        options |= {"order": Static(None), "stable": Static(None)}  # there is one kind of sort, and it is stable
    a, axis, option, *_ = bound(lowering, kernel.__name__, arguments, keywords, "a", **options)
    builder = lowering.builder
    array = materialized(builder, as_array(builder, a))
    if isinstance(axis, Static) and axis.value is None:
        rows, permutation = with_axes_last(builder, array, tuple(range(array.rank))), [0]
    else:
        last = axis_of(lowering, static_int(lowering, axis), array.rank)
        permutation = [k for k in range(array.rank) if k != last] + [last]
        rows = permuted(builder, array, permutation)
    shape = shape_of(builder, rows)
    inverse = [permutation.index(k) for k in range(len(permutation))]
    made = optional_dtype(lowering, option, dtype(array.dtype)) if third == "dtype" else dtype(array.dtype)
    out = ArrayValue(builder("alloc", *(shape[k] for k in inverse), dtype=made, fill="empty"))
    places = permuted(builder, out, permutation)

    def put(at: tuple[Operand, ...]) -> None:
        with lowering.changing_nothing():
            call_python(lowering, kernel, [row(builder, rows, at), row(builder, places, at)], {})

    builder.nest(shape[:-1], put)
    return out


def row(builder: Builder, rows: ArrayValue, at: tuple[Operand, ...]) -> ArrayValue:
    """The vector at these indices on all axes but the last."""
    return ArrayValue(builder("slice", rows.ref, *at, axes="i" * len(at) + ":")) if at else rows


def with_axes_last(builder: Builder, array: ArrayValue, axes: Sequence[int]) -> ArrayValue:
    """The array with these axes merged into the last one; to be read only."""
    kept = [k for k in range(array.rank) if k not in axes]
    moved = permuted(builder, array, [*kept, *sorted(axes)])
    if len(axes) == 1:
        return moved
    if moved.type.layout != "C":
        moved = copy(builder, moved)
    own = shape_of(builder, moved)
    merged: Operand = index(1)
    for n in own[len(kept) :]:
        merged = index_op(builder, "mul", merged, n)
    shape: Shape = (*own[: len(kept)], merged)
    return ArrayValue(builder("reshape", moved.ref, *shape))
