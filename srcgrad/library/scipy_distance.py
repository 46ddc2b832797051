"""``scipy.spatial.distance``: distances of two vectors of numbers, and of all pairs of rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import distance

from srcgrad.frontend.calls.compile_time import compile_time
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Real = float | np.floating
Metric = Callable[..., Real]
ALIASES = {"cheby": "chebyshev", "euclid": "euclidean", "eu": "euclidean", "e": "euclidean", "city": "cityblock"}


def weighted(terms: Array, w: Array | None) -> Array:
    return terms if w is None else np.asarray(w) * terms


def difference(u: Array, v: Array) -> Array:
    u, v = np.asarray(u), np.asarray(v)
    if u.ndim != 1 or v.ndim != 1:
        raise ValueError("Input vector should be 1-D.")
    return u - v


@library(distance.sqeuclidean)
def sqeuclidean(u: Array, v: Array, w: Array | None = None) -> Real:
    d = difference(u, v)
    return np.sum(weighted(d * d, w))


@library(distance.euclidean)
def euclidean(u: Array, v: Array, w: Array | None = None) -> Real:
    d = difference(u, v)
    return np.linalg.norm(d if w is None else np.sqrt(w) * d)


@library(distance.minkowski)
def minkowski(u: Array, v: Array, p: float = 2, w: Array | None = None) -> Real:
    d = difference(u, v)
    scaled = d if w is None else np.asarray(w) ** (1.0 / p) * d
    return np.linalg.norm(scaled, ord=p)


@library(distance.cityblock)
def cityblock(u: Array, v: Array, w: Array | None = None) -> Real:
    return np.sum(weighted(np.abs(difference(u, v)), w))


@library(distance.chebyshev)
def chebyshev(u: Array, v: Array, w: Array | None = None) -> Real:
    return np.max(weighted(np.abs(difference(u, v)), w))


@library(distance.canberra)
def canberra(u: Array, v: Array, w: Array | None = None) -> Real:
    """A term of two zeros is 0."""
    above = np.abs(difference(u, v))
    below = np.abs(u) + np.abs(v)
    return np.sum(weighted(np.where(below == 0.0, 0.0, above / np.where(below == 0.0, 1.0, below)), w))


@library(distance.braycurtis)
def braycurtis(u: Array, v: Array, w: Array | None = None) -> Real:
    u, v = np.asarray(u), np.asarray(v)
    return np.sum(weighted(np.abs(difference(u, v)), w)) / np.sum(weighted(np.abs(u + v), w))


@library(distance.correlation)
def correlation(u: Array, v: Array, w: Array | None = None, centered: bool = True) -> Real:
    u, v = np.asarray(u), np.asarray(v)
    share = np.full(u.shape[0], 1.0 / u.shape[0]) if w is None else np.asarray(w) / np.sum(w)
    if centered:
        u, v = u - np.dot(u, share), v - np.dot(v, share)
    return 1.0 - np.sum(u * v * share) / np.sqrt(np.sum(u * u * share) * np.sum(v * v * share))


@library(distance.cosine)
def cosine(u: Array, v: Array, w: Array | None = None) -> Real:
    return correlation(u, v, w, False)


@library(distance.hamming)
def hamming(u: Array, v: Array, w: Array | None = None) -> Real:
    apart = np.asarray(u) != np.asarray(v)
    return np.mean(apart) if w is None else np.sum(apart * np.asarray(w)) / np.sum(w)


@library(distance.mahalanobis)
def mahalanobis(u: Array, v: Array, VI: Array) -> Real:  # noqa: N803  # SciPy's name
    d = difference(u, v)
    return np.sqrt(np.dot(np.dot(d, np.asarray(VI)), d))


@library(distance.seuclidean)
def seuclidean(u: Array, v: Array, V: Array) -> Real:  # noqa: N803  # SciPy's name
    return np.linalg.norm(difference(u, v) / np.sqrt(np.asarray(V)))


@library(distance.jensenshannon)
def jensenshannon(
    p: Array, q: Array, base: float | None = None, *, axis: int = 0, keepdims: bool = False
) -> Array | float:
    p, q = np.asarray(p), np.asarray(q)
    p = p / np.sum(p, axis=axis, keepdims=True)
    q = q / np.sum(q, axis=axis, keepdims=True)
    m = 0.5 * (p + q)
    both = np.sum(relative_entropy(p, m), axis=axis, keepdims=keepdims)
    both = both + np.sum(relative_entropy(q, m), axis=axis, keepdims=keepdims)
    return np.sqrt(0.5 * both if base is None else 0.5 * both / np.log(base))


def relative_entropy(p: Array, m: Array) -> Array:
    positive = p > 0.0
    return np.where(positive, p * np.log(np.where(positive, p, 1.0) / np.where(positive, m, 1.0)), 0.0)


@compile_time
def metric_named(metric: str) -> Metric:
    """The function of a metric's name."""
    name = ALIASES.get(metric.lower(), metric.lower())
    functions: dict[str, Metric] = {f.__name__: f for f in METRICS}
    if name not in functions:
        raise ValueError(f"the metrics here are {', '.join(functions)}, got {metric!r}")
    return functions[name]


METRICS: tuple[Metric, ...] = (
    braycurtis,
    canberra,
    chebyshev,
    cityblock,
    correlation,
    cosine,
    euclidean,
    hamming,
    mahalanobis,
    minkowski,
    seuclidean,
    sqeuclidean,
)


def measure_of(metric: str | Metric) -> Metric:
    return metric_named(metric) if isinstance(metric, str) else metric


def place(n: int, i: int, j: int) -> int:
    """Where the distance of rows i < j of n stands in the condensed form."""
    return n * i + j - (i + 2) * (i + 1) // 2


@library(distance.cdist)
def cdist(a: Array, b: Array, metric: str | Metric = "euclidean", *, out: None = None, **kwargs: object) -> Array:
    a, b = np.asarray(a), np.asarray(b)
    measure = measure_of(metric)
    table = np.empty((a.shape[0], b.shape[0]))
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            table[i, j] = measure(a[i], b[j], **kwargs)
    return table


@library(distance.pdist)
def pdist(x: Array, metric: str | Metric = "euclidean", *, out: None = None, **kwargs: object) -> Array:
    x = np.asarray(x)
    n = x.shape[0]
    measure = measure_of(metric)
    row = np.empty(n * (n - 1) // 2)
    for i in range(n):
        for j in range(i + 1, n):
            row[place(n, i, j)] = measure(x[i], x[j], **kwargs)
    return row


@library(distance.squareform)
def squareform(x: Array, force: str = "no", checks: bool = True) -> Array:
    x = np.asarray(x)
    if x.ndim == 1:
        n = int(np.ceil(np.sqrt(2.0 * x.shape[0])))
        if n * (n - 1) // 2 != x.shape[0]:
            raise ValueError("Incompatible vector size. It must be a binomial coefficient n choose 2.")
        table = np.zeros((max(n, 1), max(n, 1)), x.dtype)
        for i in range(n):
            for j in range(i + 1, n):
                table[i, j] = table[j, i] = x[place(n, i, j)]
        return table
    n = x.shape[0]
    row = np.empty(n * (n - 1) // 2, x.dtype)
    for i in range(n):
        for j in range(i + 1, n):
            row[place(n, i, j)] = x[i, j]
    return row
