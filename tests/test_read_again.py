"""What a program stores itself is read from there in the reverse sweep, and a caller may change what it was given."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them.

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest
from oracle.derivatives import differentiable
from oracle.dual_numpy import DualNumPy, value_and_gradients
from oracle.programs import relative_error

import srcgrad
from srcgrad.testing import check_grads

X = np.array([0.7, 0.4, 1.1, 0.5])


def softmax_terms(x):
    e = np.empty(4)
    s = 0.0
    for i in range(4):
        e[i] = np.exp(x[i] * x[i])
        s += e[i] * x[3 - i]
    return s * e[2]


def both_triangles(x):
    """The diagonal is stored in one branch, the rest in the other one."""
    f = np.zeros((4, 4))
    for i in range(4):
        for j in range(i + 1):
            s = x[i] * x[j] + 2.0
            for k in range(j):
                s -= 0.1 * f[i, k] * f[j, k]
            if i == j:
                f[i, i] = np.sqrt(s)
            else:
                f[i, j] = s / f[j, j]
    return f[3, 1] * f[2, 2] + f[3, 3] + f[1, 0]


def diagonal_written_twice(x):
    """Here the last column goes over the diagonal again."""
    f = np.zeros((4, 4))
    total = 0.0
    for i in range(4):
        for j in range(4):
            s = x[i] * x[j] + 2.0
            if i == j:
                f[i, i] = np.sqrt(s)
                total += f[i, i] * x[0]
            elif j == 3:
                f[i, i] = s / 3.0
    return total + f[0, 0] * f[1, 1]


def carried_and_stored(x):
    u = np.empty(5)
    v = x[0]
    u[0] = v
    for t in range(4):
        v = np.sin(v) * x[t] / (1.0 + v * v)
        u[t + 1] = v
    return u[4] * u[2]


def stored_at_an_index_that_changes(x):
    u = np.zeros(4)
    k = 0
    s = 0.0
    for t in range(4):
        y = np.exp(x[t])
        u[k] = y
        s += y * u[0]
        k = (k + 3) % 2
    return s + u[1]


CASES: list[Any] = [
    softmax_terms,
    both_triangles,
    diagonal_written_twice,
    carried_and_stored,
    stored_at_an_index_that_changes,
]


@pytest.mark.parametrize("f", CASES)
def test_gradients(f: Any) -> None:
    args = (X,)
    dual = types.FunctionType(f.__code__, {**f.__globals__, "np": DualNumPy()})
    value, expected = value_and_gradients(dual, args)
    wrt = differentiable(args)
    mine, beside = srcgrad.value_and_grad(f, argnums=wrt, jit=False, cache=False)(*args)
    assert relative_error([mine, *beside], [value, *expected]) < 1e-12
    assert relative_error(list(srcgrad.grad(f, argnums=wrt, jit=False, cache=False)(*args)), list(expected)) < 1e-12


@pytest.mark.parametrize("f", [softmax_terms, both_triangles])
def test_second_order(f: Any) -> None:
    check_grads(f, (X,), order=2, jit=False)


@pytest.mark.parametrize("jit", [False, True])
def test_results_may_be_changed_before_the_pullback(jit: bool) -> None:
    def exponentials(x):
        y = np.empty(4)
        for i in range(4):
            y[i] = np.exp(x[i])
        return y

    y, pullback = srcgrad.vjp(exponentials, X, jit=jit)
    y[:] = 100.0
    (gradient,) = pullback(np.ones(4))
    np.testing.assert_allclose(gradient, np.exp(X))
    np.testing.assert_allclose(pullback(np.ones(4))[0], np.exp(X))
