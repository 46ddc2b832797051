"""Stores of whole arrays: broadcast to the target, and read as they were before the target was written to."""

from __future__ import annotations

from collections.abc import Callable

from srcgrad.frontend import extents
from srcgrad.frontend.broadcasting import fitted
from srcgrad.frontend.delayed import (
    Source,
    as_delayed,
    constant_source,
    copy,
    nest,
    once_per_element,
    result_dtype,
    sample,
    shape_of,
    source_at,
)
from srcgrad.frontend.promotion import refuse
from srcgrad.frontend.scalars import Number, as_scalar, cast
from srcgrad.frontend.values import ArrayValue, Delayed, FrontValue, ScalarValue, is_number
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Operand, Value
from srcgrad.ir.types import DType


def store_into(builder: Builder, target: ArrayValue, value: FrontValue) -> None:
    """``target[...] = value``: the value is broadcast to the target, and read as it was before."""
    source = _stored(builder, target, value)

    def put(at: tuple[Operand, ...]) -> None:
        element = cast(builder, as_scalar(source(builder, at)).operand, target.dtype)
        builder.emit("store", target.ref, *at, element)

    nest(builder, shape_of(builder, target), put)


def update(builder: Builder, target: ArrayValue, value: FrontValue, name: str, combine: Callable[..., Number]) -> None:
    """``target op= value`` for the primitive ``name`` that ``combine`` applies: in place, element by element."""
    source = _stored(builder, target, value)
    result = result_dtype(builder, [sample(target), sample(value)], combine)
    check_same_kind(builder, result, target.dtype)

    def put(at: tuple[Operand, ...]) -> None:
        operand = source(builder, at)
        if name in ("add", "sub") and result == target.dtype and result.kind != "b":
            change = cast(builder, as_scalar(operand).operand, result)
            builder.emit("accumulate", target.ref, *at, change if name == "add" else builder("neg", change))
            return
        element = combine(builder, ScalarValue(builder("load", target.ref, *at)), operand)
        builder.emit("store", target.ref, *at, cast(builder, as_scalar(element).operand, target.dtype))

    nest(builder, shape_of(builder, target), put)


def check_same_kind(builder: Builder, result: DType, target: DType) -> None:
    """NumPy's rule for results that go into an existing array."""
    order = "biufc"
    fits = order.index(result.kind) <= order.index(target.kind)
    if not fits and (result.kind, target.kind) != ("u", "i"):
        message = f"a result of dtype {result.numpy} cannot be put into an array of dtype {target.numpy}"
        raise refuse(builder, message, "Make the array of the wider dtype, or convert the result with astype.")


def _stored(builder: Builder, target: ArrayValue, value: FrontValue) -> Source:
    """The elements of a value at indices of the target, safe from the target's being written to."""
    if is_number(value):
        check_castable(builder, as_scalar(value).dtype, target.dtype)  # type: ignore[arg-type]  # a number
        return constant_source(value)
    assert isinstance(value, ArrayValue | Delayed)
    check_castable(builder, value.dtype, target.dtype)
    if not unaffected(builder, as_delayed(builder, value), target.ref):
        value = copy(builder, value)
    own = as_delayed(builder, value)
    shape = shape_of(builder, target)
    return source_at(once_per_element(builder, own, strides := fitted(builder, own.shape, shape), shape), strides)


def check_castable(builder: Builder, value: DType, target: DType) -> None:
    if value.kind == "c" and target.kind != "c":
        message = f"complex values cannot be put into an array of dtype {target.numpy}"
        raise refuse(builder, message, "Make the array complex, or store np.real(value).")


def unaffected(builder: Builder, value: Delayed, target: Value) -> bool:
    """Whether an expression may be evaluated element by element while it is stored to ``target``."""
    return all(
        extents.disjoint(builder, r, target) or (r in value.aligned and extents.same(builder, r, target))
        for r in value.reads
    )
