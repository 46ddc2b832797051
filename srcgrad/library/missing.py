"""Reductions that leave out what is NaN."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike, NDArray

from srcgrad.frontend.arrays.rows import reduces_rows
from srcgrad.library.extremes import first_largest, first_smallest, largest, smallest
from srcgrad.library.statistics import Axis, Result
from srcgrad.primitives.library import library

Array = NDArray[np.floating]


@library(np.nansum)
def nansum(a: Array, axis: Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False) -> Result:
    return np.sum(a, axis, dtype, keepdims=keepdims, where=~np.isnan(a))


@library(np.nanprod)
def nanprod(a: Array, axis: Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False) -> Result:
    return np.prod(a, axis, dtype, keepdims=keepdims, where=~np.isnan(a))


@library(np.nanmean)
def nanmean(a: Array, axis: Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False) -> Result:
    return np.mean(a, axis, dtype, keepdims=keepdims, where=~np.isnan(a))


@library(np.nanvar)
def nanvar(
    a: Array, axis: Axis = None, dtype: DTypeLike | None = None, *, ddof: float = 0, keepdims: bool = False
) -> Result:
    return np.var(a, axis, dtype, ddof=ddof, keepdims=keepdims, where=~np.isnan(a))


@library(np.nanstd)
def nanstd(
    a: Array, axis: Axis = None, dtype: DTypeLike | None = None, *, ddof: float = 0, keepdims: bool = False
) -> Result:
    return np.std(a, axis, dtype, ddof=ddof, keepdims=keepdims, where=~np.isnan(a))


def present(v: Array) -> Array:
    """The elements that are not NaN; all, if all are."""
    n = 0
    for i in range(v.shape[0]):
        n += 1 if v[i] == v[i] else 0
    if n == 0:
        return v
    kept = np.empty(n, v.dtype)
    k = 0
    for i in range(v.shape[0]):
        if v[i] == v[i]:
            kept[k] = v[i]
            k += 1
    return kept


@reduces_rows(np.nanmax)
def nanmax(v: Array) -> np.floating:
    return largest(present(v))


@reduces_rows(np.nanmin)
def nanmin(v: Array) -> np.floating:
    return smallest(present(v))


@reduces_rows(np.nanargmax)
def nanargmax(v: Array) -> int:
    require_some(v)
    return first_largest(np.where(np.isnan(v), -np.inf, v))


@reduces_rows(np.nanargmin)
def nanargmin(v: Array) -> int:
    require_some(v)
    return first_smallest(np.where(np.isnan(v), np.inf, v))


def require_some(v: Array) -> None:
    if np.all(np.isnan(v)):
        raise ValueError("All-NaN slice encountered")
