"""``np.fft``: transforms along one axis or several, of complex and of real arrays, with ``n`` or ``s`` and ``norm``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.calls.compile_time import compile_time, refuse
from srcgrad.library.fourier_rows import transform_rows
from srcgrad.primitives.library import library

Array = NDArray[np.number]
Real = NDArray[np.floating]
Axes = Sequence[int]


@compile_time
def complex_dtype(dtype: np.dtype) -> np.dtype:
    """Of the transform of an array."""
    if dtype in (np.float32, np.complex64):
        return np.dtype(np.complex64)
    return np.dtype(np.complex128)


@compile_time
def scaling(norm: str | None, forward: bool) -> float:
    """By which power of n a result is divided."""
    powers = {None: (0.0, 1.0), "backward": (0.0, 1.0), "ortho": (0.5, 0.5), "forward": (1.0, 0.0)}
    if norm not in powers:
        raise ValueError(f"Invalid norm value {norm}; should be 'backward', 'ortho' or 'forward'.")
    return powers[norm][0 if forward else 1]


@compile_time
def swapped(norm: str | None) -> str:
    """The norm of the other direction."""
    return {None: "forward", "backward": "forward", "forward": "backward"}.get(norm, str(norm))


@compile_time
def axes_of(ndim: int, axes: int | Axes | None, lengths: int | None) -> tuple[int, ...]:
    """The axes to be transformed, counted from 0; ``lengths`` is how many lengths are given for them."""
    if axes is None:
        axes = range(-(ndim if lengths is None else lengths), 0)
    chosen = tuple(axes) if isinstance(axes, Sequence) else (axes,)
    if lengths not in (None, len(chosen)):
        raise ValueError("Shape and axes have different lengths.")
    if any(not -ndim <= axis < ndim for axis in chosen):
        raise ValueError(f"axes {chosen} of an array of {ndim} dimensions")
    return tuple(axis % ndim for axis in chosen)


def fitted(a: Array, n: int) -> Array:
    """The array as a complex one with ``n`` elements along the last axis: cut off, or filled up with zeros."""
    if np.int64(n) < 1:  # decided at run time, though n may be known
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    out = np.zeros((*a.shape[:-1], n), complex_dtype(a.dtype))
    m = min(n, a.shape[-1])
    out[..., :m] = a[..., :m]
    return out


def transformed(a: Array, forward: bool, norm: str | None) -> Array:
    """Along the last axis of a complex array."""
    n = a.shape[-1]
    if a.ndim == 1:
        return transformed(a[None], forward, norm)[0]
    rows = a if a.ndim == 2 else a.reshape(-1, n)
    out = np.empty(rows.shape, a.dtype)
    transform_rows(rows, forward, out)
    result = out if a.ndim == 2 else out.reshape(a.shape)
    power = scaling(norm, forward)
    if power == 1.0:
        return result / n
    return result / n**0.5 if power == 0.5 else result


def along(a: Array, n: int | None, axis: int, forward: bool, norm: str | None) -> Array:
    moved = np.moveaxis(np.asarray(a), axis, -1)
    rows = fitted(moved, moved.shape[-1] if n is None else n)
    return np.moveaxis(transformed(rows, forward, norm), -1, axis)


@library(np.fft.fft)
def fft(a: Array, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    return along(a, n, axis, True, norm)


@library(np.fft.ifft)
def ifft(a: Array, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    return along(a, n, axis, False, norm)


@library(np.fft.rfft)
def rfft(a: Array, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    a = np.asarray(a)
    if np.iscomplexobj(a):
        refuse("np.fft.rfft of complex numbers", "Use np.fft.fft.")
    length = a.shape[axis] if n is None else n
    whole = np.moveaxis(along(a, length, axis, True, norm), axis, -1)
    return np.moveaxis(whole[..., : length // 2 + 1], -1, axis)


@library(np.fft.irfft)
def irfft(a: Array, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    moved = np.moveaxis(np.asarray(a), axis, -1)
    length = 2 * (moved.shape[-1] - 1) if n is None else n
    half = fitted(moved, length // 2 + 1)
    whole = np.empty((*half.shape[:-1], length), half.dtype)
    whole[..., : length // 2 + 1] = half
    whole[..., length // 2 + 1 :] = np.conj(half[..., (length - 1) // 2 : 0 : -1])
    return np.moveaxis(transformed(whole, False, norm).real, -1, axis)


@library(np.fft.hfft)
def hfft(a: Array, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    return irfft(np.conj(a), n, axis, swapped(norm))


@library(np.fft.ihfft)
def ihfft(a: Array, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    return np.conj(rfft(a, n, axis, swapped(norm)))


def over_axes(a: Array, s: Sequence[int] | None, axes: Axes, forward: bool, norm: str | None) -> Array:
    for k in range(len(axes)):
        a = along(a, None if s is None else s[k], axes[k], forward, norm)
    return a


@library(np.fft.fftn)
def fftn(a: Array, s: Sequence[int] | None = None, axes: Axes | None = None, norm: str | None = None) -> Array:
    a = np.asarray(a)
    return over_axes(a, s, axes_of(a.ndim, axes, None if s is None else len(s)), True, norm)


@library(np.fft.ifftn)
def ifftn(a: Array, s: Sequence[int] | None = None, axes: Axes | None = None, norm: str | None = None) -> Array:
    a = np.asarray(a)
    return over_axes(a, s, axes_of(a.ndim, axes, None if s is None else len(s)), False, norm)


@library(np.fft.rfftn)
def rfftn(a: Array, s: Sequence[int] | None = None, axes: Axes | None = None, norm: str | None = None) -> Array:
    a = np.asarray(a)
    chosen = axes_of(a.ndim, axes, None if s is None else len(s))
    a = rfft(a, None if s is None else s[-1], chosen[-1], norm)
    return over_axes(a, None if s is None else s[:-1], chosen[:-1], True, norm)


@library(np.fft.irfftn)
def irfftn(a: Array, s: Sequence[int] | None = None, axes: Axes | None = None, norm: str | None = None) -> Array:
    a = np.asarray(a)
    chosen = axes_of(a.ndim, axes, None if s is None else len(s))
    a = over_axes(a, None if s is None else s[:-1], chosen[:-1], False, norm)
    return irfft(a, None if s is None else s[-1], chosen[-1], norm)


@library(np.fft.fft2)
def fft2(a: Array, s: Sequence[int] | None = None, axes: Axes = (-2, -1), norm: str | None = None) -> Array:
    return fftn(a, s, axes, norm)


@library(np.fft.ifft2)
def ifft2(a: Array, s: Sequence[int] | None = None, axes: Axes = (-2, -1), norm: str | None = None) -> Array:
    return ifftn(a, s, axes, norm)


@library(np.fft.rfft2)
def rfft2(a: Array, s: Sequence[int] | None = None, axes: Axes = (-2, -1), norm: str | None = None) -> Array:
    return rfftn(a, s, axes, norm)


@library(np.fft.irfft2)
def irfft2(a: Array, s: Sequence[int] | None = None, axes: Axes = (-2, -1), norm: str | None = None) -> Array:
    return irfftn(a, s, axes, norm)


@library(np.fft.fftfreq)
def fftfreq(n: int, d: float = 1.0) -> Real:
    k = np.arange(n)
    return np.where(k < (n - 1) // 2 + 1, k, k - n) * (1.0 / (n * d))


@library(np.fft.rfftfreq)
def rfftfreq(n: int, d: float = 1.0) -> Real:
    return np.arange(n // 2 + 1) * (1.0 / (n * d))


@library(np.fft.fftshift)
def fftshift(x: Array, axes: int | Axes | None = None) -> Array:
    x = np.asarray(x)
    for axis in axes_of(x.ndim, axes, None):
        x = np.roll(x, x.shape[axis] // 2, axis)
    return x


@library(np.fft.ifftshift)
def ifftshift(x: Array, axes: int | Axes | None = None) -> Array:
    x = np.asarray(x)
    for axis in axes_of(x.ndim, axes, None):
        x = np.roll(x, -(x.shape[axis] // 2), axis)
    return x
