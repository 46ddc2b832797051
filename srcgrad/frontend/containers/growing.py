"""Lists of numbers that grow at run time: memory with room to spare, and a length.

A list is a compile-time container until an `append` inside a branch or loop makes its length depend on the path
taken. Then the whole function is lowered again with that list in memory from the start. Memory and length are
held in a variable of their own, ``.list_0``, beside the user's, so that branches merge them and loops carry them.
"""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.errors import ArgumentTypeError, UnboundError, UnsupportedError
from srcgrad.frontend.arrays.extents import shape
from srcgrad.frontend.control.branches import branch
from srcgrad.frontend.lowering import LowerAgainError, Lowering
from srcgrad.frontend.nodes.operators import binary, kind_of, number
from srcgrad.frontend.numbers.promotion import Number, as_index, converted, promoted
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.refusals import refusal
from srcgrad.frontend.scope import Scope
from srcgrad.frontend.values import (
    ArrayValue,
    Counted,
    Delayed,
    FrontValue,
    GrowingList,
    ScalarValue,
    Static,
    TupleValue,
    is_number,
)
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Operand, Value, constant, index

ROOM = 8  # items a list has memory for at first


def must_grow(lowering: Lowering, key: object, items: Sequence[FrontValue]) -> LowerAgainError:
    """The request to lower again with the list made at ``key`` in memory."""
    if not all(map(is_number, items)):
        other = next(v for v in items if not is_number(v))
        what = f"a list that grows at run time holds {kind_of(other)}"
        lowering.refuse(None, what, "Only numbers can be in it: use an array of a fixed size.", UnsupportedError)
    held_as = promoted([number(lowering, v) for v in items])

    def note(again: Lowering) -> None:
        again.growing[key] = held_as

    error = refusal(lowering.builder.location, "a list grows at run time here", "Use an array.", LowerAgainError)
    assert isinstance(error, LowerAgainError)
    error.note = note
    return error


def new_list(lowering: Lowering, key: object, items: Sequence[FrontValue]) -> FrontValue:
    """The list that is made at ``key``: in memory if it is known to grow at run time."""
    if key in lowering.growing:
        return create(lowering, key, items)
    return TupleValue(tuple(items), list, home=lowering.builder.ops, origin=key)


def create(lowering: Lowering, key: object, items: Sequence[FrontValue]) -> GrowingList:
    """A list in memory with these items."""
    dtype, weak = lowering.growing[key]
    name = lowering.list_names.setdefault(key, f".list_{len(lowering.list_names)}")
    made = GrowingList(key, lowering.scope, lowering.variable_of_its_own(name), dtype, weak)
    builder = lowering.builder
    memory = builder("alloc", index(ROOM + len(items)), dtype=dtype, fill="empty")
    for k, item in enumerate(items):
        builder.emit("store", memory, index(k), fitted(lowering, made, item))
    set_state(made, memory, Static(len(items)))
    return made


def fitted(lowering: Lowering, grown: GrowingList, item: FrontValue) -> Operand:
    """An item as the list holds it; a wider one needs a wider list."""
    sample = ScalarValue(constant(0, grown.dtype), grown.weak)
    if not is_number(item) or promoted([sample, number(lowering, item)]) != (grown.dtype, grown.weak):
        raise must_grow(lowering, grown.key, [sample, item])
    return converted(lowering.builder, number(lowering, item), grown.dtype)


def set_state(grown: GrowingList, memory: Value, length: Number) -> None:
    assert isinstance(grown.scope, Scope)
    grown.scope.names[grown.variable] = TupleValue((ArrayValue(memory), length))


def state(lowering: Lowering, grown: GrowingList) -> tuple[Value, Operand]:
    """The memory of a list, and its length."""
    assert isinstance(grown.scope, Scope)
    held = grown.scope.names.get(grown.variable)
    if not isinstance(held, TupleValue):
        lowering.refuse(None, "the list may not exist here", "Make it before the branch or loop.", UnboundError)
    memory, length = held.items
    assert isinstance(memory, ArrayValue) and isinstance(length, ScalarValue | Static)
    return memory.ref, as_index(lowering.builder, length)


def append(lowering: Lowering, grown: GrowingList, item: FrontValue) -> None:
    """Store behind the last item; in twice the memory when there is no room."""
    value = fitted(lowering, grown, item)
    memory, length = state(lowering, grown)
    builder = lowering.builder
    room = builder("dim", memory, axis=0)
    full = ScalarValue(builder("eq", length, room))
    held = branch(lowering, full, lambda: moved(lowering, memory, length), lambda: ArrayValue(memory))
    assert isinstance(held, ArrayValue)
    builder.emit("store", held.ref, length, value)
    set_state(grown, held.ref, ScalarValue(index_op(builder, "add", length, index(1)), weak=True))


def moved(lowering: Lowering, memory: Value, length: Operand) -> ArrayValue:
    builder = lowering.builder
    assert not isinstance(memory, Const)
    larger = builder("alloc", builder("mul", length, index(2)), dtype=ArrayValue(memory).dtype, fill="empty")
    builder.nest((length,), lambda at: builder.emit("store", larger, *at, builder("load", memory, *at)))
    return ArrayValue(larger)


def drop_last(lowering: Lowering, grown: GrowingList) -> None:
    """The list without its last item."""
    memory, length = state(lowering, grown)
    set_state(grown, memory, ScalarValue(lowering.builder("sub", length, index(1)), weak=True))


def checked(lowering: Lowering, grown: GrowingList, position: FrontValue) -> tuple[Value, Operand]:
    """The memory of a list, and an index into it."""
    if not is_number(position):
        lowering.refuse(None, f"a list is indexed by {kind_of(position)}", "Use an array.", ArgumentTypeError)
    memory, length = state(lowering, grown)
    return memory, lowering.builder("check_index", as_index(lowering.builder, number(lowering, position)), length)


def read(lowering: Lowering, grown: GrowingList, position: FrontValue) -> FrontValue:
    """``list[position]``."""
    memory, at = checked(lowering, grown, position)
    return ScalarValue(lowering.builder("load", memory, at), grown.weak)


def write(lowering: Lowering, grown: GrowingList, position: FrontValue, item: FrontValue) -> None:
    """``list[position] = item``."""
    value = fitted(lowering, grown, item)
    memory, at = checked(lowering, grown, position)
    lowering.builder.emit("store", memory, at, value)


def counted(lowering: Lowering, grown: GrowingList) -> Counted:
    """The items, to loop over."""

    def item(k: Operand) -> FrontValue:
        memory, _ = state(lowering, grown)
        return ScalarValue(lowering.builder("load", memory, k), grown.weak)

    return Counted(state(lowering, grown)[1], item)


def as_expression(lowering: Lowering, value: FrontValue) -> FrontValue:
    """A list in memory as the array expression that NumPy makes of it; anything else as it is."""
    if isinstance(value, Counted) and value.memory is not None:
        memory, length = value.memory, value.length
    elif isinstance(value, GrowingList):
        memory, length = state(lowering, value)
    else:
        return value

    def element(builder: Builder, indices: tuple[Operand, ...]) -> Operand:
        return builder("load", memory, *indices)

    inner = shape(lowering.builder, memory)[1:]
    return Delayed((length, *inner), ArrayValue(memory).dtype, element, (memory,), frozenset({memory}))


def is_nonempty(lowering: Lowering, grown: GrowingList) -> FrontValue:
    return binary(lowering, "gt", ScalarValue(state(lowering, grown)[1], weak=True), Static(0))
