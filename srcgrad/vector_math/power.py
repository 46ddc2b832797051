"""pow, as ``exp(y log(x))`` with the logarithm in two float64."""

from __future__ import annotations

import math

import numpy as np

from srcgrad.vector_math.exponential import EXP_TAIL, LN2_HIGH, LN2_LOW, LOG2_E, short_exp
from srcgrad.vector_math.logarithm import SMALLEST_NORMAL, log, parted
from srcgrad.vector_math.operations import INFINITY, NAN, ROUND, branch_free, fma, horner, part, scaled

# log_tail without its first term, 2/3, which is needed in two parts; tools/minimax.py
LOG_TAIL_BEYOND = (
    0.4000000000000003,
    0.28571428571337654,
    0.22222222271440392,
    0.18181808198846017,
    0.15385577965357314,
    0.13285862379473032,
    0.12914687186457796,
)
TWO_THIRDS, TWO_THIRDS_LOW = 2.0 / 3.0, float.fromhex("0x1.5555555555555p-55")


@part
def long_log(x: float) -> tuple[float, float]:
    """The logarithm of a positive, finite x in two parts, to some 65 bits."""
    subnormal = x < SMALLEST_NORMAL
    exponent, m = parted(x * 18014398509481984.0 if subnormal else x)
    e = exponent - 54.0 if subnormal else exponent
    f = m - 1.0
    d = 2.0 + f
    d_low = (2.0 - d) + f
    s = f / d
    s_low = (fma(-s, d, f) - s * d_low) * (0.5 * (1.0 - s))  # 1 / (2 + f) is (1 - s) / 2
    z = s * s
    z_low = fma(s, s, -z) + 2.0 * s * s_low
    beyond = z * horner(z, LOG_TAIL_BEYOND)
    t = TWO_THIRDS + beyond
    t_low = ((TWO_THIRDS - t) + beyond) + TWO_THIRDS_LOW
    cube = s * z
    cube_low = fma(s, z, -cube) + (s * z_low + s_low * z)
    c = cube * t
    c_low = fma(cube, t, -c) + (cube * t_low + cube_low * t)
    # e log(2) + 2 s + c, each larger than what follows it, or 0.
    first = e * LN2_HIGH
    a = first + 2.0 * s
    a_low = (first - a) + 2.0 * s
    high = a + c
    low = ((a - high) + c) + (a_low + (c_low + (2.0 * s_low + e * LN2_LOW)))
    whole = high + low
    return whole, (high - whole) + low


@part
def special(x: float, y: float, size: float) -> float:
    """``x**y`` from ``|x|**y``, with the special cases of C99."""
    whole = np.floor(y) == y
    odd = whole and abs(y) < 9007199254740992.0 and np.floor(0.5 * y) != 0.5 * y
    size = size if not (x < 0.0 and x > -INFINITY and not whole) else NAN
    signed = math.copysign(size, x) if odd else size
    return 1.0 if y == 0.0 or x == 1.0 or (x == -1.0 and abs(y) == INFINITY) else signed


@branch_free
def pow(x: float, y: float) -> float:
    """2 ulp."""
    a = abs(x)
    high, low = long_log(a)
    inner = a > 0.0 and a < INFINITY
    high = high if inner else (-INFINITY if a == 0.0 else a)  # a is infinity or NaN
    p = y * high
    p_low = fma(y, high, -p) + y * low
    p_low = p_low if abs(p) < 1000.0 else 0.0  # beyond, p alone decides
    q = p if not p > 711.0 else 711.0
    q = q if not q < -746.0 else -746.0
    k = (q * LOG2_E + ROUND) - ROUND
    r = ((q - k * LN2_HIGH) - k * LN2_LOW) + p_low
    size = scaled(1.0 + (r + r * r * horner(r, EXP_TAIL)), k)
    return special(x, y, size)


@branch_free
def powf(x: np.float32, y: np.float32) -> np.float32:
    """1 ulp."""
    base, exponent = np.float64(x), np.float64(y)
    return np.float32(special(base, exponent, short_exp(exponent * log(abs(base)))))
