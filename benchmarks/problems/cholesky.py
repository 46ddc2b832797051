"""Cholesky's factor by loops, and the gradient of a function of it by the matrix."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.flags import njit
from benchmarks.problem import Array, Problem


def weighted(a: Array, weights: Array) -> float:
    """The sum of the factor's elements times ``weights``; only the lower triangle of ``a`` is read."""
    n = a.shape[0]
    factor = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= factor[i, k] * factor[j, k]
            if i == j:
                factor[i, i] = math.sqrt(s)
            else:
                factor[i, j] = s / factor[j, j]
    total = 0.0
    for i in range(n):
        for j in range(i + 1):
            total += weights[i, j] * factor[i, j]
    return total


@njit
def hand(a: Array, weights: Array) -> Array:
    n = a.shape[0]
    factor = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= factor[i, k] * factor[j, k]
            factor[i, j] = math.sqrt(s) if i == j else s / factor[j, j]
    bar = np.tril(weights)
    a_bar = np.zeros((n, n))
    for p in range(n):
        i = n - 1 - p
        for q in range(i + 1):
            j = i - q
            if i == j:
                s_bar = 0.5 * bar[i, i] / factor[i, i]
            else:
                s_bar = bar[i, j] / factor[j, j]
                bar[j, j] -= s_bar * factor[i, j]
            a_bar[i, j] = s_bar
            for k in range(j):
                bar[i, k] -= s_bar * factor[j, k]
                bar[j, k] -= s_bar * factor[i, k]
    return a_bar


def problem() -> Problem:
    generator = np.random.default_rng(7)
    m = generator.standard_normal((150, 150))
    arguments = m @ m.T + 150.0 * np.eye(150), generator.standard_normal((150, 150))
    return Problem("Cholesky by loops, n=150", weighted, arguments, 0, hand)
