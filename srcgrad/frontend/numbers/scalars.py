"""Operators and elementary functions on scalars, with Python's exceptions.

Between weak scalars Python's own rules hold (division by zero raises), otherwise NumPy's. Static numbers are
folded with Python's own operators. Everything here needs a builder only, so that it also makes the elements
of array expressions.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.numbers.classes import noted
from srcgrad.frontend.numbers.parts import conjugate, exponential_less_one, modulus
from srcgrad.frontend.numbers.powers import power
from srcgrad.frontend.numbers.promotion import (
    PARTS,
    Number,
    as_scalar,
    cast,
    check_nonzero,
    converted,
    known_nonnegative,
    promoted,
)
from srcgrad.frontend.refusals import refuse
from srcgrad.frontend.values import ScalarValue, Static
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Operand, constant, index
from srcgrad.ir.types import BOOL, F32, F64, I16, I64, U16, DType

COMPARISONS = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}
COMPARISONS |= {"eq": operator.eq, "ne": operator.ne}
ARITHMETIC: dict[str, Callable[..., object]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "bit_and": operator.and_,
    "bit_or": operator.or_,
    "bit_xor": operator.xor,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
    "max": lambda a, b: b if b > a or b != b else a,
    "min": lambda a, b: b if b < a or b != b else a,
    "larger": lambda a, b: b if b > a else a,
    "smaller": lambda a, b: b if b < a else a,
}
# Python's own max and min, and what they are of numbers that are never NaN.
IN_ORDER = {"larger": "max", "smaller": "min"}
UNARY: dict[str, Callable[..., object]] = {"neg": operator.neg, "invert": operator.invert, "abs": abs}
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "pow": "**"}
SIGNS |= {"bit_and": "&", "bit_or": "|", "bit_xor": "^", "lshift": "<<", "rshift": ">>"}
# Elementary functions that NumPy has for complex numbers.
OF_COMPLEX = {"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "square", "reciprocal", "sqrt", "conj"}
OF_COMPLEX |= {"sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh"}
OF_COMPLEX |= {"arctanh", "isnan", "isinf", "isfinite", "stop"}
# Primitives that give integers for integers; all other elementary functions give floats.
KEEPS_INTEGERS = {"abs", "conj", "sign", "max", "min", "floor", "ceil", "trunc", "neg"}


def binary(builder: Builder, name: str, a: Number, b: Number) -> Number:
    """``a name b`` for a name of ARITHMETIC or COMPARISONS."""
    folded = _folded(builder, name, a, b)
    if folded is not None:
        return folded
    if name in COMPARISONS:
        return compare(builder, name, a, b)
    if name == "pow":
        result: Number = power(builder, a, b)
    elif name in ("bit_and", "bit_or", "bit_xor", "lshift", "rshift"):
        result = _bitwise(builder, name, a, b)
    else:
        result = _arithmetic(builder, name, a, b)
    return noted(result, name, ARITHMETIC[name], a, b)


def _folded(builder: Builder, name: str, *operands: Number) -> Static | None:
    """The result of Python's own operator on static numbers; None where it is not known or raises."""
    values = [v.value for v in operands if isinstance(v, Static)]
    if len(values) < len(operands):
        return None
    try:
        result = (ARITHMETIC | COMPARISONS | UNARY)[name](*values)
    except (ArithmeticError, TypeError, ValueError):
        return None
    if isinstance(result, int) and not -(2**63) <= result < 2**63:
        raise refuse(builder, f"{result:.4g} does not fit in 64 bits", "Use floats.")
    return Static(result)


def compare(builder: Builder, name: str, a: Number, b: Number) -> ScalarValue:
    dtype, weak = promoted((a, b))
    if dtype.kind == "c" and name not in ("eq", "ne"):
        raise refuse(builder, "complex numbers have no order", PARTS)
    return ScalarValue(builder(name, converted(builder, a, dtype), converted(builder, b, dtype)), weak)


def _arithmetic(builder: Builder, name: str, a: Number, b: Number) -> ScalarValue:
    dtype, weak = promoted((a, b))
    if dtype == BOOL and not weak and name in ("add", "mul"):
        name = {"add": "or_", "mul": "and_"}[name]
    if dtype.kind != "f":
        name = IN_ORDER.get(name, name)
    if dtype == BOOL and name in ("add", "sub", "mul", "div", "floordiv", "mod", "pow"):
        if not weak and name == "sub":
            raise refuse(builder, "NumPy does not subtract booleans", "Use a != b.")
        dtype = I64
    if name == "div" and dtype.kind in "iu":
        dtype = F64
    if dtype.kind == "c" and name in ("floordiv", "mod", "max", "min"):
        raise refuse(builder, f"complex numbers have no {SIGNS.get(name, name)}", PARTS)
    x, y = converted(builder, a, dtype), converted(builder, b, dtype)
    if weak and name in ("div", "floordiv", "mod"):
        check_nonzero(builder, y)
    return ScalarValue(builder(name, x, y), weak)


def _bitwise(builder: Builder, name: str, a: Number, b: Number) -> ScalarValue:
    dtype, weak = promoted((a, b))
    if dtype.kind not in "biu":
        raise refuse(builder, f"{SIGNS[name]} takes integers, got {dtype.numpy}", "Convert with int() first.")
    if dtype == BOOL and name in ("lshift", "rshift"):
        dtype = I64
    x, y = converted(builder, a, dtype), converted(builder, b, dtype)
    if dtype == BOOL:
        name = {"bit_and": "and_", "bit_or": "or_", "bit_xor": "ne"}[name]
    elif name in ("lshift", "rshift") and not known_nonnegative(y):
        valid = builder("ge", y, constant(0, dtype))
        builder.emit("check", valid, exception="ValueError", message="negative shift count")
    return ScalarValue(builder(name, x, y), weak)


def unary(builder: Builder, name: str, a: Number) -> Number:
    """``neg``, ``invert`` or ``abs``."""
    folded = _folded(builder, name, a)
    if folded is not None:
        return folded
    value = as_scalar(a)
    if name == "invert" and value.dtype == BOOL and not value.weak:
        return ScalarValue(builder("not_", value.operand), weak=False)
    if name == "abs" and value.dtype.kind == "c":
        return modulus(builder, value)
    if value.dtype == BOOL:
        if not value.weak and name == "neg":
            raise refuse(builder, "NumPy does not negate booleans", "Use `not`, or np.logical_not.")
        if value.weak:
            value = ScalarValue(cast(builder, value.operand, I64), weak=True)
    if name == "invert" and value.dtype.kind not in "iu":
        raise refuse(builder, f"~ takes integers, got {value.dtype.numpy}", "Convert with int() first.")
    return noted(ScalarValue(builder(name, value.operand), value.weak), name, UNARY[name], a)


def truth(builder: Builder, a: Number) -> Number:
    """``bool(a)``: Static, or a scalar of dtype bool."""
    if isinstance(a, Static):
        return Static(bool(a.value))
    if isinstance(a.operand, Const):
        return Static(bool(a.operand.value))
    if a.dtype == BOOL:
        return a
    return ScalarValue(builder("ne", a.operand, constant(0, a.dtype)), weak=True)


def negation(builder: Builder, a: Number) -> Number:
    """``not a``."""
    value = truth(builder, a)
    if isinstance(value, Static):
        return Static(not value.value)
    return ScalarValue(builder("not_", value.operand), weak=True)


# -- functions ----------------------------------------------------------------------------------------------


def apply(builder: Builder, primitive: str, values: Sequence[Number], weak: bool = False) -> Number:
    """A primitive that stands for a function of NumPy (a strong result) or of ``math`` (``weak``)."""
    if not weak and all(as_scalar(v).weak for v in values):
        values = [v if isinstance(v, Static) else ScalarValue(v.operand) for v in values]
    if primitive in ARITHMETIC and len(values) == 2:
        return _strengthened(binary(builder, primitive, *values), weak)
    if primitive in COMPARISONS:
        return _strengthened(compare(builder, primitive, *values), weak)
    if primitive in ("and_", "or_", "not_"):
        truths = [as_scalar(truth(builder, v)).operand for v in values]
        return ScalarValue(builder(primitive, *truths), weak)
    if primitive in UNARY:
        return _strengthened(unary(builder, primitive, *values), weak)
    if primitive == "conj":
        return _strengthened(conjugate(builder, *values), weak)
    dtype, _ = promoted(values)
    if dtype == BOOL or primitive not in KEEPS_INTEGERS:
        dtype = floating_for(dtype)
    if dtype.kind == "c" and primitive not in OF_COMPLEX:
        raise refuse(builder, f"{primitive} of a complex number", PARTS, UnsupportedError)
    if dtype.kind == "c" and primitive == "expm1":
        return ScalarValue(exponential_less_one(builder, *(converted(builder, v, dtype) for v in values)), weak)
    try:
        result = builder(primitive, *(converted(builder, v, dtype) for v in values))
    except AssertionError as fault:
        raise refuse(builder, f"{primitive} does not take {dtype.numpy}: {fault}", error=UnsupportedError) from fault
    return ScalarValue(result, weak)


def floating_for(dtype: DType) -> DType:
    """In which dtype NumPy computes an elementary function; float16, of 8 bits and booleans, is float64 here."""
    if dtype.kind in "fc":
        return dtype
    return F32 if dtype in (I16, U16) else F64


def _strengthened(value: Number, weak: bool) -> Number:
    """What a NumPy function makes of Python numbers is strong."""
    return value if weak else ScalarValue(as_scalar(value).operand, weak=False)


# -- extents and indices: i64 operands, folded where known ----------------------------------------------------


def index_op(builder: Builder, name: str, a: Operand, b: Operand) -> Operand:
    """``add``, ``sub``, ``mul``, ``floordiv``, ``max`` or ``min`` of i64 operands."""
    if isinstance(a, Const) and isinstance(b, Const):
        result = ARITHMETIC[name](a.value, b.value)
        assert isinstance(result, int)
        return index(result)
    if name in ("add", "sub") and isinstance(b, Const) and b.value == 0:
        return a
    if name == "add" and isinstance(a, Const) and a.value == 0:
        return b
    if name in ("mul", "floordiv") and isinstance(b, Const) and b.value == 1:
        return a
    if name == "mul" and isinstance(a, Const) and a.value == 1:
        return b
    return builder(name, a, b)
