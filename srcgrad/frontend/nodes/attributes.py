"""Attributes: of modules and objects, of containers with fields, of arrays, of numbers."""

from __future__ import annotations

import ast
import dataclasses
import difflib
import enum
import functools
import types

import numba
import numpy as np
from numba.experimental.jitclass._box import Box
from numba.experimental.jitclass.base import JitClassType

from srcgrad.errors import ArgumentTypeError, UnsupportedError
from srcgrad.frontend.boundary.callables import python_function
from srcgrad.frontend.boundary.objects import Records, class_of_object, declared_types, python_class
from srcgrad.frontend.boundary.places import Capture
from srcgrad.frontend.calls.dispatch import Method
from srcgrad.frontend.calls.functions import call_python
from srcgrad.frontend.captures import from_python, record
from srcgrad.frontend.containers.items import change
from srcgrad.frontend.control.merge import held
from srcgrad.frontend.control.options import for_each_option
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.operators import kind_of
from srcgrad.frontend.numbers.classes import NATURAL
from srcgrad.frontend.numbers.conversions import converted_to, dtype_argument
from srcgrad.frontend.numbers.parts import PARTS
from srcgrad.frontend.numbers.promotion import as_scalar
from srcgrad.frontend.registry import ARRAY_ATTRIBUTES, Arguments, Keywords, expression, function
from srcgrad.frontend.scope import Scope
from srcgrad.frontend.values import (
    Bound,
    FrontValue,
    OneOf,
    ScalarValue,
    Static,
    TupleValue,
    is_array,
    is_list,
    is_number,
    is_record,
)

# Objects whose attributes never change.
CONSTANT = (str, np.dtype, np.finfo, np.iinfo, enum.Enum)

# Methods of named tuples that do what functions for dataclasses do.
NAMED_TUPLE = {"_replace": dataclasses.replace, "_asdict": dataclasses.asdict}


@expression(ast.Attribute)
def _attribute(lowering: Lowering, node: ast.Attribute) -> FrontValue:
    return attribute(lowering, lowering.evaluate(node.value), node.attr)


def attribute(lowering: Lowering, value: FrontValue, name: str) -> FrontValue:
    """``value.name``."""
    if is_array(value):
        if name in ARRAY_ATTRIBUTES:
            return ARRAY_ATTRIBUTES[name](lowering, value)
        if not callable(getattr(np.ndarray, name, None)):
            lowering.refuse(None, f"the array attribute {name!r} has no rule", error=UnsupportedError)
        return Bound(Static(Method(name)), (value,), {})
    if isinstance(value, Static) and isinstance(value.value, enum.Enum):  # of an IntEnum it is a number, too
        return _of_object(lowering, value.value, name)
    if is_number(value):
        return _of_number(lowering, value, name)
    if is_list(value) and hasattr(list, name):
        return Bound(Static(getattr(list, name)), (value,), {})
    if isinstance(value, TupleValue):
        return _of_container(lowering, value, name)
    if isinstance(value, Static):
        return _of_object(lowering, value.value, name)
    if isinstance(value, OneOf) and value.of_strings:
        return for_each_option(lowering, value, lambda option: attribute(lowering, option, name))
    lowering.refuse(None, f"{kind_of(value)} has no attribute {name!r} here", error=UnsupportedError)


def _of_number(lowering: Lowering, value: FrontValue, name: str) -> FrontValue:
    assert isinstance(value, ScalarValue | Static)
    scalar = as_scalar(value)
    match name:
        case "real" | "imag":
            return PARTS[name](lowering.builder, value)
        case "dtype":
            return Static(scalar.dtype.numpy)
        case "shape":
            return TupleValue((), tuple)
        case "ndim":
            return Static(0)
        case "size":
            return Static(1)
        case "T":
            return value
    if callable(getattr(scalar.dtype.numpy.type, name, None)):
        return Bound(Static(Method(name)), (value,), {})
    lowering.refuse(None, f"a number has no attribute {name!r}", error=ArgumentTypeError)


def _of_container(lowering: Lowering, value: TupleValue, name: str) -> FrontValue:
    """A field, or what Python finds in the class: a property, a method, a constant."""
    if value.cls is Records and name in ("shape", "size", "ndim") and name not in value.keys:
        return attribute(lowering, value.items[0], name)
    holder, found = in_class(value.cls, name)
    if holder is not None and (name not in value.keys or isinstance(found, property)):
        record(lowering, Capture(name, holder, name), getattr(holder, name))
    if isinstance(found, property):
        return _of_property(lowering, value, name, found)
    if value.cls is not dict and name in value.keys:
        return value.items[value.keys.index(name)]
    if isinstance(found, functools.cached_property):
        computed = _of_property(lowering, value, name, property(found.func))
        if value.mutable:  # else it is the same each time
            store_field(lowering, value, name, computed)
        return computed
    if issubclass(value.cls, tuple) and name in NAMED_TUPLE:
        return Bound(Static(NAMED_TUPLE[name]), (value,), {})
    if holder is None:
        alike = difflib.get_close_matches(name, [*map(str, value.keys), *dir(value.cls)], 1)
        hint = f"Did you mean {alike[0]!r}?" if alike else ""
        lowering.refuse(None, f"{kind_of(value)} has no attribute {name!r}", hint, error=ArgumentTypeError)
    return bound_to(lowering, value, Capture(name, holder, name), found)


def in_class(cls: type, name: str, behind: type | None = None) -> tuple[type | None, object]:
    """The class in which an attribute is found, and what it is there; only classes ``behind`` one if that is given."""
    order = cls.__mro__ if behind is None else cls.__mro__[cls.__mro__.index(behind) + 1 :]
    return next(((c, c.__dict__[name]) for c in order if name in c.__dict__), (None, None))


def bound_to(lowering: Lowering, value: FrontValue, capture: Capture, found: object) -> FrontValue:
    """What an attribute of a class is for an object of it: a method is bound, anything else is what it is."""
    if isinstance(found, staticmethod):
        return Static(found.__func__)
    if isinstance(found, classmethod):
        assert isinstance(value, TupleValue | Static)
        cls = value.cls if isinstance(value, TupleValue) else class_of_object(value.value)
        return Bound(Static(found.__func__), (Static(cls),), {})
    if callable(found) and hasattr(type(found), "__get__"):  # a function, one of Numba, a derivative
        return Bound(Static(found), (value,), {})
    return from_python(lowering, capture, found)


def _of_property(lowering: Lowering, value: FrontValue, name: str, found: property) -> FrontValue:
    getter = python_function(found.fget)
    if getter is None:
        lowering.refuse(None, f"the property {name!r} has no source", error=UnsupportedError)
    return call_python(lowering, getter, [value], {})


@dataclasses.dataclass(frozen=True)
class Super:
    """``super()``: an object whose attributes are looked up in the classes behind one of its own."""

    behind: type
    value: FrontValue

    def attribute(self, lowering: Lowering, name: str) -> FrontValue:
        cls = self.value.cls if isinstance(self.value, TupleValue) else class_of_object(self.value.value)  # type: ignore[union-attr]  # Static
        holder, found = in_class(cls, name, self.behind)
        if holder is not None:
            record(lowering, Capture(name, holder, name), getattr(holder, name))
        if isinstance(found, property):
            return _of_property(lowering, self.value, name, found)
        if holder is object and name == "__init__":
            return Bound(Static(_nothing), (self.value,), {})
        if holder is None:
            lowering.refuse(None, f"super() has no attribute {name!r}", error=ArgumentTypeError)
        return bound_to(lowering, self.value, Capture(name, holder, name), found)


def _nothing(self: object) -> None:
    """The ``__init__`` of ``object``."""


@function(super, least=0, most=2)
def _super(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if len(arguments) == 2:
        cls, value = arguments
    else:
        scope: Scope | None = lowering.scope
        while scope is not None and "__class__" not in scope.cells:
            scope = scope.parent
        first = next(iter(scope.names.values()), None) if scope is not None else None
        if scope is None or not isinstance(first, TupleValue | Static):
            lowering.refuse(None, "super() outside a method", error=ArgumentTypeError)
        cls, value = Static(scope.cells["__class__"].cell_contents), first
    if not (isinstance(cls, Static) and isinstance(cls.value, type) and isinstance(value, TupleValue | Static)):
        lowering.refuse(None, "super() takes a class and an object of it", error=ArgumentTypeError)
    return Static(Super(cls.value, value))


def _of_object(lowering: Lowering, value: object, name: str) -> FrontValue:
    if isinstance(value, Super):
        return value.attribute(lowering, name)
    if isinstance(value, Box | JitClassType):
        cls = python_class(value) or class_of_object(value)
        holder, found = in_class(cls, name)
        if isinstance(found, property):
            return _of_property(lowering, Static(value), name, found)
        if holder is not None:
            return bound_to(lowering, Static(value), Capture(name, holder, name), found)
    if not hasattr(value, name):
        what = value.__name__ if isinstance(value, types.ModuleType) else type(value).__name__
        alike = difflib.get_close_matches(name, dir(value), 1)
        hint = f"Did you mean {alike[0]!r}?" if alike else ""
        lowering.refuse(None, f"{what} has no attribute {name!r}", hint, error=ArgumentTypeError)
    found = getattr(value, name)
    if isinstance(value, CONSTANT) and not isinstance(found, np.generic):
        return Static(found)
    return from_python(lowering, Capture(name, value, name), found)


def assign_attribute(lowering: Lowering, target: FrontValue, name: str, value: FrontValue) -> None:
    """``target.name = value``."""
    if not isinstance(target, TupleValue):
        where = " from outside" if isinstance(target, Static) else ""
        hint = "Pass the object as an argument, or return the new value." if where else "Keep the value in a variable."
        lowering.refuse(None, f"an attribute is assigned to, of {kind_of(target)}{where}", hint, UnsupportedError)
    _, found = in_class(target.cls, name)
    if isinstance(found, property):
        setter = python_function(found.fset)
        if setter is None:
            lowering.refuse(None, f"the property {name!r} cannot be assigned to", error=ArgumentTypeError)
        call_python(lowering, setter, [target, value], {})
        return
    _, own = in_class(target.cls, "__setattr__")
    if not is_record(target.cls) or isinstance(own, types.FunctionType):
        hint = "Make a new object: dataclasses.replace(p, x=...), p._replace(x=...)."
        lowering.refuse(None, f"a field of {kind_of(target)} cannot be assigned to", hint, ArgumentTypeError)
    store_field(lowering, target, name, value)


@function(object.__setattr__, least=3, most=3)
def _set_attribute(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """As the ``__post_init__`` of a frozen dataclass does it."""
    target, name, value = arguments
    if not isinstance(target, TupleValue) or not (isinstance(name, Static) and isinstance(name.value, str)):
        lowering.refuse(None, "object.__setattr__() takes an object and a name", error=ArgumentTypeError)
    store_field(lowering, target, name.value, value)
    return Static(None)


def store_field(lowering: Lowering, target: TupleValue, name: str, value: FrontValue) -> None:
    """Give a field a value; a field of a ``jitclass`` has a type of its own."""
    declared = declared_types(target.cls)
    value = held(lowering, value)
    if declared and name not in declared:
        lowering.refuse(None, f"{target.cls.__name__} has no field {name!r}", error=ArgumentTypeError)
    if declared and is_number(value) and isinstance(declared[name], numba.types.Number | numba.types.Boolean):
        dtype = dtype_argument(lowering, Static(declared[name]))
        value = converted_to(lowering, value, dtype, weak=dtype in NATURAL.values())
    fields = dict(zip(target.keys, target.items, strict=True)) | {name: value}
    change(lowering, target, tuple(fields.values()), tuple(fields))
