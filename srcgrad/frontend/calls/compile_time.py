"""Python functions that the compiler itself calls, on values known at compile time: shapes' ranks, axes, dtypes.

Library code uses them for what is not a computation of the program: which axes are meant, which dtype results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.calls.signatures import require_known
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.registry import FUNCTIONS, Arguments, Keywords
from srcgrad.frontend.values import FrontValue, Static, TupleValue

F = TypeVar("F", bound=Callable[..., object])


def compile_time(f: F) -> F:
    """Call ``f`` while lowering; all its arguments must be known then."""

    def handler(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
        plain = [python_value(lowering, a) for a in arguments]
        named = {k: python_value(lowering, v) for k, v in keywords.items()}
        try:
            return front_value(f(*plain, **named))
        except (TypeError, ValueError) as fault:
            lowering.refuse(None, str(fault), "See the documentation of the NumPy function.", ArgumentTypeError)

    FUNCTIONS[f] = handler
    return f


def python_value(lowering: Lowering, value: FrontValue) -> object:
    """The Python value that is known at compile time."""
    if isinstance(value, Static):
        return value.value
    if isinstance(value, TupleValue) and value.cls in (tuple, list):
        return value.cls(python_value(lowering, v) for v in value.items)
    require_known(lowering, value)
    lowering.refuse(None, "this argument must be known at compile time", "Write it as a literal.", ArgumentTypeError)


def front_value(value: object) -> FrontValue:
    """A Python value as one known at compile time; tuples item by item."""
    return TupleValue(tuple(front_value(v) for v in value)) if isinstance(value, tuple) else Static(value)


def refuse(what: str, hint: str) -> None:
    """In library code: this use of the function has no rule."""


def _refuse(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    what, hint = (str(python_value(lowering, a)) for a in arguments)
    lowering.refuse(None, what, hint)


FUNCTIONS[refuse] = _refuse


def is_known(value: object) -> bool:
    """In library code: whether a number is known while compiling."""
    return True


def _is_known(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    (value,) = arguments
    return Static(isinstance(value, Static))


FUNCTIONS[is_known] = _is_known
