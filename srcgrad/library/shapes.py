"""Rearranged elements and small products: diagonals, flips, repetitions, outer and cross products."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.calls.compile_time import compile_time
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Axes = int | tuple[int, ...]


@library(np.outer, np.linalg.outer, streamed=("a", "b"))
def outer(a: Array, b: Array) -> Array:
    return np.multiply(np.ravel(a)[:, None], np.ravel(b)[None, :])


@library(np.inner)
def inner(a: Array, b: Array) -> Array:
    a = np.asarray(a)
    b = np.asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if b.ndim == 1:
        return np.dot(a, b)
    return np.dot(a, np.swapaxes(b, -1, -2))


@library(np.diagonal)
def diagonal(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    a = np.moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = a.shape[-2], a.shape[-1]
    if offset >= 0:
        n = max(min(rows, columns - offset), 0)
        places = np.arange(n)
        return a[..., places, places + offset]
    n = max(min(rows + offset, columns), 0)
    places = np.arange(n)
    return a[..., places - offset, places]


@library(np.trace)
def trace(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    return np.sum(np.diagonal(np.asarray(a), offset, axis1, axis2), axis=-1)


@library(np.diag)
def diag(v: Array, k: int = 0) -> Array:
    v = np.asarray(v)
    if v.ndim == 2:
        return np.diagonal(v, k)
    n = v.shape[0] + abs(k)
    out = np.zeros((n, n), v.dtype)
    for i in range(v.shape[0]):
        out[i + max(-k, 0), i + max(k, 0)] = v[i]
    return out


@library(np.fill_diagonal)
def fill_diagonal(a: Array, val: float) -> None:
    for i in range(min(a.shape)):
        a[(i,) * a.ndim] = val


@library(np.flip)
def flip(m: Array, axis: int | None = None) -> Array:
    if axis is None:
        return m[(slice(None, None, -1),) * m.ndim]
    return np.moveaxis(np.moveaxis(m, axis, 0)[::-1], 0, axis)


@library(np.flipud)
def flipud(m: Array) -> Array:
    return m[::-1]


@library(np.fliplr)
def fliplr(m: Array) -> Array:
    return m[:, ::-1]


@library(np.roll)
def roll(a: Array, shift: int | tuple[int, ...], axis: int | tuple[int, ...] | None = None) -> Array:
    a = np.asarray(a)
    if isinstance(shift, tuple) or isinstance(axis, tuple):
        shifts, axes = paired(shift, axis)
        for by, along in zip(shifts, axes, strict=True):
            a = roll(a, by, along)
        return a
    if axis is None:
        return rolled(a.flatten(), shift).reshape(a.shape)
    return np.moveaxis(rolled(np.moveaxis(a, axis, 0), shift), 0, axis)


def paired(
    shift: int | tuple[int, ...], axis: int | tuple[int, ...] | None
) -> tuple[tuple[int, ...], tuple[int | None, ...]]:
    """A shift for each axis: one that is alone is for all of the others."""
    shifts = shift if isinstance(shift, tuple) else (shift,)
    axes = axis if isinstance(axis, tuple) else (axis,)
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


@library(np.take)
def take(a: Array, indices: Array, axis: int | None = None) -> Array:
    a = np.asarray(a)
    if axis is None:
        return a.flatten()[indices]
    moved = np.moveaxis(a, axis, 0)[indices]
    if not isinstance(indices, np.ndarray):
        return moved
    return np.moveaxis(moved, tuple(range(indices.ndim)), tuple(range(axis % a.ndim, axis % a.ndim + indices.ndim)))


@library(np.take_along_axis)
def take_along_axis(arr: Array, indices: NDArray[np.int64], axis: int) -> Array:
    """Elements at positions along one axis, all other indices being the same."""
    arr = np.asarray(arr)
    for k in range(arr.ndim):
        if k != axis % arr.ndim and arr.shape[k] != indices.shape[k]:
            raise ValueError("take_along_axis() takes indices of the array's extents, but for the axis")
    out = np.empty(indices.shape, arr.dtype)
    for at in np.ndindex(indices.shape):
        out[at] = arr[(*at[: axis % arr.ndim], indices[at], *at[axis % arr.ndim + 1 :])]
    return out


@library(np.repeat)
def repeat(a: Array, repeats: int, axis: int | None = None) -> Array:
    a = np.asarray(a)
    if axis is None:
        return repeated(a.flatten(), repeats)
    return np.moveaxis(repeated(np.moveaxis(a, axis, 0), repeats), 0, axis)


def repeated(a: Array, repeats: int) -> Array:
    out = np.empty((a.shape[0] * repeats, *a.shape[1:]), a.dtype)
    for i in range(a.shape[0]):
        for k in range(repeats):
            out[i * repeats + k] = a[i]
    return out


@library(np.tile)
def tile(a: Array, reps: int | tuple[int, ...]) -> Array:
    a = np.asarray(a)
    times = (reps,) if isinstance(reps, int) else reps
    a = a.reshape((1,) * max(len(times) - a.ndim, 0) + a.shape)
    times = (1,) * max(a.ndim - len(times), 0) + tuple(times)
    for axis, n in enumerate(times):
        a = np.moveaxis(tiled(np.moveaxis(a, axis, 0), n), 0, axis)
    return a


def tiled(a: Array, times: int) -> Array:
    n = a.shape[0]
    out = np.empty((n * times, *a.shape[1:]), a.dtype)
    for k in range(times):
        out[k * n : (k + 1) * n] = a
    return out


@library(np.cross)
def cross(a: Array, b: Array) -> Array:
    """The product of vectors of three elements along the last axis."""
    a = np.asarray(a)
    b = np.asarray(b)
    x = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    y = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    z = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return np.stack((x, y, z), axis=-1)


@library(np.kron)
def kron(a: Array, b: Array) -> Array:
    a = np.asarray(a)
    b = np.asarray(b)
    if a.ndim == 1 and b.ndim == 1:
        return np.outer(a, b).reshape(-1)
    product = a[:, None, :, None] * b[None, :, None, :]
    return product.reshape((a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]))


@library(np.tensordot)
def tensordot(a: Array, b: Array, axes: int | tuple[Axes, Axes] = 2) -> Array:
    a = np.asarray(a)
    b = np.asarray(b)
    if isinstance(axes, int):
        first = tuple(range(a.ndim - axes, a.ndim))
        second = tuple(range(axes))
    else:
        first = (axes[0],) if isinstance(axes[0], int) else tuple(axes[0])
        second = (axes[1],) if isinstance(axes[1], int) else tuple(axes[1])
    return np.einsum(contraction(a.ndim, b.ndim, first, second), a, b)


@compile_time
def contraction(rank_a: int, rank_b: int, first: tuple[int, ...], second: tuple[int, ...]) -> str:
    """The einsum that sums over pairs of axes."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    one, two = list(letters[:rank_a]), list(letters[rank_a : rank_a + rank_b])
    for p, q in zip(first, second, strict=True):
        two[q] = one[p]
    shared = {one[p] for p in first}
    kept = [c for c in one + two if c not in shared]
    return f"{''.join(one)},{''.join(two)}->{''.join(kept)}"


@library(np.meshgrid)
def meshgrid(x: Array, y: Array, indexing: str = "xy") -> tuple[Array, Array]:
    if indexing == "ij":
        return x[:, None] + np.zeros((1, y.shape[0]), x.dtype), y[None, :] + np.zeros((x.shape[0], 1), y.dtype)
    return x[None, :] + np.zeros((y.shape[0], 1), x.dtype), y[:, None] + np.zeros((1, x.shape[0]), y.dtype)


@library(np.clip, streamed=("a",))
def clip(
    a: Array,
    a_min: Array | None = None,
    a_max: Array | None = None,
    *,
    min: Array | None = None,
    max: Array | None = None,
) -> Array:
    least = min if a_min is None else a_min
    most = max if a_max is None else a_max
    if least is None and most is None:
        return a.copy()
    if least is None:
        return np.minimum(a, most)  # type: ignore[arg-type]  # not None
    if most is None:
        return np.maximum(a, least)
    return np.minimum(np.maximum(a, least), most)


@library(np.flatnonzero)
def flatnonzero(a: Array) -> NDArray[np.int64]:
    return np.nonzero(np.asarray(a).flatten())[0]


@library(np.convolve)
def convolve(a: Array, v: Array, mode: str = "full") -> Array:
    n, m = a.shape[0], v.shape[0]
    out = np.zeros(n + m - 1, (a[:0] * v[:0].sum()).dtype)
    for i in range(n):
        for j in range(m):
            out[i + j] += a[i] * v[j]
    if mode == "full":
        return out
    short = min(n, m)
    if mode == "same":
        start = (short - 1) // 2
        return out[start : start + max(n, m)]
    return out[short - 1 : max(n, m)]
