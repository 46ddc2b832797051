"""Programs that once went wrong: each against differences of itself, by every way to a derivative."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.special
from oracle.derivatives import REVERSE, differentiable, forward, random_direction
from oracle.differences import along, gradient

import srcgrad

Function = Callable[..., Any]

MATRIX = np.array([[0.6, -1.1, 0.4], [0.9, 0.3, -0.7], [-0.2, 0.8, 1.3]])
VECTOR = np.array([0.7, -0.4, 1.2, 0.5])


class Pair(NamedTuple):
    k: float
    w: Any


def exchanged_rows(a: Any) -> Any:
    """Array expressions on the right of a tuple are evaluated before anything on the left is stored."""
    b = a.copy()
    b[1], b[0] = b[0].copy(), b[1].copy()
    return np.sum(b * np.arange(9.0).reshape(3, 3))


def stored_in_turn(x: Any) -> Any:
    x[0], (x[1], x[2:]) = x[1] * 2, (x[0], x[:2] * 3.0)
    return np.sum(x**3)


def one_array_of_two_names(x: Any) -> Any:
    y = z = x * 2.0
    y[0] = 5 * x[1]
    return z[0] * x[0] + y[1]


def stored_and_named(x: Any) -> Any:
    x[:] = y = x * x
    y[0] *= 3
    return np.sum(x**2) + np.sum(y)


def scratch_in_steps(x: Any, n: int) -> Any:
    """The gradient's own shadow of ``k`` is memory like any other when the gradient is differentiated."""
    k = np.empty(2)
    for _ in range(n):
        k[0] = x[0] * x[1]
        k[1] = x[0] * x[1]
        for i in range(2):
            x[i] += k[i]
    return x[0] * x[0]


def counted_twice(x: Any, idx: Any, v: Any) -> Any:
    a, b = np.zeros(4), np.zeros((2, 3))
    np.add.at(a, idx, v * x)
    np.multiply.at(a, idx, x)
    np.maximum.at(a, idx, v)
    np.add.at(a, slice(1, 3), x[0])
    np.add.at(b, (idx % 2, idx % 3), x)
    np.subtract.at(x, idx, x * v)
    return np.sum(a**2) + np.sum(b**3) + np.sum(x**2)


def ufuncs_into_memory(x: Any, y: Any) -> Any:
    z = np.empty_like(x)
    np.multiply(x, y, out=z)
    np.exp(z, out=z)
    w = np.add(z, x, out=z)
    w[0] = 2 * y[1]
    np.sin(z[1:], out=z[:-1])
    np.maximum(x[::-1], x, out=x)
    return np.sum(z * w) + np.sum(np.power(x, 3)) * y[0]


def sums_beside_writes(f: Any, x: Any) -> Any:
    """The loop that gives the sum also fills memory, which the mirror that repeats the sum does not."""
    total = 0.0
    for i in range(x.shape[0]):
        force = x[i] * 2
        f[i] += force
        total += force[0]
    return total + np.sum(f * f)


def rolled_both_ways(x: Any) -> Any:
    a = np.outer(x, x)
    b = np.roll(a, (1, 2), axis=(0, 1)) + np.roll(a, (1, 1), axis=0) + np.roll(a, 1, axis=(1, 0))
    return np.sum(a * b) + np.sum(np.roll(a, (1, 2)) * a)


def out_of_library(x: Any) -> Any:
    total, running = np.zeros(4), np.zeros(4)
    a = np.outer(x, x)
    np.sum(a, axis=0, out=total)
    np.dot(a, x, out=x)
    np.clip(x.clip(min=-0.4), max=0.9, out=running)
    np.cumsum(running, out=running)
    return x @ total + running @ running


def zero_that_has_a_slope(v: Any) -> Any:
    """At ``v[1] = 0`` the product ``0.5 / sqrt(v[0]) * v[1]`` is 0, and its derivative by ``v[1]`` is not."""
    return np.sqrt(v[0]) * v[1] + v[2] * np.sqrt(v[0] * v[1] + 1.0) + np.sum(np.log(v + 1.0) * v[::-1])


def outside_the_domain(x: Any, y: Any) -> Any:
    """In Python functions of ``math`` raise; what is not computed there must not reach a gradient either."""
    total = 0.0
    for v in (x, -x, 900.0 * x):
        try:
            total += y * math.exp(v) * math.acos(v) + math.log(v)
        except OverflowError:
            total += v * y
        except ValueError:
            total -= y * math.sin(v)
    return total


def too_large_for_a_sigmoid(x: Any, y: Any) -> Any:
    try:
        a = 1.0 / (1.0 + math.exp(1500.0 * x))
    except OverflowError:
        a = x * y
    return a * a


def quotient_that_is_caught(x: Any, y: Any) -> Any:
    zero = 0.0 * (x > 5.0)
    try:
        a = y * (x / zero)
    except ZeroDivisionError:
        a = y * y * x
    return a


PROGRAMS: list[tuple[Function, tuple[Any, ...]]] = [
    (exchanged_rows, (MATRIX,)),
    (stored_in_turn, (VECTOR,)),
    (one_array_of_two_names, (VECTOR,)),
    (stored_and_named, (VECTOR,)),
    (scratch_in_steps, (VECTOR, 2)),
    (counted_twice, (VECTOR, np.array([0, 2, 2, 3]), VECTOR[::-1] + 0.1)),
    (ufuncs_into_memory, (VECTOR, VECTOR[::-1] + 0.1)),
    (rolled_both_ways, (VECTOR,)),
    (out_of_library, (VECTOR,)),
    (sums_beside_writes, (np.zeros((3, 3)), MATRIX)),
    (outside_the_domain, (0.9, 1.3)),
    (too_large_for_a_sigmoid, (0.9, 1.3)),
    (quotient_that_is_caught, (0.9, 1.3)),
]


def named(programs: list[tuple[Function, tuple[Any, ...]]]) -> list[Any]:
    return [pytest.param(f, args, id=f.__name__) for f, args in programs]


@pytest.mark.parametrize("by", REVERSE, ids=lambda by: by.__name__)
@pytest.mark.parametrize(("f", "args"), named(PROGRAMS))
@pytest.mark.usefixtures("poisoned")
def test_reverse(f: Function, args: tuple[Any, ...], by: Any) -> None:
    together = differentiable(args)
    expected = {k: gradient(f, args, k) for k in together}
    for wrt in dict.fromkeys((together, *((k,) for k in together))):
        value, gradients = by(f, args, wrt)
        np.testing.assert_allclose(value, f(*_copied(args)), rtol=1e-12)
        for k, found in zip(wrt, gradients, strict=True):
            np.testing.assert_allclose(found, expected[k], rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(("f", "args"), named(PROGRAMS))
@pytest.mark.usefixtures("poisoned")
def test_forward(f: Function, args: tuple[Any, ...]) -> None:
    wrt = differentiable(args)
    direction = random_direction(args, wrt)
    value, tangent = forward(f, args, wrt, direction)
    np.testing.assert_allclose(value, f(*_copied(args)), rtol=1e-12)
    np.testing.assert_allclose(tangent, along(f, args, wrt, direction), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(("f", "args"), named([(scratch_in_steps, (VECTOR, 2))]))
@pytest.mark.usefixtures("poisoned")
def test_second_order(f: Function, args: tuple[Any, ...]) -> None:
    first = srcgrad.grad(f, jit=False)
    (direction,) = random_direction(args, (0,))
    expected = along(first, args, (0,), (direction,))
    _, pullback = srcgrad.vjp(first, *_copied(args), jit=False)
    np.testing.assert_allclose(pullback(direction)[0], expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(forward(first, args, (0,), (direction,))[1], expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("outer", [srcgrad.jacfwd, srcgrad.jacrev])
@pytest.mark.parametrize("inner", [srcgrad.jacfwd, srcgrad.jacrev])
def test_second_order_where_a_factor_is_zero(outer: Any, inner: Any) -> None:
    x = np.array([2.0, 0.0, 1.0])
    expected = [along(srcgrad.grad(zero_that_has_a_slope, jit=False), (x,), (0,), (e,)) for e in np.eye(3)]
    assert expected[0][1] == pytest.approx(0.5 / np.sqrt(2.0) + 0.5)
    np.testing.assert_allclose(outer(inner(zero_that_has_a_slope, jit=False), jit=False)(x), expected, rtol=1e-7)


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (lambda v: scipy.special.xlogy(v[0], v[1]), [0.0, 0.5], [math.log(0.5), 0.0]),
        (lambda v: scipy.special.xlogy(v[0], v[1]), [0.0, 0.0], [0.0, 0.0]),
        (lambda v: scipy.special.xlog1py(v[0], v[1]), [0.0, 0.5], [math.log(1.5), 0.0]),
        (lambda v: scipy.special.boxcox(v[1], v[0]), [0.0, 0.5], [math.log(0.5) ** 2 / 2, 2.0]),
    ],
)
def test_slope_at_a_removable_singularity(f: Function, x: list[float], expected: list[float]) -> None:
    """The value there is a case of its own, its slope is that of the function around."""
    for derivative in (srcgrad.grad, srcgrad.jacfwd):
        np.testing.assert_allclose(derivative(f, jit=False)(np.array(x)), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda v: v[1] ** v[0], [0.0, 2.0]),
        (lambda v: np.float_power(v[1], v[0]) * v[0], [0.0, 2.0]),
        (lambda v: scipy.special.xlogy(v[0], v[1]), [0.0, 0.5]),
    ],
)
def test_second_derivatives_where_an_operand_is_zero(f: Function, x: list[float]) -> None:
    found = srcgrad.hessian(f, jit=False)(np.array(x))
    first = srcgrad.grad(f, jit=False)
    step = 1e-5 * np.eye(2)
    expected = [(first(x + h) - first(x - h)) / 2e-5 for h in step]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(found, found.T, rtol=1e-12)


def test_second_derivatives_of_box_and_cox() -> None:
    """By differences they would lose half of the digits."""
    u = math.log(0.5)
    found = srcgrad.hessian(lambda v: scipy.special.boxcox(v[1], v[0]), jit=False)(np.array([0.0, 0.5]))
    np.testing.assert_allclose(found, [[u**3 / 3, u / 0.5], [u / 0.5, -4.0]], rtol=1e-12)


def _copied(args: tuple[Any, ...]) -> list[Any]:
    return [x.copy() if isinstance(x, np.ndarray) else x for x in args]


def test_a_dict_that_replaces_a_captured_one() -> None:
    table: dict[str, Any] = {"k": 2.0, "w": np.ones(2)}
    f = srcgrad.grad(lambda x: np.sum(x * table["w"]) * table["k"], jit=False)
    np.testing.assert_array_equal(f(np.ones(2)), [2.0, 2.0])
    table = {"k": 3.0, "w": np.array([1.0, 4.0])}
    np.testing.assert_array_equal(f(np.ones(2)), [3.0, 12.0])


def test_a_named_tuple_that_replaces_a_captured_one() -> None:
    pair = Pair(2.0, np.ones(2))
    f = srcgrad.grad(lambda x: np.sum(x * pair.w) * pair.k, jit=False)
    np.testing.assert_array_equal(f(np.ones(2)), [2.0, 2.0])
    pair = Pair(2.0, np.array([1.0, 4.0]))
    np.testing.assert_array_equal(f(np.ones(2)), [2.0, 8.0])


def halved(x: Any) -> Any:
    if x > 1.0:
        return 0.5 * halved(0.6 * x) + x
    if x < 0.2:
        return x * x
    return np.sin(x)


def list_of_results_of_a_recursion(x: Any) -> Any:
    """Branches in the callee make the list's state anew; that is no assignment to it."""
    found = []
    for v in x:
        found.append(halved(v) if v > 0.0 else v)
    return found[0] * found[-1] + sum(found)


def test_list_of_results_of_a_recursion() -> None:
    x = np.array([2.7, -0.4, 1.9, 0.1])
    expected = gradient(list_of_results_of_a_recursion, (x,), 0)
    np.testing.assert_allclose(srcgrad.grad(list_of_results_of_a_recursion, jit=False)(x), expected, rtol=1e-7)
