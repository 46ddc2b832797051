"""``min`` and ``max`` with ``key`` and ``default``, ``round`` to digits, and lists stored into arrays."""

from __future__ import annotations

import typing
from collections.abc import Callable

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from srcgrad import grad, jvp

Array = NDArray[np.float64]
X = np.array([1.3, -2.1, 0.4, 2.2])


def nearest(x: Array) -> float:
    return min(x, key=lambda v: abs(v - 0.5)) ** 2


def nearest_of_a_few(x: Array) -> float:
    return min([x[0], x[1], x[2]], key=lambda v: (v - 0.5) ** 2) ** 2


def farthest_pair(x: Array) -> float:
    pairs = [(x[0], x[1]), (x[2], x[3])]
    a, b = max(pairs, key=lambda p: abs(p[0] - p[1]))
    return a * b


def largest_above(x: Array, limit: float) -> float:
    return max((v * v for v in x if v > limit), default=3.0 * x[0])


def of_nothing(x: Array) -> float:
    return max([], default=x[1])


def rounded(x: Array) -> float:
    return round(x[0] * 1.111, 2) * x[1] + round(3.14159, 3) * x[2]


def rows_of_tuples(x: Array) -> float:
    a = np.zeros((4, 2))
    for i in range(4):
        a[i] = x[i], x[i] ** 2
    a[0, :] = [x[1], 2]
    a[1:3, 0] = (x[0] * x[3], 1.0)
    return np.sum(a * a)


CASES = [nearest, nearest_of_a_few, farthest_pair, of_nothing, rows_of_tuples]
CASES += [lambda x: largest_above(x, 0.0), lambda x: largest_above(x, 5.0)]


@pytest.mark.parametrize("f", CASES)
def test_derivatives(f: Callable[[Array], float]) -> None:
    direction = np.array([0.3, -0.7, 0.2, 1.1])
    numeric = (f(X + 1e-6 * direction) - f(X - 1e-6 * direction)) / 2e-6
    assert np.sum(grad(f, jit=False)(X) * direction) == pytest.approx(numeric, rel=1e-7)
    value, tangent = jvp(f, (X,), (direction,), jit=False)
    assert value == pytest.approx(f(X), rel=1e-14)
    assert tangent == pytest.approx(numeric, rel=1e-7)


def test_rounding_has_slope_0() -> None:
    np.testing.assert_array_equal(grad(rounded, jit=False)(X), [0.0, round(1.3 * 1.111, 2), 3.142, 0.0])
    assert grad(rounded)(X)[1] == round(1.3 * 1.111, 2)


def test_message_in_a_variable() -> None:
    def checked(x: Array) -> float:
        place = f"entry {x[0]:.2f} of {len(x)}"
        if x[0] < 0.0:
            message = f"{{bad}} {place}: negative"
            raise ValueError(message)
        return np.sum(x * x)

    np.testing.assert_allclose(grad(checked, jit=False)(X), 2.0 * X)
    with pytest.raises(ValueError, match=r"\{bad\} entry -1\.3 of 4: negative"):
        grad(checked, jit=False)(-X)


def test_message_by_format() -> None:
    template = "variance {size:.3f} of {0} is too small"

    def checked(x: Array) -> float:
        kinds = dict(zip(("a", "b"), (2.0, 3.0), strict=True))
        if x[0] < 0.0:
            raise RuntimeError(template.format(len(x), size=x[0]))
        return typing.cast("float", np.sum(x * x)) * kinds["b"]

    np.testing.assert_allclose(grad(checked, jit=False)(X), 6.0 * X)
    with pytest.raises(RuntimeError, match=r"variance -1\.3 of 4 is too small"):
        grad(checked, jit=False)(-X)


def test_complex_numbers_are_sorted_by_their_parts() -> None:
    def f(x: Array) -> float:
        z = np.sort(np.exp(1j * x))
        return z[0].real + 2.0 * z[1].imag + z[3].real ** 2

    z = np.sort(np.exp(1j * X))
    assert np.all(np.sort_complex(z) == z)
    direction = np.array([0.3, -0.7, 0.2, 1.1])
    numeric = (f(X + 1e-6 * direction) - f(X - 1e-6 * direction)) / 2e-6
    assert np.sum(grad(f, jit=False)(X) * direction) == pytest.approx(numeric, rel=1e-7)


@pytest.mark.parametrize("ufunc", [np.subtract, np.divide, np.hypot, np.logaddexp, np.fmax])
def test_folds_of_ufuncs(ufunc: np.ufunc) -> None:
    matrix = np.random.default_rng(0).uniform(0.5, 1.5, (3, 4))

    def f(a: Array) -> float:
        rows = ufunc.reduce(a, axis=1)
        running = ufunc.accumulate(a, axis=1)
        columns = ufunc.reduce(a, keepdims=True)
        return np.sum(rows * rows) + np.sum(running[:, 1:3]) + ufunc.reduce(a[0]) + np.sum(columns)

    direction = np.random.default_rng(1).normal(size=matrix.shape)
    numeric = (f(matrix + 1e-6 * direction) - f(matrix - 1e-6 * direction)) / 2e-6
    assert np.sum(grad(f, jit=False)(matrix) * direction) == pytest.approx(numeric, rel=1e-6)
    assert jvp(f, (matrix,), (direction,), jit=False)[0] == pytest.approx(f(matrix), rel=1e-12)


def test_parts_for_threads() -> None:
    def f(x: Array) -> float:
        parts = np.zeros(numba.get_num_threads())
        for i in numba.prange(x.shape[0]):
            parts[numba.get_thread_id()] += x[i] ** 3
        return np.sum(parts)

    np.testing.assert_allclose(grad(f, jit=False)(X), 3.0 * X**2)
    np.testing.assert_allclose(grad(f)(X), 3.0 * X**2)


def larger_of_two(x: Array) -> float:
    return 3.0 * max(x[0], x[1]) + min(x[1], x[0])


def running(x: Array) -> float:
    best = 0.0
    for v in x:
        best = max(np.sqrt(v), best)
    return best


@pytest.mark.parametrize("f", [larger_of_two, running])
@pytest.mark.parametrize("jit", [False, True])
def test_nan_counts_only_as_the_first(f: Callable[[Array], float], jit: bool) -> None:
    for pair in ([1.0, 2.0], [np.nan, 1.0], [1.0, np.nan], [-1.0, 4.0], [4.0, -1.0]):
        x = np.array(pair)
        with np.errstate(invalid="ignore"):
            value, tangent = jvp(f, (x,), (np.array([0.3, -0.7]),), jit=jit)
            assert value == pytest.approx(f(x), nan_ok=True)
            slope = grad(f, jit=jit)(x) @ np.array([0.3, -0.7])
            assert np.isnan(value) or slope == pytest.approx(tangent)


def test_numpys_own_are_nan() -> None:
    def f(x: float) -> float:
        return np.maximum(x, np.nan) + np.minimum(1.0, np.nan)

    assert np.isnan(jvp(f, (2.0,), (1.0,), jit=False)[0])
