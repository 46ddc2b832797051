"""Systems of banded matrices, which ``scipy.linalg`` keeps by diagonals: ``ab[up + i - j, j]`` is ``a[i, j]``."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from srcgrad.frontend.calls.compile_time import compile_time
from srcgrad.frontend.calls.routines import routine
from srcgrad.library.matrices import Matrix, alike, conjugate, require_rank
from srcgrad.primitives.library import library


def outer_in_band(low: int, up: int, left: Matrix, right: Matrix) -> Matrix:
    """The band of ``left @ right.T``."""
    n = left.shape[0]
    band = np.zeros((low + up + 1, n), left.dtype)
    for j in range(n):
        for i in range(max(0, j - up), min(n, j + low + 1)):
            total = left.dtype.type(0)
            for k in range(left.shape[1]):
                total += left[i, k] * right[j, k]
            band[up + i - j, j] = total
    return band


def band_product(low: int, up: int, transposed: bool, ab: Matrix, x: Matrix) -> Matrix:
    n = x.shape[0]
    result = np.zeros(x.shape, x.dtype)
    for j in range(n):
        for i in range(max(0, j - up), min(n, j + low + 1)):
            for k in range(x.shape[1]):
                if transposed:
                    result[j, k] += ab[up + i - j, j] * x[i, k]
                else:
                    result[i, k] += ab[up + i - j, j] * x[j, k]
    return result


def band_vjp(low: int, up: int, transposed: bool, ab: Matrix, b: Matrix, x: Matrix, ct: Matrix) -> tuple[object, ...]:
    w = np.empty(x.shape, x.dtype)
    solve_band(low, up, not transposed, ab, ct, w)
    band = outer_in_band(low, up, x, w) if transposed else outer_in_band(low, up, w, x)
    return None, None, None, -band, w


def band_jvp(
    low: int,
    up: int,
    transposed: bool,
    ab: Matrix,
    b: Matrix,
    x: Matrix,
    low_dot: None,
    up_dot: None,
    transposed_dot: None,
    ab_dot: Matrix | None,
    b_dot: Matrix | None,
) -> Matrix:
    rest = np.zeros(x.shape, x.dtype)
    if b_dot is not None:
        rest += b_dot
    if ab_dot is not None:
        rest -= band_product(low, up, transposed, ab_dot, x)
    x_dot = np.empty(x.shape, x.dtype)
    solve_band(low, up, transposed, ab, rest, x_dot)
    return x_dot


BAND = '''def solve_band(low, up, transposed, ab, b, x):
    """Elimination with partial pivoting; a row holds its band, and room for what pivoting brings."""
    n, columns = b.shape
    below, above = (up, low) if transposed else (low, up)
    rows = np.zeros((n, 2 * below + above + 1), ab.dtype)
    for i in range(n):
        for j in range(max(0, i - below), min(n, i + above + 1)):
            rows[i, j - i + below] = ab[up + j - i, i] if transposed else ab[up + i - j, j]
        for c in range(columns):
            x[i, c] = b[i, c]
    for k in range(n):
        pivot = k
        for i in range(k + 1, min(n, k + below + 1)):
            if abs(rows[i, k - i + below]) > abs(rows[pivot, k - pivot + below]):
                pivot = i
        if rows[pivot, k - pivot + below] == 0.0:
            raise np.linalg.LinAlgError("singular matrix")
        behind = min(n, k + above + below + 1)
        if pivot != k:
            for j in range(k, behind):
                kept = rows[k, j - k + below]
                rows[k, j - k + below] = rows[pivot, j - pivot + below]
                rows[pivot, j - pivot + below] = kept
            for c in range(columns):
                kept = x[k, c]
                x[k, c] = x[pivot, c]
                x[pivot, c] = kept
        for i in range(k + 1, min(n, k + below + 1)):
            factor = rows[i, k - i + below] / rows[k, below]
            for j in range(k + 1, behind):
                rows[i, j - i + below] -= factor * rows[k, j - k + below]
            for c in range(columns):
                x[i, c] -= factor * x[k, c]
    for q in range(n):
        i = n - 1 - q
        for c in range(columns):
            for j in range(i + 1, min(n, i + above + below + 1)):
                x[i, c] -= rows[i, j - i + below] * x[j, c]
            x[i, c] /= rows[i, below]
'''


@routine(reads=5, fills=1, compiled=BAND, jvp=band_jvp, vjp=band_vjp, by_columns=True)
def solve_band(low: int, up: int, transposed: bool, ab: Matrix, b: Matrix, x: Matrix) -> None:
    """Solve a @ x = b, or a.T @ x = b, for the columns of b."""
    from scipy.linalg import solve_banded

    n = b.shape[0]
    if transposed:
        turned = np.zeros(ab.shape, ab.dtype)
        for d in range(-low, up + 1):
            turned[low + d, max(0, -d) : n - max(d, 0)] = ab[up - d, max(d, 0) : n + min(d, 0)]
        x[...] = solve_banded((up, low), turned, b)
    else:
        x[...] = solve_banded((low, up), ab, b)


@library(scipy.linalg.solve_banded)
def solve_banded(
    l_and_u: tuple[int, int],
    ab: Matrix,
    b: Matrix,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Matrix:
    ab = np.asarray(ab)
    b = np.asarray(b)
    require_rank(ab.ndim, 2, "solve_banded()")
    ab, b = alike(ab, b), alike(b, ab)
    low, up = l_and_u
    if ab.shape[0] != low + up + 1:
        raise ValueError("invalid values for the number of lower and upper diagonals: l+u+1 does not equal ab.shape[0]")
    if ab.shape[1] != b.shape[0]:
        raise ValueError("shapes of ab and b are not compatible.")
    if b.ndim == 1:
        return by_band(low, up, ab, b[:, None])[:, 0]
    return by_band(low, up, ab, b)


def by_band(low: int, up: int, ab: Matrix, b: Matrix) -> Matrix:
    x = np.empty(b.shape, b.dtype)
    solve_band(low, up, False, ab, b, x)
    return x


@compile_time
def lower_form(lower: bool) -> bool:
    return bool(lower)


@library(scipy.linalg.solveh_banded)
def solveh_banded(
    ab: Matrix,
    b: Matrix,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    lower: bool = False,
    check_finite: bool = True,
) -> Matrix:
    """Of a Hermitian matrix that is given by its upper or lower diagonals."""
    ab = np.asarray(ab)
    require_rank(ab.ndim, 2, "solveh_banded()")
    width = ab.shape[0] - 1
    n = ab.shape[1]
    whole = np.zeros((2 * width + 1, n), ab.dtype)
    for d in range(width + 1):
        for i in range(n - d):
            element = ab[d, i] if lower_form(lower) else conjugate(ab[width - d, d + i])
            whole[width + d, i] = element
            whole[width - d, d + i] = np.conj(element)
    return solve_banded((width, width), whole, b)
