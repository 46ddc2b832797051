"""Containers whose items are known: their items, and changes to lists and dicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from srcgrad.errors import ArgumentTypeError, Error, UnsupportedError
from srcgrad.frontend.boundary.objects import Records
from srcgrad.frontend.control.merge import settle
from srcgrad.frontend.lowering import LowerAgainError, Lowering
from srcgrad.frontend.refusals import raises
from srcgrad.frontend.values import (
    ArrayValue,
    Cell,
    Counted,
    Delayed,
    FrontValue,
    GrowingList,
    Static,
    TupleValue,
    is_number,
    is_record,
)
from srcgrad.ir.core import Const, index


def sequence_items(lowering: Lowering, value: FrontValue) -> tuple[FrontValue, ...]:
    """The items of a container, in order; anything whose length is not known is refused."""
    if isinstance(value, TupleValue) and is_record(value.cls) and not issubclass(value.cls, Records):
        what, hint = f"a {value.cls.__name__} is no sequence of items", ""
        if hasattr(value.cls, "__next__"):
            hint = "Let its __iter__ be a generator, with `yield`: iterators by __next__ are not in the language."
        lowering.refuse(None, what, hint, ArgumentTypeError)
    if isinstance(value, TupleValue) and not issubclass(value.cls, Records):
        return tuple(Static(k) for k in value.keys) if value.cls is dict else value.items
    if isinstance(value, Static) and isinstance(value.value, str | range | tuple | frozenset):
        return tuple(Static(x) for x in value.value)
    if isinstance(value, Counted) and isinstance(value.length, Const):
        return tuple(value.item(index(k)) for k in range(int(value.length.value)))  # type: ignore[arg-type]  # i64
    if isinstance(value, ArrayValue | Delayed | Counted | GrowingList):
        hint = "Loop over it, or index it; a tuple has a length known at compile time."
        lowering.refuse(
            None, "a sequence whose length is not known at compile time is unpacked", hint, UnsupportedError
        )
    error = lowering.error(None, "this is not a sequence", error=ArgumentTypeError)
    raise raises(error, TypeError) if is_number(value) else error


def holding(lowering: Lowering, value: FrontValue, origin: object) -> FrontValue:
    """A new value whose containers may be changed: named, so that they are found again, with cells where known."""
    if not isinstance(value, TupleValue):
        return value
    for k, item in enumerate(value.items):
        holding(lowering, item, (origin, k))
    if not issubclass(value.cls, tuple) and value.origin is None:
        value.origin, value.home = origin, lowering.builder.ops
    places = list(value.places)
    for k, key in enumerate(value.keys or range(len(places))):
        if (value.origin, key) in lowering.held:
            places[k] = cell(lowering, value.origin, key, value.items[k])
    value.places = tuple(places)
    return value


def kept(values: Iterable[object]) -> Callable[[], None]:
    """What brings the containers in ``values`` back to how they are now, after an attempt that came to nothing."""
    known: dict[int, tuple[TupleValue, dict[str, object]]] = {}
    grown: list[tuple[GrowingList, int]] = []

    def look(value: object) -> None:
        if isinstance(value, GrowingList):
            grown.append((value, len(value.shared)))
        elif isinstance(value, TupleValue) and id(value) not in known:
            known[id(value)] = value, dict(vars(value))
            for item in value.items:
                look(item)

    for value in values:
        look(value)

    def restore() -> None:
        for value, fields in known.values():
            vars(value).update(fields)
        for whole, holders in grown:
            del whole.shared[holders:]

    return restore


def is_changed(value: FrontValue) -> bool:
    """Whether a container, or one in it, was given other items."""
    return isinstance(value, TupleValue) and (value.changed or any(map(is_changed, value.items)))


def cell(lowering: Lowering, origin: object, key: object, value: FrontValue) -> Cell:
    """A new variable of the compiler's that holds one place of a container."""
    label = key if isinstance(key, str) and key.isidentifier() else "item"
    name = lowering.list_names.setdefault((origin, key), f".{label}_{len(lowering.list_names)}")
    made = Cell(lowering.scope, lowering.variable_of_its_own(name))
    made.set(settle(lowering, value))
    return made


def change(
    lowering: Lowering, container: TupleValue, items: tuple[FrontValue, ...], keys: tuple[object, ...] = ()
) -> None:
    """Give a list, dict or object new items, in place."""
    container.changed = True
    lowering.changes += 1
    if keys != container.keys or len(items) != len(container.places):
        _restructure(lowering, container, items, keys)
        return
    places = list(container.places)
    for k, (place, old, new) in enumerate(zip(places, container.items, items, strict=True)):
        if new is old:
            continue
        if isinstance(place, Cell) and container.home is not None:
            place.set(new)
        elif container.home is lowering.builder.ops:
            places[k] = new
        else:
            raise _must_hold(lowering, container, keys[k] if keys else k)
    container.places = tuple(places)


def _restructure(
    lowering: Lowering, container: TupleValue, items: tuple[FrontValue, ...], keys: tuple[object, ...]
) -> None:
    """Another number of items, or other keys: only where the container was made, and while all of it is known."""
    if container.home is not lowering.builder.ops:
        what = f"a {container.cls.__name__} made outside a branch or loop gets other items inside it"
        hint = "Its length must be known at compile time: use an array of a fixed size."
        lowering.refuse(None, what, hint, UnsupportedError)
    container.places, container.keys = items, keys
    holding(lowering, container, container.origin)


def _must_hold(lowering: Lowering, container: TupleValue, key: object) -> Error:
    """The request to lower again with a place of a container as a variable."""
    what = f"{key!r} of a {container.cls.__name__} that is changed inside a branch or loop"
    if container.origin is None:
        hint = "It may be one of several objects here: make a new one instead of changing it."
        return lowering.error(None, what, hint, UnsupportedError)
    place = (container.origin, key)
    if place in lowering.held:  # it is a variable where the container is made, but this is a copy made since
        return lowering.error(None, what, "Make a new object instead of changing it.", UnsupportedError)
    error = lowering.error(None, what, "Make a new object instead.", LowerAgainError)
    assert isinstance(error, LowerAgainError)
    error.note = lambda again: again.held.add(place)
    return error
