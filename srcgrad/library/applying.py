"""A function given as an argument, applied along an axis or over several."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.calls.compile_time import compile_time
from srcgrad.library.splitting import from_left
from srcgrad.primitives.library import library

Array = NDArray[np.floating]


@compile_time
def result_axes(rank: int, of_result: int, axis: int) -> tuple[int, ...]:
    """The order that puts the last ``of_result`` axes in the place of one that was taken out."""
    outer = rank - of_result
    return (*range(axis), *range(outer, rank), *range(axis, outer))


@library(np.apply_along_axis)
def apply_along_axis(func1d: Callable[..., Array], axis: int, arr: Array, *args: object, **kwargs: object) -> Array:
    """The first row is given to the function once more, as a copy, to find the shape of what it gives."""
    arr = np.asarray(arr)
    place = from_left(arr.ndim, axis)
    rows = np.moveaxis(arr, place, -1)
    for n in rows.shape[:-1]:
        if n == 0:
            raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    sample = np.asarray(func1d(rows[(0,) * (arr.ndim - 1)].copy(), *args, **kwargs))
    out = np.empty(rows.shape[:-1] + sample.shape, sample.dtype)
    for at in np.ndindex(rows.shape[:-1]):
        out[at] = func1d(rows[at], *args, **kwargs)
    return np.transpose(out, result_axes(out.ndim, sample.ndim, place))


@library(np.apply_over_axes)
def apply_over_axes(func: Callable[..., Array], a: Array, axes: int | Sequence[int]) -> Array:
    result = np.asarray(a)
    rank = result.ndim
    for axis in (axes,) if isinstance(axes, int) else axes:
        reduced = np.asarray(func(result, axis))
        result = reduced if reduced.ndim == rank else np.expand_dims(reduced, from_left(rank, axis))
    return result
