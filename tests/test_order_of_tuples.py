"""Tuples and lists in their order: ``min``, ``max``, ``sorted`` and ``sort`` compare them item by item."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from srcgrad import jit
from srcgrad.testing import check_grads

Array = np.ndarray


def nearest_pair(x: Array) -> float:
    """The smallest distance, with the indices of what is that near."""
    distance, i, j = min((abs(x[i] - x[j]), i, j) for i in range(len(x)) for j in range(i))
    return distance * x[i] + x[j] ** 2


def of_two(x: Array) -> float:
    low, high = min((x[0], x[1]), (x[2], x[3])), max([x[0], x[3]], [x[0], x[2]])
    return low[0] * low[1] + high[1] ** 2


def warped(x: Array) -> float:
    """Where costs are equal the step decides; both are carried."""
    y = x[::-1] * 1.3 + 0.1
    n = len(x)
    table = [[(0.0, 0)] * (n + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            d = (x[i - 1] - y[j - 1]) ** 2
            table[i][j] = min((table[i - 1][j][0] + d, 1), (table[i][j - 1][0] + d, 2), (table[i - 1][j - 1][0] + d, 3))
    return table[n][n][0] + 0.01 * table[n][n][1]


def edges_in_order(x: Array) -> float:
    edges = []
    for i in range(len(x)):
        for j in range(i):
            edges.append((abs(x[i] - x[j]), i, j))
    edges.sort(reverse=True)
    total = 0.0
    for rank, (d, i, _) in enumerate(edges):
        total += d * d / (1 + rank) * x[i]
    return total


def lists_in_order(x: Array) -> float:
    rows = []
    for i in range(len(x)):
        rows.append([i % 2, x[i] * x[0]])
    rows.sort()
    return sum(row[1] * row[1] * (j + 1) for j, row in enumerate(rows))


def by_a_pair(x: Array) -> float:
    chosen = sorted(range(len(x)), key=lambda i: (i % 2, -x[i]), reverse=True)
    total = 0.0
    for rank, i in enumerate(chosen):
        total += x[i] ** 2 * (rank + 1)
    return total


PROGRAMS = [nearest_pair, of_two, warped, edges_in_order, lists_in_order, by_a_pair]
X = np.array([0.3, 0.72, 1.13, 0.2, 0.95])


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_derivatives(f: Callable[[Array], float]) -> None:
    assert jit(f, jit=False)(X) == pytest.approx(f(X), rel=1e-12)
    check_grads(f, (X,), order=2, modes=("fwd", "rev"), jit=False)


def test_the_first_of_equal_ones() -> None:
    def f(a: float, b: float) -> float:
        least = min((a, 1.0, 5.0), (b, 1.0, 5.0))
        most = max((a, 2.0), (b, 1.0), (b, 2.0))
        return 10.0 * least[0] + most[0] + most[1]

    assert jit(f, jit=False)(3.0, 3.0) == f(3.0, 3.0)


def test_equal_keys_keep_their_order() -> None:
    def f(x: Array) -> Array:
        return np.array([float(i) for i in sorted(range(6), key=lambda i: (x[i], i % 2), reverse=True)])

    x = np.array([1.0, 1.0, 0.5, 0.5, 1.0, 1.0])
    assert np.array_equal(jit(f, jit=False)(x), f(x))


@pytest.mark.parametrize("f", [warped, edges_in_order])
def test_compiled(f: Callable[[Array], float]) -> None:
    assert jit(f)(X) == pytest.approx(f(X), rel=1e-12)
    check_grads(f, (X,), order=1, modes=("fwd", "rev"))
