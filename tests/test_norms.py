"""Roots of sums of squares at 0: slope 0, as a norm has; and the infinite slope of all other roots."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import srcgrad
from srcgrad import grad, hessian, jvp

Array = NDArray[np.float64]
POINTS = np.random.default_rng(0).normal(size=(4, 2))


def by_loops(x: Array) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            squares = 0.0
            for k in range(x.shape[1]):
                squares += (x[i, k] - x[j, k]) ** 2
            total += np.sqrt(squares)
    return total


def by_products(x: Array) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            a, b = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1]
            total += (a * a + b * b) ** 0.5
    return total


def by_arrays(x: Array) -> float:
    squares = ((x[:, None] - x[None]) ** 2).sum(-1)
    return np.sum(np.sqrt(np.maximum(squares, 0.0)))


def by_rows(x: Array) -> float:
    out = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        d = x[i] - x[0]
        out[i] += d @ d
    return np.sum(np.sqrt(out / 2.0))


def by_branches(x: Array) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        squares = (x[i, 0] - x[1, 0]) ** 2
        if x.shape[1] > 1 and x[i, 1] > -5.0:
            squares = squares + (x[i, 1] - x[1, 1]) ** 2
        total += np.sqrt(squares)
    return total


@pytest.mark.parametrize("f", [by_loops, by_products, by_arrays, by_rows, by_branches])
def test_distances_of_points_from_themselves(f: Callable[[Array], float]) -> None:
    gradient = grad(f, jit=False)(POINTS)
    direction = np.random.default_rng(1).normal(size=POINTS.shape)
    assert np.all(np.isfinite(gradient))
    numeric = (f(POINTS + 1e-6 * direction) - f(POINTS - 1e-6 * direction)) / 2e-6
    assert np.sum(gradient * direction) == pytest.approx(numeric, rel=1e-7)
    assert jvp(f, (POINTS,), (direction,), jit=False)[1] == pytest.approx(numeric, rel=1e-7)


def test_compiled() -> None:
    np.testing.assert_allclose(grad(by_loops)(POINTS), grad(by_loops, jit=False)(POINTS), rtol=1e-12)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sqrt(x[0] ** 2 + x[1] ** 2.0),
        lambda x: np.sqrt(np.sum(x * x)),
        lambda x: np.sqrt(3.0 * np.dot(x, x) + x[0] ** 4),
        lambda x: np.sum(x**2) ** 0.5,
    ],
)
def test_slope_is_0_at_the_origin(f: Callable[[Array], float]) -> None:
    np.testing.assert_array_equal(grad(f, jit=False)(np.zeros(2)), 0.0)


def test_second_derivatives_away_from_the_origin() -> None:
    x = np.array([3.0, 4.0])
    expected = (np.eye(2) - np.outer(x, x) / 25.0) / 5.0
    np.testing.assert_allclose(hessian(lambda x: np.sqrt(x[0] ** 2 + x[1] ** 2), jit=False)(x), expected, rtol=1e-12)


@pytest.mark.parametrize(
    "f",
    [lambda x: np.sqrt(x), lambda x: np.sqrt(x * np.exp(x)), lambda x: np.sqrt(x + x * x), lambda x: (x * x) ** 0.25],
)
def test_other_roots_have_no_finite_slope(f: Callable[[float], float]) -> None:
    assert not np.isfinite(grad(f, jit=False)(0.0))


def test_product_with_a_factor_that_is_no_square() -> None:
    """``sqrt(w * x**2)`` has an infinite slope by ``w`` at ``w = 0``, which stays."""
    assert srcgrad.grad(lambda w, x: np.sqrt(w * x**2), jit=False)(0.0, 2.0) == np.inf


def test_memory_written_elsewhere_is_no_sum_of_squares() -> None:
    def f(x: Array) -> float:
        out = np.zeros(2)
        out[0] = x[0] * x[0]
        view = out[1:]
        view[0] = x[1]
        return np.sum(np.sqrt(out))

    assert grad(f, jit=False)(np.array([1.0, 0.0]))[1] == np.inf


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(np.linalg.norm(x, axis=0)),
        lambda x: np.sum(np.linalg.norm(x, axis=1)),
        lambda x: np.linalg.norm(x, axis=(0, 1)),
        lambda x: np.linalg.norm(x),
        lambda x: np.linalg.norm(x.ravel()),
        lambda x: np.sum(np.std(x, axis=0)),
        lambda x: np.sum(np.std(x, axis=1, ddof=1)),
        lambda x: np.sum(np.nanstd(x, axis=1)),
        lambda x: np.max(np.linalg.norm(x, axis=1)),
        lambda x: np.sum(np.linalg.norm(x, axis=1, keepdims=True)),
        lambda x: np.sum(x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-3) ** 2),
        lambda x: np.sum(np.linalg.norm(x[:, None] - x[None], axis=-1)),
        lambda x: np.linalg.norm(x.T @ x),
        lambda x: np.linalg.norm(x.astype(np.float32)),
        lambda x: np.sort(np.linalg.norm(x, axis=1))[0],
        lambda x: np.linalg.norm(np.linalg.solve(np.eye(2), x)),
        lambda x: np.linalg.norm(np.fft.fft(x, axis=1)),
        lambda x: np.sum(np.std(x, axis=(0, 1), keepdims=True)),
        lambda x: np.sum(np.std(x, axis=0, where=np.array([[True], [False]]))),
        lambda x: np.linalg.norm(1j * x),
    ],
    ids=map(str, range(20)),
)
@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["plain", "jitted"])
def test_norms_of_zeros_have_slope_0(f: Callable[[Array], float], jit: bool) -> None:
    x = np.zeros((2, 3))
    gradient = grad(f, jit=jit)(x)
    tangent = jvp(f, (x,), (np.ones((2, 3)),), jit=jit)[1]
    assert np.all(np.isfinite(gradient))
    assert tangent == pytest.approx(np.sum(gradient), abs=1e-12)
