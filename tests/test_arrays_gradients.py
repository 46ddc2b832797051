"""Gradients of NumPy functions against complex or central differences of NumPy itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np
import pytest

import srcgrad

RNG = np.random.default_rng(11)
V, W = RNG.normal(size=5), RNG.normal(size=5)
M, N = RNG.normal(size=(3, 4)), RNG.normal(size=(4, 2))
T = RNG.normal(size=(2, 3, 4))
A = RNG.normal(size=(4, 4))
P = A @ A.T + np.eye(4)
K = np.array([2, 0, -1, 2])


def difference_gradient(f: Callable[..., float], arguments: tuple[np.ndarray, ...], k: int) -> np.ndarray:
    """Richardson's extrapolation of central differences."""
    x = arguments[k]
    gradient = np.zeros_like(x)
    for place in np.ndindex(x.shape):

        def slope(h: float, place: tuple[int, ...] = place) -> float:
            values = []
            for step in (h, -h):
                moved = [a.copy() for a in arguments]
                moved[k][place] += step
                values.append(f(*moved))
            return (values[0] - values[1]) / (2 * h)

        gradient[place] = (4 * slope(5e-4) - slope(1e-3)) / 3
    return gradient


def weights(x: np.ndarray) -> np.ndarray:
    return np.cos(np.arange(x.size) + 1.0).reshape(x.shape)


def through_loop(x: np.ndarray) -> float:
    u = x.copy()
    new = np.empty_like(u)
    for _ in range(4):
        new[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        new[0] = u[0] * u[-1]
        new[-1] = u[-1]
        u, new = new, u
    return np.sum(u * u)


def through_masks(x: np.ndarray) -> float:
    y = x * x
    y[x < 0.0] *= 3.0
    y[x > 0.5] = x[x > 0.5] * y[0]
    return np.sum(y * np.arange(1.0, 6.0))


def through_scatter(x: np.ndarray, y: np.ndarray) -> float:
    z = np.zeros(3)
    z[K] = x[:4] * y[:4]
    z[K] += x[1:] * 2.0
    return np.sum(z * z)


def through_updates(x: np.ndarray) -> float:
    y = x.copy()
    y[1:] += y[:-1] * y[1:]
    y[::2] *= y[0]
    y /= 1.0 + np.sum(y * y)
    y -= y[::-1]
    return np.sum(y**3)


CASES: list[tuple[Callable[..., float], tuple[np.ndarray, ...]]] = [
    (lambda x, y: np.sum(np.exp(x) * y), (V, W)),
    (lambda x: np.sum(weights_of_axis(np.sum(x * x, axis=0))), (M,)),
    (lambda x: np.sum(np.sum(x * x, axis=(0, 2)) ** 2), (T,)),
    (lambda x: np.prod(x) + np.sum(np.prod(x, axis=0) ** 2), (M,)),
    (lambda x: np.mean(x) ** 2 + np.sum(np.mean(x, axis=1) ** 3), (M,)),
    (lambda x: np.var(x) + np.sum(np.std(x, axis=0)), (M,)),
    (lambda x: np.max(x) * np.min(x) + np.sum(np.max(x, axis=1) ** 2), (M,)),
    (lambda x, y: np.sum((x @ y) ** 2), (M, N)),
    (lambda x, y: np.sum((x @ y) ** 2), (T, N)),
    (lambda x, y: (x @ y) ** 2 + np.dot(x, x), (V, W)),
    (lambda x, y: np.sum((y @ x) ** 2), (V, RNG.normal(size=(3, 5)))),
    (lambda x, y: np.sum(np.einsum("ij,jk->ki", x, y) ** 2), (M, N)),
    (lambda x, y: np.sum(np.outer(x, y) ** 2) + np.sum(np.cross(x[:3], y[:3]) ** 2), (V, W)),
    (lambda x: np.linalg.norm(x) + np.sum(np.linalg.norm(x, axis=0)), (M,)),
    (lambda x: np.sum(np.cumsum(x) ** 2) + np.sum(np.cumprod(x) ** 2), (V,)),
    (lambda x: np.sum(np.cumsum(x, axis=0) ** 2) + np.sum(np.diff(x, axis=1) ** 2), (M,)),
    (lambda x, y: np.sum(np.sort(x) * y) + np.median(x) ** 2, (V, W)),
    (lambda x, y: np.sum(np.interp(x, np.arange(5.0) - 2.0, y)), (V, W)),
    (lambda x, y: np.sum(np.where(x > 0.0, x * y, np.exp(y))), (V, W)),
    (lambda x, y: np.sum(np.concatenate((x, y, x)) ** 3) + np.sum(np.stack((x, y), axis=1)[1] ** 2), (V, W)),
    (lambda x: np.sum(np.tril(x) ** 2) + np.trace(x[:, :3]) + np.sum(np.diag(x) ** 2), (M,)),
    (lambda x: np.sum(np.roll(x, 1) * x) + np.sum(np.repeat(x, 2) ** 3) + np.sum(np.tile(x, 2) ** 2), (V,)),
    (lambda x: np.sum(x[K] ** 2) + np.sum(x[::-2] ** 3) + x[-1] * x[1:3][0], (V,)),
    (lambda x: np.sum(x.T.reshape(2, 6)[1] ** 2) + np.sum(x[1:].ravel() ** 3), (M,)),
    (lambda x: np.sum((x / np.sum(x * x, axis=1, keepdims=True)) ** 3), (M,)),
    (lambda x, y: np.sum(np.clip(x, -0.5, 0.5) * y) + np.sum(np.maximum(x, y)), (V, W)),
    (lambda a, b: np.sum(np.linalg.solve(a, b) ** 2), (A, W[:4])),
    (lambda a: np.sum(np.linalg.inv(a) ** 2), (A,)),
    (lambda a: np.linalg.det(a), (A,)),
    (lambda a: np.linalg.slogdet(a)[1], (A,)),
    (lambda a: np.sum(np.linalg.cholesky(a + a.T) ** 3), (P,)),
    (lambda a: np.sum(np.linalg.eigvalsh(a + a.T) ** 3 * np.arange(4.0)), (P,)),
    (lambda a: np.sum(np.linalg.eigh(a + a.T)[1][:, 0] ** 4), (P,)),
    (lambda a: np.sum(np.linalg.svd(a, compute_uv=False) * np.arange(3.0)), (M.T,)),
    (through_loop, (V,)),
    (through_masks, (V,)),
    (through_scatter, (V, W)),
    (through_updates, (V,)),
]


def weights_of_axis(x: np.ndarray) -> np.ndarray:
    return x * x * x


@pytest.mark.parametrize(
    ("f", "arguments"), CASES, ids=[f"{k}-{inspect.getsource(f).strip()[:50]}" for k, (f, _) in enumerate(CASES)]
)
def test_gradient(f: Callable[..., float], arguments: tuple[np.ndarray, ...]) -> None:
    argnums = tuple(range(len(arguments)))
    found = srcgrad.grad(f, argnums=argnums, jit=False)(*arguments)
    for k, gradient in enumerate(found):
        np.testing.assert_allclose(gradient, difference_gradient(f, arguments, k), rtol=2e-7, atol=2e-8)


def test_determinant_of_singular_matrices() -> None:
    """The gradient is the matrix of cofactors, also where elimination meets zero pivots."""
    for a in (
        np.zeros((1, 1)),
        np.array([[0.0, 1.0], [0.0, 0.0]]),
        np.outer([1.0, 2, 3], [1.0, 1, 2]),
        np.zeros((3, 3)),
    ):
        found = srcgrad.grad(lambda a: np.linalg.det(a), jit=False)(a)
        n = a.shape[0]
        cofactors = np.array(
            [[(-1) ** (i + j) * np.linalg.det(np.delete(np.delete(a, i, 0), j, 1)) for j in range(n)] for i in range(n)]
        )
        np.testing.assert_allclose(found, cofactors, atol=1e-12)


@pytest.mark.parametrize("ties", [1, 2, 3, 5])
@pytest.mark.parametrize("f", [np.max, np.min])
def test_ties_share_equally(f: Callable[..., float], ties: int) -> None:
    x = np.full(ties, 0.1)
    largest = srcgrad.grad(lambda x: np.max(x) if f is np.max else np.min(x), jit=False)
    np.testing.assert_allclose(largest(x), np.full(ties, 1.0 / ties), rtol=1e-15)


def test_norm_at_zero() -> None:
    np.testing.assert_array_equal(srcgrad.grad(lambda x: np.linalg.norm(x), jit=False)(np.zeros(3)), np.zeros(3))


def test_side_not_taken_reaches_no_derivative() -> None:
    f = srcgrad.grad(lambda x: np.sum(np.where(x >= 0.0, x, np.sqrt(-x))), jit=False)
    np.testing.assert_allclose(f(np.array([1.0, 4.0, -4.0])), [1.0, 1.0, -0.25])


SHAPES = [(3, 4), (3, 1), (1, 4), (1, 1), (4,), (1,)]


@pytest.mark.parametrize("shape_a", SHAPES)
@pytest.mark.parametrize("shape_b", SHAPES)
def test_broadcasting_decided_when_it_runs(shape_a: tuple[int, ...], shape_b: tuple[int, ...]) -> None:
    """Extents of arguments are not known to be 1, and the gradient is summed over the axes that were repeated."""

    def f(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
        d = np.sin(a * b + c)
        e = d * a
        return np.sum(e / (1.0 + b * b)) + np.sum(np.sum(d, axis=0) * b)

    arguments = RNG.normal(size=shape_a), RNG.normal(size=shape_b), RNG.normal(size=(3, 4))
    found = srcgrad.grad(f, argnums=(0, 1, 2), jit=False)(*arguments)
    for k, gradient in enumerate(found):
        assert gradient.shape == arguments[k].shape
        np.testing.assert_allclose(gradient, difference_gradient(f, arguments, k), rtol=1e-6, atol=1e-7)


def test_outputs_stored_with_broadcasting() -> None:
    def f(row: np.ndarray, column: np.ndarray) -> float:
        out = np.zeros((3, 4))
        out[:] = row
        out *= column
        out[1:, ::2] += column[1:] * 2.0
        out[0] = row[::-1]
        return np.sum(np.sin(out))

    arguments = RNG.normal(size=4), RNG.normal(size=(3, 1))
    found = srcgrad.grad(f, argnums=(0, 1), jit=False)(*arguments)
    for k, gradient in enumerate(found):
        np.testing.assert_allclose(gradient, difference_gradient(f, arguments, k), rtol=1e-6, atol=1e-7)
