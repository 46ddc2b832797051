"""Python's built-in functions, except those one loops over (`iteration`) and those that make numbers."""

from __future__ import annotations

import ast
import functools
import logging
import typing
import warnings
from collections.abc import Sequence

import numpy as np

from srcgrad.errors import ArgumentTypeError, UnsupportedError
from srcgrad.frontend.arrays.delayed import shape_of
from srcgrad.frontend.boundary.objects import Records
from srcgrad.frontend.calls.dispatch import call, call_object
from srcgrad.frontend.containers import growing, keyed, list_state
from srcgrad.frontend.containers.items import sequence_items
from srcgrad.frontend.containers.new_lists import copied
from srcgrad.frontend.control.branches import branch
from srcgrad.frontend.control.folds import fold
from srcgrad.frontend.control.iteration import as_counted, integer
from srcgrad.frontend.control.logic import short_circuit
from srcgrad.frontend.control.merge import held, settle
from srcgrad.frontend.control.yielding import collected, folded
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.attributes import attribute
from srcgrad.frontend.nodes.comparisons import compare_two
from srcgrad.frontend.nodes.operators import binary, logical_and, logical_or, number, truth
from srcgrad.frontend.nodes.special_methods import special
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import (
    ArrayValue,
    Bound,
    Counted,
    Delayed,
    FrontValue,
    GrowingList,
    ScalarValue,
    SliceValue,
    Static,
    TupleValue,
    Yielding,
    is_array,
    is_counted,
)
from srcgrad.ir.core import index

SILENT = (warnings.warn, warnings.simplefilter, warnings.filterwarnings, warnings.resetwarnings)
LOGGED = ("debug", "info", "warning", "error", "exception", "critical", "log")


def only(lowering: Lowering, arguments: Arguments, keywords: Keywords, name: str) -> FrontValue:
    """The argument of a function that takes one."""
    if len(arguments) != 1 or keywords:
        lowering.refuse(None, f"{name}() takes one argument", error=ArgumentTypeError)
    return arguments[0]


@function(len)
def _len(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    value = only(lowering, arguments, keywords, "len")
    method = special(lowering, value, "__len__")
    if method is not None:
        return call(lowering, method, [], {})
    if isinstance(value, TupleValue) and value.cls is Records:
        value = value.items[0]
    if isinstance(value, ArrayValue | Delayed) and value.rank > 0:
        return integer(shape_of(lowering.builder, value)[0])
    if isinstance(value, Counted):
        return integer(value.length)
    if isinstance(value, GrowingList):
        return integer(list_state.state(lowering, value)[1])
    return Static(len(sequence_items(lowering, value)))


@function(max, least=1)
def _max(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return _extreme(lowering, arguments, keywords, "max")


@function(min, least=1)
def _min(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return _extreme(lowering, arguments, keywords, "min")


def _extreme(lowering: Lowering, arguments: Arguments, keywords: Keywords, name: str) -> FrontValue:
    arguments = tuple(_loopable(lowering, collected(lowering, a) if isinstance(a, Yielding) else a) for a in arguments)
    if keywords:
        return _extreme_by(lowering, arguments, keywords, name)
    if len(arguments) == 1 and is_array(arguments[0]):
        return call_object(lowering, getattr(np, name), arguments, {})

    def better(a: FrontValue, b: FrontValue) -> FrontValue:
        return _better(lowering, name, a, b)

    if len(arguments) == 1 and isinstance(arguments[0], Counted):
        return fold(lowering, arguments[0], None, better)
    items = arguments if len(arguments) > 1 else sequence_items(lowering, arguments[0])
    if not items:
        lowering.refuse(None, f"{name}() of nothing", error=ArgumentTypeError)
    if any(is_array(v) for v in items):
        hint = f"Use np.{name}imum for arrays, element by element."
        lowering.refuse(None, f"{name}() of whole arrays", hint, ArgumentTypeError)
    return functools.reduce(better, items)


def _better(lowering: Lowering, name: str, a: FrontValue, b: FrontValue) -> FrontValue:
    """The smaller or larger of two; of tuples the first, unless the second comes before it in their order."""
    if not (isinstance(a, TupleValue) and isinstance(b, TupleValue)):
        return binary(lowering, "larger" if name == "max" else "smaller", a, b)
    replaces = number(lowering, compare_two(lowering, ast.Gt() if name == "max" else ast.Lt(), b, a))
    return branch(lowering, replaces, lambda: b, lambda: a)


def _extreme_by(lowering: Lowering, arguments: Arguments, keywords: Keywords, name: str) -> FrontValue:
    """With a ``key`` to compare by, and a ``default`` for nothing."""
    if not set(keywords) <= {"key", "default"} or (len(arguments) > 1 and "default" in keywords):
        lowering.refuse(None, f"{name}() with {', '.join(keywords)}", "Write a loop.", UnsupportedError)
    values = arguments[0] if len(arguments) == 1 else TupleValue(tuple(arguments))
    items = as_counted(lowering, values) if is_counted(values) else sequence_items(lowering, values)
    key = keywords.get("key", Static(None))

    def found() -> FrontValue:
        if isinstance(key, Static) and key.value is None:
            return _extreme(lowering, (values,), {}, name)
        return _by_key(lowering, items, key, "gt" if name == "max" else "lt")

    if "default" not in keywords:
        return found()
    if isinstance(items, Counted):
        some = ScalarValue(lowering.builder("gt", items.length, index(0)))
        return branch(lowering, some, found, lambda: keywords["default"])
    return found() if items else keywords["default"]


def _by_key(lowering: Lowering, items: Counted | Sequence[FrontValue], key: FrontValue, better: str) -> FrontValue:
    """The first item of those whose key is the largest or smallest."""

    def with_key(item: FrontValue) -> FrontValue:
        return TupleValue((item, call(lowering, key, [item], {})))

    def chosen(a: FrontValue, b: FrontValue) -> FrontValue:
        assert isinstance(a, TupleValue) and isinstance(b, TupleValue)
        replaces = number(lowering, binary(lowering, better, b.items[1], a.items[1]))
        return branch(lowering, replaces, lambda: b, lambda: a)

    if isinstance(items, Counted):
        best = fold(lowering, Counted(items.length, lambda k: with_key(items.item(k))), None, chosen)
    else:
        if not items:
            lowering.refuse(None, "the extreme of an empty sequence", error=ArgumentTypeError)
        best = functools.reduce(chosen, map(with_key, items))
    assert isinstance(best, TupleValue)
    return best.items[0]


@function(sum, least=1, most=2)
def _sum(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    start = arguments[1] if len(arguments) > 1 else keywords.get("start", Static(0))
    values = _loopable(lowering, arguments[0])
    if isinstance(values, ArrayValue | Delayed) and values.rank > 0:
        return binary(lowering, "add", start, call_object(lowering, np.sum, [values], {"axis": Static(0)}))
    if isinstance(values, Counted):
        if _is_of_arrays(lowering, values) and not is_array(start):  # 0 would have another type than what is added
            return binary(
                lowering, "add", start, fold(lowering, values, None, lambda a, b: binary(lowering, "add", a, b))
            )
        return fold(lowering, values, start, lambda a, b: binary(lowering, "add", a, b))
    if isinstance(values, Yielding):
        return folded(lowering, values, start, lambda a, b: binary(lowering, "add", a, b))
    items = sequence_items(lowering, values)
    return functools.reduce(lambda a, b: binary(lowering, "add", a, b), items, start)


def _is_of_arrays(lowering: Lowering, values: Counted) -> bool:
    with lowering.changing_nothing(), lowering.block():  # to find out what an item is
        return is_array(values.item(index(0)))


@function(any)
def _any(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return _of_truths(lowering, only(lowering, arguments, keywords, "any"), is_and=False)


@function(all)
def _all(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return _of_truths(lowering, only(lowering, arguments, keywords, "all"), is_and=True)


def _loopable(lowering: Lowering, value: FrontValue) -> FrontValue:
    return growing.counted(lowering, value) if isinstance(value, GrowingList) else value


def _of_truths(lowering: Lowering, values: FrontValue, is_and: bool) -> FrontValue:
    values = _loopable(lowering, values)
    if isinstance(values, ArrayValue | Delayed) and values.rank == 1:
        return call_object(lowering, np.all if is_and else np.any, [values], {})

    def combine(a: FrontValue, b: FrontValue) -> FrontValue:
        return short_circuit(lowering, is_and, a, lambda: truth(lowering, b))

    if isinstance(values, Counted):
        return fold(lowering, values, Static(is_and), combine)
    if isinstance(values, Yielding):
        return folded(lowering, values, Static(is_and), combine)
    join = logical_and if is_and else logical_or
    start: FrontValue = Static(is_and)
    return functools.reduce(lambda a, b: join(lowering, a, b), sequence_items(lowering, values), start)


@function(pow)
def _pow(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if len(arguments) != 2 or keywords:
        lowering.refuse(None, "pow() with other than two arguments", error=UnsupportedError)
    return binary(lowering, "pow", *arguments)


@function(divmod, least=2, most=2)
def _divmod(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    a, b = arguments
    return TupleValue((binary(lowering, "floordiv", a, b), binary(lowering, "mod", a, b)), tuple)


@function(tuple, least=0, most=1)
def _tuple(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    items = sequence_items(lowering, settle(lowering, arguments[0])) if arguments else ()
    return TupleValue(items, tuple)


@function(list, least=0, most=1)
def _list(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if arguments and isinstance(arguments[0], Yielding):
        return collected(lowering, arguments[0])
    if arguments and is_counted(arguments[0]):
        return copied(lowering, arguments[0])
    items = sequence_items(lowering, settle(lowering, arguments[0])) if arguments else ()
    return TupleValue(items, list, home=lowering.builder.ops)


@function(dict, least=0, most=1)
def _dict(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    entries: list[tuple[FrontValue, FrontValue]] = []
    if arguments:
        given = arguments[0]
        if keyed.is_run_time_dict(given) and not keywords:
            return call(lowering, attribute(lowering, given, "copy"), [], {})
        if isinstance(given, TupleValue) and given.cls is dict:
            entries += zip(map(Static, given.keys), given.items, strict=True)
        else:
            entries += [_pair(lowering, item) for item in sequence_items(lowering, given)]
    entries += [(Static(name), value) for name, value in keywords.items()]
    return keyed.new_dict(lowering, (lowering.path, lowering.builder.location, "dict"), entries)


def _pair(lowering: Lowering, item: FrontValue) -> tuple[FrontValue, FrontValue]:
    """A key and a value."""
    parts = sequence_items(lowering, item)
    if len(parts) != 2:
        hint = "Write {...}, or pass keywords."
        lowering.refuse(None, "dict() of what is no list of keys and values", hint, UnsupportedError)
    return keyed.known_key(parts[0]), parts[1]


@function(typing.cast, least=2, most=2)
def _cast(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """Says something to type checkers only."""
    return arguments[1]


@function(slice, least=1, most=3)
def _slice(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    nothing = Static(None)
    if len(arguments) == 1:
        return SliceValue(nothing, arguments[0], nothing)
    return SliceValue(arguments[0], arguments[1], arguments[2] if len(arguments) > 2 else nothing)


@function(functools.partial, least=1)
def _partial(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    fixed = tuple(held(lowering, a) for a in arguments[1:])
    return Bound(arguments[0], fixed, {k: held(lowering, v) for k, v in keywords.items()})


@function(str, least=1, most=1)
def _text(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    value = arguments[0]
    if not isinstance(value, Static):
        lowering.refuse(None, "a string made from run-time values", "Use text that is known at compile time.")
    return Static(str(value.value))


@function(warnings.warn, *(getattr(logging, name) for name in LOGGED))
def _warn(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """Computes nothing; compiled code does not warn."""
    return Static(None)


def is_silent(function: object) -> bool:
    """Whether a call would only warn or write to a log: it does nothing here, and its arguments are not computed."""
    if isinstance(getattr(function, "__self__", None), logging.Logger):
        return getattr(function, "__name__", "") in LOGGED
    return function in SILENT or any(function is getattr(logging, name) for name in LOGGED)


@function(print)
def _print(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """As a value that is called later; a call by its name is a statement of its own."""
    lowering.refuse(None, "print as a value", "Call it by its name: print(...).", UnsupportedError)
