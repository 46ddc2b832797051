"""Windows, phases made continuous, polynomials of given roots, and quadrature's points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.calls.compile_time import compile_time
from srcgrad.library.polynomials import full_convolution
from srcgrad.primitives.library import library

Array = NDArray[np.floating]


def places(m: int) -> Array:
    """From -1 to 1, a window's width."""
    return np.linspace(-1.0, 1.0, m) if m > 1 else np.zeros(m)


@library(np.hanning)
def hanning(M: int) -> Array:  # noqa: N803  (NumPy's name)
    return 0.5 + 0.5 * np.cos(np.pi * places(M))


@library(np.hamming)
def hamming(M: int) -> Array:  # noqa: N803  (NumPy's name)
    return 0.54 + 0.46 * np.cos(np.pi * places(M))


@library(np.blackman)
def blackman(M: int) -> Array:  # noqa: N803  (NumPy's name)
    t = np.pi * places(M)
    return 0.42 + 0.5 * np.cos(t) + 0.08 * np.cos(2.0 * t)


@library(np.bartlett)
def bartlett(M: int) -> Array:  # noqa: N803  (NumPy's name)
    return 1.0 - np.abs(places(M))


@library(np.kaiser)
def kaiser(M: int, beta: float) -> Array:  # noqa: N803  (NumPy's name)
    t = places(M)
    return np.i0(beta * np.sqrt(np.maximum(1.0 - t * t, 0.0))) / np.i0(1.0 * beta)


@library(np.unwrap)
def unwrap(p: Array, discont: float | None = None, axis: int = -1, *, period: float = 6.283185307179586) -> Array:
    """Jumps of more than half a period are brought below that."""
    rows = np.moveaxis(np.asarray(p) * 1.0, axis, -1)
    steps = np.diff(rows, axis=-1)
    half = 0.5 * period
    within = np.mod(steps + half, period) - half
    within = np.where((within == -half) & (steps > 0.0), half, within)
    limit = half if discont is None else discont
    turns = np.where(np.abs(steps) < limit, 0.0, within - steps)
    out = rows.copy()
    out[..., 1:] += np.cumsum(turns, axis=-1)
    return np.moveaxis(out, -1, axis)


@library(np.poly)
def poly(seq_of_zeros: Array) -> Array:
    """The coefficients of the polynomial with these roots."""
    roots = np.asarray(seq_of_zeros)
    out = np.ones(1, roots.dtype)
    for k in range(roots.shape[0]):
        factor = np.ones(2, roots.dtype)
        factor[1] = -roots[k]
        out = full_convolution(out, factor)
    return out


def points_and_weights(rule: object) -> None:
    """A rule of quadrature of a degree that is known: numbers."""

    @compile_time
    def numbers(deg: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
        if not isinstance(deg, int):
            raise ValueError("the degree of a quadrature must be known at compile time")
        points, weights = rule(deg)  # type: ignore[operator]  # a function of NumPy
        return tuple(map(float, points)), tuple(map(float, weights))

    @library(rule)
    def arrays(deg: int) -> tuple[Array, Array]:
        points, weights = numbers(deg)
        return np.array(points), np.array(weights)


points_and_weights(np.polynomial.legendre.leggauss)
points_and_weights(np.polynomial.hermite.hermgauss)
points_and_weights(np.polynomial.hermite_e.hermegauss)
points_and_weights(np.polynomial.laguerre.laggauss)
points_and_weights(np.polynomial.chebyshev.chebgauss)
