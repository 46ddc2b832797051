"""``scipy.stats``: moments and correlations of samples, the normal distribution of vectors, frozen distributions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy import special, stats

from srcgrad.frontend.calls.compile_time import refuse
from srcgrad.frontend.calls.dispatch import call_object
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.registry import Arguments, Keywords
from srcgrad.frontend.registry import call_object as called
from srcgrad.frontend.values import FrontValue, Static
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Number = float | np.floating


def central(a: Array, order: int, axis: int | None) -> Array:
    """The mean of a power of what elements differ from their mean."""
    return np.mean((a - np.mean(a, axis=axis, keepdims=True)) ** order, axis=axis)


@library(stats.moment)
def moment(a: Array, order: int = 1, axis: int | None = 0) -> Array:
    return central(np.asarray(a), order, axis)


@library(stats.skew)
def skew(a: Array, axis: int | None = 0, bias: bool = True) -> Array:
    a = np.asarray(a)
    value = central(a, 3, axis) / central(a, 2, axis) ** 1.5
    n = np.size(a) if axis is None else np.shape(a)[axis]
    return value if bias else value * np.sqrt(n * (n - 1.0)) / (n - 2.0)


@library(stats.kurtosis)
def kurtosis(a: Array, axis: int | None = 0, fisher: bool = True, bias: bool = True) -> Array:
    a = np.asarray(a)
    value = central(a, 4, axis) / central(a, 2, axis) ** 2
    n = np.size(a) if axis is None else np.shape(a)[axis]
    if not bias:
        value = ((n * n - 1.0) * value - 3.0 * (n - 1.0) ** 2) / ((n - 2.0) * (n - 3.0)) + 3.0
    return value - 3.0 if fisher else value


@library(stats.zscore)
def zscore(a: Array, axis: int | None = 0, ddof: int = 0) -> Array:
    a = np.asarray(a)
    return (a - np.mean(a, axis=axis, keepdims=True)) / np.std(a, axis=axis, ddof=ddof, keepdims=True)


@library(stats.gmean)
def gmean(a: Array, axis: int | None = 0) -> Array:
    return np.exp(np.mean(np.log(np.asarray(a)), axis=axis))


@library(stats.hmean)
def hmean(a: Array, axis: int | None = 0) -> Array:
    return 1.0 / np.mean(1.0 / np.asarray(a), axis=axis)


@library(stats.sem)
def sem(a: Array, axis: int | None = 0, ddof: int = 1) -> Array:
    a = np.asarray(a)
    n = np.size(a) if axis is None else np.shape(a)[axis]
    return np.std(a, axis=axis, ddof=ddof) / np.sqrt(n)


@library(stats.variation)
def variation(a: Array, axis: int | None = 0, ddof: int = 0) -> Array | Number:
    a = np.asarray(a)
    return np.std(a, axis=axis, ddof=ddof) / np.mean(a, axis=axis)


@library(stats.entropy)
def entropy(pk: Array, qk: Array | None = None, base: float | None = None, axis: int = 0) -> Array | Number:
    p = np.asarray(pk)
    p = p / np.sum(p, axis=axis, keepdims=True)
    if qk is None:
        total = np.sum(special.entr(p), axis=axis)
    else:
        q = np.asarray(qk)
        total = np.sum(special.rel_entr(p, q / np.sum(q, axis=axis, keepdims=True)), axis=axis)
    return total if base is None else total / np.log(base)


class Correlation(NamedTuple):
    statistic: Number
    pvalue: Number


@library(stats.pearsonr)
def pearsonr(x: Array, y: Array) -> Correlation:
    x, y = np.asarray(x), np.asarray(y)
    a, b = x - np.mean(x), y - np.mean(y)
    r = np.sum(a * b) / np.sqrt(np.sum(a * a) * np.sum(b * b))
    half = 0.5 * x.shape[0] - 1.0
    return Correlation(r, 2.0 * special.betainc(half, half, 0.5 - 0.5 * np.abs(r)))


class Line(NamedTuple):
    slope: Number
    intercept: Number
    rvalue: Number
    pvalue: Number
    stderr: Number


@library(stats.linregress)
def linregress(x: Array, y: Array) -> Line:
    """Least squares of one variable by another."""
    x, y = np.asarray(x), np.asarray(y)
    n = x.shape[0]
    a, b = x - np.mean(x), y - np.mean(y)
    xx, xy, yy = np.sum(a * a), np.sum(a * b), np.sum(b * b)
    r = xy / np.sqrt(xx * yy)
    slope = xy / xx
    half = 0.5 * n - 1.0
    p = 2.0 * special.betainc(half, half, 0.5 - 0.5 * np.abs(r))
    return Line(slope, np.mean(y) - slope * np.mean(x), r, p, np.sqrt((1.0 - r * r) * yy / xx / (n - 2.0)))


@library(stats.multivariate_normal.logpdf)
def multivariate_logpdf(
    x: Array, mean: Array | None = None, cov: Array | float = 1.0, allow_singular: bool = False
) -> Array | Number:
    """Of a positive definite covariance, through its Cholesky factor; points lie along the last axis."""
    x, c = np.asarray(x), np.asarray(cov)
    if x.ndim == 0 or x.ndim > 2 or c.ndim != 2:
        refuse("multivariate_normal of other shapes", "Give it a vector, or a row for each, and a covariance matrix.")
    d = x.shape[-1]
    factor = np.linalg.cholesky(c)
    centred = x if mean is None else x - np.asarray(mean)
    scaled = scipy.linalg.solve_triangular(factor, centred.T, lower=True)
    norm = 0.9189385332046727 * d + np.sum(np.log(np.diag(factor)))
    return -0.5 * np.sum(scaled * scaled, axis=0) - norm


@library(stats.multivariate_normal.pdf)
def multivariate_pdf(x: Array, mean: Array | None = None, cov: Array | float = 1.0) -> Array | Number:
    return np.exp(multivariate_logpdf(x, mean, cov))


class Frozen:
    """A distribution with its shapes, location and scale, as ``stats.norm(1.0, 2.0)`` makes it."""

    def __init__(self, distribution: Any, shapes: tuple[Any, ...], named: dict[str, Any]) -> None:
        self.distribution = distribution
        self.shapes = shapes
        self.named = named

    def pdf(self, x: Array) -> Array:
        return self.distribution.pdf(x, *self.shapes, **self.named)

    def logpdf(self, x: Array) -> Array:
        return self.distribution.logpdf(x, *self.shapes, **self.named)

    def pmf(self, k: Array) -> Array:
        return self.distribution.pmf(k, *self.shapes, **self.named)

    def logpmf(self, k: Array) -> Array:
        return self.distribution.logpmf(k, *self.shapes, **self.named)

    def cdf(self, x: Array) -> Array:
        return self.distribution.cdf(x, *self.shapes, **self.named)

    def logcdf(self, x: Array) -> Array:
        return self.distribution.logcdf(x, *self.shapes, **self.named)

    def sf(self, x: Array) -> Array:
        return self.distribution.sf(x, *self.shapes, **self.named)

    def logsf(self, x: Array) -> Array:
        return self.distribution.logsf(x, *self.shapes, **self.named)

    def ppf(self, q: Array) -> Array:
        return self.distribution.ppf(q, *self.shapes, **self.named)

    def isf(self, q: Array) -> Array:
        return self.distribution.isf(q, *self.shapes, **self.named)


def frozen(distribution: Any, *shapes: Any, **named: Any) -> Frozen:
    return Frozen(distribution, shapes, named)


@called(stats.rv_continuous)
def _continuous(lowering: Lowering, target: object, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return call_object(lowering, frozen, [Static(target), *arguments], keywords)


@called(stats.rv_discrete)
def _discrete(lowering: Lowering, target: object, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return call_object(lowering, frozen, [Static(target), *arguments], keywords)


multivariate_normal_frozen = type(stats.multivariate_normal)


@called(multivariate_normal_frozen)
def _multivariate(lowering: Lowering, target: object, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return call_object(lowering, frozen, [Static(target), *arguments], keywords)
