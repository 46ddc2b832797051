"""Keys of subscripts: expanded to one part per axis, and the view that integers, slices and None make."""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.arrays import extents
from srcgrad.frontend.arrays.construct import array_of
from srcgrad.frontend.arrays.delayed import as_delayed
from srcgrad.frontend.arrays.slices import checked_index, slice_bounds
from srcgrad.frontend.refusals import refuse
from srcgrad.frontend.values import (
    ArrayValue,
    Delayed,
    FrontValue,
    ScalarValue,
    SliceValue,
    Static,
    TupleValue,
    is_array,
    is_number,
)
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Operand
from srcgrad.ir.types import BOOL, I64

Key = tuple[FrontValue, ...]
WHOLE = SliceValue(Static(None), Static(None), Static(None))


def expanded(builder: Builder, rank: int, key: Key) -> list[FrontValue]:
    """One part per axis, and one per new axis; lists of indices become arrays."""
    parts = [_part(builder, p) for p in key]
    axes = sum(_consumed(p) for p in parts)
    ellipses = [k for k, p in enumerate(parts) if isinstance(p, Static) and p.value is Ellipsis]
    if len(ellipses) > 1:
        raise refuse(builder, "an index can have only one ellipsis ('...')", "Write ':' for the others.")
    if axes > rank:
        message = f"too many indices: the array has {rank} dimensions, but {axes} were indexed"
        raise refuse(builder, message, "Leave out indices, or add axes with None.", ArgumentTypeError)
    at = ellipses[0] if ellipses else len(parts)
    return [*parts[:at], *[WHOLE] * (rank - axes), *parts[at + len(ellipses) :]]


def _part(builder: Builder, part: FrontValue) -> FrontValue:
    if isinstance(part, Static) and isinstance(part.value, slice):
        return SliceValue(Static(part.value.start), Static(part.value.stop), Static(part.value.step))
    if isinstance(part, TupleValue) and part.cls in (list, tuple):
        return array_of(builder, part, None if part.items else I64)
    if is_array(part):
        assert isinstance(part, ArrayValue | Delayed)
        return part if part.rank or part.dtype == BOOL else ScalarValue(as_delayed(builder, part).element(builder, ()))
    known = isinstance(part, SliceValue) or (isinstance(part, Static) and part.value in (None, Ellipsis))
    truth = isinstance(part, Static) and isinstance(part.value, bool)
    if (known or is_number(part)) and not truth:
        return part
    message = "an array index must be an integer, a slice, None, '...' or an array of integers or booleans"
    raise refuse(builder, message, "Convert numbers with int().")


def _consumed(part: FrontValue) -> int:
    """How many axes of the array a part stands for."""
    if isinstance(part, Static) and part.value in (None, Ellipsis) and not is_number(part):
        return 0
    if is_mask(part):
        assert isinstance(part, ArrayValue | Delayed)
        return part.rank
    return 1


def is_mask(part: FrontValue) -> bool:
    return isinstance(part, ArrayValue | Delayed) and part.dtype == BOOL


def positions(builder: Builder, array: ArrayValue | Delayed, parts: Sequence[FrontValue]) -> tuple[Operand, ...]:
    """Checked indices of one element."""
    shape = as_delayed(builder, array).shape
    return tuple(
        checked_index(builder, p, n)  # type: ignore[arg-type]  # the caller checked that all parts are numbers
        for p, n in zip(parts, shape, strict=True)
    )


def view(builder: Builder, array: ArrayValue, parts: Sequence[FrontValue]) -> ArrayValue:
    """The view that integers, slices and None make; parts that are arrays keep their axis whole."""
    letters = ""
    operands: list[Operand] = []
    shape = iter(extents.shape(builder, array.ref))
    new_axes: list[int] = []
    for part in parts:
        if isinstance(part, Static) and part.value is None:
            new_axes.append(len(letters.replace("i", "")) + len(new_axes))
            continue
        n = next(shape)
        if is_number(part):
            letters += "i"
            operands.append(checked_index(builder, part, n))  # type: ignore[arg-type]  # a number
            continue
        bounds = slice_bounds(builder, part, n) if isinstance(part, SliceValue) else None
        letters += ":" if bounds is None else "s"
        operands += bounds or ()
    ref = array.ref
    if set(letters) - {":"}:
        ref = builder("slice", ref, *operands, axes=letters)
    if new_axes:
        ref = builder("expand", ref, axes=tuple(new_axes))
    return ArrayValue(ref)
