"""QR factors, over LAPACK."""

from __future__ import annotations

import numpy as np

from srcgrad.frontend.calls.compile_time import refuse
from srcgrad.frontend.calls.routines import routine
from srcgrad.library.matrices import Matrix, floating, require_matrix
from srcgrad.library.triangular import solve_triangle
from srcgrad.primitives.library import library

QRResult = type(np.linalg.qr(np.eye(1)))


def over_right(m: Matrix, r: Matrix, transposed: bool) -> Matrix:
    """``m @ inv(r)``, or ``m @ inv(r.T)``."""
    x = np.empty((m.shape[1], m.shape[0]), m.dtype)
    solve_triangle(r, False, not transposed, False, m.T, x)
    return x.T


def qr_vjp(a: Matrix, q: Matrix, r: Matrix, ct_q: Matrix | None, ct_r: Matrix | None) -> Matrix:
    """M. Seeger et al., Auto-differentiating linear algebra, 2017."""
    m = np.zeros(r.shape, r.dtype)
    total = np.zeros(q.shape, q.dtype)
    if ct_r is not None:
        m = m + r @ np.triu(ct_r).T
    if ct_q is not None:
        m = m - ct_q.T @ q
        total = total + ct_q
    low = np.tril(m, -1)
    total = total + q @ (np.tril(m) + low.T)
    return over_right(total, r, True)


def qr_jvp(a: Matrix, q: Matrix, r: Matrix, a_dot: Matrix) -> tuple[Matrix, Matrix]:
    c = over_right(a_dot, r, False)
    n = q.T @ c
    low = np.tril(n, -1)
    turn = low - low.T
    return c - q @ (n - turn), np.triu((n - turn) @ r)


QR = '''def factor_qr(a, q, r):
    """The reduced QR factors of a matrix with at least as many rows as columns."""
    m, n = a.shape
    if n == 0:
        return
    work = np.empty((n, m), a.dtype)
    for i in range(m):
        for j in range(n):
            work[j, i] = a[i, j]
    tau = np.empty(n, a.dtype)
    letter = lapack_letter(a)
    numba_ez_geqrf(letter, m, n, work.ctypes, m, tau.ctypes)
    for i in range(n):
        for j in range(n):
            r[i, j] = work[j, i] if i <= j else 0.0
    numba_ez_xxgqr(letter, m, n, n, work.ctypes, m, tau.ctypes)
    for i in range(m):
        for j in range(n):
            q[i, j] = work[j, i]
'''


@routine(reads=1, fills=2, compiled=QR, jvp=qr_jvp, vjp=qr_vjp)
def factor_qr(a: Matrix, q: Matrix, r: Matrix) -> None:
    """The reduced QR factors of a matrix with at least as many rows as columns."""
    q[...], r[...] = np.linalg.qr(a)


@library(np.linalg.qr)
def qr(a: Matrix, mode: str = "reduced") -> tuple[Matrix, Matrix]:
    a = np.asarray(a)
    require_matrix(a.ndim)
    if mode not in ("reduced", "r"):
        refuse("qr() in another mode than 'reduced' or 'r'", "Write mode='reduced'.")
    a = floating(a)
    if a.dtype.kind == "c":
        refuse("qr() of a complex matrix", "Write its real and imaginary parts as blocks of a real matrix.")
    k = min(a.shape[-2], a.shape[-1])
    q = np.empty((*a.shape[:-1], k), a.dtype)
    r = np.empty((*a.shape[:-2], k, a.shape[-1]), a.dtype)
    if a.ndim == 2:
        qr_one(a, q, r)
    else:
        for at in np.ndindex(a.shape[:-2]):
            qr_one(a[at], q[at], r[at])
    if mode == "r":
        return r  # type: ignore[return-value]  # as NumPy has it
    return QRResult(q, r)


def qr_one(a: Matrix, q: Matrix, r: Matrix) -> None:
    """The factors are settled by the first columns, of which there are not more than rows."""
    k = q.shape[1]
    square = np.empty((k, k), a.dtype)
    factor_qr(a[:, :k], q, square)
    r[:, :k] = square
    if a.shape[1] > k:
        r[:, k:] = q.T @ a[:, k:]
