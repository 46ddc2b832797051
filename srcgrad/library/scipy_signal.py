"""``scipy.signal``: convolutions and linear filters of vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import signal

from srcgrad.frontend.calls.compile_time import refuse
from srcgrad.library.polynomials import full_convolution, middle, require_mode
from srcgrad.primitives.library import library

Array = NDArray[np.floating]


def convolved(a: Array, v: Array, mode: str) -> Array:
    """The whole of it, the part with the place and length of ``a``, or that in which one lies inside the other."""
    require_mode(mode)
    if a.ndim != 1 or v.ndim != 1:
        refuse("convolution of other than vectors", "Loop over the rows.")
    out = full_convolution(a, v)
    if mode == "same":
        start = (v.shape[0] - 1) // 2
        return out[start : start + a.shape[0]]
    return middle(out, a.shape[0], v.shape[0], 0, mode)


@library(signal.convolve)
def convolve(in1: Array, in2: Array, mode: str = "full", method: str = "auto") -> Array:
    return convolved(np.asarray(in1), np.asarray(in2), mode)


@library(signal.fftconvolve, signal.oaconvolve)
def fftconvolve(in1: Array, in2: Array, mode: str = "full", axes: None = None) -> Array:
    return convolved(np.asarray(in1), np.asarray(in2), mode)


@library(signal.correlate)
def correlate(in1: Array, in2: Array, mode: str = "full", method: str = "auto") -> Array:
    return convolved(np.asarray(in1), np.conj(np.asarray(in2))[::-1], mode)


@library(signal.lfilter)
def lfilter(b: Array, a: Array, x: Array, axis: int = -1, zi: None = None) -> Array:
    """The difference equation a[0] y[n] = sum of b[k] x[n - k] - sum of a[k] y[n - k], along an axis."""
    if zi is not None:
        refuse("lfilter() with an initial state", "Begin with zeros, and add the response to the state.")
    b, a = np.atleast_1d(np.asarray(b)), np.atleast_1d(np.asarray(a))
    rows = np.moveaxis(np.asarray(x), axis, -1)
    out = np.zeros(rows.shape, (b[0] * rows[..., :1] / a[0]).dtype)
    for n in range(rows.shape[-1]):
        for k in range(min(n + 1, b.shape[0])):
            out[..., n] += b[k] / a[0] * rows[..., n - k]
        for k in range(1, min(n + 1, a.shape[0])):
            out[..., n] -= a[k] / a[0] * out[..., n - k]
    return np.moveaxis(out, -1, axis)
