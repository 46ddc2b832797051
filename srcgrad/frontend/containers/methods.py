"""Methods of lists, dicts and tuples."""

from __future__ import annotations

from collections.abc import Callable

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.arrays.construct import as_array
from srcgrad.frontend.arrays.delayed import materialized
from srcgrad.frontend.boundary.structure import Leaf
from srcgrad.frontend.calls.dispatch import call_object
from srcgrad.frontend.containers import growing, list_memory
from srcgrad.frontend.containers.as_arrays import as_expression
from srcgrad.frontend.containers.items import change, sequence_items
from srcgrad.frontend.containers.keyed import entry, known_key, must_take_keys
from srcgrad.frontend.containers.list_state import holds_lists, set_length, state
from srcgrad.frontend.containers.new_lists import copied, detached
from srcgrad.frontend.control.carried import no_variables
from srcgrad.frontend.control.iteration import as_counted
from srcgrad.frontend.control.loop_ops import counted
from srcgrad.frontend.control.merge import has_array, settle
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.subscripts import container_index
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import (
    ArrayValue,
    Counted,
    FrontValue,
    GrowingList,
    ScalarValue,
    Static,
    TupleValue,
    Yielding,
    is_counted,
    is_list,
)
from srcgrad.ir.core import Operand, Value, index
from srcgrad.ir.types import INDEX

NONE = Static(None)


def _receiver(lowering: Lowering, arguments: Arguments) -> TupleValue:
    container = arguments[0]
    if isinstance(container, Counted) and container.origin is not None:
        raise growing.must_hold(lowering, container)
    if not isinstance(container, TupleValue):
        lowering.refuse(None, "a method of containers is called on something else", error=ArgumentTypeError)
    return container


def _require_here(lowering: Lowering, container: TupleValue, items: tuple[FrontValue, ...]) -> None:
    """A list that is changed on some paths only is held in memory from the start."""
    if container.home is not lowering.builder.ops and container.origin is not None:
        raise growing.must_grow(lowering, container.origin, items)


@function(list.append, least=2, most=2)
def _append(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if isinstance(arguments[0], GrowingList):
        growing.append(lowering, arguments[0], arguments[1])
        return NONE
    container = _receiver(lowering, arguments)
    items = (*container.items, settle(lowering, arguments[1]))
    _require_here(lowering, container, items)
    change(lowering, container, items)
    return NONE


@function(list.extend, least=2, most=2)
def _extend(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if isinstance(arguments[0], GrowingList):
        grown = arguments[0]
        items_taken = copied(lowering, grown) if arguments[1] is grown else settle(lowering, arguments[1])
        _each(lowering, items_taken, lambda item: growing.append(lowering, grown, item))
        return NONE
    container = _receiver(lowering, arguments)
    if isinstance(arguments[1], Yielding) or (is_counted(arguments[1]) and container.origin is not None):

        def no_room(item: FrontValue) -> None:
            raise growing.must_grow(lowering, container.origin, (*container.items, item))

        _each(lowering, arguments[1], no_room)
    more = sequence_items(lowering, settle(lowering, arguments[1]))
    items = (*container.items, *more)
    _require_here(lowering, container, items)
    change(lowering, container, items)
    return NONE


def _each(lowering: Lowering, items: FrontValue, consume: Callable[[FrontValue], None]) -> None:
    """The code that takes each item, in a loop if need be."""
    if isinstance(items, Yielding):
        items.run(consume)
    elif is_counted(items):
        source, key = as_counted(lowering, items), (lowering.path, lowering.builder.location, "each")
        loop, counter = no_variables(key), Value(INDEX, "i")
        counted(lowering, loop, source.length, counter, lambda k: consume(source.item(k)))
    else:
        for item in sequence_items(lowering, items):
            consume(item)


@function(list.insert, least=3, most=3)
def _insert(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if isinstance(arguments[0], GrowingList):
        growing.append(lowering, arguments[0], arguments[2])
        _in_memory(lowering, list_memory.move_last, arguments[0], arguments[1])
        return NONE
    container, where = _receiver(lowering, arguments), arguments[1]
    _require_here(lowering, container, (*container.items, arguments[2]))
    if not isinstance(where, Static) or not isinstance(where.value, int):
        lowering.refuse(None, "insert() at an index not known at compile time", "Use an array.")
    items = list(container.items)
    items.insert(where.value, settle(lowering, arguments[2]))
    change(lowering, container, tuple(items))
    return NONE


def _in_memory(lowering: Lowering, act: Callable[..., object], grown: GrowingList, place: FrontValue) -> None:
    _require_numbers(lowering, grown)
    columns, length = state(lowering, grown)
    for column in columns:
        call_object(lowering, act, [ArrayValue(column), place, ScalarValue(length, weak=True)], {})


def _require_numbers(lowering: Lowering, grown: GrowingList) -> None:
    growing.require_own(lowering, grown)
    if has_array(grown.item) or holds_lists(grown.item):
        hint = "It takes append, extend, pop() and clear; its items may be read and assigned to."
        lowering.refuse(
            None, "a list of arrays or lists is searched, put into another order, or changed in the middle", hint
        )


@function(list.pop, least=1, most=2)
def _pop(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    place = arguments[1] if len(arguments) > 1 else Static(-1)
    if isinstance(arguments[0], GrowingList):
        item = growing.read(lowering, arguments[0], place)
        item = detached(lowering, item)
        if not (isinstance(place, Static) and place.value == -1):
            _in_memory(lowering, list_memory.close_gap, arguments[0], place)
        growing.drop_last(lowering, arguments[0])
        return item
    container = _receiver(lowering, arguments)
    _require_here(lowering, container, container.items)
    position = container_index(lowering, container, (place,))
    removed = container.items[position]
    change(lowering, container, container.items[:position] + container.items[position + 1 :])
    return removed


@function(list.clear, least=1, most=1)
def _clear(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if isinstance(arguments[0], GrowingList):
        growing.will_overwrite(lowering, arguments[0])
        growing.resized(lowering, arguments[0])
        set_length(lowering, arguments[0], index(0))
        return NONE
    container = _receiver(lowering, arguments)
    _require_here(lowering, container, container.items)
    change(lowering, container, ())
    return NONE


@function(list.index, tuple.index, least=2, most=2)
def _index(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    plain = _known(arguments)
    if plain is None:
        return _searched(lowering, list_memory.first_place, arguments)
    items, wanted = plain
    if wanted not in items:
        lowering.refuse(None, f"{wanted!r} is not in the list", error=ArgumentTypeError)
    return Static(items.index(wanted))


@function(list.count, tuple.count, least=2, most=2)
def _count(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    plain = _known(arguments)
    return _searched(lowering, list_memory.how_many, arguments) if plain is None else Static(plain[0].count(plain[1]))


@function(list.remove, least=2, most=2)
def _remove(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    place = _index(lowering, arguments, keywords)
    return _pop_silently(lowering, (arguments[0], place))


def _pop_silently(lowering: Lowering, arguments: Arguments) -> FrontValue:
    _pop(lowering, arguments, {})
    return NONE


def _known(arguments: Arguments) -> tuple[list[object], object] | None:
    """The items and the value that is looked for, where all are known at compile time."""
    container, wanted = arguments
    if not isinstance(container, TupleValue) or not isinstance(wanted, Static):
        return None
    items = [v.value for v in container.items if isinstance(v, Static)]
    return (items, wanted.value) if len(items) == len(container.items) else None


def _searched(lowering: Lowering, search: Callable[..., object], arguments: Arguments) -> FrontValue:
    """A list of numbers looked through when the program runs."""
    if isinstance(arguments[0], GrowingList):
        _require_numbers(lowering, arguments[0])
    values = as_array(lowering.builder, as_expression(lowering, arguments[0]))
    return call_object(lowering, search, [materialized(lowering.builder, values), arguments[1]], {})


@function(list.sort, least=1, most=1)
def _sort(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    whole = arguments[0]
    if isinstance(whole, GrowingList):
        _require_numbers(lowering, whole)
    if "key" not in keywords and isinstance(whole, GrowingList) and isinstance(whole.item, Leaf):
        reverse = Static(flag(lowering, keywords.get("reverse", Static(False)), "sort"))
        (memory,), length = state(lowering, whole)
        call_object(lowering, list_memory.sort_first, [ArrayValue(memory), ScalarValue(length, weak=True), reverse], {})
        return NONE
    if isinstance(whole, GrowingList):
        _put_in_order(lowering, whole, as_counted(lowering, call_object(lowering, sorted, [whole], keywords)))
        return NONE
    container = _receiver(lowering, arguments)
    items = sequence_items(lowering, call_object(lowering, sorted, [container], keywords))
    change(lowering, container, items)
    return NONE


def _put_in_order(lowering: Lowering, grown: GrowingList, ordered: Counted) -> None:
    columns, _ = state(lowering, grown)

    def put(k: Operand) -> None:
        growing.store(lowering, columns, k, growing.fitted(lowering, grown, ordered.item(k)))

    key = (lowering.path, lowering.builder.location, "ordered")
    counted(lowering, no_variables(key), ordered.length, Value(INDEX, "i"), put)


def flag(lowering: Lowering, value: FrontValue, name: str) -> bool:
    """Whether a list is sorted downwards."""
    if not isinstance(value, Static):
        lowering.refuse(None, f"{name}() with reverse not known at compile time", error=ArgumentTypeError)
    return bool(value.value)


@function(list.reverse, least=1, most=1)
def _reverse(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if isinstance(arguments[0], GrowingList):
        _require_numbers(lowering, arguments[0])
        columns, length = state(lowering, arguments[0])
        for column in columns:
            call_object(lowering, list_memory.reverse_first, [ArrayValue(column), ScalarValue(length, weak=True)], {})
        return NONE
    container = _receiver(lowering, arguments)
    change(lowering, container, tuple(reversed(container.items)))
    return NONE


@function(list.copy, least=1, most=1)
def _copy(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if is_list(arguments[0]):
        return copied(lowering, arguments[0])
    return TupleValue(_receiver(lowering, arguments).items, list, home=lowering.builder.ops)


@function(dict.copy, least=1, most=1)
def _copy_dict(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    container = _receiver(lowering, arguments)
    return TupleValue(container.items, dict, container.keys, lowering.builder.ops)


@function(dict.keys, least=1, most=1)
def _keys(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return TupleValue(tuple(Static(k) for k in _receiver(lowering, arguments).keys), tuple)


@function(dict.values, least=1, most=1)
def _values(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return TupleValue(_receiver(lowering, arguments).items, tuple)


@function(dict.items, least=1, most=1)
def _entries(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    container = _receiver(lowering, arguments)
    pairs = zip(container.keys, container.items, strict=True)
    return TupleValue(tuple(TupleValue((Static(k), v), tuple) for k, v in pairs), tuple)


@function(dict.get, least=2, most=3)
def _get(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    container, key = _receiver(lowering, arguments), arguments[1]
    default = arguments[2] if len(arguments) > 2 else NONE
    if not isinstance(known_key(key), Static):
        return entry(lowering, container, key, default) if container.keys else default
    at = known_key(key)
    assert isinstance(at, Static)
    return container.items[container.keys.index(at.value)] if at.value in container.keys else default


@function(dict.update, least=1, most=2)
def _update(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    container = _receiver(lowering, arguments)
    entries = dict(zip(container.keys, container.items, strict=True))
    if len(arguments) > 1:
        other = arguments[1]
        if not (isinstance(other, TupleValue) and other.cls is dict):
            lowering.refuse(None, "update() takes a dict here", error=ArgumentTypeError)
        entries.update(zip(other.keys, other.items, strict=True))
    entries.update({k: settle(lowering, v) for k, v in keywords.items()})
    change(lowering, container, tuple(entries.values()), tuple(entries))
    return NONE


@function(dict.clear, least=1, most=1)
def _clear_dict(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    change(lowering, _receiver(lowering, arguments), ())
    return NONE


@function(dict.pop, least=2, most=3)
def _pop_entry(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    container, key = _receiver(lowering, arguments), _known_key(lowering, arguments)
    entries = dict(zip(container.keys, container.items, strict=True))
    if key not in entries:
        if len(arguments) < 3:
            lowering.refuse(None, f"the key {key!r} is not in the dict", error=ArgumentTypeError)
        return arguments[2]
    removed = entries.pop(key)
    change(lowering, container, tuple(entries.values()), tuple(entries))
    return removed


@function(dict.setdefault, least=2, most=3)
def _setdefault(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    container, key = _receiver(lowering, arguments), _known_key(lowering, arguments)
    entries = dict(zip(container.keys, container.items, strict=True))
    if key not in entries:
        entries[key] = settle(lowering, arguments[2]) if len(arguments) > 2 else NONE
        change(lowering, container, tuple(entries.values()), tuple(entries))
    return entries[key]


def _known_key(lowering: Lowering, arguments: Arguments) -> object:
    key = known_key(arguments[1])
    if not isinstance(key, Static):
        raise must_take_keys(lowering, _receiver(lowering, arguments))
    return key.value
