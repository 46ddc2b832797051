"""Stage M2: several returns, casts and dtypes, rounding, slices, errors."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations.

from __future__ import annotations

import math

import numpy as np

from census.feature import feature
from census.m1 import MATRIX, OTHER, VECTOR

CUBE = np.arange(12.0).reshape(2, 2, 3) / 7.0


@feature("M2", "dtype=np.float64", 14.4, VECTOR)
def typed_buffer(x):
    y = np.zeros(x.shape[0], dtype=np.float64)
    for i in range(x.shape[0]):
        y[i] = x[i] ** 3
    return y[0] + y[2]


@feature("M2", "a[1:], a[i, :]", 13.8, VECTOR, MATRIX)
def row_products(x, a):
    total = 0.0
    inner = x[1:]
    for i in range(a.shape[0]):
        row = a[i, :]
        for j in range(3):
            total += row[j] * inner[j] * row[0]
    return total


def clamp(x, low, high):
    if x < low:
        return low
    if x > high:
        return high
    return x


@feature("M2", "several returns", 13.1, 0.4, 1.7)
def clamped_product(x, y):
    return clamp(x, 0.0, 1.0) * clamp(y, 0.0, 1.0) + clamp(y, x, 3.0)


@feature("M2", "return under if", 12.1, 0.2, 1.3)
def safe_ratio(x, y):
    if abs(y) < 1e-12:
        return 0.0
    return x / y


@feature("M2", "a[1:] = v, a[:] = b", 6.7, VECTOR)
def shifted(x):
    y = np.zeros(4)
    y[1:] = x[:-1]
    y[:2] = x[2:] * 2.0
    return y[0] * y[1] + y[2] * y[3]


@feature("M2", "raise ValueError(...)", 5.5, 2.0)
def checked_log(x):
    if x <= 0.0:
        raise ValueError("x must be positive")
    return np.log(x)


@feature("M2", "int(x)", 5.2, VECTOR, 1.6)
def linear_lookup(table, position):
    k = int(position)
    t = position - k
    return (1.0 - t) * table[k] + t * table[k + 1]


@feature("M2", "a.dtype", 3.5, VECTOR)
def same_dtype(x):
    y = np.zeros(2, dtype=x.dtype)
    y[0] = x[0] * x[1]
    y[1] = x[2] * y[0]
    return y[1]


@feature("M2", "np.float64(x)", 3.1, 0.6)
def cast_up(x):
    y = np.float64(x)
    return y * y


@feature("M2", "np.int32(x), np.int64(x)", 3.1, VECTOR, 2.2)
def grid_cell(x, position):
    cell = np.int64(np.floor(position))
    return x[cell] * (position - cell) + np.int32(3) * position


@feature("M2", "np.inf", 2.7, VECTOR)
def smallest_square(x):
    best = np.inf
    for i in range(x.shape[0]):
        if x[i] * x[i] < best:
            best = x[i] * x[i]
    return best


@feature("M2", "np.floor", 2.5, 1.7)
def sawtooth(t):
    return (t - np.floor(t)) ** 2


@feature("M2", "a.copy()", 2.1, VECTOR)
def relaxed(x):
    y = x.copy()
    for i in range(1, 3):
        y[i] = 0.5 * (x[i - 1] + x[i + 1]) * x[i]
    return y[1] * x[1] + y[2] * y[0]


@feature("M2", "np.float32", 2.0, VECTOR, tolerance=1e-4)
def single_precision(x):
    y = np.zeros(4, dtype=np.float32)
    for i in range(4):
        y[i] = np.float32(x[i]) * np.float32(2.0)
    return float(y[0] * y[1] + y[2])


@feature("M2", "assert c, message", 1.9, 0.3)
def probability_entropy(p):
    assert 0.0 < p < 1.0, "p is a probability"
    return -p * np.log(p) - (1.0 - p) * np.log(1.0 - p)


@feature("M2", "np.nan", 1.9, VECTOR)
def last_positive(x):
    found = np.nan
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            found = x[i] ** 2
    return found


@feature("M2", "a.astype(dtype)", 1.8, VECTOR)
def as_double(x):
    y = x.astype(np.float64)
    y[0] = y[0] * y[1]
    return y[0] + x[0] * x[1]


@feature("M2", "a.ndim", 1.3, MATRIX)
def any_rank(a):
    if a.ndim == 2:
        return a[0, 0] * a[1, 1]
    return a[0]


@feature("M2", "a[1:] += v", 1.3, VECTOR, OTHER)
def accumulated(x, w):
    y = x * 1.0
    y[1:] += x[:-1] * w[1:]
    y[::2] *= 2.0
    return y[0] * y[1] + y[2] * y[3]


@feature("M2", "np.sign", 1.2, -0.6)
def signed_square(x):
    return np.sign(x) * x * x


@feature("M2", "float(x)", 1.1, 0.7, 3)
def scaled(x, n):
    return x ** float(n)


@feature("M2", "math.floor, np.ceil, round", 0.9, 1.7)
def rounding(x):
    return (x - math.floor(x)) * (np.ceil(x) - x)


@feature("M2", "np.isnan, np.isfinite", 0.9, VECTOR)
def finite_mean(x):
    total = 0.0
    count = 0
    for i in range(x.shape[0]):
        if np.isfinite(x[i]) and not np.isnan(x[i]):
            total += x[i] * x[i]
            count += 1
    return total / count


@feature("M2", "a[..., 0]", 0.7, CUBE)
def first_channel(a):
    plane = a[..., 0]
    return plane[0, 1] * plane[1, 0] + a[1, ..., 2][0]


@feature("M2", "np.copy(a)", 0.4, VECTOR)
def copied(x):
    y = np.copy(x)
    y[0] = x[1] * x[2]
    return y[0] * x[0]
