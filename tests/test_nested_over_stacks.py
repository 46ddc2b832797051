"""Gradients of gradients whose reverse sweep keeps values on a stack: their adjoints are on another one."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from oracle.derivatives import differentiable, random_direction
from oracle.programs import is_well_conditioned, load, relative_error
from random_programs import Program, program

from srcgrad import grad, hessian, jit, jvp, value_and_grad, vjp


@pytest.fixture(params=[True, False], ids=["jit", "plain"])
def jitted(request) -> bool:
    return request.param


def exponential(x):
    total, term, k = 1.0, 1.0, 1
    while abs(term) > 1e-20:
        term = term * x / k
        total += term
        k += 1
    return total


def test_four_times_through_a_while(jitted) -> None:
    """The series is that of its own derivative."""
    derivative: Any = exponential
    for _ in range(4):
        derivative = grad(derivative, jit=jitted)
        assert derivative(0.5) == pytest.approx(np.exp(0.5), rel=1e-13)


def root(a):
    x = a
    while abs(x * x - a) > 1e-3:
        x = 0.5 * (x + a / x)
    for _ in range(4):
        x = 0.5 * (x + a / x)
    return x


def test_four_times_through_newtons_method(jitted) -> None:
    derivative: Any = root
    for order, factor in enumerate([0.5, -0.25, 0.375, -0.9375], 1):
        derivative = grad(derivative, jit=jitted)
        assert derivative(2.3) == pytest.approx(factor * 2.3 ** (0.5 - order), rel=1e-10)


def shrunk(x, c):
    """Halved until it is small: ``c**2 * sum(x**2)`` over a power of two that the norm decides."""
    y = x * c
    while np.sum(y * y) > 1.0:
        y = 0.5 * y
    return np.sum(y * y)


def squared_slopes(x, c):
    by_x, by_c = grad(shrunk, argnums=(0, 1))(x, c)
    return np.sum(by_x**2) + by_c**2


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_norm_of_a_gradient(dtype, order, jitted) -> None:
    """``s = 4**-n``: the slopes are ``2 s c**2 x`` and ``2 s c |x|**2``."""
    x = np.array([[1.0, 2.0, -1.5], [0.5, 3.0, 1.0]], dtype)
    given = np.repeat(x, 2, axis=1)[:, ::2] if order == "strided" else np.asarray(x, order=order)
    c, s, norm = 1.5, 4.0**-3, np.sum(x.astype(float) ** 2)
    value, (by_x, by_c) = value_and_grad(squared_slopes, argnums=(0, 1), jit=jitted)(given, c)
    precise = {"rtol": 1e-12 if dtype is np.float64 else 1e-5}
    np.testing.assert_allclose(value, 4 * s * s * (c**4 * norm + c * c * norm**2), **precise)
    np.testing.assert_allclose(by_x, 4 * s * s * (2 * c**4 + 4 * c * c * norm) * x, **precise)
    np.testing.assert_allclose(by_c, 4 * s * s * (4 * c**3 * norm + 2 * c * norm**2), **precise)
    assert by_x.dtype == dtype
    assert isinstance(by_c, float)


def test_of_nothing(jitted) -> None:
    by_x, by_c = grad(squared_slopes, argnums=(0, 1), jit=jitted)(np.zeros(0), 1.5)
    assert by_x.shape == (0,)
    assert by_c == 0.0


def shrunk_in_place(x):
    """Writes to its argument."""
    while np.sum(x * x) > 1.0:
        x *= 0.5
        x[0] *= 0.5
    return np.sum(x * x)


def written_slopes(x):
    return np.sum(grad(shrunk_in_place)(x) * x[::-1])


def then_doubled(x):
    total = written_slopes(x)
    x *= 2.0
    return total


@pytest.mark.parametrize("mutates", [False, True])
def test_arguments_that_are_written_to(mutates, jitted) -> None:
    x = np.array([1.0, 2.0, 0.5])
    powers = np.array([16.0, 4.0, 4.0]) ** -2.0  # two rounds
    given = x.copy()
    gradient = grad(then_doubled, jit=jitted, mutates=mutates)(given)
    expected = 2.0 * powers * x[::-1] + (2.0 * powers * x)[::-1]
    np.testing.assert_allclose(gradient, expected, rtol=1e-13)
    np.testing.assert_array_equal(given, 2.0 * x if mutates else x)


@dataclass
class Spring:
    mass: float
    ends: tuple[float, np.ndarray]
    name: str


def settled(spring, k):
    x = spring.ends[0]
    while x * x > 1.0:
        x = x / (1.0 + spring.mass) + 0.1 * k * np.sum(spring.ends[1])
    return spring.mass * x * x


def by_mass(spring, k):
    return grad(settled)(spring, k).mass


def test_structures_and_further_results(jitted) -> None:
    """As the derivative in the other order, of the gradient by the mass, is."""
    spring = Spring(0.8, (4.0, np.array([0.3, 0.2])), "steel")
    gradient, aux = grad(lambda s, k: (by_mass(s, k), s.mass * 2.0), has_aux=True, jit=jitted)(spring, 0.5)
    assert aux == 1.6

    def at(mass, end, more):
        return settled(Spring(mass, (end, more), "steel"), 0.5)

    assert gradient.name is None
    assert gradient.mass == pytest.approx(float(hessian(at)(0.8, 4.0, spring.ends[1])), rel=1e-12)

    def slope(end, more, h=1e-4):
        return (at(0.8 + h, end, more) - at(0.8 - h, end, more)) / (2 * h)

    step = 1e-4
    by_end = (slope(4.0 + step, spring.ends[1]) - slope(4.0 - step, spring.ends[1])) / (2 * step)
    assert gradient.ends[0] == pytest.approx(by_end, rel=1e-6)
    unit = np.array([step, 0.0])
    by_more = (slope(4.0, spring.ends[1] + unit) - slope(4.0, spring.ends[1] - unit)) / (2 * step)
    np.testing.assert_allclose(gradient.ends[1], by_more, rtol=1e-6)


def spiral(z):
    """``(z / 2)**n``, by the size of which n is chosen, times its conjugate; and the square of its slope."""
    while abs(z) > 1.0:
        z = z * (0.5 + 0.1j)
    return z * z


def squared_slope(z):
    slope = grad(spiral, holomorphic=True)(z)
    return abs(slope) ** 2


@pytest.mark.parametrize("array", [False, True])
def test_complex_numbers(array, jitted) -> None:
    """``spiral`` is ``(a z)**2``: its slope is ``2 a**2 z``, and the square of that ``4 |a|**4 |z|**2``."""
    a = (0.5 + 0.1j) ** 3
    z = 3.0 - 4.0j

    def of_an_array(z):
        return squared_slope(z[1]) + abs(z[0]) ** 2

    expected = 8.0 * abs(a) ** 4 * np.conj(z)
    if array:
        got = grad(of_an_array, jit=jitted)(np.array([1.0 + 2.0j, z]))
        np.testing.assert_allclose(got, [2.0 - 4.0j, expected], rtol=1e-12)
    else:
        assert grad(squared_slope, jit=jitted)(z) == pytest.approx(expected, rel=1e-12)
        second = grad(grad(spiral, holomorphic=True), holomorphic=True, jit=jitted)
        assert second(z) == pytest.approx(2.0 * a * a, rel=1e-12)


def swapped(x, beta):
    """Arrays that a loop makes anew and swaps."""
    v = np.zeros_like(x)
    for _ in range(4):
        v, x = beta * v - 0.2 * x**3, x + v
    return np.sum(x * v)


def test_arrays_that_are_swapped(jitted) -> None:
    x, beta, h = np.array([1.0, -0.7, 0.5]), 0.9, 1e-4
    differences = (swapped(x, beta + h) - 2 * swapped(x, beta) + swapped(x, beta - h)) / h**2
    assert grad(grad(swapped, 1), 1, jit=jitted)(x, beta) == pytest.approx(differences, rel=1e-6)


def rounds(x, limit):
    """Stacks inside a loop, under a branch, and in a loop that may not run."""
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i]
        if i % 2 == 0:
            while y > limit:
                for k in range(int(y) + 1):
                    y = y * (0.6 + 0.02 * k)
                total += y * y
        while y < -limit:
            y = np.sin(y) * 0.9
            total += y**3
        total = total * (1.0 + 0.1 * y)
    return total


def test_loops_inside_loops(jitted) -> None:
    x, direction = np.array([5.5, 1.2, 3.3, -2.0, -4.0]), np.array([0.3, -0.2, 0.5, 1.0, 0.7])
    product = vjp(grad(rounds), x, 1.0, jit=jitted)[1](direction)[0]
    h, gradient = 1e-4, grad(rounds, jit=False)
    differences = [(gradient(x + s * direction, 1.0) - gradient(x - s * direction, 1.0)) / (2 * s) for s in (h, 2 * h)]
    np.testing.assert_allclose(product, (4 * differences[0] - differences[1]) / 3, rtol=1e-8)
    np.testing.assert_allclose(product, jvp(grad(rounds), (x, 1.0), (direction, None), jit=jitted)[1], rtol=1e-12)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in range(2, 60))])
def test_random_programs(seed: int) -> None:
    """Reverse over reverse beside forward over reverse, of programs with loops of unknown length."""
    p = program_of_whiles(seed)
    args = p.make_args()
    wrt = differentiable(args)
    direction = random_direction(args, wrt)
    gradient = grad(load(p.source), argnums=wrt, jit=False)
    tangents = dict(zip(wrt, direction, strict=True))
    expected = jvp(gradient, args, tuple(tangents.get(k) for k in range(len(args))), jit=False)[1]
    pulled = vjp(gradient, *p.make_args(), jit=False)[1](tuple(direction))
    assert relative_error([pulled[k] for k in wrt], expected) < 1e-9


def program_of_whiles(number: int) -> Program:
    """The random program of that number among those of double precision that repeat until something is reached."""
    chosen = (p for p in map(program, itertools.count()) if "while" in p.source and p.dtype is np.float64)
    return next(itertools.islice((p for p in chosen if is_well_conditioned(p.source, p.make_args())), number, None))


def test_inside_a_function(jitted) -> None:
    def curvature(x):
        return grad(grad(exponential))(x) + grad(exponential)(x)

    assert jit(curvature, jit=jitted)(0.3) == pytest.approx(2 * np.exp(0.3), rel=1e-12)
    assert grad(curvature, jit=jitted)(0.3) == pytest.approx(2 * np.exp(0.3), rel=1e-12)
