"""``functools.reduce`` over sequences of run-time length."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from srcgrad import grad, jvp

Array = NDArray[np.float64]
X = np.array([0.3, -1.2, 0.7, 2.1])


def over_an_array(x: Array) -> float:
    return functools.reduce(lambda a, b: 1.1 * a + b * b, x)


def from_a_start(x: Array) -> float:
    return functools.reduce(lambda a, b: a * b, x, 2.0)


def over_a_range(x: Array) -> float:
    return functools.reduce(lambda a, i: a + i * x[i] ** 2, range(len(x)), 0.0)


def over_a_list(x: Array) -> float:
    kept = []
    for v in x:
        if v > 0.0:
            kept.append(v)
    return functools.reduce(lambda a, b: a + np.sin(a * b), kept)


def over_matrices(x: Array) -> float:
    product = functools.reduce(np.dot, [np.outer(x, x), np.outer(x, x**2), x])
    return np.sum(product)


@pytest.mark.parametrize("f", [over_an_array, from_a_start, over_a_range, over_a_list, over_matrices])
def test_derivatives(f: Callable[[Array], float]) -> None:
    direction = np.array([0.3, -0.7, 0.2, 1.1])
    numeric = (f(X + 1e-6 * direction) - f(X - 1e-6 * direction)) / 2e-6
    assert grad(f, jit=False)(X) @ direction == pytest.approx(numeric, rel=1e-7)
    assert jvp(f, (X,), (direction,), jit=False)[1] == pytest.approx(numeric, rel=1e-7)


def test_of_nothing() -> None:
    with pytest.raises(ValueError, match="empty"):
        grad(over_an_array, jit=False)(X[:0])
