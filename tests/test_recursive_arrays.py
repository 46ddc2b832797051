"""Recursive functions that return arrays: their pullbacks call themselves as they do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle.derivatives import differentiable, forward, random_direction, reverse
from oracle.differences import gradient

from srcgrad import UnsupportedError, grad, hessian, vjp


def fft(z: Any) -> Any:
    """Cooley and Tukey's, of a length that is a power of two; at the end it returns what it was given."""
    n = z.shape[0]
    if n == 1:
        return z
    even = fft(z[0::2])
    odd = fft(z[1::2])
    out = np.empty(n, np.complex128)
    for k in range(n // 2):
        t = np.exp(-2j * math.pi * k / n) * odd[k]
        out[k] = even[k] + t
        out[k + n // 2] = even[k] - t
    return out


def power(x: Any, w: Any) -> float:
    y = fft(x + 0j)
    total = 0.0
    for k in range(x.shape[0]):
        total += w[k] * abs(y[k]) ** 2
    return total


def halves(x: Any) -> Any:
    if x.shape[0] == 1:
        return x * x
    m = x.shape[0] // 2
    a = halves(x[:m])
    b = halves(x[m:])
    out = np.empty(x.shape[0])
    for i in range(m):
        out[i] = a[i] * b[0]
    for i in range(m, x.shape[0]):
        out[i] = b[i - m] + a[0]
    return out


def of_halves(x: Any) -> float:
    return float(np.sum(np.sin(halves(x))))


def scaled(x: Any, a: float, n: int) -> tuple[Any, float]:
    """An array and a number, of an array and a number."""
    if n == 0:
        return x, a
    y, b = scaled(np.sin(x) * a, a * 0.9, n - 1)
    return y * b, b + y[0]


def twice(x: Any, a: float) -> float:
    y, b = scaled(x, a, 3)
    return float(np.sum(y) * b)


def in_a_loop(x: Any) -> float:
    """Memory of the call is used again in each iteration, and what was passed changes afterwards."""
    total = 0.0
    u = x.copy()
    for i in range(3):
        v = halves(u)
        total += v[1] * v[i]
        u[i] = u[i] * v[0]
    return total + u[0]


def odd_part(x: Any, n: int) -> Any:
    return x * 1.0 if n == 0 else np.cos(even_part(x, n - 1))


def even_part(x: Any, n: int) -> Any:
    return x if n == 0 else odd_part(x, n - 1) * x


def mutual(x: Any) -> float:
    return float(np.sum(even_part(x, 3) ** 2))


def overwritten(x: Any) -> float:
    y = even_part(x, 2)
    y[0] = 0.0
    return float(np.sum(x * y))


X = np.array([0.3, -0.7, 1.1, 0.4])
CASES: list[tuple[Callable[..., float], tuple[Any, ...]]] = [
    (power, (X, np.array([0.2, 0.5, -0.3, 1.0]))),
    (of_halves, (X,)),
    (twice, (X, 0.8)),
    (in_a_loop, (X,)),
    (mutual, (X,)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_both_modes(f: Callable[..., float], args: tuple[Any, ...]) -> None:
    wrt = differentiable(args)
    value, gradients = reverse(f, args, wrt)
    assert value == pytest.approx(f(*args), rel=1e-13)
    for k, g in zip(wrt, gradients, strict=True):
        np.testing.assert_allclose(g, gradient(f, args, k, 1e-4), rtol=1e-7, atol=1e-8)
    direction = random_direction(args, wrt)
    along = sum(float(np.sum(g * d)) for g, d in zip(gradients, direction, strict=True))
    assert forward(f, args, wrt, direction)[1] == pytest.approx(along, rel=1e-11)


def test_jitted() -> None:
    args = CASES[0][1]
    np.testing.assert_allclose(grad(power)(*args), grad(power, jit=False)(*args), rtol=1e-12)


def test_second_order() -> None:
    found = hessian(of_halves, jit=False)(X)
    slopes = [gradient(lambda x, k=k: grad(of_halves, jit=False)(x)[k], (X,), 0, 1e-4) for k in range(4)]
    np.testing.assert_allclose(found, slopes, rtol=1e-6, atol=1e-7)


def halved(a: Any, low: int, high: int) -> Any:
    if high - low == 1:
        return 0.5 * a[low]
    middle = (low + high) // 2
    return np.sin(halved(a, low, middle)) + halved(a, middle, high) * a[low]


def of_elements(x: Any) -> float:
    return float(np.sin(halved(x, 0, x.shape[0])))


@pytest.mark.parametrize(
    ("f", "args"), [*CASES, (of_elements, (X,))], ids=[*(f.__name__ for f, _ in CASES), "elements"]
)
def test_reverse_over_reverse(f: Callable[..., float], args: tuple[Any, ...]) -> None:
    """The pullback of a callee is a callee; its own is another one."""
    wrt = differentiable(args)
    first: Any = grad(f, argnums=wrt, jit=False)
    direction = random_direction(args, wrt)
    products = vjp(first, *args, jit=False)[1](tuple(direction))
    for k in wrt:

        def along(*values: Any) -> float:
            return float(sum(np.sum(g * d) for g, d in zip(first(*values), direction, strict=True)))

        np.testing.assert_allclose(products[k], gradient(along, args, k, 1e-4), rtol=1e-6, atol=1e-7)


def test_reverse_three_times() -> None:
    def squares(x: Any) -> Any:
        return np.sum(grad(of_elements)(x) ** 2)

    second: Any = grad(squares, jit=False)
    direction = np.array([1.0, -2.0, 0.5, 1.5])
    product = vjp(second, X, jit=False)[1](direction)[0]
    np.testing.assert_allclose(product, gradient(lambda x: second(x) @ direction, (X,), 0, 1e-4), rtol=1e-6, atol=1e-7)


def test_a_result_that_may_be_the_argument_must_not_be_written_to() -> None:
    with pytest.raises(UnsupportedError, match="returns an array"):
        grad(overwritten, jit=False)(X)
