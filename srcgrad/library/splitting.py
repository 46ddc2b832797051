"""Arrays cut into parts along an axis; the parts are views, and their number is known at compile time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import NDArray

from srcgrad.frontend.calls.compile_time import compile_time
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Cuts = int | Sequence[int]


@compile_time
def from_left(rank: int, axis: int) -> int:
    return normalize_axis_index(axis, rank)


@compile_time
def number_of_parts(sections: int) -> int:
    if sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    return sections


@library(np.array_split)
def array_split(ary: Array, indices_or_sections: Cuts, axis: int = 0) -> list[Array]:
    """Parts at these places, or so many parts, of which the first ones are longer by one."""
    ary = np.asarray(ary)
    n = ary.shape[axis]
    if isinstance(indices_or_sections, int):
        parts = number_of_parts(indices_or_sections)
        each, longer = n // parts, n % parts
        places = [k * each + min(k, longer) for k in range(parts + 1)]
    else:
        places = [0, *indices_or_sections, n]
    return [between(ary, places[k], places[k + 1], axis) for k in range(len(places) - 1)]


def between(a: Array, start: int, stop: int, axis: int) -> Array:
    return a[(slice(None),) * from_left(a.ndim, axis) + (slice(start, stop),)]


@library(np.split)
def split(ary: Array, indices_or_sections: Cuts, axis: int = 0) -> list[Array]:
    ary = np.asarray(ary)
    if isinstance(indices_or_sections, int) and ary.shape[axis] % number_of_parts(indices_or_sections) != 0:
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


@library(np.hsplit)
def hsplit(ary: Array, indices_or_sections: Cuts) -> list[Array]:
    return split(ary, indices_or_sections, 0 if np.ndim(ary) == 1 else 1)


@library(np.vsplit)
def vsplit(ary: Array, indices_or_sections: Cuts) -> list[Array]:
    return split(ary, indices_or_sections, 0)


@library(np.dsplit)
def dsplit(ary: Array, indices_or_sections: Cuts) -> list[Array]:
    return split(ary, indices_or_sections, 2)


@library(getattr(np, "unstack", None))
def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    return tuple(np.moveaxis(x, axis, 0))
