"""Dawson's integral, Owen's function, Lambert's function, quantiles of Student's distribution.

The functions are plain Python that Numba compiles: generated modules contain their source.
"""

from __future__ import annotations

import math

import numpy as np

from srcgrad.primitives.gamma_functions import inverse_incomplete_beta


def dawson(x: float) -> float:
    """``exp(-x**2)`` times the integral of ``exp(t**2)``: a series, G. B. Rybicki's sum (1989), or an expansion."""
    if x != x:
        return x
    size = abs(x)
    s = size * size
    if size < 0.5:
        total = 1.0
        for k in range(14, 0, -1):
            total = 1.0 - 2.0 * s / (2.0 * k + 1.0) * total
        return x * total
    if size > 12.0:
        t = 0.5 / s
        total = 1.0
        for k in range(12, 0, -1):
            total = 1.0 + (2.0 * k - 1.0) * t * total
        return 0.5 / x * total
    step = 0.2
    nearest = 2 * int(np.floor(0.5 * size / step + 0.5))
    total = 0.0
    for k in range(-39, 40, 2):
        away = size - (nearest + k) * step
        total += math.exp(-away * away) / (nearest + k)
    return math.copysign(total / math.sqrt(math.pi), x)


def owen_integral(h: float, low: float, high: float) -> float:
    """The integral of Owen's function over some of ``0 <= x <= a``, by Gauss and Legendre's rule (nodes by mpmath)."""
    nodes = (
        0.048307665687738316, 0.14447196158279649, 0.23928736225213707, 0.33186860228212765, 0.42135127613063535,
        0.50689990893222939, 0.58771575724076233, 0.6630442669302152, 0.73218211874028968, 0.79448379596794241,
        0.84936761373256997, 0.89632115576605212, 0.93490607593773969, 0.96476225558750643, 0.98561151154526834,
        0.99726386184948156,
    )  # fmt: skip
    weights = (
        0.096540088514727801, 0.095638720079274859, 0.093844399080804566, 0.091173878695763885, 0.087652093004403811,
        0.083311924226946755, 0.078193895787070306, 0.072345794108848506, 0.065822222776361847, 0.058684093478535547,
        0.050998059262376176, 0.042835898022226681, 0.034273862913021433, 0.025392065309262059, 0.016274394730905671,
        0.0070186100094700966,
    )  # fmt: skip
    far = high if h == 0.0 else min(high, math.sqrt(low * low + 80.0 / (h * h)))  # what lies beyond vanishes
    total = 0.0
    for node, weight in zip(nodes, weights):  # noqa: B905  # Numba's zip takes no options
        for side in (-1.0, 1.0):
            t = low + 0.5 * (far - low) * (1.0 + side * node)
            total += weight * math.exp(-0.5 * h * h * (1.0 + t * t)) / (1.0 + t * t)
    return total * (far - low) / (4.0 * math.pi)


def owen(h: float, a: float) -> float:
    """``P(X > h, 0 < Y < a X)`` of independent normal numbers (D. B. Owen, 1956)."""
    if h != h or a != a:
        return np.nan
    h = abs(h)
    size = abs(a)
    if size <= 1.0:
        return math.copysign(owen_integral(h, 0.0, size), a)
    root = 0.7071067811865476
    if size == np.inf:
        return math.copysign(0.25 * math.erfc(h * root), a)
    far = size * h
    one = 0.5 * math.erfc(h * root)
    two = 0.5 * math.erfc(far * root)
    rest = 0.5 * (one + two) - one * two - owen_integral(far, 0.0, 1.0 / size)
    return math.copysign(rest, a)


def owen_beyond(h: float, a: float) -> float:
    """``P(X > h, Y > a X)`` for positive h and a, where Owen's function nearly is P(X > h, Y > 0)."""
    if not (h >= 0.0 and a >= 0.0):
        return np.nan
    root = 0.7071067811865476
    if h > 3.0 or (h > 1.0 and a > 1.0):
        return owen_integral(h, a, np.inf)
    one = 0.5 * math.erfc(h * root)
    if a <= 1.0:
        return 0.5 * one - owen_integral(h, 0.0, a)
    return owen_integral(a * h, 0.0, 1.0 / a) - 0.5 * math.erfc(a * h * root) * (0.5 - one)


def lambert(k: float, x: float) -> float:
    """The ``w`` with ``w exp(w) = x``, at least -1 for the branch 0 and at most -1 for the branch -1."""
    lowest = -0.36787944117144233
    if k != 0.0 and k != -1.0:
        return np.nan
    if not x >= lowest or (k == -1.0 and x >= 0.0):
        close = abs(x - lowest) < 1e-16
        return -1.0 if close else -np.inf if k == -1.0 and x == 0.0 else np.nan
    if x == 0.0 or x == np.inf:
        return x
    p = math.sqrt(max(2.0 * (math.e * x + 1.0), 0.0))
    if x < -0.25:
        q = p if k == 0.0 else -p
        w = -1.0 + q * (1.0 - q / 3.0 + 11.0 / 72.0 * q * q)
        if abs(q) < 1e-4:
            return w
    elif k == 0.0:
        w = math.log1p(x) if x < 3.0 else math.log(x) - math.log(math.log(x))
    else:
        w = math.log(-x) - math.log(-math.log(-x))
    for _ in range(50):
        e = math.exp(w)
        error = w * e - x
        step = error / (e * (w + 1.0) - 0.5 * (w + 2.0) * error / (w + 1.0))
        w -= step
        if not abs(step) > 4e-16 * abs(w):
            break
    return w


def student_quantile(df: float, p: float) -> float:
    """Where Student's distribution function is ``p``."""
    if not (df > 0.0 and 0.0 <= p <= 1.0):
        return np.nan
    if p == 0.0 or p == 1.0:
        return np.copysign(np.inf, p - 0.5)  # type: ignore[no-any-return]  # of numbers
    both = 2.0 * min(p, 1.0 - p)
    u = inverse_incomplete_beta(0.5, 0.5 * df, abs(2.0 * p - 1.0))
    if u < 0.5:
        return np.copysign(math.sqrt(df * u / (1.0 - u)), p - 0.5)  # type: ignore[no-any-return]  # of numbers
    w = inverse_incomplete_beta(0.5 * df, 0.5, both)
    return np.copysign(math.sqrt(df * (1.0 - w) / w) if w > 0.0 else np.inf, p - 0.5)  # type: ignore[no-any-return]  # of numbers
