"""Stage M1: arrays by element, counted loops, allocation, procedures that write to their arguments."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations.

from __future__ import annotations

import numpy as np
from numba import prange

from census.feature import feature

VECTOR = np.array([0.3, -0.7, 1.1, 0.4])
OTHER = np.array([1.2, 0.5, -0.3, 0.8])
MATRIX = np.array([[0.5, -0.2, 0.7], [1.1, 0.3, -0.4]])
PLACES = np.array([2, 0, 2, 3])


@feature("M1", "a[i], a[i, j]", 56.3, VECTOR, MATRIX)
def corner_products(x, a):
    return x[0] * a[0, 1] + x[2] * a[1, 2]


@feature("M1", "for i in range(n)", 42.4, VECTOR, OTHER)
def weighted_squares(x, w):
    total = 0.0
    for i in range(len(x)):
        total += w[i] * x[i] * x[i]
    return total


@feature("M1", "a[i] = v", 33.2, VECTOR)
def moving_product(x):
    y = np.zeros(4)
    for i in range(1, 4):
        y[i] = x[i] * x[i - 1]
    return y[1] * y[2] + y[3]


@feature("M1", "a.shape", 28.5, MATRIX)
def frobenius(a):
    rows, columns = a.shape
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            total += a[i, j] ** 2
    return total / a.shape[0]


@feature("M1", "loops in loops", 26.0, MATRIX, VECTOR)
def bilinear(a, x):
    total = 0.0
    for i in range(2):
        row = 0.0
        for j in range(3):
            row += a[i, j] * x[j]
        total += row * row * x[i]
    return total


@feature("M1", "np.zeros(n), np.zeros((n, m))", 19.1, VECTOR)
def pair_table(x):
    n = x.shape[0]
    table = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            table[i, j] = (x[i] - x[j]) ** 3
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += table[i, j] * table[i, j]
    return total


@feature("M1", "a parameter array written to", 15.7, VECTOR)
def running_product(x):
    for i in range(1, x.shape[0]):
        x[i] = x[i] * x[i - 1] + 0.5
    return x[3]


def add_forces(position, force, stiffness):
    for i in range(position.shape[0] - 1):
        pull = stiffness * (position[i + 1] - position[i]) ** 3
        force[i] += pull
        force[i + 1] -= pull


@feature("M1", "a procedure without return", 14.7, VECTOR, 1.4)
def chain_work(position, stiffness):
    force = np.zeros(position.shape[0])
    add_forces(position, force, stiffness)
    work = 0.0
    for i in range(position.shape[0]):
        work += force[i] * position[i]
    return work


@feature("M1", "len(a)", 12.5, VECTOR)
def trapezoid(y):
    area = 0.0
    for i in range(len(y) - 1):
        area += 0.5 * (y[i] + y[i + 1]) ** 2
    return area


@feature("M1", "a[i] += v", 11.7, VECTOR)
def prefix_energy(x):
    s = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(i + 1):
            s[i] += x[j]
    energy = 0.0
    for i in range(len(x)):
        energy += s[i] * s[i]
    return energy


@feature("M1", "numba.prange", 9.8, VECTOR)
def parallel_sum(x):
    total = 0.0
    for i in prange(x.shape[0]):
        total += np.exp(x[i]) * x[i]
    return total


@feature("M1", "np.empty(n)", 8.0, VECTOR)
def smoothed(x):
    n = x.shape[0]
    y = np.empty(n)
    y[0] = x[0]
    for i in range(1, n):
        y[i] = 0.7 * y[i - 1] + 0.3 * x[i] * x[i]
    return y[n - 1] * y[1]


@feature("M1", "a.size", 7.4, VECTOR)
def mean_square(x):
    total = 0.0
    for i in range(x.size):
        total += x[i] * x[i]
    return total / x.size


@feature("M1", "a[-1]", 3.8, VECTOR)
def endpoint_difference(x):
    return (x[-1] - x[0]) ** 2 * x[-2]


@feature("M1", "a[idx[i]]", 3.2, VECTOR, PLACES)
def gathered(x, places):
    total = 0.0
    for i in range(places.shape[0]):
        total += x[places[i]] ** 2 * (i + 1)
    return total


@feature("M1", "np.full(n, v)", 2.2, 0.7, VECTOR)
def constant_start(level, x):
    state = np.full(4, level)
    for i in range(4):
        state[i] *= x[i] * level
    return state[0] + state[3]


@feature("M1", "range(n, -1, -1)", 1.7, VECTOR, 0.6)
def horner(c, t):
    value = 0.0
    for i in range(c.shape[0] - 1, -1, -1):
        value = value * t + c[i]
    return value


@feature("M1", "np.empty_like(a)", 1.5, VECTOR)
def reciprocal_sum(x):
    y = np.empty_like(x)
    for i in range(len(x)):
        y[i] = 1.0 / (1.0 + x[i] * x[i])
    return y[0] * y[1] * y[2] * y[3]


@feature("M1", "np.zeros_like(a)", 1.3, MATRIX)
def column_scan(a):
    s = np.zeros_like(a)
    for j in range(a.shape[1]):
        s[0, j] = a[0, j]
        s[1, j] = s[0, j] * a[1, j]
    return s[1, 0] + s[1, 1] * s[1, 2]


@feature("M1", "np.ones(n)", 1.0, VECTOR)
def product_table(x):
    p = np.ones(5)
    for i in range(4):
        p[i + 1] = p[i] * (1.0 + x[i])
    return p[4] + p[2]


@feature("M1", "a[-1] = v", 1.0, VECTOR)
def boundary(x):
    y = np.zeros(3)
    y[0] = x[0] * x[1]
    y[-1] = x[-1] * y[0]
    return y[2] * y[0]


@feature("M1", "range(0, n, 2)", 0.9, VECTOR)
def even_terms(x):
    total = 0.0
    for i in range(0, x.shape[0], 2):
        total += x[i] * x[i + 1]
    return total


@feature("M1", "a[idx[i]] = v", 0.8, VECTOR, PLACES)
def scattered(x, places):
    y = np.zeros(4)
    for i in range(4):
        y[places[i]] = x[i] * x[i]
    total = 0.0
    for i in range(4):
        total += (i + 1.0) * y[i]
    return total
