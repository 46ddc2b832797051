"""Python's questions about types and attributes, answered while compiling: ``isinstance``, ``type``, ``hasattr``."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable

import numpy as np

from srcgrad.errors import ArgumentTypeError, Error, UnsupportedError
from srcgrad.frontend.calls.builtin_functions import only
from srcgrad.frontend.containers.items import sequence_items
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.attributes import attribute
from srcgrad.frontend.nodes.operators import kind_of
from srcgrad.frontend.numbers.classes import classes_of
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import (
    ArrayValue,
    Bound,
    Closure,
    Counted,
    Delayed,
    FrontValue,
    GrowingList,
    ScalarValue,
    SliceValue,
    Static,
    TupleValue,
    is_number,
)


@function(isinstance, least=2, most=2)
def _isinstance(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    value, wanted = arguments
    classes = sequence_items(lowering, wanted) if isinstance(wanted, TupleValue) else (wanted,)
    if not all(isinstance(c, Static) and isinstance(c.value, type | types.UnionType) for c in classes):
        lowering.refuse(None, "isinstance() takes classes", error=ArgumentTypeError)
    known = tuple(c.value for c in classes if isinstance(c, Static))
    return Static(_agreed(lowering, value, lambda found: issubclass(found, known)))  # type: ignore[arg-type]  # classes


@function(type)
def _type(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return Static(class_of(lowering, only(lowering, arguments, keywords, "type")))


def _agreed(lowering: Lowering, value: FrontValue, ask: Callable[[type], object]) -> bool:
    """What is true of the class of a value, or of all the classes that it may have."""
    classes = classes_of(value) if isinstance(value, ScalarValue) else (class_of(lowering, value),)
    answers = {bool(ask(cls)) for cls in classes}
    if len(answers) > 1:
        raise _of_several_classes(lowering, classes)
    return answers.pop()


def _of_several_classes(lowering: Lowering, classes: Iterable[type]) -> Error:
    names = " or ".join(sorted(cls.__name__ for cls in classes))
    hint = "Give it the same class on every path: 1.0 instead of 1, float(v) instead of v."
    return lowering.error(None, f"the class of a number is asked for that is {names} depending on the path", hint)


def class_of(lowering: Lowering, value: FrontValue) -> type:
    """The class that Python would see."""
    match value:
        case ScalarValue(classes=several) if several:
            raise _of_several_classes(lowering, several)
        case ScalarValue():
            return next(iter(classes_of(value)))
        case ArrayValue() | Delayed():
            return np.ndarray
        case TupleValue():
            return value.cls
        case SliceValue():
            return slice
        case Static():
            return type(value.value)
        case Closure():
            return type(class_of)
        case GrowingList():
            return list
        case Counted(memory=memory) if memory is not None:
            return list
    lowering.refuse(None, f"the class of {kind_of(value)}", error=UnsupportedError)


@function(issubclass, least=2, most=2)
def _issubclass(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    inner, outer = arguments
    classes = sequence_items(lowering, outer) if isinstance(outer, TupleValue) else (outer,)
    known = [v.value for v in (inner, *classes) if isinstance(v, Static) and isinstance(v.value, type)]
    if len(known) < 1 + len(classes):
        lowering.refuse(None, "issubclass() takes classes", error=ArgumentTypeError)
    return Static(issubclass(known[0], tuple(known[1:])))


@function(np.isscalar)
def _isscalar(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    value = only(lowering, arguments, keywords, "isscalar")
    return Static(is_number(value) or (isinstance(value, Static) and bool(np.isscalar(value.value))))


@function(callable)
def _callable(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    value = only(lowering, arguments, keywords, "callable")
    if isinstance(value, TupleValue):
        return Static("__call__" in dir(value.cls))
    return Static(callable(value.value) if isinstance(value, Static) else isinstance(value, Closure | Bound))


@function(getattr, least=2, most=3)
def _getattr(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    name = _name(lowering, arguments[1], "getattr")
    if len(arguments) == 3 and not _has(lowering, arguments[0], name):
        return arguments[2]
    return attribute(lowering, arguments[0], name)


@function(hasattr, least=2, most=2)
def _hasattr(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return Static(_has(lowering, arguments[0], _name(lowering, arguments[1], "hasattr")))


def _name(lowering: Lowering, value: FrontValue, function_name: str) -> str:
    if not (isinstance(value, Static) and isinstance(value.value, str)):
        lowering.refuse(None, f"{function_name}() with a name not known at compile time", error=UnsupportedError)
    return value.value


def _has(lowering: Lowering, value: FrontValue, name: str) -> bool:
    """Whether Python would find the attribute."""
    if isinstance(value, Static) and not isinstance(value.value, bool | int | float | complex):
        found = hasattr(value.value, name)
        if found:
            attribute(lowering, value, name)  # recorded, so that another value is noticed
        return found
    if isinstance(value, TupleValue) and value.cls is not dict and name in value.keys:
        return True
    return _agreed(lowering, value, lambda cls: hasattr(cls, name))
