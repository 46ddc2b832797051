"""``**`` on scalars: ``ipow`` for integer exponents, ``pow`` for floating ones, with Python's rules for both."""

from __future__ import annotations

from srcgrad.frontend.numbers.promotion import (
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
from srcgrad.ir.types import BOOL, F64, I64, DType, Scalar

NEGATIVE_POWER = "integers to negative integer powers are not allowed"


def power(builder: Builder, a: Number, b: Number) -> Number:
    exponent = as_scalar(b)
    if isinstance(b, Static) and isinstance(b.value, int):
        return _literal_power(builder, as_scalar(a), int(b.value))
    if exponent.dtype.kind in "biu":
        return _integer_power(builder, as_scalar(a), exponent)
    return _floating_power(builder, a, b)


def _literal_power(builder: Builder, base: ScalarValue, n: int) -> Number:
    x, dtype, weak = base.operand, base.dtype, base.weak
    if dtype == BOOL:
        x, dtype = cast(builder, x, I64), I64
    if n < 0 and dtype.kind in "iu":
        if not weak:
            raise refuse(builder, NEGATIVE_POWER, "Write the exponent, or the base, as a float.")
        x, dtype = cast(builder, x, F64), F64
    if n < 0 and weak:
        check_nonzero(builder, x)
    if n == 0:
        return ScalarValue(constant(1, dtype), weak)
    if n == 1:
        return ScalarValue(x, weak)
    return ScalarValue(builder("ipow", x, index(n)), weak)


def _integer_power(builder: Builder, base: ScalarValue, exponent: ScalarValue) -> Number:
    dtype, weak = promoted((base, exponent))
    if dtype == BOOL:
        dtype = I64
    x, n = cast(builder, base.operand, dtype), cast(builder, exponent.operand, I64)
    if dtype.kind in "iu" and not known_nonnegative(n):
        valid = builder("ge", n, index(0))
        builder.emit("check", valid, exception="ValueError", message=NEGATIVE_POWER)
    elif weak and dtype.kind == "f":
        _check_base(builder, x, n, dtype, I64)
    return ScalarValue(builder("ipow", x, n), weak)


def _floating_power(builder: Builder, a: Number, b: Number) -> Number:
    dtype, weak = promoted((a, b))
    x, y = converted(builder, a, dtype), converted(builder, b, dtype)
    if weak and dtype.kind == "f":
        _check_base(builder, x, y, dtype, dtype)
    return ScalarValue(builder("pow", x, y), weak)


def _check_base(builder: Builder, base: Operand, exponent: Operand, dtype: DType, of_exponent: DType) -> None:
    """Python raises for 0.0 to a negative power."""
    assert exponent.type == Scalar(of_exponent)
    if (isinstance(base, Const) and base.value != 0) or known_nonnegative(exponent):
        return
    nonzero = builder("ne", base, constant(0, dtype))
    valid = builder("or_", nonzero, builder("ge", exponent, constant(0, of_exponent)))
    builder.emit("check", valid, exception="ZeroDivisionError", message="0.0 cannot be raised to a negative power")
