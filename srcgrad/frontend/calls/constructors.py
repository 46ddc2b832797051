"""Objects made in the function: named tuples, dataclasses, classes with an ``__init__``, Numba's ``jitclass``."""

from __future__ import annotations

import collections
import copy
import dataclasses
import types
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NoReturn

import numpy as np
from numba.experimental.jitclass.base import JitClassType

from srcgrad.errors import ArgumentTypeError, UnsupportedError
from srcgrad.frontend.arrays import delayed
from srcgrad.frontend.boundary.callables import python_function
from srcgrad.frontend.boundary.objects import has_fields, python_class
from srcgrad.frontend.boundary.places import Capture
from srcgrad.frontend.calls.functions import call_python
from srcgrad.frontend.captures import from_python, record
from srcgrad.frontend.containers.items import holding, sequence_items
from srcgrad.frontend.containers.list_state import holds_lists
from srcgrad.frontend.control.merge import held, settle
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.operators import kind_of
from srcgrad.frontend.numbers.conversions import to_dtype
from srcgrad.frontend.registry import FUNCTIONS, Arguments, Keywords, call_object, function
from srcgrad.frontend.values import ArrayValue, Delayed, FrontValue, GrowingList, Static, TupleValue

Fields = dict[str, FrontValue]


def construct(
    lowering: Lowering, cls: type, arguments: Sequence[FrontValue], keywords: Mapping[str, FrontValue]
) -> FrontValue | None:
    """The result of calling a class; None for one that is not made of fields."""
    if issubclass(cls, np.generic):
        return to_dtype(lowering, arguments, cls)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        given = _matched(lowering, cls, cls._fields, arguments, keywords)
        return _made(lowering, cls, {n: given[n] if n in given else _default(lowering, cls, n) for n in cls._fields})
    init = python_init(cls)
    if dataclasses.is_dataclass(cls) and (init is None or init.__code__.co_filename == "<string>"):
        return _dataclass(lowering, cls, arguments, keywords)
    if not has_fields(cls):
        return None
    if cls is types.SimpleNamespace:
        return _made(lowering, cls, {n: held(lowering, v) for n, v in keywords.items()})
    made = _made(lowering, cls, {})
    if init is not None:
        record(lowering, Capture("__init__", cls, "__init__"), init)
        call_python(lowering, init, [made, *arguments], keywords)
    elif arguments or keywords:
        lowering.refuse(None, f"{cls.__name__}() takes no arguments", error=ArgumentTypeError)
    return made


@function(collections.namedtuple, least=2, most=2)
def _namedtuple(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """A class made in the function, of names that are known."""
    name, fields = arguments
    names = fields.value if isinstance(fields, Static) else sequence_items(lowering, fields)
    if isinstance(names, str):
        names = tuple(names.replace(",", " ").split())
    known = [n.value if isinstance(n, Static) else n for n in names] if isinstance(names, tuple) else [None]
    if not isinstance(name, Static) or keywords or not all(isinstance(n, str) for n in (name.value, *known)):
        lowering.refuse(None, "namedtuple() of names not known at compile time", "Write them as literals.")
    return Static(_named_class(name.value, tuple(known)))


@cache
def _named_class(name: str, fields: tuple[str, ...]) -> type:
    return collections.namedtuple(name, fields)


@call_object(JitClassType)
def _jitclass(lowering: Lowering, value: object, arguments: Arguments, keywords: Keywords) -> FrontValue:
    cls = python_class(value)
    assert cls is not None
    made = _made(lowering, cls, {})
    call_python(lowering, cls.__init__, [made, *arguments], keywords)  # type: ignore[misc]  # a function
    return made


def python_init(cls: type) -> types.FunctionType | None:
    init = getattr(cls, "__init__", None)
    return init if isinstance(init, types.FunctionType) else None


def _made(lowering: Lowering, cls: type, fields: Fields) -> TupleValue:
    made = TupleValue(tuple(fields.values()), cls, tuple(fields))
    holding(lowering, made, (lowering.path, lowering.builder.location, cls))
    return made


def _matched(
    lowering: Lowering,
    cls: type,
    names: Sequence[str],
    arguments: Sequence[FrontValue],
    keywords: Mapping[str, FrontValue],
    known: Sequence[str] = (),
) -> Fields:
    """The fields given, of those that take arguments by position and those also ``known`` by name."""
    given = dict(zip(names, arguments, strict=False))
    if len(arguments) > len(names) or not set(keywords) <= {*names, *known} - set(given):
        everything = ", ".join(dict.fromkeys((*names, *known)))
        lowering.refuse(None, f"{cls.__name__} has the fields {everything}", error=ArgumentTypeError)
    return {n: held(lowering, v) for n, v in (given | dict(keywords)).items()}


def _default(lowering: Lowering, cls: type, name: str) -> FrontValue:
    defaults: dict[str, object] = cls._field_defaults  # type: ignore[attr-defined]  # a named tuple's
    if name not in defaults:
        _refuse_missing(lowering, cls, name)
    return from_python(lowering, Capture(name, defaults, name), defaults[name])


def _from_factory(lowering: Lowering, factory: object) -> FrontValue:
    """A field's value from its ``default_factory``."""
    if factory in FUNCTIONS:  # list, dict
        return FUNCTIONS[factory](lowering, (), {})
    plain = python_function(factory)
    made = construct(lowering, factory, [], {}) if isinstance(factory, type) else None
    if plain is not None:
        made = call_python(lowering, plain, [], {})
    if made is None:
        lowering.refuse(None, f"the default_factory {factory!r}", "Give the field a value.", UnsupportedError)
    return made


def _refuse_missing(lowering: Lowering, cls: type, name: str) -> NoReturn:
    lowering.refuse(None, f"{cls.__name__} needs {name!r}", error=ArgumentTypeError)


def _dataclass(
    lowering: Lowering, cls: type, arguments: Sequence[FrontValue], keywords: Mapping[str, FrontValue]
) -> FrontValue:
    fields = dataclasses.fields(cls)
    taken = [f for f in fields if f.init]
    by_position = [f.name for f in taken if not f.kw_only]
    given = _matched(lowering, cls, by_position, arguments, keywords, [f.name for f in taken])
    values: Fields = {}
    for field in fields:
        if field.name in given:
            values[field.name] = given[field.name]
        elif field.default is not dataclasses.MISSING:
            values[field.name] = from_python(lowering, Capture("default", field, "default"), field.default)
        elif field.default_factory is not dataclasses.MISSING:
            values[field.name] = _from_factory(lowering, field.default_factory)
        elif field.init:
            _refuse_missing(lowering, cls, field.name)
    made = _made(lowering, cls, values)
    finish = getattr(cls, "__post_init__", None)
    if isinstance(finish, types.FunctionType):
        record(lowering, Capture("__post_init__", cls, "__post_init__"), finish)
        call_python(lowering, finish, [made], {})
    return made


@function(dataclasses.replace, least=1, most=1)
def _replace(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    value = _object(lowering, arguments[0], "replace")
    fields = dict(zip(map(str, value.keys), value.items, strict=True))
    if dataclasses.is_dataclass(value.cls):
        taken = {f.name for f in dataclasses.fields(value.cls) if f.init}
        fields = {n: v for n, v in fields.items() if n in taken}
    made = construct(lowering, value.cls, [], fields | dict(keywords))
    assert made is not None
    return made


@function(dataclasses.astuple, least=1, most=1)
def _astuple(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return TupleValue(_object(lowering, arguments[0], "astuple").items)


@function(dataclasses.asdict, least=1, most=1)
def _asdict(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    value = _object(lowering, arguments[0], "asdict")
    return holding(lowering, TupleValue(value.items, dict, value.keys), (lowering.path, lowering.builder.location))


def _object(lowering: Lowering, value: FrontValue, name: str) -> TupleValue:
    if not isinstance(value, TupleValue) or not value.keys or value.cls is dict:
        lowering.refuse(None, f"{name}() of {kind_of(value)}", "Give it an object with fields.", ArgumentTypeError)
    return value


@function(copy.copy, least=1, most=1)
def _copy(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    value = settle(lowering, arguments[0])
    if isinstance(value, TupleValue):
        made = TupleValue(value.items, value.cls, value.keys)
        return holding(lowering, made, (lowering.path, lowering.builder.location))
    return copied(lowering, value)


@function(copy.deepcopy, least=1, most=1)
def _deepcopy(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return copied(lowering, settle(lowering, arguments[0]))


def copied(lowering: Lowering, value: FrontValue) -> FrontValue:
    """The value with memory of its own."""
    if isinstance(value, ArrayValue | Delayed):
        return delayed.copy(lowering.builder, value)
    if isinstance(value, TupleValue):
        items = tuple(copied(lowering, v) for v in value.items)
        made = TupleValue(items, value.cls, value.keys)
        return holding(lowering, made, (lowering.path, lowering.builder.location))
    if isinstance(value, GrowingList) and holds_lists(value.item):
        hint = "Write [row.copy() for row in rows]."
        lowering.refuse(None, "a list of lists of run-time length is copied by copy", hint)
    if isinstance(value, GrowingList):
        return FUNCTIONS[list.copy](lowering, (value,), {})
    return value
