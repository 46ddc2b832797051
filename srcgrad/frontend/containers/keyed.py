"""Dicts and sets with keys of run time: objects of classes in srcgrad's own language, which ``library`` has.

A dict is a compile-time container until a key that is known only at run time is stored in it; then the whole function
is lowered again with an object in its place from the start. A set is one if a value in it is known at run time only.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from srcgrad.frontend.calls.dispatch import call, call_object
from srcgrad.frontend.containers.items import holding
from srcgrad.frontend.control.branches import branch
from srcgrad.frontend.lowering import LowerAgainError, Lowering
from srcgrad.frontend.nodes.attributes import attribute
from srcgrad.frontend.nodes.operators import binary, logical_or, number
from srcgrad.frontend.nodes.special_methods import special
from srcgrad.frontend.refusals import refusal
from srcgrad.frontend.values import FrontValue, ScalarValue, Static, TupleValue, is_number


def new_run_time_dict() -> object:
    """An empty dict for keys of run time; what stands for it is in the library."""
    raise NotImplementedError


def new_run_time_set() -> object:
    """The same of a set."""
    raise NotImplementedError


def known_key(key: FrontValue) -> FrontValue:
    """A key; of a tuple whose items are known, that tuple."""
    if isinstance(key, TupleValue) and key.cls is tuple and all(isinstance(k, Static) for k in key.items):
        return Static(tuple(k.value for k in key.items if isinstance(k, Static)))
    return key


def new_dict(lowering: Lowering, origin: object, entries: Sequence[tuple[FrontValue, FrontValue]]) -> FrontValue:
    """The dict that is made at ``origin``."""
    if origin in lowering.keyed or not all(isinstance(key, Static) for key, _ in entries):
        return filled(lowering, entries)
    known = {key.value: value for key, value in entries if isinstance(key, Static)}
    return holding(lowering, TupleValue(tuple(known.values()), dict, tuple(known)), origin)


def filled(lowering: Lowering, entries: Sequence[tuple[FrontValue, FrontValue]]) -> FrontValue:
    """A dict with keys of run time."""
    made = call_object(lowering, new_run_time_dict, [], {})
    put = special(lowering, made, "__setitem__")
    assert put is not None
    for key, value in entries:
        call(lowering, put, [key, value], {})
    return made


def takes_keys(container: TupleValue) -> bool:
    """Whether a dict could take keys of run time."""
    return container.origin is not None and all(isinstance(key, int | float | tuple) for key in container.keys)


def must_take_keys(lowering: Lowering, container: TupleValue) -> LowerAgainError:
    """The request to lower again with a dict that takes keys of run time."""
    what, hint = "a dict key that is not known at compile time", "Use strings or literals, or numbers only."
    if not takes_keys(container):
        lowering.refuse(None, what, hint)
    error = refusal(lowering.builder.location, what, hint, LowerAgainError)
    assert isinstance(error, LowerAgainError)
    error.note = lambda again: again.keyed.add(container.origin)
    return error


def entry(lowering: Lowering, container: TupleValue, key: FrontValue, default: FrontValue | None) -> FrontValue:
    """The entry of a dict whose keys are known, by a number of run time; KeyError if there is none and no default."""
    if not container.keys or not is_number(key) or not all(isinstance(k, int | float) for k in container.keys):
        raise must_take_keys(lowering, container)
    is_key = [binary(lowering, "eq", key, Static(k)) for k in container.keys]
    rest = list(zip(is_key, container.items, strict=True))
    if default is None:
        some = reduce(lambda a, b: logical_or(lowering, a, b), is_key)
        assert isinstance(some, ScalarValue)
        lowering.builder.emit("check", some.operand, exception="KeyError", message="the key is not in the dict")
        *rest, (_, default) = rest

    def among(pairs: Sequence[tuple[FrontValue, FrontValue]]) -> FrontValue:
        if not pairs:
            assert default is not None
            return default
        (here, item), *others = pairs
        return branch(lowering, number(lowering, here), lambda: item, lambda: among(others))

    return among(rest)


def is_run_time_dict(value: FrontValue) -> bool:
    """Whether it is what the library makes for one."""
    of_library = isinstance(value, TupleValue) and value.cls.__module__ == "srcgrad.library.keyed"
    return of_library and isinstance(value, TupleValue) and "held" in value.keys


def new_set(lowering: Lowering, items: Sequence[FrontValue]) -> FrontValue:
    """A set: known while compiling if its items are, and it has some."""
    known = frozenset(item.value for item in items if isinstance(item, Static))
    if items and all(isinstance(item, Static) for item in items):
        return Static(known)
    return set_of(lowering, TupleValue(tuple(items)))


def set_of(lowering: Lowering, items: FrontValue) -> FrontValue:
    """A set of what is known at run time only."""
    made = call_object(lowering, new_run_time_set, [], {})
    call(lowering, attribute(lowering, made, "update"), [items], {})
    return made
