"""Stage M5: linear algebra, sorting and searching, masks, recursion, special functions, comprehensions, bits."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations.

from __future__ import annotations

import math

import numpy as np

from census.feature import feature
from census.m1 import MATRIX, VECTOR

SYMMETRIC = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.25], [0.5, -0.25, 5.0]])
POINT = np.array([0.5, -1.0, 2.0])


@feature("M5", "a & b, a << b", 1.0, 0.7)
def hashed(x):
    state, total = 12345, 0.0
    for _ in range(4):
        state ^= (state << 13) & 0xFFFFFFFF
        state ^= state >> 17
        total += x * (state & 0xFF) / 256.0
    return total * x


@feature("M5", "[f(v) for v in a]", 0.9, VECTOR)
def comprehended(x):
    squares = np.array([v * v for v in x])
    return np.sum(squares) * sum([np.sin(v) for v in x if v > 0.0])


@feature("M5", "np.where(c, a, b)", 0.9, VECTOR)
def leaky_sum(x):
    return np.sum(np.where(x > 0.0, x * x, 0.1 * x))


@feature("M5", "np.searchsorted(a, v)", 0.8, VECTOR, 0.6)
def spline_like(y, t):
    knots = np.linspace(0.0, 1.0, y.shape[0])
    i = min(max(np.searchsorted(knots, t) - 1, 0), y.shape[0] - 2)
    w = (t - knots[i]) / (knots[i + 1] - knots[i])
    return y[i] * (1.0 - w) + y[i + 1] * w * w


def continued(x, n):
    return x if n == 0 else x + 1.0 / continued(x + 1.0, n - 1)


@feature("M5", "f calls f", 0.7, 1.3)
def recursive_fraction(x):
    return continued(x, 5) * x


@feature("M5", "np.argsort, np.sort", 0.7, VECTOR)
def ordered(x):
    order = np.argsort(x)
    ranked = np.sort(x)
    total = 0.0
    for k in range(x.shape[0]):
        total += x[order[k]] * ranked[k] * (k + 1.0)
    return total


@feature("M5", "raise ValueError(f'{x}')", 0.1, 0.8)
def checked(x):
    if x < 0.0:
        raise ValueError(f"expected a positive number, got {x:.3f}")
    return math.sqrt(x) * x


@feature("M5", "np.linalg.norm(a)", 0.5, POINT)
def normed(x):
    return np.linalg.norm(x) * x[0]


@feature("M5", "np.linalg.solve(a, b)", 0.4, SYMMETRIC, POINT)
def solved(a, b):
    return np.sum(np.linalg.solve(a, b) * b)


@feature("M5", "np.linalg.inv, np.linalg.cholesky", 0.2, SYMMETRIC)
def log_determinant(a):
    lower = np.linalg.cholesky(a @ a.T)
    return np.sum(np.log(np.diag(lower))) + np.trace(np.linalg.inv(a))


@feature("M5", "np.argmin, np.argmax", 0.5, VECTOR)
def nearest(x):
    return x[np.argmax(x)] * x[np.argmin(x)]


@feature("M5", "np.any(c), np.all(c)", 0.4, VECTOR)
def guarded(x):
    if np.any(x > 100.0) or not np.all(np.isfinite(x)):
        return 0.0
    return np.sum(x * x)


@feature("M5", "a[mask]", 0.1, VECTOR)
def masked(x):
    y = x.copy()
    y[y < 0.0] = 0.5
    return np.sum(x[x > 0.1] ** 2) + np.prod(y)


@feature("M5", "math.erf, math.lgamma", 0.2, 0.8)
def special(x):
    return math.erf(x) * math.exp(math.lgamma(1.0 + x)) - math.erfc(x * x)


@feature("M5", "np.ndindex(a.shape)", 0.4, MATRIX)
def every_element(a):
    total = 0.0
    for i, j in np.ndindex(a.shape[0], a.shape[1]):
        total += a[i, j] ** 2 * (i + 2.0 * j)
    return total


@feature("M5", "np.interp(x, xp, fp)", 0.1, 0.35, VECTOR)
def looked_up(t, values):
    return np.interp(t, np.linspace(0.0, 1.0, values.shape[0]), values) ** 2
