"""Scratch memory that looks private to an iteration and is not: what was there before is read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from oracle.differences import gradient

import srcgrad


def constant_in_a_while(x: np.ndarray) -> float:
    offset = np.zeros(x.shape[0])
    k = 0
    while k < 2 and x[0] < 5.0:
        k += 1
        x[k] *= 0.6 + 0.4 * np.sin(offset[2])
    return np.sum(x * x)


def filled_in_part(x: np.ndarray) -> float:
    buffer = np.zeros(3)
    total = 0.0
    for i in range(3):
        for j in range(i + 1):
            buffer[j] = x[j] * x[i]
        for j in range(3):
            total += buffer[j] * buffer[j]
    return total


def filled_on_one_side(x: np.ndarray) -> float:
    buffer = np.zeros(2)
    total = 0.0
    for i in range(3):
        buffer[0] = x[i] * x[i]
        if i > 0:
            buffer[1] = buffer[0] * 0.5
        total += buffer[0] * buffer[1] + buffer[1]
    return total


def read_by_the_test(x: np.ndarray) -> float:
    state = np.zeros(1)
    total = 0.0
    k = 0
    while state[0] < 2.0 and k < 3:
        state[0] = x[k] * x[k]
        total += state[0] * x[0]
        k += 1
    return total


def kept_over_the_loop(x: np.ndarray) -> float:
    last = np.zeros(1)
    total = 0.0
    for i in range(3):
        total += last[0] * x[i]
        last[0] = x[i] * x[i]
    return total


@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize(
    "function", [constant_in_a_while, filled_in_part, filled_on_one_side, read_by_the_test, kept_over_the_loop]
)
def test_what_was_there_before_is_read(function: Callable[..., float]) -> None:
    x = np.array([0.4, 1.2, 0.7])
    expected = gradient(function, (x,), 0)
    np.testing.assert_allclose(srcgrad.grad(function, jit=False)(x), expected, rtol=1e-6)
