"""atan, reduced to arguments up to tan(pi/8) by the addition theorem."""

from __future__ import annotations

import math

import numpy as np

from srcgrad.vector_math.operations import INFINITY, NAN, branch_free, horner, part

# (atan(t) / t - 1) / t**2 in powers of t**2; tools/minimax.py
ATAN_TAIL = (
    -0.3333333333333333,
    0.19999999999995777,
    -0.14285714284715503,
    0.11111111018897266,
    -0.09090904715687019,
    0.07692186177142041,
    -0.06664550923899994,
    0.05858471951237849,
    -0.050870474212205745,
    0.039275411022908574,
    -0.019227814704392377,
)
ATAN_TAIL_SHORT = (
    -0.33333333282854943,
    0.19999978288304018,
    -0.14284198948077675,
    0.11072141652274159,
    -0.08629835268306328,
    0.05060138977165158,
)
PI_2, PI_2_LOW = math.pi / 2.0, 6.123233995736766e-17
TAN_PI_8, TAN_3_PI_8 = math.sqrt(2.0) - 1.0, math.sqrt(2.0) + 1.0


@branch_free
def atan(x: float) -> float:
    """2 ulp."""
    a = abs(x)
    middle, far = a > TAN_PI_8, a > TAN_3_PI_8
    numerator = -1.0 if far else (a - 1.0 if middle else a)
    denominator = a if far else (a + 1.0 if middle else 1.0)
    turn = 1.0 if far else (0.5 if middle else 0.0)  # in quarters of the circle
    t = numerator / denominator
    z = t * t
    y = turn * PI_2 + (t + (t * z * horner(z, ATAN_TAIL) + turn * PI_2_LOW))
    return math.copysign(y, x)


@branch_free
def atan2(y: float, x: float) -> float:
    """The angle of the point (x, y), 2 ulp, with the special cases of C99."""
    a, b = abs(y), abs(x)
    large, small = (a, b) if a > b else (b, a)
    scale = 2.0**-600 if large > 2.0**500 else (2.0**600 if large < 2.0**-400 else 1.0)
    whole, part = large * scale, small * scale
    middle = part > TAN_PI_8 * whole
    t = (part - whole if middle else part) / (part + whole if middle else whole)
    # Both infinite, or both 0: the angle is that of the quadrant's middle, or of its first axis.
    t = (0.0 if large == INFINITY else t) if large > 0.0 else 0.0
    middle = middle or (part == INFINITY)
    z = t * t
    tail = t * z * horner(z, ATAN_TAIL)
    # The angle of t, perhaps an eighth of the circle more, mirrored at the diagonal, mirrored at the y axis.
    eighths = 0.5 if middle else 0.0
    steep = a > b
    turn = 1.0 - eighths if steep else eighths
    sign = -1.0 if steep else 1.0
    left = math.copysign(1.0, x) < 0.0
    turn = 2.0 - turn if left else turn
    sign = -sign if left else sign
    angle = turn * PI_2 + (sign * t + (sign * tail + turn * PI_2_LOW))
    angle = angle if a == a and b == b else NAN
    return math.copysign(angle, y)


@part
def short_atan(x: float) -> float:
    """``atan`` to half the digits, for results in float32."""
    a = abs(x)
    middle, far = a > TAN_PI_8, a > TAN_3_PI_8
    numerator = -1.0 if far else (a - 1.0 if middle else a)
    denominator = a if far else (a + 1.0 if middle else 1.0)
    turn = 1.0 if far else (0.5 if middle else 0.0)
    t = numerator / denominator
    z = t * t
    return math.copysign(turn * PI_2 + (t + t * z * horner(z, ATAN_TAIL_SHORT)), x)


@branch_free
def atan2f(y: np.float32, x: np.float32) -> np.float32:
    """1 ulp."""
    return np.float32(atan2(np.float64(y), np.float64(x)))


@branch_free
def atanf(x: np.float32) -> np.float32:
    """1 ulp."""
    return np.float32(short_atan(np.float64(x)))
