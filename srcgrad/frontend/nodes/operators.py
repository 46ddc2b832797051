"""Operators on any values: numbers, arrays, and containers as Python has it."""

from __future__ import annotations

from typing import NoReturn

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.arrays.delayed import as_delayed, expression
from srcgrad.frontend.containers.list_state import state
from srcgrad.frontend.control.merge import simplified
from srcgrad.frontend.control.options import for_each_option, with_and_without
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers import scalars
from srcgrad.frontend.numbers.classes import is_pythons, may_be_pythons, several
from srcgrad.frontend.numbers.promotion import Number
from srcgrad.frontend.numbers.scalars import COMPARISONS, SIGNS
from srcgrad.frontend.registry import FUNCTIONS
from srcgrad.frontend.values import (
    ArrayValue,
    Counted,
    Delayed,
    FrontValue,
    GrowingList,
    MaybeNone,
    Message,
    OneOf,
    ScalarValue,
    SliceValue,
    Static,
    TupleValue,
    Yielding,
    is_array,
    is_number,
)

SIGNS_OF_COMPARISON = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}


def number(lowering: Lowering, value: FrontValue) -> Number:
    """A scalar; anything else is refused."""
    if isinstance(value, ScalarValue) or (isinstance(value, Static) and is_number(value)):
        return value
    lowering.refuse(None, f"expected a number, found {kind_of(value)}", error=ArgumentTypeError)


def kind_of(value: FrontValue) -> str:
    """A value in the user's words."""
    if is_number(value):
        return "a number"
    if is_array(value):
        return "an array"
    if isinstance(value, TupleValue):
        return f"a {value.cls.__name__}"
    if isinstance(value, GrowingList) or (isinstance(value, Counted) and value.origin is not None):
        return "a list of run-time length"
    if isinstance(value, Yielding):
        return "a generator"
    if isinstance(value, SliceValue):
        return "a slice"
    if isinstance(value, Message):
        return "a string made from run-time values"
    if isinstance(value, Counted):
        return "a sequence of run-time length"
    if isinstance(value, Static):
        return "None" if value.value is None else f"a {type(value.value).__name__}"
    if isinstance(value, MaybeNone):
        return f"{kind_of(value.some)} or None"
    return "one of several strings" if isinstance(value, OneOf) and value.of_strings else "a function"


def binary(lowering: Lowering, name: str, a: FrontValue, b: FrontValue) -> FrontValue:
    """``a name b``, for a name of ``scalars.ARITHMETIC`` or ``scalars.COMPARISONS``."""
    if (is_array(a) or is_array(b)) and all(is_array(v) or is_number(v) for v in (a, b)):
        return expression(lowering.builder, (a, b), lambda builder, x, y: scalars.binary(builder, name, x, y))
    if is_number(a) and is_number(b):
        _refuse_to_guess(lowering, name, number(lowering, a), number(lowering, b))
        result = scalars.binary(lowering.builder, name, number(lowering, a), number(lowering, b))
        return simplified(result) if isinstance(result, ScalarValue) else result
    if name in ("eq", "ne") and isinstance(a, MaybeNone):
        return with_and_without(lowering, a, lambda one: binary(lowering, name, one, b))
    if name in ("eq", "ne") and isinstance(b, MaybeNone):
        return with_and_without(lowering, b, lambda one: binary(lowering, name, a, one))
    if isinstance(a, TupleValue) or isinstance(b, TupleValue):
        return _of_containers(lowering, name, a, b)
    if isinstance(a, Static) and isinstance(b, Static):
        return _of_statics(lowering, name, a, b)
    if name in ("eq", "ne") and not (is_array(a) or is_array(b)):
        return Static(name == "ne")
    refuse_operands(lowering, name, a, b)


def _refuse_to_guess(lowering: Lowering, name: str, a: Number, b: Number) -> None:
    """Python's numbers raise where NumPy's become infinite: a handler has to know which of the two are divided."""
    if name not in ("div", "floordiv", "mod", "pow") or not issubclass(ZeroDivisionError, lowering.caught):
        return
    if may_be_pythons(a) and may_be_pythons(b) and several(a, b) and not (is_pythons(a) and is_pythons(b)):
        what = "a number that is Python's or NumPy's depending on the path is divided where ZeroDivisionError is caught"
        lowering.refuse(None, what, "Convert it: float(v) raises the exception, np.float64(v) does not.")


def refuse_operands(lowering: Lowering, name: str, a: FrontValue, b: FrontValue) -> NoReturn:
    sign = SIGNS.get(name) or SIGNS_OF_COMPARISON.get(name, name)
    hint = ""
    if any(isinstance(v, Counted | GrowingList) or (isinstance(v, TupleValue) and not v.keys) for v in (a, b)):
        hint = "For arithmetic on the items use an array: np.array(...) of them, np.zeros(n), np.full(n, value)."
    refused = lowering.error(None, f"{sign} between {kind_of(a)} and {kind_of(b)}", hint, ArgumentTypeError)
    refused.of_none = any(isinstance(v, Static) and v.value is None for v in (a, b))
    raise refused


def _of_statics(lowering: Lowering, name: str, a: Static, b: Static) -> FrontValue:
    """Strings, None, types: Python's own operator."""
    python = (scalars.ARITHMETIC | COMPARISONS)[name]
    try:
        return Static(python(a.value, b.value))
    except TypeError:
        refuse_operands(lowering, name, a, b)


def _of_containers(lowering: Lowering, name: str, a: FrontValue, b: FrontValue) -> FrontValue:
    if isinstance(a, TupleValue) and isinstance(b, TupleValue):
        if name == "add" and a.cls is b.cls and not a.keys:
            return TupleValue((*a.items, *b.items), a.cls, (), lowering.builder.ops)
        if name in ("eq", "ne"):
            equal = equal_items(lowering, a, b)
            return equal if name == "eq" else invert(lowering, equal)
    if name == "mul":
        sequence, times = (a, b) if isinstance(a, TupleValue) else (b, a)
        if isinstance(times, Static) and isinstance(times.value, int) and isinstance(sequence, TupleValue):
            return TupleValue(sequence.items * times.value, sequence.cls, (), lowering.builder.ops)
    if name in ("eq", "ne"):
        return Static(name == "ne")
    refuse_operands(lowering, name, a, b)


def equal_items(lowering: Lowering, a: TupleValue, b: TupleValue) -> FrontValue:
    if len(a.items) != len(b.items) or a.cls is not b.cls:
        return Static(False)
    result: FrontValue = Static(True)
    for x, y in zip(a.items, b.items, strict=True):
        result = logical_and(lowering, result, binary(lowering, "eq", x, y))
    return result


def logical_and(lowering: Lowering, a: FrontValue, b: FrontValue) -> FrontValue:
    """Both, where both are already computed."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Static):
            return truth(lowering, other) if one.value else Static(False)
    x, y = truth(lowering, a), truth(lowering, b)
    assert isinstance(x, ScalarValue) and isinstance(y, ScalarValue)
    return ScalarValue(lowering.builder("and_", x.operand, y.operand), weak=True)


def logical_or(lowering: Lowering, a: FrontValue, b: FrontValue) -> FrontValue:
    """Either, where both are already computed."""
    return invert(lowering, logical_and(lowering, invert(lowering, a), invert(lowering, b)))


def truth_of_object(value: object) -> bool:
    """What the methods of an object's class say of its truth (``special_methods``)."""
    raise AssertionError("lowered by its handler")


def unary(lowering: Lowering, name: str, a: FrontValue) -> FrontValue:
    """``neg``, ``invert`` or ``abs``."""
    if is_array(a):
        return expression(lowering.builder, (a,), lambda builder, x: scalars.unary(builder, name, x))
    return scalars.unary(lowering.builder, name, number(lowering, a))


def invert(lowering: Lowering, a: FrontValue) -> Number:
    """``not a``."""
    return scalars.negation(lowering.builder, truth(lowering, a))


def truth(lowering: Lowering, a: FrontValue) -> Number:
    """``bool(a)``: Static, or a scalar of dtype bool."""
    if is_number(a):
        return scalars.truth(lowering.builder, number(lowering, a))
    if isinstance(a, MaybeNone):
        return truth(lowering, logical_and(lowering, ScalarValue(a.given), a.some))
    if isinstance(a, OneOf):
        return number(lowering, for_each_option(lowering, a, lambda option: truth(lowering, option)))
    if isinstance(a, TupleValue) and a.cls not in (tuple, list, dict):
        return number(lowering, FUNCTIONS[truth_of_object](lowering, (a,), {}))
    if isinstance(a, TupleValue):
        return Static(bool(a.items))
    if isinstance(a, GrowingList | Counted):
        length = state(lowering, a)[1] if isinstance(a, GrowingList) else a.length
        return scalars.truth(lowering.builder, ScalarValue(length, weak=True))
    if isinstance(a, Static):
        return Static(bool(a.value))
    if isinstance(a, ArrayValue | Delayed):
        if a.rank == 0:
            only = as_delayed(lowering.builder, a).element(lowering.builder, ())
            return scalars.truth(lowering.builder, ScalarValue(only))
        lowering.refuse(
            None, "the truth of an array is ambiguous", "Use a.any() or a.all(), or compare a.size.", ArgumentTypeError
        )
    return Static(True)
