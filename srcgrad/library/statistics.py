"""Means and variances: formulas over sums."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike, NDArray

from srcgrad.frontend.calls.compile_time import compile_time
from srcgrad.library.norms import squared
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Result = Array | np.floating
Axis = int | tuple[int, ...] | None


@compile_time
def axes_of(axis: Axis, rank: int) -> tuple[int, ...]:
    """The axes that an argument ``axis`` names."""
    if axis is None:
        return tuple(range(rank))
    return tuple(k % rank for k in (axis if isinstance(axis, tuple) else (axis,)))


def count(shape: tuple[int, ...], axes: tuple[int, ...]) -> int:
    """How many elements are summed for one result."""
    n = 1
    for k in axes:
        n = n * shape[k]
    return n


@library(np.mean, streamed=("a",))
def mean(a: Array, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool = False) -> Result:
    if not isinstance(a, np.ndarray):
        return np.mean(np.asarray(a), axis, dtype, keepdims=keepdims)
    total = np.sum(a, axis=axis, dtype=dtype, keepdims=keepdims)
    return total / count(a.shape, axes_of(axis, a.ndim))


@library(np.var)
def var(a: Array, axis: Axis = None, dtype: DTypeLike | None = None, ddof: int = 0, keepdims: bool = False) -> Result:
    a = np.asarray(a)
    centred = a - (np.mean(a) if axis is None else np.mean(a, axis=axis, keepdims=True))
    n = max(count(a.shape, axes_of(axis, a.ndim)) - ddof, 0)
    return np.sum(squared(centred), axis=axis, dtype=dtype, keepdims=keepdims) / n


@library(np.std)
def std(a: Array, axis: Axis = None, dtype: DTypeLike | None = None, ddof: int = 0, keepdims: bool = False) -> Result:
    return np.sqrt(var(a, axis, dtype, ddof, keepdims))


@library(np.average)
def average(a: Array, axis: Axis = None, weights: Array | None = None) -> Result:
    if weights is None:
        return np.mean(a, axis=axis)
    a = np.asarray(a)
    weights = np.asarray(weights)
    if axis is not None and weights.ndim == 1 and a.ndim > 1:
        weights = np.moveaxis(np.broadcast_to(weights, (*(1,) * (a.ndim - 1), weights.shape[0])), -1, axis)
    return np.sum(a * weights, axis=axis) / np.sum(weights + np.zeros_like(a), axis=axis)
