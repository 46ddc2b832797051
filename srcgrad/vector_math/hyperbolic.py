"""sinh, cosh and tanh from one expm1 that keeps its rounding error."""

from __future__ import annotations

import math

import numpy as np

from srcgrad.vector_math.exponential import LARGEST, quarter_expm1, short_expm1
from srcgrad.vector_math.operations import branch_free, two_sum

SMALL = 2.0**-28  # sinh and tanh of less is the argument itself


@branch_free
def sinh(x: float) -> float:
    """2 ulp: ``(t + t / (t + 1)) / 2`` with ``t = expm1(|x|)``."""
    a = abs(x)
    quarter, lost = quarter_expm1(a if not a > LARGEST else LARGEST)
    half, lost = 2.0 * quarter, 2.0 * lost
    d, d_lost = two_sum(1.0, 2.0 * half)
    q = half / d
    rest = lost + (lost - q * (d_lost + 2.0 * lost)) * (1.0 - 2.0 * q)
    y = half + (q + rest)
    y = y if not a > 600.0 else half  # where 2 half overflows
    return math.copysign(y, x) if not a < SMALL else x


@branch_free
def cosh(x: float) -> float:
    """2 ulp: ``e + 1 / (4 e)`` with ``e = exp(|x|) / 2``."""
    a = abs(x)
    quarter, lost = quarter_expm1(a if not a > LARGEST else LARGEST)
    e, e_lost = two_sum(0.5, 2.0 * quarter)
    y = e + (0.25 / e + (e_lost + 2.0 * lost))
    return y if not a > 600.0 else e


@branch_free
def tanh(x: float) -> float:
    """2 ulp: ``h / (h + 1)`` with ``h = expm1(2 |x|) / 2``, corrected by what h and the sum have lost."""
    a = abs(x)
    quarter, lost = quarter_expm1(2.0 * (a if not a > 20.0 else 20.0))
    half, lost = 2.0 * quarter, 2.0 * lost
    d, d_lost = two_sum(1.0, half)
    q = half / d
    y = q + (lost - q * (d_lost + lost)) * (1.0 - q)
    return math.copysign(y, x) if not a < SMALL else x


@branch_free
def sinhf(x: np.float32) -> np.float32:
    """1 ulp."""
    y = np.float64(x)
    t = short_expm1(abs(y))
    return np.float32(math.copysign(0.5 * (t + t / (t + 1.0)), y))


@branch_free
def coshf(x: np.float32) -> np.float32:
    """1 ulp."""
    e = short_expm1(abs(np.float64(x))) + 1.0
    return np.float32(0.5 * (e + 1.0 / e))


@branch_free
def tanhf(x: np.float32) -> np.float32:
    """1 ulp."""
    y = np.float64(x)
    t = short_expm1(2.0 * abs(y))
    return np.float32(math.copysign(t / (t + 2.0), y))
