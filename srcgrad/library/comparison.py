"""Closeness and equality of arrays, values put into ranges, and polynomials."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.primitives.library import library

Array = NDArray[np.floating]


@library(np.isclose)
def isclose(a: Array, b: Array, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> NDArray[np.bool_]:
    near = np.abs(a - b) <= atol + rtol * np.abs(b)
    close = np.where(np.isfinite(b), near & np.isfinite(a), a == b)
    return close | (np.isnan(a) & np.isnan(b)) if equal_nan else close


@library(np.allclose)
def allclose(a: Array, b: Array, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    return bool(np.all(isclose(a, b, rtol, atol, equal_nan)))


@library(np.array_equal)
def array_equal(a: Array, b: Array) -> bool:
    if np.ndim(a) != np.ndim(b):
        return False
    same = True
    for n, m in zip(np.shape(a), np.shape(b), strict=True):
        same = same and n == m
    if same:
        same = bool(np.all(a == b))
    return same


@library(np.bincount)
def bincount(x: NDArray[np.int64], weights: Array | None = None, minlength: int = 0) -> Array:
    size = minlength
    for i in range(x.shape[0]):
        if x[i] < 0:
            raise ValueError("'list' argument must have no negative elements")
        size = max(size, x[i] + 1)
    if weights is None:
        counts = np.zeros(size, np.int64)
        for i in range(x.shape[0]):
            counts[x[i]] += 1
        return counts  # type: ignore[return-value]  # integers here
    sums = np.zeros(size)
    for i in range(x.shape[0]):
        sums[x[i]] += weights[i]
    return sums


@library(np.polyval)
def polyval(p: Array, x: Array) -> Array:
    """Horner's rule, highest power first."""
    value = 0.0 * x
    for i in range(p.shape[0]):
        value = value * x + p[i]
    return value
