"""Closeness and equality of arrays, and values put into ranges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.primitives.library import library

Array = NDArray[np.floating]


@library(np.isclose)
def isclose(a: Array, b: Array, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> NDArray[np.bool_]:
    near = np.abs(a - b) <= atol + rtol * np.abs(b)
    close = np.where(np.isfinite(b), near & np.isfinite(a), a == b)
    return close | (np.isnan(a) & np.isnan(b)) if equal_nan else close


@library(np.allclose)
def allclose(a: Array, b: Array, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    return bool(np.all(isclose(a, b, rtol, atol, equal_nan)))


@library(np.array_equal)
def array_equal(a: Array, b: Array) -> bool:
    if np.ndim(a) != np.ndim(b):
        return False
    same = True
    for n, m in zip(np.shape(a), np.shape(b), strict=True):
        same = same and n == m
    if same:
        same = bool(np.all(a == b))
    return same


@library(np.clip, streamed=("a",))
def clip(
    a: Array,
    a_min: Array | None = None,
    a_max: Array | None = None,
    *,
    min: Array | None = None,
    max: Array | None = None,
) -> Array:
    least = min if a_min is None else a_min
    most = max if a_max is None else a_max
    if least is None and most is None:
        return a.copy()
    if least is None:
        return np.minimum(a, most)  # type: ignore[arg-type]  # not None
    if most is None:
        return np.maximum(a, least)
    return np.minimum(np.maximum(a, least), most)
