"""erf: a polynomial up to 1, and beyond it ``1 - exp(-x**2) p`` with p in ``(x - 2) / (x + 2)``."""

from __future__ import annotations

import math

import numpy as np

from srcgrad.vector_math.exponential import exp, short_exp
from srcgrad.vector_math.operations import branch_free, horner, part

# erf(x) / x - 1 in powers of x**2; tools/minimax.py
ERF_NEAR = (
    0.12837916709551256,
    -0.3761263890318355,
    0.11283791670945252,
    -0.026866170643275865,
    0.005223977607420152,
    -0.0008548325989528972,
    0.00012055295315405268,
    -1.4924744566398872e-05,
    1.6447516507589547e-06,
    -1.6209167212469524e-07,
    1.3722939919037837e-08,
    -7.801123524445701e-10,
)
# erfc(x) exp(x**2) in powers of (x - 2) / (x + 2), for x from 1 to 6, where erf is 1.
ERF_FAR = (
    0.25539567631050575,
    -0.4271858474139584,
    0.24165819424246654,
    -0.07897858101575043,
    0.003732892404139708,
    0.006997461740624936,
    -0.000847143224488252,
    -0.000981976985978031,
    4.355461214934718e-05,
    0.00017435635881753723,
    2.7532634459176446e-05,
    -2.748390349294839e-05,
    -1.3822446112303327e-05,
    9.42619889170608e-07,
    2.208816687403061e-06,
)
ERF_NEAR_SHORT = (
    0.12837916591435997,
    -0.37612627140192895,
    0.11283600221534874,
    -0.026854446348968074,
    0.0051895384821051315,
    -0.0008020867761803511,
    7.889204613097727e-05,
)
ERF_FAR_SHORT = (
    0.2553956763331668,
    -0.4271858471230789,
    0.24165818266489614,
    -0.0789787630870057,
    0.0037325964190627757,
    0.007004543009560925,
    -0.0008047397248667124,
    -0.0009111671909760624,
)


@branch_free
def erf(x: float) -> float:
    """2 ulp."""
    a = abs(x)
    a = a if not a > 6.0 else 6.0
    z = a * a
    near = a + a * horner(z, ERF_NEAR)
    far = 1.0 - exp(-z) * horner((a - 2.0) / (a + 2.0), ERF_FAR)
    return math.copysign(near if a < 1.0 else far, x)


@part
def short_erf(x: float) -> float:
    """``erf`` to half the digits, for results in float32."""
    a = abs(x)
    a = a if not a > 6.0 else 6.0
    z = a * a
    near = a + a * horner(z, ERF_NEAR_SHORT)
    far = 1.0 - short_exp(-z) * horner((a - 2.0) / (a + 2.0), ERF_FAR_SHORT)
    return math.copysign(near if a < 1.0 else far, x)


@branch_free
def erff(x: np.float32) -> np.float32:
    """1 ulp."""
    return np.float32(short_erf(np.float64(x)))
