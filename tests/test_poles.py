"""A cotangent of exactly 0 stays 0 on its way through a pole: selected from memory, by a mask or by a branch."""

from __future__ import annotations

import numpy as np
import pytest

from srcgrad import grad, hessian

X = np.array([0.0, 0.5, 2.0])


def selected(x):
    y = x * np.log(x)
    return np.sum(np.where(x > 0.0, y * y, 0.0))


def selected_twice(x):
    y = x * np.log(x)
    z = y * y
    return np.sum(np.where(x > 0.0, z, 0.0))


def in_a_branch(x):
    y = 1.0 / x
    total = 0.0
    for i in range(3):
        s = y[i] * y[i] * x[i]
        total += s if x[i] > 0.0 else 0.0
    return total


def used_in_a_branch(x):
    total = 0.0
    for i in range(3):
        s = x[i] * np.log(x[i])
        if x[i] > 0.0:
            total += np.sin(s * s)
    return total


def masked(x):
    r = 1.0 / x
    w = np.sin(r) * r
    return np.sum(w[x > 0.0])


def read_in_a_branch(x):
    w = np.empty(3)
    for i in range(3):
        w[i] = x[i] ** -2.0 * x[i]
    total = 0.0
    for i in range(3):
        if x[i] > 0.0:
            total += w[i] * w[i]
    return total


@pytest.mark.parametrize("f", [selected, selected_twice, in_a_branch, used_in_a_branch, masked, read_in_a_branch])
@pytest.mark.parametrize("jitted", [False, True], ids=["plain", "jitted"])
def test_what_is_not_taken_adds_nothing(f, jitted):
    if jitted and f not in (selected, masked):
        pytest.skip("two are enough")
    with np.errstate(all="ignore"):
        found, second = grad(f, jit=jitted)(X), hessian(f, jit=jitted)(X)
    inside = X[1:]
    steps = 1e-5 * np.eye(2)
    padded = [np.concatenate(([1.0], inside + s)) for s in (*steps, *-steps)]  # at 1 nothing is infinite
    values = [f(p) for p in padded]
    np.testing.assert_allclose(found[1:], [(values[k] - values[2 + k]) / 2e-5 for k in range(2)], rtol=1e-6)
    assert found[0] == 0.0
    assert np.all(np.isfinite(second))
    assert np.all(second[0] == 0.0)
    assert np.all(second[:, 0] == 0.0)
