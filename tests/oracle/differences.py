"""Derivatives by differences: extrapolated central ones."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Function = Callable[..., Any]


def along(f: Function, args: Sequence[Any], wrt: Sequence[int], direction: Sequence[Any], step: float = 1e-3) -> Any:
    """The derivative of ``f`` along a direction, by central differences with two Richardson steps (order h^6)."""

    def shifted(h: float) -> Any:
        moved = list(copy.deepcopy(args))
        for k, d in zip(wrt, direction, strict=True):
            moved[k] = args[k] + h * d
        return np.asarray(f(*moved))

    def central(h: float) -> Any:
        return (shifted(h) - shifted(-h)) / (2 * h)

    d1, d2, d4 = central(step), central(step / 2), central(step / 4)
    r1, r2 = (4 * d2 - d1) / 3, (4 * d4 - d2) / 3
    return (16 * r2 - r1) / 15


def gradient(f: Function, args: Sequence[Any], k: int, step: float = 1e-3) -> Any:
    """The gradient of a scalar function by its argument ``k``, of that argument's shape.

    That by a complex ``a + ib`` is ``df/da - i df/db``.
    """
    x = args[k]
    units = (1.0, 1j) if np.iscomplexobj(x) else (1.0,)
    out = np.zeros(np.shape(x), np.result_type(float, *units))
    for index in np.ndindex(np.shape(x)):
        for u in units:
            unit = np.zeros(np.shape(x), out.dtype)
            unit[index] = u
            by = along(f, args, (k,), (unit if isinstance(x, np.ndarray) else u,), step)
            out[index] += by * np.conj(u)
    return out if isinstance(x, np.ndarray) else out.item()
