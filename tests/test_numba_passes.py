"""Compiled with fewer of Numba's passes: names that hold now this and now that give the same numbers as in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from srcgrad import grad


def named_again(x: Any, w: Any) -> Any:
    """A row of an argument and memory made here have one name in turn, numbers too."""
    total = x.dtype.type(0)
    for i in range(x.shape[0]):
        a = x[i]
        for j in range(a.shape[0]):
            k = 0.5 * w[j]
            total += a[j] * w[j] * k
        a = np.zeros(w.shape[0], x.dtype)
        for j in range(w.shape[0]):
            a[j] = w[j] * x[i, 0]
            k = a[j] * a[j - 1]
            total += k * k
    return total


def swapped(x: Any, w: Any) -> Any:
    """References of different layouts meet in a loop."""
    u, v = x.T.copy(), x.T
    for _ in range(3):
        for i in range(u.shape[0]):
            for j in range(u.shape[1]):
                u[i, j] += v[i, j] * w[i % w.shape[0]]
        u, v = v.copy(), u
    return np.sum(u * v)


@pytest.mark.parametrize("f", [named_again, swapped])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("writeable", [True, False])
@pytest.mark.parametrize("order", ["C", "F"])
def test_gradients_are_those_of_python(f: Any, dtype: type, writeable: bool, order: Any) -> None:
    rng = np.random.default_rng(11)
    x, w = np.array(rng.standard_normal((4, 3)), dtype, order=order), rng.standard_normal(3).astype(dtype)
    x.flags.writeable = w.flags.writeable = writeable
    found, wanted = grad(f, (0, 1), cache=False)(x, w), grad(f, (0, 1), jit=False)(x, w)
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype == dtype
        np.testing.assert_allclose(one, other, 2e-5 if dtype is np.float32 else 1e-12)
