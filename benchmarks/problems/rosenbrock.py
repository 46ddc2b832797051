"""Rosenbrock's function of a million numbers."""

from __future__ import annotations

import numpy as np

from benchmarks.flags import njit
from benchmarks.problem import Array, Problem


def value(x: Array) -> float:
    total = 0.0
    for i in range(x.shape[0] - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


@njit
def hand(x: Array) -> Array:
    n = x.shape[0]
    gradient = np.zeros(n)
    for i in range(n - 1):
        r = x[i + 1] - x[i] * x[i]
        gradient[i + 1] += 200.0 * r
        gradient[i] -= 400.0 * r * x[i] + 2.0 * (1.0 - x[i])
    return gradient


@njit
def best(x: Array) -> Array:
    """Each element gathers from both sides."""
    n = x.shape[0]
    gradient = np.empty(n)
    gradient[0] = -400.0 * (x[1] - x[0] * x[0]) * x[0] - 2.0 * (1.0 - x[0])
    gradient[n - 1] = 200.0 * (x[n - 1] - x[n - 2] * x[n - 2])
    for i in range(1, n - 1):
        left, right = x[i] - x[i - 1] * x[i - 1], x[i + 1] - x[i] * x[i]
        gradient[i] = 200.0 * left - 400.0 * right * x[i] - 2.0 * (1.0 - x[i])
    return gradient


def problem() -> Problem:
    x = np.random.default_rng(8).uniform(-2.0, 2.0, 1_000_000)
    return Problem("Rosenbrock, n=1,000,000", value, (x,), 0, hand, best)
