"""Objects with fields of the user's own: plain classes, ``SimpleNamespace``, and Numba's ``jitclass``.

Inside a program a ``jitclass`` is an ordinary Python class with the same methods, its `twin`.
"""

from __future__ import annotations

import sys
from functools import cache
from types import SimpleNamespace
from typing import Any, TypeGuard

import numba.typed
import numpy as np
from numba.experimental.jitclass._box import Box
from numba.experimental.jitclass.base import JitClassType

from srcgrad.frontend.boundary.structure import RunTimeList

# Objects of their classes hold more than numbers, and have meanings that their fields do not show.
FOREIGN = frozenset({"numpy", "scipy", "numba", "pandas", "matplotlib", "torch", "jax", "sklearn", "sympy", "srcgrad"})


class Record(SimpleNamespace):
    """An element of a structured array: a number or array for each field."""


class Records(SimpleNamespace):
    """A structured array as a program sees it: an array for each field."""


HEAP_TYPE = 1 << 9  # of a class made by a class statement


def fields_of(value: object) -> dict[str, object] | None:
    """The fields of an object by name; None where it is no such object, or is called like a function."""
    if isinstance(value, Box):
        return {name: getattr(value, name) for name in value._numba_type_.class_type.struct}
    if is_structured(value):
        return {name: value[name] for name in value.dtype.names or ()}
    if not has_fields(type(value)) or callable(value):
        return None
    return dict(vars(value))


def is_structured(value: object) -> TypeGuard[np.ndarray | np.void]:
    """Whether a value is an array with named fields, or an element of one."""
    return isinstance(value, np.ndarray | np.void) and value.dtype.names is not None


def has_fields(cls: type) -> bool:
    """Whether objects of a class are no more than fields and the methods of the class."""
    if issubclass(cls, SimpleNamespace):
        return True
    package = cls.__module__.split(".")[0]
    if cls.__module__ == __name__ or cls.__module__.startswith("srcgrad.library."):
        return True
    if package in FOREIGN or package in sys.stdlib_module_names or type(cls) is not type:
        return False
    made_by_statement = bool(cls.__flags__ & HEAP_TYPE) and cls.__new__ is object.__new__
    return made_by_statement and all("__slots__" not in c.__dict__ for c in cls.__mro__)


def class_of_object(value: object) -> type:
    """The class that a program sees."""
    if is_structured(value):
        return Records if isinstance(value, np.ndarray) else Record
    for typed, plain in ((numba.typed.List, list), (numba.typed.Dict, dict), (RunTimeList, list)):
        if isinstance(value, typed):
            return plain
    return twin(value._numba_type_.class_type) if isinstance(value, Box) else type(value)


def python_class(value: object) -> type | None:
    """The Python class behind what is called to make an object."""
    if isinstance(value, JitClassType):
        return twin(value.class_type)
    return value if isinstance(value, type) else None


@cache
def twin(jitted: Any) -> type:
    """A Python class with the methods of a ``jitclass``, from Numba's type of it; ``declared`` types its fields."""
    body: dict[str, object] = dict(jitted.methods)
    body.update({name: staticmethod(f) for name, f in jitted.static_methods.items()})
    for name, parts in jitted.jit_props.items():
        functions = [parts[k].py_func if k in parts else None for k in ("get", "set")]
        body[name] = property(*functions)
    body["declared"] = dict(jitted.struct)
    return type(jitted.class_name, (), body)


def declared_types(cls: type) -> dict[str, object]:
    """The types that a ``jitclass`` gives its fields; nothing for other classes."""
    found = cls.__dict__.get("declared")
    return found if isinstance(found, dict) and cls.__module__ == __name__ else {}
