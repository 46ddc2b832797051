"""Subscripts of arrays: ``x[1:, None, i]`` read, written and updated in place.

Integers, slices, ``None`` and ``...`` make a view (``keys``); integer arrays and boolean masks make a gather or a
scatter (``gather``).
"""

from __future__ import annotations

from collections.abc import Callable

from srcgrad.frontend.arrays import gather
from srcgrad.frontend.arrays.construct import array_of
from srcgrad.frontend.arrays.delayed import expression, materialized, part
from srcgrad.frontend.arrays.keys import WHOLE, Key, expanded, is_mask, positions, view
from srcgrad.frontend.arrays.stores import store_element, store_into, update, update_element
from srcgrad.frontend.numbers.promotion import Number, as_scalar
from srcgrad.frontend.values import (
    ArrayValue,
    Delayed,
    FrontValue,
    ScalarValue,
    Static,
    TupleValue,
    is_array,
    is_number,
)
from srcgrad.ir.build import Builder
from srcgrad.ir.types import BOOL


def read(builder: Builder, array: ArrayValue | Delayed, key: Key) -> FrontValue:
    """``array[key]``: a number, a view, or the elements that index arrays pick."""
    if isinstance(array, Delayed) and array.part is not None:
        return part(builder, read(builder, array.part.array, key), array.part.name)
    if is_whole_or_nothing(array.rank, key):
        return read(builder, *with_an_axis(builder, materialized(builder, array), key))
    parts = expanded(builder, array.rank, key)
    if all(map(is_number, parts)):
        at = positions(builder, array, parts)
        if isinstance(array, ArrayValue):
            return ScalarValue(builder("load", array.ref, *at))
        return ScalarValue(array.element(builder, at))
    base = materialized(builder, array)
    if any(map(is_array, parts)):
        return gather.gathered(builder, gather.selection(builder, base, parts))
    return view(builder, base, parts)


def is_whole_or_nothing(rank: int, key: Key) -> bool:
    """Whether a truth indexes what has no axes."""
    return rank == 0 and len(key) == 1 and is_number(key[0]) and as_scalar(key[0]).dtype == BOOL  # type: ignore[arg-type]  # a number


def with_an_axis(builder: Builder, array: ArrayValue, key: Key) -> tuple[ArrayValue, Key]:
    """An array without axes as one of one element, and a truth as the mask of it."""
    return view(builder, array, [Static(None)]), (array_of(builder, TupleValue(key)),)


def write(builder: Builder, array: ArrayValue, key: Key, value: FrontValue) -> None:
    """``array[key] = value``."""
    if is_whole_or_nothing(array.rank, key):
        write(builder, *with_an_axis(builder, array, key), value)
        return
    parts = expanded(builder, array.rank, key)
    if isinstance(value, TupleValue) and value.cls in (tuple, list) and not all(map(is_number, parts)):
        value = array_of(builder, value)
    if all(map(is_number, parts)):
        store_element(builder, array, positions(builder, array, parts), value)
    elif not any(map(is_array, parts)):
        store_into(builder, view(builder, array, parts), value)
    elif is_mask(parts[0]) and all(p is WHOLE for p in parts[1:]) and gather.fills(parts[0], array, value):
        gather.masked_store(builder, array, parts[0], value)
    else:
        gather.scatter(builder, gather.selection(builder, array, parts), value)


def augment(
    builder: Builder, name: str, array: ArrayValue, key: Key, value: FrontValue, combine: Callable[..., Number]
) -> None:
    """``array[key] op= value`` for the primitive ``name`` that ``combine`` applies."""
    if is_whole_or_nothing(array.rank, key):
        augment(builder, name, *with_an_axis(builder, array, key), value, combine)
        return
    parts = expanded(builder, array.rank, key)
    if all(map(is_number, parts)):
        update_element(builder, array, positions(builder, array, parts), value, name, combine)
    elif not any(map(is_array, parts)):
        update(builder, view(builder, array, parts), value, name, combine)
    else:  # all elements are read before one is written, so that of repeated indices the last counts
        chosen = gather.selection(builder, array, parts)
        new = expression(builder, (gather.gathered(builder, chosen), value), combine)
        gather.scatter(builder, chosen, materialized(builder, new))
