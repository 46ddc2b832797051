"""Arrays with elements repeated, left out and put in: repeat, tile, resize, delete, insert."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Indices = NDArray[np.int64]
Counts = int | Sequence[int] | Indices
Places = int | slice | Sequence[int] | Indices


@library(np.repeat)
def repeat(a: Array, repeats: Counts, axis: int | None = None) -> Array:
    a = np.asarray(a)
    if axis is None:
        return repeated(a.flatten(), repeats)
    return np.moveaxis(repeated(np.moveaxis(a, axis, 0), repeats), 0, axis)


def repeated(a: Array, repeats: Counts) -> Array:
    if isinstance(repeats, int | np.integer):
        return evenly_repeated(a, repeats)
    counts = np.asarray(repeats)
    n = a.shape[0]
    if counts.shape[0] != 1 and counts.shape[0] != n:
        raise ValueError("operands could not be broadcast together: as many counts as elements are needed")
    if np.any(counts < 0):
        raise ValueError("repeats may not contain negative values.")
    source = np.empty(np.sum(counts) * (n if counts.shape[0] == 1 else 1), np.int64)
    k = 0
    for i in range(n):
        for _ in range(counts[0 if counts.shape[0] == 1 else i]):
            source[k] = i
            k += 1
    return a[source]


def evenly_repeated(a: Array, repeats: int) -> Array:
    if repeats < 0:
        raise ValueError("repeats may not contain negative values.")
    out = np.empty((a.shape[0] * repeats, *a.shape[1:]), a.dtype)
    for i in range(a.shape[0]):
        for k in range(repeats):
            out[i * repeats + k] = a[i]
    return out


@library(np.tile)
def tile(a: Array, reps: int | Sequence[int]) -> Array:
    a = np.asarray(a)
    times = (reps,) if isinstance(reps, int | np.integer) else tuple(reps)
    a = a.reshape((1,) * max(len(times) - a.ndim, 0) + a.shape)
    times = (1,) * max(a.ndim - len(times), 0) + times
    for axis, n in enumerate(times):
        a = np.moveaxis(tiled(np.moveaxis(a, axis, 0), n), 0, axis)
    return a


def tiled(a: Array, times: int) -> Array:
    n = a.shape[0]
    out = np.empty((n * times, *a.shape[1:]), a.dtype)
    for k in range(times):
        out[k * n : (k + 1) * n] = a
    return out


@library(np.resize)
def resize(a: Array, new_shape: int | tuple[int, ...]) -> Array:
    """As many elements as are needed, from the start again where they end."""
    flat = np.asarray(a).flatten()
    out = np.zeros(new_shape, flat.dtype)
    elements = out.reshape(-1)
    if flat.shape[0] > 0:
        for i in range(elements.shape[0]):
            elements[i] = flat[i % flat.shape[0]]
    return out


@library(np.delete)
def delete(arr: Array, obj: Places, axis: int | None = None) -> Array:
    arr = np.asarray(arr)
    if axis is None:
        return without(arr.flatten(), obj)
    return np.moveaxis(without(np.moveaxis(arr, axis, 0), obj), 0, axis)


def without(a: Array, places: Places) -> Array:
    n = a.shape[0]
    if isinstance(places, int | np.integer):
        if places < -n or places >= n:
            raise IndexError("index is out of bounds for the axis that elements are deleted from")
        k = places + n if places < 0 else places
        return np.concatenate((a[:k], a[k + 1 :]))
    keep = np.ones(n, np.bool_)
    keep[places] = False
    return a[keep]


@library(np.insert)
def insert(arr: Array, obj: Places, values: Array, axis: int | None = None) -> Array:
    arr = np.asarray(arr)
    if axis is None:
        return inserted(arr.flatten(), obj, np.asarray(values))
    values = np.asarray(values)
    values = values.reshape((1,) * max(arr.ndim - values.ndim, 0) + values.shape)
    if not isinstance(obj, int | np.integer):
        values = np.moveaxis(values, axis, 0)
    return np.moveaxis(inserted(np.moveaxis(arr, axis, 0), obj, values), 0, axis)


def inserted(a: Array, places: Places, values: Array) -> Array:
    """Values in front of these places on the first axis."""
    n = a.shape[0]
    if isinstance(places, int | np.integer):
        k = checked_place(places, n)
        more = values.shape[0] if values.ndim == a.ndim else 1
        out = np.empty((n + more, *a.shape[1:]), a.dtype)
        out[:k] = a[:k]
        out[k : k + more] = values
        out[k + more :] = a[k:]
        return out
    if isinstance(places, slice):
        return inserted(a, np.arange(n)[places], values)
    where = np.asarray(places)
    if where.dtype == np.bool_:
        return inserted(a, np.nonzero(where)[0], values)
    return inserted_each(a, where, values)


def inserted_each(a: Array, where: Indices, values: Array) -> Array:
    """A value in front of each place; of those at one place the first comes first."""
    n, more = a.shape[0], where.shape[0]
    out = np.empty((n + more, *a.shape[1:]), a.dtype)
    own = np.ones(n + more, np.bool_)
    target = np.empty(more, np.int64)
    for k in range(more):
        target[k] = checked_place(where[k], n)
    order = np.argsort(target)
    for k in range(more):
        target[order[k]] += k
    own[target] = False
    out[own] = a
    out[target] = values
    return out


def checked_place(place: int, n: int) -> int:
    if place < -n or place > n:
        raise IndexError("index is out of bounds for the axis that values are inserted into")
    return place + n if place < 0 else place


@library(np.trim_zeros)
def trim_zeros(filt: Array, trim: str = "fb") -> Array:
    first = 0
    last = filt.shape[0]
    if "f" in trim or "F" in trim:
        while first < last and filt[first] == 0.0:
            first += 1
    if "b" in trim or "B" in trim:
        while last > first and filt[last - 1] == 0.0:
            last -= 1
    return filt[first:last]
