"""Singular values and what is made of them: pseudo-inverse, least squares, rank.

The rule of the decomposition is that of M. Seeger et al., Auto-differentiating linear algebra, 2017, with the two terms
over differences of squares joined: so a function of the singular values, of ``u @ vt`` or of other vectors has its
gradient where singular values are equal, and only what asks for the vectors of equal ones gets NaN.
"""

from __future__ import annotations

import numpy as np

from srcgrad.frontend.calls.compile_time import refuse
from srcgrad.frontend.calls.routines import routine
from srcgrad.library.matrices import Matrix, Vector, floating, require_matrix
from srcgrad.primitives.library import library

SVDResult = type(np.linalg.svd(np.eye(1)))


def quotient(x: np.floating, by: np.floating, least: np.floating) -> np.floating:
    """``x / by``, but 0 for a zero, and NaN where nothing is left to divide by."""
    if x == 0.0:
        return x
    return x / by if abs(by) > least else x * np.nan


def joined(plus: Matrix, minus: Matrix, s: Vector, sign: float) -> Matrix:
    """``plus`` over the differences of singular values, ``sign * minus`` over their sums; half of each."""
    k = s.shape[0]
    least = 4 * k * np.finfo(s.dtype).eps * (s[0] if k > 0 else 0.0)
    x = np.zeros((k, k), s.dtype)
    for i in range(k):
        for j in range(k):
            if i != j:
                x[i, j] = quotient(plus[i, j], 2 * (s[j] - s[i]), least)
                x[i, j] += sign * quotient(minus[i, j], 2 * (s[j] + s[i]), least)
    return x


def over(m: Matrix, s: Vector) -> Matrix:
    """Each column of a matrix over its singular value."""
    k = s.shape[0]
    least = 4 * k * np.finfo(s.dtype).eps * (s[0] if k > 0 else 0.0)
    result = np.empty(m.shape, m.dtype)
    for i in range(m.shape[0]):
        for j in range(k):
            result[i, j] = quotient(m[i, j], s[j], least)
    return result


def svd_vjp(
    a: Matrix, u: Matrix, s: Vector, vt: Matrix, ct_u: Matrix | None, ct_s: Vector | None, ct_vt: Matrix | None
) -> Matrix:
    if ct_u is None and ct_vt is None:
        assert ct_s is not None
        return (u * ct_s) @ vt
    gu = np.zeros(u.shape, u.dtype) if ct_u is None else ct_u
    gv = np.zeros((vt.shape[1], vt.shape[0]), vt.dtype) if ct_vt is None else ct_vt.T
    left = u.T @ gu
    right = vt @ gv
    one = left - left.T
    two = right - right.T
    inner = joined(one + two, one - two, s, 1.0)
    if ct_s is not None:
        inner = inner + np.diag(ct_s)
    ct = u @ inner @ vt
    if u.shape[0] > u.shape[1]:
        ct = ct + over(gu - u @ left, s) @ vt
    if vt.shape[1] > vt.shape[0]:
        ct = ct + u @ over(gv - vt.T @ right, s).T
    return ct


def svd_jvp(a: Matrix, u: Matrix, s: Vector, vt: Matrix, a_dot: Matrix) -> tuple[Matrix, Vector, Matrix]:
    forward = a_dot @ vt.T
    back = a_dot.T @ u
    p = u.T @ forward
    u_dot = u @ joined(p + p.T, p - p.T, s, 1.0)
    v_dot = vt.T @ joined(p + p.T, p - p.T, s, -1.0)
    if u.shape[0] > u.shape[1]:
        u_dot = u_dot + over(forward - u @ p, s)
    if vt.shape[1] > vt.shape[0]:
        v_dot = v_dot + over(back - vt.T @ p.T, s)
    return u_dot, np.diag(p).copy(), v_dot.T


SVD = '''def singular_values(a, u, s, vt):
    """The reduced singular value decomposition."""
    m, n = a.shape
    k = min(m, n)
    if k == 0:
        return
    work = np.empty((m, n), a.dtype)
    for i in range(m):
        for j in range(n):
            work[i, j] = a[i, j]
    if numba_ez_gesdd(lapack_letter(a), 83, n, m, work.ctypes, n, s.ctypes, vt.ctypes, n, u.ctypes, k) != 0:
        raise np.linalg.LinAlgError("SVD did not converge")
'''


@routine(reads=1, fills=3, compiled=SVD, jvp=svd_jvp, vjp=svd_vjp)
def singular_values(a: Matrix, u: Matrix, s: Vector, vt: Matrix) -> None:
    """The reduced singular value decomposition."""
    u[...], s[...], vt[...] = np.linalg.svd(a, full_matrices=False)


@library(np.linalg.svd)
def svd(
    a: Matrix, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> tuple[Matrix, Vector, Matrix]:
    a = np.asarray(a)
    require_matrix(a.ndim)
    if compute_uv and full_matrices:
        refuse("svd() with full_matrices=True", "Write full_matrices=False, or compute_uv=False.")
    a = floating(a)
    if a.dtype.kind == "c":
        refuse("svd() of a complex matrix", "Write its real and imaginary parts as blocks of a real matrix.")
    k = min(a.shape[-2], a.shape[-1])
    u = np.empty((*a.shape[:-1], k), a.dtype)
    s = np.empty((*a.shape[:-2], k), a.dtype)
    vt = np.empty((*a.shape[:-2], k, a.shape[-1]), a.dtype)
    if a.ndim == 2:
        singular_values(a, u, s, vt)
    else:
        for at in np.ndindex(a.shape[:-2]):
            singular_values(a[at], u[at], s[at], vt[at])
    if not compute_uv:
        return s  # type: ignore[return-value]  # as NumPy has it
    return SVDResult(u, s, vt)


@library(np.linalg.svdvals)
def svdvals(x: Matrix) -> Vector:
    return svd(x, compute_uv=False)  # type: ignore[return-value]  # as NumPy has it


def pseudo_vjp(a: Matrix, cutoff: float, p: Matrix, ct: Matrix) -> tuple[object, ...]:
    """G. H. Golub and V. Pereyra, The differentiation of pseudo-inverses, 1973."""
    g = ct.T
    result = -(p.T @ ct @ p.T)
    result = result + (g - a @ (p @ g)) @ (p @ p.T)
    return result + (p.T @ p) @ (g - (g @ p) @ a), None


def pseudo_jvp(a: Matrix, cutoff: float, p: Matrix, a_dot: Matrix, cutoff_dot: None) -> Matrix:
    d = a_dot.T
    result = -(p @ a_dot @ p)
    result = result + (p @ p.T) @ (d - (d @ a) @ p)
    return result + (d - p @ (a @ d)) @ (p.T @ p)


PSEUDO = '''def pseudo_inverse(a, cutoff, p):
    """The pseudo-inverse, without singular values up to cutoff times the largest."""
    m, n = a.shape
    k = min(m, n)
    if k == 0:
        return
    work = np.empty((m, n), a.dtype)
    for i in range(m):
        for j in range(n):
            work[i, j] = a[i, j]
    u, s, vt = np.empty((m, k), a.dtype), np.empty(k, a.dtype), np.empty((k, n), a.dtype)
    if numba_ez_gesdd(lapack_letter(a), 83, n, m, work.ctypes, n, s.ctypes, vt.ctypes, n, u.ctypes, k) != 0:
        raise np.linalg.LinAlgError("SVD did not converge")
    for i in range(n):
        for j in range(m):
            p[i, j] = 0.0
        for t in range(k):
            if s[t] > cutoff * s[0]:
                factor = vt[t, i] / s[t]
                for j in range(m):
                    p[i, j] += factor * u[j, t]
'''


@routine(reads=2, fills=1, compiled=PSEUDO, jvp=pseudo_jvp, vjp=pseudo_vjp)
def pseudo_inverse(a: Matrix, cutoff: float, p: Matrix) -> None:
    """The pseudo-inverse, without singular values up to cutoff times the largest."""
    p[...] = np.linalg.pinv(a, cutoff)


def cutoff_of(a: Matrix, relative: float | None) -> float:
    if relative is None:
        return max(a.shape[-2], a.shape[-1]) * float(np.finfo(a.dtype).eps)
    return float(relative)


@library(np.linalg.pinv)
def pinv(a: Matrix, rcond: float | None = None, hermitian: bool = False, *, rtol: float | None = None) -> Matrix:
    a = np.asarray(a)
    require_matrix(a.ndim)
    a = floating(a)
    if a.dtype.kind == "c":
        refuse("pinv() of a complex matrix", "Write its real and imaginary parts as blocks of a real matrix.")
    relative = rtol if rcond is None else rcond
    # NumPy's own default cuts off less than its successor does.
    cutoff = 1e-15 if relative is None and rtol is None else cutoff_of(a, relative)
    p = np.empty((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)
    if a.ndim == 2:
        pseudo_inverse(a, cutoff, p)
    else:
        for at in np.ndindex(a.shape[:-2]):
            pseudo_inverse(a[at], cutoff, p[at])
    return p


@library(np.linalg.matrix_rank)
def matrix_rank(
    A: Matrix,  # noqa: N803  (NumPy's name)
    tol: float | None = None,
    hermitian: bool = False,
    *,
    rtol: float | None = None,
) -> int:
    a = np.asarray(A)
    if a.ndim < 2:
        return int(np.any(a != 0))
    s = np.linalg.svd(a, compute_uv=False)
    if tol is not None:
        return np.sum(s > tol, axis=-1)
    relative = max(a.shape[-2], a.shape[-1]) * float(np.finfo(s.dtype).eps) if rtol is None else rtol
    return np.sum(s > relative * s[..., :1], axis=-1)


@library(np.linalg.lstsq)
def lstsq(a: Matrix, b: Matrix, rcond: float | None = None) -> tuple[Matrix, Vector, int, Vector]:
    """The solution of least norm, residuals if there are any, rank and singular values."""
    a = floating(np.asarray(a))
    b = floating(np.asarray(b))
    s = np.linalg.svd(a, compute_uv=False)
    cutoff = cutoff_of(a, rcond)
    x = pinv(a, cutoff) @ b
    rank = np.sum(s > cutoff * s[0]) if s.shape[0] > 0 else 0
    columns = b[:, None] if b.ndim == 1 else b
    fitted = a @ (x[:, None] if b.ndim == 1 else x)
    count = columns.shape[1] if a.shape[0] > a.shape[1] and rank == a.shape[1] else 0
    residuals = np.empty(count, fitted.dtype)
    for k in range(count):
        residuals[k] = np.sum((columns[:, k] - fitted[:, k]) ** 2)
    return x, residuals, rank, s
