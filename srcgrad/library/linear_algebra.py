"""``np.linalg`` over LU and Cholesky factors; matrices may be stacked along leading axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from srcgrad.library.determinant import eliminated
from srcgrad.library.lu import Pivots, determinant, factor_lu, log_determinant, sign_of_determinant, solve_lu
from srcgrad.library.matrices import (
    Matrix,
    alike,
    conjugate_transpose,
    floating,
    hermitian,
    real_zeros,
    require_matrix,
    require_square,
)
from srcgrad.library.triangular import factor_cholesky
from srcgrad.primitives.library import library

SlogdetResult = type(np.linalg.slogdet(np.eye(1)))


def stacked(f: Callable[[Matrix], Matrix], a: Matrix) -> Matrix:
    """``f``, which gives a matrix of the same shape, of every matrix of a stack."""
    if a.ndim == 2:
        return f(a)
    result = np.empty(a.shape, a.dtype)
    for at in np.ndindex(a.shape[:-2]):
        result[at] = f(a[at])
    return result


def factors(a: Matrix) -> tuple[Matrix, Pivots]:
    lu = np.empty(a.shape, a.dtype)
    pivots = np.empty(a.shape[0], np.int32)
    factor_lu(a, lu, pivots)
    return lu, pivots


def is_singular(lu: Matrix) -> bool:
    singular = False
    for i in range(lu.shape[0]):
        if lu[i, i] == 0.0:
            singular = True
    return singular


@library(np.linalg.solve)
def solve(a: Matrix, b: Matrix) -> Matrix:
    a = np.asarray(a)
    b = np.asarray(b)
    require_square(a)
    a, b = alike(a, b), alike(b, a)
    if b.ndim == 1:
        return solve_stacks(a, b[:, None])[..., 0]
    return solve_stacks(a, b)


def solve_stacks(a: Matrix, b: Matrix) -> Matrix:
    if a.ndim == 2 and b.ndim == 2:
        return solve_one(a, b)
    if a.ndim == 2:
        x = np.empty(b.shape, b.dtype)
        for at in np.ndindex(b.shape[:-2]):
            x[at] = solve_one(a, b[at])
        return x
    x = np.empty((*a.shape[:-2], *b.shape[-2:]), b.dtype)
    if b.ndim == 2:
        for at in np.ndindex(a.shape[:-2]):
            x[at] = solve_one(a[at], b)
        return x
    if a.shape[:-2] != b.shape[:-2]:
        raise ValueError("solve() of stacks of different shapes")
    for at in np.ndindex(a.shape[:-2]):
        x[at] = solve_one(a[at], b[at])
    return x


def solve_one(a: Matrix, b: Matrix) -> Matrix:
    if a.shape[0] != b.shape[0]:
        raise ValueError("solve() of a matrix and right-hand sides of different extents")
    lu, pivots = factors(a)
    if is_singular(lu):
        raise np.linalg.LinAlgError("Singular matrix")
    x = np.empty(b.shape, b.dtype)
    solve_lu(a, lu, pivots, False, b, x)
    return x


@library(np.linalg.inv)
def inv(a: Matrix) -> Matrix:
    a = np.asarray(a)
    require_square(a)
    return stacked(inverse, floating(a))


def inverse(a: Matrix) -> Matrix:
    return solve_one(a, np.eye(a.shape[0], dtype=a.dtype))


@library(np.linalg.det)
def det(a: Matrix) -> np.floating | Matrix:
    a = np.asarray(a)
    require_square(a)
    a = floating(a)
    if a.ndim == 2:
        return det_one(a)
    result = np.empty(a.shape[:-2], a.dtype)
    for at in np.ndindex(a.shape[:-2]):
        result[at] = det_one(a[at])
    return result


def det_one(a: Matrix) -> np.floating:
    """By LU factors; a matrix that is singular, or nearly so, by elimination, which has the true derivatives there."""
    lu, pivots = factors(a)
    smallest = np.inf
    largest = 0.0
    for i in range(a.shape[0]):
        smallest = np.minimum(smallest, abs(lu[i, i]))
        largest = np.maximum(largest, abs(lu[i, i]))
    if not smallest > 1e-6 * largest:
        return eliminated(a)
    out = np.empty(1, a.dtype)
    determinant(a, lu, pivots, out)
    return out[0]


@library(np.linalg.slogdet)
def slogdet(a: Matrix) -> tuple[np.floating | Matrix, np.floating | Matrix]:
    a = np.asarray(a)
    require_square(a)
    a = floating(a)
    if a.ndim == 2:
        sign, logarithm = slogdet_one(a)
        return SlogdetResult(sign, logarithm)
    signs = np.empty(a.shape[:-2], a.dtype)
    logarithms = real_zeros(a.shape[:-2], a)
    for at in np.ndindex(a.shape[:-2]):
        signs[at], logarithms[at] = slogdet_one(a[at])
    return SlogdetResult(signs, logarithms)


def slogdet_one(a: Matrix) -> tuple[np.floating, np.floating]:
    lu, pivots = factors(a)
    out = real_zeros((1,), a)
    if is_singular(lu):
        return a.dtype.type(0), out.dtype.type(-np.inf)
    log_determinant(a, lu, pivots, out)
    if a.dtype.kind == "c":
        phase = np.empty(1, a.dtype)
        sign_of_determinant(a, lu, pivots, phase)
        return phase[0], out[0]
    sign = a.dtype.type(1)
    for i in range(a.shape[0]):
        if (lu[i, i] < 0.0) == (pivots[i] == i + 1):
            sign = -sign
    return sign, out[0]


@library(np.linalg.cholesky)
def cholesky(a: Matrix, *, upper: bool = False) -> Matrix:
    """From one triangle of each matrix."""
    a = np.asarray(a)
    require_square(a)
    a = floating(a)
    return stacked(upper_factor if upper else lower_factor, a)


def lower_factor(a: Matrix) -> Matrix:
    factor = np.empty(a.shape, a.dtype)
    factor_cholesky(hermitian(a, True), factor)
    return factor


def upper_factor(a: Matrix) -> Matrix:
    factor = np.empty(a.shape, a.dtype)
    factor_cholesky(hermitian(a, False), factor)
    return conjugate_transpose(factor)


@library(np.linalg.matrix_power)
def matrix_power(a: Matrix, n: int) -> Matrix:
    a = np.asarray(a)
    require_square(a)
    base = np.linalg.inv(a) if n < 0 else a
    result = np.zeros(base.shape, base.dtype)
    for i in range(a.shape[-1]):
        result[..., i, i] = 1
    for _ in range(abs(n)):
        result = result @ base
    return result


@library(np.linalg.cond)
def cond(x: Matrix, p: float | Literal["fro", "nuc"] | None = None) -> np.floating | NDArray[np.floating]:
    x = np.asarray(x)
    require_matrix(x.ndim)
    if p is None or p == 2 or p == -2:
        s = np.linalg.svd(x, compute_uv=False)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return np.linalg.norm(x, p, axis=(-2, -1)) * np.linalg.norm(np.linalg.inv(x), p, axis=(-2, -1))
