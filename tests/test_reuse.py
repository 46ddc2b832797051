"""The reverse sweep takes what the forward sweep has computed of the same iteration, and of no other."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from agreement import confirm_gradients

from srcgrad import grad


def turned(x: Any) -> Any:
    """Both sine and cosine are computed: the derivative of each is the other."""
    y = x
    n = 0
    while n < 3 + 0 * abs(y):
        y = math.sin(y) + 0.5 * math.cos(y)
        n += 1
    return y


def branched(x: Any) -> Any:
    """One side computes the sine, the other asks for it."""
    y = x
    for i in range(4):
        y = y + 0.3 * math.sin(y) if i % 2 == 0 else y + 0.3 * math.cos(y)
    return y


def before_and_after(x: Any) -> Any:
    """The sine of this iteration's y and of the next one's."""
    y = x
    total = 0.0
    for _ in range(3):
        total += math.sin(y)
        y = y * 1.1 + 0.1
        total += math.cos(y) * y
    return total


@pytest.mark.parametrize("f", [turned, branched, before_and_after])
def test_gradients(f: Callable[[Any], Any]) -> None:
    confirm_gradients(f, (0.7,))


def test_nothing_is_computed_twice() -> None:
    text = grad(turned, jit=False).source(0.7)
    assert text.count("np.sin(") == text.count("np.cos(") == 1, text


def test_in_arrays() -> None:
    def f(x: Any) -> Any:
        y = x.copy()
        for _ in range(3):
            for i in range(y.shape[0]):
                y[i] = math.sin(y[i]) * math.cos(y[i]) + math.exp(0.1 * y[i - 1])
        return y.sum()

    confirm_gradients(f, (np.array([0.3, -0.2, 1.0]),))
