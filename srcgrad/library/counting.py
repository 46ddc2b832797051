"""Counts and sets: bincount, histograms, unique elements and membership."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.arrays.elements import element
from srcgrad.frontend.calls.compile_time import refuse
from srcgrad.library.ordering import before, place_of
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Indices = NDArray[np.int64]
Range = tuple[float, float] | None
Bins = int | Sequence[float] | Array


@library(np.bincount)
def bincount(x: Indices, weights: Array | None = None, minlength: int = 0) -> Array:
    x = np.asarray(x)
    size = minlength
    for i in range(x.shape[0]):
        if x[i] < 0:
            raise ValueError("'list' argument must have no negative elements")
        size = max(size, x[i] + 1)
    if weights is None:
        counts = np.zeros(size, np.int64)
        for i in range(x.shape[0]):
            counts[x[i]] += 1
        return counts  # type: ignore[return-value]  # integers here
    sums = np.zeros(size)
    w = np.asarray(weights)
    if w.shape[0] != x.shape[0]:
        raise ValueError("The weights and list don't have the same length.")
    for i in range(x.shape[0]):
        sums[x[i]] += w[i]
    return sums


@library(np.histogram_bin_edges)
def edges_of(a: Array, bins: Bins = 10, range: Range = None, weights: Array | None = None) -> Array:
    """The edges of the bins; those of so many equal bins reach from the smallest element to the largest."""
    if isinstance(bins, str):
        refuse(f"bins={bins!r}", "Give the number of bins, or their edges.")
    if not isinstance(bins, int | np.integer):
        edges = np.asarray(bins)
        if np.any(edges[:-1] > edges[1:]):
            raise ValueError("`bins` must increase monotonically, when an array")
        return edges
    if bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    flat = np.asarray(a).flatten()
    low, high = np.float64(0.0), np.float64(1.0)
    if range is not None:
        low, high = np.float64(range[0]), np.float64(range[1])
    elif flat.shape[0] > 0:
        low, high = np.float64(np.min(flat)), np.float64(np.max(flat))
    if low > high:
        raise ValueError("max must be larger than min in range parameter.")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, bins + 1)


def bin_of(edges: Array, x: float) -> int:
    """The bin of an element, of which the last one has both its edges; -1 for none."""
    last = edges.shape[0] - 1
    if not (edges[0] <= x <= edges[last]):
        return -1
    return min(place_of(edges, x, "right") - 1, last - 1)


@library(np.histogram)
def histogram(
    a: Array, bins: Bins = 10, range: Range = None, density: bool | None = None, weights: Array | None = None
) -> tuple[Array, Array]:
    flat = np.asarray(a).flatten()
    edges = edges_of(flat, bins, range)
    if weights is None:
        counts = np.zeros(edges.shape[0] - 1, np.int64)
        count(counts, edges, flat, np.ones(flat.shape[0], np.int64))
    else:
        w = np.asarray(weights).flatten()
        if w.shape[0] != flat.shape[0]:
            raise ValueError("weights should have the same shape as a.")
        counts = np.zeros(edges.shape[0] - 1, w.dtype)
        count(counts, edges, flat, w)
    if density:
        return counts / np.diff(edges) / np.sum(counts), edges
    return counts, edges


def count(counts: Array, edges: Array, elements: Array, weights: Array) -> None:
    for i in range(elements.shape[0]):
        k = bin_of(edges, elements[i])
        if k >= 0:
            counts[k] += weights[i]


@library(np.histogram2d)
def histogram2d(
    x: Array,
    y: Array,
    bins: int | Sequence[Bins] | Array = 10,
    range: Sequence[Range] | None = None,
    density: bool | None = None,
    weights: Array | None = None,
) -> tuple[Array, Array, Array]:
    x, y = np.asarray(x), np.asarray(y)
    two = isinstance(bins, tuple | list) and len(bins) == 2
    x_edges = edges_of(x, bins[0] if two else bins, None if range is None else range[0])  # type: ignore[arg-type, index]  # two are a sequence
    y_edges = edges_of(y, bins[1] if two else bins, None if range is None else range[1])  # type: ignore[arg-type, index]  # two are a sequence
    counts = np.zeros((x_edges.shape[0] - 1, y_edges.shape[0] - 1))
    w = np.ones(x.shape[0]) if weights is None else np.asarray(weights)
    for i in range_of(x):
        k, m = bin_of(x_edges, x[i]), bin_of(y_edges, y[i])
        if k >= 0 and m >= 0:
            counts[k, m] += w[i]
    if density:
        counts = counts / np.outer(np.diff(x_edges), np.diff(y_edges)) / np.sum(counts)
    return counts, x_edges, y_edges


def range_of(a: Array) -> range:
    """The indices of a vector, for functions that have a parameter called ``range``."""
    return range(a.shape[0])


@library(np.unique)
def unique(
    ar: Array, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False
) -> Array | tuple[Array | Indices, ...]:
    """The different elements in ascending order, each from the place where it stands first."""
    ar = np.asarray(ar)
    flat = ar.flatten()
    n = flat.shape[0]
    order = np.argsort(flat)
    inverse = np.empty(n, np.int64)
    different = 0
    for i in range(n):
        if i == 0 or before(element(flat, order[i - 1]), element(flat, order[i])):
            different += 1
        inverse[order[i]] = different - 1
    first = np.empty(different, np.int64)
    counts = np.zeros(different, np.int64)
    for i in range(n - 1, -1, -1):
        first[inverse[order[i]]] = order[i]
        counts[inverse[i]] += 1
    if not (return_index or return_inverse or return_counts):
        return flat[first]
    result: tuple[Array | Indices, ...] = (flat[first],)
    if return_index:
        result = (*result, first)
    if return_inverse:
        result = (*result, inverse.reshape(ar.shape))
    if return_counts:
        result = (*result, counts)
    return result


def different(a: Array) -> Array:
    only = unique(a)
    assert not isinstance(only, tuple)
    return only


@library(np.isin)
def isin(element: Array, test_elements: Array, assume_unique: bool = False, invert: bool = False) -> NDArray[np.bool_]:
    of, among = np.asarray(element), np.sort(np.asarray(test_elements).flatten())
    flat = of.flatten()
    out = np.empty(flat.shape[0], np.bool_)
    for i in range(flat.shape[0]):
        k = place_of(among, flat[i], "left")
        found = k < among.shape[0] and among[min(k, among.shape[0] - 1)] == flat[i]
        out[i] = not found if invert else found
    return out.reshape(of.shape)


@library(np.union1d)
def union1d(ar1: Array, ar2: Array) -> Array:
    return different(np.concatenate((np.asarray(ar1).flatten(), np.asarray(ar2).flatten())))


@library(np.intersect1d)
def intersect1d(ar1: Array, ar2: Array) -> Array:
    one = different(ar1)
    return one[isin(one, ar2)]


@library(np.setdiff1d)
def setdiff1d(ar1: Array, ar2: Array) -> Array:
    one = different(ar1)
    return one[isin(one, ar2, invert=True)]


@library(np.setxor1d)
def setxor1d(ar1: Array, ar2: Array) -> Array:
    return np.sort(np.concatenate((setdiff1d(ar1, ar2), setdiff1d(ar2, ar1))))
