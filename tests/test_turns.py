"""Loops that make an array anew in each iteration: two shadows take turns, and are right whoever else looks on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from agreement import confirm

from srcgrad import grad, vjp

X = np.array([0.3, 0.7, -0.4, 1.2, 0.9])


def argument(x: Any, k: int) -> Any:
    """Starts with the argument itself."""
    for _ in range(k):
        w = np.empty(x.shape[0])
        for i in range(x.shape[0]):
            w[i] = x[i] * np.sin(x[i - 1])
        x = w
    return np.sum(x * x)


def seen(x: Any, k: int) -> Any:
    """What it starts with is read behind the loop."""
    u = x * x
    start = u
    for _ in range(k):
        u = u * np.cos(u)
    return np.sum(u * start)


def history(x: Any, k: int) -> Any:
    a, b, c = x.copy(), x * 2.0, x * x
    for _ in range(k):
        a, b, c = b, c, np.sin(a) * b + c
    return np.sum(a * b * c)


def two_states(x: Any, k: int) -> Any:
    """Both start with one array."""
    u, v = x, x
    for _ in range(k):
        u = np.sin(v) * u
        v = v * u
    return np.sum(u * v)


def anew(x: Any, k: int) -> Any:
    """Nothing is stored to what is made."""
    u = x * x
    for _ in range(k):
        u = np.zeros(x.shape[0])
    u[1] -= u[3] * 0.5
    return np.sum(u)


def anew_until(x: Any, k: int) -> Any:
    u = x * x
    n = 0
    while n < k and u[0] < 0.7:
        u = np.ones(x.shape[0]) * 0.6
        n += 1
    return np.sum(np.sin(u))


def zeros(x: Any, k: int) -> Any:
    """Elements that nothing is stored to."""
    u = np.outer(x, x)
    for _ in range(k):
        v = np.zeros(u.shape)
        v[1:-1, 1:-1] = u[1:-1, 1:-1] * u[:-2, 1:-1] + u[1:-1, 2:]
        v[0] += u[0]
        u = v
    return np.sum(u * u + u)


def in_place_too(x: Any, k: int) -> Any:
    u = x.copy()
    for _ in range(k):
        u[0] *= 1.5
        u = u * np.sin(u)
    return np.sum(u * u)


def inside_another(x: Any, k: int) -> Any:
    total = 0.0
    u = x.copy()
    for _ in range(k):
        v = u
        for _ in range(3):
            v = v * np.cos(v)
        u = v + 0.1 * u
        total += np.sum(v)
    return total


def until(x: Any, k: int) -> Any:
    u, n = x.copy(), 0
    while np.sum(u * u) > 1e-2 and n < k:
        u = u * np.sin(u)
        n += 1
    return np.sum(u)


def sometimes(x: Any, k: int) -> Any:
    """The new array is handed on in some iterations only."""
    u = x.copy()
    for t in range(k):
        w = u * np.sin(u)
        u = w if t % 2 == 0 else u
    return np.sum(u * u)


def two_names(x: Any, k: int) -> Any:
    u = x.copy()
    p = u
    for _ in range(k):
        w = u * np.sin(p)
        p, u = u, w
    return np.sum(u * p)


def grows(x: Any, k: int) -> Any:
    u = x.copy()
    for _ in range(k):
        u = np.concatenate((u, u * 0.5))
    return np.sum(u * u)


def listed(x: Any, k: int) -> Any:
    u, past = x.copy(), []
    for _ in range(k):
        u = u * np.sin(u)
        past.append(u)
    total = 0.0
    for p in past:
        total += np.sum(p * p)
    return total


PROGRAMS = [argument, seen, history, two_states, anew, anew_until, zeros, in_place_too, inside_another, until,
            sometimes, two_names, grows, listed]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_and_second_derivatives(program: Callable[..., Any]) -> None:
    for k in (0, 1, 2, 5):
        confirm(lambda x, k=k: program(x, k), X)


def diffused(x: Any, c: float, steps: int) -> Any:
    u = x
    for _ in range(steps):
        v = u.copy()
        v[1:-1] = u[1:-1] + c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u = v
    return np.sum(u * u)


@pytest.mark.parametrize("program", [history, zeros])
def test_jitted(program: Callable[..., Any]) -> None:
    np.testing.assert_allclose(grad(program)(X, 3), grad(program, jit=False)(X, 3), rtol=1e-12)


def test_a_linear_loop_keeps_nothing() -> None:
    found = grad(diffused)
    text = found.backward_source(X, 0.1, 4)
    assert "append" not in text and "kept" not in text
    np.testing.assert_allclose(found(X, 0.1, 4), grad(diffused, jit=False)(X, 0.1, 4), rtol=1e-12)
    confirm(lambda x: diffused(x, 0.1, 4), X)


def test_a_pullback_may_be_called_twice() -> None:
    def states(x: Any) -> Any:
        for _ in range(3):
            x = x * np.sin(x) + 0.1 * x
        return x

    _, pullback = vjp(states, X, jit=False)
    (one,), (other,) = pullback(np.ones(5)), pullback(np.ones(5))
    np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(one, grad(lambda x: np.sum(states(x)), jit=False)(X), rtol=1e-14)
