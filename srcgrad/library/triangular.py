"""Triangular systems and Cholesky factors, over LAPACK."""

from __future__ import annotations

import numpy as np

from srcgrad.frontend.calls.routines import routine
from srcgrad.library.matrices import Matrix, conjugate_transpose, triangle


def triangular_vjp(
    t: Matrix, lower: bool, transposed: bool, unit: bool, b: Matrix, x: Matrix, ct: Matrix
) -> tuple[object, ...]:
    w = np.empty(x.shape, x.dtype)
    solve_triangle(t, lower, not transposed, unit, ct, w)
    return -triangle(x @ w.T if transposed else w @ x.T, lower, unit), None, None, None, w


def triangular_jvp(
    t: Matrix,
    lower: bool,
    transposed: bool,
    unit: bool,
    b: Matrix,
    x: Matrix,
    t_dot: Matrix | None,
    lower_dot: None,
    transposed_dot: None,
    unit_dot: None,
    b_dot: Matrix | None,
) -> Matrix:
    rest = np.zeros(x.shape, x.dtype)
    if b_dot is not None:
        rest += b_dot
    if t_dot is not None:
        part = triangle(t_dot, lower, unit)
        rest -= part.T @ x if transposed else part @ x
    x_dot = np.empty(x.shape, x.dtype)
    solve_triangle(t, lower, transposed, unit, rest, x_dot)
    return x_dot


TRIANGULAR = '''def solve_triangle(t, lower, transposed, unit, b, x):
    """Solve t @ x = b, or t.T @ x = b, by one triangle of t."""
    n, columns = b.shape
    if n == 0 or columns == 0:
        return
    factor = np.empty((n, n), t.dtype)
    for i in range(n):
        for j in range(n):
            factor[i, j] = t[i, j]
    if not unit:
        for i in range(n):
            if factor[i, i] == 0.0:
                raise np.linalg.LinAlgError("singular matrix: a diagonal element is zero")
    work = np.empty((columns, n), b.dtype)
    for i in range(n):
        for j in range(columns):
            work[j, i] = b[i, j]
    sizes = np.array([n, columns, 0], np.int32)
    form = np.array([85 if lower else 76, 78 if transposed else 84, 85 if unit else 78], np.uint8)
    half, shape, ones = form.ctypes, form[1:].ctypes, form[2:].ctypes
    size, count, info = sizes.ctypes, sizes[1:].ctypes, sizes[2:].ctypes
    letter = lapack_letter(t)
    if letter == 100:
        lapack_dtrtrs(half, shape, ones, size, count, factor.ctypes, size, work.ctypes, size, info)
    elif letter == 115:
        lapack_strtrs(half, shape, ones, size, count, factor.ctypes, size, work.ctypes, size, info)
    elif letter == 122:
        lapack_ztrtrs(half, shape, ones, size, count, factor.ctypes, size, work.ctypes, size, info)
    else:
        lapack_ctrtrs(half, shape, ones, size, count, factor.ctypes, size, work.ctypes, size, info)
    for i in range(n):
        for j in range(columns):
            x[i, j] = work[j, i]
'''


@routine(reads=5, fills=1, compiled=TRIANGULAR, jvp=triangular_jvp, vjp=triangular_vjp, by_columns=True)
def solve_triangle(t: Matrix, lower: bool, transposed: bool, unit: bool, b: Matrix, x: Matrix) -> None:
    """Solve t @ x = b, or t.T @ x = b, by one triangle of t."""
    from scipy.linalg import solve_triangular

    x[...] = solve_triangular(t, b, 1 if transposed else 0, lower, unit, check_finite=False)


def solve_lower(t: Matrix, transposed: bool, b: Matrix) -> Matrix:
    x = np.empty(b.shape, b.dtype)
    solve_triangle(t, True, transposed, False, b, x)
    return x


def lower_half(m: Matrix) -> Matrix:
    """The lower triangle, with half of the diagonal."""
    n = m.shape[0]
    half = np.zeros((n, n), m.dtype)
    for i in range(n):
        for j in range(i):
            half[i, j] = m[i, j]
        half[i, i] = m[i, i] / 2
    return half


def cholesky_vjp(a: Matrix, factor: Matrix, ct: Matrix) -> Matrix:
    """I. Murray, Differentiation of the Cholesky decomposition, 2016; M. Seeger et al. 2017."""
    middle = solve_lower(factor, True, lower_half(factor.T @ ct))
    s = solve_lower(factor, True, conjugate_transpose(middle))
    return (s + conjugate_transpose(s)) / 2


def cholesky_jvp(a: Matrix, factor: Matrix, a_dot: Matrix) -> Matrix:
    inner = solve_lower(factor, False, conjugate_transpose(solve_lower(factor, False, a_dot)))
    return factor @ lower_half(inner)


CHOLESKY = '''def factor_cholesky(a, factor):
    """The lower factor of a Hermitian positive definite matrix."""
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            factor[i, j] = a[i, j]
    if n > 0 and numba_xxpotrf(lapack_letter(a), 85, n, factor.ctypes, n) != 0:
        raise np.linalg.LinAlgError("Matrix is not positive definite")
    for i in range(n):
        for j in range(i + 1, n):
            factor[i, j] = 0.0
'''


@routine(reads=1, fills=1, compiled=CHOLESKY, jvp=cholesky_jvp, vjp=cholesky_vjp)
def factor_cholesky(a: Matrix, factor: Matrix) -> None:
    """The lower factor of a Hermitian positive definite matrix."""
    factor[...] = np.linalg.cholesky(a)
