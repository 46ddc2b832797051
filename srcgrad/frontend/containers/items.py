"""Containers whose items are known: their items, and changes to lists and dicts."""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.errors import ArgumentTypeError, UnsupportedError
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.values import ArrayValue, Counted, Delayed, FrontValue, Static, TupleValue
from srcgrad.ir.core import Const, index


def sequence_items(lowering: Lowering, value: FrontValue) -> tuple[FrontValue, ...]:
    """The items of a container, in order; anything whose length is not known is refused."""
    if isinstance(value, TupleValue):
        return tuple(Static(k) for k in value.keys) if value.cls is dict else value.items
    if isinstance(value, Static) and isinstance(value.value, str | range | tuple | frozenset):
        return tuple(Static(x) for x in value.value)
    if isinstance(value, Counted) and isinstance(value.length, Const):
        return tuple(value.item(index(k)) for k in range(int(value.length.value)))  # type: ignore[arg-type]  # i64
    if isinstance(value, ArrayValue | Delayed | Counted):
        hint = "Loop over it, or index it; a tuple has a length known at compile time."
        lowering.refuse(
            None, "a sequence whose length is not known at compile time is unpacked", hint, UnsupportedError
        )
    lowering.refuse(None, "this is not a sequence", error=ArgumentTypeError)


def known_set(lowering: Lowering, items: Iterable[FrontValue]) -> Static:
    """A set of values known at compile time. Of run-time values it could not be told how many differ."""
    values = []
    for item in items:
        if not isinstance(item, Static):
            hint = "Use a tuple: `in` looks through that as well."
            lowering.refuse(None, "a set of values not known at compile time", hint, UnsupportedError)
        values.append(item.value)
    return Static(frozenset(values))


def change(
    lowering: Lowering, container: TupleValue, items: tuple[FrontValue, ...], keys: tuple[object, ...] = ()
) -> None:
    """Give a list or dict new items, in place."""
    if container.home is not lowering.builder.ops:
        lowering.refuse(
            None,
            f"a {container.cls.__name__} made outside a branch or loop is changed inside it",
            "Its length must be known at compile time: use an array of a fixed size.",
            UnsupportedError,
        )
    container.items = items
    container.keys = keys
