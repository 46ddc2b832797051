"""The determinant of any matrix, singular ones among them, by elimination that is differentiated as it runs."""

from __future__ import annotations

import numpy as np

from srcgrad.library.matrices import Matrix


def eliminated(a: Matrix) -> np.floating:
    """Complete pivoting, so that a zero pivot means that nothing but zeros is left.

    Of those zeros the determinant is taken without division: it is zero, but it may have derivatives.
    """
    u = a.copy()
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
