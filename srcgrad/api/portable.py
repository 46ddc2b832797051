"""What a program was compiled for, in a form that another process can check.

A capture names an object of this process. Here it becomes a route from the user's function to the place, and its
value a description by content. What has neither is not portable, and a program that needs it is not remembered.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from operator import attrgetter
from types import CodeType, FunctionType, ModuleType

import numpy as np

from srcgrad.frontend.boundary.places import Capture
from srcgrad.frontend.boundary.structure import Choice, Leaf, Maybe, Static, Structure, Tree

Route = tuple[object, ...]


class NotPortable(Exception):  # noqa: N818  # a signal: compile as if nothing were remembered
    """Something that another process could not find or compare."""


def described(value: object) -> object:
    """A value by its content: equal in two processes only if a program may treat both alike."""
    match value:
        case bool() | int() | float() | complex() | str() | bytes() | None:
            return (type(value).__name__, repr(value))
        case np.generic():
            return (str(value.dtype), value.tobytes())
        case np.ndarray():
            return (str(value.dtype), value.ndim, value.flags.num & 0x503)  # contiguous, aligned, writeable
        case dict():
            return (named(type(value)), tuple(value))
        case list() | tuple():
            return (named(type(value)), len(value))
        case FunctionType():
            return ("function", value.__module__, value.__qualname__, code_digest(value.__code__))
        case ModuleType():
            return ("module", value.__name__)
        case property():
            return ("property", described(value.fget))
    return named(value)


def named(value: object) -> tuple[str, str, str]:
    """An object that its module and its name lead back to."""
    module = str(getattr(value, "__module__", None) or "")
    name = str(getattr(value, "__qualname__", None) or getattr(value, "__name__", ""))
    found: object = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is not value:
        raise NotPortable(repr(value))
    return ("named", module, name)


def structure_text(structure: Structure) -> str:
    """A structure in words that mean the same in every process."""
    match structure:
        case Leaf():
            return repr(structure)
        case Static(value=value):
            return f"Static({described(value)!r})"
        case Tree(cls=cls, keys=keys, children=children):
            return f"Tree({named(cls)}, {keys!r}, [{', '.join(map(structure_text, children))}])"
        case Choice() | Maybe():
            raise AssertionError("what depends on the path stays inside a program")


def code_digest(code: CodeType) -> str:
    """The same for the same source at the same lines; ``marshal`` would not do, it depends on reference counts."""
    constants = [code_digest(c) if isinstance(c, CodeType) else _constant(c) for c in code.co_consts]
    parts = (code.co_name, code.co_firstlineno, code.co_flags, code.co_argcount, code.co_kwonlyargcount)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return hashlib.sha256(repr((parts, names, constants, code.co_code, code.co_linetable)).encode()).hexdigest()


def _constant(value: object) -> str:
    return repr(sorted(map(repr, value))) if isinstance(value, frozenset) else repr(value)


def route_to(holder: object, function: FunctionType, captures: Sequence[Capture]) -> Route:
    """How to find the holder of a capture from the function, or from what another capture holds."""
    if holder is function.__globals__:
        return ("globals",)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if cell is holder:
            return ("cell", name)
    if isinstance(holder, ModuleType) and sys.modules.get(holder.__name__) is holder:
        return ("module", holder.__name__)
    if isinstance(holder, dict):
        module = sys.modules.get(str(holder.get("__name__")))
        if module is not None and vars(module) is holder:
            return ("globals of module", module.__name__)
    if isinstance(holder, type):
        return named(holder)
    for k, capture in enumerate(captures):
        value = capture.read()
        if value is holder:
            return ("value", k)
        if isinstance(value, FunctionType) and (inner := _inside(value, holder)) is not None:
            return ("inside", k, *inner)
    raise NotPortable(repr(holder))


def _inside(function: FunctionType, holder: object) -> Route | None:
    if holder is function.__globals__:
        return ("globals",)
    if holder is function.__defaults__:
        return ("defaults",)
    if holder is function.__kwdefaults__:
        return ("keyword defaults",)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if cell is holder:
            return ("cell", name)
    return None


def follow(route: Route, function: FunctionType, captures: Sequence[Capture]) -> object:
    """The holder at the end of a route; LookupError or AttributeError where it leads nowhere."""
    match route:
        case ("globals",):
            return function.__globals__
        case ("cell", name):
            assert function.__closure__ is not None
            return function.__closure__[function.__code__.co_freevars.index(str(name))]
        case ("named", module, name):
            return attrgetter(str(name))(sys.modules[str(module)])
        case ("module", name):
            return sys.modules[str(name)]
        case ("globals of module", name):
            return vars(sys.modules[str(name)])
        case ("defaults",):
            return function.__defaults__
        case ("keyword defaults",):
            return function.__kwdefaults__
        case ("value", int(k)):
            return captures[k].read()
        case ("inside", int(k), *inner):
            value = captures[k].read()
            if not isinstance(value, FunctionType):
                raise LookupError(route)
            return follow(tuple(inner), value, ())
    raise LookupError(route)
