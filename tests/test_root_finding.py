"""Root finders of SciPy: values are SciPy's, derivatives those of the implicit function theorem."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import optimize

from srcgrad import grad, hessian, jit, jvp, value_and_grad
from srcgrad.errors import UnsupportedError

Number = Callable[[float, float], float]


def cubic(a: float, b: float) -> Callable[[float], float]:
    return lambda x: x**3 + a * x - b


def by_brentq(a: float, b: float) -> float:
    return optimize.brentq(cubic(a, b), 0.0, 2.0) * a


def by_keywords(a: float, b: float) -> float:
    def f(x: float, p: float, q: float) -> float:
        return x**3 + p * x - q

    root, report = optimize.brentq(f, a=0, b=2, args=(a, b), xtol=1e-13, full_output=True)
    return (root + report.root) * a


def by_others(a: float, b: float) -> float:
    f = cubic(a, b)
    first = optimize.ridder(f, 0.0, 2.0) * optimize.brenth(f, 0.0, 2.0)
    return first + optimize.toms748(f, 0.0, 2.0) + a * optimize.bisect(f, 0.0, 2.0)


def by_secant(a: float, b: float) -> float:
    return optimize.newton(cubic(a, b), 0.5) * a


def by_newton(a: float, b: float) -> float:
    def slope(x: float) -> float:
        return 3 * x * x + a

    return optimize.newton(cubic(a, b), 0.5, fprime=slope) + b * optimize.newton(
        cubic(a, b), 0.5, slope, fprime2=lambda x: 6 * x
    )


def by_name(a: float, b: float) -> float:
    f = cubic(a, b)
    found = optimize.root_scalar(f, bracket=[0.0, 2.0], method="brentq")
    assert found.converged
    return found.root * a + optimize.root_scalar(f, x0=0.4, x1=0.6).root


METHODS = [by_brentq, by_keywords, by_others, by_secant, by_newton, by_name]


def expected(f: Number, a: float, b: float) -> list[float]:
    h = 1e-5
    return [(f(a + h, b) - f(a - h, b)) / (2 * h), (f(a, b + h) - f(a, b - h)) / (2 * h)]


@pytest.mark.parametrize("f", METHODS)
def test_derivatives_of_a_root(f: Number) -> None:
    value, gradient = value_and_grad(f, argnums=(0, 1), jit=False)(0.3, 0.5)
    assert value == pytest.approx(f(0.3, 0.5), rel=1e-11)
    assert gradient == pytest.approx(expected(f, 0.3, 0.5), rel=1e-7)
    tangent = jvp(f, (0.3, 0.5), (2.0, -1.0), jit=False)[1]
    assert tangent == pytest.approx(2.0 * gradient[0] - gradient[1], rel=1e-12)


def root_of_power(p: np.ndarray) -> float:
    """The cube root of p[0] p[1]."""
    return optimize.brentq(lambda x: x**3 - p[0] * p[1], 0.0, 10.0)


def test_second_derivatives_of_a_root() -> None:
    u, v = 1.3, 2.1
    root = (u * v) ** (1 / 3)
    closed = [[-2 / 9 * root / u**2, root / (9 * u * v)], [root / (9 * u * v), -2 / 9 * root / v**2]]
    assert np.allclose(hessian(root_of_power, jit=False)(np.array([u, v])), closed, rtol=1e-9)


def smile(prices: np.ndarray, strikes: np.ndarray, spot: float) -> float:
    """The squares of implied volatilities, one search after the other."""
    total = 0.0
    for i in range(len(prices)):

        def miss(v: float, price: float, strike: float) -> float:
            d = math.log(spot / strike) / v + 0.5 * v
            n = [0.5 * math.erfc(-z / math.sqrt(2.0)) for z in (d, d - v)]
            return spot * n[0] - strike * n[1] - price

        total += optimize.brentq(miss, 1e-4, 5.0, (prices[i], strikes[i])) ** 2
    return total


@pytest.mark.parametrize("compiled", [False, True])
def test_searches_in_a_loop(compiled: bool) -> None:
    prices, strikes = np.array([14.0, 10.0, 8.0]), np.array([95.0, 100.0, 105.0])
    gradient = grad(smile, jit=compiled)(prices, strikes, 100.0)
    for k in range(3):
        step = 1e-4 * np.eye(3)[k]
        difference = (smile(prices + step, strikes, 100.0) - smile(prices - step, strikes, 100.0)) / 2e-4
        assert gradient[k] == pytest.approx(difference, rel=1e-6)


def through_memory(a: float, b: float) -> float:
    """The function fills an array that its caller made."""
    room = np.zeros(2)

    def f(x: float) -> float:
        room[0] = x * x
        room[1] = a * room[0]
        return room[0] * x + room[1] - b

    return optimize.brentq(f, 0.0, 2.0) * b


def test_the_function_may_write_to_memory() -> None:
    assert grad(through_memory, argnums=(0, 1), jit=False)(0.3, 0.5) == pytest.approx(
        expected(through_memory, 0.3, 0.5), rel=1e-7
    )


def counting(a: float) -> float:
    calls = 0

    def f(x: float) -> float:
        nonlocal calls
        calls += 1
        return x * x - a

    return optimize.brentq(f, 0.0, 2.0) * calls


def test_refused() -> None:
    with pytest.raises(UnsupportedError, match="assigns to a variable around it"):
        grad(counting, jit=False)(2.0)
    with pytest.raises(UnsupportedError, match="array of starting points"):
        grad(lambda x: np.sum(optimize.newton(lambda y: y * y - x, np.ones(3))), jit=False)(2.0)


def test_what_cannot_be_found_raises() -> None:
    with pytest.raises(ValueError, match="different signs"):
        jit(lambda a: optimize.brentq(lambda x: x * x + a, 0.0, 1.0), jit=False)(1.0)
    with pytest.raises(RuntimeError, match="converged"):
        jit(lambda a: optimize.newton(lambda x: x * x + a, 1.0), jit=False)(1.0)
    with pytest.raises(ZeroDivisionError, match="slope 0"):
        grad(lambda a: optimize.newton(lambda x: x * x - a, 0.0, lambda x: 2 * x), jit=False)(0.0)


def test_slope_zero() -> None:
    """The root itself is what SciPy finds; only its derivative does not exist."""

    def triple(a: float) -> float:
        return optimize.bisect(lambda x: (x - a) ** 3, 0.0, 1.0)

    assert jit(triple, jit=False)(0.5) == jit(triple)(0.5) == triple(0.5) == 0.5
    for derivative in (grad(triple, jit=False), grad(triple)):
        with pytest.raises(ZeroDivisionError, match="slope 0"):
            derivative(0.5)


def test_in_a_try() -> None:
    """Where the search fails, no slope is asked for."""

    def found(a: float) -> float:
        try:
            root = optimize.brentq(lambda x: x**2 + a, -1.0, 0.0)
        except ValueError:
            root = 2.0 * a
        return root * a

    for a in (1.0, -0.25):
        value, slope = value_and_grad(found, jit=False)(a)
        assert value == pytest.approx(found(a), rel=1e-12)
        assert slope == pytest.approx(4.0 * a if a > 0.0 else -1.5 * np.sqrt(-a), rel=1e-9)
