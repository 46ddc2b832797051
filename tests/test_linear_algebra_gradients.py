"""Derivatives of linear algebra: both modes and second order against differences, and delicate places."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import scipy.linalg
from scipy.linalg import cho_factor, cho_solve, expm, lu_factor, lu_solve, solve_triangular

from srcgrad import grad, hessian, jit, jvp

RNG = np.random.default_rng(1)
A, B, C = RNG.normal(size=(4, 4)), RNG.normal(size=4), RNG.normal(size=(4, 2))
P = A @ A.T + np.eye(4)
TALL, WIDE = RNG.normal(size=(5, 3)), RNG.normal(size=(3, 5))
STACK = RNG.normal(size=(2, 4, 4))
PSTACK = STACK @ STACK.transpose(0, 2, 1) + np.eye(4)
N = np.arange(1.0, 5.0)


def by_svd(a):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return np.sum((u * N[:3]) @ vt * np.cos(a)) + np.sum(s**3)


def by_eigh(a):
    w, v = np.linalg.eigh(a)
    return np.sum(((v * w**2) @ v.T)[0]) + np.sum(w**3 * N)


def by_eig(a):
    w, v = np.linalg.eig(a)
    lengths = np.sum(np.abs(v[0]) ** 2 * N)
    return np.sum(np.abs(w) ** 2 * N) + lengths + np.sum(v[1].real * v[2].imag * N)


def by_qr(a):
    q, r = np.linalg.qr(a)
    return np.sum(q * np.cos(a[:, : q.shape[1]])) + np.sum(r**2 * np.arange(1.0, r.shape[1] + 1))


def by_lstsq(a, b):
    x, residuals, rank, s = np.linalg.lstsq(a, b, rcond=None)
    return np.sum(x**3) + np.sum(residuals) + np.sum(s) * rank


def by_lu(a, b):
    kept = lu_factor(a)
    return np.sum(lu_solve(kept, b) ** 2) + np.sum(lu_solve(kept, b, trans=1) ** 3) + np.sum(kept[0] ** 2)


def by_cho(a, b):
    return np.sum(cho_solve(cho_factor(a), b) ** 2) + np.sum(cho_solve(cho_factor(a, lower=True), b) ** 2)


def by_triangles(a, b):
    x = solve_triangular(a, b, lower=True)
    y = solve_triangular(a, b, trans=1)
    z = solve_triangular(a, b, trans="T", lower=True, unit_diagonal=True)
    return np.sum(x**2) + np.sum(y**2) + np.sum(z**2)


def by_solve(a, b):
    x = scipy.linalg.solve(a, b, assume_a="pos")
    y = scipy.linalg.solve(a, b, assume_a="sym")
    return np.sum(x**2) + np.sum(y**3) + np.sum(scipy.linalg.solve(a, b, transposed=True))


def matrix_norms(a):
    total = 0.0
    for order in (None, "fro", "nuc", np.inf, -np.inf, 1, -1, 2, -2):
        total += np.linalg.norm(a, order) ** 2
    return total


def norms_along_axes(a):
    total = 0.0
    for order in ("fro", "nuc", np.inf, -1, 2):
        total += np.sum(np.linalg.norm(a, order, axis=(0, 2)) ** 2)
        total += np.sum(np.linalg.norm(a, order, axis=(2, 1), keepdims=True) ** 3)
    for order in (None, np.inf, -np.inf, 1, 2, 2.5, 0):
        total += np.sum(np.linalg.norm(a, order, axis=1) ** 2)
    return total


def scipy_others(a):
    square = a.T @ a
    total = scipy.linalg.det(square) + np.sum(scipy.linalg.inv(square)) + scipy.linalg.norm(a)
    total += np.sum(scipy.linalg.pinv(a) ** 3) + np.sum(scipy.linalg.svdvals(a) ** 3)
    return total + np.sum(scipy.linalg.eigvalsh(square) ** 2) + np.sum(scipy.linalg.cholesky(square) ** 3)


CASES: dict[str, tuple[Callable[..., object], tuple[np.ndarray, ...]]] = {
    "solve": (lambda a, b: np.sum(np.linalg.solve(a, b) ** 2), (A, B)),
    "solve columns": (lambda a, b: np.sum(np.linalg.solve(a, b) ** 2), (A, C)),
    "solve stack": (lambda a, b: np.sum(np.linalg.solve(a, b) ** 2), (STACK, B)),
    "solve two stacks": (lambda a, b: np.sum(np.linalg.solve(a, b) ** 2), (STACK, RNG.normal(size=(2, 4, 3)))),
    "solve stack of right sides": (lambda a, b: np.sum(np.linalg.solve(a, b) ** 2), (A, RNG.normal(size=(2, 4, 3)))),
    "inv": (lambda a: np.sum(np.linalg.inv(a) ** 2), (A,)),
    "inv stack": (lambda a: np.sum(np.linalg.inv(a) ** 2), (STACK,)),
    "det": (lambda a: np.linalg.det(a) ** 2, (A,)),
    "det stack": (lambda a: np.sum(np.linalg.det(a) ** 2), (STACK,)),
    "slogdet": (lambda a: np.linalg.slogdet(a)[0] * np.linalg.slogdet(a)[1], (A,)),
    "slogdet stack": (lambda a: np.sum(np.linalg.slogdet(a)[1] ** 2), (STACK,)),
    "cholesky": (lambda a: np.sum(np.linalg.cholesky(a) ** 3), (P,)),
    "cholesky stack": (lambda a: np.sum(np.linalg.cholesky(a) ** 3), (PSTACK,)),
    "matrix_power": (lambda a: np.sum(np.linalg.matrix_power(a, 3) * a), (A,)),
    "matrix_power negative": (lambda a: np.sum(np.linalg.matrix_power(a, -2) * a), (A,)),
    "matrix_power stack": (lambda a: np.sum(np.linalg.matrix_power(a, 2) * a), (STACK,)),
    "eigh": (by_eigh, (P,)),
    "eigvalsh": (lambda a: np.sum(np.linalg.eigvalsh(a) ** 3 * N), (P,)),
    "eigvalsh stack": (lambda a: np.sum(np.linalg.eigvalsh(a, UPLO="U") ** 3 * N), (PSTACK,)),
    "eig": (by_eig, (A,)),
    "eigvals": (lambda a: np.sum(np.abs(np.linalg.eigvals(a)) ** 2 * N), (A,)),
    "svd tall": (by_svd, (TALL,)),
    "svd wide": (by_svd, (WIDE,)),
    "svd values": (lambda a: np.sum(np.linalg.svd(a, compute_uv=False) ** 3 * N), (STACK,)),
    "qr tall": (by_qr, (TALL,)),
    "qr wide": (by_qr, (WIDE,)),
    "qr square": (by_qr, (A,)),
    "pinv tall": (lambda a: np.sum(np.linalg.pinv(a) ** 2 * np.cos(a.T)), (TALL,)),
    "pinv wide": (lambda a: np.sum(np.linalg.pinv(a) ** 2 * np.cos(a.T)), (WIDE,)),
    "lstsq": (by_lstsq, (TALL, RNG.normal(size=5))),
    "lstsq columns": (by_lstsq, (TALL, RNG.normal(size=(5, 2)))),
    "cond": (lambda a: np.linalg.cond(a) + np.linalg.cond(a, "fro") + np.linalg.cond(a, 1), (A,)),
    "multi_dot": (lambda a, b, c: np.sum(np.linalg.multi_dot([a, b, c]) ** 2), (A, A.T.copy(), C)),
    "matrix_rank": (lambda a: np.linalg.matrix_rank(a) * np.sum(a), (A,)),
    "norm of matrices": (matrix_norms, (TALL,)),
    "norm along axes": (norms_along_axes, (RNG.normal(size=(3, 4, 2)),)),
    "solve_triangular": (by_triangles, (P, B)),
    "solve_triangular columns": (by_triangles, (P, C)),
    "cho_solve": (by_cho, (P, B)),
    "lu_solve": (by_lu, (A, B)),
    "scipy solve": (by_solve, (P, C)),
    "scipy others": (scipy_others, (TALL,)),
    "expm": (lambda a: np.sum(expm(a) ** 2), (A,)),
    "expm scaled": (lambda a: np.sum(expm(a * 8)), (A / 4,)),
}


@pytest.mark.parametrize("name", CASES)
def test_value_and_both_modes(name: str) -> None:
    f, arguments = CASES[name]
    np.testing.assert_allclose(jit(f, jit=False)(*arguments), f(*arguments), rtol=1e-9)
    gradients = grad(f, argnums=tuple(range(len(arguments))), jit=False)(*arguments)
    for k, (x, gradient) in enumerate(zip(arguments, gradients, strict=True)):
        direction = np.random.default_rng(k).normal(size=x.shape)
        along = tuple(direction if j == k else np.zeros_like(y) for j, y in enumerate(arguments))
        difference = sum(
            sign * f(*(y + sign * 1e-6 * d for y, d in zip(arguments, along, strict=True))) for sign in (1, -1)
        )
        by_gradient = np.sum(gradient * direction)
        np.testing.assert_allclose(by_gradient, difference / 2e-6, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(jvp(f, arguments, along, jit=False)[1], by_gradient, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("name", CASES)
def test_second_order(name: str) -> None:
    f, (x, *others) = CASES[name]
    direction = np.random.default_rng(0).normal(size=x.shape)
    matrix = hessian(f, jit=False)(x, *others)
    gradient = grad(f, jit=False)
    step = 1e-5 * direction
    difference = (gradient(x + step, *others) - gradient(x - step, *others)) / 2e-5
    scale = 1 + np.abs(difference).max()
    assert np.abs(np.tensordot(matrix, direction, x.ndim) - difference).max() < 1e-6 * scale


@pytest.mark.parametrize(
    "name", ["solve stack", "det", "slogdet", "cholesky", "eigh", "eig", "svd tall", "qr wide", "pinv tall", "lu_solve"]
)
def test_jitted(name: str) -> None:
    f, arguments = CASES[name]
    plain, jitted = (grad(f, argnums=tuple(range(len(arguments))), jit=j)(*arguments) for j in (False, True))
    for one, other in zip(plain, jitted, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("jitted", [False, True])
def test_float32_stays(jitted: bool) -> None:
    a, b = P.astype(np.float32), B.astype(np.float32)

    def f(a, b):
        return np.sum(np.linalg.solve(a, b)) + np.sum(np.linalg.cholesky(a)) + np.linalg.slogdet(a)[1]

    value, gradient = jit(f, jit=jitted)(a, b), grad(f, jit=jitted)(a, b)
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(value, f(P, B), rtol=1e-5)
    np.testing.assert_allclose(gradient, grad(f, jit=False)(P, B), rtol=1e-3, atol=1e-3)


def test_complex_systems() -> None:
    z = A + 1j * RNG.normal(size=(4, 4))

    def f(a, b):
        return np.abs(np.sum(np.linalg.solve(a, b)) + np.linalg.det(a)) ** 2

    found = grad(f, jit=False)(z, B)
    for direction, part in ((1.0, found.real), (1j, -found.imag)):  # JAX's convention: the conjugate
        step = np.zeros((4, 4), complex)
        step[1, 2] = 1e-6 * direction
        np.testing.assert_allclose(part[1, 2], (f(z + step, B) - f(z - step, B)) / 2e-6, rtol=1e-6)


def test_no_derivative_of_vectors_of_equal_eigenvalues() -> None:
    values = grad(lambda a: np.sum(np.linalg.eigh(a)[0] ** 3), jit=False)(np.eye(3))
    np.testing.assert_allclose(values, 3 * np.eye(3), atol=1e-12)
    vector = grad(lambda a: np.linalg.eigh(a)[1][0, 2] ** 2, jit=False)(np.diag([1.0, 1.0, 2.0]))
    assert not np.any(np.isnan(vector))  # of the third vector, whose eigenvalue is simple
    assert np.any(np.isnan(grad(lambda a: np.linalg.eigh(a)[1][1, 0] * 2.0, jit=False)(np.eye(3))))


def test_functions_of_equal_eigenvalues() -> None:
    """The quotient of a difference of f by that of eigenvalues has a limit, which one point does not tell."""
    w = np.array([[2.0, 1.0], [1.0, -1.0]])

    def exponential(a):
        values, vectors = np.linalg.eigh(a)
        return np.sum(((vectors * np.exp(values)) @ vectors.T) * w)

    assert np.any(np.isnan(grad(exponential, jit=False)(np.eye(2))))
    assert np.any(np.isnan(grad(exponential, jit=False)(np.zeros((2, 2)))))


def test_the_space_of_equal_eigenvalues() -> None:
    """Only the projector on it is asked for: which vectors span it does not matter."""
    turn = np.linalg.qr(RNG.normal(size=(4, 4)))[0]
    a = turn @ np.diag([1.0, 1.0, 3.0, 4.0]) @ turn.T

    def weighed(a):
        first = np.linalg.eigh(a)[1][:, :2]
        return np.sum((first @ first.T) * P)

    def difference(step):
        return weighed(a + 1e-6 * step + 1e-6 * step.T) - weighed(a - 1e-6 * step - 1e-6 * step.T)

    step = RNG.normal(size=(4, 4))
    found = np.sum(grad(weighed, jit=False)(a) * (step + step.T))
    np.testing.assert_allclose(found, difference(step) / 2e-6, rtol=1e-6)


def test_zeros_at_different_eigenvalues() -> None:
    """Elements that are divided by differences are 0 there, but their derivatives are not."""

    def exponential(a):
        values, vectors = np.linalg.eigh(a)
        return np.sum(((vectors * np.exp(values)) @ vectors.T)[0]) ** 2 + np.sum(vectors[0] ** 4)

    def by_values(a):
        u, s, vt = np.linalg.svd(a, full_matrices=False)
        return np.sum(((u * np.exp(s)) @ vt)[0]) ** 2 + np.sum(u[0] ** 4)

    a = np.diag([1.0, 2.0, 3.5])
    for f in (exponential, by_values):
        gradient = grad(f, jit=False)
        for k in range(9):
            step = np.zeros((3, 3))
            step[k // 3, k % 3] = 1e-5
            difference = (gradient(a + step) - gradient(a - step)) / 2e-5
            np.testing.assert_allclose(hessian(f, jit=False)(a)[..., k // 3, k % 3], difference, atol=1e-5)


def test_equal_singular_values() -> None:
    def polar(a):
        u, _, vt = np.linalg.svd(a, full_matrices=False)
        return np.sum(u @ vt * W)

    W = np.array([[1.0, 2.0], [5.0, -3.0]])  # noqa: N806  (a matrix)
    expected = (W - W.T) / 2  # of the orthogonal factor at the identity
    np.testing.assert_allclose(grad(polar, jit=False)(np.eye(2)), expected, atol=1e-12)
    nuclear = grad(lambda a: np.linalg.norm(a, "nuc"), jit=False)(np.eye(3))
    np.testing.assert_allclose(nuclear, np.eye(3), atol=1e-12)


@pytest.mark.parametrize("n", [5, 6])
def test_det_of_large_singular_matrices(n: int) -> None:
    a = RNG.normal(size=(n, n - 1)) @ RNG.normal(size=(n - 1, n))
    cofactors = [
        [(-1) ** (i + j) * np.linalg.det(np.delete(np.delete(a, i, 0), j, 1)) for j in range(n)] for i in range(n)
    ]
    np.testing.assert_allclose(grad(lambda a: np.linalg.det(a), jit=False)(a), cofactors, atol=1e-10)


@pytest.mark.parametrize("jitted", [False, True])
def test_what_numpy_raises(jitted: bool) -> None:
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        jit(lambda a, b: np.linalg.solve(a, b), jit=jitted)(np.ones((2, 2)), np.ones(2))
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        jit(lambda a: np.linalg.cholesky(a), jit=jitted)(-np.eye(2))
    with pytest.raises(np.linalg.LinAlgError, match="must be square"):
        jit(lambda a: np.linalg.inv(a), jit=jitted)(np.ones((2, 3)))


def test_a_kept_factor_that_is_overwritten() -> None:
    def f(a, b):
        total = 0.0
        x = b.copy()
        for k in range(3):
            y = np.linalg.solve(a, x)
            total += np.sum(y**2) * k
            x[:] = np.sin(y)
            a = a * 1.1
        return total

    difference = [(f(A, B + 1e-6 * e) - f(A, B - 1e-6 * e)) / 2e-6 for e in np.eye(4)]
    np.testing.assert_allclose(grad(f, argnums=1, jit=False)(A, B), difference, rtol=1e-6, atol=1e-7)
    assert np.all(np.isfinite(grad(f, jit=False)(A, B)))
