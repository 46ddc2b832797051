"""Which of Python's classes a number has: more than one, where that depends on the path taken.

::

    v = 1 if c else x        # one number in the program, a float; in Python an int or a float
    isinstance(v, int)       # no answer while compiling
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

from srcgrad.frontend.numbers.promotion import Number
from srcgrad.frontend.values import ScalarValue, Static
from srcgrad.ir.types import BOOL, C128, F64, I64

NATURAL = {bool: BOOL, int: I64, float: F64, complex: C128}
PYTHON_TYPES = {dtype: python for python, dtype in NATURAL.items()}
CHOOSING = ("larger", "smaller", "max", "min")  # the result is one of the operands


def classes_of(value: Number) -> frozenset[type]:
    """The classes that Python may see."""
    if isinstance(value, Static):
        return frozenset({type(value.value)})
    if value.classes:
        return value.classes
    return frozenset({PYTHON_TYPES[value.dtype] if value.weak else value.dtype.numpy.type})


def several(*values: Number) -> frozenset[type]:
    """The classes of what is one of these numbers, if they are more than one: as a ``ScalarValue`` notes them."""
    classes = frozenset[type]().union(*map(classes_of, values))
    return classes if len(classes) > 1 else frozenset()


def is_pythons(value: Number) -> bool:
    """Whether it is one of Python's own numbers on every path."""
    return classes_of(value) <= NATURAL.keys()


def may_be_pythons(value: Number) -> bool:
    """Whether it is one of Python's own numbers on some path."""
    return not classes_of(value).isdisjoint(NATURAL)


def noted(result: Number, name: str, operator: Callable[..., object], *operands: Number) -> Number:
    """The result of an operator on numbers, with the classes that it may have."""
    if isinstance(result, Static):
        return result
    if name in CHOOSING:
        return replace(result, classes=several(*operands))
    if not any(isinstance(v, ScalarValue) and v.classes for v in operands):
        return result
    made = {type(operator(*(cls(1) for cls in classes))) for classes in product(*map(classes_of, operands))}
    return replace(result, classes=frozenset(made) if len(made) > 1 else frozenset())
