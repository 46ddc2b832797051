"""Linear systems: direct factorisations by loops, and iterations until they converge."""

# ruff: noqa: N803, N806
# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations; matrices have capital names.

from __future__ import annotations

import numba
import numpy as np

from programs.program import program


def _system(n=5, seed=0):
    random = np.random.default_rng(seed)
    A = random.standard_normal((n, n))
    return A @ A.T + n * np.eye(n), random.standard_normal(n)


@program(lambda: (np.full(6, -1.0), np.linspace(3, 4, 6), np.linspace(-1.2, -0.8, 6), np.arange(6.0)), jitted=True)
def thomas(a, b, c, d):
    """Tridiagonal, in place in copies of the coefficients."""
    n = len(d)
    ac, bc, cc, dc = map(np.array, (a, b, c, d))
    for it in range(1, n):
        mc = ac[it - 1] / bc[it - 1]
        bc[it] = bc[it] - mc * cc[it - 1]
        dc[it] = dc[it] - mc * dc[it - 1]
    xc = bc
    xc[-1] = dc[-1] / bc[-1]
    for il in range(n - 2, -1, -1):
        xc[il] = (dc[il] - cc[il] * xc[il + 1]) / bc[il]
    return xc


@program(_system)
def lu_with_pivoting(A, b):
    A = A.copy()
    x = b.copy()
    n = A.shape[0]
    sign = 1.0
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[p, k]):
                p = i
        if p != k:
            sign = -sign
            for j in range(n):
                A[k, j], A[p, j] = A[p, j], A[k, j]
            x[k], x[p] = x[p], x[k]
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
            x[i] -= A[i, k] * x[k]
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    det = sign
    for i in range(n):
        det *= A[i, i]
    return x, np.log(det)


@program(lambda: (np.random.default_rng(4).standard_normal((5, 3)), np.arange(5.0)))
def least_squares_by_householder(A, b):
    R = A.copy()
    y = b.copy()
    n = R.shape[1]
    for k in range(n):
        v = R[k:, k].copy()
        v[0] += np.copysign(np.linalg.norm(v), v[0])
        v = v / np.linalg.norm(v)
        R[k:, k:] -= 2.0 * np.outer(v, v @ R[k:, k:])
        y[k:] -= 2.0 * v * (v @ y[k:])
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        s = y[i]
        for j in range(i + 1, n):
            s -= R[i, j] * x[j]
        x[i] = s / R[i, i]
    return x


@program(lambda: (np.random.default_rng(5).standard_normal((6, 4)),))
def gramschmidt(A):
    Q = np.zeros_like(A)
    R = np.zeros((A.shape[1], A.shape[1]), dtype=A.dtype)
    for k in range(A.shape[1]):
        nrm = np.dot(A[:, k], A[:, k])
        R[k, k] = np.sqrt(nrm)
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, A.shape[1]):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return Q, R


@program(_system)
def conjugate_gradient(A, b, tol=1e-8):
    x = np.zeros_like(b)
    r = b - A @ x
    p = r
    rs_old = r @ r
    iterations = 0
    while rs_old > tol and iterations < 50:
        Ap = A @ p
        alpha = rs_old / (p @ Ap)
        x = x + alpha * p
        r = r - alpha * Ap
        rs_new = r @ r
        p = r + (rs_new / rs_old) * p
        rs_old = rs_new
        iterations += 1
    return x


@numba.njit
def sweep(x, A, b, omega):
    largest = 0.0
    for i in range(b.size):
        sigma = 0.0
        for j in range(b.size):
            if j != i:
                sigma += A[i, j] * x[j]
        new = (1.0 - omega) * x[i] + omega * (b[i] - sigma) / A[i, i]
        largest = max(largest, abs(new - x[i]))
        x[i] = new
    return largest


@program(lambda: (*_system(4, 3), 1.1), jitted=True)
def successive_over_relaxation(A, b, omega):
    x = np.zeros(b.shape[0])
    for _ in range(200):
        if sweep(x, A, b, omega) < 1e-13:
            break
    else:
        raise RuntimeError("no convergence")
    return x


@program(lambda: (np.random.default_rng(7).uniform(0, 1, (7, 6)), np.random.default_rng(8).uniform(0, 1, (7, 6)), 1.4))
def red_black_poisson(u, f, omega):
    h2 = 0.04
    for _ in range(4):
        for colour in (0, 1):
            for i in range(1, u.shape[0] - 1):
                start = 1 + (i + 1 + colour) % 2
                for j in range(start, u.shape[1] - 1, 2):
                    residual = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j] - h2 * f[i, j]
                    u[i, j] += 0.25 * omega * residual
    return u


@program(lambda: (np.array([0.3, -0.1, 0.2, 0.05, -0.15]),))
def durbin(r):
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


@program(lambda: (_system(4, 6)[0],))
def power_iteration(A):
    v = np.ones(A.shape[0])
    while True:
        w = A.dot(v)
        norm = np.sqrt(np.sum(w**2))
        before, v = v, w / norm
        if np.sum(np.abs(v - before)) < 1e-13:  # the vector, too: its error is that of the gradient
            break
    return norm


def squared_exponential(X1, X2, scale, variance):
    K = np.empty((X1.shape[0], X2.shape[0]))
    for i in range(X1.shape[0]):
        for j in range(X2.shape[0]):
            d = X1[i] - X2[j]
            K[i, j] = variance * np.exp(-0.5 * np.dot(d, d) / scale**2)
    return K


@program(
    lambda: (
        np.random.default_rng(1).standard_normal((6, 2)),
        np.random.default_rng(2).standard_normal(6),
        1.2,
        0.8,
        0.3,
    )
)
def gaussian_process_likelihood(X, y, scale, variance, noise):
    n = y.shape[0]
    K = squared_exponential(X, X, scale, variance) + noise**2 * np.eye(n)
    L = np.zeros((n, n))
    for j in range(n):
        s = K[j, j]
        for k in range(j):
            s -= L[j, k] ** 2
        L[j, j] = np.sqrt(s)
        for i in range(j + 1, n):
            s = K[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            L[i, j] = s / L[j, j]
    z = np.zeros(n)
    for i in range(n):
        z[i] = (y[i] - np.sum(L[i, :i] * z[:i])) / L[i, i]
    return -0.5 * np.sum(z * z) - np.sum(np.log(np.diag(L))) - 0.5 * n * np.log(2 * np.pi)
