"""Running sums, products and extremes, and differences of neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.arrays.reductions import accumulated
from srcgrad.frontend.arrays.rows import fills_rows
from srcgrad.primitives.library import library

Array = NDArray[np.floating]


@fills_rows(np.cumsum, axis=None, dtype=accumulated)
def running_sum(v: Array, out: Array) -> None:
    total = out.dtype.type(0)
    for i in range(v.shape[0]):
        total += v[i]
        out[i] = total


@fills_rows(np.cumprod, axis=None, dtype=accumulated)
def running_product(v: Array, out: Array) -> None:
    product = out.dtype.type(1)
    for i in range(v.shape[0]):
        product *= v[i]
        out[i] = product


@library(np.diff)
def diff(a: Array, n: int = 1, axis: int = -1) -> Array:
    a = np.moveaxis(np.asarray(a), axis, -1)
    for _ in range(n):
        a = a[..., 1:] - a[..., :-1]
    return np.moveaxis(a, -1, axis)


@library(np.trapezoid)
def trapezoid(y: Array, x: Array | None = None, dx: float = 1.0, axis: int = -1) -> Array:
    y = np.moveaxis(np.asarray(y), axis, -1)
    heights = y[..., 1:] + y[..., :-1]
    if x is None:
        return np.sum(heights, axis=-1) * (0.5 * dx)
    return np.sum(heights * np.diff(x), axis=-1) * 0.5
