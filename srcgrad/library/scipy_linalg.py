"""``scipy.linalg``: triangular systems, factors that are kept and solved with, the matrix exponential."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from srcgrad.frontend.calls.compile_time import compile_time, refuse
from srcgrad.frontend.calls.routines import routine
from srcgrad.library.linear_algebra import det, inv, lower_factor, solve_one, stacked, upper_factor
from srcgrad.library.matrices import (
    Matrix,
    Vector,
    alike,
    conjugate,
    floating,
    hermitian,
    require_rank,
    require_square,
    symmetric,
)
from srcgrad.library.norms import norm
from srcgrad.library.singular import cutoff_of, lstsq, pinv, svd, svdvals
from srcgrad.library.spectral import eigh, eigvalsh
from srcgrad.library.triangular import solve_triangle
from srcgrad.primitives.library import library

Pivots = NDArray[np.int32]

library(scipy.linalg.inv)(inv)
library(scipy.linalg.det)(det)
library(scipy.linalg.norm)(norm)
library(scipy.linalg.svdvals)(svdvals)


@compile_time
def is_transposed(trans: int | str) -> bool:
    """SciPy's way to ask for the transpose of a matrix, the conjugate one among them."""
    return trans in (1, 2, "T", "C")


@compile_time
def is_conjugate(trans: int | str) -> bool:
    return trans in (2, "C")


def by_triangle(t: Matrix, lower: bool, transposed: bool, unit: bool, b: Matrix) -> Matrix:
    """The solution for a vector or for the columns of a matrix."""
    if b.ndim == 1:
        return by_triangle(t, lower, transposed, unit, b[:, None])[:, 0]
    if t.shape[0] != b.shape[0]:
        raise ValueError("a triangular system of a matrix and right-hand sides of different extents")
    x = np.empty(b.shape, b.dtype)
    solve_triangle(t, lower, transposed, unit, b, x)
    return x


def alike_pair(a: Matrix, b: Matrix) -> tuple[Matrix, Matrix]:
    """Matrix and right-hand sides of one dtype."""
    a = np.asarray(a)
    b = np.asarray(b)
    require_rank(a.ndim, 2, "this function of scipy.linalg")
    require_square(a)
    return alike(a, b), alike(b, a)


@library(scipy.linalg.pinv)
def scipy_pinv(a: Matrix, *, rtol: float | None = None, check_finite: bool = True) -> Matrix:
    a = floating(np.asarray(a))
    return pinv(a, cutoff_of(a, rtol))


@library(scipy.linalg.solve_triangular)
def solve_triangular(
    a: Matrix,
    b: Matrix,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Matrix:
    a, b = alike_pair(a, b)
    if is_conjugate(trans):
        a = conjugate(a)
    return by_triangle(a, bool(lower), is_transposed(trans), bool(unit_diagonal), b)


@library(scipy.linalg.cholesky)
def cholesky(a: Matrix, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Matrix:
    a = np.asarray(a)
    require_rank(a.ndim, 2, "scipy.linalg.cholesky()")
    require_square(a)
    return lower_factor(floating(a)) if lower else upper_factor(floating(a))


@library(scipy.linalg.cho_factor)
def cho_factor(
    a: Matrix, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Matrix, bool]:
    """The factor with zeros in the other triangle, in which SciPy leaves what was there."""
    return cholesky(a, lower), lower


@library(scipy.linalg.cho_solve)
def cho_solve(
    c_and_lower: tuple[Matrix, bool], b: Matrix, overwrite_b: bool = False, check_finite: bool = True
) -> Matrix:
    c, lower = c_and_lower
    c, b = alike_pair(c, b)
    if lower:
        return by_triangle(conjugate(c), True, True, False, by_triangle(c, True, False, False, b))
    return by_triangle(c, False, False, False, by_triangle(conjugate(c), False, True, False, b))


@library(scipy.linalg.solve)
def solve(
    a: Matrix,
    b: Matrix,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    assume_a: str | None = None,
    transposed: bool = False,
) -> Matrix:
    a = np.asarray(a)
    b = np.asarray(b)
    require_rank(a.ndim, 2, "scipy.linalg.solve()")
    if assume_a in ("pos", "positive definite"):
        return cho_solve((cholesky(a, lower), lower), b)
    if assume_a in ("sym", "symmetric"):
        a = symmetric(floating(a), bool(lower))
    elif assume_a in ("her", "hermitian"):
        a = hermitian(floating(a), bool(lower))
    elif assume_a not in (None, "gen", "general"):
        refuse("solve() with this assume_a", "It takes 'gen', 'sym', 'her' and 'pos'; or call solve_triangular.")
    return np.linalg.solve(a.T if transposed else a, b)


@library(scipy.linalg.eigh)
def scipy_eigh(a: Matrix, b: None = None, lower: bool = True, eigvals_only: bool = False) -> tuple[Vector, Matrix]:
    if b is not None:
        refuse("a generalised eigenvalue problem", "Bring it to standard form with a Cholesky factor of b.")
    if eigvals_only:
        return eigvalsh(a, "L" if lower else "U")  # type: ignore[return-value]  # as SciPy has it
    w, v = eigh(a, "L" if lower else "U")
    return w, v


@library(scipy.linalg.eigvalsh)
def scipy_eigvalsh(a: Matrix, b: None = None, lower: bool = True) -> Vector:
    return scipy_eigh(a, b, lower, True)  # type: ignore[return-value]  # as SciPy has it


@library(scipy.linalg.svd)
def scipy_svd(a: Matrix, full_matrices: bool = True, compute_uv: bool = True) -> tuple[Matrix, Vector, Matrix]:
    if not compute_uv:
        return svd(a, full_matrices, False)
    u, s, vt = svd(a, full_matrices, True)
    return u, s, vt


def permuted(m: Matrix, pivots: Pivots, back: bool) -> Matrix:
    """The rows of a matrix, interchanged as the pivots say, or back again."""
    result = m.copy()
    n = pivots.shape[0]
    for step in range(n):
        i = n - 1 - step if back else step
        j = pivots[i]
        if i != j:
            for k in range(m.shape[1]):
                kept = result[i, k]
                result[i, k] = result[j, k]
                result[j, k] = kept
    return result


def lu_vjp(a: Matrix, lu: Matrix, pivots: Pivots, ct: Matrix) -> Matrix:
    """With ``g`` of the factors, ``inv(l).T @ (tril(l.T @ g_l, -1) + triu(g_u @ u.T)) @ inv(u).T`` (Giles 2008)."""
    low = np.tril(lu, -1) + np.eye(lu.shape[0], dtype=lu.dtype)
    inner = np.tril(low.T @ np.tril(ct, -1), -1) + np.triu(np.triu(ct) @ np.triu(lu).T)
    left = by_triangle(lu, True, True, True, inner)
    return permuted(by_triangle(lu, False, False, False, left.T).T, pivots, True)


def lu_jvp(a: Matrix, lu: Matrix, pivots: Pivots, a_dot: Matrix) -> Matrix:
    left = by_triangle(lu, True, False, True, permuted(a_dot, pivots, False))
    inner = by_triangle(lu, False, True, False, left.T).T
    low = np.tril(lu, -1) + np.eye(lu.shape[0], dtype=lu.dtype)
    return low @ np.tril(inner, -1) + np.triu(inner) @ np.triu(lu)


PACKED = '''def packed_lu(a, lu, pivots):
    """The factors of a in one matrix, and the rows that were interchanged."""
    n = a.shape[0]
    if n == 0:
        return
    work = np.empty((n, n), a.dtype)
    for i in range(n):
        for j in range(n):
            work[j, i] = a[i, j]
    numba_xxgetrf(lapack_letter(a), n, n, work.ctypes, n, pivots.ctypes)
    for i in range(n):
        pivots[i] -= 1
        for j in range(n):
            lu[i, j] = work[j, i]
'''


@routine(reads=1, fills=2, aids=1, compiled=PACKED, jvp=lu_jvp, vjp=lu_vjp)
def packed_lu(a: Matrix, lu: Matrix, pivots: Pivots) -> None:
    """The factors of a in one matrix, and the rows that were interchanged."""
    from scipy.linalg import lapack

    if a.size:
        lu[...], pivots[...], _ = getattr(lapack, "sdcz"["fdFD".index(a.dtype.char)] + "getrf")(a)


@library(scipy.linalg.lu_factor)
def lu_factor(a: Matrix, overwrite_a: bool = False, check_finite: bool = True) -> tuple[Matrix, Pivots]:
    a, _ = alike_pair(a, np.zeros((), a.dtype))
    lu = np.empty(a.shape, a.dtype)
    pivots = np.empty(a.shape[0], np.int32)
    packed_lu(a, lu, pivots)
    return lu, pivots


@library(scipy.linalg.lu)
def lu(
    a: Matrix, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True, p_indices: bool = False
) -> tuple[Matrix, Matrix, Matrix]:
    """Of a square matrix."""
    a = np.asarray(a)
    packed, pivots = lu_factor(a)
    n = packed.shape[0]
    low = np.tril(packed, -1) + np.eye(n, dtype=packed.dtype)
    up = np.triu(packed)
    if p_indices:
        refuse("lu() with p_indices", "Take the permutation matrix.")
    p = permuted(np.eye(n), pivots, False).T
    if permute_l:
        return p @ low, up  # type: ignore[return-value]  # as SciPy has it
    return p, low, up


@library(scipy.linalg.lstsq)
def scipy_lstsq(
    a: Matrix, b: Matrix, cond: float | None = None, overwrite_a: bool = False, overwrite_b: bool = False
) -> tuple[Matrix, Vector, int, Vector]:
    x, residuals, rank, s = lstsq(a, b, float(np.finfo(floating(a).dtype).eps) if cond is None else cond)
    return x, residuals, rank, s


@library(scipy.linalg.lu_solve)
def lu_solve(
    lu_and_piv: tuple[Matrix, Pivots],
    b: Matrix,
    trans: int = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Matrix:
    lu, pivots = lu_and_piv
    lu, b = alike_pair(lu, b)
    if b.ndim == 1:
        return lu_solve((lu, pivots), b[:, None], trans)[:, 0]
    if is_conjugate(trans):
        lu = conjugate(lu)
    if is_transposed(trans):
        inner = by_triangle(lu, True, True, True, by_triangle(lu, False, True, False, b))
        return permuted(inner, pivots, True)
    return by_triangle(lu, False, False, False, by_triangle(lu, True, False, True, permuted(b, pivots, False)))


# N. J. Higham, The scaling and squaring method for the matrix exponential revisited, 2005.
NUMERATOR = (
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
)
LARGEST = 5.371920351148152


@library(scipy.linalg.expm)
def expm(A: Matrix) -> Matrix:  # noqa: N803  (SciPy's name)
    a = floating(np.asarray(A))
    require_square(a)
    return stacked(exponential, a)


def exponential(a: Matrix) -> Matrix:
    size = 0.0
    for j in range(a.shape[1]):
        total = 0.0
        for i in range(a.shape[0]):
            total += abs(a[i, j])
        size = np.maximum(size, total)
    halvings = 0
    while size > LARGEST:
        size /= 2.0
        halvings += 1
    b = NUMERATOR
    a = a * 0.5**halvings
    one = np.eye(a.shape[0], dtype=a.dtype)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    odd = a @ (a6 @ (b[13] * a6 + b[11] * a4 + b[9] * a2) + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * one)
    even = a6 @ (b[12] * a6 + b[10] * a4 + b[8] * a2) + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * one
    result = solve_one(even - odd, even + odd)
    for _ in range(halvings):
        result = result @ result
    return result
