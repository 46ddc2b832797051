"""Running sums and products along an axis, in which an element depends on all before it."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike, NDArray

from srcgrad.frontend.arrays.reductions import accumulated
from srcgrad.frontend.arrays.rows import fills_rows
from srcgrad.frontend.calls.compile_time import refuse
from srcgrad.primitives.library import library

Array = NDArray[np.floating]


@fills_rows(np.cumsum, axis=None, dtype=accumulated, third="dtype")
def running_sum(v: Array, out: Array) -> None:
    total = out.dtype.type(0)
    for i in range(v.shape[0]):
        total += out.dtype.type(v[i])
        out[i] = total


@fills_rows(np.cumprod, axis=None, dtype=accumulated, third="dtype")
def running_product(v: Array, out: Array) -> None:
    product = out.dtype.type(1)
    for i in range(v.shape[0]):
        product *= out.dtype.type(v[i])
        out[i] = product


@library(np.nancumsum)
def nancumsum(a: Array, axis: int | None = None, dtype: DTypeLike | None = None) -> Array:
    return np.cumsum(np.where(np.isnan(a), 0, a), axis, dtype)


@library(np.nancumprod)
def nancumprod(a: Array, axis: int | None = None, dtype: DTypeLike | None = None) -> Array:
    return np.cumprod(np.where(np.isnan(a), 1, a), axis, dtype)


@library(getattr(np, "cumulative_sum", None))
def cumulative_sum(
    x: Array, *, axis: int | None = None, dtype: DTypeLike | None = None, include_initial: bool = False
) -> Array:
    sums = np.cumsum(x, only_axis(np.ndim(x), axis), dtype)
    return with_initial(sums, 0, only_axis(np.ndim(x), axis)) if include_initial else sums


@library(getattr(np, "cumulative_prod", None))
def cumulative_prod(
    x: Array, *, axis: int | None = None, dtype: DTypeLike | None = None, include_initial: bool = False
) -> Array:
    products = np.cumprod(x, only_axis(np.ndim(x), axis), dtype)
    return with_initial(products, 1, only_axis(np.ndim(x), axis)) if include_initial else products


def only_axis(rank: int, axis: int | None) -> int:
    if axis is None and rank > 1:
        refuse("a running sum or product of an array without an axis", "Name the axis.")
    return 0 if axis is None else axis


def with_initial(running: Array, neutral: int, axis: int) -> Array:
    """The results with the neutral element in front of them."""
    rows = np.moveaxis(running, axis, 0)
    first = np.full((1, *rows.shape[1:]), neutral, running.dtype)
    return np.moveaxis(np.concatenate((first, rows)), 0, axis)
