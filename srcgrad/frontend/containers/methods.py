"""Methods of lists, dicts and tuples."""

from __future__ import annotations

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.containers import growing
from srcgrad.frontend.containers.items import change, sequence_items
from srcgrad.frontend.control.merge import settle
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.subscripts import container_index
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import FrontValue, GrowingList, Static, TupleValue

NONE = Static(None)


def _receiver(lowering: Lowering, arguments: Arguments) -> TupleValue:
    container = arguments[0]
    if not isinstance(container, TupleValue):
        lowering.refuse(None, "a method of containers is called on something else", error=ArgumentTypeError)
    return container


@function(list.append, least=2, most=2)
def _append(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if isinstance(arguments[0], GrowingList):
        growing.append(lowering, arguments[0], arguments[1])
        return NONE
    container = _receiver(lowering, arguments)
    items = (*container.items, settle(lowering, arguments[1]))
    if container.home is not lowering.builder.ops and container.origin is not None:
        raise growing.must_grow(lowering, container.origin, items)
    change(lowering, container, items)
    return NONE


@function(list.extend, least=2, most=2)
def _extend(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    container = _receiver(lowering, arguments)
    change(lowering, container, (*container.items, *sequence_items(lowering, settle(lowering, arguments[1]))))
    return NONE


@function(list.insert, least=3, most=3)
def _insert(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    container, where = _receiver(lowering, arguments), arguments[1]
    if not isinstance(where, Static) or not isinstance(where.value, int):
        lowering.refuse(None, "insert() at an index not known at compile time", "Use an array.")
    items = list(container.items)
    items.insert(where.value, settle(lowering, arguments[2]))
    change(lowering, container, tuple(items))
    return NONE


@function(list.pop, least=1, most=2)
def _pop(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if isinstance(arguments[0], GrowingList):
        return growing.pop(lowering, arguments[0], arguments[1] if len(arguments) > 1 else Static(-1))
    container = _receiver(lowering, arguments)
    if container.home is not lowering.builder.ops and container.origin is not None:
        raise growing.must_grow(lowering, container.origin, container.items)
    position = container_index(lowering, container, arguments[1:] or (Static(-1),))
    removed = container.items[position]
    change(lowering, container, container.items[:position] + container.items[position + 1 :])
    return removed


@function(list.reverse, least=1, most=1)
def _reverse(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    container = _receiver(lowering, arguments)
    change(lowering, container, tuple(reversed(container.items)))
    return NONE


@function(list.copy, least=1, most=1)
def _copy(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
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
    if not isinstance(key, Static):
        lowering.refuse(None, "a dict key that is not known at compile time", "Use strings or literals.")
    if key.value in container.keys:
        return container.items[container.keys.index(key.value)]
    return arguments[2] if len(arguments) > 2 else NONE


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


@function(list.index, tuple.index, least=2, most=2)
def _index(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    found = [k for k, same in enumerate(_equal(lowering, arguments)) if same]
    if not found:
        lowering.refuse(None, "index() of what is not in the list", error=ArgumentTypeError)
    return Static(found[0])


@function(list.count, tuple.count, least=2, most=2)
def _count(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return Static(sum(_equal(lowering, arguments)))


@function(list.remove, least=2, most=2)
def _remove(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    container = _receiver(lowering, arguments)
    position = _index(lowering, arguments, keywords)
    assert isinstance(position, Static) and isinstance(position.value, int)
    change(lowering, container, container.items[: position.value] + container.items[position.value + 1 :])
    return NONE


@function(list.clear, dict.clear, least=1, most=1)
def _clear(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    change(lowering, _receiver(lowering, arguments), ())
    return NONE


@function(dict.pop, least=2, most=3)
def _pop_entry(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    container, key = _receiver(lowering, arguments), _known_key(lowering, arguments[1])
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
    container, key = _receiver(lowering, arguments), _known_key(lowering, arguments[1])
    entries = dict(zip(container.keys, container.items, strict=True))
    if key not in entries:
        entries[key] = settle(lowering, arguments[2]) if len(arguments) > 2 else NONE
        change(lowering, container, tuple(entries.values()), tuple(entries))
    return entries[key]


def _known_key(lowering: Lowering, key: FrontValue) -> object:
    if not isinstance(key, Static):
        lowering.refuse(None, "a dict key that is not known at compile time", "Use strings or literals.")
    return key.value


def _equal(lowering: Lowering, arguments: Arguments) -> list[bool]:
    """For each item whether it equals the second argument, all of which must be known."""
    container, wanted = _receiver(lowering, arguments), arguments[1]
    if not all(isinstance(v, Static) for v in (*container.items, wanted)):
        lowering.refuse(None, "looking for a value not known at compile time in a list", "Write a loop.")
    return [v.value == wanted.value for v in container.items]  # type: ignore[union-attr]  # Static
