"""Linear algebra: values against NumPy, gradients against closed forms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from test_arrays import check, lowered_result

RNG = np.random.default_rng(3)
A = RNG.normal(size=(4, 4))
B, C = RNG.normal(size=4), RNG.normal(size=(4, 2))
P = A @ A.T + np.eye(4)
TALL = RNG.normal(size=(5, 3))


@pytest.mark.parametrize(
    ("f", "arguments"),
    [
        (lambda a, b: np.linalg.solve(a, b), (A, B)),
        (lambda a, b: np.linalg.solve(a, b), (A, C)),
        (lambda a: np.linalg.inv(a), (A,)),
        (lambda a: np.linalg.inv(a), (np.array([[2, 1], [1, 1]]),)),
        (lambda a: np.linalg.det(a), (A,)),
        (lambda a: np.linalg.det(a), (np.zeros((3, 3)),)),
        (lambda a: np.linalg.det(a), (np.array([[1.0, 2.0], [2.0, 4.0]]),)),
        (lambda a: tuple(np.linalg.slogdet(a)), (A,)),
        (lambda a: tuple(np.linalg.slogdet(a)), (np.zeros((2, 2)),)),
        (lambda a: np.linalg.cholesky(a), (P,)),
        (lambda a: np.linalg.matrix_power(a, 3), (A,)),
        (lambda a: np.linalg.eigvalsh(a), (P,)),
        (lambda a: np.linalg.eigh(a)[0], (np.diag([3.0, 1.0, 2.0]),)),
        (lambda a: np.linalg.svd(a, compute_uv=False), (TALL,)),
        (lambda a: np.linalg.svd(a, compute_uv=False), (TALL.T,)),
    ],
)
def test_values(f: Callable[..., object], arguments: tuple[object, ...]) -> None:
    check(f, *arguments)


def rebuilt(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    w, v = np.linalg.eigh(a)
    return (v * w) @ v.T, v.T @ v


def rebuilt_svd(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return (u * s) @ vt, u.T @ u


def test_eigenvectors() -> None:
    same, identity = lowered_result(rebuilt, P)
    np.testing.assert_allclose(same, P, atol=1e-12)
    np.testing.assert_allclose(identity, np.eye(4), atol=1e-12)


@pytest.mark.parametrize("a", [TALL, TALL.T])
def test_singular_vectors(a: np.ndarray) -> None:
    same, identity = lowered_result(rebuilt_svd, a.copy())
    np.testing.assert_allclose(same, a, atol=1e-12)
    np.testing.assert_allclose(identity, np.eye(3), atol=1e-12)


@pytest.mark.parametrize("f", [np.linalg.inv, np.linalg.cholesky])
def test_what_has_no_result_raises(f: Callable[[np.ndarray], object]) -> None:
    with pytest.raises(np.linalg.LinAlgError, match=r"Singular matrix|not positive definite"):
        lowered_result(lambda a: np.linalg.inv(a) if f is np.linalg.inv else np.linalg.cholesky(a), np.zeros((2, 2)))
