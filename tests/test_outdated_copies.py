"""Copies that stand for views: what they were copied from may be written to once they are not read any more."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from srcgrad import UnsupportedError, grad, jit

Array = NDArray[np.float64]
X = np.arange(1.0, 7.0)


def step_of_a_transform(x: Array) -> float:
    """As a Fourier transform after Stockham: permuted, multiplied, and put back where it came from."""
    y = x.copy()
    weights = np.arange(6.0).reshape(2, 3)
    for _ in range(2):
        turned = np.transpose(np.reshape(y, (2, 3)))
        flat = np.reshape(turned, (6,))
        y[:] = np.reshape(weights @ np.reshape(flat * flat, (3, 2)), (4,)).repeat(2)[:6]
    return np.sum(y)


def sums_beside_a_list(x: Array) -> float:
    rows = list(np.reshape(x, (2, 3)))
    total = np.zeros((3, 3))
    for i in range(len(x)):
        total += x[i] * x[i]
    return np.sum(total) + rows[1][0]


def written_before(x: Array) -> float:
    y = np.reshape(x, (2, 3)).copy()
    y[0] *= 2.0
    flat = np.reshape(y.T, (6,))
    return np.sum(flat * X)


def halves(x: Array, low: int, high: int) -> float:
    if high - low == 1:
        return x[low] * x[low]
    middle = (low + high) // 2
    return np.sin(halves(x, low, middle)) + halves(x, middle, high)


def beside_a_recursion(x: Array) -> float:
    return step_of_a_transform(x) * halves(x, 0, 6)


@pytest.mark.parametrize("f", [step_of_a_transform, sums_beside_a_list, written_before, beside_a_recursion])
def test_not_read_afterwards(f: Callable[[Array], float]) -> None:
    gradient = grad(f, jit=False)(X)
    for k in range(6):
        h = np.zeros(6)
        h[k] = 1e-5
        assert gradient[k] == pytest.approx((f(X + h) - f(X - h)) / 2e-5, rel=1e-6)


def read_afterwards(x: Array) -> float:
    y = np.reshape(x, (2, 3)).copy()
    flat = np.reshape(y.T, (6,))
    y[0] = 0.0
    return np.sum(flat * X)


def read_in_the_next_iteration(x: Array) -> float:
    y = np.reshape(x, (2, 3)).copy()
    flat = np.reshape(y.T, (6,))
    total = 0.0
    for _ in range(2):
        total += np.sum(flat * X)
        y[0] *= 2.0
    return total


def read_by_the_caller(x: Array) -> Array:
    y = np.reshape(x, (2, 3)).copy()
    flat = np.reshape(y.T, (6,))
    y[0] = 0.0
    return flat


def read_behind_a_loop(x: Array) -> float:
    y = np.reshape(x, (2, 3)).copy()
    flat = np.zeros(6)
    for _ in range(2):
        flat = np.reshape(y.T, (6,))
        y[0] *= 2.0
    return np.sum(flat * X)


def view_written_to(x: Array) -> float:
    y = np.reshape(x, (2, 3)).copy()
    flat = np.reshape(y.T, (6,))
    flat[0] = 0.0
    return np.sum(y)


@pytest.mark.parametrize("f", [read_afterwards, read_in_the_next_iteration, read_behind_a_loop, view_written_to])
def test_read_afterwards(f: Callable[[Array], float]) -> None:
    with pytest.raises(UnsupportedError, match="a view of it was kept"):
        grad(f, jit=False)(X)


def test_returned() -> None:
    with pytest.raises(UnsupportedError, match="a view of it was kept"):
        jit(read_by_the_caller, jit=False)(X)
