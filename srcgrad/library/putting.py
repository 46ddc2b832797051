"""Elements chosen by indices and conditions, written: put, place, putmask, copyto, put_along_axis."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.library.picking import along, in_range, require_mode, require_rank
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]


def position(k: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The index of element ``k`` in C order."""
    place: tuple[int, ...] = ()
    for n in shape[:0:-1]:
        place = (k % n, *place)
        k = k // n
    return (k, *place)


@library(np.put)
def put(a: Array, ind: Indices, v: Array, mode: str = "raise") -> None:
    """``v`` starts again where it ends; of repeated indices the last one counts."""
    require_mode(mode)
    places = in_range(np.asarray(ind).flatten(), a.size, mode)
    values = np.asarray(v).flatten()
    for i in range(places.shape[0]):
        if places[i] < -a.size or places[i] >= a.size:
            raise IndexError("index is out of bounds for the array that values are put into")
        a[position(places[i] % a.size, a.shape)] = values[i % values.shape[0]]


@library(np.place)
def place(arr: Array, mask: Mask, vals: Array) -> None:
    """The values in order, from the first one again where they end."""
    chosen = np.asarray(mask).flatten()
    values = np.asarray(vals).flatten()
    k = 0
    for i in range(arr.size):
        if chosen[i]:
            if values.shape[0] == 0:
                raise ValueError("Cannot insert from an empty array!")
            arr[position(i, arr.shape)] = values[k % values.shape[0]]
            k += 1


@library(np.putmask)
def putmask(a: Array, mask: Mask, values: Array) -> None:
    """Each place takes the value that stands at its own position."""
    chosen = np.asarray(mask).flatten()
    new = np.asarray(values).flatten()
    for i in range(a.size):
        if chosen[i]:
            a[position(i, a.shape)] = new[i % new.shape[0]]


@library(np.copyto)
def copyto(dst: Array, src: Array, casting: str = "same_kind", where: bool | Mask = True) -> None:
    if isinstance(where, bool):
        if where:
            dst[...] = src
        return
    dst[...] = np.where(where, src, dst)


@library(np.put_along_axis)
def put_along_axis(arr: Array, indices: Indices, values: Array, axis: int | None) -> None:
    indices = np.asarray(indices)
    if axis is None:
        put(arr, indices, values)
        return
    require_rank(arr.ndim, indices.ndim)
    arr[along(arr.shape, indices, axis)] = values
