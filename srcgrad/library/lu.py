"""Linear systems, inverses and determinants over LU factors.

The factors carry no derivative: they save work to functions of the matrix itself. So the derivative of a solution is
that of ``a @ x = b``, by the same factors (M. B. Giles, Collected matrix derivative results for forward and reverse
mode algorithmic differentiation, 2008), and derivatives of derivatives are as simple.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.calls.routines import routine
from srcgrad.library.matrices import Matrix

Pivots = NDArray[np.int32]

FACTOR = '''def factor_lu(a, lu, pivots):
    """The LU factors of the transpose, as LAPACK sees a matrix by rows."""
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            lu[i, j] = a[i, j]
    if n > 0:
        numba_xxgetrf(lapack_letter(a), n, n, lu.ctypes, n, pivots.ctypes)
'''


@routine(reads=1, fills=2, aids=2, compiled=FACTOR)
def factor_lu(a: Matrix, lu: Matrix, pivots: Pivots) -> None:
    """The LU factors of the transpose, with pivots counted from 1."""
    from scipy.linalg import lapack

    if a.size:
        getrf = getattr(lapack, "sdcz"["fdFD".index(a.dtype.char)] + "getrf")
        lu[...], pivots[...], _ = getrf(a.T)
        pivots += 1


def solve_vjp(
    a: Matrix, lu: Matrix, pivots: Pivots, transposed: bool, b: Matrix, x: Matrix, ct: Matrix
) -> tuple[object, ...]:
    w = np.empty(x.shape, x.dtype)
    solve_lu(a, lu, pivots, not transposed, ct, w)
    return -(x @ w.T) if transposed else -(w @ x.T), None, None, None, w


def solve_jvp(
    a: Matrix,
    lu: Matrix,
    pivots: Pivots,
    transposed: bool,
    b: Matrix,
    x: Matrix,
    a_dot: Matrix | None,
    lu_dot: None,
    pivots_dot: None,
    transposed_dot: None,
    b_dot: Matrix | None,
) -> Matrix:
    rest = np.zeros(x.shape, x.dtype)
    if b_dot is not None:
        rest += b_dot
    if a_dot is not None:
        rest -= a_dot.T @ x if transposed else a_dot @ x
    x_dot = np.empty(x.shape, x.dtype)
    solve_lu(a, lu, pivots, transposed, rest, x_dot)
    return x_dot


SOLVE = '''def solve_lu(a, lu, pivots, transposed, b, x):
    """Solve a @ x = b, or a.T @ x = b, for the columns of b."""
    n, columns = b.shape
    if n == 0 or columns == 0:
        return
    work = np.empty((columns, n), b.dtype)
    for i in range(n):
        for j in range(columns):
            work[j, i] = b[i, j]
    sizes = np.array([n, columns, 0], np.int32)
    form = np.array([78 if transposed else 84], np.uint8)
    letter = lapack_letter(lu)
    size, info = sizes.ctypes, sizes[2:].ctypes
    if letter == 100:
        lapack_dgetrs(form.ctypes, size, sizes[1:].ctypes, lu.ctypes, size, pivots.ctypes, work.ctypes, size, info)
    elif letter == 115:
        lapack_sgetrs(form.ctypes, size, sizes[1:].ctypes, lu.ctypes, size, pivots.ctypes, work.ctypes, size, info)
    elif letter == 122:
        lapack_zgetrs(form.ctypes, size, sizes[1:].ctypes, lu.ctypes, size, pivots.ctypes, work.ctypes, size, info)
    else:
        lapack_cgetrs(form.ctypes, size, sizes[1:].ctypes, lu.ctypes, size, pivots.ctypes, work.ctypes, size, info)
    for i in range(n):
        for j in range(columns):
            x[i, j] = work[j, i]
'''


@routine(reads=5, fills=1, compiled=SOLVE, jvp=solve_jvp, vjp=solve_vjp, by_columns=True)
def solve_lu(a: Matrix, lu: Matrix, pivots: Pivots, transposed: bool, b: Matrix, x: Matrix) -> None:
    """Solve a @ x = b, or a.T @ x = b, for the columns of b."""
    from scipy.linalg import lapack

    if b.size:
        getrs = getattr(lapack, "sdcz"["fdFD".index(lu.dtype.char)] + "getrs")
        x[...] = getrs(lu, pivots - 1, b, trans=0 if transposed else 1)[0]


def inverse_transposed(a: Matrix, lu: Matrix, pivots: Pivots) -> Matrix:
    w = np.empty(a.shape, a.dtype)
    solve_lu(a, lu, pivots, True, np.eye(a.shape[0], dtype=a.dtype), w)
    return w


def log_determinant_vjp(a: Matrix, lu: Matrix, pivots: Pivots, out: Matrix, ct: Matrix) -> tuple[object, ...]:
    return ct[0] * inverse_transposed(a, lu, pivots), None, None


def log_determinant_jvp(
    a: Matrix, lu: Matrix, pivots: Pivots, out: Matrix, a_dot: Matrix, lu_dot: None, pivots_dot: None
) -> Matrix:
    dot = np.empty(1, out.dtype)
    dot[0] = np.sum(inverse_transposed(a, lu, pivots) * a_dot).real
    return dot


LOG_DETERMINANT = '''def log_determinant(a, lu, pivots, out):
    """The logarithm of the determinant's magnitude."""
    total = np.log(np.abs(lu[0, 0])) if a.shape[0] > 0 else 0.0
    for i in range(1, a.shape[0]):
        total += np.log(np.abs(lu[i, i]))
    out[0] = total
'''


@routine(reads=3, fills=1, compiled=LOG_DETERMINANT, jvp=log_determinant_jvp, vjp=log_determinant_vjp)
def log_determinant(a: Matrix, lu: Matrix, pivots: Pivots, out: Matrix) -> None:
    """The logarithm of the determinant's magnitude."""
    out[0] = np.sum(np.log(np.abs(np.diag(lu))))


def sign_vjp(a: Matrix, lu: Matrix, pivots: Pivots, out: Matrix, ct: Matrix) -> tuple[object, ...]:
    return 1j * (ct[0] * out[0]).imag * inverse_transposed(a, lu, pivots), None, None


def sign_jvp(
    a: Matrix, lu: Matrix, pivots: Pivots, out: Matrix, a_dot: Matrix, lu_dot: None, pivots_dot: None
) -> Matrix:
    dot = np.empty(1, a.dtype)
    dot[0] = out[0] * 1j * np.sum(inverse_transposed(a, lu, pivots) * a_dot).imag
    return dot


SIGN = '''def sign_of_determinant(a, lu, pivots, out):
    """The determinant of a complex matrix over its magnitude."""
    out[0] = 1.0
    for i in range(a.shape[0]):
        factor = lu[i, i] / np.abs(lu[i, i])
        out[0] *= factor if pivots[i] == i + 1 else -factor
'''


@routine(reads=3, fills=1, compiled=SIGN, jvp=sign_jvp, vjp=sign_vjp)
def sign_of_determinant(a: Matrix, lu: Matrix, pivots: Pivots, out: Matrix) -> None:
    """The determinant of a complex matrix over its magnitude."""
    swaps = np.sum(pivots != 1 + np.arange(pivots.size))
    diagonal = np.diag(lu)
    out[0] = np.prod(diagonal / np.abs(diagonal)) * (-1) ** int(swaps)


def determinant_vjp(a: Matrix, lu: Matrix, pivots: Pivots, out: Matrix, ct: Matrix) -> tuple[object, ...]:
    return (ct[0] * out[0]) * inverse_transposed(a, lu, pivots), None, None


def determinant_jvp(
    a: Matrix, lu: Matrix, pivots: Pivots, out: Matrix, a_dot: Matrix, lu_dot: None, pivots_dot: None
) -> Matrix:
    dot = np.empty(1, a.dtype)
    dot[0] = out[0] * np.sum(inverse_transposed(a, lu, pivots) * a_dot)
    return dot


DETERMINANT = '''def determinant(a, lu, pivots, out):
    """The determinant of a matrix that is not singular."""
    out[0] = 1.0
    for i in range(a.shape[0]):
        out[0] *= lu[i, i] if pivots[i] == i + 1 else -lu[i, i]
'''


@routine(reads=3, fills=1, compiled=DETERMINANT, jvp=determinant_jvp, vjp=determinant_vjp)
def determinant(a: Matrix, lu: Matrix, pivots: Pivots, out: Matrix) -> None:
    """The determinant of a matrix that is not singular."""
    swaps = np.sum(pivots != 1 + np.arange(pivots.size))
    out[0] = np.prod(np.diag(lu)) * (-1) ** int(swaps)
