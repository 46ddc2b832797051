"""NumPy's promotion of scalars (NEP 50), by explicit casts.

A weak scalar (a Python number, or an argument that could be one) adapts to the other operand: ``2.0 * x`` is
float32 where ``x`` is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from srcgrad.frontend.refusals import refuse
from srcgrad.frontend.values import ScalarValue, Static
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Operand, constant
from srcgrad.ir.types import BOOL, C64, C128, F32, I64, DType, Scalar, dtype_of

Number = ScalarValue | Static
PARTS = "Take z.real, z.imag or abs(z)."
KIND_ORDER = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def as_scalar(value: Number) -> ScalarValue:
    """A static number as an operand."""
    if isinstance(value, ScalarValue):
        return value
    assert isinstance(value.value, bool | int | float | complex)
    return ScalarValue(constant(value.value), weak=True)


def promoted(values: Sequence[Number]) -> tuple[DType, bool]:
    """The common dtype of scalars, and whether it is weak."""
    scalars = [as_scalar(v) for v in values]
    weakest = max((v.dtype for v in scalars if v.weak), key=_order, default=BOOL)
    strong = [v.dtype for v in scalars if not v.weak]
    if not strong:
        return weakest, True
    common = reduce(promote_strong, strong)
    if _order(weakest) <= _order(common):
        return common, False
    if weakest.kind == "c":
        return (C64 if common == F32 else C128), False
    return weakest, False


def promote_strong(a: DType, b: DType) -> DType:
    common = dtype_of(np.promote_types(a.numpy, b.numpy))
    assert common is not None
    return common


def _order(dtype: DType) -> int:
    return KIND_ORDER[dtype.kind]


def cast(builder: Builder, operand: Operand, dtype: DType) -> Operand:
    """The operand converted to a dtype; constants are converted now."""
    if operand.type == Scalar(dtype):
        return operand
    if isinstance(operand, Const) and np.isfinite(operand.value):
        return constant(_rounded(operand.value, dtype, builder), dtype)
    return builder("cast", operand, dtype=dtype)


def _rounded(value: complex, dtype: DType, builder: Builder) -> bool | int | float | complex:
    if dtype.kind in "iu":
        limits, whole = np.iinfo(dtype.numpy), int(value.real)
        if not limits.min <= whole <= limits.max:
            raise refuse(builder, f"{whole} does not fit into {dtype.numpy}", "Use a wider dtype.")
        return whole
    if dtype.kind == "b":
        return bool(value)
    wide = complex if dtype.kind == "c" else float
    with np.errstate(over="ignore"):
        return wide(dtype.numpy.type(value if dtype.kind == "c" else value.real))


def converted(builder: Builder, value: Number, dtype: DType) -> Operand:
    return cast(builder, as_scalar(value).operand, dtype)


def as_index(builder: Builder, value: Number) -> Operand:
    """An integer as i64, for an index or an extent."""
    scalar = as_scalar(value)
    if scalar.dtype.kind not in "iu":
        raise refuse(builder, f"an index must be an integer, got {scalar.dtype.numpy}", "Convert with int().")
    return cast(builder, scalar.operand, I64)


def check_nonzero(builder: Builder, divisor: Operand) -> None:
    """Python's ZeroDivisionError, unless the divisor is known not to be zero."""
    if isinstance(divisor, Const) and divisor.value != 0:
        return
    assert isinstance(divisor.type, Scalar)
    nonzero = builder("ne", divisor, constant(0, divisor.type.dtype))
    builder.emit("check", nonzero, exception="ZeroDivisionError", message="division by zero")


def known_nonnegative(operand: Operand) -> bool:
    return isinstance(operand, Const) and not isinstance(operand.value, complex) and operand.value >= 0
