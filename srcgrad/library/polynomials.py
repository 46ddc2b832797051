"""Polynomials by their coefficients, and the discrete convolution that multiplies them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.calls.compile_time import compile_time
from srcgrad.primitives.library import library

Array = NDArray[np.floating]


@compile_time
def require_mode(mode: str) -> None:
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"the mode is 'full', 'same' or 'valid', got {mode!r}")


@library(np.convolve)
def convolve(a: Array, v: Array, mode: str = "full") -> Array:
    require_mode(mode)
    a, v = np.asarray(a), np.asarray(v)
    out = full_convolution(a, v)
    n, m = a.shape[0], v.shape[0]
    return middle(out, n, m, (min(n, m) - 1) // 2, mode)


def full_convolution(a: Array, v: Array) -> Array:
    n, m = a.shape[0], v.shape[0]
    if n == 0 or m == 0:
        raise ValueError("a convolution of an empty array")
    out = np.zeros(n + m - 1, (a[:0] * v[:0].sum()).dtype)
    for i in range(n):
        for j in range(m):
            out[i + j] += a[i] * v[j]
    return out


def middle(out: Array, n: int, m: int, start: int, mode: str) -> Array:
    """The part that ``mode`` asks for of all n + m - 1 places; ``start`` is that of "same"."""
    if mode == "full":
        return out
    if mode == "same":
        return out[start : start + max(n, m)]
    return out[min(n, m) - 1 : max(n, m)]


@library(np.correlate)
def correlate(a: Array, v: Array, mode: str = "valid") -> Array:
    require_mode(mode)
    a, v = np.asarray(a), np.asarray(v)
    out = full_convolution(a, np.conj(v)[::-1])
    n, m = a.shape[0], v.shape[0]
    return middle(out, n, m, (m - 1) // 2 if n >= m else n // 2, mode)


def nothing(point: Array, coefficients: Array) -> Array:
    """Zeros of the shape of ``point`` and of the dtype of the result."""
    return 0.0 * point + np.sum(coefficients[:0])


@library(np.polyval)
def polyval(p: Array, x: Array) -> Array:
    """Horner's rule, highest power first."""
    p = np.asarray(p)
    point = np.asarray(x) if isinstance(x, tuple | list) else x
    value = nothing(point, p)
    for i in range(p.shape[0]):
        value = value * point + p[i]
    return value


@library(np.polyder)
def polyder(p: Array, m: int = 1) -> Array:
    p = np.asarray(p)
    for _ in range(m):
        p = p[:-1] * np.arange(p.shape[0] - 1, 0, -1)
    return p


@library(np.polyint)
def polyint(p: Array, m: int = 1, k: float | Array | None = None) -> Array:
    """``k`` has the constants, the first one for the first integration."""
    p = np.asarray(p)
    constants = np.zeros(m) if k is None else np.asarray(k) * np.ones(m)
    for i in range(m):
        p = np.append(p / np.arange(p.shape[0], 0, -1), constants[i])
    return p


@library(np.polymul)
def polymul(a1: Array, a2: Array) -> Array:
    return full_convolution(np.asarray(a1), np.asarray(a2))


@library(np.polyadd)
def polyadd(a1: Array, a2: Array) -> Array:
    a, b = np.atleast_1d(a1), np.atleast_1d(a2)
    n = max(a.shape[0], b.shape[0])
    return np.concatenate((np.zeros(n - a.shape[0]), a)) + np.concatenate((np.zeros(n - b.shape[0]), b))


@library(np.polysub)
def polysub(a1: Array, a2: Array) -> Array:
    return polyadd(a1, -np.atleast_1d(a2))


@library(np.polynomial.polynomial.polyval)
def power_series(x: Array, c: Array) -> Array:
    """Horner's rule, lowest power first."""
    return polyval(np.asarray(c)[::-1], x)


def clenshaw(x: Array, c: Array, start: float, factor: Callable[[int], float], lag: Callable[[int], float]) -> Array:
    """The sum of ``c[k] p_k(x)`` where ``p_0 = 1``, ``p_1 = start x``, ``p_k+1 = factor(k) x p_k - lag(k) p_k-1``.

    C. W. Clenshaw, A note on the summation of Chebyshev series, 1955.
    """
    c = np.asarray(c)
    point = np.asarray(x) if isinstance(x, tuple | list) else x
    later, last = nothing(point, c), nothing(point, c)
    for k in range(c.shape[0] - 1, 0, -1):
        later, last = c[k] + factor(k) * point * later - lag(k + 1) * last, later
    return c[0] + start * point * later - lag(1) * last


@library(np.polynomial.chebyshev.chebval)
def chebyshev_series(x: Array, c: Array) -> Array:
    return clenshaw(x, c, 1.0, lambda k: 2.0, lambda k: 1.0)


@library(np.polynomial.legendre.legval)
def legendre_series(x: Array, c: Array) -> Array:
    return clenshaw(x, c, 1.0, lambda k: (2 * k + 1) / (k + 1), lambda k: k / (k + 1))


@library(np.polynomial.hermite.hermval)
def hermite_series(x: Array, c: Array) -> Array:
    return clenshaw(x, c, 2.0, lambda k: 2.0, lambda k: 2.0 * k)


@library(np.polyfit)
def polyfit(x: Array, y: Array, deg: int, w: Array | None = None) -> Array:
    """Least squares by an orthogonal factor of the powers, each scaled to length 1; the points must determine it."""
    x, y = np.asarray(x), np.asarray(y)
    if x.shape[0] != y.shape[0]:
        raise ValueError("expected x and y to have same length")
    powers = np.vander(x + 0.0, deg + 1)
    wanted = y + 0.0
    if w is not None:
        weights = np.asarray(w)
        powers = powers * weights[:, None]
        wanted = wanted * weights if y.ndim == 1 else wanted * weights[:, None]
    lengths = np.sqrt(np.sum(powers * powers, axis=0))
    q, r = np.linalg.qr(powers / lengths)
    coefficients = np.linalg.solve(r, q.T @ wanted)
    return coefficients / lengths if y.ndim == 1 else coefficients / lengths[:, None]
