"""logaddexp, from exp and log1p."""

from __future__ import annotations

import numpy as np

from srcgrad.vector_math.exponential import LN2, exp, short_exp
from srcgrad.vector_math.logarithm import log1p
from srcgrad.vector_math.operations import branch_free


@branch_free
def logaddexp(a: float, b: float) -> float:
    """``log(exp(a) + exp(b))`` to 2 ulp of the largest of the operands and the result."""
    top = a if a > b else b
    return a + LN2 if a == b else top + log1p(exp(-abs(a - b)))


@branch_free
def logaddexpf(a: np.float32, b: np.float32) -> np.float32:
    """The same of float32."""
    x, y = np.float64(a), np.float64(b)
    top = x if x > y else y
    return np.float32(x + LN2 if x == y else top + log1p(short_exp(-abs(x - y))))
