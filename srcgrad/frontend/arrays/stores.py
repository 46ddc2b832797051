"""Stores of whole arrays: broadcast to the target, and read as they were before the target was written to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from srcgrad.analysis.outdated import StandIns
from srcgrad.errors import Error, UnsupportedError
from srcgrad.frontend.arrays import extents
from srcgrad.frontend.arrays.broadcasting import Shape, fitted
from srcgrad.frontend.arrays.delayed import (
    Source,
    as_delayed,
    constant_source,
    copy,
    once_per_element,
    result_dtype,
    sample,
    shape_of,
    source_at,
)
from srcgrad.frontend.numbers.promotion import PARTS, Number, as_scalar, cast
from srcgrad.frontend.refusals import refusal, refuse
from srcgrad.frontend.values import ArrayValue, Delayed, FrontValue, ScalarValue, Static, is_number
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Function, Location, Operand, Value
from srcgrad.ir.types import DType


def store_into(builder: Builder, target: ArrayValue, value: FrontValue) -> None:
    """``target[...] = value``: the value is broadcast to the target, and read as it was before."""
    shape = shape_of(builder, target)
    source = elements_for(builder, shape, target, value, aligned=True)
    builder.nest(shape, lambda at: store_element(builder, target, at, source(builder, at)))


def update(builder: Builder, target: ArrayValue, value: FrontValue, name: str, combine: Callable[..., Number]) -> None:
    """``target op= value`` for the primitive ``name`` that ``combine`` applies: in place, element by element."""
    shape = shape_of(builder, target)
    source = elements_for(builder, shape, target, value, aligned=True)
    builder.nest(shape, lambda at: update_element(builder, target, at, source(builder, at), name, combine))


def store_element(builder: Builder, target: ArrayValue, at: tuple[Operand, ...], value: FrontValue) -> None:
    """``target[at] = value`` for one element, its indices in range."""
    require_writeable(builder, target.ref)
    number = as_number(builder, value)
    check_castable(builder, as_scalar(number).dtype, target.dtype)
    builder.emit("store", target.ref, *at, cast(builder, as_scalar(number).operand, target.dtype))


def update_element(
    builder: Builder,
    target: ArrayValue,
    at: tuple[Operand, ...],
    value: FrontValue,
    name: str,
    combine: Callable[..., Number],
) -> None:
    """``target[at] op= value`` for one element: an accumulation where it adds or subtracts."""
    require_writeable(builder, target.ref)
    number = as_number(builder, value)
    result = result_dtype(builder, [sample(target), number], combine)
    check_same_kind(builder, result, target.dtype)
    if name in ("add", "sub") and result == target.dtype and result.kind != "b":
        change = cast(builder, as_scalar(number).operand, result)
        builder.emit("accumulate", target.ref, *at, change if name == "add" else _negated(builder, change))
        return
    element = combine(builder, ScalarValue(builder("load", target.ref, *at)), number)
    builder.emit("store", target.ref, *at, cast(builder, as_scalar(element).operand, target.dtype))


def _negated(builder: Builder, operand: Operand) -> Operand:
    if isinstance(operand, Const) and operand.dtype.kind in "fci":
        return Const(-operand.value, operand.dtype)
    return builder("neg", operand)


def as_number(builder: Builder, value: FrontValue) -> Number:
    """A number, or the element of an array of rank 0."""
    if isinstance(value, ArrayValue | Delayed) and value.rank == 0:
        return ScalarValue(as_delayed(builder, value).element(builder, ()))
    if not is_number(value):
        raise refuse(builder, "one element of an array holds one number", "Assign to a slice, or index the value.")
    assert isinstance(value, ScalarValue | Static)
    return value


def check_same_kind(builder: Builder, result: DType, target: DType) -> None:
    """NumPy's rule for results that go into an existing array."""
    order = "biufc"
    fits = order.index(result.kind) <= order.index(target.kind)
    if not fits and (result.kind, target.kind) != ("u", "i"):
        message = f"a result of dtype {result.numpy} cannot be put into an array of dtype {target.numpy}"
        raise refuse(builder, message, "Make the array of the wider dtype, or convert the result with astype.")


def elements_for(builder: Builder, shape: Shape, target: ArrayValue, value: FrontValue, aligned: bool) -> Source:
    """A value's elements at indices of ``shape``, as they were before ``target`` is written to.

    ``aligned``: the element at an index is read just before the target's element at this index is written.
    """
    if is_number(value):
        check_castable(builder, as_scalar(value).dtype, target.dtype)  # type: ignore[arg-type]  # a number
        return constant_source(value)
    if not isinstance(value, ArrayValue | Delayed):
        raise refuse(builder, "only numbers and arrays can be stored in an array", "Make an array with np.array.")
    check_castable(builder, value.dtype, target.dtype)
    own = as_delayed(builder, value)
    safe = unaffected(builder, own, target.ref) if aligned else untouched(builder, own, target.ref)
    if not safe:
        own = as_delayed(builder, copy(builder, own))
    strides = fitted(builder, own.shape, shape)
    return source_at(once_per_element(builder, own, strides, shape), strides)


def check_castable(builder: Builder, value: DType, target: DType) -> None:
    if value.kind == "c" and target.kind != "c":
        message = f"complex values cannot be put into an array of dtype {target.numpy}"
        raise refuse(builder, message, f"Make the array complex, or: {PARTS}")


def unaffected(builder: Builder, value: Delayed, target: Value) -> bool:
    """Whether an expression may be evaluated element by element while it is stored to ``target``."""
    return all(
        extents.disjoint(builder, r, target) or (r in value.aligned and extents.same(builder, r, target))
        for r in value.reads
    )


def untouched(builder: Builder, value: Delayed, target: Value) -> bool:
    """Whether an expression reads nothing that ``target`` may share."""
    return all(extents.disjoint(builder, r, target) for r in value.reads)


def snapshot(builder: Builder, array: ArrayValue) -> ArrayValue:
    """A copy where NumPy may have made a view.

    It must not be written to from now on; nor may the array be, as long as the copy is still read.
    """
    copied = copy(builder, array)
    _freeze(builder, array.ref, copied.ref)
    builder.frozen.append((copied.ref, None))
    return copied


def keep_apart(builder: Builder, array: ArrayValue) -> ArrayValue:
    """The array, which a variable will hold: if it is a copy where NumPy made a view, as of ``z.real``, both stay."""
    for copied, original in builder.copies:
        if not extents.disjoint(builder, copied, array.ref):
            _freeze(builder, original, copied)
    return array


def _freeze(builder: Builder, original: Value, copied: Value) -> None:
    """Neither writes that come later nor those of a next iteration may be made while the copy is still read."""
    builder.frozen.append((original, copied))
    for target in builder.written_in_loops():
        if not extents.disjoint(builder, target, original):
            builder.doubtful.append((target, original, copied, builder.location))


def require_writeable(builder: Builder, target: Value) -> None:
    """Refuse or note a write that may tell a copy from the view that NumPy may have made instead.

    Whether it does is known only when all has been lowered: what a carried reference is, and what is read afterwards.
    """
    builder.note_write(target)
    of_any_iteration = not extents.is_origin(builder, extents.root(builder, target))
    if of_any_iteration:
        alike = (k for k in builder.kept if ArrayValue(k).dtype == ArrayValue(target).dtype)
        builder.doubtful += [(target, k, None, builder.location) for k in alike]
    for frozen, copied in builder.frozen:
        if not extents.disjoint(builder, target, frozen):
            builder.doubtful.append((target, frozen, copied, builder.location))


def require_no_outdated_copies(builder: Builder, function: Function) -> None:
    """Refuse writes to a copy that stands for a view, and those after which one is read that should have changed."""
    if not builder.doubtful:
        return
    for part in (function, *function.callees.values()):
        copies = StandIns(replace(part, callees=function.callees))  # callees may call each other
        for target, frozen, copied, location in builder.doubtful:
            written = copies.writes_through(target, frozen)
            if any(copied is None or copies.alive_at(copied, write) for write in written):
                raise refuse_write(location)


def doubt_if_written(builder: Builder, memory: Value, older: bool) -> None:
    """Note that an array is kept which may have been written to in an earlier iteration of a loop around.

    That is what ``older`` memory may be, or what a loop carries if the array is carried, too.
    """
    for target in builder.written_in_loops():
        root = extents.root(builder, target)
        carried = not extents.is_origin(builder, root) and ArrayValue(root).dtype == ArrayValue(memory).dtype
        if carried or (older and not extents.disjoint(builder, root, memory)):
            builder.doubtful.append((target, memory, None, builder.location))


def refuse_write(location: Location | None) -> Error:
    message = (
        "an array is written to after a view of it was kept: reshaped, broadcast, in a list, its diagonal or .real"
    )
    hint = "Copy it before, as in x.copy().reshape(...), z.real.copy() or kept.append(x.copy())."
    return refusal(location, message, hint, UnsupportedError)
