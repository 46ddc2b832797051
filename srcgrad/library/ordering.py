"""Sorting: an order is found by merging, and the elements are picked in it, so that derivatives follow the elements."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.arrays.elements import element
from srcgrad.frontend.arrays.rows import fills_rows, indices
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Order = NDArray[np.int64]


@fills_rows(np.sort, axis=-1)
def sorted_row(v: Array, out: Array) -> None:
    order = np.empty(v.shape[0], np.int64)
    order_of(v, order)
    for i in range(v.shape[0]):
        out[i] = element(v, order[i])


@fills_rows(np.argsort, axis=-1, dtype=indices)
def order_of(v: Array, out: Order) -> None:
    """Indices that sort, by merging runs of growing length; equal elements keep their order, NaN comes last."""
    n = v.shape[0]
    spare = np.empty(n, np.int64)
    for i in range(n):
        out[i] = i
    width = 1
    while width < n:
        for k in range((n + 2 * width - 1) // (2 * width)):
            merge(v, out, spare, 2 * k * width, width)
        for i in range(n):
            out[i] = spare[i]
        width *= 2


def merge(v: Array, order: Order, merged: Order, start: int, width: int) -> None:
    """Merge the runs ``start .. start + width`` and the one behind it."""
    middle = min(start + width, order.shape[0])
    end = min(start + 2 * width, order.shape[0])
    i = start
    j = middle
    for k in range(start, end):
        if i < middle and (j >= end or not before(element(v, element(order, j)), element(v, element(order, i)))):
            merged[k] = element(order, i)
            i += 1
        else:
            merged[k] = element(order, j)
            j += 1


def before(a: np.floating | float, b: np.floating | float) -> bool:
    return bool(a < b or (b != b and a == a))


@library(np.searchsorted)
def searchsorted(a: Array, v: Array, side: str = "left") -> Order:
    """Where elements would be inserted into a sorted vector."""
    if not isinstance(v, np.ndarray):
        return place_of(a, v, side)
    flat = v.flatten()
    out = np.empty(flat.shape[0], np.int64)
    for i in range(flat.shape[0]):
        out[i] = place_of(a, flat[i], side)
    return out.reshape(v.shape)


def place_of(a: Array, x: float, side: str) -> int:
    low = 0
    high = a.shape[0]
    while low < high:
        middle = (low + high) // 2
        if before(element(a, middle), x) or (side != "left" and not before(x, element(a, middle))):
            low = middle + 1
        else:
            high = middle
    return np.int64(low)  # type: ignore[return-value]  # a strong integer


@library(np.interp)
def interp(x: Array, xp: Array, fp: Array, left: float | None = None, right: float | None = None) -> Array:
    """Piecewise linear interpolation."""
    if not isinstance(x, np.ndarray):
        return value_at(x, xp, fp, left, right)
    flat = x.flatten()
    out = np.empty(flat.shape[0])
    for i in range(flat.shape[0]):
        out[i] = value_at(flat[i], xp, fp, left, right)
    return out.reshape(x.shape)


def value_at(x: float, xp: Array, fp: Array, left: float | None, right: float | None) -> float:
    n = xp.shape[0]
    if n == 1:
        return fp[0]
    if x < xp[0]:
        return fp[0] if left is None else left
    if x > xp[n - 1]:
        return fp[n - 1] if right is None else right
    k = min(max(place_of(xp, x, "right") - 1, 0), n - 2)
    slope = (fp[k + 1] - fp[k]) / (xp[k + 1] - xp[k])
    return slope * (x - xp[k]) + fp[k]


@library(np.unique)
def unique(ar: Array) -> Array:
    """The different elements in ascending order."""
    ordered = np.sort(np.asarray(ar).flatten())
    n = ordered.shape[0]
    count = 0
    for i in range(n):
        if i == 0 or before(ordered[i - 1], ordered[i]):
            count += 1
    out = np.empty(count, ordered.dtype)
    k = 0
    for i in range(n):
        if i == 0 or before(ordered[i - 1], ordered[i]):
            out[k] = ordered[i]
            k += 1
    return out


@library(np.digitize)
def digitize(x: Array, bins: Array, right: bool = False) -> Order:
    return searchsorted(bins, x, "left" if right else "right")
