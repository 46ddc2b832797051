"""docs/conventions.md: derivatives at kinks, ties and poles, in all modes, and of second order where there is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad

INF = np.inf
Z, C = np.zeros(3), np.full(3, 2.0)
CENTRED = (np.eye(3) - 1.0 / 3.0) * 2.0 / 3.0
# the function, the point, its gradient, and its second derivative or None where there is none
CASES: list[tuple[Callable[[Any], Any], Any, Any, Any]] = [
    (lambda x: x**0, 0.0, 0.0, 0.0),
    (lambda x: x**1, 0.0, 1.0, 0.0),
    (lambda x: x**2, 0.0, 0.0, 2.0),
    (lambda x: x**3, 0.0, 0.0, 0.0),
    (lambda x: x**0.0, 0.0, 0.0, 0.0),
    (lambda x: x**1.0, 0.0, 1.0, 0.0),
    (lambda x: x**2.0, 0.0, 0.0, 2.0),
    (lambda x: np.sum(np.power(x, 2.0)), Z, Z, 2.0 * np.eye(3)),
    (lambda x: abs(x), 0.0, 0.0, None),
    (lambda x: abs(x) ** 2, 0.0, 0.0, 2.0),
    (lambda x: np.linalg.norm(x), Z, Z, None),
    (lambda x: np.linalg.norm(x) ** 2, Z, Z, 2.0 * np.eye(3)),
    (lambda x: np.std(x) ** 2, C, Z, CENTRED),
    (lambda x: np.sum(np.linalg.norm(x, axis=1)), np.zeros((2, 2)), np.zeros((2, 2)), None),
    (lambda x: np.hypot(x[0], x[1]), np.zeros(2), np.zeros(2), None),
    (lambda x: np.hypot(x, 2.0 * x) ** 2, 0.0, 0.0, 10.0),
    (lambda x: np.abs(x) * np.abs(x), 0.0, 0.0, 2.0),
    (lambda x: np.square(np.abs(x)), 0.0, 0.0, 2.0),
    (lambda x: abs(np.exp(1j * x) - 1.0) ** 2, 0.0, 0.0, 2.0),
    (lambda x: np.std(x), C, Z, None),
    (lambda x: np.var(x), C, Z, CENTRED),
    (lambda x: x * np.sqrt(x), 0.0, 0.0, None),
    (lambda x: np.sum(x * np.sqrt(x)), Z, Z, None),
    (lambda x: np.sin(x) * np.cbrt(x), 0.0, 0.0, None),
    (lambda x: np.sqrt(x) * np.sqrt(x), 0.0, 1.0, 0.0),
    (lambda x: np.sqrt(x) ** 2, 0.0, 1.0, 0.0),
    (lambda x: np.cbrt(x) ** 3, 0.0, 1.0, 0.0),
    (lambda x: (x**0.25) ** 4, 0.0, 1.0, 0.0),
    (lambda x: 0.0 * np.sqrt(x), 0.0, 0.0, 0.0),
    (lambda x: np.where(x > 0.0, x * np.log(x), 0.0) + 0.0, 0.0, 0.0, 0.0),
    (lambda x: np.where(x > 0.0, np.sqrt(x), 0.0) + 0.0, 0.0, 0.0, 0.0),
    (lambda x: np.sum(np.where(x > 0.0, 1.0 / x, 0.0)), Z, Z, np.zeros((3, 3))),
    (lambda x: np.maximum(np.sqrt(x), 1.0) + 0.0, 0.0, 0.0, 0.0),
    (lambda x: np.minimum(np.divide(1.0, x), 1.0) + 0.0, 0.0, 0.0, 0.0),
    (lambda x: np.clip(np.log(x), -5.0, 5.0) + 0.0, 0.0, 0.0, 0.0),
    (lambda x: np.sqrt(x) if x > 0.0 else x, 0.0, 1.0, 0.0),
    (lambda x: np.maximum(x, 0.0) + 0.0, 0.0, 0.5, 0.0),
    (lambda x: np.max(x), Z, np.full(3, 1.0 / 3.0), np.zeros((3, 3))),
    (
        lambda x: np.prod(x),
        np.array([0.0, 2.0, 3.0]),
        [6.0, 0.0, 0.0],
        [[0.0, 3.0, 2.0], [3.0, 0.0, 0.0], [2.0, 0.0, 0.0]],
    ),
    (
        lambda x: np.sum(np.cumprod(x)),
        np.array([2.0, 0.0, 3.0]),
        [1.0, 8.0, 0.0],
        [[0.0, 4.0, 0.0], [4.0, 0.0, 2.0], [0.0, 2.0, 0.0]],
    ),
    (lambda x: np.linalg.det(x), np.array([[1.0, 2.0], [2.0, 4.0]]), [[4.0, -2.0], [-2.0, 1.0]], None),
    (lambda x: np.floor(x) + np.sign(x), 0.0, 0.0, 0.0),
    (lambda x: np.sinc(x), 0.0, 0.0, -(np.pi**2) / 3.0),
]


@pytest.mark.parametrize(("f", "x", "gradient", "second"), CASES, ids=[str(k) for k in range(len(CASES))])
def test_convention(f: Callable[[Any], Any], x: Any, gradient: Any, second: Any) -> None:
    np.testing.assert_allclose(srcgrad.grad(f, jit=False)(x), gradient, atol=1e-15)
    direction = np.cos(np.arange(np.size(x))).reshape(np.shape(x)) if isinstance(x, np.ndarray) else 1.0
    _, tangent = srcgrad.jvp(f, (x,), (direction,), jit=False)
    np.testing.assert_allclose(tangent, np.sum(np.asarray(gradient) * direction), atol=1e-15)
    if second is not None:
        np.testing.assert_allclose(srcgrad.hessian(f, jit=False)(x), second, atol=1e-14)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 0.0, 1.0, 2.0, 3.0])
def test_powers_of_zero_with_an_exponent_known_at_run_time(n: float) -> None:
    def f(x: float, n: float) -> float:
        return x**n

    first = srcgrad.grad(f, jit=False)
    assert first(0.0, n) == (1.0 if n == 1 else 0.0)
    assert srcgrad.hessian(f, jit=False)(0.0, n) == (2.0 if n == 2 else 0.0)
    if isinstance(n, float):
        assert srcgrad.grad(f, argnums=1, jit=False)(0.0, n) == 0.0
        assert srcgrad.jvp(f, (0.0, n), (1.0, 1.0), jit=False)[1] == first(0.0, n)


def test_compiled() -> None:
    def f(x: np.ndarray, n: float) -> float:
        kept = np.where(x > 0.0, x * np.log(x), 0.0)
        return np.sum(kept) + np.sum(x**n) + np.linalg.norm(x) ** 2 + np.std(x) + np.sum(x * np.sqrt(x))

    x = np.zeros(3)
    np.testing.assert_array_equal(srcgrad.grad(f)(x, 2.0), np.zeros(3))
