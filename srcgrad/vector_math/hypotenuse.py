"""hypot, scaled by a power of two so that no square overflows or is lost."""

from __future__ import annotations

import numpy as np

from srcgrad.vector_math.operations import INFINITY, branch_free


@branch_free
def hypot(x: float, y: float) -> float:
    """2 ulp."""
    a, b = abs(x), abs(y)
    large = a if a > b else b
    scale = 2.0**-600 if large > 2.0**500 else (2.0**600 if large < 2.0**-400 else 1.0)
    inverse = 2.0**600 if large > 2.0**500 else (2.0**-600 if large < 2.0**-400 else 1.0)
    a_scaled, b_scaled = a * scale, b * scale
    length = np.sqrt(a_scaled * a_scaled + b_scaled * b_scaled) * inverse
    return INFINITY if a == INFINITY or b == INFINITY else length


@branch_free
def hypotf(x: np.float32, y: np.float32) -> np.float32:
    """1 ulp."""
    a, b = np.float64(x), np.float64(y)
    length = np.float32(np.sqrt(a * a + b * b))
    return np.float32(INFINITY) if abs(a) == INFINITY or abs(b) == INFINITY else length
