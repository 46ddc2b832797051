"""Diagonals and triangles: read, made, filled, and the indices of their elements."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.arrays.elements import looking_into
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Indices = NDArray[np.integer]


@library(np.diagonal)
def diagonal(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    a = np.moveaxis(np.asarray(a), (axis1, axis2), (-2, -1))
    down, right = max(-offset, 0), max(offset, 0)
    places = np.arange(max(min(a.shape[-2] - down, a.shape[-1] - right), 0))
    return looking_into(a[..., places + down, places + right], a)


@library(np.linalg.diagonal)
def last_diagonal(x: Array, /, *, offset: int = 0) -> Array:
    return diagonal(x, offset, -2, -1)


@library(np.trace)
def trace(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: type | None = None) -> Array:
    return np.sum(diagonal(np.asarray(a), offset, axis1, axis2), axis=-1, dtype=dtype)


@library(np.linalg.trace)
def last_trace(x: Array, /, *, offset: int = 0, dtype: type | None = None) -> Array:
    return trace(x, offset, -2, -1, dtype)


@library(np.diag)
def diag(v: Array, k: int = 0) -> Array:
    return np.diagonal(v, k) if np.ndim(v) == 2 else diagflat(v, k)


@library(np.diagflat)
def diagflat(v: Array, k: int = 0) -> Array:
    elements = np.asarray(v).flatten()
    n = elements.shape[0] + abs(k)
    out = np.zeros((n, n), elements.dtype)
    for i in range(elements.shape[0]):
        out[i + max(-k, 0), i + max(k, 0)] = elements[i]
    return out


@library(np.fill_diagonal)
def fill_diagonal(a: Array, val: float | Array, wrap: bool = False) -> None:
    """``val`` starts again where it ends; with ``wrap`` the diagonal of a tall matrix does, too."""
    values = np.asarray(val).flatten()
    n = min(a.shape)
    if a.ndim > 2 and n != max(a.shape):
        raise ValueError("All dimensions of input must be of equal length")
    if a.ndim == 2 and wrap:
        n = (a.shape[0] * a.shape[1] + a.shape[1]) // (a.shape[1] + 1)
        for i in range(n):
            place = i * (a.shape[1] + 1)
            a[place // a.shape[1], place % a.shape[1]] = values[i % values.shape[0]]
        return
    for i in range(n):
        a[(i,) * a.ndim] = values[i % values.shape[0]]


@library(np.tril_indices)
def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Indices, ...]:
    return np.nonzero(np.tri(n, m, k, np.bool_))


@library(np.triu_indices)
def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Indices, ...]:
    return np.nonzero(~np.tri(n, m, k - 1, np.bool_))


@library(np.tril_indices_from)
def tril_indices_from(arr: Array, k: int = 0) -> tuple[Indices, ...]:
    return tril_indices(arr.shape[-2], k, arr.shape[-1])


@library(np.triu_indices_from)
def triu_indices_from(arr: Array, k: int = 0) -> tuple[Indices, ...]:
    return triu_indices(arr.shape[-2], k, arr.shape[-1])


@library(np.mask_indices)
def mask_indices(n: int, mask_func: Callable[..., Array], k: int = 0) -> tuple[Indices, ...]:
    return np.nonzero(mask_func(np.ones((n, n), np.int64), k) != 0)


@library(np.diag_indices)
def diag_indices(n: int, ndim: int = 2) -> tuple[Indices, ...]:
    return (np.arange(n),) * ndim


@library(np.diag_indices_from)
def diag_indices_from(arr: Array) -> tuple[Indices, ...]:
    for n in arr.shape:
        if n != arr.shape[0]:
            raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], arr.ndim)
