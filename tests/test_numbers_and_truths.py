"""Numbers where NumPy's functions expect arrays, truths compared by identity, named tuples made in a function."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from srcgrad import grad, jit, jvp

Array = NDArray[np.float64]
X = np.array([0.3, 1.4, 0.8])


def turned(x: Array) -> float:
    s = np.squeeze(2.0 * x[0]) + x[1].transpose() + np.transpose(x[2]) + x[0].conj().T + x[1].squeeze()
    return s * s


def is_true(x: Array, low: bool = True) -> float:
    found = bool(x[0] > 1.0)
    if found is True:
        return x[0]
    if found is not False or low is False:
        return 0.0
    return 5.0 * x[1] ** 2


def until_done(x: Array) -> float:
    done, total = False, 0.0
    for v in x:
        if v > 1.0:
            done = True
        if done is not False:
            total += v * v
    return total


def named(x: Array) -> float:
    Pair = namedtuple("Pair", ["a", "b"])
    Other = namedtuple("Other", "u, v")
    p, q = Pair(x[0] ** 2, x[1]), Other(v=x[2], u=2.0)
    return p.a * p.b + q.u * q.v**3


@pytest.mark.parametrize("f", [turned, is_true, until_done, named])
def test_derivatives(f: Callable[[Array], float]) -> None:
    direction = np.array([0.3, -0.7, 0.2])
    for x in (X, X[::-1].copy(), 2.0 * X):
        numeric = (f(x + 1e-6 * direction) - f(x - 1e-6 * direction)) / 2e-6
        assert grad(f, jit=False)(x) @ direction == pytest.approx(numeric, rel=1e-7)
        assert jvp(f, (x,), (direction,), jit=False)[1] == pytest.approx(numeric, rel=1e-7)


@pytest.mark.parametrize("arguments", [(0, 3.7, 0.6), (0.5, 9.7, 1.5), (2.9, -4.0, -1.2), (0.0, 3.44, 0.313)])
def test_a_range_of_integers_with_a_fractional_step(arguments: tuple[float, float, float]) -> None:
    def f(start: float, stop: float, step: float) -> NDArray[np.int64]:
        return np.arange(start, stop, step, dtype=np.int64)

    np.testing.assert_array_equal(jit(f, jit=False)(*map(float, arguments)), f(*map(float, arguments)))
