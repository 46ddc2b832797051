"""Elementary functions of NumPy and math. In each rule y is the primitive's own result.

``singular`` rows are those whose partial can be infinite or NaN at a finite operand, by a pole or by overflow.
``math.floor``, ``math.ceil`` and ``math.trunc`` give an int, so the front end lowers them with a cast of its own.
"""

from __future__ import annotations

import math

import numpy as np

from srcgrad.primitives.scalar import scalar, truth_of_same

# exp overflows, and `np.where(x < 10.0, np.exp(x), 1.0)` must not make a NaN of that: singular.
scalar("exp", "np.exp({0})", lambda x, y: y, functions=(np.exp, math.exp), singular=True, cost=20)
scalar(
    "exp2",
    "np.exp2({0})",
    lambda x, y: 0.6931471805599453 * y,  # log(2)
    functions=(np.exp2, getattr(math, "exp2", np.exp2)),
    singular=True,
    cost=20,
)
scalar("expm1", "np.expm1({0})", lambda x, y: np.exp(x), functions=(np.expm1, math.expm1), singular=True, cost=20)
scalar("log", "np.log({0})", lambda x, y: 1.0 / x, functions=(np.log, math.log), singular=True, cost=20)
scalar(
    "log2",
    "np.log2({0})",
    lambda x, y: 1.4426950408889634 / x,  # 1 / log(2)
    functions=(np.log2, math.log2),
    singular=True,
    cost=20,
)
scalar(
    "log10",
    "np.log10({0})",
    lambda x, y: 0.4342944819032518 / x,  # 1 / log(10)
    functions=(np.log10, math.log10),
    singular=True,
    cost=20,
)
scalar("log1p", "np.log1p({0})", lambda x, y: 1.0 / (1.0 + x), functions=(np.log1p, math.log1p), singular=True, cost=20)
# By the sigmoid rather than by exp(a - y): right also where an operand is infinite, as log-probabilities are. Of equal
# finite operands it is a half, too, and has a derivative.
scalar(
    "logaddexp",
    "np.logaddexp({0}, {1})",
    lambda a, b, y: (
        0.5 if np.isinf(a) and a == b else 1.0 / (1.0 + np.exp(b - a)),
        0.5 if np.isinf(a) and a == b else 1.0 / (1.0 + np.exp(a - b)),
    ),
    functions=(np.logaddexp,),
    cost=40,
)
scalar(
    "logaddexp2",
    "np.logaddexp2({0}, {1})",
    lambda a, b, y: (
        0.5 if np.isinf(a) and a == b else 1.0 / (1.0 + np.exp2(b - a)),
        0.5 if np.isinf(a) and a == b else 1.0 / (1.0 + np.exp2(a - b)),
    ),
    functions=(np.logaddexp2,),
    cost=40,
)

# Powers and roots. cbrt and sqrt have infinite slope at 0; hypot is a norm, of slope 0 at the origin.
scalar("sqrt", "np.sqrt({0})", lambda x, y: 0.5 / y, functions=(np.sqrt, math.sqrt), singular=True, cost=7)
scalar(
    "cbrt",
    "np.cbrt({0})",
    lambda x, y: 1.0 / (3.0 * y * y),
    functions=(np.cbrt, getattr(math, "cbrt", np.cbrt)),
    singular=True,
    cost=30,
)
scalar(
    "hypot",
    "np.hypot({0}, {1})",
    lambda a, b, y: (a / y if y != 0.0 else 0.0, b / y if y != 0.0 else 0.0),
    functions=(np.hypot, math.hypot),
    cost=15,
)

# Circular functions
scalar("sin", "np.sin({0})", lambda x, y: np.cos(x), functions=(np.sin, math.sin), cost=20)
scalar("cos", "np.cos({0})", lambda x, y: -np.sin(x), functions=(np.cos, math.cos), cost=20)
scalar("tan", "np.tan({0})", lambda x, y: 1.0 + y * y, functions=(np.tan, math.tan), cost=25)
scalar(
    "arcsin",
    "np.arcsin({0})",
    lambda x, y: 1.0 / np.sqrt((1.0 - x) * (1.0 + x)),
    functions=(np.arcsin, math.asin),
    singular=True,
    cost=20,
)
scalar(
    "arccos",
    "np.arccos({0})",
    lambda x, y: -1.0 / np.sqrt((1.0 - x) * (1.0 + x)),
    functions=(np.arccos, math.acos),
    singular=True,
    cost=20,
)
scalar("arctan", "np.arctan({0})", lambda x, y: 1.0 / (1.0 + x * x), functions=(np.arctan, math.atan), cost=20)
scalar(
    "arctan2",
    "np.arctan2({0}, {1})",
    lambda a, b, y: (b / (a * a + b * b), -a / (a * a + b * b)),
    functions=(np.arctan2, math.atan2),
    singular=True,
    cost=30,
)
scalar(
    "deg2rad",
    "np.deg2rad({0})",
    lambda x, y: 0.017453292519943295,  # pi / 180
    functions=(np.deg2rad, np.radians, math.radians),
)
scalar(
    "rad2deg",
    "np.rad2deg({0})",
    lambda x, y: 57.29577951308232,  # 180 / pi
    functions=(np.rad2deg, np.degrees, math.degrees),
)

# Hyperbolic functions
scalar("sinh", "np.sinh({0})", lambda x, y: np.cosh(x), functions=(np.sinh, math.sinh), singular=True, cost=25)
scalar("cosh", "np.cosh({0})", lambda x, y: np.sinh(x), functions=(np.cosh, math.cosh), singular=True, cost=25)
scalar("tanh", "np.tanh({0})", lambda x, y: 1.0 - y * y, functions=(np.tanh, math.tanh), cost=20)
scalar(
    "arcsinh",
    "np.arcsinh({0})",
    lambda x, y: 1.0 / np.sqrt(x * x + 1.0),
    functions=(np.arcsinh, math.asinh),
    cost=30,
)
scalar(
    "arccosh",
    "np.arccosh({0})",
    lambda x, y: 1.0 / (np.sqrt(x - 1.0) * np.sqrt(x + 1.0)),
    functions=(np.arccosh, math.acosh),
    singular=True,
    cost=30,
)
scalar(
    "arctanh",
    "np.arctanh({0})",
    lambda x, y: 1.0 / ((1.0 - x) * (1.0 + x)),
    functions=(np.arctanh, math.atanh),
    singular=True,
    cost=30,
)


# Sign and rounding: abs and copysign have slope 0 at 0; steps have slope 0 everywhere. The rules of these, and of max
# and min, select among constants without a branch: the products are then selected, and 0 is 0 times infinity.
def slope_of_abs(x: float) -> float:
    below = -1.0 if x < 0.0 else 0.0
    return 1.0 if x > 0.0 else below


def slope_of_copysign(a: float, y: float) -> float:
    kept = 1.0 if a == y else -1.0
    return 0.0 if a == 0.0 else kept


scalar(
    "abs",
    "abs({0})",
    lambda x, y: slope_of_abs(x),
    functions=(abs, np.abs, np.absolute, math.fabs),
)
scalar(
    "copysign",
    "np.copysign({0}, {1})",
    lambda a, b, y: (slope_of_copysign(a, y), 0.0),
    functions=(np.copysign, math.copysign),
)
scalar("sign", "np.sign({0})", functions=(np.sign,))
scalar("floor", "np.floor({0})", functions=(np.floor,))
scalar("ceil", "np.ceil({0})", functions=(np.ceil,))
scalar("trunc", "np.trunc({0})", functions=(np.trunc, np.fix))
scalar("rint", "np.rint({0})", functions=(np.rint,))
scalar(
    "fmod",
    "np.fmod({0}, {1})",
    lambda a, b, y: (1.0, -np.rint((a - y) / b)),  # the quotient that was used; trunc(a / b) can be one off
    functions=(math.fmod,),
    singular=True,
    cost=20,
)
scalar("isnan", "np.isnan({0})", functions=(np.isnan, math.isnan), infer=truth_of_same)
scalar("isinf", "np.isinf({0})", functions=(np.isinf, math.isinf), infer=truth_of_same)
scalar("isfinite", "np.isfinite({0})", functions=(np.isfinite, math.isfinite), infer=truth_of_same)
scalar("signbit", "np.signbit({0})", functions=(np.signbit,), infer=truth_of_same)


def digamma(x: float) -> float:
    """The logarithmic derivative of the gamma function, to about 1e-14: reflected, shifted by 8, then asymptotic.

    Abramowitz and Stegun 6.3.5, 6.3.7 and 6.3.18; straight-line, so that it vectorises and differentiates again.
    """
    right = x > 0.5
    z = x if right else 1.0 - x
    low = 1.0 / z + 1.0 / (z + 1.0) + 1.0 / (z + 2.0) + 1.0 / (z + 3.0)
    high = 1.0 / (z + 4.0) + 1.0 / (z + 5.0) + 1.0 / (z + 6.0) + 1.0 / (z + 7.0)
    s = z + 8.0
    r = 1.0 / (s * s)
    tail = r * (1.0 / 132.0 - r * (691.0 / 32760.0 - r / 12.0))
    series = r * (1.0 / 12.0 - r * (1.0 / 120.0 - r * (1.0 / 252.0 - r * (1.0 / 240.0 - tail))))
    psi = np.log(s) - 0.5 / s - series - (low + high)
    return psi if right else psi - np.pi / np.tan(np.pi * (x - np.rint(x)))  # type: ignore[no-any-return]  # NumPy of a float


# Error and gamma functions, as math has them (scipy.special is not available to compiled code).
scalar(
    "erf",
    "math.erf({0})",
    lambda x, y: 1.1283791670955126 * np.exp(-x * x),  # 2 / sqrt(pi)
    functions=(math.erf,),
    cost=30,
)
scalar(
    "erfc",
    "math.erfc({0})",
    lambda x, y: -1.1283791670955126 * np.exp(-x * x),
    functions=(math.erfc,),
    cost=30,
)
scalar("gamma", "math.gamma({0})", lambda x, y: y * digamma(x), functions=(math.gamma,), singular=True, cost=40)
scalar("lgamma", "math.lgamma({0})", lambda x, y: digamma(x), functions=(math.lgamma,), singular=True, cost=40)
