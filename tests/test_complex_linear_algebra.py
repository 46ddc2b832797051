"""Linear algebra of complex matrices, and full decompositions: both modes and second order against differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import scipy.linalg

from srcgrad import grad, hvp, jit, jvp

RNG = np.random.default_rng(0)


def drawn(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape) + 1j * RNG.normal(size=shape)


A, TALL, WIDE, W, B = drawn(4, 4), drawn(5, 3), drawn(3, 5), drawn(4, 4), drawn(4)
H = A @ np.conj(A.T) + np.eye(4)
N = np.arange(1.0, 5.0)


def size(z):
    return z.real**2 + z.imag**2


def by_eigh(a):
    w, v = np.linalg.eigh(a + np.conj(a.T))
    return np.sum(size(v) * N) + np.sum(w**3 * N) + size(np.sum(((v * np.exp(w / 5)) @ np.conj(v.T)) * W))


def by_svd(a):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return np.sum(s**3) + size(np.sum(((u * np.exp(-s)) @ vt) * a)) + np.sum(size(u) * N[:3])


def by_full_svd(a):
    """The spaces that the last vectors span are settled, though the vectors are not."""
    u, s, vt = np.linalg.svd(a)
    k = s.shape[0]
    left = u[:, k:] @ np.conj(u[:, k:].T)
    right = np.conj(vt[k:].T) @ vt[k:]
    first = size(np.sum(((u[:, :k] * np.exp(-s)) @ vt[:k]) * a))
    return first + np.sum(size(left) * np.arange(u.shape[0])) + np.sum(size(right) * np.arange(vt.shape[0]))


def by_qr(a):
    q, r = np.linalg.qr(a)
    weights = np.sin(np.arange(q.size)).reshape(q.shape)
    return size(np.sum(q * weights)) + np.sum(size(r)) + np.sum(r.real * np.arange(r.shape[1]))


def by_full_qr(a):
    q, r = np.linalg.qr(a, mode="complete")
    last = q[:, 3:] @ np.conj(q[:, 3:].T)
    return size(np.sum(q[:, :3] * a[:, :3])) + np.sum(size(r)) + np.sum(size(last) * np.arange(q.shape[0]))


def by_cholesky(a):
    low, up = np.linalg.cholesky(a), np.linalg.cholesky(a, upper=True)
    return np.sum(np.abs(low) ** 3) + size(np.sum(low * W)) + size(np.sum(up * W))


def by_pinv(a):
    return size(np.sum(np.linalg.pinv(a) * np.cos(np.arange(a.size).reshape(a.shape).T)))


def by_slogdet(a):
    sign, logarithm = np.linalg.slogdet(a)
    return logarithm**2 + (sign * W[0, 0]).real * logarithm


def by_solve(a):
    return size(np.sum(np.linalg.solve(a, B) * B)) + size(np.sum(np.linalg.inv(a) * W))


def by_norms(a):
    total = np.linalg.norm(a) ** 3 + np.linalg.norm(a, "nuc") ** 2 + np.linalg.norm(a, 2) * np.linalg.norm(a, 1)
    return total + np.linalg.norm(a[0], 3)


def by_lstsq(a):
    x, residuals, _, s = np.linalg.lstsq(a, np.arange(a.shape[0]) * (1 + 0.5j), rcond=None)
    return size(np.sum(x * (1 + 2j))) + np.sum(residuals) + np.sum(s)


def by_triangles(a):
    x = scipy.linalg.solve_triangular(a, B, lower=True)
    y = scipy.linalg.solve_triangular(a, B, trans="C")
    return size(np.sum(x * B)) + size(np.sum(y * B))


def by_factors(a):
    x = scipy.linalg.lu_solve(scipy.linalg.lu_factor(a), B, trans=2)
    p = a @ np.conj(a.T) + np.eye(4)
    y = scipy.linalg.cho_solve(scipy.linalg.cho_factor(p), B)
    z = scipy.linalg.cho_solve(scipy.linalg.cho_factor(p, lower=True), B)
    return size(np.sum(x * B)) + size(np.sum(y * B)) + size(np.sum(z * B))


CASES: dict[str, tuple[Callable[..., object], np.ndarray]] = {
    "eigh": (by_eigh, A),
    "eigvalsh": (lambda a: np.sum(np.linalg.eigvalsh(a) ** 3 * N), H),
    "eigvalsh of upper": (lambda a: np.sum(np.linalg.eigvalsh(a, "U") ** 3 * N), H),
    "svd tall": (by_svd, TALL),
    "svd wide": (by_svd, WIDE),
    "full svd tall": (by_full_svd, TALL),
    "full svd wide": (by_full_svd, WIDE),
    "full svd real": (by_full_svd, TALL.real.copy()),
    "qr tall": (by_qr, TALL),
    "qr wide": (by_qr, WIDE),
    "full qr tall": (by_full_qr, TALL),
    "full qr real": (by_full_qr, TALL.real.copy()),
    "full qr wide": (by_full_qr, WIDE),
    "cholesky": (by_cholesky, H),
    "pinv tall": (by_pinv, TALL),
    "pinv wide": (by_pinv, WIDE),
    "slogdet": (by_slogdet, A),
    "solve": (by_solve, A),
    "norms": (by_norms, TALL),
    "lstsq": (by_lstsq, TALL),
    "triangles": (by_triangles, A),
    "lu and cholesky factors": (by_factors, A),
}


@pytest.mark.parametrize("name", CASES)
def test_all_modes(name: str) -> None:
    f, a = CASES[name]
    turn = np.random.default_rng(3)
    d = turn.normal(size=a.shape) + (1j * turn.normal(size=a.shape) if np.iscomplexobj(a) else 0.0)
    h = 1e-6
    gradient = grad(f, jit=False)
    found = np.sum(gradient(a) * d).real
    np.testing.assert_allclose(found, (f(a + h * d) - f(a - h * d)) / (2 * h), rtol=2e-7, atol=1e-8)
    value, tangent = jvp(f, (a,), (d,), jit=False)
    np.testing.assert_allclose((value, tangent), (f(a), found), rtol=1e-11)
    second = (gradient(a + h * d) - gradient(a - h * d)) / (2 * h)
    np.testing.assert_allclose(hvp(f, (a,), (d,), jit=False), second, rtol=1e-5, atol=1e-6 * np.abs(second).max())


@pytest.mark.parametrize("name", ["eigh", "full svd wide", "full qr tall", "cholesky", "slogdet", "pinv wide"])
def test_jitted(name: str) -> None:
    f, a = CASES[name]
    expected = grad(f, jit=False)(a)
    np.testing.assert_allclose(grad(f)(a), expected, rtol=1e-9, atol=1e-10 * np.abs(expected).max())


@pytest.mark.parametrize("jitted", [False, True])
def test_values_are_those_of_numpy(jitted: bool) -> None:
    """Signs and phases of vectors, too, for what LAPACK is given is the same."""

    def decomposed(a):
        u, s, vt = np.linalg.svd(a)
        q, r = np.linalg.qr(a, "complete")
        w, v = np.linalg.eigh(np.conj(a.T) @ a)
        return u, s, vt, q, r, w, v, np.linalg.pinv(a)

    for ours, theirs in zip(jit(decomposed, jit=jitted)(TALL), decomposed(TALL), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_complex64_stays() -> None:
    def f(a):
        return np.sum(np.linalg.eigvalsh(a)) + np.sum(np.linalg.svd(a, compute_uv=False)) + np.linalg.slogdet(a)[1]

    single = H.astype(np.complex64)
    assert jit(f, jit=False)(single).dtype == np.float32
    found = grad(f, jit=False)(single)
    assert found.dtype == np.complex64
    np.testing.assert_allclose(found, grad(f, jit=False)(H), rtol=1e-3, atol=1e-3)
