"""Elements chosen by indices and conditions, read: take, choose, select, compress, piecewise."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.calls.compile_time import compile_time
from srcgrad.library.grids import only_axis
from srcgrad.library.splitting import from_left
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]


@compile_time
def require_mode(mode: str) -> None:
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"the mode is 'raise', 'wrap' or 'clip', got {mode!r}")


def in_range(places: Indices, n: int, mode: str) -> Indices:
    """Indices as ``mode`` takes them; those out of range are found where they are used."""
    if mode == "wrap":
        return places % n
    if mode == "clip":
        return np.minimum(np.maximum(places, 0), n - 1)
    return places


@library(np.take)
def take(a: Array, indices: Indices, axis: int | None = None, mode: str = "raise") -> Array:
    require_mode(mode)
    a = np.asarray(a)
    places = np.asarray(indices) if isinstance(indices, tuple | list) else indices
    if axis is None:
        return a.flatten()[in_range(places, a.size, mode)]
    k = from_left(a.ndim, axis)
    return a[(slice(None),) * k + (in_range(places, a.shape[k], mode),)]


@library(np.compress)
def compress(condition: Mask, a: Array, axis: int | None = None) -> Array:
    return take(a, np.nonzero(np.asarray(condition))[0], axis)


@library(np.extract)
def extract(condition: Mask, arr: Array) -> Array:
    return compress(np.asarray(condition).flatten(), arr)


def along(shape: tuple[int, ...], indices: Indices, axis: int) -> tuple[Indices, ...]:
    """The key of the elements at ``indices`` along one axis, each at its own place on the others."""
    rank = len(shape)
    k = from_left(rank, axis)
    return tuple(
        indices if other == k else np.reshape(np.arange(n), only_axis(other, rank)) for other, n in enumerate(shape)
    )


@library(np.take_along_axis)
def take_along_axis(arr: Array, indices: Indices, axis: int | None = -1) -> Array:
    arr, indices = np.asarray(arr), np.asarray(indices)
    if axis is None:
        return arr.flatten()[indices]
    require_rank(arr.ndim, indices.ndim)
    return arr[along(arr.shape, indices, axis)]


@compile_time
def require_rank(rank: int, of_indices: int) -> None:
    if rank != of_indices:
        raise ValueError(f"`indices` and `arr` must have the same number of dimensions; found {of_indices} and {rank}")


@library(np.choose)
def choose(a: Indices, choices: Sequence[Array] | Array, mode: str = "raise") -> Array:
    require_mode(mode)
    places = in_range(np.asarray(a), len(choices), mode)
    if np.any((places < 0) | (places >= len(choices))):
        raise ValueError("invalid entry in choice array")
    if isinstance(choices, np.ndarray):
        shape = choices.shape[1:]
        others = tuple(np.reshape(np.arange(n), only_axis(k, len(shape))) for k, n in enumerate(shape))
        return choices[(places, *others)]
    chosen = choices[-1]
    for k, choice in reversed(tuple(enumerate(choices[:-1]))):
        chosen = np.where(places == k, choice, chosen)
    return chosen


@library(np.select)
def select(condlist: Sequence[Mask], choicelist: Sequence[Array], default: float | Array = 0) -> Array:
    chosen = default
    for condition, choice in reversed(tuple(zip(condlist, choicelist, strict=True))):
        chosen = np.where(condition, choice, chosen)
    return chosen  # type: ignore[return-value]  # there is a condition


@library(np.piecewise)
def piecewise(
    x: Array, condlist: Sequence[Mask] | Mask, funclist: Sequence[float | Callable[..., Array]], *args: object
) -> Array:
    x = np.asarray(x)
    conditions: list[Mask] = list(condlist) if isinstance(condlist, tuple | list) else [condlist]  # type: ignore[list-item]  # a mask
    if len(funclist) == len(conditions) + 1:
        rest = conditions[0]
        for condition in conditions[1:]:
            rest = rest | condition
        conditions.append(~rest)
    if len(funclist) != len(conditions):
        raise ValueError("with n conditions, either n or n + 1 functions are expected")
    out = np.zeros_like(x)
    for condition, f in zip(conditions, funclist, strict=True):
        if x.ndim == 0:
            if condition:
                out[()] = f(x[()], *args) if callable(f) else f
        elif callable(f):
            out[condition] = f(x[condition], *args)
        else:
            out[condition] = f
    return out


@library(np.argwhere)
def argwhere(a: Array) -> Indices:
    return np.stack(np.nonzero(np.asarray(a)), axis=-1)


@library(np.flatnonzero)
def flatnonzero(a: Array) -> Indices:
    return np.nonzero(np.asarray(a).flatten())[0]


@library(np.ix_)
def ix_(*args: Indices) -> tuple[Indices, ...]:
    """An open mesh; masks stand for the indices at which they are true."""
    return tuple(np.reshape(indices_of(part), only_axis(k, len(args))) for k, part in enumerate(args))


def indices_of(part: Indices | Mask) -> Indices:
    a = np.asarray(part)
    return np.nonzero(a)[0] if a.dtype == np.bool_ else a  # type: ignore[return-value]  # indices


@library(np.unravel_index)
def unravel_index(indices: Indices, shape: int | tuple[int, ...], order: str = "C") -> tuple[Indices, ...]:
    sizes = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    rest = np.asarray(indices) if isinstance(indices, tuple | list) else indices
    parts: tuple[Indices, ...] = ()
    for n in sizes if order == "F" else sizes[::-1]:
        digit = rest % n
        rest = rest // n
        parts = (*parts, digit) if order == "F" else (digit, *parts)
    if np.any(rest != 0):
        raise ValueError("index is out of bounds for the array")
    return parts if isinstance(rest, np.ndarray) else tuple(np.int64(p) for p in parts)


@library(np.ravel_multi_index)
def ravel_multi_index(
    multi_index: tuple[Indices, ...], dims: tuple[int, ...], mode: str | tuple[str, ...] = "raise", order: str = "C"
) -> Indices:
    modes = (mode,) * len(dims) if isinstance(mode, str) else mode
    places = tuple(np.asarray(part) if isinstance(part, tuple | list) else part for part in multi_index)
    total = places[0] * 0
    step = 1
    for k in range(len(dims)) if order == "F" else range(len(dims) - 1, -1, -1):
        place = in_range(places[k], dims[k], modes[k])
        if np.any((place < 0) | (place >= dims[k])):
            raise ValueError("invalid entry in coordinates array")
        total = total + place * step
        step = step * dims[k]
    return total if isinstance(total, np.ndarray) else np.int64(total)
