"""Lists and tuples where NumPy takes them for arrays; nested lists whose items are assigned in loops."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import srcgrad

V = np.random.default_rng(21).uniform(0.5, 1.5, 6)


def rows_of_tuples(x):
    p = np.zeros((3, 2))
    for i in range(3):
        p[i] = x[2 * i], x[2 * i + 1] * x[0]
    p[1:3] += [[x[0], 1.0], [2.0, x[1]]]
    p[:, 0] *= (x[0], 2.0, 3.0)
    p[[0, 1], [1, 1]] = [x[3], x[4] ** 2]
    return np.sum(p**2)


def row_of_a_grown_list(x):
    p, squares = np.zeros((2, 3)), []
    for i in range(len(x) // 2):
        squares.append(x[i] ** 2)
    p[1] = squares
    p[1] -= squares[::-1]
    return np.sum(p**3)


def operators(x):
    weighted = (x - [1.0, 2.0, 3.0, 4.0, 5.0, x[0]]) * x[1]
    return np.sum(weighted) + (x[:2] @ [x[3], 2.0]) + np.sum((2.0, x[0]) * x[:2]) - np.sum(x * [v * 2.0 for v in x])


def comparisons(x):
    return np.sum(x[x > [0.6, 0.6, 2.0, 0.6, 0.6, 0.6]] ** 2)


def ufuncs(x):
    return np.sum(np.exp([x[0], 2.0 * x[1]])) + np.sum(np.maximum([0.7, x[2]], (x[3], 0.1))) + np.hypot([x[4]], 1.0)[0]


def table(x):
    t = [[0.0] * 3 for _ in range(2)]
    for i in range(2):
        for j in range(3):
            t[i][j] = x[3 * i + j] * (t[i - 1][j] if i > 0 else 1.0)
    return sum(sum(row) for row in t)


def table_of_multiples(x):
    t = [[0.0] * 3, [1.0] * 3]
    for i in range(2):
        for j in range(3):
            t[i][j] += x[3 * i + j] ** 2
    return t[0][1] * t[1][2] * t[1][0]


def lengthened(x):
    values = [x[0]] + [x[1]] * 2
    for i in range(3):
        values[i] = values[i - 1] * x[i]
    return values[0] * values[1] + values[2]


FUNCTIONS = [
    rows_of_tuples,
    row_of_a_grown_list,
    operators,
    comparisons,
    ufuncs,
    table,
    table_of_multiples,
    lengthened,
]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_value_and_derivatives(f: Callable[[np.ndarray], float]) -> None:
    assert srcgrad.jit(f, jit=False)(V) == pytest.approx(f(V), rel=1e-13)
    srcgrad.check_grads(f, (V,), jit=False)


def test_compiled() -> None:
    def together(x):
        return rows_of_tuples(x) + operators(x) + table_of_multiples(x)

    value, gradient = srcgrad.value_and_grad(together)(V)
    assert value == pytest.approx(together(V), rel=1e-12)
    np.testing.assert_allclose(gradient, srcgrad.grad(together, jit=False)(V), rtol=1e-11)
