"""Largest and smallest elements and where they are.

The result of ``max`` is read from its place, so that its derivative is one element. Elements that tie share it:
``(x_1 - m) + ... + (x_k - m)`` over the k ties is zero, and ``m`` plus its mean has the derivative 1/k for each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.arrays.elements import element
from srcgrad.frontend.arrays.rows import reduces_rows
from srcgrad.frontend.calls.compile_time import compile_time, refuse
from srcgrad.primitives.library import library

Vector = NDArray[np.floating]
Axis = int | tuple[int, ...] | None
Mask = NDArray[np.bool_] | bool


@compile_time
def has_derivative(dtype: np.dtype) -> bool:
    return dtype.kind in "fc"


@library(np.max, np.amax)
def maximum(
    a: Vector, axis: Axis = None, *, keepdims: bool = False, initial: float | None = None, where: Mask = True
) -> Vector | np.floating:
    if initial is None:
        require_initial(where, "maximum")
        return largest(a, axis=axis, keepdims=keepdims)
    return largest_or(
        a if isinstance(where, bool) else np.where(where, a, initial), axis=axis, keepdims=keepdims, initial=initial
    )


@library(np.min, np.amin)
def minimum(
    a: Vector, axis: Axis = None, *, keepdims: bool = False, initial: float | None = None, where: Mask = True
) -> Vector | np.floating:
    if initial is None:
        require_initial(where, "minimum")
        return smallest(a, axis=axis, keepdims=keepdims)
    return smallest_or(
        a if isinstance(where, bool) else np.where(where, a, initial), axis=axis, keepdims=keepdims, initial=initial
    )


@library(np.ptp)
def ptp(a: Vector, axis: Axis = None, *, keepdims: bool = False) -> Vector | np.floating:
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)


def require_initial(where: Mask, name: str) -> None:
    if not isinstance(where, bool):
        refuse(f"a {name} over some elements, of which there may be none", "Give the initial= value.")


@reduces_rows()
def largest_or(v: Vector, *, initial: float = 0.0) -> np.floating:
    if v.shape[0] == 0:
        return v.dtype.type(initial)
    return np.maximum(largest(v), initial)


@reduces_rows()
def smallest_or(v: Vector, *, initial: float = 0.0) -> np.floating:
    if v.shape[0] == 0:
        return v.dtype.type(initial)
    return np.minimum(smallest(v), initial)


@reduces_rows()
def largest(v: Vector) -> np.floating:
    if v.shape[0] == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    place = 0
    ties = 1
    best = element(v, 0)
    for i in range(1, v.shape[0]):
        if v[i] > best or v[i] != v[i]:  # NaN wins
            best = v[i]
            place = i
            ties = 1
        elif v[i] == best:
            ties += 1
    if has_derivative(v.dtype):
        return shared(v, place, ties)
    return element(v, place)


@reduces_rows()
def smallest(v: Vector) -> np.floating:
    if v.shape[0] == 0:
        raise ValueError("zero-size array to reduction operation minimum which has no identity")
    place = 0
    ties = 1
    best = element(v, 0)
    for i in range(1, v.shape[0]):
        if v[i] < best or v[i] != v[i]:  # NaN wins
            best = v[i]
            place = i
            ties = 1
        elif v[i] == best:
            ties += 1
    if has_derivative(v.dtype):
        return shared(v, place, ties)
    return element(v, place)


def shared(v: Vector, place: int, ties: int) -> np.floating:
    """The element at ``place``; its derivative belongs in equal parts to all elements that are equal to it."""
    value = element(v, place)
    if ties > 1 and np.isfinite(value):
        spread = value - value
        for i in range(v.shape[0]):
            if v[i] == value:
                spread += v[i] - value
        value = value + spread / ties
    return value


@reduces_rows(np.argmax)
def first_largest(v: Vector) -> int:
    if v.shape[0] == 0:
        raise ValueError("attempt to get argmax of an empty sequence")
    place = 0
    best = element(v, 0)
    for i in range(1, v.shape[0]):
        if v[i] > best or (v[i] != v[i] and best == best):
            best = v[i]
            place = i
    return np.int64(place)  # type: ignore[return-value]  # a strong integer


@reduces_rows(np.argmin)
def first_smallest(v: Vector) -> int:
    if v.shape[0] == 0:
        raise ValueError("attempt to get argmin of an empty sequence")
    place = 0
    best = element(v, 0)
    for i in range(1, v.shape[0]):
        if v[i] < best or (v[i] != v[i] and best == best):
            best = v[i]
            place = i
    return np.int64(place)  # type: ignore[return-value]  # a strong integer
