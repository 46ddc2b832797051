"""Recursive functions that change variables around them: lists that grow, dicts of results, counters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from srcgrad import UnsupportedError, grad, hessian, jit, jvp


def leaves(depth: int, x: float, out: list[float]) -> None:
    if depth == 0:
        out.append(x)
        return
    for k in range(2):
        leaves(depth - 1, x * (1.0 + 0.3 * k), out)


def of_leaves(x: float) -> float:
    out: list[float] = []
    leaves(3, x, out)
    return sum(out) ** 2 + len(out)


def between(n: int, x: float, out: list[float]) -> None:
    if n > 0:
        between(n - 1, 1.1 * x, out)
        out.append(x)
        between(n - 1, 0.9 * x, out)


def in_order(x: float) -> float:
    out: list[float] = []
    between(4, x, out)
    total = 0.0
    for k in range(len(out)):
        total = 0.9 * total + (k + 1) * out[k] ** 2
    return total


def memoised(x: float) -> float:
    known = {0: x, 1: x * x}

    def value(n: int) -> float:
        if n not in known:
            known[n] = value(n - 1) + 0.3 * value(n - 2)
        return known[n]

    return value(8)


def memoised_by_pairs(x: float) -> float:
    known: dict[tuple[int, int], float] = {}

    def paths(i: int, j: int) -> float:
        if (i, j) in known:
            return known[i, j]
        result = x if i == 0 or j == 0 else 0.5 * paths(i - 1, j) + x * paths(i, j - 1)
        known[i, j] = result
        return result

    return paths(3, 3)


def counters(x: float) -> float:
    calls, best = 0, 0.0

    def go(k: int, v: float) -> float:
        nonlocal calls, best
        calls += 1
        if k == 0:
            best = max(best, v)
            return v
        return go(k - 1, 1.1 * v) + go(k - 1, v * v)

    result = go(3, x)
    return result + calls * x + best**2


def rows(x: float) -> float:
    kept = []

    def go(k: int, w: float) -> None:
        kept.append(w * np.arange(3.0))
        if k > 0:
            go(k - 1, w * w)
        kept.append(kept[-1] * w)

    go(2, x)
    return sum([np.sum(row**2) for row in kept])


class Visits:
    def __init__(self) -> None:
        self.count = 0
        self.values: list[float] = []


def in_an_object(x: float) -> float:
    seen = Visits()

    def go(k: int, w: float) -> None:
        seen.count += 1
        seen.values.append(w)
        if k > 0:
            go(k - 1, w * x)
            go(max(k - 2, 0), w + x)

    go(3, x)
    return sum(seen.values) * seen.count


CASES = [of_leaves, in_order, memoised, memoised_by_pairs, counters, rows, in_an_object]


@pytest.mark.parametrize("f", CASES)
def test_derivatives(f: Callable[[float], float]) -> None:
    for x in (0.6, 1.3):
        numeric = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
        assert grad(f, jit=False)(x) == pytest.approx(numeric, rel=1e-7)
        value, tangent = jvp(f, (x,), (1.0,), jit=False)
        assert value == pytest.approx(f(x), rel=1e-13)
        assert tangent == pytest.approx(numeric, rel=1e-7)


@pytest.mark.parametrize("f", [in_order])
def test_compiled(f: Callable[[float], float]) -> None:
    assert grad(f)(0.7) == pytest.approx(grad(f, jit=False)(0.7), rel=1e-12)


def test_second_order() -> None:
    slope = grad(memoised, jit=False)
    numeric = (slope(0.7 + 1e-6) - slope(0.7 - 1e-6)) / 2e-6
    assert hessian(memoised, jit=False)(0.7) == pytest.approx(numeric, rel=1e-7)


def test_arrays_that_other_names_hold() -> None:
    def f(x: float) -> float:
        u, v = np.zeros(3), np.ones(3)
        other = u

        def go(k: int) -> float:
            nonlocal u, v
            u[0] += x * v[0] + k
            u, v = v, u
            return 0.0 if k == 0 else x * go(k - 1) + u[0]

        return go(3) + other[0] + 2.0 * u[0]

    assert jit(f, jit=False)(0.7) == pytest.approx(f(0.7), rel=1e-14)
    with pytest.raises(UnsupportedError, match="recursive"):
        grad(f, jit=False)(0.7)
