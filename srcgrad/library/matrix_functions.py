"""``scipy.linalg``: roots and logarithms of matrices, Sylvester's equation, matrices that are made of vectors."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from srcgrad.library.linear_algebra import solve_one
from srcgrad.library.matrices import Matrix, Vector, conjugate, floating, require_square
from srcgrad.primitives.library import library


def distance_from_one(m: Matrix) -> float:
    largest = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            largest = np.maximum(largest, abs(m[i, j] - (1.0 if i == j else 0.0)))
    return largest


@library(scipy.linalg.sqrtm)
def sqrtm(A: Matrix) -> Matrix:  # noqa: N803  (SciPy's name)
    """The principal square root, by the product form of the iteration of E. D. Denman and A. N. Beavers (1976).

    A real matrix has to have a real one.
    """
    a = floating(np.asarray(A))
    require_square(a)
    one = np.eye(a.shape[0], dtype=a.dtype)
    x = a.copy()
    m = a.copy()
    steps = 0
    while steps < 60 and distance_from_one(m) > 1e-9:
        inverse = solve_one(m, one)
        x = 0.5 * (x + x @ inverse)
        m = 0.5 * (one + 0.5 * (m + inverse))
        steps += 1
    # The last step squares what is left of the error, and that of the derivatives.
    return 0.5 * (x + x @ solve_one(m, one))


@library(scipy.linalg.logm)
def logm(A: Matrix) -> Matrix:  # noqa: N803  (SciPy's name)
    """The principal logarithm: of a root that is near to one, by the series of the inverse hyperbolic tangent."""
    a = floating(np.asarray(A))
    require_square(a)
    one = np.eye(a.shape[0], dtype=a.dtype)
    factor = 2.0
    while factor < 1e18 and distance_from_one(a) * a.shape[0] > 0.4:
        a = sqrtm(a)
        factor *= 2.0
    z = solve_one(a + one, a - one)
    square = z @ z
    term = z
    total = z
    for k in range(1, 18):
        term = term @ square
        total = total + term / (2.0 * k + 1.0)
    return total * factor


@library(scipy.linalg.solve_sylvester)
def solve_sylvester(a: Matrix, b: Matrix, q: Matrix) -> Matrix:
    """``a @ x + x @ b = q`` as one system for all elements of ``x``: for small matrices."""
    m, n = q.shape
    whole = np.kron(a, np.eye(n)) + np.kron(np.eye(m), b.T)
    return np.linalg.solve(whole, q.reshape(m * n)).reshape((m, n))


@library(scipy.linalg.toeplitz)
def toeplitz(c: Vector, r: Vector | None = None) -> Matrix:
    c = np.asarray(c)
    row = conjugate(c) if r is None else np.asarray(r)
    n = row.shape[0]
    a = np.empty((c.shape[0], n), (c[:1] + row[:1]).dtype)
    for i in range(c.shape[0]):
        for j in range(n):
            a[i, j] = c[i - j] if i >= j else row[j - i]
    return a


@library(scipy.linalg.circulant)
def circulant(c: Vector) -> Matrix:
    c = np.asarray(c)
    n = c.shape[0]
    a = np.empty((n, n), c.dtype)
    for i in range(n):
        for j in range(n):
            a[i, j] = c[i - j]
    return a


@library(scipy.linalg.hankel)
def hankel(c: Vector, r: Vector | None = None) -> Matrix:
    c = np.asarray(c)
    row = np.zeros(c.shape[0], c.dtype) if r is None else np.asarray(r)
    m = c.shape[0]
    a = np.empty((m, row.shape[0]), (c[:1] + row[:1]).dtype)
    for i in range(m):
        for j in range(row.shape[0]):
            a[i, j] = c[i + j] if i + j < m else row[i + j - m + 1]
    return a


@library(scipy.linalg.block_diag)
def block_diag(*arrs: Matrix) -> Matrix:
    blocks = tuple(np.atleast_2d(a) for a in arrs)
    rows = 0
    columns = 0
    for block in blocks:
        rows += block.shape[0]
        columns += block.shape[1]
    result = np.zeros((rows, columns), np.concatenate(tuple(block.ravel()[:0] for block in blocks)).dtype)
    rows = 0
    columns = 0
    for block in blocks:
        m, n = block.shape
        result[rows : rows + m, columns : columns + n] = block
        rows += m
        columns += n
    return result


@library(scipy.linalg.solve_toeplitz)
def solve_toeplitz(c_or_cr: Vector | tuple[Vector, Vector], b: Matrix, check_finite: bool = True) -> Matrix:
    """By the matrix itself: SciPy's recursion is faster."""
    if isinstance(c_or_cr, tuple):
        return np.linalg.solve(toeplitz(c_or_cr[0], c_or_cr[1]), b)
    return np.linalg.solve(toeplitz(c_or_cr), b)
