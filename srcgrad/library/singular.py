"""Singular values and what is made of them: pseudo-inverse, least squares, rank.

The rule of the decomposition is that of M. Seeger et al., Auto-differentiating linear algebra, 2017, with the two terms
over differences of squares joined: so a function of the singular values, of ``u @ vt`` or of other vectors has its
gradient where singular values are equal, and what asks for the vectors of equal ones gets NaN.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.calls.routines import routine
from srcgrad.library.completed import moved_to_first, with_last
from srcgrad.library.degenerate import negligible, quotient
from srcgrad.library.matrices import (
    Matrix,
    Vector,
    conjugate,
    conjugate_transpose,
    floating,
    real_zeros,
    require_matrix,
)
from srcgrad.library.norms import squared
from srcgrad.library.spectral import settled_pairs
from srcgrad.primitives.library import library

SVDResult = type(np.linalg.svd(np.eye(1)))


def joined(plus: Matrix, minus: Matrix, s: Vector, sign: float, settled: NDArray[np.bool_]) -> Matrix:
    """``plus`` over the differences of singular values, ``sign * minus`` over their sums; half of each."""
    k = s.shape[0]
    least = 16 * k * np.finfo(s.dtype).eps * (s[0] if k > 0 else 0.0)
    small = negligible(plus) + negligible(minus)
    x = np.zeros((k, k), plus.dtype)
    for i in range(k):
        for j in range(k):
            if i != j:
                x[i, j] = quotient(plus[i, j], 2 * (s[j] - s[i]), least, small, settled[i, j])
                x[i, j] += sign * quotient(minus[i, j], 2 * (s[j] + s[i]), least, small, settled[i, j])
    return x


def over(m: Matrix, s: Vector, like: Matrix, ct_s: Vector | None) -> Matrix:
    """Each column of a matrix over its singular value; numbers that rounding left of ``like`` count as 0."""
    k = s.shape[0]
    least = 16 * k * np.finfo(s.dtype).eps * (s[0] if k > 0 else 0.0)
    small = negligible(like)
    result = np.empty(m.shape, m.dtype)
    for j in range(k):
        settled = ct_s is None or ct_s[j] == 0.0
        for i in range(m.shape[0]):
            result[i, j] = quotient(m[i, j], s[j], least, small, settled)
    return result


def turned_phases(m: Matrix, s: Vector) -> Matrix:
    """How left vectors of a complex matrix turn, where the right ones do not: the imaginary diagonal, over the values.

    The phase of a pair of vectors is anyone's choice; this one is that of JAX.
    """
    turns: Matrix = 1j * np.diag(np.diag(over(np.diag(np.diag(m).imag), s, m, None)))  # type: ignore[assignment]  # complex
    return turns


def svd_vjp(
    a: Matrix, u: Matrix, s: Vector, vt: Matrix, ct_u: Matrix | None, ct_s: Vector | None, ct_vt: Matrix | None
) -> Matrix:
    k = s.shape[0]
    u1 = u[:, :k]
    v1t = vt[:k]
    v1 = conjugate_transpose(v1t)
    if ct_u is None and ct_vt is None:
        assert ct_s is not None
        return conjugate((u1 * ct_s) @ v1t)
    gu = np.zeros(u1.shape, u.dtype) if ct_u is None else moved_to_first(u, conjugate(ct_u), k)
    gv = np.zeros(v1.shape, u.dtype) if ct_vt is None else moved_to_first(conjugate_transpose(vt), ct_vt.T, k)
    left = conjugate_transpose(u1) @ gu
    right = v1t @ gv
    one = left - conjugate_transpose(left)
    two = right - conjugate_transpose(right)
    inner = joined(one + two, one - two, s, 1.0, settled_pairs(np.abs(left) + np.abs(right), ct_s))
    if a.dtype.kind == "c":
        inner = inner + turned_phases(left, s)
    if ct_s is not None:
        inner = inner + np.diag(ct_s)
    ct = u1 @ inner @ v1t
    if u.shape[0] > k:
        ct = ct + over(gu - u1 @ left, s, gu, ct_s) @ v1t
    if vt.shape[1] > k:
        ct = ct + u1 @ conjugate_transpose(over(gv - v1 @ right, s, gv, ct_s))
    return conjugate(ct)


def svd_jvp(a: Matrix, u: Matrix, s: Vector, vt: Matrix, a_dot: Matrix) -> tuple[Matrix, Vector, Matrix]:
    k = s.shape[0]
    u1 = u[:, :k]
    v = conjugate_transpose(vt)
    v1 = v[:, :k]
    forward = a_dot @ v1
    back = conjugate_transpose(a_dot) @ u1
    p = conjugate_transpose(u1) @ forward
    adjoint = conjugate_transpose(p)
    settled = settled_pairs(p, None)
    turn = joined(p + adjoint, p - adjoint, s, 1.0, settled)
    if a.dtype.kind == "c":
        turn = turn + turned_phases(p, s)
    u_dot = u1 @ turn
    v_dot = v1 @ joined(p + adjoint, p - adjoint, s, -1.0, settled)
    if u.shape[0] > k:
        u_dot = u_dot + over(forward - u1 @ p, s, forward, None)
    if vt.shape[1] > k:
        v_dot = v_dot + over(back - v1 @ adjoint, s, back, None)
    return with_last(u, u_dot, k), np.diag(p).real.copy(), conjugate_transpose(with_last(v, v_dot, k))


SVD = '''def singular_values(a, u, s, vt):
    """The singular value decomposition, with as many vectors as there is room for."""
    m, n = a.shape
    k = min(m, n)
    if k == 0:
        for i in range(m):
            for j in range(u.shape[1]):
                u[i, j] = 1.0 if i == j else 0.0
        for i in range(vt.shape[0]):
            for j in range(n):
                vt[i, j] = 1.0 if i == j else 0.0
        return
    work = np.empty((n, m), a.dtype)
    for i in range(m):
        for j in range(n):
            work[j, i] = a[i, j]
    rows, columns = vt.shape[0], u.shape[1]
    left, right = np.empty((columns, m), a.dtype), np.empty((n, rows), a.dtype)
    wanted = 83 if rows == k and columns == k else 65
    u_room, vt_room, letter = left.ctypes, right.ctypes, lapack_letter(a)
    if numba_ez_gesdd(letter, wanted, m, n, work.ctypes, m, s.ctypes, u_room, m, vt_room, rows) != 0:
        raise np.linalg.LinAlgError("SVD did not converge")
    for i in range(m):
        for j in range(columns):
            u[i, j] = left[j, i]
    for i in range(rows):
        for j in range(n):
            vt[i, j] = right[j, i]
'''


@routine(reads=1, fills=3, compiled=SVD, jvp=svd_jvp, vjp=svd_vjp)
def singular_values(a: Matrix, u: Matrix, s: Vector, vt: Matrix) -> None:
    """The singular value decomposition, with as many vectors as there is room for."""
    reduced = u.shape[1] == vt.shape[0] == s.shape[0]
    u[...], s[...], vt[...] = np.linalg.svd(a, full_matrices=not reduced)


@library(np.linalg.svd)
def svd(
    a: Matrix, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> tuple[Matrix, Vector, Matrix]:
    a = np.asarray(a)
    require_matrix(a.ndim)
    a = floating(a)
    k = min(a.shape[-2], a.shape[-1])
    all_vectors = compute_uv and full_matrices
    u = np.empty((*a.shape[:-1], a.shape[-2] if all_vectors else k), a.dtype)
    s = real_zeros((*a.shape[:-2], k), a)
    vt = np.empty((*a.shape[:-2], a.shape[-1] if all_vectors else k, a.shape[-1]), a.dtype)
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
    adjoint = conjugate_transpose(p)
    result = -(adjoint @ conjugate(ct) @ adjoint)
    result = result + (g - a @ (p @ g)) @ (p @ adjoint)
    return conjugate(result + (adjoint @ p) @ (g - (g @ p) @ a)), None


def pseudo_jvp(a: Matrix, cutoff: float, p: Matrix, a_dot: Matrix, cutoff_dot: None) -> Matrix:
    d = conjugate_transpose(a_dot)
    adjoint = conjugate_transpose(p)
    result = -(p @ a_dot @ p)
    result = result + (p @ adjoint) @ (d - (d @ a) @ p)
    return result + (d - p @ (a @ d)) @ (adjoint @ p)


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
    u, s, vt = np.empty((m, k), a.dtype), np.empty(k, a.real.dtype), np.empty((k, n), a.dtype)
    if numba_ez_gesdd(lapack_letter(a), 83, n, m, work.ctypes, n, s.ctypes, vt.ctypes, n, u.ctypes, k) != 0:
        raise np.linalg.LinAlgError("SVD did not converge")
    for i in range(n):
        for j in range(m):
            p[i, j] = 0.0
        for t in range(k):
            if s[t] > cutoff * s[0]:
                factor = np.conj(vt[t, i]) / s[t]
                for j in range(m):
                    p[i, j] += factor * np.conj(u[j, t])
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
    residuals = real_zeros((count,), fitted)
    for k in range(count):
        residuals[k] = np.sum(squared(columns[:, k] - fitted[:, k]))
    return x, residuals, rank, s
