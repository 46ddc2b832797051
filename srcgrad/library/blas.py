"""Products of matrices and of stacks of them, over BLAS where they are large enough.

The text for Numba takes any two matrices with contiguous rows or columns as they lie in memory: a transpose is a flag
of the call, never a copy. Small products, and those of other layouts, are loops.
"""

from __future__ import annotations

import numpy as np

from srcgrad.frontend.calls.routines import routine
from srcgrad.library.matrices import Matrix
from srcgrad.products.multiply import large_product, multiply, source_of

Stack = Matrix


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


LARGE, MULTIPLY = source_of(large_product), source_of(multiply)
# A slice with a step is of any layout to Numba, so that what does the work is compiled once and not for each layout.
CALL = '''def {name}(a, b, c):
    """{meaning}."""
    {multiply}(a[::1], b[::1], c[::1], {kept})
'''
PRODUCT = CALL.format(name="matrix_product", meaning="c = a @ b", multiply="multiply", kept=0.0)
SUM = CALL.format(name="add_product", meaning="c += a @ b", multiply="multiply", kept=1.0)


@routine(
    reads=2,
    fills=1,
    compiled=PRODUCT,
    jvp_into=product_jvp,
    vjp_into=product_vjp,
    helpers=(LARGE, MULTIPLY),
    product=True,
)
def matrix_product(a: Matrix, b: Matrix, c: Matrix) -> None:
    """c = a @ b."""
    np.matmul(a, b, out=c)


@routine(
    reads=2,
    fills=1,
    compiled=SUM,
    jvp_into=sum_jvp,
    vjp_into=product_vjp,
    storing="matrix_product",
    helpers=(LARGE, MULTIPLY),
    product=True,
)
def add_product(a: Matrix, b: Matrix, c: Matrix) -> None:
    """c += a @ b."""
    c += a @ b


# What there is one of is taken for each of the others; where there is one to fill, it is the sum of all.
MULTIPLY_STACK = '''def multiply_stack(a, b, c, kept):
    """c[i] = kept * c[i] + a[i] @ b[i]."""
    m, k = a.shape[1:]
    n = b.shape[2]
    count = max(a.shape[0], b.shape[0]) if a.shape[0] > 0 and b.shape[0] > 0 else 0
    a_step, b_step, c_step = int(a.shape[0] > 1), int(b.shape[0] > 1), int(c.shape[0] > 1)
    if kept == 0.0 and c.shape[0] != count:
        c[:] = 0
        kept = 1.0
    if m * n * k > 800:
        for i in range(count):
            multiply(a[i * a_step], b[i * b_step], c[i * c_step], kept)
        return
    for i in range(count):
        for p in range(m):
            for q in range(n):
                total = a.dtype.type(0)
                for t in range(k):
                    total += a[i * a_step, p, t] * b[i * b_step, t, q]
                c[i * c_step, p, q] = total if kept == 0.0 else c[i * c_step, p, q] + total
'''
STACK_PRODUCT = CALL.format(name="stack_product", meaning="c[i] = a[i] @ b[i]", multiply="multiply_stack", kept=0.0)
STACK_SUM = CALL.format(name="add_stack_product", meaning="c[i] += a[i] @ b[i]", multiply="multiply_stack", kept=1.0)


def stack_vjp(a: Stack, b: Stack, c: Stack, ct: Stack, a_bar: Stack | None, b_bar: Stack | None) -> None:
    if a_bar is not None:
        add_stack_product(ct, np.swapaxes(b, 1, 2), a_bar)
    if b_bar is not None:
        add_stack_product(np.swapaxes(a, 1, 2), ct, b_bar)


def stack_jvp(a: Stack, b: Stack, c: Stack, a_dot: Stack | None, b_dot: Stack | None, c_dot: Stack) -> None:
    if a_dot is None:
        assert b_dot is not None
        stack_product(a, b_dot, c_dot)
        return
    stack_product(a_dot, b, c_dot)
    if b_dot is not None:
        add_stack_product(a, b_dot, c_dot)


def stack_sum_jvp(a: Stack, b: Stack, c: Stack, a_dot: Stack | None, b_dot: Stack | None, c_dot: Stack) -> None:
    if a_dot is not None:
        add_stack_product(a_dot, b, c_dot)
    if b_dot is not None:
        add_stack_product(a, b_dot, c_dot)


@routine(
    reads=2,
    fills=1,
    compiled=STACK_PRODUCT,
    jvp_into=stack_jvp,
    vjp_into=stack_vjp,
    helpers=(LARGE, MULTIPLY, MULTIPLY_STACK),
)
def stack_product(a: Stack, b: Stack, c: Stack) -> None:
    """c[i] = a[i] @ b[i]."""
    product = a @ b
    c[:] = product if c.shape[0] == product.shape[0] else product.sum(axis=0, keepdims=True)


@routine(
    reads=2,
    fills=1,
    compiled=STACK_SUM,
    jvp_into=stack_sum_jvp,
    vjp_into=stack_vjp,
    storing="stack_product",
    helpers=(LARGE, MULTIPLY, MULTIPLY_STACK),
)
def add_stack_product(a: Stack, b: Stack, c: Stack) -> None:
    """c[i] += a[i] @ b[i]."""
    product = a @ b
    c += product if c.shape[0] == product.shape[0] else product.sum(axis=0, keepdims=True)
