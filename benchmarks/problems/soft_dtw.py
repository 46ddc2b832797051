"""Soft dynamic time warping of two series (Cuturi and Blondel, 2017): gradient by the first.

A cell's value is its squared difference and the soft minimum of three earlier cells, with temperature one.
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks.flags import njit
from benchmarks.lane_math import exp, log
from benchmarks.problem import Array, Problem

FAR = 1e10


def soft_dtw(x: Array, y: Array) -> float:
    n, m = x.shape[0], y.shape[0]
    r = np.full((n + 1, m + 1), 1e10)
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            a, b, c = r[i - 1, j - 1], r[i - 1, j], r[i, j - 1]
            least = min(a, min(b, c))
            soft = least - math.log(math.exp(least - a) + math.exp(least - b) + math.exp(least - c))
            r[i, j] = (x[i - 1] - y[j - 1]) ** 2 + soft
    return float(r[n, m])


@njit
def hand(x: Array, y: Array) -> Array:
    """The values are kept; the share of each earlier cell is the exponential of a difference."""
    n, m = x.shape[0], y.shape[0]
    r = np.full((n + 1, m + 1), FAR)
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            a, b, c = r[i - 1, j - 1], r[i - 1, j], r[i, j - 1]
            least = min(a, min(b, c))
            soft = least - math.log(math.exp(least - a) + math.exp(least - b) + math.exp(least - c))
            r[i, j] = (x[i - 1] - y[j - 1]) ** 2 + soft
    r_bar, x_bar = np.zeros((n + 1, m + 1)), np.zeros(n)
    r_bar[n, m] = 1.0
    for i in range(n, 0, -1):
        for j in range(m, 0, -1):
            here = r_bar[i, j]
            difference = x[i - 1] - y[j - 1]
            x_bar[i - 1] += 2.0 * difference * here
            soft = r[i, j] - difference * difference
            r_bar[i - 1, j - 1] += here * math.exp(soft - r[i - 1, j - 1])
            r_bar[i - 1, j] += here * math.exp(soft - r[i - 1, j])
            r_bar[i, j - 1] += here * math.exp(soft - r[i, j - 1])
    return x_bar


@njit
def best(x: Array, y: Array) -> Array:
    """Along antidiagonals, whose cells do not depend on each other; ``r[k, i]`` is cell ``(i, k - i)``."""
    n, m = x.shape[0], y.shape[0]
    r = np.full((n + m + 1, n + 1), FAR)
    shares = np.zeros((n + m + 3, 3, n + 2))  # of a cell in its three successors
    backwards = np.empty(m)
    for j in range(m):
        backwards[m - 1 - j] = y[j]
    r[0, 0] = 0.0
    for k in range(2, n + m + 1):
        first, last = max(1, k - m), min(n, k - 1)
        diagonal(r[k - 2], r[k - 1], r[k], shares[k], x, backwards, first, last - first + 1, m - k)
    e, x_bar = np.zeros((n + m + 3, n + 2)), np.zeros(n)
    e[n + m, n] = 1.0
    for q in range(n + m - 1):
        k = n + m - q
        first, last = max(1, k - m), min(n, k - 1)
        reversed_diagonal(
            e[k], e[k + 1], e[k + 2], shares[k + 1], shares[k + 2], x, backwards, x_bar,
            first, last - first + 1, m - k, q > 0,
        )  # fmt: skip
    return x_bar


@njit
def diagonal(
    before: Array,
    last: Array,
    now: Array,
    shares: Array,
    x: Array,
    backwards: Array,
    first: int,
    count: int,
    shift: int,
) -> None:
    for q in range(count):
        i = np.uint64(first + q)
        a, b, c = before[i - np.uint64(1)], last[i - np.uint64(1)], last[i]
        least = min(a, min(b, c))
        ea, eb, ec = exp(least - a), exp(least - b), exp(least - c)
        total = ea + eb + ec
        difference = x[i - np.uint64(1)] - backwards[np.uint64(shift + first + q)]
        now[i] = difference * difference + least - log(total)
        scale = 1.0 / total
        shares[0, i], shares[1, i], shares[2, i] = ea * scale, eb * scale, ec * scale


@njit
def reversed_diagonal(
    now: Array, after: Array, later: Array, next_shares: Array, later_shares: Array, x: Array, backwards: Array,
    x_bar: Array, first: int, count: int, shift: int, inner: bool,
) -> None:  # fmt: skip
    for q in range(count):
        i = np.uint64(first + q)
        below = i + np.uint64(1)
        if inner:
            now[i] = (
                later[below] * later_shares[0, below]
                + after[below] * next_shares[1, below]
                + after[i] * next_shares[2, i]
            )
        x_bar[i - np.uint64(1)] += 2.0 * (x[i - np.uint64(1)] - backwards[np.uint64(shift + first + q)]) * now[i]


def problem() -> Problem:
    generator = np.random.default_rng(12)
    x, y = np.cumsum(0.2 * generator.standard_normal((2, 200)), axis=1)
    return Problem("Soft dynamic time warping, 200 x 200", soft_dtw, (x, y), 0, hand, best)
