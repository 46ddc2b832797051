"""Eigenvalues of symmetric matrices and singular values, by Jacobi's rotations.

Each rotation is a smooth function of the matrix, so that derivatives of every order go through the iteration. When
the values have converged, further sweeps carry the derivatives along: a sweep settles the first derivatives, two
the second and third.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.calls.compile_time import refuse
from srcgrad.library.linear_algebra import floating, require_rank, require_square
from srcgrad.library.ordering import order_of
from srcgrad.primitives.library import library

Matrix = NDArray[np.floating]
Vector = NDArray[np.floating]
SWEEPS = 60  # each roughly squares what is left off the diagonal; 10 are many
SETTLING = 3


@library(np.linalg.eigh)
def eigh(a: Matrix, UPLO: str = "L") -> tuple[Vector, Matrix]:  # noqa: N803  (NumPy's name)
    """Eigenvalues in ascending order and eigenvectors as columns, from one triangle of the matrix."""
    a = np.asarray(a)
    require_rank(a.ndim, 2, "eigh()")
    require_square(a)
    n = a.shape[0]
    d = floating(a)
    for i in range(n):
        for j in range(i):
            if UPLO == "L":
                d[j, i] = d[i, j]
            else:
                d[i, j] = d[j, i]
    v = np.eye(n, dtype=d.dtype)
    settled = 0
    for _ in range(SWEEPS):
        if off_diagonal(d) <= 1e-30 * np.sum(d * d):
            settled += 1
            if settled > SETTLING:
                break
        sweep(d, v)
    values = np.diag(d).copy()
    order = np.empty(n, np.int64)
    order_of(values, order)
    return values[order], v[:, order]


def off_diagonal(d: Matrix) -> np.floating:
    total = d.dtype.type(0)
    for i in range(d.shape[0]):
        for j in range(d.shape[0]):
            if i != j:
                total += d[i, j] * d[i, j]
    return total


def sweep(d: Matrix, v: Matrix) -> None:
    """Rotate every pair of axes so that their common element vanishes."""
    n = d.shape[0]
    for p in range(n):
        for q in range(p + 1, n):
            off = d[p, q]
            gap = d[q, q] - d[p, p]
            if off != 0.0 or gap != 0.0:
                angle = half_angle(off, gap)
                rotate_columns(d, p, q, np.cos(angle), np.sin(angle))
                rotate_columns(d.T, p, q, np.cos(angle), np.sin(angle))
                rotate_columns(v, p, q, np.cos(angle), np.sin(angle))


def half_angle(off: np.floating, gap: np.floating) -> np.floating:
    """The smaller of the rotations that take ``[[0, off], [off, gap]]`` to a diagonal."""
    if gap < 0.0:
        return 0.5 * np.arctan2(-2.0 * off, -gap)
    return 0.5 * np.arctan2(2.0 * off, gap)


def rotate_columns(m: Matrix, p: int, q: int, c: float, s: float) -> None:
    for k in range(m.shape[0]):
        x = m[k, p]
        y = m[k, q]
        m[k, p] = c * x - s * y
        m[k, q] = s * x + c * y


@library(np.linalg.eigvalsh)
def eigvalsh(a: Matrix, UPLO: str = "L") -> Vector:  # noqa: N803  (NumPy's name)
    values, _ = eigh(a, UPLO)
    return values


@library(np.linalg.svd)
def svd(a: Matrix, full_matrices: bool = True, compute_uv: bool = True) -> tuple[Matrix, Vector, Matrix]:
    """One-sided Jacobi: the columns are rotated until they are orthogonal; their lengths are the singular values."""
    a = np.asarray(a)
    require_rank(a.ndim, 2, "svd()")
    if compute_uv and full_matrices:
        refuse("svd() with full_matrices=True", "Write full_matrices=False, or compute_uv=False.")
    if a.shape[0] < a.shape[1]:
        u, s, v = tall(floating(a.T))
        if not compute_uv:
            return s  # type: ignore[return-value]  # as NumPy has it
        return v, s, u.T
    u, s, v = tall(floating(a))
    if not compute_uv:
        return s  # type: ignore[return-value]  # as NumPy has it
    return u, s, v.T


def tall(u: Matrix) -> tuple[Matrix, Vector, Matrix]:
    """``u``, overwritten, as orthonormal columns, lengths in descending order, and the rotation."""
    n = u.shape[1]
    v = np.eye(n, dtype=u.dtype)
    settled = 0
    for _ in range(SWEEPS):
        worst = u.dtype.type(0)
        for p in range(n):
            for q in range(p + 1, n):
                pp = u.dtype.type(0)
                qq = u.dtype.type(0)
                pq = u.dtype.type(0)
                for k in range(u.shape[0]):
                    pp += u[k, p] * u[k, p]
                    qq += u[k, q] * u[k, q]
                    pq += u[k, p] * u[k, q]
                worst = max(worst, pq * pq - 1e-30 * pp * qq)
                if pq != 0.0 or qq != pp:
                    angle = half_angle(pq, qq - pp)
                    rotate_columns(u, p, q, np.cos(angle), np.sin(angle))
                    rotate_columns(v, p, q, np.cos(angle), np.sin(angle))
        if worst <= 0.0:
            settled += 1
            if settled > SETTLING:
                break
    lengths = np.linalg.norm(u, axis=0)
    order = np.empty(n, np.int64)
    order_of(-lengths, order)
    return (u / lengths)[:, order], lengths[order], v[:, order]
