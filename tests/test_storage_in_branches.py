"""Loops whose number of iterations is negative where the branch or loop around does not run: room is made in front."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from srcgrad import check_grads, grad, hessian


def loop_in_a_branch(x: float, n: int) -> float:
    if n > 0:
        s = x
        for _ in range(n - 1):
            s = np.sin(s) * s
        return s
    return x * 3.0


def branch_in_a_loop(x: float, n: int) -> float:
    s = 0.0
    for k in range(3):
        if n - k > 0:
            t = x
            for _ in range(n - k - 1):
                t = np.sin(t) * t
            s += t
    return s


def scratch_in_a_branch(x: float, n: int) -> float:
    s = 0.0
    for k in range(3):
        if n - k > 0:
            t = np.zeros(n - k - 1)
            for i in range(n - k - 1):
                t[i] = np.sin(x) * (i + 1)
            for i in range(n - k - 1):
                t[i] *= t[i] * x
                s += t[i] * t[i]
    return s


def buffers_in_a_branch(x: float, n: int) -> float:
    s = x
    if n > 1:
        u = np.zeros(n - 2)
        for _ in range(4):
            v = np.zeros(n - 2)
            for i in range(n - 2):
                v[i] = np.sin(u[i] + x)
            u = v
        s += u.sum()
    return s


def loop_in_a_loop(x: float, n: int) -> float:
    s = x
    for i in range(n - 1):
        for _ in range(n - 2):
            s *= 0.6 + 0.4 * np.sin(s * i)
    return s


def rows_in_a_loop(x: float, n: int) -> float:
    s, u = x, np.ones(3)
    for i in range(n - 1):
        u = u * np.sin(x)
        w = np.ones(n - 2) * s
        for j in range(n - 2):
            w[j] = np.sin(w[j - 1] * u[j % 3]) + i
            s += w[j] * w[0]
    return s + u.sum()


def buffers_in_a_loop(x: float, n: int) -> float:
    s = x
    for k in range(n - 1):
        u = np.ones(n - 2) * x
        for _ in range(3):
            v = np.empty(n - 2)
            for i in range(n - 2):
                v[i] = np.sin(u[i] + s) * u[-1 - i]
            u = v
        s += u.sum() * k
        s += np.cumsum(u * s)[-1] if n > 2 else s * s
    return s


PROGRAMS = [
    *(loop_in_a_branch, branch_in_a_loop, scratch_in_a_branch, buffers_in_a_branch),
    *(loop_in_a_loop, rows_in_a_loop, buffers_in_a_loop),
]


@pytest.mark.parametrize("n", [4, 2, 1, 0, -2])
@pytest.mark.parametrize("f", PROGRAMS)
def test_any_number(f: Callable[[float, int], float], n: int) -> None:
    numeric = (f(0.8 + 1e-6, n) - f(0.8 - 1e-6, n)) / 2e-6
    assert grad(f, jit=False)(0.8, n) == pytest.approx(numeric, rel=1e-7, abs=1e-9)
    slope = grad(f, jit=False)
    numeric = (slope(0.8 + 1e-6, n) - slope(0.8 - 1e-6, n)) / 2e-6
    assert hessian(f, jit=False)(0.8, n) == pytest.approx(numeric, rel=1e-7, abs=1e-8)


def test_compiled() -> None:
    found = [grad(loop_in_a_branch)(0.8, n) for n in (3, 0)]
    assert found == pytest.approx([grad(loop_in_a_branch, jit=False)(0.8, 3), 3.0], rel=1e-14)


def diffusion(u, c, steps):
    for _ in range(steps):
        flux = np.empty(u.shape[0] - 1)
        for i in range(u.shape[0] - 1):
            flux[i] = c[i] * (u[i + 1] - u[i])
        for i in range(1, u.shape[0] - 1):
            u[i] += 0.2 * (flux[i] - flux[i - 1])
    return np.sum(u * u)


def test_an_extent_in_front_of_a_loop_is_that_of_the_loop() -> None:
    """The shadow of the scratch is not filled with zeros: the first to add to it stores, as far as it goes."""
    gradient = grad(diffusion, argnums=(0, 1))
    u, c = np.array([1.0, 0.3, -0.2, 0.5]), np.array([0.5, 0.7, 0.2])
    assert "flux_bar[i] = 0.0" not in gradient.source(u, c, 3, level="compiled")
    check_grads(lambda u, c: diffusion(u.copy(), c, 3), (u, c), order=2, jit=False)
    for none in grad(diffusion, argnums=(0, 1), jit=False)(np.empty(0), c, 0):
        assert not np.any(none)
