"""Lists in memory as the arrays that NumPy makes of them: of numbers, and of rows of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import is_

from srcgrad.frontend.arrays.extents import shape
from srcgrad.frontend.boundary.structure import Leaf, RunTimeList, Structure, Tree
from srcgrad.frontend.containers.list_state import ListOfItems, state
from srcgrad.frontend.containers.row_memory import RAGGED
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.values import (
    ArrayValue,
    Counted,
    Delayed,
    FrontValue,
    GrowingList,
    ScalarValue,
    TupleValue,
)
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Operand, Value, index
from srcgrad.ir.types import Scalar


def as_expression(lowering: Lowering, value: FrontValue) -> FrontValue:
    """A list in memory as the array expression that NumPy makes of it; anything else as it is."""
    if isinstance(value, Counted) and value.memory is not None:
        memory, length = value.memory, value.length
    elif isinstance(value, GrowingList) and isinstance(value.item, Leaf):
        (memory,), length = state(lowering, value)
    elif isinstance(value, GrowingList) and _is_table(value.item):
        return _table(lowering, value)
    elif isinstance(value, GrowingList) and _numbers_in(value.item) is not None:
        return _stacked(lowering, value)
    elif isinstance(value, TupleValue) and value.cls in (list, tuple):
        items = tuple(as_expression(lowering, x) for x in value.items)
        return value if all(map(is_, items, value.items)) else TupleValue(items, value.cls)
    else:
        return value

    return _column(lowering, memory, length)


def as_result(lowering: Lowering, value: FrontValue) -> FrontValue:
    """What a function returns, with lists in memory as columns of their items."""
    if isinstance(value, Counted) and value.memory is not None:
        return _rows(as_expression(lowering, value), _holds_arrays(lowering, value))
    if isinstance(value, GrowingList) and isinstance(value.item, Leaf):
        return _rows(as_expression(lowering, value), holds_arrays=True)
    if isinstance(value, GrowingList) and isinstance(value.item, Tree) and _is_flat(value.item):
        columns, length = state(lowering, value)
        parts = tuple(_column(lowering, column, length) for column in columns)
        return TupleValue((TupleValue(parts, value.item.cls, value.item.keys),), RunTimeList)
    if isinstance(value, GrowingList) and _numbers_in(value.item) is not None:
        return _rows(_stacked(lowering, value), holds_arrays=False)
    if isinstance(value, TupleValue):
        items = tuple(as_result(lowering, x) for x in value.items)
        return value if all(map(is_, items, value.items)) else TupleValue(items, value.cls, value.keys, value.home)
    return value


def _rows(table: FrontValue, holds_arrays: bool) -> TupleValue:
    """A list whose items are the rows of a table: arrays, or lists of numbers."""
    assert isinstance(table, Delayed)
    whole = TupleValue((table,), RunTimeList)
    for _ in table.shape[1:] if not holds_arrays else ():
        whole = TupleValue((whole,), RunTimeList)
    return whole


def _holds_arrays(lowering: Lowering, items: Counted) -> bool:
    """Whether the items are numbers or arrays, and not lists of these."""
    with lowering.block():
        return isinstance(items.item(index(0)), ScalarValue | ArrayValue | Delayed)


def _is_flat(item: Tree) -> bool:
    """Whether the parts of an item are numbers or arrays, and it is not a list with a length of its own."""
    return item.cls is not ListOfItems and bool(item.children) and all(isinstance(c, Leaf) for c in item.children)


def _column(lowering: Lowering, memory: Value, length: Operand) -> Delayed:
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


def _numbers_in(item: Structure) -> Leaf | None:
    """The numbers in lists, one in the other, of run-time length."""
    while isinstance(item, Tree) and item.cls is ListOfItems:
        item = item.children[1]
    return item if isinstance(item, Leaf) and isinstance(item.type, Scalar) else None


def _stacked(lowering: Lowering, rows: GrowingList) -> Delayed:
    """Lists of one length, as the rows of an array."""
    builder = lowering.builder
    (*lengths, memory), length = state(lowering, rows)
    extents: list[Operand] = [length]
    for column in lengths:
        extents.append(_common_length(builder, column, extents))
    return Delayed(
        tuple(extents),
        ArrayValue(memory).dtype,
        lambda b, at: b("load", memory, *at),
        (memory,),
        frozenset({memory}),
    )


def _common_length(builder: Builder, lengths: Value, around: Sequence[Operand]) -> Operand:
    """The length of all lists at these places: that of the first, 0 if there is none."""
    first = [index(0)] * len(around)
    some = reduce(lambda a, b: builder("and_", a, b), [builder("gt", n, index(0)) for n in around])
    (expected,) = builder.if_(some, lambda: [builder("load", lengths, *first)], lambda: [index(0)])

    def compare(at: tuple[Operand, ...]) -> None:
        found = builder("load", lengths, *at)
        same = builder("eq", found, expected)
        builder.emit("check", same, expected, found, exception="ValueError", message=RAGGED)

    builder.nest(around, compare)
    return expected
