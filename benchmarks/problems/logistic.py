"""Logistic regression in array style."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.flags import njit
from benchmarks.problem import Array, Problem

WEIGHT = 0.01


def loss(w: Array, x: Array, y: Array) -> float:
    """``y`` is 1 or -1."""
    margins = y * (x @ w)
    return np.mean(np.log1p(np.exp(-margins))) + WEIGHT * np.sum(w * w)


@njit
def hand(w: Array, x: Array, y: Array) -> Array:
    n, d = x.shape
    w_bar = np.empty(d)
    for a in range(d):
        w_bar[a] = 2.0 * WEIGHT * w[a]
    for i in range(n):
        margin = 0.0
        for a in range(d):
            margin += x[i, a] * w[a]
        factor = -y[i] / (1.0 + math.exp(y[i] * margin)) / n
        for a in range(d):
            w_bar[a] += factor * x[i, a]
    return w_bar


def best(w: Array, x: Array, y: Array) -> Array:
    """Two products over BLAS."""
    seed = factors(x @ w, y)
    gradient: Array = x.T @ seed + 2.0 * WEIGHT * w
    return gradient


@njit
def factors(margins: Array, y: Array) -> Array:
    n = y.shape[0]
    seed = np.empty(n)
    for i in range(n):
        seed[i] = -y[i] / (1.0 + math.exp(y[i] * margins[i])) / n
    return seed


def problem() -> Problem:
    generator = np.random.default_rng(6)
    x = generator.standard_normal((10_000, 50))
    y = np.sign(x @ generator.standard_normal(50) + generator.standard_normal(10_000))
    arguments = 0.1 * generator.standard_normal(50), x, y
    return Problem("Logistic regression, 10,000 x 50, arrays", loss, arguments, 0, hand, best)
