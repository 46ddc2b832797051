"""Derivatives of derivatives, and derivatives called inside functions that are compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from srcgrad import ArgumentTypeError, UnsupportedError, check_grads, grad, jit, jvp, value_and_grad, vjp


def cube(x):
    return x * x * x


def coupled(x, y):
    return x * x * np.sin(y)


def energy(x):
    total = 0.0
    for i in range(x.shape[0] - 1):
        total += x[i] ** 2 * x[i + 1]
    return total


derivative = grad(cube)
gradient = grad(energy)
TABLE = np.array([2.0, 3.0])


@pytest.fixture(params=[True, False], ids=["jit", "plain"])
def jitted(request) -> bool:
    return request.param


def test_grad_of_grad(jitted) -> None:
    second = grad(grad(cube), jit=jitted)
    assert second(2.0) == 12.0
    assert grad(second, jit=jitted)(2.0) == 6.0
    assert second.primal(2.0) == 12.0
    mixed = grad(grad(coupled, 0), 1, jit=jitted)
    assert mixed(2.0, 0.5) == pytest.approx(4.0 * np.cos(0.5))


def test_grad_object_called_inside(jitted) -> None:
    def f(x, y):
        return derivative(x) * y + derivative(2.0)

    assert jit(f, jit=jitted)(2.0, 3.0) == 48.0
    assert grad(f, argnums=(0, 1), jit=jitted)(2.0, 3.0) == (36.0, 12.0)


def test_gradient_vector_inside_a_loss(jitted) -> None:
    """The squared norm of a gradient: its gradient is twice the Hessian times it."""

    def loss(x):
        g = gradient(x)
        total = 0.0
        for i in range(g.shape[0]):
            total += g[i] ** 2
        return total

    x = np.array([1.0, 2.0, 3.0])
    hessian = np.array([[4.0, 2.0, 0.0], [2.0, 6.0, 4.0], [0.0, 4.0, 0.0]])
    np.testing.assert_allclose(grad(loss, jit=jitted)(x), 2 * hessian @ np.array([4.0, 13.0, 4.0]))


def test_value_and_grad_and_keywords_inside(jitted) -> None:
    both = value_and_grad(coupled, argnums=(0, 1))

    def f(x):
        value, (dx, dy) = both(x, y=0.5)
        return value + dx + dy

    check_grads(f, (2.0,), jit=jitted)


def test_forward_over_reverse(jitted) -> None:
    x, v = np.array([1.0, 2.0, 3.0]), np.array([1.0, -1.0, 0.5])
    _, product = jvp(gradient, (x,), (v,), jit=jitted)
    hessian = np.array([[4.0, 2.0, 0.0], [2.0, 6.0, 4.0], [0.0, 4.0, 0.0]])
    np.testing.assert_allclose(product, hessian @ v)
    _, pullback = vjp(gradient, x, jit=jitted)
    np.testing.assert_allclose(pullback(v)[0], hessian @ v)
    check_grads(energy, (x,), order=2, jit=jitted)


def test_captured_arrays_of_the_inner_function(jitted) -> None:
    def weighted(x):
        return TABLE[0] * x * x * TABLE[1]

    inner = grad(weighted)

    def f(x):
        return inner(x) * x

    g = grad(f, jit=jitted)
    assert g(1.0) == 24.0
    TABLE[0] = 4.0
    try:
        assert g(1.0) == 48.0
    finally:
        TABLE[0] = 2.0


def test_derivative_made_on_the_way(jitted) -> None:
    def f(x):
        value, slope = value_and_grad(coupled, argnums=1)(x, x)
        return grad(cube)(x) * slope + value

    # f = 3 x^4 cos x + x^2 sin x
    expected = 12 * np.cos(1.0) - 3 * np.sin(1.0) + 2 * np.sin(1.0) + np.cos(1.0)
    assert grad(f, jit=jitted)(1.0) == pytest.approx(expected)


def test_derivative_of_a_function_defined_inside_is_refused() -> None:
    def f(x):
        return grad(lambda y: x * y)(x)

    with pytest.raises(UnsupportedError, match="made while the program runs"):
        jit(f)(3.0)


def test_refusal_in_an_inner_derivative_has_its_line() -> None:
    def f(n):
        return derivative(n)

    with pytest.raises(ArgumentTypeError, match="gradient with respect to 'x'"):
        jit(f)(3)


def newton(a: float) -> float:
    x = 1.0
    for _ in range(30):
        d = (x * x - a) / (2.0 * x)
        x -= d
        if abs(d) < 1e-14:
            break
    return x


def test_through_a_loop_that_breaks() -> None:
    """It stores densely, up to its literal limit, and can be reversed again."""
    derivative: Any = newton
    for order, factor in enumerate([0.5, -0.25, 0.375, -0.9375], 1):
        derivative = grad(derivative, jit=False)
        assert derivative(2.3) == pytest.approx(factor * 2.3 ** (0.5 - order), rel=1e-12)


def escaping(c: float) -> float:
    z = 0.0
    for n in range(30):
        z = z * z + c
        if z > 4.0:
            return n + np.log(z)
    return z


def test_through_loops_that_break_inside_a_sum() -> None:
    """Reversed in place, the inner loop carries less than it was counted with."""

    def total(c: float, width: float) -> float:
        found = 0.0
        for i in range(4):
            found += escaping(c + width * i)
        return found

    h = 1e-6
    expected = (total(0.3 + h, 0.1) - total(0.3 - h, 0.1)) / (2 * h)
    assert grad(total, jit=False)(0.3, 0.1) == pytest.approx(expected, rel=1e-6)
