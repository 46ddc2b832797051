"""Linear systems, inverses, determinants and Cholesky factors, by elimination."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.calls.compile_time import compile_time
from srcgrad.primitives.library import library

Matrix = NDArray[np.floating]


@compile_time
def require_rank(rank: int, wanted: int, name: str) -> None:
    if rank != wanted:
        raise ValueError(f"{name} takes an array of {wanted} dimensions here, got {rank}; loop over the others")


def floating(a: Matrix) -> Matrix:
    """A copy to work on, of floating-point numbers."""
    if a.dtype.kind in "iub":
        return a.astype(np.float64)
    return a.copy()


def require_square(a: Matrix) -> None:
    if a.shape[0] != a.shape[1]:
        raise ValueError("the last two dimensions of the array must be square")


@library(np.linalg.solve)
def solve(a: Matrix, b: Matrix) -> Matrix:
    """Elimination with partial pivoting, on the matrix and the right-hand sides at once."""
    a = np.asarray(a)
    b = np.asarray(b)
    require_rank(a.ndim, 2, "solve()")
    require_square(a)
    if a.shape[0] != b.shape[0]:
        raise ValueError("solve() of a matrix and right-hand sides of different extents")
    x = floating(b * np.ones((), a.dtype))
    if b.ndim == 1:
        eliminate(floating(a * np.ones((), b.dtype)), x[:, None])
    else:
        require_rank(b.ndim, 2, "the right-hand side of solve()")
        eliminate(floating(a * np.ones((), b.dtype)), x)
    return x


def eliminate(u: Matrix, x: Matrix) -> None:
    """Turn the columns of ``x`` into the solutions; ``u`` is overwritten."""
    n = u.shape[0]
    for k in range(n):
        pivot = largest_in_column(u, k)
        if u[pivot, k] == 0.0:
            raise ValueError("Singular matrix")
        swap_rows(u, k, pivot)
        swap_rows(x, k, pivot)
        for i in range(k + 1, n):
            factor = u[i, k] / u[k, k]
            for j in range(k + 1, n):
                u[i, j] -= factor * u[k, j]
            for j in range(x.shape[1]):
                x[i, j] -= factor * x[k, j]
    for i in range(n - 1, -1, -1):
        for j in range(x.shape[1]):
            total = x[i, j]
            for k in range(i + 1, n):
                total -= u[i, k] * x[k, j]
            x[i, j] = total / u[i, i]


def largest_in_column(u: Matrix, k: int) -> int:
    pivot = k
    size = abs(u[k, k])
    for i in range(k + 1, u.shape[0]):
        if abs(u[i, k]) > size:
            pivot = i
            size = abs(u[i, k])
    return pivot


def swap_rows(u: Matrix, i: int, j: int) -> None:
    if i != j:
        for k in range(u.shape[1]):
            kept = u[i, k]
            u[i, k] = u[j, k]
            u[j, k] = kept


def clear_below(u: Matrix, k: int) -> None:
    """Subtract multiples of row k from the rows below, as clears its column there; the column itself stays."""
    n = u.shape[0]
    for i in range(k + 1, n):
        factor = u[i, k] / u[k, k]
        for j in range(k + 1, n):
            u[i, j] -= factor * u[k, j]


@library(np.linalg.inv)
def inv(a: Matrix) -> Matrix:
    a = np.asarray(a)
    require_rank(a.ndim, 2, "inv()")
    require_square(a)
    return np.linalg.solve(a, np.eye(a.shape[0]))


@library(np.linalg.det)
def det(a: Matrix) -> np.floating:
    """Elimination with complete pivoting, so that a zero pivot means that nothing but zeros is left.

    Of those zeros the determinant is taken without division: it is zero, but it may have derivatives.
    """
    a = np.asarray(a)
    require_rank(a.ndim, 2, "det()")
    require_square(a)
    u = floating(a)
    n = u.shape[0]
    result = u.dtype.type(1)
    for k in range(n):
        row, column = largest_element(u, k)
        if u[row, column] == 0.0:
            result *= determinant_without_division(u[k:, k:])
            break
        if row != k:
            result = -result
        if column != k:
            result = -result
        swap_rows(u, k, row)
        swap_rows(u.T, k, column)
        result *= u[k, k]
        clear_below(u, k)
    return result


def largest_element(u: Matrix, k: int) -> tuple[int, int]:
    row = k
    column = k
    size = abs(u[k, k])
    for i in range(k, u.shape[0]):
        for j in range(k, u.shape[1]):
            if abs(u[i, j]) > size:
                row = i
                column = j
                size = abs(u[i, j])
    return row, column


def determinant_without_division(a: Matrix) -> np.floating:
    """R. S. Bird, A simple division-free algorithm for computing determinants, 2011; n**4 operations."""
    n = a.shape[0]
    f = a.copy()
    for _ in range(n - 1):
        g = np.zeros((n, n), a.dtype)
        for i in range(n):
            for j in range(i + 1, n):
                g[i, j] = f[i, j]
            for j in range(i + 1, n):
                g[i, i] -= f[j, j]
        f = g @ a
    if n % 2 == 0:
        return -f[0, 0]
    return f[0, 0]


@library(np.linalg.slogdet)
def slogdet(a: Matrix) -> tuple[np.floating, np.floating]:
    a = np.asarray(a)
    require_rank(a.ndim, 2, "slogdet()")
    require_square(a)
    u = floating(a)
    n = u.shape[0]
    sign = u.dtype.type(1)
    total = u.dtype.type(0)
    for k in range(n):
        pivot = largest_in_column(u, k)
        if u[pivot, k] == 0.0:
            sign = u.dtype.type(0)
            total = u.dtype.type(-np.inf)
            break
        if pivot != k:
            sign = -sign
        swap_rows(u, k, pivot)
        if u[k, k] < 0.0:
            sign = -sign
        total += np.log(abs(u[k, k]))
        clear_below(u, k)
    return sign, total


@library(np.linalg.cholesky)
def cholesky(a: Matrix) -> Matrix:
    """The lower factor, from the lower triangle of the matrix."""
    a = np.asarray(a)
    require_rank(a.ndim, 2, "cholesky()")
    require_square(a)
    n = a.shape[0]
    factor = np.zeros_like(floating(a))
    for j in range(n):
        rest = a[j, j] + factor[j, j]
        for k in range(j):
            rest -= factor[j, k] * factor[j, k]
        if not rest > 0.0:
            raise ValueError("Matrix is not positive definite")
        factor[j, j] = np.sqrt(rest)
        for i in range(j + 1, n):
            total = a[i, j] + factor[i, j]
            for k in range(j):
                total -= factor[i, k] * factor[j, k]
            factor[i, j] = total / factor[j, j]
    return factor


@library(np.linalg.matrix_power)
def matrix_power(a: Matrix, n: int) -> Matrix:
    a = np.asarray(a)
    require_square(a)
    base = np.linalg.inv(a) if n < 0 else a
    result = np.eye(a.shape[0], dtype=base.dtype)
    for _ in range(abs(n)):
        result = result @ base
    return result
