"""Coordinates: meshes and indices of grids, evenly spaced numbers, powers of a vector."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.arrays.formulas import spaced
from srcgrad.frontend.calls.compile_time import compile_time
from srcgrad.primitives.library import library

Array = NDArray[np.floating]


@compile_time
def only_axis(k: int, rank: int) -> tuple[int, ...]:
    """The shape of a vector that lies along axis ``k``."""
    return tuple(-1 if axis == k else 1 for axis in range(rank))


@compile_time
def axis_of_mesh(k: int, rank: int, indexing: str) -> int:
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    return 1 - k if indexing == "xy" and rank > 1 and k < 2 else k


@library(np.meshgrid)
def meshgrid(*xi: Array, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Array, ...]:
    n = len(xi)
    open_mesh = tuple(
        np.reshape(np.asarray(x).flatten(), only_axis(axis_of_mesh(k, n, indexing), n)) for k, x in enumerate(xi)
    )
    return open_mesh if sparse else tuple(x.copy() for x in np.broadcast_arrays(*open_mesh))


@library(np.indices)
def indices(dimensions: tuple[int, ...], dtype: type = int, sparse: bool = False) -> Array | tuple[Array, ...]:
    n = len(dimensions)
    vectors: tuple[Array, ...] = tuple(
        np.arange(d).astype(dtype).reshape(only_axis(k, n)) for k, d in enumerate(dimensions)
    )
    if sparse:
        return vectors
    return np.stack(np.broadcast_arrays(*vectors))


@library(np.linspace)
def linspace(
    start: Array,
    stop: Array,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: type | None = None,
    axis: int = 0,
) -> Array | tuple[Array, Array]:
    samples = samples_between(start, stop, num, endpoint, dtype, axis)
    if not retstep:
        return samples
    steps = num - 1 if endpoint else num
    return samples, (stop - start) / steps if steps > 0 else (stop - start) * np.nan


def samples_between(
    start: Array, stop: Array, num: int, endpoint: bool, dtype: type | None = None, axis: int = 0
) -> Array:
    """Between two numbers a vector, between arrays a line for each pair, along a new axis."""
    if num < 0:
        raise ValueError("Number of samples must be non-negative.")
    if np.ndim(start) + np.ndim(stop) == 0:
        return spaced(start, stop, num, endpoint, dtype)
    steps = num - 1 if endpoint else num
    first, last = np.asarray(start), np.asarray(stop)
    step = (last - first) * (1.0 / max(steps, 1))
    rank = max(first.ndim, last.ndim)
    lines = first + step * np.arange(num).reshape((-1,) + (1,) * rank)
    if endpoint and num > 1:
        lines[num - 1] = last
    if dtype is not None:
        lines = lines.astype(dtype)
    return np.moveaxis(lines, 0, axis)


@library(np.logspace)
def logspace(
    start: Array,
    stop: Array,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: type | None = None,
    axis: int = 0,
) -> Array:
    powers = np.power(base, samples_between(start, stop, num, endpoint, None, axis))
    return powers if dtype is None else powers.astype(dtype)


@library(np.geomspace)
def geomspace(start: Array, stop: Array, num: int = 50, endpoint: bool = True, dtype: type | None = None) -> Array:
    if start * stop <= 0.0:
        raise ValueError("geomspace() takes two numbers of one sign that are not zero")
    sign = np.sign(start)
    samples = sign * 10.0 ** samples_between(np.log10(np.abs(start)), np.log10(np.abs(stop)), num, endpoint)
    if num > 0:  # the ends exactly
        samples[0] = start
    if num > 1 and endpoint:
        samples[num - 1] = stop
    return samples if dtype is None else samples.astype(dtype)


@library(np.vander)
def vander(x: Array, N: int | None = None, increasing: bool = False) -> Array:  # noqa: N803  (NumPy's name)
    x = np.asarray(x)
    columns = x.shape[0] if N is None else N
    out = np.ones((x.shape[0], columns), (x[:0] * 1).dtype)
    for i in range(x.shape[0]):
        power = x[i] * 0 + 1
        for k in range(columns):
            out[i, k if increasing else columns - 1 - k] = power
            power = power * x[i]
    return out


@library(np.tri)
def tri(N: int, M: int | None = None, k: int = 0, dtype: type = float) -> Array:  # noqa: N803  (NumPy's names)
    return np.tril(np.ones((N, N if M is None else M), dtype), k)
