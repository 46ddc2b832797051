"""log and log1p, by ``x = 2**e m`` with m about 1 and ``log(m) = 2 atanh((m - 1) / (m + 1))``."""

from __future__ import annotations

import math

import numba
import numpy as np

from srcgrad.vector_math.exponential import LN2_HIGH, LN2_LOW
from srcgrad.vector_math.operations import (
    INFINITY,
    MANTISSA_BITS,
    NAN,
    bits_of,
    branch_free,
    float_of,
    horner,
    part,
    two_sum,
)

# (2 atanh(s) / s - 2) / s**2 in powers of s**2; tools/minimax.py
LOG_TAIL = (
    0.666666666666667,
    0.399999999998985,
    0.28571428626376205,
    0.22222211076539697,
    0.18182892951040294,
    0.15331605778554927,
    0.14617764924587612,
)
LOG_TAIL_SHORT = (0.6666666655310036, 0.40000122702815244, 0.2855074175462256, 0.23332273247158417)

SQRT_HALF_BITS = numba.uint64(0x3FE6A09E667F3BCD)
ABOVE = numba.uint64(1024 << 52)  # keeps the difference of exponents positive
TWO_52_BITS = numba.uint64(0x4330000000000000)  # in its last bits 2**52 holds an integer: no conversion to float
SMALLEST_NORMAL = 2.2250738585072014e-308
TINY = 2.0**-54


@part
def parted(x: float) -> tuple[float, float]:
    """``(e, m)`` with ``x = 2**e m`` and m from sqrt(1/2) to sqrt(2), for a positive normal x."""
    bits = bits_of(x)
    biased = (bits - SQRT_HALF_BITS + ABOVE) >> MANTISSA_BITS
    exponent = float_of(biased | TWO_52_BITS) - (4503599627370496.0 + 1024.0)
    return exponent, float_of(bits - ((biased << MANTISSA_BITS) - ABOVE))


@branch_free
def log(x: float) -> float:
    """1 ulp."""
    subnormal = x < SMALLEST_NORMAL
    exponent, m = parted(x * 18014398509481984.0 if subnormal else x)
    e = exponent - 54.0 if subnormal else exponent
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    y = e * LN2_HIGH + (f - (s * (f - z * horner(z, LOG_TAIL)) - e * LN2_LOW))
    y = y if x < INFINITY else x  # infinity and NaN
    y = y if not x < 0.0 else NAN
    return y if x != 0.0 else -INFINITY


@branch_free
def log1p(x: float) -> float:
    """2 ulp: the logarithm of the rounded ``1 + x``, and what the rounding lost over it."""
    u, lost = two_sum(1.0, x)
    e, m = parted(u)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    rest = e * LN2_LOW + lost / u
    y = e * LN2_HIGH + (f - (s * (f - z * horner(z, LOG_TAIL)) - rest))
    y = y if x < INFINITY else x
    y = y if not x < -1.0 else NAN
    y = y if x != -1.0 else -INFINITY
    return y if not abs(x) < TINY else x


@part
def short_log(x: float) -> float:
    """``log`` of a positive float32, given as a float64, in which it is normal."""
    e, m = parted(x)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    y = e * math.log(2.0) + (2.0 * s + s * z * horner(z, LOG_TAIL_SHORT))
    y = y if x < INFINITY else x
    y = y if not x < 0.0 else NAN
    return y if x != 0.0 else -INFINITY


@branch_free
def logf(x: np.float32) -> np.float32:
    """1 ulp."""
    return np.float32(short_log(np.float64(x)))


@branch_free
def log1pf(x: np.float32) -> np.float32:
    """1 ulp."""
    y = np.float64(x)
    u, lost = two_sum(1.0, y)
    result = np.float32(short_log(u) + lost / u)
    return result if abs(y) > TINY and y > -1.0 and y < INFINITY else np.float32(y if abs(y) < 0.5 else short_log(u))
