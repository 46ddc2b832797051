"""``scipy.interpolate``: splines through points or by coefficients, and lines, with derivatives by all of these."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate
from numpy.typing import NDArray

from srcgrad.frontend.calls.compile_time import compile_time, refuse
from srcgrad.library.interpolation import searchsorted
from srcgrad.library.queues import stands_for

Array = NDArray[np.floating]


def interval(knots: Array, x: Array, first: int, last: int) -> NDArray[np.int64]:
    """The interval that each point is in, between two of them, also of points outside."""
    return np.minimum(np.maximum(searchsorted(knots, x, "right") - 1, first), last)


class Cubic:
    """A piecewise cubic polynomial: ``c[k, i]`` is the coefficient of ``(x - x[i])**(3 - k)``."""

    def __init__(self, x: Array, c: Array, extrapolate: bool) -> None:
        self.x = x
        self.c = c
        self.extrapolate = extrapolate

    def __call__(self, x: Array, nu: int = 0) -> Array:
        require_order(nu)
        at = x if isinstance(x, float | int) else np.asarray(x)
        i = interval(self.x, at, 0, self.x.shape[0] - 2)
        t = at - self.x[i]
        value = horner(self.c[0][i], self.c[1][i], self.c[2][i], self.c[3][i], t, nu)
        if self.extrapolate:
            return value
        return np.where((at >= self.x[0]) & (at <= self.x[-1]), value, np.nan)


@compile_time
def require_order(nu: object) -> None:
    if nu not in (0, 1, 2, 3):
        raise ValueError("nu is 0, 1, 2 or 3 here, known at compile time")


def horner(a: Array, b: Array, c: Array, d: Array, t: Array, nu: int) -> Array:
    if nu == 0:
        return ((a * t + b) * t + c) * t + d
    if nu == 1:
        return (3.0 * a * t + 2.0 * b) * t + c
    return 6.0 * a * t + 2.0 * b if nu == 2 else 6.0 * a + 0.0 * t


def hermite(x: Array, y: Array, slopes: Array) -> Array:
    """The coefficients of cubic pieces with these values and slopes."""
    h = np.diff(x)
    secant = np.diff(y) / h
    bend = (slopes[:-1] + slopes[1:] - 2.0 * secant) / h
    return np.stack((bend / h, (secant - slopes[:-1]) / h - bend, slopes[:-1], y[:-1]))


@stands_for(scipy.interpolate.CubicSpline)
def cubic_spline(x: Array, y: Array, axis: int = 0, bc_type: str = "not-a-knot", extrapolate: bool = True) -> Cubic:
    """Through the points of a vector, with continuous second derivatives."""
    x, y = np.asarray(x), np.asarray(y)
    if y.ndim != 1 or axis != 0:
        refuse("CubicSpline of several columns", "Make a spline of each.")
    return Cubic(x, hermite(x, y, spline_slopes(x, y, bc_type)), extrapolate)


def spline_slopes(x: Array, y: Array, ends: str) -> Array:
    """The slopes at the points (C. de Boor, A Practical Guide to Splines, chapter IV)."""
    n = x.shape[0]
    h = np.diff(x)
    secant = np.diff(y) / h
    if n < 4 and ends == "not-a-knot":
        refuse_few(n)
    a = np.zeros((n, n), y.dtype)
    b = np.zeros(n, y.dtype)
    for i in range(1, n - 1):
        a[i, i - 1] = h[i]
        a[i, i] = 2.0 * (h[i - 1] + h[i])
        a[i, i + 1] = h[i - 1]
        b[i] = 3.0 * (h[i] * secant[i - 1] + h[i - 1] * secant[i])
    if ends == "not-a-knot":
        d, e = x[2] - x[0], x[-1] - x[-3]
        a[0, 0], a[0, 1] = h[1], d
        b[0] = ((h[0] + 2.0 * d) * h[1] * secant[0] + h[0] ** 2 * secant[1]) / d
        a[-1, -1], a[-1, -2] = h[-2], e
        b[-1] = (h[-1] ** 2 * secant[-2] + (2.0 * e + h[-1]) * h[-2] * secant[-1]) / e
    elif ends == "natural":
        a[0, 0], a[0, 1], b[0] = 2.0, 1.0, 3.0 * secant[0]
        a[-1, -1], a[-1, -2], b[-1] = 2.0, 1.0, 3.0 * secant[-1]
    elif ends == "clamped":
        a[0, 0], a[-1, -1] = 1.0, 1.0
    else:
        refuse("these ends of a CubicSpline", "They are 'not-a-knot', 'natural' or 'clamped' here.")
    return np.linalg.solve(a, b)


def refuse_few(n: int) -> None:
    if n < 4:
        raise ValueError("a CubicSpline with ends 'not-a-knot' takes at least 4 points here")


@stands_for(scipy.interpolate.PchipInterpolator)
def pchip(x: Array, y: Array, axis: int = 0, extrapolate: bool = True) -> Cubic:
    """Cubic pieces that are monotone where the points are (F. N. Fritsch and J. Butland, 1984)."""
    x, y = np.asarray(x), np.asarray(y)
    if y.ndim != 1 or axis != 0:
        refuse("PchipInterpolator of several columns", "Make one of each.")
    h = np.diff(x)
    secant = np.diff(y) / h
    n = x.shape[0]
    slopes = np.zeros(n, y.dtype)
    if n == 2:
        slopes[:] = secant[0]
        return Cubic(x, hermite(x, y, slopes), extrapolate)
    for i in range(1, n - 1):
        if secant[i - 1] * secant[i] > 0.0:
            u, v = 2.0 * h[i] + h[i - 1], h[i] + 2.0 * h[i - 1]
            slopes[i] = (u + v) / (u / secant[i - 1] + v / secant[i])
    slopes[0] = end_slope(h[0], h[1], secant[0], secant[1])
    slopes[-1] = end_slope(h[-1], h[-2], secant[-1], secant[-2])
    return Cubic(x, hermite(x, y, slopes), extrapolate)


def end_slope(h: float, k: float, first: float, second: float) -> float:
    slope = ((2.0 * h + k) * first - h * second) / (h + k)
    if slope * first <= 0.0:
        return 0.0
    return 3.0 * first if first * second <= 0.0 and abs(slope) > 3.0 * abs(first) else slope


class Lines:
    """Lines between points."""

    def __init__(self, x: Array, y: Array, bounds_error: bool, fill: Any) -> None:
        self.x = x
        self.y = y
        self.bounds_error = bounds_error
        self.fill = fill

    def __call__(self, x: Array) -> Array:
        at = np.asarray(x)
        inside = (at >= self.x[0]) & (at <= self.x[-1])
        if self.bounds_error and not np.all(inside):
            raise ValueError("a value in x_new is outside the interpolation range")
        i = interval(self.x, at, 0, self.x.shape[0] - 2)
        slope = (self.y[i + 1] - self.y[i]) / (self.x[i + 1] - self.x[i])
        value = self.y[i] + slope * (at - self.x[i])
        if isinstance(self.fill, str):
            return value
        if isinstance(self.fill, tuple):
            return np.where(inside, value, np.where(at < self.x[0], self.fill[0], self.fill[1]))
        return np.where(inside, value, self.fill)


@stands_for(scipy.interpolate.interp1d)
def interp1d(
    x: Array,
    y: Array,
    kind: str = "linear",
    axis: int = -1,
    copy: bool = True,
    bounds_error: bool | None = None,
    fill_value: Any = np.nan,
    assume_sorted: bool = False,
) -> Lines | Cubic:
    """Of a vector, linear or cubic."""
    x, y = np.asarray(x), np.asarray(y)
    if y.ndim != 1:
        refuse("interp1d of several columns", "Interpolate each.")
    if not assume_sorted:
        order = np.argsort(x)
        x, y = x[order], y[order]
    extrapolates = isinstance(fill_value, str)
    unfilled = not extrapolates and not isinstance(fill_value, tuple) and np.isnan(fill_value)
    raises = unfilled if bounds_error is None else bounds_error
    if kind == "linear":
        return Lines(x, y, raises, fill_value)
    if kind != "cubic" or not extrapolates:
        refuse("interp1d of this kind", "It is kind='linear', or 'cubic' with fill_value='extrapolate'.")
    return cubic_spline(x, y)


def de_boor(t: Array, c: Array, k: int, x: float, nu: int) -> float:
    """The spline, or a derivative of it, at a point: the coefficients near it are combined k times."""
    i = interval(t, x, k, t.shape[0] - k - 2)  # type: ignore[arg-type]  # a number
    d = np.empty(k + 1, c.dtype)
    for j in range(k + 1):
        d[j] = c[i - k + j]
    for r in range(1, nu + 1):
        for j in range(k, r - 1, -1):
            low = t[i - k + j]
            d[j] = (k - r + 1.0) * (d[j] - d[j - 1]) / (t[i + 1 + j - r] - low)
    for r in range(nu + 1, k + 1):
        for j in range(k, r - 1, -1):
            low = t[i - k + j]
            share = (x - low) / (t[i + 1 + j - r] - low)
            d[j] = (1.0 - share) * d[j - 1] + share * d[j]
    return d[k]


def spline_at(t: Array, c: Array, k: int, x: Array, nu: int) -> Array:
    if isinstance(x, float | int):
        return de_boor(t, c, k, x, nu)
    at = np.asarray(x)
    flat = at.flatten()
    out = np.empty(flat.shape[0], c.dtype)
    for q in range(flat.shape[0]):
        out[q] = de_boor(t, c, k, flat[q], nu)
    return out.reshape(at.shape)


class Spline:
    """A spline by its knots and coefficients."""

    def __init__(self, t: Array, c: Array, k: int) -> None:
        self.t = t
        self.c = c
        self.k = k

    def __call__(self, x: Array, nu: int = 0) -> Array:
        return spline_at(self.t, self.c, self.k, x, nu)


@stands_for(scipy.interpolate.BSpline)
def b_spline(t: Array, c: Array, k: int, extrapolate: bool = True, axis: int = 0) -> Spline:
    c = np.asarray(c)
    if c.ndim != 1 or not extrapolate:
        refuse("BSpline of several columns, or without extrapolation", "Make a spline of each column.")
    return Spline(np.asarray(t), c, k)


@stands_for(scipy.interpolate.splev)
def splev(x: Array, tck: Any, der: int = 0, ext: int = 0) -> Array:
    if ext != 0:
        refuse("splev() with ext", "It extrapolates here (ext=0).")
    if isinstance(tck, Spline):
        return spline_at(tck.t, tck.c, tck.k, x, der)
    return spline_at(np.asarray(tck[0]), np.asarray(tck[1]), tck[2], x, der)
