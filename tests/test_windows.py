"""Windows over an array: ``sliding_window_view`` and ``as_strided``."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view
from numpy.typing import NDArray

from srcgrad import UnsupportedError, grad, hessian, jvp

Array = NDArray[np.float64]
X = np.array([0.3, -1.2, 0.7, 2.1, 0.4, -0.6, 1.5, 0.9, -0.2, 1.1, 0.8, -1.4])


def over_one_axis(x: Array) -> float:
    w = sliding_window_view(x, 3)
    return np.sum(w[:, 0] * w[:, 1] ** 2 * w[:, 2])


def over_two_axes(x: Array) -> float:
    w = sliding_window_view(x.reshape(3, 4), (2, 2))
    return np.sum(w[:, :, 0, 1] * w[:, :, 1, 0])


def over_a_named_axis(x: Array) -> float:
    w = sliding_window_view(x.reshape(3, 4), 3, axis=1)
    return np.sum(w.mean(axis=-1) ** 3)


def of_a_transpose(x: Array) -> float:
    return np.sum(sliding_window_view(x.reshape(3, 4).T[::2], 2, 0)[..., 1] ** 2)


def rolling_deviation(x: Array, n: int = 4) -> float:
    s = as_strided(x, (x.size - n + 1, n), (x.itemsize, x.itemsize))
    return np.sum(np.std(s, axis=1) ** 2)


def along_the_diagonal(x: Array) -> float:
    m = x.reshape(3, 4)
    return np.prod(as_strided(m, shape=(3,), strides=(m.strides[0] + m.strides[1],)))


def backwards_and_repeated(x: Array) -> float:
    m = as_strided(x[4:], (4, 2), (8, 0)) if x.shape[0] == 3 else as_strided(x, (4, 2), (16, 0))
    return np.sum(m[:, 0] * m[::-1, 1])


CASES = [
    over_one_axis,
    over_two_axes,
    over_a_named_axis,
    of_a_transpose,
    rolling_deviation,
    along_the_diagonal,
    backwards_and_repeated,
]


@pytest.mark.parametrize("f", CASES)
def test_derivatives(f: Callable[[Array], float]) -> None:
    direction = np.cos(np.arange(12.0))
    numeric = (f(X + 1e-6 * direction) - f(X - 1e-6 * direction)) / 2e-6
    assert grad(f, jit=False)(X) @ direction == pytest.approx(numeric, rel=1e-7)
    value, tangent = jvp(f, (X,), (direction,), jit=False)
    assert value == pytest.approx(f(X), rel=1e-13)
    assert tangent == pytest.approx(numeric, rel=1e-7)


def test_second_order() -> None:
    h = hessian(over_one_axis, jit=False)(X)
    gradient = grad(over_one_axis, jit=False)
    for k in range(12):
        e = 1e-6 * (np.arange(12) == k)
        np.testing.assert_allclose(h[k], (gradient(X + e) - gradient(X - e)) / 2e-6, atol=1e-7)


def test_compiled() -> None:
    for f in (over_two_axes, rolling_deviation):
        np.testing.assert_allclose(grad(f)(X), grad(f, jit=False)(X), rtol=1e-12)


def test_nothing_is_read_outside() -> None:
    def f(x: Array, n: int) -> float:
        return np.sum(as_strided(x, (n,), (8,)))

    assert np.sum(grad(f, jit=False)(X, 12)) == 12.0
    for n in (13, -1):
        with pytest.raises(ValueError, match=r"outside the array|is negative"):
            grad(f, jit=False)(X, n)


def test_a_window_that_does_not_fit() -> None:
    with pytest.raises(ValueError, match="a window of 3 over an axis of extent 2"):
        grad(over_one_axis, jit=False)(X[:2])


def test_a_write_that_the_windows_would_see() -> None:
    def f(x: Array) -> float:
        y = 2.0 * x
        w = sliding_window_view(y, 3)
        y[0] = x[3] ** 2
        return np.sum(w**2)

    with pytest.raises(UnsupportedError, match="written to after a view"):
        grad(f, jit=False)(X)


def test_strides_of_what_may_not_be_contiguous() -> None:
    def f(x: Array) -> float:
        return np.sum(as_strided(x, (2,), x.strides))

    with pytest.raises(UnsupportedError, match="may not be contiguous"):
        grad(f, jit=False)(X[::2])
