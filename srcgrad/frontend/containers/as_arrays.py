"""Lists in memory as the arrays that NumPy makes of them: of numbers, and of rows of numbers."""

from __future__ import annotations

from srcgrad.frontend.arrays.extents import shape
from srcgrad.frontend.boundary.structure import Leaf, Structure, Tree
from srcgrad.frontend.containers.growing import state
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.values import (
    ArrayValue,
    Counted,
    Delayed,
    FrontValue,
    GrowingList,
)
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Operand, index
from srcgrad.ir.types import Scalar


def as_expression(lowering: Lowering, value: FrontValue) -> FrontValue:
    """A list in memory as the array expression that NumPy makes of it; anything else as it is."""
    if isinstance(value, Counted) and value.memory is not None:
        memory, length = value.memory, value.length
    elif isinstance(value, GrowingList) and isinstance(value.item, Leaf):
        (memory,), length = state(lowering, value)
    elif isinstance(value, GrowingList) and _is_table(value.item):
        return _table(lowering, value)
    else:
        return value

    def element(builder: Builder, indices: tuple[Operand, ...]) -> Operand:
        return builder("load", memory, *indices)

    inner = shape(lowering.builder, memory)[1:]
    return Delayed((length, *inner), ArrayValue(memory).dtype, element, (memory,), frozenset({memory}))


def _is_table(item: Structure) -> bool:
    """Whether the items are lists or tuples of numbers of one dtype, which NumPy makes rows of."""
    if not isinstance(item, Tree) or not item.children:
        return False
    types = {c.type if isinstance(c, Leaf) else None for c in item.children}
    return len(types) == 1 and isinstance(next(iter(types)), Scalar)


def _table(lowering: Lowering, rows: GrowingList) -> Delayed:
    columns, length = state(lowering, rows)

    def element(builder: Builder, indices: tuple[Operand, ...]) -> Operand:
        row, place = indices
        found: Operand = builder("load", columns[-1], row)
        for k, column in reversed(list(enumerate(columns[:-1]))):
            found = builder("select", builder("eq", place, index(k)), builder("load", column, row), found)
        return found

    memory = tuple(columns)
    return Delayed((length, index(len(columns))), ArrayValue(columns[0]).dtype, element, memory)
