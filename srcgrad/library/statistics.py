"""Means and variances: formulas over sums."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike, NDArray

from srcgrad.frontend.calls.compile_time import compile_time
from srcgrad.library.norms import root, squared
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Result = Array | np.floating
Axis = int | tuple[int, ...] | None
Mask = NDArray[np.bool_] | bool


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
def mean(
    a: Array, axis: Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False, where: Mask = True
) -> Result:
    if not isinstance(a, np.ndarray):
        return np.mean(np.asarray(a), axis, dtype, keepdims=keepdims, where=where)
    if isinstance(where, bool):
        total = np.sum(a, axis=axis, dtype=dtype, keepdims=keepdims)
        return total / count(a.shape, axes_of(axis, a.ndim))
    return mean_of_some(a, axis, dtype, keepdims, where)


def mean_of_some(a: Array, axis: Axis, dtype: DTypeLike | None, keepdims: bool, where: Mask) -> Result:
    n = number_taken(where, a, axis, keepdims)
    return divided(np.sum(a, axis=axis, dtype=dtype, keepdims=keepdims, where=where), n)


def number_taken(where: Mask, a: Array, axis: Axis, keepdims: bool) -> NDArray[np.int64]:
    return np.count_nonzero(np.broadcast_to(where, a.shape), axis=axis, keepdims=keepdims)


def divided(total: Result, n: NDArray[np.int64] | int) -> Result:
    """By a number of elements; floats keep their dtype."""
    return total / total.dtype.type(n) if total.dtype.kind in "fc" else total / n


@library(np.var)
def var(
    a: Array,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    *,
    ddof: float = 0,
    keepdims: bool = False,
    where: Mask = True,
) -> Result:
    a = np.asarray(a)
    centred = a - (np.mean(a, where=where) if axis is None else np.mean(a, axis=axis, keepdims=True, where=where))
    if isinstance(where, bool):
        n = max(count(a.shape, axes_of(axis, a.ndim)) - ddof, 0)
        return np.sum(squared(centred), axis=axis, dtype=dtype, keepdims=keepdims) / n
    taken = np.maximum(number_taken(where, a, axis, keepdims) - ddof, 0)
    # Left out before it is squared: the product with a NaN there would be one, also with a cotangent of 0.
    kept = np.where(where, centred, 0)
    return divided(np.sum(squared(kept), axis=axis, dtype=dtype, keepdims=keepdims), taken)


@library(np.std)
def std(
    a: Array,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    *,
    ddof: float = 0,
    keepdims: bool = False,
    where: Mask = True,
) -> Result:
    """The derivative at a constant vector is 0, as that of a norm at 0."""
    return root(var(a, axis, dtype, ddof=ddof, keepdims=keepdims, where=where))


@library(np.average)
def average(
    a: Array, axis: Axis = None, weights: Array | None = None, returned: bool = False, *, keepdims: bool = False
) -> Result | tuple[Result, Result]:
    a = np.asarray(a)
    if weights is None:
        plain = np.mean(a, axis=axis, keepdims=keepdims)
        return (plain, plain * 0 + count(a.shape, axes_of(axis, a.ndim))) if returned else plain
    weights = np.asarray(weights)
    if axis is not None and weights.ndim == 1 and a.ndim > 1:
        weights = np.moveaxis(np.broadcast_to(weights, (*(1,) * (a.ndim - 1), weights.shape[0])), -1, axis)
    weights = np.broadcast_to(weights, a.shape)
    total = np.sum(weights, axis=axis, keepdims=keepdims)
    if np.any(total == 0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    result = np.sum(a * weights, axis=axis, keepdims=keepdims) / total
    return (result, total + 0 * result) if returned else result
