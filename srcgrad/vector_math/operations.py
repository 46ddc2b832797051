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
    return _compiled(function, no_cpython_wrapper=False)


def part(function: F) -> F:
    """The same for what only such functions call: the wrapper for Python takes as long to compile as the function."""
    return _compiled(function, no_cpython_wrapper=True)


def _compiled(function: F, *, no_cpython_wrapper: bool) -> F:
    made: F = numba.njit(
        fastmath={"contract"},
        error_model="numpy",
        nogil=True,
        no_cfunc_wrapper=True,
        no_cpython_wrapper=no_cpython_wrapper,
        forceinline=True,
    )(function)
    return made


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
BIAS, MANTISSA_BITS = 1023, numba.uint64(52)
INFINITY, NAN = float("inf"), float("nan")


# Intrinsics, since a function of its own takes some hundredths of a second to compile, however short it is.


@intrinsic
def power_of_two(typing_context, k):  # type: ignore[no-untyped-def]
    """``2.0**k`` for an integer from -1022 to 1023."""

    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return _power_of_two(builder, arguments[0])

    return types.float64(types.float64), build


@intrinsic
def scaled(typing_context, p, k):  # type: ignore[no-untyped-def]
    """``p * 2**k`` for ``|k|`` up to 2,000, in two factors, of which neither overflows nor is subnormal."""

    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        factor, power = arguments
        rounding = ir.Constant(DOUBLE, ROUND)
        half = builder.fsub(builder.fadd(builder.fmul(power, ir.Constant(DOUBLE, 0.5)), rounding), rounding)
        once = builder.fmul(factor, _power_of_two(builder, half))
        return builder.fmul(once, _power_of_two(builder, builder.fsub(power, half)))

    return types.float64(types.float64, types.float64), build


@intrinsic
def two_sum(typing_context, a, b):  # type: ignore[no-untyped-def]
    """The rounded sum and its error."""

    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        first, second = arguments
        s = builder.fadd(first, second)
        v = builder.fsub(s, first)
        error = builder.fadd(builder.fsub(first, builder.fsub(s, v)), builder.fsub(second, v))
        return context.make_tuple(builder, signature.return_type, (s, error))

    return types.UniTuple(types.float64, 2)(types.float64, types.float64), build


@intrinsic
def fast_two_sum(typing_context, a, b):  # type: ignore[no-untyped-def]
    """The same where b is not larger than a, or a is 0."""

    def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        first, second = arguments
        s = builder.fadd(first, second)
        error = builder.fadd(builder.fsub(first, s), second)
        return context.make_tuple(builder, signature.return_type, (s, error))

    return types.UniTuple(types.float64, 2)(types.float64, types.float64), build


def _power_of_two(builder: Any, k: Any) -> Any:
    shifted = builder.bitcast(builder.fadd(k, ir.Constant(DOUBLE, ROUND)), WORD)
    exponent = builder.add(shifted, ir.Constant(WORD, BIAS))
    return builder.bitcast(builder.shl(exponent, ir.Constant(WORD, int(MANTISSA_BITS))), DOUBLE)
