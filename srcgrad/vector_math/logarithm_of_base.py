"""log2 and log10 from the logarithm in two parts, so that they are exact where the result is an integer."""

from __future__ import annotations

import numpy as np

from srcgrad.vector_math.logarithm import log
from srcgrad.vector_math.operations import INFINITY, NAN, branch_free, fma, part
from srcgrad.vector_math.power import long_log

# 1 / log(2) and 1 / log(10), in two parts each.
LOG2_E, LOG2_E_LOW = 1.4426950408889634, 2.0355273740931033e-17
LOG10_E, LOG10_E_LOW = 0.4342944819032518, 1.098319650216765e-17


@part
def times_log(x: float, factor: float, factor_low: float) -> float:
    """The logarithm times a factor in two parts."""
    high, low = long_log(x)
    p = high * factor
    y = p + (fma(high, factor, -p) + (high * factor_low + low * factor))
    y = y if x < INFINITY else x
    y = y if not x < 0.0 else NAN
    return y if x != 0.0 else -INFINITY


@branch_free
def log2(x: float) -> float:
    """1 ulp."""
    return times_log(x, LOG2_E, LOG2_E_LOW)


@branch_free
def log10(x: float) -> float:
    """1 ulp."""
    return times_log(x, LOG10_E, LOG10_E_LOW)


@branch_free
def log2f(x: np.float32) -> np.float32:
    """1 ulp."""
    return np.float32(log(np.float64(x)) * LOG2_E)


@branch_free
def log10f(x: np.float32) -> np.float32:
    """1 ulp."""
    return np.float32(log(np.float64(x)) * LOG10_E)
