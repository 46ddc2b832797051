"""Subscripts that are read: of arrays, of containers with known items, of strings."""

from __future__ import annotations

import ast

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.arrays import indexing
from srcgrad.frontend.arrays.construct import array_of
from srcgrad.frontend.boundary.objects import Record, Records
from srcgrad.frontend.calls.dispatch import call, call_object
from srcgrad.frontend.captures import table_of
from srcgrad.frontend.containers import growing
from srcgrad.frontend.containers.keyed import entry, known_key, must_take_keys, takes_keys
from srcgrad.frontend.control.branches import branch
from srcgrad.frontend.control.options import for_each_option, one_of_strings
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.effects import before_later_writes
from srcgrad.frontend.nodes.operators import binary, kind_of
from srcgrad.frontend.nodes.special_methods import special
from srcgrad.frontend.numbers.promotion import as_index
from srcgrad.frontend.refusals import raises
from srcgrad.frontend.registry import expression
from srcgrad.frontend.values import (
    ArrayValue,
    Counted,
    Delayed,
    FrontValue,
    GrowingList,
    Neighbourhood,
    ScalarValue,
    SliceValue,
    Static,
    TupleValue,
)
from srcgrad.ir.core import Operand, index

FEW = 8  # items that are asked for one after the other; among more the half is asked for first


@expression(ast.Subscript)
def _subscript(lowering: Lowering, node: ast.Subscript) -> FrontValue:
    container = before_later_writes(lowering, lowering.evaluate(node.value), [node.slice])
    method = special(lowering, container, "__getitem__")
    if method is not None:
        return call(lowering, method, [lowering.evaluate(node.slice)], {})
    return subscript(lowering, container, evaluate_key(lowering, node.slice))


def evaluate_key(lowering: Lowering, node: ast.expr) -> tuple[FrontValue, ...]:
    """The key of a subscript; a tuple is several."""
    key = lowering.evaluate(node)
    parts = key.items if isinstance(key, TupleValue) and key.cls is tuple else (key,)
    return tuple(_slice_of(p.value) if isinstance(p, Static) and isinstance(p.value, slice) else p for p in parts)


def _slice_of(value: slice) -> SliceValue:
    """A slice object that was an argument or a global."""
    return SliceValue(Static(value.start), Static(value.stop), Static(value.step))


def subscript(lowering: Lowering, container: FrontValue, key: tuple[FrontValue, ...]) -> FrontValue:
    """``container[key]``."""
    chosen = one_of_strings((container, *key))
    if chosen is not None and not isinstance(container, ArrayValue | Delayed):

        def of_option(option: FrontValue) -> FrontValue:
            own = option if container is chosen else container
            return subscript(lowering, own, tuple(option if k is chosen else k for k in key))

        return for_each_option(lowering, chosen, of_option)
    if isinstance(container, ArrayValue | Delayed):
        return indexing.read(lowering.builder, container, key)
    if isinstance(container, Neighbourhood):
        return indexing.read(lowering.builder, container.array, _around(lowering, container, key))
    if len(key) == 1 and isinstance(container, GrowingList | Counted) and isinstance(key[0], SliceValue):
        return call_object(lowering, list.__getitem__, [container, key[0]], {})
    if len(key) == 1 and isinstance(container, GrowingList):
        return growing.read(lowering, container, key[0])
    if isinstance(container, TupleValue) and issubclass(container.cls, Records | Record):
        return _of_records(lowering, container, key)
    if isinstance(container, TupleValue) and container.cls is dict:
        return _entry(lowering, container, known_key(key[0] if len(key) == 1 else TupleValue(key)))
    if len(key) == 1 and isinstance(container, TupleValue):
        return _item(lowering, container, key[0])
    if len(key) == 1 and isinstance(container, Counted) and isinstance(key[0], ScalarValue | Static):
        at = checked_position(lowering, key[0], container.length)
        return container.item(at)
    if len(key) == 1 and isinstance(container, Static):
        return _static_item(lowering, container.value, key[0])
    if isinstance(container, ScalarValue) and not container.weak and indexing.is_whole_or_nothing(0, key):
        return indexing.read(lowering.builder, array_of(lowering.builder, TupleValue((container,))), _as_mask(key))
    if isinstance(container, ScalarValue) and not container.weak and all(map(_adds_no_index, key)):
        new = [k for k in key if isinstance(k, Static) and k.value is None]
        whole = array_of(lowering.builder, TupleValue((container,)))
        return indexing.read(lowering.builder, whole, tuple(new[1:])) if new else container
    refused = lowering.error(None, f"{kind_of(container)} is indexed", error=ArgumentTypeError)
    raise raises(refused, TypeError) if isinstance(container, ScalarValue) and container.weak else refused


def _adds_no_index(key: FrontValue) -> bool:
    """``...`` or ``None``, which a number of NumPy's takes, as an array without axes does."""
    return isinstance(key, Static) and (key.value is None or key.value is Ellipsis)


def _as_mask(key: tuple[FrontValue, ...]) -> tuple[FrontValue, ...]:
    """The truth that indexes a number of NumPy's, as the mask of an array of one element."""
    return (TupleValue(key, list),)


def _around(lowering: Lowering, container: Neighbourhood, key: tuple[FrontValue, ...]) -> tuple[FrontValue, ...]:
    """The key of the array itself for an index that counts from the place of a stencil's element."""
    if len(key) != len(container.place):
        lowering.refuse(None, "a stencil's array is not indexed by one number per axis", error=ArgumentTypeError)
    container.offsets.append(key)
    pairs = zip(container.place, key, strict=True)
    return tuple(binary(lowering, "add", ScalarValue(i, weak=True), k) for i, k in pairs)


def _of_records(lowering: Lowering, container: TupleValue, key: tuple[FrontValue, ...]) -> FrontValue:
    """A field of a structured array by its name; or an element, or a part, with the same fields."""
    name = key[0].value if len(key) == 1 and isinstance(key[0], Static) else None
    if isinstance(name, str) and name in container.keys:
        return container.items[container.keys.index(name)]
    if isinstance(name, str) or container.cls is Record:
        known = ", ".join(map(repr, container.keys))
        lowering.refuse(None, f"the key is not among the fields: {known}", error=ArgumentTypeError)
    parts = tuple(subscript(lowering, item, key) for item in container.items)
    whole = all(isinstance(part, ScalarValue) for part in parts)
    return TupleValue(parts, Record if whole else Records, container.keys)


def _static_item(lowering: Lowering, container: object, key: FrontValue) -> FrontValue:
    if not isinstance(container, str) or not isinstance(key, Static | SliceValue):
        lowering.refuse(None, f"{kind_of(Static(container))} is indexed", error=ArgumentTypeError)
    chosen = key.value if isinstance(key, Static) else static_slice(lowering, key)
    try:
        return Static(container[chosen])  # type: ignore[index]  # a TypeError is refused below
    except (IndexError, TypeError) as fault:
        lowering.refuse(None, str(fault), error=ArgumentTypeError)


def _entry(lowering: Lowering, container: TupleValue, key: FrontValue) -> FrontValue:
    """The entry of a dict: a key that is missing may be stored further down by an earlier iteration."""
    if not isinstance(key, Static):
        return entry(lowering, container, key, None)
    if key.value in container.keys:
        return container.items[container.keys.index(key.value)]
    if (
        container.home is not lowering.builder.ops
        and takes_keys(container)
        and isinstance(key.value, int | float | tuple)
    ):
        raise must_take_keys(lowering, container)
    known = ", ".join(map(repr, container.keys))
    raise raises(
        lowering.error(None, f"the key is not among those of the dict: {known}", error=ArgumentTypeError), KeyError
    )


def _item(lowering: Lowering, container: TupleValue, key: FrontValue) -> FrontValue:
    if _may_be_appended_to(lowering, container) and isinstance(key, ScalarValue | Static):
        raise growing.must_grow(lowering, container.origin, [])
    if isinstance(key, SliceValue):
        part = container.items[static_slice(lowering, key)]
        return TupleValue(part, list if container.cls is list else tuple, home=lowering.builder.ops)
    if isinstance(key, Static):
        return container.items[container_index(lowering, container, (key,))]
    if isinstance(key, ScalarValue):
        return pick(lowering, container, checked_position(lowering, key, index(len(container.items))))
    lowering.refuse(None, f"{kind_of(container)} is indexed by {kind_of(key)}", error=ArgumentTypeError)


def _may_be_appended_to(lowering: Lowering, container: TupleValue) -> bool:
    """Whether it is an empty list that an earlier iteration may have given items, further down."""
    is_empty = container.cls is list and not container.items
    return is_empty and container.origin is not None and container.home is not lowering.builder.ops


def container_index(lowering: Lowering, container: TupleValue, key: tuple[FrontValue, ...]) -> int:
    """An index known at compile time, in range."""
    if len(key) != 1 or not isinstance(key[0], Static) or not isinstance(key[0].value, int):
        what = f"an index into a {container.cls.__name__} that is not known at compile time"
        lowering.refuse(None, what, "Use an array, or unroll with a loop over the items.")
    position, length = key[0].value, len(container.items)
    if not -length <= position < length:
        what = f"index {position} into a {container.cls.__name__} of {length}"
        refused = lowering.error(None, what, _hint_of_short(lowering, container), ArgumentTypeError)
        raise raises(refused, IndexError) if container.cls is tuple else refused
    return position % length


def _hint_of_short(lowering: Lowering, container: TupleValue) -> str:
    """In a loop, a list is known as it is in front of the loop until an `append` has been seen."""
    if container.cls is not list or container.home is lowering.builder.ops:
        return ""
    return "What is appended further down is not known here yet: let the list have its first items before the loop."


def checked_position(lowering: Lowering, key: ScalarValue | Static, length: Operand) -> Operand:
    return lowering.builder("check_index", as_index(lowering.builder, key), length)


def pick(lowering: Lowering, container: TupleValue, position: Operand) -> FrontValue:
    """The item at a run-time position, known to be in range: items must have one type."""
    if not container.items:
        what = f"an empty {container.cls.__name__} is indexed"
        lowering.refuse(None, what, _hint_of_short(lowering, container), ArgumentTypeError)

    if len(container.items) > FEW and (table := table_of(lowering, container)) is not None:
        return ScalarValue(lowering.builder("load", table.ref, position), weak=isinstance(container.items[0], Static))

    def among(first: int, end: int) -> FrontValue:
        if first == end - 1:
            return container.items[first]
        middle = first + 1 if end - first <= FEW else (first + end) // 2
        asked = ("eq", first) if middle == first + 1 else ("lt", middle)
        here = binary(lowering, asked[0], ScalarValue(position, weak=True), Static(asked[1]))
        assert isinstance(here, ScalarValue | Static)
        return branch(lowering, here, lambda: among(first, middle), lambda: among(middle, end))

    found = among(0, len(container.items))
    return growing.one_of_items(lowering, found, container) if container.cls is list else found


def static_slice(lowering: Lowering, key: SliceValue) -> slice:
    """A slice whose bounds are known at compile time."""
    bounds = []
    for part in (key.start, key.stop, key.step):
        if not isinstance(part, Static):
            lowering.refuse(None, "a slice of a tuple with bounds not known at compile time", "Use an array.")
        bounds.append(part.value)
    return slice(*bounds)
