"""exp, expm1 and the logistic function, by ``exp(x) = 2**k exp(r)`` with ``|r| <= log(2) / 2``."""

from __future__ import annotations

import numpy as np

from srcgrad.vector_math.operations import ROUND, branch_free, horner, part, power_of_two, scaled

LOG2_E, LN2 = 1.4426950408889634, 0.6931471805599453
# log(2) in two parts: k times the first is exact for any k that occurs.
LN2_HIGH, LN2_LOW = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")
# (exp(r) - 1 - r) / r**2; tools/minimax.py
EXP_TAIL = (
    0.5,
    0.1666666666666667,
    0.041666666666666685,
    0.008333333333326138,
    0.0013888888888874203,
    0.00019841269874809644,
    2.4801587347726413e-05,
    2.7557255414637704e-06,
    2.7557252592245406e-07,
    2.5105210789568184e-08,
    2.092168385816187e-09,
)
# The same to half the digits, for results in float32.
EXP_TAIL_SHORT = (
    0.5000000013461566,
    0.16666666755413695,
    0.04166646496116475,
    0.008333286289108705,
    0.0013933645584221163,
    0.00019907421422865693,
)
# exp of it is infinite, a quarter of exp is not.
LARGEST = 710.75
TINY = 2.0**-54  # expm1, sinh and tanh of less is the argument itself


@branch_free
def exp(x: float) -> float:
    """1 ulp."""
    y = x if not x > 711.0 else 711.0  # in this form NaN passes
    y = y if not y < -746.0 else -746.0
    k = (y * LOG2_E + ROUND) - ROUND
    r = (y - k * LN2_HIGH) - k * LN2_LOW
    return scaled(1.0 + (r + r * r * horner(r, EXP_TAIL)), k)


@part
def quarter_expm1(x: float) -> tuple[float, float]:
    """``(exp(x) - 1) / 4`` and what is missing in its last place, for x up to LARGEST; a quarter, so as not to
    overflow."""
    y = x if not x < -40.0 else -40.0
    k = (y * LOG2_E + ROUND) - ROUND
    high, low = y - k * LN2_HIGH, k * LN2_LOW
    r = high - low
    lost = (high - r) - low
    tail = r * r * horner(r, EXP_TAIL) + (lost + lost * r)
    s = power_of_two(k - 2.0)
    a, b = s - 0.25, s * r  # b is not larger than a, or a is 0
    first = a + b
    rest = (a - first) + b + s * tail
    whole = first + rest
    return whole, rest - (whole - first)


@branch_free
def expm1(x: float) -> float:
    """2 ulp."""
    quarter, _ = quarter_expm1(x if not x > LARGEST else LARGEST)
    return x if abs(x) < TINY else 4.0 * quarter


@branch_free
def logistic(x: float) -> float:
    """``1 / (1 + exp(-x))`` to 2 ulp, also where it is small."""
    y = -abs(x)
    y = y if not y < -746.0 else -746.0
    k = (y * LOG2_E + ROUND) - ROUND
    r = (y - k * LN2_HIGH) - k * LN2_LOW
    high = 1.0 + r
    low = ((1.0 - high) + r) + r * r * horner(r, EXP_TAIL)
    p = high + low
    z = scaled(p, k)
    lost = (low - (p - high)) * power_of_two(k if k > -1000.0 else 0.0)
    lost = lost if k > -1000.0 else 0.0
    d = 1.0 + z
    d_lost = (z - (d - 1.0)) + lost
    right = x >= 0.0
    q = (1.0 if right else z) / d
    reciprocal = q if right else 1.0 - q
    return q + ((0.0 if right else lost) - q * d_lost) * reciprocal


@branch_free
def exp2(x: float) -> float:
    """1 ulp; exact for integers."""
    y = x if not x > 1025.0 else 1025.0
    y = y if not y < -1076.0 else -1076.0
    k = (y + ROUND) - ROUND
    r = (y - k) * LN2
    return scaled(1.0 + (r + r * r * horner(r, EXP_TAIL)), k)


@part
def short_exp(y: float) -> float:
    """``exp`` in the range of float32 to half the digits of a float64."""
    y = y if not y > 120.0 else 120.0
    y = y if not y < -120.0 else -120.0
    k = (y * LOG2_E + ROUND) - ROUND
    r = y - k * LN2
    return (1.0 + (r + r * r * horner(r, EXP_TAIL_SHORT))) * power_of_two(k)


@part
def short_exp2(y: float) -> float:
    """``exp2`` in the range of float32."""
    y = y if not y > 160.0 else 160.0
    y = y if not y < -160.0 else -160.0
    k = (y + ROUND) - ROUND
    r = (y - k) * LN2
    return (1.0 + (r + r * r * horner(r, EXP_TAIL_SHORT))) * power_of_two(k)


@part
def short_expm1(y: float) -> float:
    """``expm1`` in the range of float32."""
    y = y if not y > 100.0 else 100.0
    y = y if not y < -40.0 else -40.0
    k = (y * LOG2_E + ROUND) - ROUND
    r = y - k * LN2
    s = power_of_two(k)
    return (s - 1.0) + s * (r + r * r * horner(r, EXP_TAIL_SHORT))


@branch_free
def expf(x: np.float32) -> np.float32:
    """1 ulp."""
    return np.float32(short_exp(np.float64(x)))


@branch_free
def exp2f(x: np.float32) -> np.float32:
    """1 ulp."""
    return np.float32(short_exp2(np.float64(x)))


@branch_free
def expm1f(x: np.float32) -> np.float32:
    """1 ulp."""
    y = np.float64(x)
    return np.float32(short_expm1(y)) if y != 0.0 else x


@branch_free
def logisticf(x: np.float32) -> np.float32:
    """1 ulp."""
    return np.float32(1.0 / (1.0 + short_exp(-np.float64(x))))
