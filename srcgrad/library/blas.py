"""Products of matrices, over BLAS where they are large enough.

The text for Numba takes any two matrices with contiguous rows or columns as they lie in memory: a transpose is a flag
of the call, never a copy. Small products, and those of other layouts, are loops.
"""

from __future__ import annotations

import numpy as np

from srcgrad.frontend.calls.routines import routine
from srcgrad.library.matrices import Matrix


def product_vjp(a: Matrix, b: Matrix, c: Matrix, ct: Matrix) -> tuple[Matrix, Matrix]:
    a_bar = np.empty(a.shape, a.dtype)
    b_bar = np.empty(b.shape, b.dtype)
    matrix_product(ct, b.T, a_bar)
    matrix_product(a.T, ct, b_bar)
    return a_bar, b_bar


def product_jvp(a: Matrix, b: Matrix, c: Matrix, a_dot: Matrix | None, b_dot: Matrix | None) -> Matrix:
    if a_dot is None:
        assert b_dot is not None
        return multiplied(a, b_dot, c)
    if b_dot is None:
        return multiplied(a_dot, b, c)
    return multiplied(a_dot, b, c) + multiplied(a, b_dot, c)


def multiplied(a: Matrix, b: Matrix, like: Matrix) -> Matrix:
    c = np.empty(like.shape, like.dtype)
    matrix_product(a, b, c)
    return c


# Measured with OpenBLAS on AVX2: a call costs as much as some thousand multiplications in a loop.
PRODUCT = '''def large_product(a, b, c):
    """c = a @ b, by BLAS where rows or columns are contiguous."""
    m, k = a.shape
    n = b.shape[1]
    size = a.itemsize
    a_rows, a_columns = a.strides
    b_rows, b_columns = b.strides
    a_form, a_step = 110, a_rows
    if a_columns != size or a_rows < k * size:
        a_form, a_step = 116 if a_rows == size and a_columns >= m * size else 0, a_columns
    b_form, b_step = 110, b_rows
    if b_columns != size or b_rows < n * size:
        b_form, b_step = 116 if b_rows == size and b_columns >= k * size else 0, b_columns
    if a_form != 0 and b_form != 0:
        one, zero = np.ones(1, a.dtype), np.zeros(1, a.dtype)
        numba_xxgemm(lapack_letter(a), b_form, a_form, n, m, k, one.ctypes, b.ctypes, b_step // size,
                     a.ctypes, a_step // size, zero.ctypes, c.ctypes, n)
        return
    for i in range(m):
        for j in range(n):
            c[i, j] = 0.0
        for t in range(k):
            factor = a[i, t]
            for j in range(n):
                c[i, j] += factor * b[t, j]


def matrix_product(a, b, c):
    """c = a @ b."""
    m, k = a.shape
    n = b.shape[1]
    if m * n * k > 1500:
        large_product(a, b, c)
        return
    for i in range(m):
        for j in range(n):
            total = a.dtype.type(0)
            for t in range(k):
                total += a[i, t] * b[t, j]
            c[i, j] = total
'''


@routine(reads=2, fills=1, compiled=PRODUCT, jvp=product_jvp, vjp=product_vjp)
def matrix_product(a: Matrix, b: Matrix, c: Matrix) -> None:
    """c = a @ b."""
    np.matmul(a, b, out=c)
