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


@library(np.partition)
def partition(a: Array, kth: int, axis: int | None = -1) -> Array:
    """Sorted altogether, which is one of the orders that a partition may give."""
    return np.sort(a, axis=axis)


@library(np.argpartition)
def argpartition(a: Array, kth: int, axis: int | None = -1) -> Order:
    return np.argsort(a, axis=axis)


@library(np.lexsort)
def lexsort(keys: tuple[Array, ...]) -> Order:
    """By the last key, where that is equal by the one before, and so on."""
    n = len(keys[0])
    order = np.arange(n)
    for key in keys:
        own = np.empty(n, np.int64)
        order_of(np.asarray(key)[order], own)
        order = order[own]
    return order


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
    """Complex numbers by their real parts, where these are equal by the imaginary parts."""
    if np.iscomplexobj(a):
        return before(a.real, b.real) or (not before(b.real, a.real) and before(a.imag, b.imag))
    return bool(a < b or (b != b and a == a))


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
