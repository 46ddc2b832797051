"""A name that a loop binds to new arrays is still another name of the old one where the loop does not run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from agreement import confirm

from srcgrad import value_and_grad

X = np.array([0.3, 0.7, -0.4, 1.2])
D = 0.7


def argument(x: Any, n: int, d: float) -> Any:
    y = x
    for _ in range(n):
        y = np.tanh(y)
    y[0] = d
    return np.sum(x * x)


def temporary(x: Any, n: int, d: float) -> Any:
    z = x * 1.5
    y = z
    for _ in range(n):
        y = np.tanh(y) * d
    y[1] = d * d
    return np.sum(z * z)


def view(x: Any, n: int, d: float) -> Any:
    z = x * 1.5
    y = z[1:]
    for _ in range(n):
        y = y * d + 1.0
    y *= d
    return np.sum(z * z) + np.sum(y)


def counted(x: Any, n: int, d: float) -> Any:
    z = x * 1.5
    y = z
    i = 0
    while i < n:
        y = np.sin(y)
        i += 1
    z[2] = d * d
    return np.sum(y * y)


def left(x: Any, n: int, d: float) -> Any:
    z = x * 1.5
    y = z
    for i in range(3):
        if i >= n:
            break
        y = y * y
    for k in range(x.shape[0]):
        y[k] = y[k] * d
    return np.sum(z * z)


def history(x: Any, n: int, d: float) -> Any:
    z = x * 1.5
    p, y = x * d, z
    for _ in range(n):
        p, y = y, p * np.sin(y)
    y[0] = d
    return np.sum(z * z) + np.sum(p)


def one_array_twice(x: Any, n: int, d: float) -> Any:
    z = x * 1.5
    y, q = z, z
    for _ in range(n):
        y, q = q * 0.5, y + d
    y[0] = d * d
    return np.sum(q * q)


def put(y: Any, d: float) -> None:
    y[0] = y[1] * d


def by_a_helper(x: Any, n: int, d: float) -> Any:
    z = x * 1.5
    y = z
    for _ in range(n):
        w = np.empty(y.shape[0])
        for j in range(y.shape[0]):
            w[j] = y[j] * 0.5 + d
        y = w
    put(y, d)
    return np.sum(z * z) + np.sum(y)


PROGRAMS = [argument, temporary, view, counted, left, history, one_array_twice, by_a_helper]


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_either_name(f: Callable[..., Any], n: int) -> None:
    confirm(f, X, n, D)


@pytest.mark.parametrize("f", [argument, view, history], ids=lambda f: f.__name__)
def test_compiled(f: Callable[..., Any]) -> None:
    for n in (0, 2):
        confirm(f, X, n, D, jitted=True)


@pytest.mark.parametrize("n", [0, 1])
def test_what_the_caller_sees(n: int) -> None:
    given, expected = X.copy(), X.copy()
    argument(expected, n, D)
    value_and_grad(argument, jit=False, mutates=True)(given, n, D)
    np.testing.assert_array_equal(given, expected)
