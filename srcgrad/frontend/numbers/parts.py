"""Complex scalars taken apart: real and imaginary part, conjugate, absolute value, angle; of real ones, too."""

from __future__ import annotations

from collections.abc import Callable

from srcgrad.frontend.numbers.promotion import Number, as_scalar, cast
from srcgrad.frontend.values import ScalarValue, Static
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Operand, constant
from srcgrad.ir.types import F64, Scalar

Part = Callable[[Builder, Number], Number]


def is_complex(value: Number) -> bool:
    return as_scalar(value).dtype.kind == "c"


def real(builder: Builder, z: Number) -> Number:
    if isinstance(z, Static):
        return Static(z.value.real)  # type: ignore[attr-defined]  # a number
    return ScalarValue(builder("real", z.operand), z.weak) if is_complex(z) else z


def imag(builder: Builder, z: Number) -> Number:
    if isinstance(z, Static):
        return Static(z.value.imag)  # type: ignore[attr-defined]  # a number
    return ScalarValue(builder("imag", z.operand) if is_complex(z) else constant(0, z.dtype), z.weak)


def conjugate(builder: Builder, z: Number) -> Number:
    if isinstance(z, Static):
        return Static(z.value.conjugate())  # type: ignore[attr-defined]  # a number
    return ScalarValue(builder("conj", z.operand), z.weak) if is_complex(z) else z


def modulus(builder: Builder, z: ScalarValue) -> ScalarValue:
    """``abs`` of a complex number, by ``hypot``, whose slope at the origin is 0."""
    parts = builder("real", z.operand), builder("imag", z.operand)
    return ScalarValue(builder("hypot", *parts), z.weak)


def angle(builder: Builder, z: Number) -> Number:
    """The argument of a complex number, between -pi and pi; 0 or pi for a real one."""
    value = as_scalar(z)
    dtype = value.dtype.real if value.dtype.kind in "fc" else F64
    y, x = (cast(builder, as_scalar(part(builder, value)).operand, dtype) for part in (imag, real))
    return ScalarValue(builder("arctan2", y, x))


def exponential_less_one(builder: Builder, z: Operand) -> Operand:
    """``expm1`` of a complex number, by real functions: Numba's (0.68.1) loses all digits near 0."""
    assert isinstance(z.type, Scalar)
    dtype = z.type.dtype.real
    x, y = builder("real", z), builder("imag", z)
    half = builder("sin", builder("mul", constant(0.5, dtype), y))
    drop = builder("mul", constant(2.0, dtype), builder("mul", half, half))
    real = builder("sub", builder("mul", builder("expm1", x), builder("cos", y)), drop)
    return builder("complex", real, builder("mul", builder("exp", x), builder("sin", y)))


def put_together(builder: Builder, x: Number, y: Number) -> Number:
    """``complex(x, y)``: Python's complex numbers are of double precision."""
    if is_complex(x) or is_complex(y):  # x + i y
        first, second = real(builder, x), imag(builder, x)
        x = _added(builder, "sub", first, imag(builder, y))
        y = _added(builder, "add", second, real(builder, y))
    parts = (cast(builder, as_scalar(part).operand, F64) for part in (x, y))
    return ScalarValue(builder("complex", *parts), weak=True)


def _added(builder: Builder, name: str, a: Number, b: Number) -> Number:
    x, y = (cast(builder, as_scalar(v).operand, F64) for v in (a, b))
    return ScalarValue(builder(name, x, y), weak=True)


def with_part(builder: Builder, z: ScalarValue, name: str, part: Number) -> ScalarValue:
    """``z`` with another real or imaginary part."""
    new = cast(builder, as_scalar(part).operand, z.dtype.real)
    other = builder("imag" if name == "real" else "real", z.operand)
    return ScalarValue(builder("complex", *((new, other) if name == "real" else (other, new))))


PARTS: dict[str, Part] = {"real": real, "imag": imag}
