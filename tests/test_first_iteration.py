"""Loops that make an array of a number, or a complex array of a real one: their first iteration stands by itself."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from srcgrad import grad, jit
from srcgrad.errors import UnsupportedError
from srcgrad.testing import check_grads

Array = np.ndarray


def sum_of_rows(x: Array) -> float:
    rows = np.outer(x, x)
    total = 0
    for i in range(len(x)):
        total += rows[i] * x[i]
    return np.sum(total**2)


def product_of_rows(x: Array) -> float:
    result = 1.0
    for row in np.outer(x, np.sin(x)):
        result = result * (1.0 + row)
    return np.sum(result)


def evolved(x: Array) -> float:
    """A state that starts real."""
    state = np.array([1.0, 0.0])
    for angle in x:
        c, s = np.cos(angle), np.sin(angle)
        state = np.array([[c, -1j * s], [-1j * s, c]]) @ state * (1.0 + 0.1 * angle)
    return np.abs(state[0]) ** 2 + np.real(state[1])


def in_a_nest(x: Array) -> float:
    total = 0.0
    for i in range(len(x)):
        for j in range(i, len(x)):
            total = total + x[i] * x[j] * x
    return total @ x


def with_a_break(x: Array) -> float:
    total, last = 0.0, 1.0
    for i, v in enumerate(x):
        total = total + v * x
        last = last * (1.0 + i)
        if v > 1.0:
            break
    return np.sum(total) * last


def by_while(x: Array) -> float:
    total, k = 0.0, 0
    while k < len(x) and x[k] < 1.0:
        total = total + x[k] * x
        k += 1
    return np.sum(total**2)


def by_sum(x: Array) -> float:
    """Python's `sum` begins with 0."""
    rows = np.outer(x, np.cos(x))
    shares = (rows / sum(rows)) ** 2
    weighted = sum(w * row for w, row in zip(x, shares, strict=True))
    return np.sum(weighted * sum((x[i] * rows[i] for i in range(len(x))), 0.5))


def with_continue(x: Array) -> float:
    total = 0.0
    for k in range(len(x)):
        if k == 1:
            continue
        total = total + x[k] * x
    return np.sum(total**2)


def where_large(x: Array) -> float:
    """The first iteration may leave the number as it is."""
    total = 0.0
    for v in x:
        if v > 0.5:
            total = total + v * x
    return np.sum(total**2)


PROGRAMS = [sum_of_rows, product_of_rows, evolved, in_a_nest, with_a_break, by_while, by_sum, with_continue]
X = np.array([0.3, 0.72, 0.4, 1.2, 0.95])


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_derivatives(f: Callable[[Array], float]) -> None:
    assert jit(f, jit=False)(X) == pytest.approx(f(X), rel=1e-12)
    check_grads(f, (X,), order=2, modes=("fwd", "rev"), jit=False)


@pytest.mark.parametrize("f", [sum_of_rows, evolved, by_while])
def test_compiled(f: Callable[[Array], float]) -> None:
    assert jit(f)(X) == pytest.approx(f(X), rel=1e-12)
    assert grad(f)(X) == pytest.approx(grad(f, jit=False)(X), rel=1e-10)


@pytest.mark.parametrize("f", [sum_of_rows, by_while])
def test_a_loop_that_does_not_run_is_an_error(f: Callable[[Array], float]) -> None:
    with pytest.raises(ValueError, match="has to run"):
        grad(f, jit=False)(np.empty(0))


def test_a_branch_that_may_leave_the_number() -> None:
    with pytest.raises(UnsupportedError, match="'total' is an array of rank 1 and dtype float64 or a number"):
        grad(where_large, jit=False)(X)
