"""Small arrays that a loop makes anew in each iteration are one place in memory, unless somebody could see that."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import confirm
from oracle.differences import gradient
from oracle.programs import exact, is_well_conditioned, load, relative_error
from random_states import random_states

import srcgrad
from srcgrad.ir.core import LOOPS, walk
from srcgrad.ir.text import parse
from srcgrad.ir.types import Array
from srcgrad.primitives.table import infer

RNG = np.random.default_rng(23)
X, W = np.array([0.7, -0.4, 1.1]), np.array([[0.3, -0.2, 0.5], [0.1, 0.6, -0.4], [-0.3, 0.2, 0.4]])


def carries_arrays(f: Any, *args: Any) -> bool:
    """Whether some loop does after the pass."""
    program = parse(srcgrad.grad(f).ir(*args, after="carry_in_buffers"), infer)
    return any(isinstance(r.type, Array) for op in walk(program.body) for r in op.results if op.primitive in LOOPS)


def runge_kutta(k: Any, y0: Any, n: int) -> Any:
    def slope(y: Any) -> Any:
        return np.array([y[1], -k * y[0] - 0.1 * y[1]])

    y, h = np.zeros(2) + y0, 0.1
    for _ in range(n):
        k1 = slope(y)
        k2 = slope(y + 0.5 * h * k1)
        k3 = slope(y + 0.5 * h * k2)
        k4 = slope(y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y[0] * y[0] + y[1]


def power_iteration(a: Any, n: int) -> Any:
    v = np.ones(3)
    for _ in range(n):
        v = a @ v
        v = v / np.sqrt(np.sum(v * v))
    return v @ a @ v


def momentum(a: Any, n: int) -> Any:
    x, v = np.ones(3), np.zeros(3)
    for _ in range(n):
        v = 0.9 * v - 0.1 * (a @ x)
        x = x + v
    return np.sum(x * x)


def boundary(a: Any, n: int) -> Any:
    u = np.linspace(0.0, 1.0, 5)
    for t in range(n):
        u = u + a * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1))
        u[0] = np.sin(a * t)
    return np.sum(u * u)


def accepted(a: Any, n: int) -> Any:
    x, best = np.ones(3), 10.0
    for t in range(n):
        moved = x - 0.1 * (t + 1) * (a @ x)
        size = np.sum(moved * moved)
        if size < best:
            x, best = moved, size
    return np.sum(x) + best


def squares(a: Any, tolerance: float) -> Any:
    m = np.eye(3)
    while np.sum(m * m) > tolerance:
        m = a @ m @ a.T
    return np.sum(m) + m[0, 1]


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (runge_kutta, (1.3, np.array([1.0, 0.2]), 4)),
        (power_iteration, (W + np.eye(3), 4)),
        (momentum, (W + W.T, 5)),
        (boundary, (0.2, 4)),
        (accepted, (W, 5)),
        (squares, (W * 0.8, 0.05)),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_users_programs(f: Any, args: tuple[Any, ...]) -> None:
    assert not carries_arrays(f, *args)
    confirm(f, *args, order=2 if f in (momentum, squares) else 1)


def test_compiled() -> None:
    confirm(power_iteration, W + np.eye(3), 3, order=1, jitted=True)


def test_a_state_before_the_last_is_carried_as_before() -> None:
    def f(x: Any, n: int) -> Any:
        now, before = np.ones(3) * x, np.ones(3)
        for _ in range(n):
            now, before = 2.0 * now - before - 0.1 * np.sin(now), now
        return np.sum(now * before)

    confirm(f, X, 4, order=1)


def test_a_branch_in_a_branch_exchanges_two_states() -> None:
    def f(x: Any, n: int) -> Any:
        s, b, c = 0.0, np.ones(3) * x, np.full(3, 0.3)
        for t in range(n):
            if t > 0:
                if c[0] < 0.5:
                    b, c = c, b
                s += 0.1 * c[1]
            b = b * 1.0
            c = np.sin(c)
        return s + np.sum(b * x) + np.sum(c)

    confirm(f, X, 4, order=1)


def test_a_branch_chooses_between_the_state_and_what_it_is_a_view_of() -> None:
    def f(x: Any, n: int) -> Any:
        b = np.ones(3) * x
        c = b
        for _ in range(n):
            b = c[::-1]
        if b[1] > 0.0:
            c, b = b, c
        c[0] += 0.3 * c[2]
        return np.sum(b * b) - np.sum(c)

    confirm(f, X, 3, order=1)
    confirm(f, -X, 3, order=1)


def test_what_is_appended_is_not_overwritten() -> None:
    def f(x: Any, n: int) -> Any:
        y, past = np.ones(3) * x, []
        for _ in range(n):
            past.append(y)
            y = np.sin(y)
        return np.sum(past[0] * past[1]) + np.sum(y)

    confirm(f, X, 3, order=1)


def test_an_argument_that_is_the_first_state_stays_as_it_is() -> None:
    def f(x: Any, n: int) -> Any:
        y = x
        for t in range(n):
            y[0] = y[0] * 0.5 + t
            y = np.ones(3) * np.sin(y)
        return np.sum(y * y) + x[0]

    for n in range(3):
        ours, theirs = X.copy(), X.copy()
        assert srcgrad.jit(f, jit=False)(ours, n) == pytest.approx(f(theirs, n), rel=1e-14)
        np.testing.assert_array_equal(ours, theirs)
        slopes = gradient(lambda x, n: f(x.copy(), n), (X, n), 0, 1e-4)
        np.testing.assert_allclose(srcgrad.grad(f, jit=False)(X.copy(), n), slopes, rtol=1e-6)


def test_single_precision_stays() -> None:
    g = srcgrad.grad(power_iteration, jit=False)
    found = g((W + np.eye(3)).astype(np.float32), 3)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, g(W + np.eye(3), 3), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("seeds", [range(40), pytest.param(range(40, 3000), marks=pytest.mark.slow)], ids=str)
def test_random_states(seeds: range) -> None:
    for seed in seeds:
        source = random_states(seed)
        args = (X, W, 3)
        if not is_well_conditioned(source, args):
            continue
        value, gradients = exact(source, args)
        f = load(source)
        got, found = srcgrad.value_and_grad(f, argnums=(0, 1), jit=False, cache=False)(X, W, 3)
        assert relative_error([got, *found], [value, *gradients]) < 1e-10, source
