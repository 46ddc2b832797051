"""Arrays that stand for others: memory of the same shape, and copies into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from srcgrad.ir.build import Builder
from srcgrad.ir.core import Operand, Value, index
from srcgrad.ir.types import Array


def kind_of(array: Operand) -> Array:
    assert isinstance(array.type, Array)
    return array.type


def plain(array: Operand) -> Array:
    """The type of fresh memory of the shape of an array."""
    assert isinstance(array.type, Array)
    return Array(array.type.dtype, array.type.rank, "C", array.type.ones)


def ordered(array: Operand) -> Array:
    """The same, in Fortran order where the array is: as its shadow is."""
    assert isinstance(array.type, Array)
    layout = "F" if array.type.layout == "F" else "C"
    return Array(array.type.dtype, array.type.rank, layout, array.type.ones)


def extents_of(builder: Builder, array: Operand) -> list[Operand]:
    assert isinstance(array.type, Array)
    ones = array.type.ones
    return [index(1) if k in ones else builder("dim", array, axis=k) for k in range(array.type.rank)]


def memory(builder: Builder, kind: Array, extents: Sequence[Operand], name: str, fill: str = "empty") -> Value:
    """Fresh memory of exactly this type."""
    if kind.layout == "F":
        turned = builder("alloc", *reversed(extents), dtype=kind.dtype, fill=fill, name=name)
        return builder("transpose", turned, permutation=tuple(reversed(range(kind.rank))), name=name)
    made = builder("alloc", *extents, dtype=kind.dtype, fill=fill, name=name)
    return made if made.type == kind else builder("relax", made, name=name)


def copy(builder: Builder, source: Value, target: Value) -> None:
    """``target[...] = source``, element by element."""
    extents = extents_of(builder, source)
    builder.nest(extents, lambda at: builder.emit("store", target, *at, builder("load", source, *at)))


def copied(builder: Builder, source: Value, kind: Array) -> Value:
    """Fresh memory of a type with the elements of an array of that shape."""
    target = memory(builder, kind, extents_of(builder, source), source.name)
    copy(builder, source, target)
    return target


def row(builder: Builder, array: Value, at: Operand, name: str = "") -> Value:
    """``array[at]``, a view of one axis less."""
    assert isinstance(array.type, Array)
    return builder("slice", array, at, axes="i" + ":" * (array.type.rank - 1), name=name)


def when(builder: Builder, condition: Operand, action: Callable[[], None]) -> None:
    """A branch that only does something to memory."""

    def then() -> Sequence[Operand]:
        action()
        return ()

    builder.if_(condition, then)
