"""Second derivatives where a cotangent is exactly 0: at a minimum of least squares the Hessian is that of Gauss-Newton.

Products with a partial that may be infinite are 0 where the cotangent is; the slope of that product is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

import srcgrad
from srcgrad import tensor
from srcgrad.primitives.scalar import FUNCTIONS, SCALARS

Residual = Callable[[Any], Any]


def loops(x: np.ndarray) -> np.ndarray:
    out = np.zeros(3)
    for i in range(3):
        u = x[i]
        for _ in range(4):
            u = math.sqrt(u) * math.exp(-0.3 * u) + 0.5 / u
        if u > 0.0:
            out[i] = math.log(u)
    return out


def recursion(x: np.ndarray) -> np.ndarray:
    u = x
    for _ in range(3):
        u = np.exp(-u) / (1.0 + np.sum(u**0.5))
    return u


def newton(x: np.ndarray) -> np.ndarray:
    e = x
    while np.max(np.abs(e - 0.3 * np.sin(e) - x)) > 1e-14:
        e = e - (e - 0.3 * np.sin(e) - x) / (1.0 - 0.3 * np.cos(e))
    return e


RESIDUALS: list[Residual] = [
    np.exp,
    np.log,
    np.sqrt,
    np.tan,
    np.arcsin,
    np.cbrt,
    lambda x: 1.0 / x,
    lambda x: x**x,
    lambda x: np.arctan2(x, x[::-1]),
    lambda x: np.hypot(x, x[::-1] + 1.0),
    lambda x: np.logaddexp(x, x[::-1]),
    scipy.special.gammaln,
    scipy.special.ndtri,
    lambda x: scipy.special.xlogy(x, x[::-1]),
    lambda x: scipy.special.softmax(x),
    lambda x: scipy.special.logsumexp(x),
    np.prod,
    np.cumprod,
    np.std,
    np.linalg.norm,
    lambda x: np.linalg.norm(np.outer(x, x) + np.diag(x), 2),
    lambda x: np.linalg.det(np.outer(x, x) + np.diag(x)),
    lambda x: np.linalg.solve(np.outer(x, x) + np.diag(x), x),
    lambda x: np.linalg.cholesky(np.outer(x, x) + np.diag(x)),
    lambda x: np.linalg.eigvalsh(np.outer(x, x) + np.diag(x)),
    lambda x: np.where(x > 0.5, np.log(x), np.exp(x)),
    lambda x: np.maximum(np.sqrt(x), x),
    loops,
    recursion,
    newton,
]


@pytest.mark.parametrize("residual", RESIDUALS, ids=lambda f: getattr(f, "__name__", "f"))
def test_hessian_at_a_minimum_of_least_squares(residual: Residual) -> None:
    x = np.array([0.3, 0.9, 0.6])
    data = srcgrad.jit(residual, jit=False)(x)

    def loss(x: np.ndarray) -> float:
        return np.sum((residual(x) - data) ** 2)

    jacobian = np.reshape(srcgrad.jacfwd(residual, jit=False)(x), (-1, 3))
    expected = 2.0 * jacobian.T @ jacobian
    np.testing.assert_allclose(srcgrad.grad(loss, jit=False)(x), 0.0, atol=1e-12)
    np.testing.assert_allclose(srcgrad.hessian(loss, jit=False)(x), expected, rtol=1e-9, atol=1e-9)


SINGULAR = sorted(
    {
        row: f for f, row in FUNCTIONS.items() if SCALARS[row].singular and not SCALARS[row].passive and row != "ipow"
    }.items()
)


@pytest.mark.parametrize("outer", ["reverse", "forward"])
@pytest.mark.parametrize(("row", "function"), SINGULAR, ids=[row for row, _ in SINGULAR])
def test_product_with_a_factor_of_zero(row: str, function: Callable[..., Any], outer: str) -> None:
    """``(x - a) * f(x)`` has the second derivative ``2 f'(a)`` at a, in each order of the modes."""
    at = 1.7 if row == "arccosh" else 0.4
    try:
        slope = srcgrad.grad(lambda x: function(x), jit=False)(at)
    except TypeError:  # of two operands
        slope = srcgrad.grad(lambda x: function(x, 0.7), jit=False)(at)

        def product(x: float) -> float:
            return (x - at) * function(x, 0.7)
    else:

        def product(x: float) -> float:
            return (x - at) * function(x)

    if outer == "reverse":
        second = srcgrad.grad(srcgrad.grad(product, jit=False), jit=False)(at)
    else:
        _, second = srcgrad.jvp(srcgrad.grad(product, jit=False), (at,), (1.0,), jit=False)
    np.testing.assert_allclose(second, 2.0 * slope, rtol=1e-12)


@pytest.mark.parametrize(("function", "log_of_base"), [(np.logaddexp, 1.0), (np.logaddexp2, math.log(2.0))])
def test_logistic_loss_at_zero(function: Callable[..., Any], log_of_base: float) -> None:
    assert srcgrad.hessian(lambda x: function(x, 0.0), jit=False)(0.0) == pytest.approx(0.25 * log_of_base)
    infinite = srcgrad.grad(function, argnums=(0, 1), jit=False)
    assert infinite(-np.inf, -np.inf) == infinite(np.inf, np.inf) == (0.5, 0.5)
    assert infinite(-np.inf, 0.0) == (0.0, 1.0)


def test_compiled_code_agrees() -> None:
    def loss(x: np.ndarray) -> float:
        total = 0.0
        for i in range(x.shape[0]):
            total += (math.exp(x[i]) - 1.0) ** 2 + x[i] * math.sqrt(1.0 + x[i])
        return total

    x = np.zeros(3)
    np.testing.assert_allclose(srcgrad.hessian(loss)(x), 3.0 * np.eye(3), rtol=1e-14)


def test_tensors_differentiate_twice() -> None:
    x = tensor([0.0], dtype=srcgrad.float64, requires_grad=True)
    (first,) = srcgrad.autograd.grad(((x.exp() - 1.0) ** 2).sum(), x, create_graph=True)
    (second,) = srcgrad.autograd.grad(first.sum(), x)
    assert second.item() == 2.0
