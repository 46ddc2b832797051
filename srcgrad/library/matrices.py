"""What functions of linear algebra ask of their arguments: square, floating-point, of ranks that fit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.calls.compile_time import compile_time

Matrix = NDArray[np.floating]
Vector = NDArray[np.floating]


@compile_time
def require_matrix(rank: int) -> None:
    if rank < 2:
        raise ValueError(f"{rank}-dimensional array given. Array must be at least two-dimensional")


@compile_time
def require_rank(rank: int, wanted: int, name: str) -> None:
    if rank != wanted:
        raise ValueError(f"{name} takes an array of {wanted} dimensions here, got {rank}; loop over the others")


def require_square(a: Matrix) -> None:
    require_matrix(a.ndim)
    if a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")


def floating(a: Matrix) -> Matrix:
    """The array itself, or its numbers as floats."""
    if a.dtype.kind in "iub":
        return a.astype(np.float64)
    return a


def alike(a: Matrix, b: Matrix) -> Matrix:
    """``a`` with the dtype that a computation with ``b`` has."""
    return floating(a * np.ones((), floating(b).dtype)) if a.dtype != b.dtype else floating(a)


def real_zeros(shape: tuple[int, ...], like: Matrix) -> Vector:
    """Room for real numbers of the precision of an array."""
    return np.zeros(shape, like.real.dtype)


def symmetric(a: Matrix, lower: bool) -> Matrix:
    """The symmetric matrix of which one triangle is given; the other is not read."""
    n = a.shape[0]
    s = np.empty((n, n), a.dtype)
    for i in range(n):
        for j in range(i + 1):
            element = a[i, j] if lower else a[j, i]
            s[i, j] = element
            s[j, i] = element
    return s


def hermitian(a: Matrix, lower: bool) -> Matrix:
    """The Hermitian matrix of which one triangle is given; of its diagonal the real parts are read."""
    if a.dtype.kind != "c":
        return symmetric(a, lower)
    n = a.shape[0]
    s = np.empty((n, n), a.dtype)
    for i in range(n):
        for j in range(i):
            element = a[i, j] if lower else np.conj(a[j, i])
            s[i, j] = element
            s[j, i] = np.conj(element)
        s[i, i] = a[i, i].real
    return s


def conjugate_transpose(a: Matrix) -> Matrix:
    """A view where the matrix is real."""
    return np.conj(a.T) if a.dtype.kind == "c" else a.T


def conjugate(a: Matrix) -> Matrix:
    """The array itself where it is real.

    Rules of linear algebra are best written for an inner product with a conjugate. Cotangents pair with tangents
    without one, so such a rule takes the conjugate of each and gives the conjugate of what it finds.
    """
    return np.conj(a) if a.dtype.kind == "c" else a


def triangle(a: Matrix, lower: bool, unit: bool) -> Matrix:
    """One triangle of a matrix, without its diagonal if that counts as ones."""
    if lower:
        return np.tril(a, -1 if unit else 0)
    return np.triu(a, 1 if unit else 0)
