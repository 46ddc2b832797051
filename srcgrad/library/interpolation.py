"""Tables looked up: places in sorted vectors, bins, and piecewise linear interpolation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.library.ordering import place_of
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Places = NDArray[np.int64]


@library(np.searchsorted)
def searchsorted(a: Array, v: Array, side: str = "left", sorter: Places | None = None) -> Places:
    """Where elements would be inserted into a sorted vector."""
    a = np.asarray(a)
    ordered = a if sorter is None else a[sorter]
    if not isinstance(v, np.ndarray | tuple | list):
        return place_of(ordered, v, side)
    wanted = np.asarray(v)
    flat = wanted.flatten()
    out = np.empty(flat.shape[0], np.int64)
    for i in range(flat.shape[0]):
        out[i] = place_of(ordered, flat[i], side)
    return out.reshape(wanted.shape)


@library(np.digitize)
def digitize(x: Array, bins: Array, right: bool = False) -> Places:
    """The bin of each element, of edges that go up or down."""
    edges = np.asarray(bins)
    n = edges.shape[0]
    falling = n > 1 and edges[0] > edges[n - 1]
    ordered = np.empty(n, edges.dtype)
    for i in range(n):
        ordered[i] = edges[n - 1 - i] if falling else edges[i]
    if np.any(ordered[:-1] > ordered[1:]):
        raise ValueError("bins must be monotonically increasing or decreasing")
    places = searchsorted(ordered, x, "left" if right else "right")
    sign, start = (-1, n) if falling else (1, 0)
    return start + sign * places


@library(np.interp)
def interp(
    x: Array,
    xp: Array,
    fp: Array,
    left: float | None = None,
    right: float | None = None,
    period: float | None = None,
) -> Array:
    """Piecewise linear interpolation."""
    xp, fp = np.asarray(xp), np.asarray(fp)
    if period is None:
        return interpolated(x, xp, fp, left, right)
    width = abs(period)
    points = np.asarray(x) if isinstance(x, tuple | list) else x
    folded = xp % width
    order = np.argsort(folded)
    folded, values = folded[order], fp[order]
    folded = np.concatenate((folded[-1:] - width, folded, folded[:1] + width))
    values = np.concatenate((values[-1:], values, values[:1]))
    return interpolated(points % width, folded, values, None, None)


def interpolated(x: Array, xp: Array, fp: Array, left: float | None, right: float | None) -> Array:
    if xp.shape[0] != fp.shape[0]:
        raise ValueError("fp and xp are not of the same length.")
    if xp.shape[0] == 0:
        raise ValueError("array of sample points is empty")
    if not isinstance(x, np.ndarray | tuple | list):
        return value_at(x, xp, fp, left, right)
    points = np.asarray(x)
    flat = points.flatten()
    out = np.empty(flat.shape[0])
    for i in range(flat.shape[0]):
        out[i] = value_at(flat[i], xp, fp, left, right)
    return out.reshape(points.shape)


def value_at(x: float, xp: Array, fp: Array, left: float | None, right: float | None) -> float:
    n = xp.shape[0]
    if x < xp[0]:
        return fp[0] if left is None else left
    if x > xp[n - 1]:
        return fp[n - 1] if right is None else right
    if n == 1:
        return fp[0]
    k = min(max(place_of(xp, x, "right") - 1, 0), n - 2)
    slope = (fp[k + 1] - fp[k]) / (xp[k + 1] - xp[k])
    return slope * (x - xp[k]) + fp[k]
