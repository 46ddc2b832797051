"""QR factors, over LAPACK."""

from __future__ import annotations

import numpy as np

from srcgrad.frontend.calls.compile_time import refuse
from srcgrad.frontend.calls.routines import routine
from srcgrad.library.completed import moved_to_first, with_last
from srcgrad.library.matrices import Matrix, conjugate, conjugate_transpose, floating, require_matrix
from srcgrad.library.triangular import solve_triangle
from srcgrad.primitives.library import library

QRResult = type(np.linalg.qr(np.eye(1)))


def over_right(m: Matrix, r: Matrix, transposed: bool) -> Matrix:
    """``m @ inv(r)``, or ``m @ inv(r.T)``."""
    x = np.empty((m.shape[1], m.shape[0]), m.dtype)
    solve_triangle(r, False, not transposed, False, m.T, x)
    return x.T


def qr_vjp(a: Matrix, q: Matrix, r: Matrix, ct_q: Matrix | None, ct_r: Matrix | None) -> Matrix:
    """M. Seeger et al., Auto-differentiating linear algebra, 2017; LAPACK's ``r`` has a real diagonal."""
    n = r.shape[0]
    first = q[:, :n]
    m = np.zeros(r.shape, r.dtype)
    total = np.zeros(first.shape, q.dtype)
    if ct_r is not None:
        m = m + r @ conjugate_transpose(np.triu(conjugate(ct_r)))
    if ct_q is not None:
        g = moved_to_first(q, conjugate(ct_q), n)
        m = m - conjugate_transpose(g) @ first
        total = total + g
    low = np.tril(m, -1)
    total = total + first @ (low + conjugate_transpose(low) + np.diag(np.diag(m).real))
    return over_right(conjugate(total), r, True)


def qr_jvp(a: Matrix, q: Matrix, r: Matrix, a_dot: Matrix) -> tuple[Matrix, Matrix]:
    n = r.shape[0]
    first = q[:, :n]
    c = over_right(a_dot, r, False)
    m = conjugate_transpose(first) @ c
    low = np.tril(m, -1)
    turn = low - conjugate_transpose(low)
    if m.dtype.kind == "c":
        turn = turn + 1j * np.diag(np.diag(m).imag)
    return with_last(q, c - first @ (m - turn), n), np.triu((m - turn) @ r)


QR = '''def factor_qr(a, q, r):
    """The QR factors of a matrix with at least as many rows as columns, of q as many as there is room for."""
    m, n = a.shape
    columns = q.shape[1]
    if n == 0:
        return
    work = np.zeros((columns, m), a.dtype)
    for i in range(m):
        for j in range(n):
            work[j, i] = a[i, j]
    tau = np.empty(n, a.dtype)
    letter = lapack_letter(a)
    numba_ez_geqrf(letter, m, n, work.ctypes, m, tau.ctypes)
    for i in range(n):
        for j in range(n):
            r[i, j] = work[j, i] if i <= j else 0.0
    numba_ez_xxgqr(letter, m, columns, n, work.ctypes, m, tau.ctypes)
    for i in range(m):
        for j in range(columns):
            q[i, j] = work[j, i]
'''


@routine(reads=1, fills=2, compiled=QR, jvp=qr_jvp, vjp=qr_vjp)
def factor_qr(a: Matrix, q: Matrix, r: Matrix) -> None:
    """The QR factors of a matrix with at least as many rows as columns, of q as many as there is room for."""
    n = a.shape[1]
    full_q, full_r = np.linalg.qr(a, "reduced" if q.shape[1] == n else "complete")
    q[...], r[...] = full_q, full_r[:n]


@library(np.linalg.qr)
def qr(a: Matrix, mode: str = "reduced") -> tuple[Matrix, Matrix]:
    a = np.asarray(a)
    require_matrix(a.ndim)
    if mode not in ("reduced", "complete", "r"):
        refuse("qr() in this mode", "It takes 'reduced', 'complete' and 'r'.")
    a = floating(a)
    k = min(a.shape[-2], a.shape[-1])
    count = a.shape[-2] if mode == "complete" else k
    q = np.empty((*a.shape[:-1], count), a.dtype)
    r = np.zeros((*a.shape[:-2], count, a.shape[-1]), a.dtype)
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
    k = min(a.shape[0], a.shape[1])
    square = np.empty((k, k), a.dtype)
    factor_qr(a[:, :k], q, square)
    r[:k, :k] = square
    if a.shape[1] > k:
        r[:, k:] = conjugate_transpose(q) @ a[:, k:]
