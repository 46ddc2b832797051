"""Attributes: of modules and objects, of containers with fields, of arrays, of numbers."""

from __future__ import annotations

import ast
import difflib
import enum
import types

import numpy as np

from srcgrad.errors import ArgumentTypeError, UnsupportedError
from srcgrad.frontend.boundary.places import Capture
from srcgrad.frontend.calls.dispatch import Method
from srcgrad.frontend.calls.functions import call_python
from srcgrad.frontend.captures import from_python, record
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.operators import kind_of
from srcgrad.frontend.numbers.parts import PARTS
from srcgrad.frontend.numbers.promotion import as_scalar
from srcgrad.frontend.registry import ARRAY_ATTRIBUTES, expression
from srcgrad.frontend.values import Bound, FrontValue, GrowingList, ScalarValue, Static, TupleValue, is_array, is_number

# Objects whose attributes never change.
CONSTANT = (str, np.dtype, np.finfo, np.iinfo, enum.Enum)


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
    if isinstance(value, GrowingList) and hasattr(list, name):
        return Bound(Static(getattr(list, name)), (value,), {})
    if isinstance(value, TupleValue):
        return _of_container(lowering, value, name)
    if isinstance(value, Static):
        return _of_object(lowering, value.value, name)
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
    if value.cls is not dict and name in value.keys:
        return value.items[value.keys.index(name)]
    found = getattr(value.cls, name, None)
    record(lowering, Capture(name, value.cls, name), found)
    if isinstance(found, property) and isinstance(found.fget, types.FunctionType):
        return call_python(lowering, found.fget, [value], {})
    if isinstance(found, types.FunctionType | types.MethodDescriptorType):
        return Bound(Static(found), (value,), {})
    lowering.refuse(None, f"{kind_of(value)} has no attribute {name!r}", error=ArgumentTypeError)


def _of_object(lowering: Lowering, value: object, name: str) -> FrontValue:
    if not hasattr(value, name):
        what = value.__name__ if isinstance(value, types.ModuleType) else type(value).__name__
        alike = difflib.get_close_matches(name, dir(value), 1)
        hint = f"Did you mean {alike[0]!r}?" if alike else ""
        lowering.refuse(None, f"{what} has no attribute {name!r}", hint, error=ArgumentTypeError)
    found = getattr(value, name)
    if isinstance(value, CONSTANT) and not isinstance(found, np.generic):
        return Static(found)
    return from_python(lowering, Capture(name, value, name), found)
