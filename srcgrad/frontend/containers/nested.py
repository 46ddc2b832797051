"""Lists in lists of run-time length: what they are made of, room for their items, and items put into them.

``rows.append([])``, ``rows[i].append(x)`` and ``rows[i][j] = x`` are of this kind. Memory holds copies of what is put
in, where Python's lists refer to it: once two names may stand for one inner list, none may be changed any more.
"""

from __future__ import annotations

from collections.abc import Iterator

from srcgrad.frontend.boundary.pytree import count_leaves, leaves_of
from srcgrad.frontend.boundary.structure import Leaf, Structure, Tree
from srcgrad.frontend.containers.items import sequence_items
from srcgrad.frontend.containers.list_state import (
    ItemOf,
    ListOfItems,
    columns_of,
    depth_of,
    holds_lists,
    list_of,
    outermost,
    require_in_place,
    row,
    set_length,
    set_state,
    state,
)
from srcgrad.frontend.containers.row_memory import plain_rows
from srcgrad.frontend.control.branches import branch
from srcgrad.frontend.control.carried import no_variables
from srcgrad.frontend.control.loop_ops import counted
from srcgrad.frontend.control.merge import describe, dynamic, flatten, freeze, identified, join, rebuild, settle
from srcgrad.frontend.control.one_of_lists import OneOfLists
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.scope import Flagged
from srcgrad.frontend.values import ArrayValue, Counted, FrontValue, GrowingList, ScalarValue, TupleValue, is_list
from srcgrad.ir.core import Operand, Value, index
from srcgrad.ir.types import INDEX

ROOM = 8  # items a list has memory for at first


class Nothing:
    """The class of the items of a list of which no item is known yet: so far it is always empty."""


NOTHING: Structure = Tree(Nothing, (), ())


def kind_of_item(lowering: Lowering, value: FrontValue) -> Structure:
    """How an item is made up, with numbers and extents of run time."""
    if isinstance(value, GrowingList):
        return list_of(value.item)
    if isinstance(value, Counted) and is_list(value):
        return list_of(kind_of_items(lowering, value))
    value = settle(lowering, value)
    if isinstance(value, TupleValue) and value.cls is list and not value.items:
        return list_of(NOTHING)
    if isinstance(value, TupleValue):
        return Tree(value.cls, value.keys, tuple(kind_of_item(lowering, v) for v in value.items))  # type: ignore[arg-type]  # as in describe
    return plain_rows(dynamic(describe(value)))


def kind_of_items(lowering: Lowering, source: Counted) -> Structure:
    """How each item of a sequence is made up."""
    with lowering.block():  # to find out what an item is, no more
        return kind_of_item(lowering, source.item(index(0)))


def joined_items(a: Structure, b: Structure) -> Structure:
    """The structure of items that may be either; JoinError where there is none."""
    if NOTHING in (a, b):
        return b if a == NOTHING else a
    inner = [_inside(s) for s in (a, b)]
    if inner[0] is not None and inner[1] is not None and (holds_lists(a) or holds_lists(b) or _lengths_differ(a, b)):
        return list_of(joined_items(inner[0], inner[1]))
    if isinstance(a, Tree) and isinstance(b, Tree) and _of_one_kind(a, b) and (holds_lists(a) or holds_lists(b)):
        return Tree(a.cls, a.keys, tuple(map(joined_items, a.children, b.children)))
    return join(a, b)


def _inside(s: Structure) -> Structure | None:
    """What is in a list, of known length or not; None of what is no list."""
    if not isinstance(s, Tree):
        return None
    if s.cls is ListOfItems:
        return s.children[1]
    return as_lists(s).children[1] if s.cls is list else None


def as_lists(s: Tree) -> Tree:
    """The structure of a list as one of run-time length; JoinError if its items differ."""
    if s.cls is ListOfItems:
        return s
    item: Structure = NOTHING
    for child in s.children:
        item = joined_items(item, child)
    return list_of(item)


def _lengths_differ(a: Structure, b: Structure) -> bool:
    return isinstance(a, Tree) and isinstance(b, Tree) and len(a.children) != len(b.children)


def _of_one_kind(a: Tree, b: Tree) -> bool:
    return (a.cls, a.keys, len(a.children)) == (b.cls, b.keys, len(b.children))


def widened_around(grown: GrowingList, item: Structure) -> tuple[object, Structure]:
    """The place and the items of the outermost list, if this one is to have such items."""
    if grown.row is None:
        return grown.key, item
    whole = grown.row.whole
    return widened_around(whole, _replaced(whole.item, grown.row.column, list_of(item)))


def _replaced(s: Structure, column: int, by: Structure) -> Structure:
    """The structure with another list at a column."""
    assert isinstance(s, Tree)
    if s.cls is ListOfItems:
        assert column == 0
        return by
    children, first = [], 0
    for child in s.children:
        width = count_leaves(child)
        inside = first <= column < first + width
        children.append(_replaced(child, column - first, by) if inside else child)
        first += width
    return Tree(s.cls, s.keys, tuple(children))


def new_memory(lowering: Lowering, item: Structure, room: Operand) -> list[Value]:
    """Memory for the items of a list of lists, with no room yet in these."""
    return [
        lowering.builder("alloc", room, *[index(0)] * depth, dtype=leaf.type.dtype, fill="zeros")
        for leaf, depth in _columns(item, 0)
    ]


def _columns(s: Structure, depth: int) -> Iterator[tuple[Leaf, int]]:
    """The columns of such items, and how many lists each is in."""
    if isinstance(s, Tree) and s.cls is ListOfItems:
        yield Leaf(INDEX), depth
        yield from _columns(s.children[1], depth + 1)
    elif isinstance(s, Tree):
        for child in s.children:
            yield from _columns(child, depth)
    else:
        yield from ((leaf, depth) for leaf in leaves_of(s))


def reserve(lowering: Lowering, grown: GrowingList, need: Operand) -> None:
    """Make sure that there is room for so many items; in at least twice the memory when there is not."""
    builder, whole = lowering.builder, outermost(grown)
    columns, length = state(lowering, whole)
    mine, axis = columns_of(grown), depth_of(grown)
    if not mine:
        return
    room = builder("dim", columns[mine.start], axis=axis)
    old = TupleValue(tuple(map(ArrayValue, columns)))

    def larger() -> TupleValue:
        more = builder("max", builder("max", need, index_op(builder, "mul", room, index(2))), index(ROOM))
        moved = [_moved(lowering, c, axis, more) if k in mine else c for k, c in enumerate(columns)]
        return TupleValue(tuple(map(ArrayValue, moved)))

    held = branch(lowering, ScalarValue(builder("lt", room, need)), larger, lambda: old)
    assert isinstance(held, TupleValue)
    set_state(whole, [c.ref for c in held.items if isinstance(c, ArrayValue)], ScalarValue(length, weak=True))


def _moved(lowering: Lowering, column: Value, axis: int, room: Operand) -> Value:
    builder, array = lowering.builder, ArrayValue(column)
    extents = [builder("dim", column, axis=k) for k in range(array.rank)]
    wider = [room if k == axis else n for k, n in enumerate(extents)]
    new = builder("alloc", *wider, dtype=array.dtype, fill="zeros")
    builder.nest(tuple(extents), lambda at: builder.emit("store", new, *at, builder("load", column, *at)))
    return new


def load(lowering: Lowering, grown: GrowingList, at: Operand) -> FrontValue:
    """The item at an index in range."""
    return _loaded(lowering, grown, at, grown.item, 0)


def _loaded(lowering: Lowering, grown: GrowingList, at: Operand, s: Structure, first: int) -> FrontValue:
    if isinstance(s, Tree) and s.cls is ListOfItems:
        return row(grown, at, first, s.children[1])
    if isinstance(s, Tree):
        items = []
        for child in s.children:
            items.append(_loaded(lowering, grown, at, child, first))
            first += count_leaves(child)
        return TupleValue(tuple(items), s.cls, s.keys)
    return rebuild(lowering, s, iter([lowering.builder("load", state(lowering, grown)[0][first], at)]))


def put(lowering: Lowering, grown: GrowingList, at: Operand, item: FrontValue) -> None:
    """Store an item at an index for which there is room."""
    _put(lowering, grown, at, item, grown.item, 0)


def _put(lowering: Lowering, grown: GrowingList, at: Operand, item: FrontValue, s: Structure, first: int) -> None:
    if isinstance(s, Tree) and s.cls is ListOfItems:
        _put_list(lowering, row(grown, at, first, s.children[1]), item)
    elif isinstance(s, Tree):
        assert isinstance(item, TupleValue)
        for value, child in zip(item.items, s.children, strict=True):
            _put(lowering, grown, at, value, child, first)
            first += count_leaves(child)
    else:
        (number,) = flatten(lowering, item, s)
        lowering.builder.emit("store", state(lowering, grown)[0][first], at, number)


def _put_list(lowering: Lowering, target: GrowingList, item: FrontValue) -> None:
    """Fill an inner list with the items of another, which is in other memory."""
    if isinstance(item, TupleValue):
        items = sequence_items(lowering, item)
        reserve(lowering, target, index(len(items)))
        for k, value in enumerate(items):
            put(lowering, target, index(k), value)
        set_length(lowering, target, index(len(items)))
        return
    length = state(lowering, item)[1] if isinstance(item, GrowingList) else item.length  # type: ignore[union-attr]  # a list

    def source(k: Operand) -> FrontValue:
        return load(lowering, item, k) if isinstance(item, GrowingList) else item.item(k)  # type: ignore[union-attr]  # as above

    reserve(lowering, target, length)
    loop = no_variables((lowering.path, lowering.builder.location, "put", depth_of(target), target.key))
    counted(lowering, loop, length, Value(INDEX, "i"), lambda k: put(lowering, target, k, source(k)))
    set_length(lowering, target, length)


def adopt(lowering: Lowering, grown: GrowingList, at: Operand, item: FrontValue) -> None:
    """An item has been put in: whoever knows a list in it by a name knows it by its new place from now on."""
    _adopt(lowering, grown, at, item, grown.item, 0)


def _adopt(lowering: Lowering, grown: GrowingList, at: Operand, item: FrontValue, s: Structure, first: int) -> None:
    if not isinstance(s, Tree):
        return
    if s.cls is ListOfItems:
        _move_names(lowering, grown, item, row(grown, at, first, s.children[1]))
    elif isinstance(item, TupleValue):
        for value, child in zip(item.items, s.children, strict=True):
            _adopt(lowering, grown, at, value, child, first)
            first += count_leaves(child)


def _move_names(lowering: Lowering, grown: GrowingList, item: FrontValue, place: GrowingList) -> None:
    here = _is_of_this_block(lowering, item)
    if not here:
        _require_unaltered(lowering, item)
        will_share(lowering, grown)
    freeze(identified(item))
    if isinstance(item, GrowingList) and (item.row is not None or item.uses.held):
        will_share(lowering, item)
        will_share(lowering, grown)
    own = lowering.changeable() if here else []
    for scope in dict.fromkeys([*own, *lowering.scopes]):
        for name, value in scope.names.items():
            if value is item and scope in own:
                scope.names[name] = place
            elif _contains(value, item):
                will_share(lowering, grown)
    if isinstance(item, TupleValue):
        for k, value in enumerate(item.items):
            adopt(lowering, place, index(k), value)


def _is_of_this_block(lowering: Lowering, item: FrontValue) -> bool:
    """Whether a list has just been made, so that every name for it is bound here."""
    if isinstance(item, Counted):
        return not (item.origin is OneOfLists or isinstance(item.origin, ItemOf))
    return isinstance(item, GrowingList | TupleValue) and item.home is lowering.builder.ops


def _require_unaltered(lowering: Lowering, item: FrontValue) -> None:
    """Refuse a list that the iteration before has put in and then changed."""
    altered = item.uses.altered if isinstance(item, GrowingList) else isinstance(item, TupleValue) and item.changed
    home = item.home if isinstance(item, GrowingList | TupleValue) else None
    if altered and home is not None and not lowering.builder.is_open_in_this_iteration(home):
        hint = "Put a copy in: rows.append(row.copy())."
        lowering.refuse(None, "a list that is changed in a loop is put into another list", hint)


def _contains(value: object, item: FrontValue) -> bool:
    if isinstance(value, TupleValue):
        return value is item or any(_contains(v, item) for v in value.items)
    return value is item or (isinstance(value, Flagged) and _contains(value.value, item))


def will_change(lowering: Lowering, grown: GrowingList) -> None:
    """Refuse to change an inner list that another name may hold as it was."""
    if grown.row is None:
        grown.uses.altered = True
    else:
        grown.uses.changed = True
        _require_seen(lowering, grown)


def will_share(lowering: Lowering, grown: GrowingList) -> None:
    """An inner list is there under another name that sees no change of it."""
    grown.uses.shared.append(True)
    _require_seen(lowering, grown)


def _require_seen(lowering: Lowering, grown: GrowingList) -> None:
    if grown.uses.shared and grown.uses.changed:
        what = "a list in a list is changed, and another name may hold it"
        lowering.refuse(None, what, "Put a copy in: rows.append(row.copy()).")


def will_replace(lowering: Lowering, grown: GrowingList) -> None:
    """Another list is put in the place of one."""
    if holds_lists(grown.item):
        grown.uses.replaced = True
        require_in_place(lowering, grown)
