"""What the polynomials are made of: bits of a float64, exact products, Horner's scheme, and how all of it is compiled.

Each is an LLVM instruction or a few, so that it vectorises inside any caller. ``fma`` is one rounding on every machine;
processors without the instruction (before 2013) call the C library for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])
DOUBLE = ir.DoubleType()
WORD = ir.IntType(64)


def branch_free(function: F) -> F:
    """Compile with ``contract`` alone: error-free steps must not be reassociated, whatever the caller's flags.

    Never ``inline="always"``, which would take the flags of the caller.
    """
    compiled: F = numba.njit(
        fastmath={"contract"}, error_model="numpy", nogil=True, no_cfunc_wrapper=True, forceinline=True
    )(function)
    return compiled


@intrinsic
def bits_of(typing_context, x):  # type: ignore[no-untyped-def]  # as Numba asks for it
    """The bits of a float64, as uint64."""

    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.bitcast(arguments[0], WORD)

    return types.uint64(types.float64), build


@intrinsic
def float_of(typing_context, bits):  # type: ignore[no-untyped-def]
    """The float64 with these bits."""

    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.bitcast(arguments[0], DOUBLE)

    return types.float64(types.uint64), build


@intrinsic
def fma(typing_context, a, b, c):  # type: ignore[no-untyped-def]
    """``a * b + c`` with one rounding."""

    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return _fma(builder, *arguments)

    return types.float64(types.float64, types.float64, types.float64), build


@intrinsic
def horner(typing_context, x, coefficients):  # type: ignore[no-untyped-def]
    """The polynomial with these coefficients, a global tuple with the lowest first."""

    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        point, values = arguments
        result = builder.extract_value(values, coefficients.count - 1)
        for k in reversed(range(coefficients.count - 1)):
            result = builder.fadd(
                builder.fmul(result, point, flags=("contract",)), builder.extract_value(values, k), flags=("contract",)
            )
        return result

    return types.float64(types.float64, coefficients), build


def _fma(builder: Any, a: Any, b: Any, c: Any) -> Any:
    kind = ir.FunctionType(DOUBLE, [DOUBLE] * 3)
    return builder.call(builder.module.declare_intrinsic("llvm.fma", [DOUBLE], kind), [a, b, c])


# Adding it rounds to an integer, which is then in the low bits.
ROUND = 1.5 * 2.0**52
BIAS, MANTISSA_BITS = numba.uint64(1023), numba.uint64(52)
INFINITY, NAN = float("inf"), float("nan")


@branch_free
def power_of_two(k: float) -> float:
    """``2.0**k`` for an integer from -1022 to 1023."""
    return float_of((bits_of(k + ROUND) + BIAS) << MANTISSA_BITS)


@branch_free
def two_sum(a: float, b: float) -> tuple[float, float]:
    """The rounded sum and its error."""
    s = a + b
    v = s - a
    return s, (a - (s - v)) + (b - v)


@branch_free
def fast_two_sum(a: float, b: float) -> tuple[float, float]:
    """The same where b is not larger than a, or a is 0."""
    s = a + b
    return s, (a - s) + b
