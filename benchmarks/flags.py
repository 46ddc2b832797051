"""Numba's flags as srcgrad uses them, so that what is written by hand is compiled alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypedDict, TypeVar

import numba

from srcgrad.settings import DEFAULT_FASTMATH

F = TypeVar("F", bound=Callable[..., object])


class Flags(TypedDict):
    fastmath: set[str]
    error_model: Literal["numpy"]


FLAGS: Flags = {"fastmath": set(DEFAULT_FASTMATH), "error_model": "numpy"}


def plain_njit(function: F) -> F:
    """``numba.njit`` without options: what the primal is compiled with."""
    compiled: F = numba.njit(function)
    return compiled


def njit(function: F) -> F:
    """``numba.njit`` with the flags of generated code."""
    compiled: F = numba.njit(**FLAGS)(function)
    return compiled
