"""Operators on objects whose class defines them: ``a + b`` as ``a.__add__(b)`` or ``b.__radd__(a)``."""

from __future__ import annotations

from types import FunctionType

from srcgrad.frontend.boundary.objects import class_of_object
from srcgrad.frontend.boundary.places import Capture
from srcgrad.frontend.calls.dispatch import call
from srcgrad.frontend.captures import record
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.attributes import in_class
from srcgrad.frontend.nodes.operators import truth, truth_of_object
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import Bound, FrontValue, SinglePass, Static, TupleValue

# The method for an operator of ``operators.binary``, where its name is another.
METHODS = {"div": "truediv", "bit_and": "and", "bit_or": "or", "bit_xor": "xor"}
REFLECTED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


def by_method(lowering: Lowering, name: str, a: FrontValue, b: FrontValue) -> FrontValue | None:
    """``a name b`` where one of the two is an object that has a method for it; None where neither has."""
    method = METHODS.get(name, name)
    reflected = REFLECTED.get(name, f"r{method}")
    for value, other, called in ((a, b, method), (b, a, reflected)):
        bound = special(lowering, value, f"__{called}__")
        if bound is None:
            continue
        result = call(lowering, bound, [other], {})
        if not (isinstance(result, Static) and result.value is NotImplemented):
            return result
    return None


@function(truth_of_object, least=1, most=1)
def _truth(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """By ``__bool__`` or ``__len__``; an object of a class that has neither is true."""
    (value,) = arguments
    for name in ("__bool__", "__len__"):
        method = special(lowering, value, name)
        if method is not None:
            return truth(lowering, call(lowering, method, [], {}))
    return Static(not isinstance(value, TupleValue) or value.cls is not SinglePass or bool(value.items))


def iterated(lowering: Lowering, value: FrontValue) -> FrontValue:
    """What one loops over: of an object whose class has an ``__iter__``, what that gives."""
    method = special(lowering, value, "__iter__")
    return value if method is None else call(lowering, method, [], {})


def special(lowering: Lowering, value: FrontValue, name: str) -> Bound | None:
    """A method that Python itself calls, if the object's class has one written in Python."""
    if isinstance(value, TupleValue):
        cls = value.cls
    elif isinstance(value, Static) and not isinstance(value.value, type):
        cls = class_of_object(value.value)
    else:
        return None
    holder, found = in_class(cls, name)
    if not isinstance(found, FunctionType) or found.__code__.co_filename == "<string>":  # a dataclass's
        return None
    record(lowering, Capture(name, holder, name), found)
    return Bound(Static(found), (value,), {})
