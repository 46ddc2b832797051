"""Products of matrices, over BLAS where they are large enough.

The text for Numba takes any two matrices with contiguous rows or columns as they lie in memory: a transpose is a flag
of the call, never a copy. Small products, and those of other layouts, are loops.
"""

from __future__ import annotations

import numpy as np

from srcgrad.frontend.calls.routines import routine
from srcgrad.library.matrices import Matrix


def product_vjp(a: Matrix, b: Matrix, c: Matrix, ct: Matrix, a_bar: Matrix | None, b_bar: Matrix | None) -> None:
    if a_bar is not None:
        add_product(ct, b.T, a_bar)
    if b_bar is not None:
        add_product(a.T, ct, b_bar)


def product_jvp(a: Matrix, b: Matrix, c: Matrix, a_dot: Matrix | None, b_dot: Matrix | None, c_dot: Matrix) -> None:
    if a_dot is None:
        assert b_dot is not None
        matrix_product(a, b_dot, c_dot)
        return
    matrix_product(a_dot, b, c_dot)
    if b_dot is not None:
        add_product(a, b_dot, c_dot)


def sum_jvp(a: Matrix, b: Matrix, c: Matrix, a_dot: Matrix | None, b_dot: Matrix | None, c_dot: Matrix) -> None:
    if a_dot is not None:
        add_product(a_dot, b, c_dot)
    if b_dot is not None:
        add_product(a, b_dot, c_dot)


LARGE = '''def large_product(a, b, c, kept):
    """c = kept * c + a @ b, by BLAS where rows or columns are contiguous."""
    m, k = a.shape
    n = b.shape[1]
    size = a.itemsize
    a_form, a_step = 110, a.strides[0]
    if a.strides[1] != size or a_step < k * size:
        a_form, a_step = 116 if a.strides[0] == size and a.strides[1] >= m * size else 0, a.strides[1]
    b_form, b_step = 110, b.strides[0]
    if b.strides[1] != size or b_step < n * size:
        b_form, b_step = 116 if b.strides[0] == size and b.strides[1] >= k * size else 0, b.strides[1]
    if a_form != 0 and b_form != 0:
        one, rest = np.ones(1, a.dtype), np.full(1, kept, a.dtype)
        if c.strides[1] == size and c.strides[0] >= n * size:
            numba_xxgemm(lapack_letter(a), b_form, a_form, n, m, k, one.ctypes, b.ctypes, b_step // size,
                         a.ctypes, a_step // size, rest.ctypes, c.ctypes, c.strides[0] // size)
            return
        if c.strides[0] == size and c.strides[1] >= m * size:
            numba_xxgemm(lapack_letter(a), 226 - a_form, 226 - b_form, m, n, k, one.ctypes, a.ctypes, a_step // size,
                         b.ctypes, b_step // size, rest.ctypes, c.ctypes, c.strides[1] // size)
            return
    for i in range(m):
        if kept == 0.0:
            for j in range(n):
                c[i, j] = 0.0
        for t in range(k):
            factor = a[i, t]
            for j in range(n):
                c[i, j] += factor * b[t, j]
'''
# Measured with OpenBLAS on AVX2: a call costs as much as some thousand multiplications in a loop.
SMALL_OR_LARGE = '''def {name}(a, b, c):
    """c {equals} a @ b."""
    m, k = a.shape
    n = b.shape[1]
    if m * n * k > 1500:
        large_product(a, b, c, {kept})
        return
    for i in range(m):
        for j in range(n):
            total = a.dtype.type(0)
            for t in range(k):
                total += a[i, t] * b[t, j]
            c[i, j] {equals} total
'''
PRODUCT = SMALL_OR_LARGE.format(name="matrix_product", equals="=", kept=0.0)
SUM = SMALL_OR_LARGE.format(name="add_product", equals="+=", kept=1.0)


@routine(reads=2, fills=1, compiled=PRODUCT, jvp_into=product_jvp, vjp_into=product_vjp, helpers=(LARGE,), product=True)
def matrix_product(a: Matrix, b: Matrix, c: Matrix) -> None:
    """c = a @ b."""
    np.matmul(a, b, out=c)


@routine(
    reads=2, fills=1, compiled=SUM, jvp_into=sum_jvp, vjp_into=product_vjp, adding=True, helpers=(LARGE,), product=True
)
def add_product(a: Matrix, b: Matrix, c: Matrix) -> None:
    """c += a @ b."""
    c += a @ b
