"""The same elements with axes reversed, rotated and moved: flips, rolls, quarter turns."""

from __future__ import annotations

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
from numpy.typing import NDArray

from srcgrad.frontend.calls.compile_time import compile_time
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Axes = int | tuple[int, ...]


@compile_time
def backwards(rank: int, axis: Axes) -> tuple[slice, ...]:
    """The key that reverses these axes."""
    reversed_axes = normalize_axis_tuple(axis, rank)
    return tuple(slice(None, None, -1 if k in reversed_axes else None) for k in range(rank))


@library(np.flip)
def flip(m: Array, axis: Axes | None = None) -> Array:
    m = np.asarray(m)
    if axis is None:
        return m[(slice(None, None, -1),) * m.ndim]
    return m[backwards(m.ndim, axis)]


@library(np.flipud)
def flipud(m: Array) -> Array:
    return np.asarray(m)[::-1]


@library(np.fliplr)
def fliplr(m: Array) -> Array:
    return np.asarray(m)[:, ::-1]


@compile_time
def quarter_turns(k: int) -> int:
    return k % 4


@library(np.rot90)
def rot90(m: Array, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    m = np.asarray(m)
    turns = quarter_turns(k)
    first, second = axes
    if turns == 0:
        return m[:]
    if turns == 1:
        return flip(np.swapaxes(m, first, second), first)
    if turns == 2:
        return flip(m, (first, second))
    return flip(np.swapaxes(m, first, second), second)


@compile_time
def rolled_back(rank: int, axis: int, start: int) -> tuple[int, ...]:
    """The order of the axes when one is moved in front of position ``start``."""
    axis = normalize_axis_index(axis, rank)
    start = normalize_axis_index(start, rank + 1)
    others = [k for k in range(rank) if k != axis]
    others.insert(start - (axis < start), axis)
    return tuple(others)


@library(np.rollaxis)
def rollaxis(a: Array, axis: int, start: int = 0) -> Array:
    a = np.asarray(a)
    return np.transpose(a, rolled_back(a.ndim, axis, start))


@library(np.matrix_transpose, np.linalg.matrix_transpose)
def matrix_transpose(x: Array) -> Array:
    return np.swapaxes(np.asarray(x), -1, -2)


@library(np.roll)
def roll(a: Array, shift: int | tuple[int, ...], axis: int | tuple[int, ...] | None = None) -> Array:
    a = np.asarray(a)
    if axis is None:
        total = shift if isinstance(shift, int) else sum(shift)
        return rolled(a.flatten(), total).reshape(a.shape)
    shifts, axes = paired(shift, axis)
    for by, along in zip(shifts, axes, strict=True):
        a = np.moveaxis(rolled(np.moveaxis(a, along, 0), by), 0, along)
    return a


def paired(shift: int | tuple[int, ...], axis: int | tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A shift for each axis: one that is alone is for all of the others."""
    shifts = (shift,) if isinstance(shift, int | np.integer) else tuple(shift)
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    if len(shifts) == 1:
        return shifts * len(axes), axes
    if len(axes) == 1:
        return shifts, axes * len(shifts)
    return shifts, axes


def rolled(a: Array, shift: int) -> Array:
    n = a.shape[0]
    out = np.empty(a.shape, a.dtype)
    by = shift % max(n, 1)
    out[by:] = a[: n - by]
    out[:by] = a[n - by :]
    return out
