"""Stage M4: functions as arguments, iteration over containers, lists, None, complex numbers."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: B905
# The programs are written as users write them, without annotations.

from __future__ import annotations

import numpy as np

from census.feature import feature
from census.m1 import MATRIX, OTHER, VECTOR


@feature("M4", "[a, b], a list", 5.5, 0.4, 0.9)
def listed(x, y):
    terms = [x * y, x + y, y]
    return terms[0] * terms[1] + terms[-1]


@feature("M4", "for i, v in ...", 4.1, VECTOR)
def weighted(x):
    total = 0.0
    for i, v in enumerate(x):
        total += (i + 1.0) * v * v
    return total


@feature("M4", "np.array([a, b])", 4.0, 0.3, 0.5)
def rotated(angle, x):
    c, s = np.cos(angle), np.sin(angle)
    rotation = np.array([[c, -s], [s, c]])
    point = np.array([x, x * x])
    return rotation[0] @ point * (rotation[1] @ point)


def simpson(f, a, b):
    return (b - a) / 6.0 * (f(a) + 4.0 * f(0.5 * (a + b)) + f(b))


@feature("M4", "f(g), a function as argument", 3.7, 0.2, 1.4)
def integral(a, b):
    return simpson(np.sin, a, b) * simpson(lambda t: t * t, a, b)


def scaled_norm(x, scale=None):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * x[i]
    if scale is None:
        return total
    return total * scale


@feature("M4", "x is None", 3.4, VECTOR, 0.7)
def norms(x, s):
    return scaled_norm(x) + scaled_norm(x, s)


@feature("M4", "for v in a:", 3.2, VECTOR, MATRIX)
def over_elements_and_rows(x, a):
    total = 0.0
    for v in x:
        total += v * v * v
    for row in a:
        total += row[0] * row[2]
    return total


@feature("M4", "enumerate(a)", 3.0, VECTOR, OTHER)
def alternating(x, y):
    total = 0.0
    for i, v in enumerate(x):
        if i % 2 == 0:
            total += v * y[i]
        else:
            total -= v * v
    return total


@feature("M4", "items.append(v)", 2.5, VECTOR)
def partial_sums(x):
    sums = []
    total = 0.0
    for i in range(4):
        total += x[i] * x[i]
        sums.append(total)
    return sums[1] * sums[3]


@feature("M4", "return in a loop", 2.0, VECTOR)
def first_large(x):
    for i in range(x.shape[0]):
        if x[i] > 1.0:
            return x[i] ** 2
    return 0.0


def sum_of(*terms):
    total = 0.0
    for t in terms:
        total += t * t
    return total


@feature("M4", "f(*terms), a, *rest = t", 1.7, 0.4, 0.8, 1.1)
def starred(x, y, z):
    first, *rest = (x * y, y * z, z)
    return sum_of(first, *rest) * rest[0]


@feature("M4", "1j, np.complex128", 1.5, 0.4, 1.2)
def wave_intensity(amplitude, phase):
    wave = amplitude * np.exp(1j * phase) + 0.5
    return wave.real**2 + wave.imag**2


@feature("M4", "zip(a, b)", 1.1, VECTOR, OTHER)
def paired(x, y):
    total = 0.0
    for a, b in zip(x, y):
        total += a * b * b
    return total


@feature("M4", "for f in (g, h):", 1.3, 0.4, 0.9)
def over_a_tuple(x, y):
    total = 0.0
    for value in (x * y, x, y * y):
        total += value * value
    return total


@feature("M4", "reversed(range(n))", 0.4, VECTOR, 0.3)
def backward_recurrence(x, t):
    value = 0.0
    for i in reversed(range(x.shape[0])):
        value = value * t + x[i]
    return value


@feature("M4", "[f(v) for v in a]", 0.9, VECTOR)
def comprehended(x):
    squares = [x[i] * x[i] for i in range(3)]
    return squares[0] * squares[2] + squares[1]


@feature("M4", "def inside def, lambda", 0.8, 0.7, 0.3)
def closed_over(x, rate):
    def step(state):
        return state + rate * state * (1.0 - state)

    return step(step(x))


@feature("M4", "np.ndindex(a.shape)", 0.4, MATRIX)
def over_all(a):
    total = 0.0
    for i, j in np.ndindex(a.shape):
        total += a[i, j] ** 2 * (i + j)
    return total


@feature("M4", "else after a loop", 0.1, VECTOR)
def loop_else(x):
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > 5.0:
            break
        total += x[i] ** 2
    else:
        total *= 2.0
    return total


def factorial_like(x, n):
    if n == 0:
        return 1.0
    return (x + n) * factorial_like(x, n - 1)


@feature("M4", "recursion", 0.7, 0.4)
def rising(x):
    return factorial_like(x, 4)
