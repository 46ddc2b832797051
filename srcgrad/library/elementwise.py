"""Functions of each element that are put together from others: rounding, remainders, comparison with NaN, sinc."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.arrays.elementwise import elementwise
from srcgrad.frontend.calls.compile_time import compile_time, refuse
from srcgrad.primitives.library import library
from srcgrad.primitives.modified_bessel import bessel_i0

Array = NDArray[np.floating]


@compile_time
def of_floats(dtype: np.dtype) -> bool:
    return dtype.kind in "fc"


@elementwise(np.positive, integers=True)
def positive(x: float) -> float:
    return x


@elementwise(np.fabs)
def fabs(x: float) -> float:
    if np.iscomplexobj(x):
        refuse("np.fabs of complex numbers", "Use abs().")
    return abs(x)


@elementwise(np.square, integers=True)
def square(x: float) -> float:
    return x * x


@elementwise(np.reciprocal, integers=True)
def reciprocal(x: np.floating) -> np.floating:
    if of_floats(x.dtype):
        return 1 / x
    return x if x * x == 1 else 0 * x


@elementwise(np.fmod, integers=True)
def fmod(a: np.floating, b: np.floating) -> np.floating | float:
    """The remainder with the sign of the dividend."""
    if of_floats(a.dtype):
        return math.fmod(a, b)
    floored = a % b
    return floored - b if floored != 0 and (a < 0) != (b < 0) else floored


@elementwise(np.fmax, integers=True)
def fmax(a: float, b: float) -> float:
    """The larger one; of a number and NaN the number."""
    return b if a != a else a if b != b else np.maximum(a, b)


@elementwise(np.fmin, integers=True)
def fmin(a: float, b: float) -> float:
    return b if a != a else a if b != b else np.minimum(a, b)


@elementwise(np.logical_xor, integers=True)
def logical_xor(a: float, b: float) -> bool:
    return (a != 0) != (b != 0)


@library(np.float_power, streamed=("x1", "x2"))
def float_power(x1: Array, x2: Array) -> Array:
    """The power in double precision at least."""
    return np.power(x1 * np.float64(1), x2 * np.float64(1))


@elementwise(np.nan_to_num, integers=True)
def nan_to_num(
    x: np.floating,
    *,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> np.floating | float:
    if not of_floats(x.dtype):
        return x
    if x != x:
        return nan
    if x == np.inf:
        return np.finfo(x.dtype).max if posinf is None else posinf
    if x == -np.inf:
        return np.finfo(x.dtype).min if neginf is None else neginf
    return x


@elementwise(np.heaviside)
def heaviside(x1: float, x2: float) -> float:
    return 1.0 if x1 > 0.0 else 0.0 if x1 < 0.0 else x2 if x1 == 0.0 else x1


@elementwise(np.sinc)
def sinc(x: float) -> float:
    """By its series near 0, where the quotient loses its derivatives."""
    t = np.pi * x
    if abs(x) < 1e-3:
        return 1.0 - t * t / 6.0 * (1.0 - t * t / 20.0 * (1.0 - t * t / 42.0))
    return np.sin(t) / t


@library(np.round, np.around)
def round_half_to_even(a: Array, decimals: int = 0) -> Array:
    if not of_floats(a.dtype) and decimals >= 0:
        return a * 1
    if decimals == 0:
        return np.rint(a)
    scale = 10.0 ** abs(decimals)
    if decimals > 0:
        return np.rint(a * scale) / scale
    return (np.rint(a / scale) * scale).astype(a.dtype)


@elementwise(np.divmod, integers=True)
def floor_and_remainder(x1: float, x2: float) -> tuple[float, float]:
    return x1 // x2, x1 % x2


@elementwise(np.modf)
def modf(x: float) -> tuple[float, float]:
    """The part behind the point, and the one in front of it."""
    whole = np.trunc(x)
    return (x - whole if abs(x) != np.inf else 0.0), whole


@elementwise(np.isposinf)
def isposinf(x: float) -> bool:
    return x == np.inf


@elementwise(np.isneginf)
def isneginf(x: float) -> bool:
    return x == -np.inf


@elementwise(np.i0)
def i0(x: float) -> float:
    return bessel_i0(x)
