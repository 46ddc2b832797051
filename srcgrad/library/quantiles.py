"""Medians and quantiles, with and without what is NaN: elements picked in order, and interpolated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.arrays.elements import element
from srcgrad.frontend.arrays.rows import reduces_rows
from srcgrad.frontend.calls.compile_time import compile_time
from srcgrad.library.ordering import order_of
from srcgrad.library.statistics import Axis, Result
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
# alpha and beta of Hyndman and Fan, Sample quantiles in statistical packages, 1996, for the continuous methods.
CONTINUOUS = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "linear": (1.0, 1.0),
    "median_unbiased": (1.0 / 3.0, 1.0 / 3.0),
    "normal_unbiased": (3.0 / 8.0, 3.0 / 8.0),
}


@compile_time
def parameters(method: str) -> tuple[float, float]:
    """Which element a quantile is, as alpha and beta; steps between elements are those of the linear method."""
    if method not in CONTINUOUS and method not in ("lower", "higher", "midpoint", "nearest"):
        raise ValueError(f"method {method!r} of quantiles is not supported; use one of {', '.join(CONTINUOUS)}")
    return CONTINUOUS.get(method, (1.0, 1.0))


@reduces_rows(np.median)
def median(v: Array) -> np.floating:
    n = v.shape[0]
    order = np.empty(n, np.int64)
    order_of(v, order)
    if n == 0:
        return not_a_number(v)
    last = element(v, order[n - 1])
    if last != last:
        return last
    return element(v, order[(n - 1) // 2]) * 0.5 + element(v, order[n // 2]) * 0.5


@reduces_rows(np.nanmedian)
def nanmedian(v: Array) -> np.floating:
    order = np.empty(v.shape[0], np.int64)
    order_of(v, order)
    n = number_present(v)
    if n == 0:
        return not_a_number(v)
    return element(v, order[(n - 1) // 2]) * 0.5 + element(v, order[n // 2]) * 0.5


def number_present(v: Array) -> int:
    n = 0
    for i in range(v.shape[0]):
        n += 1 if v[i] == v[i] else 0
    return n


@compile_time
def is_integral(dtype: np.dtype) -> bool:
    return dtype.kind in "iub"


def not_a_number(v: Array) -> np.floating:
    return np.float64(np.nan) if is_integral(v.dtype) else v.dtype.type(np.nan)


@reduces_rows()
def quantile_of_row(v: Array, *, q: float = 0.5, method: str = "linear", leaves_out: bool = False) -> np.floating:
    """Of a row with NaN the quantile is NaN, unless it ``leaves_out`` these: in the order they are last."""
    if not 0.0 <= q <= 1.0:
        raise ValueError("Quantiles must be in the range [0, 1]")
    order = np.empty(v.shape[0], np.int64)
    order_of(v, order)
    n = number_present(v)
    if n == 0 or (n < v.shape[0] and not leaves_out):
        return not_a_number(v)
    alpha, beta = parameters(method)
    place = min(max(n * q + alpha + q * (1.0 - alpha - beta) - 1.0, 0.0), n - 1.0)
    low = int(np.floor(place))
    high = min(low + 1, n - 1)
    part = place - low
    if method == "lower":
        return element(v, order[low])
    if method == "higher":
        return element(v, order[low if part == 0.0 else high])
    if method == "nearest":
        return element(v, order[int(np.rint(place))])
    a, b = element(v, order[low]), element(v, order[high])
    if method == "midpoint":
        return a if part == 0.0 else (a + b) * 0.5
    return a + (b - a) * part


def of_all(
    a: Array, q: Array | float | list[float], axis: Axis, method: str, keepdims: bool, leaves_out: bool
) -> Result:
    """One quantile, or several along a new first axis."""
    if not isinstance(q, (np.ndarray, list, tuple)):
        return quantile_of_row(a, axis=axis, keepdims=keepdims, q=q, method=method, leaves_out=leaves_out)
    wanted = np.asarray(q)
    flat = wanted.reshape(-1)
    first = quantile_of_row(a, axis=axis, keepdims=keepdims, q=flat[0], method=method, leaves_out=leaves_out)
    out = np.empty((flat.shape[0], *np.shape(first)), first.dtype)
    out[0] = first
    for k in range(1, flat.shape[0]):
        out[k] = quantile_of_row(a, axis=axis, keepdims=keepdims, q=flat[k], method=method, leaves_out=leaves_out)
    return out if wanted.ndim == 1 else out.reshape((*wanted.shape, *np.shape(first)))


@library(np.quantile)
def quantile(
    a: Array, q: Array | float, axis: Axis = None, *, method: str = "linear", keepdims: bool = False
) -> Result:
    return of_all(a, q, axis, method, keepdims, leaves_out=False)


@library(np.percentile)
def percentile(
    a: Array, q: Array | float, axis: Axis = None, *, method: str = "linear", keepdims: bool = False
) -> Result:
    return of_all(a, hundredths(q), axis, method, keepdims, leaves_out=False)


@library(np.nanquantile)
def nanquantile(
    a: Array, q: Array | float, axis: Axis = None, *, method: str = "linear", keepdims: bool = False
) -> Result:
    return of_all(a, q, axis, method, keepdims, leaves_out=True)


@library(np.nanpercentile)
def nanpercentile(
    a: Array, q: Array | float, axis: Axis = None, *, method: str = "linear", keepdims: bool = False
) -> Result:
    return of_all(a, hundredths(q), axis, method, keepdims, leaves_out=True)


def hundredths(q: Array | float | list[float]) -> Array | float:
    if isinstance(q, (list, tuple)):
        return np.asarray(q) / 100.0
    return q / 100.0
