"""Functions of sequences: ``map``, ``filter``, ``sorted``, ``next``, ``reduce``, and those of ``itertools``."""

from __future__ import annotations

import functools
import itertools

import numpy as np
from numba import literal_unroll

from srcgrad.errors import ArgumentTypeError, UnsupportedError
from srcgrad.frontend.arrays.delayed import materialized
from srcgrad.frontend.boundary.structure import Tree
from srcgrad.frontend.calls.dispatch import call, call_object
from srcgrad.frontend.containers.as_arrays import as_expression
from srcgrad.frontend.containers.growing import place
from srcgrad.frontend.containers.items import sequence_items
from srcgrad.frontend.containers.keyed import new_set, set_of
from srcgrad.frontend.containers.list_state import holds_lists
from srcgrad.frontend.containers.listed import in_memory
from srcgrad.frontend.containers.methods import flag
from srcgrad.frontend.containers.nested import kind_of_items
from srcgrad.frontend.control.folds import fold
from srcgrad.frontend.control.iteration import as_counted
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.operators import binary, truth
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import (
    Counted,
    FrontValue,
    ScalarValue,
    SinglePass,
    Static,
    TupleValue,
    Yielding,
    is_counted,
    is_list,
)
from srcgrad.ir.core import Operand, index


@function(map, least=2)
def _map(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    mapped, *sequences = arguments
    if not any(is_counted(s) for s in sequences):
        columns = [sequence_items(lowering, s) for s in sequences]
        return TupleValue(tuple(call(lowering, mapped, row, {}) for row in zip(*columns, strict=False)), SinglePass)
    parts = [as_counted(lowering, s) for s in sequences]
    length = parts[0].length
    for part in parts[1:]:
        length = index_op(lowering.builder, "min", length, part.length)

    def item(k: Operand) -> FrontValue:
        return call(lowering, mapped, [part.item(k) for part in parts], {})

    return Counted(length, item, once=True)


@function(filter, least=2, most=2)
def _filter(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    chosen, sequence = arguments
    kept = []
    for item in sequence_items(lowering, sequence):
        is_none = isinstance(chosen, Static) and chosen.value is None
        test = truth(lowering, item if is_none else call(lowering, chosen, [item], {}))
        if not isinstance(test, Static):
            hint = "Write a loop, with the condition inside."
            lowering.refuse(None, "filter() by what is not known at compile time", hint, UnsupportedError)
        if test.value:
            kept.append(item)
    return TupleValue(tuple(kept), SinglePass)


@function(sorted, least=1, most=1)
def _sorted(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    by = keywords.get("key")
    by = None if isinstance(by, Static) and by.value is None else by
    reverse = flag(lowering, keywords.get("reverse", Static(False)), "sorted")
    if is_counted(arguments[0]):
        return _sorted_when_run(lowering, as_counted(lowering, arguments[0]), by, reverse)
    items = sequence_items(lowering, arguments[0])
    keys = [item if by is None else call(lowering, by, [item], {}) for item in items]
    if any(_at_run_time(k) for k in keys):
        counted = as_counted(lowering, TupleValue(items, list))
        return TupleValue(sequence_items(lowering, _sorted_when_run(lowering, counted, by, reverse)), list)
    plain = [_plain(lowering, key) for key in keys]
    order = sorted(range(len(items)), key=plain.__getitem__, reverse=reverse)  # type: ignore[arg-type]  # may raise
    return TupleValue(tuple(items[k] for k in order), list, home=lowering.builder.ops)


def _sorted_when_run(lowering: Lowering, source: Counted, by: FrontValue | None, reverse: bool) -> FrontValue:
    """A new list: by the order of the keys, which are numbers, or tuples or lists of them."""

    def key(k: Operand) -> FrontValue:
        item = source.item(k)
        return item if by is None else call(lowering, by, [item], {})

    with lowering.changing_nothing(), lowering.block():
        leaves = len(_numbers_in(key(index(0))))
    columns = []
    for place_in_key in range(leaves):
        part = Counted(source.length, lambda k, j=place_in_key: _numbers_in(key(k))[j])  # type: ignore[misc]  # now
        numbers = as_expression(lowering, in_memory(lowering, part, place(lowering, f"keys {place_in_key}")))
        # Items with equal keys keep their order, where it is reversed, too.
        columns.append(binary(lowering, "sub", Static(0), numbers) if reverse else numbers)
    found = call_object(lowering, np.lexsort, [TupleValue(tuple(reversed(columns)))], {})
    order = materialized(lowering.builder, found).ref
    ordered = Counted(source.length, lambda k: source.item(lowering.builder("load", order, k)))
    return in_memory(lowering, ordered, place(lowering, "sorted"))


def _numbers_in(key: FrontValue) -> list[FrontValue]:
    """What is compared of a key, the first first."""
    if isinstance(key, TupleValue) and key.cls in (tuple, list):
        return [number for item in key.items for number in _numbers_in(item)]
    return [key]


def _at_run_time(key: FrontValue) -> bool:
    return any(isinstance(number, ScalarValue) for number in _numbers_in(key))


def _plain(lowering: Lowering, value: FrontValue) -> object:
    """A key to sort by."""
    if isinstance(value, TupleValue) and value.cls in (tuple, list):
        return tuple(_plain(lowering, v) for v in value.items)
    if not isinstance(value, Static):
        hint = "Use np.sort of an array."
        lowering.refuse(None, "sorted() of values not known at compile time", hint, UnsupportedError)
    return value.value


@function(iter, least=1, most=1)
def _iter(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    value = arguments[0]
    if is_counted(value):
        part = as_counted(lowering, value)
        return Counted(part.length, part.item, once=True)
    return TupleValue(sequence_items(lowering, value), SinglePass)


@function(next, least=1, most=2)
def _next(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """The first item: an iterator that is kept in a variable is refused, so nothing was taken from this one before."""
    value = arguments[0]
    if isinstance(value, TupleValue) and value.cls is SinglePass:
        if not value.items and len(arguments) == 1:
            lowering.refuse(None, "next() of nothing", error=ArgumentTypeError)
        return value.items[0] if value.items else arguments[1]
    if not isinstance(value, Counted) or not value.once or len(arguments) > 1:
        lowering.refuse(None, "next() of what is no iterator, or may be empty", "Index it, or write a loop.")
    some = lowering.builder("gt", value.length, index(0))
    lowering.builder.emit("check", some, exception="StopIteration", message="")
    return value.item(index(0))


@function(functools.reduce, least=2, most=3)
def _reduce(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    combine, sequence, *start = arguments
    if is_counted(sequence):
        whole = as_counted(lowering, sequence)
        return fold(lowering, whole, start[0] if start else None, lambda a, b: call(lowering, combine, [a, b], {}))
    items = [*start, *sequence_items(lowering, sequence)]
    return functools.reduce(lambda a, b: call(lowering, combine, [a, b], {}), items)


@function(set, frozenset, least=0, most=1)
def _set(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if arguments and (is_counted(arguments[0]) or isinstance(arguments[0], Yielding)):
        return set_of(lowering, arguments[0])
    return new_set(lowering, sequence_items(lowering, arguments[0]) if arguments else ())


def transposed(lowering: Lowering, rows: FrontValue) -> FrontValue:
    """``zip(*rows)``: of a list of run-time length whose items are tuples, a sequence for each place in them."""
    if not is_list(rows):
        return call_object(lowering, zip, sequence_items(lowering, rows), {})
    source = as_counted(lowering, rows)
    kind = kind_of_items(lowering, source)
    if not isinstance(kind, Tree) or holds_lists(kind):
        return call_object(lowering, zip, sequence_items(lowering, rows), {})

    def column(place_in_item: int) -> FrontValue:
        def item(k: Operand) -> FrontValue:
            return sequence_items(lowering, source.item(k))[place_in_item]

        return in_memory(lowering, Counted(source.length, item), (*place(lowering, "zip"), place_in_item))

    some = lowering.builder("gt", source.length, index(0))
    lowering.builder.emit("check", some, exception="ValueError", message="zip() of no rows has no columns to unpack")
    return TupleValue(tuple(column(k) for k in range(len(kind.children))), SinglePass)


@function(literal_unroll, least=1, most=1)
def _unrolled(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """Loops over containers are unrolled anyway."""
    return TupleValue(sequence_items(lowering, arguments[0]))


@function(itertools.product)
def _product(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    columns = [sequence_items(lowering, a) for a in arguments] * _whole(lowering, keywords.get("repeat", Static(1)))
    return _tuples(itertools.product(*columns))


@function(itertools.combinations, least=2, most=2)
def _combinations(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return _tuples(itertools.combinations(sequence_items(lowering, arguments[0]), _whole(lowering, arguments[1])))


@function(itertools.permutations, least=1, most=2)
def _permutations(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    items = sequence_items(lowering, arguments[0])
    return _tuples(itertools.permutations(items, *(_whole(lowering, a) for a in arguments[1:])))


@function(itertools.pairwise, least=1, most=1)
def _pairwise(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return _tuples(itertools.pairwise(sequence_items(lowering, arguments[0])))


@function(itertools.chain)
def _chain(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return TupleValue(tuple(v for a in arguments for v in sequence_items(lowering, a)), SinglePass)


@function(itertools.accumulate, least=1, most=2)
def _accumulate(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    items = sequence_items(lowering, arguments[0])
    add = arguments[1] if len(arguments) > 1 else Static(_plus)
    found = itertools.accumulate(items, lambda a, b: call(lowering, add, [a, b], {}))
    return TupleValue(tuple(found), SinglePass)


def _plus(a: object, b: object) -> object:
    return a + b  # type: ignore[operator]  # lowered, never called


def _tuples(rows: object) -> TupleValue:
    return TupleValue(tuple(TupleValue(tuple(row)) for row in rows), SinglePass)  # type: ignore[attr-defined]  # an iterator


def _whole(lowering: Lowering, value: FrontValue) -> int:
    if not (isinstance(value, Static) and isinstance(value.value, int)):
        lowering.refuse(None, "a number that must be known at compile time", "Write it as a literal.")
    return value.value
