"""Where a list of run-time length has its items, and how many there are.

A list holds a column of memory for each part of its items, and a length, in a variable of its own. The items of a list
of lists are lists themselves: a column with their lengths, and a column with one more axis for each part of what is in
them. Such an inner list is known by its place in the outer one, whose columns it shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from srcgrad.errors import UnboundError
from srcgrad.frontend.boundary.pytree import count_leaves
from srcgrad.frontend.boundary.structure import Leaf, Structure, Tree
from srcgrad.frontend.lowering import LowerAgainError, Lowering, place_of
from srcgrad.frontend.numbers.promotion import Number, as_index
from srcgrad.frontend.scope import Flagged, Scope
from srcgrad.frontend.values import ArrayValue, GrowingList, Row, ScalarValue, Static, TupleValue
from srcgrad.ir.core import Operand, Value
from srcgrad.ir.types import INDEX


@dataclass(frozen=True)
class ItemOf:
    """Where a list is made that is an item of the list made at ``key``: ``item`` is how that must hold it."""

    key: object
    item: Structure


class ListOfItems:
    """The class, in structures, of an item that is a list of run-time length: its length, and what is in it."""


def list_of(item: Structure) -> Tree:
    """The structure of a list of such items, in a list."""
    return Tree(ListOfItems, (), (Leaf(INDEX), item))


def holds_lists(item: Structure) -> bool:
    """Whether items are lists of run-time length, or have one in them."""
    return isinstance(item, Tree) and (item.cls is ListOfItems or any(map(holds_lists, item.children)))


def outermost(grown: GrowingList) -> GrowingList:
    """The list that has the memory in which this one is."""
    return grown if grown.row is None else outermost(grown.row.whole)


def depth_of(grown: GrowingList) -> int:
    """How many lists are around this one."""
    return 0 if grown.row is None else 1 + depth_of(grown.row.whole)


def first_column(grown: GrowingList) -> int:
    """The number of its first column among those of the outermost list."""
    return 0 if grown.row is None else first_column(grown.row.whole) + grown.row.column + 1


def columns_of(grown: GrowingList) -> range:
    """The columns of its items among those of the outermost list."""
    first = first_column(grown)
    return range(first, first + count_leaves(grown.item))


def row(whole: GrowingList, at: Operand, column: int, item: Structure) -> GrowingList:
    """The list at a place of another."""
    place = Row(whole, at, column)
    uses = whole.uses
    return GrowingList((whole.key, column), whole.scope, whole.variable, item, uses.shared, None, place, uses)


def set_state(grown: GrowingList, columns: Sequence[Value], length: Number) -> None:
    """Bind the memory and the length of a list that is in no other."""
    assert isinstance(grown.scope, Scope) and grown.row is None
    grown.scope.names[grown.variable] = TupleValue((*map(ArrayValue, columns), length))


def set_length(lowering: Lowering, grown: GrowingList, length: Operand) -> None:
    """Say how many items there are, in the same memory."""
    if grown.row is None:
        set_state(grown, state(lowering, grown)[0], ScalarValue(length, weak=True))
        return
    lengths = state(lowering, grown.row.whole)[0][grown.row.column]
    lowering.builder.emit("store", lengths, grown.row.at, length)


def state(lowering: Lowering, grown: GrowingList) -> tuple[list[Value], Operand]:
    """The memory of a list, a column for each part of its items, and its length."""
    if grown.row is not None:
        return _state_of_row(lowering, grown, grown.row)
    held, bound = held_in(lowering, grown)
    if bound is not None:
        message = "cannot access a list where it has not been made"
        lowering.builder.emit("check", bound, exception="UnboundLocalError", message=message)
    *columns, length = held.items
    assert isinstance(length, ScalarValue | Static)
    return [c.ref for c in columns if isinstance(c, ArrayValue)], as_index(lowering.builder, length)


def held_in(lowering: Lowering, grown: GrowingList) -> tuple[TupleValue, Operand | None]:
    """The memory and the length of a list, and a flag that says whether it has been made, where that is not sure.

    If so far it is there on some paths only, lowering begins again, with an empty one on the others.
    """
    assert isinstance(grown.scope, Scope)
    held = grown.scope.names.get(grown.variable)
    bound = held.bound if isinstance(held, Flagged) else None
    held = held.value if isinstance(held, Flagged) else held
    if isinstance(held, TupleValue):
        return held, bound
    variable = (grown.scope, grown.variable)
    kind = UnboundError if lowering.is_filled(variable) else LowerAgainError
    error = lowering.error(None, "the list may not exist here", "Make it before the branch or loop.", kind)
    if isinstance(error, LowerAgainError):
        error.note = lambda again: again.filled.add(place_of(*variable))
    raise error


def _state_of_row(lowering: Lowering, grown: GrowingList, place: Row) -> tuple[list[Value], Operand]:
    builder = lowering.builder
    lengths, *around = state(lowering, place.whole)[0][place.column : place.column + 1 + count_leaves(grown.item)]
    columns = [builder("slice", column, place.at, axes="i" + ":" * (ArrayValue(column).rank - 1)) for column in around]
    return columns, builder("load", lengths, place.at)


def will_hold(lowering: Lowering, value: object) -> None:
    """A name is read that stands for an inner list by its place, which no other may take."""
    if isinstance(value, GrowingList) and value.row is not None:
        value.uses.held = True
        require_in_place(lowering, value)
    elif isinstance(value, TupleValue):
        for item in value.items:
            will_hold(lowering, item)


def require_in_place(lowering: Lowering, grown: GrowingList) -> None:
    if grown.uses.held and grown.uses.replaced:
        what = "a list in a list is known by a name, and another is put in its place"
        lowering.refuse(None, what, "Index the outer list wherever the inner one is read, or keep a copy of it.")
