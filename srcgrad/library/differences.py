"""Differences of neighbours, slopes and integrals of samples along an axis."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.calls.compile_time import refuse
from srcgrad.library.statistics import axes_of
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Ends = Array | float | None


@library(np.diff)
def diff(a: Array, n: int = 1, axis: int = -1, prepend: Ends = None, append: Ends = None) -> Array:
    a = np.moveaxis(np.asarray(a), axis, 0)
    if n < 0:
        raise ValueError("order must be non-negative")
    if prepend is not None:
        a = np.concatenate((end_of(prepend, a, axis), a))
    if append is not None:
        a = np.concatenate((a, end_of(append, a, axis)))
    for _ in range(n):
        a = neighbours(a)
    return np.moveaxis(a, 0, axis)


def neighbours(a: Array) -> Array:
    if a.dtype.kind == "b":
        return a[1:] != a[:-1]
    return a[1:] - a[:-1]


def end_of(values: Array | float, a: Array, axis: int) -> Array:
    """What is put at an end of ``a``: arrays with the same axes, or one number for each row."""
    if isinstance(values, np.ndarray) and values.ndim > 0:
        return np.moveaxis(values, axis, 0)
    return np.full((1, *a.shape[1:]), values)


@library(np.ediff1d)
def ediff1d(ary: Array, to_end: Ends = None, to_begin: Ends = None) -> Array:
    flat = np.asarray(ary).flatten()
    middle = flat[1:] - flat[:-1]
    if to_begin is not None:
        middle = np.concatenate((np.asarray(to_begin).flatten().astype(flat.dtype), middle))
    if to_end is not None:
        middle = np.concatenate((middle, np.asarray(to_end).flatten().astype(flat.dtype)))
    return middle


@library(np.trapezoid, *([np.trapz] if hasattr(np, "trapz") else []))
def trapezoid(y: Array, x: Array | None = None, dx: float = 1.0, axis: int = -1) -> Array:
    rows = np.moveaxis(np.asarray(y), axis, -1)
    heights = rows[..., 1:] + rows[..., :-1]
    if x is None:
        return np.sum(dx * heights / 2.0, axis=-1)
    x = np.asarray(x)
    steps = np.diff(x) if x.ndim == 1 else np.diff(np.moveaxis(x, axis, -1))
    return np.sum(steps * heights / 2.0, axis=-1)


@library(np.gradient)
def gradient(
    f: Array, *varargs: Array | float, axis: int | tuple[int, ...] | None = None, edge_order: int = 1
) -> Array | tuple[Array, ...]:
    """Central differences inside, one-sided ones at the edges."""
    f = np.asarray(f)
    axes = axes_of(axis, f.ndim)
    spacing = varargs if len(varargs) == len(axes) else shared_spacing(len(axes), varargs)
    slopes = tuple(slope_along(f, spacing[k], axes[k], edge_order) for k in range(len(axes)))
    return slopes[0] if len(axes) == 1 else slopes


def shared_spacing(count: int, varargs: tuple[Array | float, ...]) -> tuple[Array | float, ...]:
    if len(varargs) > 1:
        refuse("np.gradient() with spacings for some axes", "Give one, or one for each axis.")
    return (varargs[0] if varargs else 1.0,) * count


def slope_along(f: Array, spacing: Array | float, axis: int, edge_order: int) -> Array:
    v = np.moveaxis(f, axis, 0) * 1.0
    n = v.shape[0]
    if n < edge_order + 1:
        raise ValueError("Shape of array too small to calculate a numerical gradient, at least edge_order + 1 needed.")
    out = np.empty(v.shape, v.dtype)
    if isinstance(spacing, np.ndarray) and spacing.ndim == 1:
        uneven_slopes(v, np.diff(spacing), out, edge_order)
    else:
        even_slopes(v, spacing, out, edge_order)
    return np.moveaxis(out, 0, axis)


def even_slopes(v: Array, h: Array | float, out: Array, edge_order: int) -> None:
    out[1:-1] = (v[2:] - v[:-2]) / (2.0 * h)
    if edge_order == 1:
        out[0] = (v[1] - v[0]) / h
        out[-1] = (v[-1] - v[-2]) / h
    else:
        out[0] = (-1.5 * v[0] + 2.0 * v[1] - 0.5 * v[2]) / h
        out[-1] = (1.5 * v[-1] - 2.0 * v[-2] + 0.5 * v[-3]) / h


def uneven_slopes(v: Array, steps: Array, out: Array, edge_order: int) -> None:
    """The slope of the parabola through three neighbours."""
    if steps.shape[0] != v.shape[0] - 1:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    for i in range(1, v.shape[0] - 1):
        p, q = steps[i - 1], steps[i]
        out[i] = -q / (p * (p + q)) * v[i - 1] + (q - p) / (p * q) * v[i] + p / (q * (p + q)) * v[i + 1]
    if edge_order == 1:
        out[0] = (v[1] - v[0]) / steps[0]
        out[-1] = (v[-1] - v[-2]) / steps[-1]
    else:
        p, q = steps[0], steps[1]
        out[0] = -(2.0 * p + q) / (p * (p + q)) * v[0] + (p + q) / (p * q) * v[1] - p / (q * (p + q)) * v[2]
        p, q = steps[-2], steps[-1]
        out[-1] = q / (p * (p + q)) * v[-3] - (q + p) / (p * q) * v[-2] + (2.0 * q + p) / (q * (p + q)) * v[-1]
