"""sin, cos and tan, reduced to an eighth of the circle; arguments beyond 2**40 go to the C library one by one."""

from __future__ import annotations

from math import pi

import numba
import numpy as np

from srcgrad.vector_math.operations import ROUND, bits_of, branch_free, float_of, fma, horner, part
from srcgrad.vector_math.out_of_line import out_of_line

# (sin(r) / r - 1) / r**2 and (cos(r) - 1 + r**2 / 2) / r**4 in powers of r**2; tools/minimax.py
SIN_TAIL = (
    -0.16666666666666666,
    0.008333333333330951,
    -0.00019841269836761477,
    2.7557316103750347e-06,
    -2.5051132049771646e-08,
    1.5918141698862117e-10,
)
COS_TAIL = (
    0.041666666666666664,
    -0.00138888888888874,
    2.4801587298767336e-05,
    -2.755731727240375e-07,
    2.0876146382504195e-09,
    -1.1382639275909134e-11,
)
SIN_TAIL_SHORT = (-0.166666666638622, 0.008333331876526672, -0.00019840087453818053, 2.724999908604092e-06)
COS_TAIL_SHORT = (0.041666666664326314, -0.0013888887673343497, 2.4800600894473868e-05, -2.730101143566825e-07)
TWO_OVER_PI = 2.0 / pi
# pi/2 as a sum of three: 160 bits, of which the largest argument and the nearest to a multiple leave 60.
PI_2_HIGH, PI_2_MIDDLE, PI_2_LOW = pi / 2.0, 6.123233995736766e-17, -1.4973849048591833e-33
LARGE = 2.0**40
SMALL = 2.0**-28  # the sine of less is the argument itself
ZERO, ONE, SIGN_BIT = numba.uint64(0), numba.uint64(1), numba.uint64(63)
libm_sin, libm_cos, libm_tan = out_of_line("sin"), out_of_line("cos"), out_of_line("tan")


@part
def reduced(x: float) -> tuple[np.uint64, float, float]:
    """The nearest multiple of pi/2, as bits of which the last two count, and what remains in two parts."""
    k = (x * TWO_OVER_PI + ROUND) - ROUND
    t = fma(-k, PI_2_HIGH, x)  # exact: a multiple of 2**-52 below 1
    w = k * PI_2_MIDDLE
    r = t - w
    return bits_of(k + ROUND), r, (((t - r) - w) - fma(k, PI_2_MIDDLE, -w)) - k * PI_2_LOW


@part
def kernel_sin(r: float, low: float) -> tuple[float, float]:
    """The sine of ``r + low``, at most pi/4, and what it lost."""
    z = r * r
    rest = r * z * horner(z, SIN_TAIL) + low * (1.0 - 0.5 * z)
    s = r + rest
    return s, (r - s) + rest


@part
def kernel_cos(r: float, low: float) -> tuple[float, float]:
    """The cosine of ``r + low``, and what it lost."""
    z = r * r
    half = 0.5 * z
    w = 1.0 - half
    rest = ((1.0 - w) - half) + (z * z * horner(z, COS_TAIL) - r * low)
    c = w + rest
    return c, (w - c) + rest


@branch_free
def sin(x: float) -> float:
    """2 ulp."""
    quarter, r, low = reduced(x)
    s, _ = kernel_sin(r, low)
    c, _ = kernel_cos(r, low)
    y = c if quarter & ONE else s
    y = float_of(bits_of(y) ^ ((quarter >> ONE) << SIGN_BIT))
    if abs(x) > LARGE:
        y = libm_sin(x)
    return y if not abs(x) < SMALL else x


@branch_free
def cos(x: float) -> float:
    """2 ulp."""
    quarter, r, low = reduced(x)
    s, _ = kernel_sin(r, low)
    c, _ = kernel_cos(r, low)
    y = s if quarter & ONE else c
    y = float_of(bits_of(y) ^ (((quarter + ONE) >> ONE) << SIGN_BIT))
    if abs(x) > LARGE:
        y = libm_cos(x)
    return y


@branch_free
def tan(x: float) -> float:
    """2 ulp: the quotient, corrected by what both have lost."""
    quarter, r, low = reduced(x)
    s, s_low = kernel_sin(r, low)
    c, c_low = kernel_cos(r, low)
    odd = (quarter & ONE) != ZERO
    a, a_low = (-c, -c_low) if odd else (s, s_low)
    b, b_low = (s, s_low) if odd else (c, c_low)
    inverse = 1.0 / b
    q = a * inverse
    y = q + (fma(-q, b, a) + (a_low - q * b_low)) * inverse
    if abs(x) > LARGE:
        y = libm_tan(x)
    return y if not abs(x) < SMALL else x


@part
def short_sin(r: float) -> float:
    z = r * r
    return r + r * z * horner(z, SIN_TAIL_SHORT)


@part
def short_cos(r: float) -> float:
    z = r * r
    return 1.0 - 0.5 * z + z * z * horner(z, COS_TAIL_SHORT)


@branch_free
def sinf(x: np.float32) -> np.float32:
    """1 ulp."""
    z = np.float64(x)
    quarter, r, _ = reduced(z)
    y = short_cos(r) if quarter & ONE else short_sin(r)
    y = float_of(bits_of(y) ^ ((quarter >> ONE) << SIGN_BIT))
    if abs(z) > LARGE:
        y = libm_sin(z)
    return np.float32(y) if x != 0.0 else x


@branch_free
def cosf(x: np.float32) -> np.float32:
    """1 ulp."""
    z = np.float64(x)
    quarter, r, _ = reduced(z)
    y = short_sin(r) if quarter & ONE else short_cos(r)
    y = float_of(bits_of(y) ^ (((quarter + ONE) >> ONE) << SIGN_BIT))
    if abs(z) > LARGE:
        y = libm_cos(z)
    return np.float32(y)


@branch_free
def tanf(x: np.float32) -> np.float32:
    """1 ulp."""
    z = np.float64(x)
    quarter, r, _ = reduced(z)
    s, c = short_sin(r), short_cos(r)
    odd = (quarter & ONE) != ZERO
    y = (-c if odd else s) / (s if odd else c)
    if abs(z) > LARGE:
        y = libm_tan(z)
    return np.float32(y) if x != 0.0 else x
