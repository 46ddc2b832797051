"""Python values found outside the lowered functions, as front-end values.

Numbers, strings, functions and modules become compile-time constants and are recorded; arrays become hidden
arguments, never frozen copies.
"""

from __future__ import annotations

import builtins
import types
from dataclasses import replace

import numpy as np

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.boundary.generators import FIELDS, memory_of
from srcgrad.frontend.boundary.objects import class_of_object, is_structured
from srcgrad.frontend.boundary.places import Capture, key_of
from srcgrad.frontend.boundary.pytree import describe
from srcgrad.frontend.boundary.structure import Leaf
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.values import ArrayValue, FrontValue, ScalarValue, Static, TupleValue
from srcgrad.ir.core import Const, Value, constant
from srcgrad.ir.types import dtype_of

LONGEST = 1000  # items of a container outside: each is a compile-time value of its own
# Attributes of these modules do not change while a program runs.
FIXED_MODULES = ("numpy", "math", "cmath", "scipy", "numba", "operator", "functools", "itertools", "builtins", "typing")


def from_python(lowering: Lowering, capture: Capture, value: object) -> FrontValue:
    """The front-end value of a Python value found at ``capture``."""
    if is_structured(value):
        return _structured(lowering, capture, value)
    if isinstance(value, np.ndarray):
        return hidden_array(lowering, capture, value)
    record(lowering, capture, value)
    if isinstance(value, np.random.Generator):
        fields = zip(FIELDS, memory_of(value), strict=True)
        words = [hidden_array(lowering, Capture(f"{capture.name}_{name}", value, name), w) for name, w in fields]
        return TupleValue(tuple(words), np.random.Generator, FIELDS)
    if isinstance(value, np.generic):
        dtype = dtype_of(value.dtype)
        if dtype is None:
            lowering.refuse(None, f"{capture.name!r} is a NumPy scalar of dtype {value.dtype}", error=ArgumentTypeError)
        return ScalarValue(constant(value.item(), dtype), weak=False)
    if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**63:
        lowering.refuse(None, f"{capture.name!r} is {value}, which does not fit in 64 bits", "Use a float.")
    if isinstance(value, set):
        return Static(frozenset(value))
    container = parts(value)
    if container is None:
        return Static(value)
    keys, items = container
    if len(items) > LONGEST:
        hint = "Make it an array."
        lowering.refuse(None, f"{capture.name!r} is a {type(value).__name__} of {len(items)} items", hint)
    holders = [Capture(f"{capture.name}[{k!r}]", value, key) for k, key in enumerate(keys or range(len(items)))]
    children = tuple(from_python(lowering, h, item) for h, item in zip(holders, items, strict=True))
    whole = TupleValue(children, type(value), keys, home=None)
    whole.found = capture
    return whole


def table_of(lowering: Lowering, container: TupleValue) -> ArrayValue | None:
    """A list or tuple of numbers of one class, found outside, as the array of them; None for others."""
    capture = container.found
    if not isinstance(capture, Capture) or not issubclass(container.cls, list | tuple):
        return None
    there = parts(capture.read())
    if there is None or [_number(x) for x in container.items] != list(there[1]):
        return None
    classes = {type(x) for x in there[1]}
    if classes not in ({int}, {float}, {np.float64}, {np.float32}):
        return None
    table = replace(capture, as_array=True)
    array = table.read()
    assert isinstance(array, np.ndarray)
    return hidden_array(lowering, table, array)


def _number(item: FrontValue) -> object:
    """What is known of an item while compiling."""
    if isinstance(item, ScalarValue):
        return item.operand.value if isinstance(item.operand, Const) else None
    return item.value if isinstance(item, Static) else None


def _structured(lowering: Lowering, capture: Capture, value: np.ndarray | np.void) -> FrontValue:
    """A structured array, field by field; another array in its place is noticed."""
    record(lowering, capture, value)
    names = value.dtype.names or ()
    items = [from_python(lowering, Capture(f"{capture.name}_{n}", value, n), value[n]) for n in names]
    return TupleValue(tuple(items), class_of_object(value), names)


def parts(value: object) -> tuple[tuple[object, ...], tuple[object, ...]] | None:
    """The keys and items of a container; None for anything else (an object's attributes are read one by one)."""
    if isinstance(value, dict):
        return tuple(value), tuple(value.values())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return tuple(value._fields), tuple(value)
    if isinstance(value, tuple | list):
        return (), tuple(value)
    return None


def record(lowering: Lowering, capture: Capture, value: object) -> None:
    """Remember what the program was specialised for."""
    module = capture.holder.__name__ if isinstance(capture.holder, types.ModuleType) else ""
    if module.split(".")[0] in FIXED_MODULES or capture.holder is builtins:
        return
    lowering.captured.setdefault(capture.place, (capture, key_of(value)))


def hidden_array(lowering: Lowering, capture: Capture, array: np.ndarray) -> ArrayValue:
    """The hidden argument for an array found outside; one for each place."""
    for known, ref in lowering.hidden:
        if known.place == capture.place:
            return ArrayValue(ref)
    leaf = describe(array, f"{capture.name!r}")
    assert isinstance(leaf, Leaf)
    ref = Value(leaf.type, capture.name if capture.name.isidentifier() else "")
    lowering.builder.add_argument(ref)
    lowering.hidden.append((capture, ref))
    return ArrayValue(ref)
