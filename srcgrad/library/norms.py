"""Norms of vectors and matrices. Where a norm is 0 so is its derivative."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.calls.compile_time import compile_time, refuse
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Result = Array | np.floating
Axis = int | tuple[int, ...] | None
Order = float | Literal["fro", "nuc"] | None


@compile_time
def summed_axes(axis: Axis, rank: int, order: Order) -> tuple[int, ...]:
    """The axes that the norm is over: one for a norm of vectors, two for matrices, any for the root of all squares."""
    if axis is not None:
        axes = tuple(k % rank for k in (axis if isinstance(axis, tuple) else (axis,)))
    else:
        axes = tuple(range(rank))
    if order is not None and len(axes) not in (1, 2):
        raise ValueError("Improper number of dimensions to norm.")
    if len(axes) == 1 and isinstance(order, str):
        raise ValueError(f"Invalid norm order '{order}' for vectors")
    return axes


@compile_time
def without(axis: int, other: int) -> int:
    """The number of an axis when another is gone."""
    return axis - 1 if axis > other else axis


@library(np.linalg.norm)
def norm(x: Array, ord: Order = None, axis: Axis = None, keepdims: bool = False) -> Result:
    x = np.asarray(x)
    if x.dtype.kind in "iub":
        x = x.astype(np.float64)
    axes = summed_axes(axis, x.ndim, ord)
    if ord is None or ord == "fro" or (ord == 2 and len(axes) == 1):
        return root(np.sum(squared(x), axis=axes, keepdims=keepdims))
    if len(axes) == 1 and not isinstance(ord, str):
        return vector_norm(x, ord, axes[0], keepdims)
    result = matrix_norm(x, ord, axes[0], axes[1])
    if keepdims:
        return np.expand_dims(np.expand_dims(result, min(axes)), max(axes))
    return result


def vector_norm(x: Array, ord: float, axis: int, keepdims: bool) -> Result:
    if ord == 1:
        return np.sum(np.abs(x), axis=axis, keepdims=keepdims)
    if ord == np.inf:
        return np.max(np.abs(x), axis=axis, keepdims=keepdims)
    if ord == -np.inf:
        return np.min(np.abs(x), axis=axis, keepdims=keepdims)
    if ord == 0:
        return np.sum((x != 0).astype(np.abs(x).dtype), axis=axis, keepdims=keepdims)
    s = np.sum(np.abs(x) ** ord, axis=axis, keepdims=keepdims)
    return np.where(s != 0.0, s ** (1.0 / ord), s)


def matrix_norm(x: Array, ord: Order, row: int, column: int) -> Result:
    if ord == 1:
        return np.max(np.sum(np.abs(x), axis=row), axis=without(column, row))
    if ord == -1:
        return np.min(np.sum(np.abs(x), axis=row), axis=without(column, row))
    if ord == np.inf:
        return np.max(np.sum(np.abs(x), axis=column), axis=without(row, column))
    if ord == -np.inf:
        return np.min(np.sum(np.abs(x), axis=column), axis=without(row, column))
    s = np.linalg.svd(np.moveaxis(x, (row, column), (-2, -1)), compute_uv=False)
    if ord == "nuc":
        return np.sum(s, axis=-1)
    if ord == 2:
        return np.max(s, axis=-1)
    if ord != -2:
        refuse("a norm of matrices of this order", "Orders are None, 'fro', 'nuc', inf, -inf, 1, -1, 2 and -2.")
    return np.min(s, axis=-1)


def squared(z: Array) -> Array:
    """``|z|**2``, without a square root on the way."""
    if z.dtype.kind == "c":
        return z.real * z.real + z.imag * z.imag
    return z * z


def root(s: Result) -> Result:
    """The square root of a sum of squares, which is a norm: where it is 0 so is its slope."""
    return np.sqrt(s)
