"""The product of two matrices, over BLAS where they are large enough.

Rows or columns are contiguous where BLAS is called; a transpose is a flag of the call, never a copy. Small products,
and those of other layouts, are loops. Where a program is compiled with other flags, the text of these functions is
pasted into it (`library/blas.py`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import types

# The types of its arguments: characters, sizes, pointers.
CHAR, SIZE, POINTER = types.char, types.intp, types.voidptr
numba_xxgemm = types.ExternalFunction(
    "numba_xxgemm",
    types.intc(*[CHAR] * 3, *[SIZE] * 3, *[POINTER] * 2, SIZE, POINTER, SIZE, *[POINTER] * 2, SIZE),
)
compiled: Callable[[Callable[..., Any]], Any] = numba.njit(
    fastmath={"arcp", "contract", "reassoc"},
    error_model="numpy",
    nogil=True,
    no_cfunc_wrapper=True,
    no_cpython_wrapper=True,
)


@compiled
def lapack_letter(a):  # type: ignore[no-untyped-def]  # its text is pasted into modules
    """LAPACK's letter for a dtype: s, d, c or z."""
    if np.iscomplexobj(a):
        return 122 if a.itemsize == 16 else 99
    return 100 if a.itemsize == 8 else 115


@compiled
def large_product(  # type: ignore[no-untyped-def]  # as above
    a, a_rows, a_columns, b, b_rows, b_columns, c, c_rows, c_columns, m, k, n, letter, scales
):
    """Whether rows or columns are contiguous, so that BLAS has multiplied; strides are in bytes.

    By addresses and strides, so that it is compiled once for all layouts; ``c = c * scales[1] + a @ b``.
    """
    size = scales.itemsize
    a_form, a_step = 110, a_rows
    if a_columns != size or a_step < k * size:
        a_form, a_step = 116 if a_rows == size and a_columns >= m * size else 0, a_columns
    b_form, b_step = 110, b_rows
    if b_columns != size or b_step < n * size:
        b_form, b_step = 116 if b_rows == size and b_columns >= k * size else 0, b_columns
    if a_form == 0 or b_form == 0:
        return False
    scales[0] = 1.0
    one, kept = scales.ctypes, scales[1:].ctypes
    if c_columns == size and c_rows >= n * size:
        a_step, b_step, c_step = a_step // size, b_step // size, c_rows // size
        numba_xxgemm(letter, b_form, a_form, n, m, k, one, b, b_step, a, a_step, kept, c, c_step)
        return True
    if c_rows == size and c_columns >= m * size:
        a_step, b_step, c_step = a_step // size, b_step // size, c_columns // size
        numba_xxgemm(letter, 226 - a_form, 226 - b_form, m, n, k, one, a, a_step, b, b_step, kept, c, c_step)
        return True
    return False


@compiled
def multiply(a, b, c, kept):  # type: ignore[no-untyped-def]  # as above
    """c = kept * c + a @ b, where what is kept is nothing or all.

    Measured with OpenBLAS on AVX2 and AVX-512: a call costs as much as 500 to 1,000 multiplications in loops.
    """
    m, k = a.shape
    n = b.shape[1]
    if m * n * k > 800:
        scales = np.full(2, kept, a.dtype)
        at_a, a_rows, a_columns = a.ctypes, a.strides[0], a.strides[1]
        at_b, b_rows, b_columns = b.ctypes, b.strides[0], b.strides[1]
        at_c, c_rows, c_columns = c.ctypes, c.strides[0], c.strides[1]
        letter = lapack_letter(a)
        if large_product(
            at_a, a_rows, a_columns, at_b, b_rows, b_columns, at_c, c_rows, c_columns, m, k, n, letter, scales
        ):
            return
    for i in range(m):
        for j in range(n):
            total = a.dtype.type(0)
            for t in range(k):
                total += a[i, t] * b[t, j]
            c[i, j] = total if kept == 0.0 else c[i, j] + total


def source_of(function: Any) -> str:
    """The text of one of these, without decorator and annotations."""
    lines = inspect.getsource(getattr(function, "py_func", function)).splitlines(keepends=True)
    start = next(k for k, line in enumerate(lines) if line.startswith("def "))
    return lines[start].partition("  # type:")[0].rstrip() + "\n" + "".join(lines[start + 1 :])
