"""Lanes: buffers on the stack, and exp, log and tanh as branch-free polynomials that vectorise in any caller.

Each function is compiled with ``contract`` alone: its error-free steps must not be reassociated, whatever
the caller's flags.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., object])


def contracted(function: F) -> F:
    compiled: F = numba.njit(fastmath={"contract"}, error_model="numpy")(function)
    return compiled


@intrinsic(prefer_literal=True)
def stack(typing_context, size):  # type: ignore[no-untyped-def]  # as Numba asks for it
    """A pointer to ``size`` (a literal) floats on the stack; it must not leave the function."""

    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        with builder.goto_entry_block():
            pointer = builder.alloca(ir.ArrayType(ir.DoubleType(), size.literal_value))
            pointer.align = 64
        return builder.bitcast(pointer, ir.DoubleType().as_pointer())

    return types.CPointer(types.float64)(size), build


@intrinsic
def bits_of(typing_context, x):  # type: ignore[no-untyped-def]
    """The bits of a float64, as uint64."""

    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.uint64(types.float64), build


@intrinsic
def float_of(typing_context, bits):  # type: ignore[no-untyped-def]
    """The float64 with these bits."""

    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.uint64), build


ROUND = 1.5 * 2.0**52  # adding it rounds to an integer, which is then in the low bits
LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
E2, E3, E4, E5, E6, E7 = 1 / 2, 1 / 6, 1 / 24, 1 / 120, 1 / 720, 1 / 5040
E8, E9, E10, E11, E12, E13 = 1 / 40320, 1 / 362880, 1 / 3628800, 1 / 39916800, 1 / 479001600, 1 / 6227020800
BIAS, MANTISSA_BITS = numba.uint64(1023), numba.uint64(52)


@contracted
def exp(x: float) -> float:
    """1 ulp; overflow, underflow, infinities and NaN as in libm."""
    y = x if not x > 711.0 else 711.0  # in this form NaN passes
    y = y if not y < -746.0 else -746.0
    k = (y * LOG2_E + ROUND) - ROUND
    r = (y - k * LN2_HIGH) - k * LN2_LOW
    p = E9 + r * (E10 + r * (E11 + r * (E12 + r * E13)))
    p = E4 + r * (E5 + r * (E6 + r * (E7 + r * (E8 + r * p))))
    p = 1.0 + (r + r * r * (E2 + r * (E3 + r * p)))
    half = k * 0.5 + ROUND  # 2**k in two factors, so that neither overflows nor is subnormal
    rest = (k - (half - ROUND)) + ROUND
    first = float_of((bits_of(half) + BIAS) << MANTISSA_BITS)
    second = float_of((bits_of(rest) + BIAS) << MANTISSA_BITS)
    return p * first * second


SQRT_HALF_BITS = numba.uint64(0x3FE6A09E667F3BCD)
ABOVE = numba.uint64(1024 << 52)  # keeps the exponent's difference positive
TWO_52_BITS = numba.uint64(0x4330000000000000)
SMALLEST_NORMAL = 2.2250738585072014e-308
INFINITY, NAN = float("inf"), float("nan")
L1, L2, L3, L4, L5, L6, L7, L8, L9, L10 = (2.0 / (2 * i + 1) for i in range(1, 11))


@contracted
def log(x: float) -> float:
    """1 ulp; subnormals, zero, infinities, NaN and negative numbers as in libm."""
    subnormal = x < SMALLEST_NORMAL
    bits = bits_of(x * 18014398509481984.0 if subnormal else x)
    biased = (bits - SQRT_HALF_BITS + ABOVE) >> MANTISSA_BITS
    exponent = float_of(biased | TWO_52_BITS) - (4503599627370496.0 + 1024.0)
    mantissa = float_of(bits - ((biased << MANTISSA_BITS) - ABOVE))
    f = mantissa - 1.0
    s = f / (2.0 + f)
    z = s * s
    p = L4 + z * (L5 + z * (L6 + z * (L7 + z * (L8 + z * (L9 + z * L10)))))
    p = z * (L1 + z * (L2 + z * (L3 + z * p)))
    e = exponent - 54.0 if subnormal else exponent
    y = e * LN2_HIGH + (f - (s * (f - p) - e * LN2_LOW))
    y = y if x < INFINITY else x  # infinity and NaN
    y = y if not x < 0.0 else NAN
    return y if x != 0.0 else -INFINITY


@contracted
def tanh(x: float) -> float:
    """Right to some 1e-16, absolutely: for gradients by hand that is enough."""
    e = exp(-2.0 * abs(x))
    y = (1.0 - e) / (1.0 + e)
    return y if x >= 0.0 else -y
