"""Methods of ufuncs: ``np.add.reduce``, ``np.multiply.accumulate``, ``np.subtract.outer``."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike, NDArray

from srcgrad.frontend.arrays.elements import element
from srcgrad.frontend.arrays.rows import fills_rows
from srcgrad.library.statistics import Axis, Mask, Result
from srcgrad.primitives.library import library

Array = NDArray[np.floating]

OUTER: tuple[np.ufunc, ...] = (
    np.add,
    np.subtract,
    np.multiply,
    np.divide,
    np.power,
    np.maximum,
    np.minimum,
    np.hypot,
    np.arctan2,
)
# Reductions and running values of these are loops; those of sums, products and extremes are functions of their own.
FOLDED: tuple[np.ufunc, ...] = (np.subtract, np.divide, np.hypot, np.logaddexp, np.logaddexp2, np.fmax, np.fmin)
OUTER += (np.logaddexp, np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)


@library(np.add.reduce)
def add_reduce(
    array: Array,
    axis: Axis = 0,
    dtype: DTypeLike | None = None,
    *,
    keepdims: bool = False,
    initial: float = 0,
    where: Mask = True,
) -> Result:
    return np.sum(array, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)


@library(np.multiply.reduce)
def multiply_reduce(
    array: Array,
    axis: Axis = 0,
    dtype: DTypeLike | None = None,
    *,
    keepdims: bool = False,
    initial: float = 1,
    where: Mask = True,
) -> Result:
    return np.prod(array, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)


@library(np.maximum.reduce)
def maximum_reduce(array: Array, axis: Axis = 0, *, keepdims: bool = False) -> Result:
    return np.max(array, axis, keepdims=keepdims)


@library(np.minimum.reduce)
def minimum_reduce(array: Array, axis: Axis = 0, *, keepdims: bool = False) -> Result:
    return np.min(array, axis, keepdims=keepdims)


@library(np.logical_and.reduce)
def logical_and_reduce(array: Array, axis: Axis = 0, *, keepdims: bool = False) -> NDArray[np.bool_] | np.bool_:
    return np.all(array, axis, keepdims=keepdims)


@library(np.logical_or.reduce)
def logical_or_reduce(array: Array, axis: Axis = 0, *, keepdims: bool = False) -> NDArray[np.bool_] | np.bool_:
    return np.any(array, axis, keepdims=keepdims)


@library(np.add.accumulate)
def add_accumulate(array: Array, axis: int = 0, dtype: DTypeLike | None = None) -> Array:
    return np.cumsum(array, axis, dtype)


@library(np.multiply.accumulate)
def multiply_accumulate(array: Array, axis: int = 0, dtype: DTypeLike | None = None) -> Array:
    return np.cumprod(array, axis, dtype)


@fills_rows(np.maximum.accumulate, axis=0)
def running_maximum(v: Array, out: Array) -> None:
    """The largest so far; its derivative is that of the first element that is as large."""
    place = 0
    for i in range(v.shape[0]):
        if v[i] > element(v, place) or (v[i] != v[i] and element(v, place) == element(v, place)):
            place = i
        out[i] = element(v, place)


@fills_rows(np.minimum.accumulate, axis=0)
def running_minimum(v: Array, out: Array) -> None:
    place = 0
    for i in range(v.shape[0]):
        if v[i] < element(v, place) or (v[i] != v[i] and element(v, place) == element(v, place)):
            place = i
        out[i] = element(v, place)


def register_outer(ufunc: np.ufunc) -> None:
    @library(ufunc.outer)
    def outer(a: Array, b: Array) -> Array:
        a = np.asarray(a)
        b = np.asarray(b)
        return ufunc(a.reshape(a.shape + (1,) * b.ndim), b)


def register_folds(ufunc: np.ufunc) -> None:
    @library(ufunc.reduce)
    def reduce(array: Array, axis: int | None = 0, *, keepdims: bool = False) -> Result:
        parts = np.ravel(array) if axis is None else np.moveaxis(array, axis, 0)
        total = 1.0 * parts[0]
        for i in range(1, parts.shape[0]):
            total = ufunc(total, parts[i])
        if not keepdims:
            return total
        return np.reshape(total, (1,) * np.ndim(array)) if axis is None else np.expand_dims(total, axis)

    @library(ufunc.accumulate)
    def accumulate(array: Array, axis: int = 0) -> Array:
        out = 1.0 * np.moveaxis(array, axis, 0)
        for i in range(1, out.shape[0]):
            out[i] = ufunc(out[i - 1], out[i])
        return np.moveaxis(out, 0, axis)


for _ufunc in OUTER:
    register_outer(_ufunc)
for _ufunc in FOLDED:
    register_folds(_ufunc)
