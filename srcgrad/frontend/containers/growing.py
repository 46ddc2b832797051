"""Lists that grow at run time, of numbers, arrays of one shape, tuples, and lists: memory with room, and a length.

A list is a compile-time container until an `append` inside a branch or loop makes its length depend on the path
taken. Then the whole function is lowered again with that list in memory from the start. Memory and length are
held in a variable of their own, ``.list_0``, beside the user's, so that branches merge them and loops carry them.

An array in a list is a row of the list's memory, which is made when the first one is known (`row_memory`). A list in a
list is a row with a length of its own (`nested`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NoReturn

from srcgrad.errors import ArgumentTypeError, UnsupportedError
from srcgrad.frontend.boundary.pytree import leaves_of
from srcgrad.frontend.boundary.structure import Leaf, Structure, Tree
from srcgrad.frontend.containers.items import holding
from srcgrad.frontend.containers.list_state import ItemOf, ListOfItems, holds_lists, set_length, set_state, state
from srcgrad.frontend.containers.nested import (
    NOTHING,
    ROOM,
    adopt,
    as_lists,
    joined_items,
    kind_of_item,
    load,
    new_memory,
    put,
    reserve,
    widened_around,
    will_change,
    will_replace,
)
from srcgrad.frontend.containers.row_memory import (
    extents_of,
    keep_unwritten,
    lacks_room,
    load_part,
    plain_rows,
    rank_of,
    require_alike,
    store_part,
)
from srcgrad.frontend.control.branches import branch
from srcgrad.frontend.control.merge import (
    JoinError,
    describe,
    flatten,
    freeze,
    has_array,
    identified,
    rebuild,
    refuse_join,
    settle,
    spelled,
)
from srcgrad.frontend.control.one_of_lists import OneOfLists
from srcgrad.frontend.lowering import LowerAgainError, Lowering
from srcgrad.frontend.nodes.operators import kind_of, number
from srcgrad.frontend.numbers.promotion import as_index
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.refusals import refusal
from srcgrad.frontend.values import (
    ArrayValue,
    Counted,
    FrontValue,
    GrowingList,
    ScalarValue,
    Static,
    TupleValue,
    is_number,
)
from srcgrad.ir.core import Const, Operand, Value, index
from srcgrad.ir.types import Array


def must_grow(lowering: Lowering, key: object, items: Sequence[FrontValue]) -> LowerAgainError:
    """The request to lower again with the list made at ``key`` in memory."""
    return again_with(lowering, key, [kind_of_item(lowering, v) for v in items])


def must_hold(lowering: Lowering, whole: Counted, *more: FrontValue) -> LowerAgainError:
    """The request to lower again with a list that so far was only read in memory where it can be changed."""
    if whole.origin is OneOfLists:
        refuse_shared(lowering)
    return must_grow(lowering, whole.origin, [whole.item(index(0)), *more])


def refuse_shared(lowering: Lowering) -> NoReturn:
    hint = "Change a copy: current = list(previous)."
    lowering.refuse(None, "a list is changed that another name may hold, depending on the path taken", hint)


def require_own(lowering: Lowering, grown: GrowingList) -> None:
    """Refuse to change a list that has met another one: whoever holds the two would not see it."""
    if grown.row is None and grown.shared:
        refuse_shared(lowering)
    will_change(lowering, grown)


def again_with(lowering: Lowering, key: object, structures: Sequence[Structure]) -> LowerAgainError:
    """The same, given how each item is made up: of numbers, and tuples of them."""
    if isinstance(key, ItemOf):
        return again_with(lowering, key.key, [key.item])
    other = next((s for s in structures if not _is_row(s)), None)
    if other is not None:
        hint = "Only numbers, arrays, tuples of them, and lists of numbers can be in it: use an array."
        lowering.refuse(None, f"a list that grows at run time holds {spelled(other)}", hint, UnsupportedError)
    try:
        item = reduce(joined_items, [plain_rows(s) for s in structures], NOTHING)
    except JoinError as fault:
        raise refuse_join(lowering, "an item of a list", fault) from None

    def note(again: Lowering) -> None:
        again.growing[key] = item

    error = refusal(lowering.builder.location, "a list grows at run time here", "Use an array.", LowerAgainError)
    assert isinstance(error, LowerAgainError)
    error.note = note
    return error


def _is_row(s: Structure) -> bool:
    if isinstance(s, Tree) and s.cls is ListOfItems:
        return not has_array(s) and _is_row(s.children[1])
    if isinstance(s, Tree):
        return s == NOTHING or (issubclass(s.cls, tuple | list) and all(map(_is_row, s.children)))
    return isinstance(s, Leaf)


def place(lowering: Lowering, what: str) -> tuple[object, ...]:
    """The name of the list that is made here."""
    return (lowering.path, lowering.builder.location, what)


def new_list(lowering: Lowering, key: object, items: Sequence[FrontValue]) -> FrontValue:
    """The list that is made at ``key``: in memory if it is known to grow at run time."""
    if key in lowering.growing:
        return create(lowering, key, items)
    return holding(lowering, TupleValue(tuple(items), list), key)


def create(lowering: Lowering, key: object, items: Sequence[FrontValue]) -> GrowingList:
    """A list in memory with these items."""
    made = named(lowering, key)
    if holds_lists(made.item):
        set_state(made, new_memory(lowering, made.item, index(ROOM + len(items))), Static(0))
        for item in items:
            append(lowering, made, item)
        return made
    rows = [fitted(lowering, made, item) for item in items]
    columns = with_room(lowering, made, index(ROOM + len(items)), rows[0] if rows else None)
    for k, row in enumerate(rows):
        if k > 0:
            require_alike(lowering.builder, columns, row, index(1))
        store(lowering, columns, index(k), row)
    set_state(made, columns, Static(len(items)))
    return made


def named(lowering: Lowering, key: object) -> GrowingList:
    """A list, of which ``set_state`` is still to be called."""
    name = lowering.list_names.setdefault(key, f".list_{len(lowering.list_names)}")
    variable = lowering.variable_of_its_own(name)
    return GrowingList(key, lowering.scope, variable, lowering.growing[key], home=lowering.builder.ops)


def with_room(lowering: Lowering, made: GrowingList, room: Operand, row: Sequence[Operand] | None) -> list[Value]:
    """Memory for the items of a list, of the shapes that are in ``row``; without one there is no room for arrays."""
    leaves = list(leaves_of(made.item))
    if row is None and any(isinstance(leaf.type, Array) for leaf in leaves):
        shapes: list[list[Operand]] = [[index(0)] * (1 + rank_of(leaf)) for leaf in leaves]
    else:
        shapes = [[room, *extents_of(lowering.builder, part)] for part in row or leaves]
    return [
        lowering.builder("alloc", *extents, dtype=leaf.type.dtype, fill="empty")
        for leaf, extents in zip(leaves, shapes, strict=True)
    ]


def store(lowering: Lowering, columns: Sequence[Value], at: Operand, parts: Sequence[Operand]) -> None:
    for column, part in zip(columns, parts, strict=True):
        store_part(lowering.builder, column, at, part)


def _load(lowering: Lowering, grown: GrowingList, columns: Sequence[Value], at: Operand) -> FrontValue:
    if grown.item == NOTHING:  # the index is out of range
        lowering.guesses += 1
        return ScalarValue(index(0), weak=True)
    if grown.row is not None or holds_lists(grown.item):
        return load(lowering, grown, at)
    copying = grown.key in lowering.overwritten
    parts = [load_part(lowering.builder, column, at, copying) for column in columns]
    return changeable(rebuild(lowering, grown.item, iter(parts)), grown.key, grown.item)


def one_of_items(lowering: Lowering, item: FrontValue, container: TupleValue) -> FrontValue:
    """An item of a list of known items, at a place known at run time; one that is a list may yet be changed."""
    if container.origin is None or container.home is None:
        return item
    try:
        (_, kind) = as_lists(describe(container)).children  # type: ignore[arg-type]  # of a list
    except JoinError:
        return item
    return changeable(item, container.origin, kind)


def changeable(item: FrontValue, key: object, s: Structure) -> FrontValue:
    """An item of a list; one that is a list of known length is to be held in the other's memory if it is changed."""
    if isinstance(item, TupleValue) and item.cls is list and isinstance(s, Tree):
        try:
            item.origin = ItemOf(key, as_lists(s))
        except JoinError:  # its items are of several kinds
            return item
    return item


def fitted(lowering: Lowering, grown: GrowingList, item: FrontValue) -> list[Operand]:
    """The parts of an item as the list holds them; a wider one needs a wider list."""
    return parts_of(lowering, fitting(lowering, grown, item), grown.item)


def fitting(lowering: Lowering, grown: GrowingList, item: FrontValue) -> FrontValue:
    """The item, if the list can hold it."""
    require_own(lowering, grown)
    item = settle(lowering, item)
    structure = kind_of_item(lowering, item)
    try:
        joint = joined_items(grown.item, structure)
    except JoinError:
        joint = None
    if joint == grown.item:
        return item
    if joint is None:
        raise again_with(lowering, grown.key, [grown.item, structure])
    key, whole = widened_around(grown, joint)
    raise again_with(lowering, key, [whole])


def parts_of(lowering: Lowering, item: FrontValue, s: Structure) -> list[Operand]:
    """The numbers of an item, cast to the dtypes of the list, and its arrays, which nobody may write to from now on."""
    if isinstance(s, Tree):
        assert isinstance(item, TupleValue)
        keep_unchanged(lowering, item)
        return [x for v, c in zip(item.items, s.children, strict=True) for x in parts_of(lowering, v, c)]
    if isinstance(item, ArrayValue):
        keep_unwritten(lowering, item)
        return [item.ref]
    return flatten(lowering, item, s)


def keep_unchanged(lowering: Lowering, item: TupleValue) -> None:
    """A list in a list is there as its items are now: it may not be changed any more, nor by an earlier iteration."""
    if item.mutable and item.home is not None:
        if item.changed and not lowering.builder.is_open_in_this_iteration(item.home):
            hint = "Put a copy in: rows.append(row.copy())."
            lowering.refuse(None, "a list that is changed in a loop is put into another list", hint)
        freeze(identified(item))


def append(lowering: Lowering, grown: GrowingList, item: FrontValue) -> None:
    """Store behind the last item; in twice the memory when there is no room."""
    resized(lowering, grown)
    if grown.row is not None or holds_lists(grown.item):
        _append_list(lowering, grown, fitting(lowering, grown, item))
        return
    parts = fitted(lowering, grown, item)
    columns, length = state(lowering, grown)
    builder = lowering.builder
    require_alike(builder, columns, parts, length)
    full = ScalarValue(lacks_room(builder, columns, parts, length))
    old = TupleValue(tuple(map(ArrayValue, columns)))
    held = branch(lowering, full, lambda: moved(lowering, columns, parts, length), lambda: old)
    assert isinstance(held, TupleValue)
    columns = [c.ref for c in held.items if isinstance(c, ArrayValue)]
    store(lowering, columns, length, parts)
    set_state(grown, columns, ScalarValue(index_op(builder, "add", length, index(1)), weak=True))


def _append_list(lowering: Lowering, grown: GrowingList, item: FrontValue) -> None:
    """The same where lists are in lists."""
    length = state(lowering, grown)[1]
    more = index_op(lowering.builder, "add", length, index(1))
    reserve(lowering, grown, more)
    put(lowering, grown, length, item)
    set_length(lowering, grown, more)
    adopt(lowering, grown, length, item)


def resized(lowering: Lowering, grown: GrowingList) -> None:
    """A list gets longer or shorter: loops over it that are being lowered have to look at its length each time."""
    builder = lowering.builder
    for key, whole in lowering.gone_through:
        if whole is grown and whole.row is None:
            error = refusal(lowering.builder.location, "a loop changes the length of its list", "", LowerAgainError)
            assert isinstance(error, LowerAgainError)
            error.note = lambda again, k=key: again.outgrown.add(k)  # type: ignore[misc]  # bound now
            raise error
    lowering.visited = [(ops, whole) for ops, whole in lowering.visited if builder.is_open(ops)]
    for _, whole in lowering.visited:
        if whole is grown and whole.row is None:
            hint = "Loop over a copy: for v in list(items)."
            lowering.refuse(None, "a list gets longer or shorter while its items are gone through", hint)
        if whole.row is not None and grown.row is not None and whole.uses is grown.uses:
            other = builder("ne", whole.row.at, grown.row.at)
            message = "the length of a list in a list is changed by a loop over it"
            builder.emit("check", other, exception="RuntimeError", message=message)


def moved(lowering: Lowering, columns: Sequence[Value], parts: Sequence[Operand], length: Operand) -> TupleValue:
    builder = lowering.builder
    room = builder("mul", length, index(2))
    if any(isinstance(part.type, Array) for part in parts):  # there may have been no room at all
        room = builder("max", room, index(ROOM))
    larger = []
    for column, part in zip(columns, parts, strict=True):
        inner = extents_of(builder, part)
        larger.append(builder("alloc", room, *inner, dtype=ArrayValue(column).dtype, fill="empty"))
    if any(isinstance(part.type, Array) for part in parts):
        for new, column, part in zip(larger, columns, parts, strict=True):
            extents = (length, *extents_of(builder, part))
            builder.nest(extents, lambda at, a=new, b=column: builder.emit("store", a, *at, builder("load", b, *at)))  # type: ignore[misc]  # bound now
        return TupleValue(tuple(map(ArrayValue, larger)))

    def copy(at: tuple[Operand, ...]) -> None:
        store(lowering, larger, at[0], [builder("load", column, *at) for column in columns])

    builder.nest((length,), copy)
    return TupleValue(tuple(map(ArrayValue, larger)))


def drop_last(lowering: Lowering, grown: GrowingList) -> None:
    """The list without its last item."""
    will_overwrite(lowering, grown)
    resized(lowering, grown)
    length = state(lowering, grown)[1]
    set_length(lowering, grown, lowering.builder("sub", length, index(1)))


def checked(lowering: Lowering, grown: GrowingList, position: FrontValue) -> tuple[list[Value], Operand]:
    """The memory of a list, and an index into it."""
    if not is_number(position):
        lowering.refuse(None, f"a list is indexed by {kind_of(position)}", "Use an array.", ArgumentTypeError)
    columns, length = state(lowering, grown)
    return columns, lowering.builder("check_index", as_index(lowering.builder, number(lowering, position)), length)


def read(lowering: Lowering, grown: GrowingList, position: FrontValue) -> FrontValue:
    """``list[position]``."""
    columns, at = checked(lowering, grown, position)
    return _load(lowering, grown, columns, at)


def write(lowering: Lowering, grown: GrowingList, position: FrontValue, item: FrontValue) -> None:
    """``list[position] = item``."""
    will_overwrite(lowering, grown)
    if grown.row is not None or holds_lists(grown.item):
        item = fitting(lowering, grown, item)
        _, at = checked(lowering, grown, position)
        put(lowering, grown, at, item)
        adopt(lowering, grown, at, item)
        return
    parts = fitted(lowering, grown, item)
    columns, at = checked(lowering, grown, position)
    require_alike(lowering.builder, columns, parts, index(1))
    store(lowering, columns, at, parts)


def counted(lowering: Lowering, grown: GrowingList) -> Counted:
    """The items, to loop over; what changes the number of items meanwhile is refused."""

    def visited(k: Operand) -> FrontValue:
        if not isinstance(k, Const):
            lowering.visited.append((lowering.builder.ops, grown))
        return item(lowering, grown, k)

    return Counted(state(lowering, grown)[1], visited)


def item(lowering: Lowering, grown: GrowingList, k: Operand) -> FrontValue:
    """The item at an index in range."""
    return _load(lowering, grown, state(lowering, grown)[0], k)


def will_overwrite(lowering: Lowering, grown: GrowingList) -> None:
    """Items are going to be stored where others were, so that arrays which are read from the list must be copies."""
    require_own(lowering, grown)
    will_replace(lowering, grown)
    if grown.key in lowering.overwritten or not has_array(grown.item):
        return
    error = refusal(lowering.builder.location, "a list of arrays is changed here", "Use an array.", LowerAgainError)
    assert isinstance(error, LowerAgainError)
    error.note = lambda again: again.overwritten.add(grown.key)
    raise error
