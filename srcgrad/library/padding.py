"""``np.pad``: each axis in turn gets elements before and behind it, by one of eleven modes."""

from __future__ import annotations

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import NDArray

from srcgrad.frontend.calls.compile_time import compile_time, refuse
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
# For each axis one for before and one for behind; what is given once is for all.
Pairs = int | tuple[int, ...] | tuple[tuple[int, ...], ...]
PERIODIC = ("reflect", "symmetric", "wrap")
STATISTICS = ("maximum", "mean", "median", "minimum")


@library(np.pad)
def pad(
    array: Array,
    pad_width: Pairs,
    mode: str = "constant",
    *,
    constant_values: Pairs = 0,
    end_values: Pairs = 0,
    stat_length: Pairs | None = None,
    reflect_type: str = "even",
) -> Array:
    a = np.asarray(array)
    require_mode(mode, reflect_type)
    widths = of_axes(pad_width, a.ndim) if isinstance(pad_width, dict) else pairs(pad_width, a.ndim)
    constants, ends = pairs(constant_values, a.ndim), pairs(end_values, a.ndim)
    lengths = pairs(stat_length, a.ndim)
    for axis, (before, behind) in enumerate(widths):
        if before < 0 or behind < 0:
            raise ValueError("index can't contain negative values")
        along = np.moveaxis(a, axis, 0)
        if mode == "constant":
            out = between(along, before, behind, constants[axis][0], constants[axis][1])
        elif mode == "empty":
            out = between(along, before, behind, 0, 0)
        else:
            out = extended(along, before, behind, mode, ends[axis], lengths[axis], reflect_type)
        a = np.moveaxis(out, 0, axis)
    return a


@compile_time
def require_mode(mode: str, reflect_type: str) -> None:
    known = ("constant", "edge", "empty", "linear_ramp", *STATISTICS, *PERIODIC)
    if mode not in known:
        raise ValueError(f"np.pad() takes the modes {', '.join(known)}, got {mode!r}")
    if reflect_type not in ("even", "odd"):
        raise ValueError(f'reflect_type is "even" or "odd", got {reflect_type!r}')


def pairs(given: Pairs | None, rank: int) -> tuple[tuple[int, int], ...]:
    """One pair for each axis."""
    if not isinstance(given, tuple | list):
        return ((given, given),) * rank  # type: ignore[return-value]  # None only for lengths
    if isinstance(given[0], tuple | list):
        each = tuple(pair(part) for part in given)
        return each * rank if len(each) == 1 else each
    return (pair(given),) * rank


def pair(given: tuple[int, ...]) -> tuple[int, int]:
    return (given[0], given[0]) if len(given) == 1 else (given[0], given[1])


def of_axes(widths: dict[int, Pairs], rank: int) -> tuple[tuple[int, int], ...]:
    """The pairs of a dict with axes as its keys; the other axes are not padded."""
    result = ((0, 0),) * rank
    for axis, width in widths.items():
        k = axis_of(axis, rank)
        own = (width, width) if isinstance(width, int) else pair(width)  # type: ignore[arg-type]  # numbers
        result = (*result[:k], own, *result[k + 1 :])
    return result


@compile_time
def axis_of(axis: int, rank: int) -> int:
    return normalize_axis_index(axis, rank)


def between(a: Array, before: int, behind: int, first: float | Array, last: float | Array) -> Array:
    """``a`` with rows of one value before it and behind it."""
    n = a.shape[0]
    out = np.empty((before + n + behind, *a.shape[1:]), a.dtype)
    out[:before] = first
    out[before : before + n] = a
    out[before + n :] = last
    return out


def extended(
    a: Array,
    before: int,
    behind: int,
    mode: str,
    ends: tuple[float, float],
    lengths: tuple[int | None, int | None],
    reflect_type: str,
) -> Array:
    n = a.shape[0]
    if n == 0 and before + behind > 0:
        raise ValueError("can't extend an empty axis using modes other than 'constant' or 'empty'")
    if mode == "edge":
        return between(a, before, behind, a[0], a[n - 1])
    if mode in STATISTICS:
        return between(a, before, behind, statistic(a, mode, lengths[0], 0), statistic(a, mode, lengths[1], 1))
    out = between(a, before, behind, 0, 0)
    if mode == "linear_ramp":
        for k in range(before):
            out[k] = ramp(a[0], ends[0], k, before)
        for k in range(behind):
            out[before + n + behind - 1 - k] = ramp(a[n - 1], ends[1], k, behind)
    else:
        for k in range(before):
            out[k] = continued(a, k - before, mode, reflect_type)
        for k in range(behind):
            out[before + n + k] = continued(a, n + k, mode, reflect_type)
    return out


def ramp(edge: Array, end: float, k: int, steps: int) -> Array:
    """The element ``k`` of ``steps`` on the way from the end value to the edge."""
    value = end + (edge - end) * (k / steps)
    return np.floor(value) if edge.dtype.kind in "iu" else value


def statistic(a: Array, mode: str, length: int | None, behind: int) -> Array:
    """Of the rows at one end of the array."""
    n = a.shape[0]
    rows = a
    if length is not None:
        many = min(length, n)
        rows = a[n - many :] if behind else a[:many]
    if a.dtype.kind in "iub" and mode in ("mean", "median"):
        refuse(f'np.pad() with mode="{mode}" of integers', "Convert the array with astype(float).")
    if mode == "maximum":
        return np.max(rows, axis=0)
    if mode == "minimum":
        return np.min(rows, axis=0)
    if mode == "mean":
        return np.mean(rows, axis=0)
    return np.median(rows, axis=0)


def continued(a: Array, j: int, mode: str, reflect_type: str) -> Array:
    """The element ``j`` of the array continued on both sides: repeated, or mirrored at its ends.

    Mirrored oddly, at the value of the end, it rises by the same amount from period to period.
    """
    n = a.shape[0]
    if mode == "wrap" or n == 1:
        return a[j % n]
    twice = 1 if mode == "symmetric" else 0  # whether the end is part of the mirror image
    period = 2 * (n - 1 + twice)
    place = j % period
    mirrored = place >= n
    source = period - twice - place if mirrored else place
    if reflect_type == "even":
        return a[source]
    rise = (a[n - 1] - a[0]) * (2 * (j // period))
    return 2 * a[n - 1] - a[source] + rise if mirrored else a[source] + rise
